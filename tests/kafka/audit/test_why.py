"""From each line to the original messages, and from each candidate to its line (T4, U65)."""

import json
from pathlib import Path

import pytest

from schemas.base import Position
from schemas.operations import Verdict
from streams.audit.candidates import list_candidates
from streams.audit.history import LineHistory
from streams.audit.positions import read_positions
from streams.audit.projection import read_projection
from streams.audit.why import NoSuchLine, why
from streams.settings import Settings
from streams.workspaces.render import render
from tests.kafka.audit.guarded import command
from tests.kafka.audit.small_log import Said, SmallLog
from tests.kafka.audit.story import AGENT, add, tell_story


@pytest.mark.spec("T4")
@pytest.mark.case("U65")
async def test_every_line_leads_to_messages_that_lie_where_it_says_and_every_candidate_to_its_line_U65(
    small_log: SmallLog, settings: Settings
) -> None:
    memory = (await read_projection(settings)).memories[AGENT]
    document = render(memory)["MEMORY.md"].decode()
    histories = [await why(settings, AGENT, line.id) for line in memory.lines]
    assert len(histories) == document.count("\n- ")
    behind: dict[str, str] = {}
    for history in histories:
        assert history.line is not None and history.candidates
        for source in history.candidates:
            behind[source.candidate.id] = history.id
            assert source.records and source.call is not None and source.call.position.topic == "extractions"
            for record in source.records:
                assert record.found and await _event_at(settings, record.position) == record.event
    decided = {
        found.candidate.id: found.line async for found in list_candidates(settings) if found.state in (Verdict.MERGED, Verdict.DUPLICATE)
    }
    gone = await why(settings, AGENT, "l2")
    assert gone.line is None
    behind |= {source.candidate.id: "l2" for source in gone.candidates}
    assert behind == decided and len(decided) == 5


@pytest.mark.spec("T4")
async def test_why_names_operations_calls_people_and_tools_T4(small_log: SmallLog, settings: Settings) -> None:
    rule = await why(settings, AGENT, "l1")
    assert [(step.version, step.what) for step in rule.operations] == [(1, "put"), (2, "put")]
    assert [source.decision.decision.verdict for source in rule.candidates] == [Verdict.MERGED, Verdict.DUPLICATE]
    assert [record.text for record in _records(rule)] == ["Never deploy on a Friday.", "never deploy on a friday!"]
    assert all(record.author is not None and record.author.name == "Maria" for record in _records(rule))
    assert all(step.call is not None and step.call.model == "scripted-model" for step in rule.operations)
    ended = (await why(settings, AGENT, "l2")).operations[-1]
    assert (ended.what, ended.into, ended.version) == ("disproved", "l4", 2) and ended.because is not None
    (call,) = _records(await why(settings, AGENT, "l3"))
    assert call.author is None and call.tool == "shell" and "make lint" in call.text and call.position.topic == "tool-calls"
    replacement = await why(settings, AGENT, "l4")
    assert len(replacement.candidates) == 1  # what it disproved is no source of it
    with pytest.raises(NoSuchLine, match="l99"):
        await why(settings, AGENT, "l99")


@pytest.mark.spec("T4")
@pytest.mark.case("U18")
async def test_why_of_one_agent_never_shows_another_ones_line_of_the_same_id_U18(empty_log: SmallLog, settings: Settings) -> None:
    await tell_story(empty_log, AGENT)
    await empty_log.agent("other", "shop/other")
    said = await empty_log.message("other", "ra", "Write the changelog first.")
    (candidate,) = await empty_log.extracted("other", {"ra": [Said("Write the changelog first.", [said])]})
    await empty_log.consolidated("other", [add(candidate)])
    await empty_log.publish()
    (record,) = _records(await why(settings, "other", "l1"))
    assert record.text == "Write the changelog first."
    assert "changelog" not in str(await why(settings, AGENT, "l1"))


@pytest.mark.spec("S3")
async def test_why_redacts_and_escapes_what_it_shows_S3(empty_log: SmallLog, settings: Settings, tmp_path: Path) -> None:
    await empty_log.agent(AGENT, "shop")
    key = "AKIA" + "Q3EGVY7ZJ2M5KXWT"
    said = await empty_log.message(AGENT, "ra", f"Never print \x1b[2J the key {key}.", name="Eve\u202e")
    (candidate,) = await empty_log.extracted(AGENT, {"ra": [Said("Never print \x1b[2J the key.", [said])]})
    await empty_log.consolidated(AGENT, [add(candidate)])
    await empty_log.publish()
    for arguments in (("memory", "why", AGENT, "l1"), ("memory", "why", AGENT, "l1", "--json")):
        code, out, error = await command(settings, tmp_path, *arguments)
        assert code == 0, error
        assert "Never print" in out and str(said.position) in out
        assert key not in out and "\x1b" not in out and "\u202e" not in out
    assert json.loads(out)["sources"][0]["records"][0]["author"]["name"] == "Eve\u202e"


def _records(history: LineHistory) -> list:  # type: ignore[type-arg]
    return [record for source in history.candidates for record in source.records]


async def _event_at(settings: Settings, position: Position) -> str | None:
    ((_, record),) = [found async for found in read_positions(settings, [position])]
    return dict(record.headers)["ce_id"].decode() if record else None
