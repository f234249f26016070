"""Cases through the whole pipeline, then the same events sent again, and everything derived deleted [E9, T1].

One pipeline with an agent for each case. What the topics and files hold is taken down after each step, and each test compares.
"""

import asyncio
import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
import pytest

from schemas.codec import ORIGINAL_TIME, topic_of
from schemas.events import ClockTicked
from schemas.memory import AgentMemory
from streams.activity.rows import PARTITION_KEY
from streams.audit.projection import read_projection
from streams.audit.rebuild import RebuildRefused
from streams.audit.reset import reset
from streams.audit.verify import Report, verify
from streams.kafka.partitioner import partition_for
from streams.kafka.reading import end_offsets, read_to_end
from streams.kafka.topics import CHANGELOGS, topic_name
from streams.settings import Settings, load_settings
from streams.supervision.pipeline import running
from tests.activity_events import Server, wire
from tests.faults.rounds import CHANGELOG, counts
from tests.kafka.activity.outputs import all_done, eventually, send_events
from tests.kafka.audit.guarded import cut_off, files_below
from tests.kafka.case_events import CUTS, NOTE, RULE, RULES, after_the_restart, before_the_restart, five_runs_of_the_still_one
from tests.kafka.consolidation.journal import folded_to_end
from tests.kafka.producing import Outgoing, send_all, until
from tests.kafka.whole_pipeline import until_settled, watching

HOUR_MS = 3_600_000
PARTITIONS = 4
INPUTS = ("messages", "tool-calls", "commands")


@dataclass(frozen=True)
class Taken:
    """What stands on the topics and in the workspaces at one moment."""

    requests: frozenset[tuple[str, int, int, int]]
    """Agent, cut, interval: of every record, repeats included, so one that says another thing the second time is seen."""
    licences: frozenset[tuple[str, int, int, str]]
    """Agent, number, cut, position: of every record."""
    said_by_activity: tuple[int, int]
    """How many records of requests and of licences there are, repeats included."""
    candidates: frozenset[tuple[str, str]]
    """Agent and id, rejected ones included."""
    calls: Counter[tuple[str, str]]
    """Records that a model's call or a revision leaves, by agent and type."""
    strangers: int
    """Records whose key is not the agent that they are about."""
    memories: dict[str, AgentMemory]
    decisions: list[bytes | None]
    counts: dict[str, int]
    files: dict[str, bytes]


async def take(settings: Settings) -> Taken:
    """Wait till the journal is folded to its end, and take down what there is."""
    await folded_to_end(settings)
    requests, licences, candidates, calls, said, strangers = set(), set(), set(), Counter[tuple[str, str]](), Counter[str](), 0
    for topic in ("extraction-requests", "extractions", "memory-candidates"):
        async for record in read_to_end(settings, topic_name(settings, topic), isolation="read_committed"):
            value, kind = orjson.loads(record.value or b""), orjson.loads(record.value or b"")["type"]
            strangers += (record.key or b"").decode() != value["agent"]
            said[kind] += 1
            if kind == "extraction.request":
                requests.add((value["agent"], value["cut"], value["interval"]["first"], value["interval"]["last"]))
            elif kind == "agent.idle":
                licences.add((value["agent"], value["number"], value["cut"], str(value["origin"]["position"])))
            elif kind in ("candidate.proposed", "candidate.rejected"):
                candidates.add((value["agent"], value["candidate"]["id"]))
            elif topic == "extractions" or kind.startswith(("consolidation.", "memory.")):
                calls[value["agent"], kind] += 1
    decided = [record.value async for record in read_to_end(settings, topic_name(settings, "decisions"), isolation="read_committed")]
    memories = dict((await read_projection(settings)).memories)
    return Taken(
        frozenset(requests),
        frozenset(licences),
        (said["extraction.request"], said["agent.idle"]),
        frozenset(candidates),
        calls,
        strangers,
        memories,
        decided,
        await counts(settings),
        files_below(settings.workspaces_directory),
    )


