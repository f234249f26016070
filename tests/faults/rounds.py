"""Rounds of faults: two workers in mid-work, one is killed, one leaves, one comes; then all is compared with a recount."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from schemas.codec import Event
from schemas.events import Context, Outcome
from streams.activity.rows import AgentRow, agent_of, decode_row
from streams.kafka.fatal import EXIT_FATAL
from streams.kafka.reading import end_offsets, read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.activity_events import Server
from tests.faults.recount import Recount
from tests.kafka.activity.outputs import Told, all_done, committed, eventually, send_events, told
from tests.kafka.activity.workers import Worker, Workers

AGENTS = [f"agent-{n}" for n in range(40)]
CHANGELOG = "activity-messages-changelog"


def burst(number: int, runs: int) -> list[Event]:
    """Give a round's events: runs of all agents, side by side, some failed, of Tasks or sent twice, over a restart of the server."""
    chosen, server = random.Random(number), Server(boot=number)
    late = Server(boot=number - 1)
    open_runs: list[tuple[str, str, str, Context]] = []
    events: list[Event] = []
    for n in range(runs):
        agent, room, context = chosen.choice(AGENTS), f"room-{chosen.randrange(3)}", chosen.choice([Context.ROOM] * 4 + [Context.TASK])
        run = f"{number}-{n}"
        events += [server.started(agent, run, room, context), server.said(agent, room, context=context, run=run)]
        open_runs.append((agent, run, room, context))
        while len(open_runs) > 30 or (open_runs and n == runs - 1):
            agent, run, room, context = open_runs.pop(chosen.randrange(len(open_runs)))
            outcome = chosen.choice([Outcome.SUCCEEDED] * 5 + [Outcome.FAILED])
            events.append(server.finished(agent, run, room, outcome, context))
        if chosen.random() < 0.1:
            events.append(chosen.choice(events))
        if chosen.random() < 0.02:
            events += late.a_run(chosen.choice(AGENTS), f"late-{number}-{n}")
    return events


@dataclass(frozen=True)
class Positions:
    """Where the log stood at a fault: its end, what was committed of it, and how many rows were written."""

    ends: dict[int, int]
    done: dict[int, int]
    rows: int

    @property
    def in_flight(self) -> int:
        """Records that were sent and not yet done."""
        return sum(end - self.done[partition] for partition, end in self.ends.items())


async def positions(settings: Settings) -> Positions:
    ends, done = await end_offsets(settings, topic_name(settings, "messages")), await committed(settings, "messages")
    rows = await end_offsets(settings, topic_name(settings, CHANGELOG))
    return Positions(ends, done, sum(rows.values()))


Fault = Callable[[Workers, random.Random], Awaitable[list[Awaitable[object]]]]
"""Does its harm, and gives what is still to be waited for when the round's work is done."""


async def kill_one(workers: Workers, chosen: random.Random) -> list[Awaitable[object]]:
    """SIGKILL, and a start under the same name."""
    victim = chosen.choice(workers.running())
    await victim.kill()
    await _start_again(victim, workers)
    return []


async def _start_again(victim: Worker, workers: Workers) -> None:
    """One that ended itself just before the kill is started by `keep_running`: two of one name would fight for ever."""
    if victim.process.returncode != EXIT_FATAL:
        await workers.start(victim.instance)


async def one_leaves_and_one_comes(workers: Workers, chosen: random.Random) -> list[Awaitable[object]]:
    """SIGTERM to one; another comes under a new name, before the first is gone."""
    leaver = workers.running()[0]  # the one that has run longest: one that has just been started knows no SIGTERM yet
    await workers.start(f"new-{len(workers.all)}")
    return [_must_end_well(leaver, workers)]


async def all_are_killed(workers: Workers, chosen: random.Random) -> list[Awaitable[object]]:
    """SIGKILL to both, one after the other, and both start again."""
    victims = list(workers.running())
    for victim in victims:
        await victim.kill()
        await asyncio.sleep(chosen.random() / 4)
    for victim in victims:
        await _start_again(victim, workers)
    return []


