"""What activity must have come to, counted again from the raw records of `messages` by code of its own: no line is shared with streams/.

It knows runs, boots, Rooms' context, cuts and idle licences, as SPEC A2 to A6 say them; the events of the rounds need no more.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any


@dataclass
class AgentTally:
    """One agent, as far as it has been read."""

    begin: int | None = None
    count: int = 0
    cuts: int = 0
    licences: int = 0
    boots: dict[str, int] = field(default_factory=dict)
    open: dict[str, tuple[str, int]] = field(default_factory=dict)  # run: source and boot
    started: set[str] = field(default_factory=set)
    finished: set[str] = field(default_factory=set)
    quiet_since: int | None = None
    licensed: bool = False


@dataclass
class Recount:
    """All partitions. `requests` and `licences` are what readers must find, no more and no less."""

    idle_after_ms: int
    agents: dict[str, AgentTally] = field(default_factory=lambda: defaultdict(AgentTally))
    requests: set[tuple[str, int, int, int]] = field(default_factory=set)
    licences: set[tuple[str, int, str, int, str]] = field(default_factory=set)

    def read_partition(self, number: int, records: list[Any]) -> None:
        """Count one partition's records, by offset."""
        time, here = 0, set()
        for record in records:
            time = max(time, record.timestamp)
            for agent in here:
                self._maybe_idle(agent, time, number, record.offset)
            headers = dict(record.headers)
            if headers["ce_type"] != b"clock.ticked":
                data = json.loads(record.value)
                here.add(data["agent"])
                self._apply(data, headers["ce_type"].decode(), headers["ce_source"].decode(), record.offset, time)

    def _maybe_idle(self, agent: str, time: int, partition: int, offset: int) -> None:
        tally = self.agents[agent]
        due = tally.quiet_since is not None and tally.quiet_since + self.idle_after_ms <= time
        if due and not tally.open and not tally.licensed:
            tally.licensed = True
            tally.licences += 1
            self.licences.add((agent, tally.licences, "idle", tally.cuts, f"messages[{partition}]@{offset}"))

    def _apply(self, data: dict[str, Any], kind: str, source: str, offset: int, time: int) -> None:
        tally = self.agents[data["agent"]]
        if tally.begin is None:
            tally.begin = offset
        newest = tally.boots.get(source)
        if newest is None or data["boot"] > newest:
            tally.boots[source] = data["boot"]
            if newest is not None:
                tally.count = 0
                tally.open = {run: one for run, one in tally.open.items() if one[0] != source or one[1] >= data["boot"]}
        late = newest is not None and data["boot"] < newest
        if kind == "run.started":
            known = data["run"] in tally.started or data["run"] in tally.finished
            tally.started.add(data["run"])
            if not known and not late:
                tally.open[data["run"]] = (source, data["boot"])
                self._active(tally, time)
        elif kind == "run.finished" and data["run"] not in tally.finished:
            tally.finished.add(data["run"])
            tally.open.pop(data["run"], None)
            if not late:
                self._active(tally, time)
                tally.count += data.get("context", "room") == "room" and data["outcome"] == "succeeded"
                if tally.count == 5:
                    tally.cuts += 1
                    self.requests.add((data["agent"], tally.cuts, tally.begin, offset))
                    tally.begin, tally.count = offset + 1, 0

    def _active(self, tally: AgentTally, time: int) -> None:
        tally.quiet_since, tally.licensed = time, False
