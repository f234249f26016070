"""Agents, memories, candidates and dead letters, listed for people and programs (T5, E6)."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.base import Origin, Position
from schemas.candidates import Kind, Trust
from schemas.codec import encode
from schemas.dead_letters import DeadLetter, DeadLetterClass
from schemas.ids import digest
from schemas.journal import CandidateProposed
from streams.audit.candidate_state import Filter
from streams.audit.candidates import list_candidates
from streams.kafka.topics import topic_name
from streams.settings import Settings
from tests.kafka.audit.guarded import command
from tests.kafka.audit.small_log import START, Said, SmallLog
from tests.kafka.audit.story import AGENT, tell_story
from tests.kafka.producing import Outgoing


@pytest.mark.spec("T5")
async def test_every_candidate_is_listed_once_with_what_became_of_it_T5(empty_log: SmallLog, settings: Settings) -> None:
    told = await tell_story(empty_log, AGENT)
    said = await empty_log.message(AGENT, "rb", "We always squash.")
    (fresh,) = await empty_log.extracted(AGENT, {"rb": [Said("Commits are squashed.", [said], kind=Kind.PREFERENCE)]})
    repeat = CandidateProposed(agent=AGENT, origin=Origin(position=Position(topic="extractions", partition=0, offset=0)), candidate=told[0])
    await empty_log.journal(repeat)
    await empty_log.publish()
    listed = [one async for one in list_candidates(settings)]
    found = {one.candidate.id: one for one in listed}
    assert [found[candidate.id].state for candidate in (*told, fresh)] == [
        "merged",
        "merged",
        "merged",
        "rejected",
        "duplicate",
        "merged",
        "pending",
    ]
    assert len(listed) == len(found) == 7
    assert found[told[3].id].reason == "hypothetical"
    assert found[told[4].id].line == "l1"

    async def ids(wanted: Filter) -> list[str]:
        return [one.candidate.id async for one in list_candidates(settings, wanted)]

    assert await ids(Filter(agent="somebody-else")) == []
    assert await ids(Filter(agent=AGENT, room="rb")) == [told[4].id, told[5].id, fresh.id]
    assert await ids(Filter(state="pending")) == [fresh.id]
    assert await ids(Filter(reason="Hypo")) == [told[3].id]
    assert await ids(Filter(kind=Kind.PREFERENCE)) == [fresh.id]
    assert await ids(Filter(trust=Trust.REPORTED)) == [told[2].id]
    assert await ids(Filter(since=fresh.said_at)) == [fresh.id]
    assert await ids(Filter(until=told[0].said_at)) == []
    assert await ids(Filter(id=told[1].id)) == [told[1].id]


@pytest.mark.spec("T5")
async def test_a_gates_rejection_is_seen_before_it_has_its_decision_T5(empty_log: SmallLog, settings: Settings) -> None:
    await empty_log.agent(AGENT, "shop")
    said = await empty_log.message(AGENT, "ra", "Suppose we moved.")
    await empty_log.extracted(AGENT, {"ra": [Said("We move.", [said], gate="hypothetical")]})
    (found,) = [one async for one in list_candidates(settings)]
    assert (found.state, found.reason) == ("gate_rejected", "hypothetical")


@pytest.mark.spec("T5")
async def test_the_commands_list_and_show_as_words_and_as_json_T5(small_log: SmallLog, settings: Settings, tmp_path: Path) -> None:
    async def run(*arguments: str) -> str:
        code, out, error = await command(settings, tmp_path, *arguments)
        assert code == 0, error
        return out

    listed = json.loads(await run("candidates", "list", "--state", "rejected", "--json"))
    assert [(one["statement"], one["why"]) for one in listed] == [("Suppose we moved to Mars.", "hypothetical")]
    shown = await run("candidates", "show", listed[0]["id"])
    assert listed[0]["evidence"][0]["place"] in shown and "rejected in version 1" in shown
    (agent,) = json.loads(await run("agents", "list", "--json"))
    assert (agent["agent"], agent["version"], agent["lines"], agent["pending"]) == (AGENT, 3, 3, 0)
    assert "Frontend" in await run("agents", "show", AGENT)
    document = (settings.workspaces_directory / f"shop/{AGENT}/agent-memory/MEMORY.md").read_text()
    assert await run("memory", "show", AGENT) == document
    memory = json.loads(await run("memory", "show", AGENT, "--json"))
    lines = {line["id"]: line for section in memory["sections"] for line in section["lines"]}
    assert lines["l1"]["sources"] == 2 and len(lines["l1"]["last_sources"]) == 2
    by_id = await run("memory", "show", AGENT, "--ids")
    assert "(2 sources, owner, found by script)" in by_id and "(1 source, reported, found by script)" in by_id
    assert "rule, owner, found by script, 2026-" in await run("candidates", "list", "--state", "merged")
    assert "version 3 written" in await run("agents", "show", AGENT)
    assert "All holds." in await run("verify")
    assert json.loads(await run("verify", "--json"))["holds"] is True
    code, _, error = await command(settings, tmp_path, "memory", "show", "nobody\x1b[2J")
    assert code == 1 and "No agent nobody\\x1b[2J is known" in error


@pytest.mark.spec("E6")
async def test_dead_letters_are_listed_oldest_first_and_each_record_once_E6(
    empty_log: SmallLog, settings: Settings, tmp_path: Path
) -> None:
    letters = [
        DeadLetter(
            position=Position(topic=topic, partition=0, offset=offset),
            reason=reason,
            detail="text: missing",
            digest=digest(b"x"),
            size=1,
            role="activity",
            at=START + timedelta(minutes=minute),
        )
        for topic, offset, reason, minute in [
            ("messages", 1, DeadLetterClass.INVALID, 5),
            ("messages", 1, DeadLetterClass.INVALID, 5),
            ("tool-calls", 1, DeadLetterClass.WRONG_KEY, 2),
        ]
    ]
    await empty_log.send([Outgoing(topic_name(settings, "dead-letters"), encode(letter), b"k", 0) for letter in letters])
    code, out, error = await command(settings, tmp_path, "dead-letters", "list", "--json")
    assert code == 0, error
    assert [letter["place"] for letter in json.loads(out)] == ["tool-calls[0]@1", "messages[0]@1"]
    code, out, _ = await command(settings, tmp_path, "dead-letters", "list", "--reason", "wrong_key")
    assert "tool-calls[0]@1" in out and "messages" not in out
    code, _, error = await command(settings, tmp_path, "dead-letters", "list", "--topic", "nix")
    assert code == 1 and "There is no topic nix; the topics are messages, tool-calls" in error