async def one_is_stopped_past_its_session(workers: Workers, chosen: random.Random) -> list[Awaitable[object]]:
    """SIGSTOP until the other has taken its partitions over and done all, then SIGCONT: a zombie, which must do no harm."""
    victim = chosen.choice(workers.running())
    victim.process.send_signal(signal.SIGSTOP)
    return [_goes_on_when_all_is_done(victim, workers)]


async def _goes_on_when_all_is_done(victim: Worker, workers: Workers) -> None:
    async def taken_over() -> bool:
        return not (await positions(workers.settings)).in_flight

    await eventually(taken_over, "the other worker to take over", 90)
    victim.process.send_signal(signal.SIGCONT)


async def keep_running(workers: Workers) -> None:
    """Start each worker again that ended itself, as whoever supervises a role does."""
    started_again: set[Worker] = set()
    while True:
        for worker in list(workers.all):
            if worker.process.returncode == EXIT_FATAL and worker not in started_again:
                started_again.add(worker)
                await workers.start(worker.instance)
        await asyncio.sleep(0.2)


async def _must_end_well(leaver: Worker, workers: Workers) -> None:
    code = await leaver.stop()
    assert code == 0, f"the leaver ended with {code}\n{workers.logs()}"


async def play_round(settings: Settings, workers: Workers, number: int, fault: Fault, runs: int) -> Positions:
    """Send a burst, do the fault while it is worked on, and wait till all is done; give the positions at the fault."""
    chosen = random.Random(1_000 + number)
    before = await positions(settings)
    events = burst(number, runs)
    sending = asyncio.create_task(send_events(settings, events))

    async def in_mid_work() -> bool:
        return (await positions(settings)).rows > before.rows + chosen.randrange(20, 200)

    await eventually(in_mid_work, "work to begin", 90)
    left_over = await fault(workers, chosen)
    at_fault = await positions(settings)
    waited = [asyncio.ensure_future(one) for one in left_over]
    sent = await sending
    try:
        await all_done(settings, sent, deadline_seconds=90)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{await workers.show()}") from None
    await asyncio.gather(*waited)
    return at_fault


async def recounted(settings: Settings) -> Recount:
    recount, partitions = Recount(round(settings.idle_after_seconds * 1000)), dict[int, list[object]]()
    async for record in read_to_end(settings, topic_name(settings, "messages")):
        partitions.setdefault(record.partition, []).append(record)
    for number, records in partitions.items():
        recount.read_partition(number, records)
    return recount


async def counts(settings: Settings) -> dict[str, int]:
    """Give the count of each agent as the table's changelog has it: of a key, the row that has applied most."""
    rows: dict[str, AgentRow] = {}
    async for record in read_to_end(settings, topic_name(settings, CHANGELOG)):
        assert record.key is not None and record.value is not None
        agent = agent_of(record.key)
        if agent is not None:
            row = decode_row(record.key, int.from_bytes(record.value[:8], "big", signed=True), record.value[8:])
            assert isinstance(row, AgentRow)
            if agent not in rows or row.applied >= rows[agent].applied:
                rows[agent] = row
    return {agent: row.counted for agent, row in rows.items()}


async def compare(settings: Settings) -> Recount:
    """Wait till nothing more is due, then fail if counts, requests or idle licences differ from the recount in anything."""
    recount = Recount(0)

    async def settled() -> bool:
        nonlocal recount
        recount = await recounted(settings)
        quiet = all(tally.licensed for tally in recount.agents.values())
        return quiet and not (await positions(settings)).in_flight

    await eventually(settled, "every agent to be idle")
    found: Told = await told(settings)
    assert found.requests == recount.requests
    assert found.licences == recount.licences
    assert await counts(settings) == {agent: tally.count for agent, tally in recount.agents.items()}
    return recount