async def send_everything_again(settings: Settings) -> None:
    """Append every event once more, as a server does that was not told of the acknowledgement; and every candidate on the journal."""
    for topic in INPUTS:
        name = topic_name(settings, topic)
        records = [record async for record in read_to_end(settings, name) if record.key is not None]
        sent = await send_all(settings, [Outgoing(name, one.value, one.key, one.partition, dict(one.headers)) for one in records])
        await all_done(settings, sent, topic)
    journal = topic_name(settings, "memory-candidates")
    proposed = [one async for one in read_to_end(settings, journal) if b'"candidate.proposed"' in (one.value or b"")]
    assert proposed
    await send_all(settings, [Outgoing(journal, one.value, one.key, 0) for one in proposed])


async def send_five_runs_and_two_days_of_ticks(settings: Settings) -> None:
    """Five runs of three days ago, and a tick for each of the 48 hours after them, as a topic that was copied carries the time (E1)."""
    server, hour = Server(source="linger-1"), round(datetime.now(UTC).timestamp() * 1000) - 72 * HOUR_MS
    partition = partition_for(b"still", PARTITIONS)
    assert not [agent for agent in CUTS if agent != "still" and partition_for(agent.encode(), PARTITIONS) == partition]
    records = []
    ticks = [server.event(ClockTicked(partition=partition)) for _ in range(48)]
    for event in [*five_runs_of_the_still_one(server), *ticks]:
        hour += HOUR_MS if isinstance(event.data, ClockTicked) else 0
        headers, key, value = wire(event)
        timed = {**headers, ORIGINAL_TIME: str(hour).encode()}
        records.append(Outgoing(topic_name(settings, topic_of(event.data)), value, key, partition, timed))
    await send_all(settings, records)


async def delete_what_is_derived(settings: Settings) -> None:
    """`memory`, `decisions`, the tables' changelogs, and every local folder."""

    async def is_reset() -> bool:
        try:
            return bool(await reset(settings))
        except RebuildRefused:  # members keep their places for the session time-out, so that a restart causes no rebalance
            return False

    await eventually(is_reset, "the sessions of the roles to end", 30)
    for name in ("memory", "decisions", *(spec.name for spec in CHANGELOGS)):
        assert set((await end_offsets(settings, topic_name(settings, name))).values()) == {0}, name
    shutil.rmtree(settings.data_directory)
    shutil.rmtree(settings.workspaces_directory)


@dataclass(frozen=True)
class Played:
    """What stood there when all was settled, and after each further step."""

    settled: Taken
    sent_again: Taken
    made_anew: Taken
    report: Report


