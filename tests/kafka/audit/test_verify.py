"""`verify` holds on an honest log and names each fault that it is shown (T6)."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from schemas.candidates import Evidence, Kind, Trust
from schemas.codec import encode_key
from schemas.ids import digest
from schemas.journal import CandidateDecided, FoldSkipped, MemoryChanged
from schemas.memory import Line
from schemas.operations import AppliedOperation, Decision, Ending, EndLine, PutLine, PutSection, Verdict
from streams.audit.invariants.violation import Invariant
from streams.audit.rebuild import differences
from streams.audit.verify import Report, verify
from streams.consolidation.fold import apply
from streams.kafka.topics import topic_name
from streams.settings import Settings
from streams.workspaces.render import render
from tests.kafka.audit.small_log import START, Said, SmallLog
from tests.kafka.audit.story import add, tell_story
from tests.kafka.producing import Outgoing

STORIES = (
    "honest",
    "decided-twice-told",
    "decided-twice",
    "without-source",
    "changed-file",
    "ended-twice",
    "lost-section",
    "left-over",
)


@pytest.mark.spec("T6")
async def test_verify_holds_on_an_honest_log_T6(small_log: SmallLog, settings: Settings) -> None:
    report = await verify(settings)
    assert report.holds, _sentences(report)
    assert report.remarks == []
    assert report.checked["revisions"] == 3 and report.checked["candidates"] == 6
    assert report.checked["decisions"] == 7  # six candidates and the end of one line
    assert report.checked["cited records"] == 5


@pytest.mark.spec("T6")
async def test_verify_names_each_fault_and_nobody_else_T6(empty_log: SmallLog, settings: Settings) -> None:
    log = empty_log
    told = {
        agent: await tell_story(log, agent)
        for agent in (
            "honest",
            "decided-twice-told",
            "decided-twice",
            "without-source",
            "changed-file",
            "ended-twice",
            "lost-section",
            "left-over",
        )
    }
    # A second record of the same decision.
    twice = told["decided-twice-told"][0].id
    decision = Decision(candidate=twice, verdict=Verdict.MERGED, line="l1")
    await log.decisions(CandidateDecided(agent="decided-twice-told", decision=decision, version=1, offset=0))
    # A revision decides a candidate again.
    again = told["decided-twice"][0].id
    await log.journal_unchecked(_revision(log, "decided-twice", [], [Decision(candidate=again, verdict=Verdict.REJECTED)]))
    # A line that no candidate stands behind.
    await log.journal(_revision(log, "without-source", [PutLine(section="s1", line=_line("l90", "A line from nowhere."))]))
    # A line ends, comes again under its old id, and ends again.
    ending, old = EndLine(line="l1", how=Ending.FORGOTTEN), next(one for one in log.replay.memories["ended-twice"].lines if one.id == "l1")
    await log.journal(_revision(log, "ended-twice", [ending]))
    await log.journal(_revision(log, "ended-twice", [PutLine(section="s1", line=old)]))
    await log.journal(_revision(log, "ended-twice", [ending]))
    # A licence is used up and leaves a candidate behind.
    cited = await log.message("left-over", "ra", "We always squash.")
    (left,) = await log.extracted("left-over", {"ra": [Said("Commits are squashed.", [cited])]})
    await log.licence("left-over")
    await log.journal(_revision(log, "left-over", [], licence=log.licences["left-over"]))
    # A candidate cites a record that is not what it says.
    await log.agent("wrong-place", "shop/wrong-place")
    cited = await log.message("wrong-place", "ra", "Never deploy on a Friday.")
    elsewhere = Evidence(event="e-not-there", position=cited.position, time=cited.time, room="ra")
    beyond = cited.model_copy(update={"position": cited.position.model_copy(update={"offset": 9_999})})
    stray = await log.extracted("wrong-place", {"ra": [Said("One.", [elsewhere]), Said("Two.", [beyond])]})
    await log.consolidated("wrong-place", [add(stray[0]), add(stray[1])])
    # A memory over its share.
    await log.agent("over-share", "shop/over-share", window=8_192)
    many = [_line(f"l{number}", f"Rule {number}: " + "keep every module small and name it well, " * 10) for number in range(1, 30)]
    put = [PutSection(section="s1", title="Rules"), *(PutLine(section="s1", line=line) for line in many)]
    await log.journal(_revision(log, "over-share", put, window=8_192))

    await log.publish()
    file = settings.workspaces_directory / "shop/changed-file/agent-memory/MEMORY.md"
    file.write_bytes(file.read_bytes().replace(b"Friday", b"Monday"))
    section_key = encode_key(["main", "section", "lost-section", "s1"])
    await log.send([Outgoing(topic_name(settings, "memory"), None, section_key, 0)])

    report = await verify(settings)
    named = {agent: [(one.invariant, one.sentence) for one in report.violations if one.agent == agent] for agent in log.agents}
    assert named["honest"] == []
    assert _says(named["decided-twice-told"], Invariant.DECISIONS, twice, "topic decisions")
    assert _says(named["decided-twice"], Invariant.DECISIONS, again, "decided more than once", "memory-candidates[0]@")
    assert _says(named["without-source"], Invariant.LINEAGE, "l90", "no source")
    assert _says(named["changed-file"], Invariant.FILES, "MEMORY.md", "w-changed-file")
    assert len(named["changed-file"]) == 1
    assert _says(named["ended-twice"], Invariant.LINES, "l1", "ends twice")
    assert _says(named["ended-twice"], Invariant.LINES, "l1", "again, which has ended before")
    assert _says(named["lost-section"], Invariant.LINES, "l1", "not in topic memory")
    assert _says(named["lost-section"], Invariant.FILES, "section s1", "missing from topic memory")
    assert _says(named["left-over"], Invariant.DECISIONS, left.id, "no decision", "licence")
    assert _says(named["wrong-place"], Invariant.LINEAGE, stray[0].id, str(cited.position), "another event")
    assert _says(named["wrong-place"], Invariant.LINEAGE, stray[1].id, "@9999", "no record")
    assert _says(named["over-share"], Invariant.SHARE, "the memory's words", "2048")
    assert _says(named["over-share"], Invariant.SHARE, "MEMORY.md", "2048")


@pytest.mark.spec("T6")
async def test_verify_judges_a_journal_that_runs_ahead_only_as_far_as_it_is_folded_T6(small_log: SmallLog, settings: Settings) -> None:
    cited = await small_log.message("reviewer", "ra", "We always squash.")
    (candidate,) = await small_log.extracted("reviewer", {"ra": [Said("Commits are squashed.", [cited])]})
    await small_log.consolidated("reviewer", [add(candidate)])
    report = await verify(settings)
    assert report.holds, _sentences(report)
    assert len(report.remarks) == 1 and "not folded yet" in report.remarks[0]


@pytest.mark.spec("C13")
async def test_a_record_that_the_log_names_as_skipped_is_passed_over_by_verify_and_rebuild_C13(
    small_log: SmallLog, settings: Settings
) -> None:
    bad = _revision(small_log, "reviewer", [EndLine(line="l77", how=Ending.FORGOTTEN)])
    await small_log.journal_unchecked(bad)
    await small_log.journal(FoldSkipped(agent="reviewer", offset=small_log.next - 1, fault="there is no line l77"))
    cited = await small_log.message("reviewer", "ra", "We always squash.")
    (candidate,) = await small_log.extracted("reviewer", {"ra": [Said("Commits are squashed.", [cited])]})
    await small_log.consolidated("reviewer", [add(candidate)])
    await small_log.publish()
    report = await verify(settings)
    assert report.holds, _sentences(report)
    assert await differences(settings) == []


@pytest.mark.spec("T6")
async def test_verify_says_that_a_projection_is_gone_T6(empty_log: SmallLog, settings: Settings) -> None:
    await tell_story(empty_log, "reviewer")
    report = await verify(settings)
    assert Invariant.FILES in report.count and Invariant.LINES in report.count


def _says(found: list[tuple[Invariant, str]], invariant: Invariant, *words: str) -> bool:
    if not any(kind is invariant and all(word in sentence for word in words) for kind, sentence in found):
        raise AssertionError(f"no violation of {invariant} with {words} in {found}")
    return True


def _plain(log: SmallLog, agent: str, window: int = 200_000) -> dict[str, object]:
    return {
        "agent": agent,
        "step": f"by-hand-{log.next}",
        "base": log.next,
        "operations": (),
        "decisions": (),
        "version": log.replay.memories[agent].state.version + 1,
        "window": window,
        "render_format": 1,
        "files": {},
        "at": START,
    }


def _revision(
    log: SmallLog,
    agent: str,
    operations: Sequence[AppliedOperation],
    decisions: Sequence[Decision] = (),
    licence: int | None = None,
    window: int = 200_000,
) -> MemoryChanged:
    """A revision that no gate has seen, with the hashes of the files that it gives."""
    given = {"operations": tuple(operations), "decisions": tuple(decisions), "licence": licence}
    changed = MemoryChanged(**{**_plain(log, agent, window), **given})  # type: ignore[arg-type]
    try:
        files = render(apply(log.replay.memories[agent], changed, log.next))
    except Exception:
        files = {}
    return changed.model_copy(update={"files": {path: digest(content) for path, content in files.items()}})


def _line(name: str, text: str) -> Line:
    return Line(
        id=name,
        text=text,
        kind=Kind.RULE,
        trust=Trust.OWNER,
        said_at=START + timedelta(days=1),
        sources=1,
        last_sources=(),
        rooms=(),
        since=1,
    )


def _sentences(report: Report) -> str:
    return "\n".join(f"{violation.invariant}: {violation.sentence}" for violation in report.violations)