@pytest.fixture(scope="module")
def played(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("cases")
    settings = load_settings(
        bootstrap_servers=broker,
        topic_prefix=f"{folder.name}-{folder.stat().st_ino}.",
        partitions=PARTITIONS,
        data_directory=folder / "data",
        workspaces_directory=folder / "workspaces",
        idle_after_seconds=1.0,
        tick_every_seconds=0.2,
        session_timeout_seconds=6.0,
        instance="0",
    )

    async def play() -> Played:
        async with running(settings, print):
            with watching(settings) as watch:
                await send_five_runs_and_two_days_of_ticks(settings)
                await send_events(settings, before_the_restart(Server()))
                await until(lambda: "restarted" in watch.agents("memory-candidates", "request.done"), "the request before the restart", 60)
            await send_events(settings, after_the_restart(Server(boot=2)))
            for agent, cuts in CUTS.items():
                await until_settled(settings, [agent], cuts)
            settled = await take(settings)
            await send_everything_again(settings)
            sent_again = await take(settings)
        await delete_what_is_derived(settings)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", cut_off(folder))
            async with running(settings, print):
                await eventually(lambda: tables_are_at_the_end(settings), "the tables to be made anew")
                await until(lambda: files_below(settings.workspaces_directory).keys() >= sent_again.files.keys(), "the files", 60)
                made_anew, report = await take(settings), await verify(settings)
        return Played(settled, sent_again, made_anew, report)

    return asyncio.run(play())


async def tables_are_at_the_end(settings: Settings) -> bool:
    """Say whether the rows of `messages` have applied all of it."""
    applied = dict.fromkeys(range(settings.partitions), -1)
    async for record in read_to_end(settings, topic_name(settings, CHANGELOG)):
        if record.key == PARTITION_KEY and record.value is not None:
            applied[record.partition] = int.from_bytes(record.value[:8], "big", signed=True)
    ends = await end_offsets(settings, topic_name(settings, "messages"))
    return applied == {partition: end - 1 for partition, end in ends.items()}


def lines(taken: Taken, agent: str) -> list[str]:
    return [line.text for line in taken.memories[agent].lines]


def folder_files(taken: Taken, agent: str) -> list[str]:
    return [path for path in taken.files if path.startswith(f"{agent}/")]


def candidates(taken: Taken, agent: str) -> list[str]:
    return [candidate for whose, candidate in taken.candidates if whose == agent]


@pytest.mark.case("U01")
def test_twenty_runs_with_the_hidden_note_and_no_users_facts_give_no_candidate_U01(played: Played) -> None:
    assert sum(agent == "noted" for agent, *_ in played.settled.requests) == 4
    assert (candidates(played.settled, "noted"), lines(played.settled, "noted")) == ([], [])
    assert not [path for path, content in played.settled.files.items() if NOTE.encode() in content]


@pytest.mark.case("U04")
def test_the_same_rule_twice_and_each_candidate_delivered_twice_is_still_one_line_U04(played: Played) -> None:
    assert len(candidates(played.settled, "twice")) == 2
    for taken in (played.settled, played.sent_again):
        (line,) = taken.memories["twice"].lines
        assert (line.text, line.sources) == (RULE, 2)


@pytest.mark.case("U14")
def test_five_runs_and_idleness_make_the_folder_and_four_do_not_U14(played: Played) -> None:
    assert {path.rpartition("/")[2] for path in folder_files(played.settled, "full")} >= {"MEMORY.md", "summary.md"}
    assert lines(played.settled, "full") == [RULE]
    assert "four" in {agent for agent, *_ in played.settled.licences}
    assert folder_files(played.settled, "four") == []


@pytest.mark.case("U18")
def test_two_agents_in_one_room_each_remember_only_their_own_view_U18(played: Played) -> None:
    assert len({partition_for(agent.encode(), PARTITIONS) for agent in RULES}) == 1  # else nothing of the other would ever be read
    assert {agent: lines(played.settled, agent) for agent in RULES} == {agent: [rule] for agent, rule in RULES.items()}
    assert played.settled.strangers == 0


@pytest.mark.case("U27")
def test_two_days_of_ticks_with_nothing_new_make_no_call_U27(played: Played) -> None:
    """The five runs make one request, one licence and one call each, and the 48 hours after them none."""
    assert [(number, cut) for agent, number, cut, _ in played.settled.licences if agent == "still"] == [(1, 1)]
    assert lines(played.settled, "still") == [RULE]
    calls = {kind: count for (agent, kind), count in played.settled.calls.items() if agent == "still"}
    assert calls["extraction.attempted"] == calls["consolidation.started"] == calls["memory.changed"] == 1


@pytest.mark.case("U49")
def test_a_restart_between_extraction_and_consolidation_resets_the_count_and_merges_what_is_pending_U49(played: Played) -> None:
    assert lines(played.settled, "restarted") == [RULE]
    assert played.settled.counts["restarted"] == 4
    assert {cut for agent, cut, *_ in played.settled.requests if agent == "restarted"} == {1}


@pytest.mark.case("U61")
def test_a_hundred_task_and_document_runs_count_nothing_and_give_no_candidate_U61(played: Played) -> None:
    assert played.settled.counts["tasks"] == 0
    assert "tasks" in {agent for agent, *_ in played.settled.licences}
    assert "tasks" not in {agent for agent, *_ in played.settled.requests}
    assert (candidates(played.settled, "tasks"), folder_files(played.settled, "tasks")) == ([], [])


@pytest.mark.spec("E9")
def test_the_same_events_sent_again_have_no_effect_E9(played: Played) -> None:
    assert played.sent_again == played.settled


@pytest.mark.spec("T1")
def test_all_that_is_derived_comes_out_the_same_with_the_network_cut_off_T1(played: Played) -> None:
    """Tables, `memory`, `decisions` and every folder were deleted; the roles made them anew, and asked no model."""
    before, after = played.sent_again, played.made_anew
    assert after.files == before.files
    assert after.said_by_activity == tuple(2 * count for count in before.said_by_activity)  # made from `messages`, it said all again
    assert (after.requests, after.licences, after.candidates, after.calls) == (
        before.requests,
        before.licences,
        before.candidates,
        before.calls,
    )
    assert (after.memories, after.decisions, after.counts) == (before.memories, before.decisions, before.counts)
    assert played.report.holds, played.report.violations
