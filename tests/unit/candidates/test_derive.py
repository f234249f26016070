"""One recorded answer always gives the same records in the same order, whatever it says (X6, X10; U01, U18, U32)."""

from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.codec import encode
from schemas.extraction import Done, DoneOutcome
from schemas.ids import candidate_id
from schemas.journal import JOURNAL, CandidateProposed, CandidateRejected, RequestDone, RoomSummarised
from streams.candidates.derive import derive
from tests.unit.candidates.chunks import (
    AGENT,
    AT,
    BEGINNING,
    OTHER_AGENT,
    a_chunk,
    a_draft,
    answered,
    gated,
    message,
    proposed,
    tool_call,
)

RULE = "Always run make lint before you push."
CHUNK = a_chunk(message("m1", RULE), message("m2", "Done.", AGENT, minute=5), title="Web", project="acme")
GOOD = a_draft(RULE, "always run make lint", ["m1"])
BAD = a_draft(RULE, "never said", ["m1"])


def test_candidates_come_in_their_order_and_the_summary_last_X6() -> None:
    record = answered(CHUNK, GOOD, BAD, GOOD, summary="They pushed.")
    derived = derive(record, AT)
    assert [type(one) for one in derived] == [CandidateProposed, CandidateRejected, CandidateProposed, RoomSummarised]
    assert [one.origin.ordinal for one in derived] == [0, 1, 2, 3]
    assert {one.origin.position for one in derived} == {AT}
    summary = derived[-1]
    assert isinstance(summary, RoomSummarised)
    assert (summary.text, summary.title, summary.project) == ("They pushed.", "Web", "acme")
    assert summary.extractor == record.extractor == "scripted"
    assert summary.newest == CHUNK.records[-1].time


def test_ids_are_functions_of_the_chunk_and_the_place_in_it_X6() -> None:
    (first, second) = gated(CHUNK, GOOD, GOOD)
    assert first.candidate.id == candidate_id("chunk-1", 0) and second.candidate.id == candidate_id("chunk-1", 1)
    assert first.candidate.order == (1, "room-1", 0, 0)
    assert first.candidate.extractor == "scripted"


def test_the_end_of_a_request_is_said_once_X10() -> None:
    record = Done(agent="wren", request="request-1", cut=3, plan="plan-1", outcome=DoneOutcome.PARTLY, at=BEGINNING)
    (one,) = derive(record, AT)
    assert isinstance(one, RequestDone)
    assert (one.request, one.cut, one.outcome, one.origin.position, one.origin.ordinal) == ("request-1", 3, DoneOutcome.PARTLY, AT, 0)


def test_an_unusable_answer_gives_nothing_X10() -> None:
    assert derive(answered(CHUNK, GOOD, usable=False, fault="cut off"), AT) == ()


def test_at_most_eight_of_a_chunk_pass_and_the_ninth_says_why_X6() -> None:
    derived = gated(CHUNK, *[GOOD] * 10)
    assert [type(one) for one in derived] == [CandidateProposed] * 8 + [CandidateRejected] * 2
    assert isinstance(derived[8], CandidateRejected) and derived[8].reason == "more than 8 candidates of one chunk"


@pytest.mark.parametrize("junk", ["text", 7, None, [], {}, {"statement": 5}, {"statement": "x", "evidence": 3}, {"statement": " "}])
def test_one_bad_draft_does_not_spoil_its_neighbours_X6(junk: Any) -> None:
    derived = gated(CHUNK, junk, GOOD)
    assert isinstance(derived[0], CandidateRejected) and derived[0].reason.startswith("wrong shape")
    assert isinstance(derived[1], CandidateProposed)


def test_a_missing_kind_or_quote_is_a_gate_s_rejection_X6() -> None:
    (one,) = gated(CHUNK, {"statement": RULE, "evidence": ["m1"]})
    assert isinstance(one, CandidateRejected) and one.reason == "unknown kind"


def test_an_answer_in_a_code_fence_is_read_X6() -> None:
    text = "Here it is:\n```json\n" + orjson.dumps({"summary": "S", "candidates": [GOOD]}).decode() + "\n```"
    derived = derive(answered(CHUNK, output=text), AT)
    assert [one.type for one in derived] == ["candidate.proposed", "room.summarised"]


@pytest.mark.parametrize(
    "output",
    [
        "x" * 1_000_000,
        "x" * 1_000_001,
        '{"candidates": [' + '"z",' * 200_000 + '"z"]}',
        '{"summary": "' + "again " * 150_000 + '", "candidates": []}',
        '{"summary": "", "candidates": [{"statement": "' + "again " * 150_000 + '", "evidence": ["m1"], "quote": "again"}]}',
        "[" * 100_000,
        '{"candidates": ' + "[" * 5_000 + "]" * 5_000 + "}",
    ],
)
def test_a_megabyte_of_junk_is_capped_U32(output: str) -> None:
    derived = derive(answered(CHUNK, output=output), AT)
    assert len(derived) <= 33
    assert all(len(encode(one)) < 10_000 for one in derived)
    assert not any(isinstance(one, CandidateProposed) for one in derived)


def test_a_summary_is_capped_and_an_empty_one_keeps_the_summary_so_far_X1() -> None:
    long = derive(answered(CHUNK, summary="word " * 1_000), AT)[-1]
    assert isinstance(long, RoomSummarised) and 1_400 < len(long.text) <= 1_500
    kept = derive(answered(a_chunk(*CHUNK.records, summary="So far."), summary=""), AT)[-1]
    assert isinstance(kept, RoomSummarised) and kept.text == "So far."


# --- U01: our own note is nobody's words


def test_twenty_runs_with_our_note_and_no_user_s_facts_give_no_candidate_U01() -> None:
    """The note stands in a field of its own and is not in the input; an agent that repeats it is no user."""
    note = "Never push straight to main."
    records = []
    for run in range(20):
        records.append(message(f"u{run}", "What time is it?", run=f"run-{run}", minute=2 * run))
        records.append(message(f"a{run}", f"My memory says: {note}", AGENT, run=f"run-{run}", minute=2 * run + 1))
    chunk = a_chunk(*records)
    drafts = [a_draft(note, "never push straight to main", [f"a{run}", f"u{run}"]) for run in range(8)]
    assert not [one for one in gated(chunk, *drafts) if isinstance(one, CandidateProposed)]


# --- U18: two agents in one Room


def test_each_agent_s_candidates_are_its_own_U18() -> None:
    """Each answer is filed under the agent whose chunk it was, and the other agent's words are only reported."""
    said = "The invoice job runs at six."
    wren = a_chunk(message("w1", "Hello."), message("w2", said, AGENT, minute=1), agent="wren")
    kite = a_chunk(message("k1", "Hello."), message("k2", said, OTHER_AGENT, minute=1), agent="kite")
    mine = proposed(wren, a_draft(said, "the invoice job runs at six", ["w2"], kind="fact"))
    theirs = proposed(kite, a_draft(said, "the invoice job runs at six", ["k2"], kind="fact"))
    assert (mine.agent, mine.candidate.agent, mine.candidate.trust.value) == ("wren", "wren", "agent")
    assert (theirs.agent, theirs.candidate.agent, theirs.candidate.trust.value) == ("kite", "kite", "reported")
    across = a_draft(said, "the invoice job runs at six", ["w2"], kind="fact")
    assert not [one for one in gated(kite, across) if isinstance(one, CandidateProposed)]


# --- whatever it says

_WORDS = st.sampled_from(
    [RULE, "always run make lint", "m1", "m2", "", "fact", "rule", "room", "project:acme", "today", "2026-01-14", "yes"]
) | st.text(max_size=30)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _WORDS, lambda inner: st.lists(inner, max_size=3)
)
_FIELDS = ("statement", "reason", "topic", "kind", "scope", "about", "evidence", "quote", "holds_from", "holds_until", "corrects")
_DRAFTS = st.lists(st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=11) | _JSON, max_size=12)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(_DRAFTS, _WORDS, st.lists(st.text(max_size=40), max_size=3))
def test_no_answer_raises_and_the_same_answer_gives_the_same_bytes_X10(drafts: list[Any], summary: str, texts: list[str]) -> None:
    records = [message(f"m{number}", text, minute=number) for number, text in enumerate(texts)]
    chunk = a_chunk(*records, tool_call("t1", RULE))
    try:
        output = orjson.dumps({"summary": summary, "candidates": drafts}).decode()
    except TypeError:  # a whole number beyond 64 bits
        return
    derived = derive(answered(chunk, output=output), AT)
    assert [one.origin.ordinal for one in derived] == list(range(len(derived)))
    assert isinstance(derived[-1], RoomSummarised)
    assert sum(isinstance(one, CandidateProposed) for one in derived) <= 8
    encoded = [encode(one) for one in derived]
    assert [JOURNAL.decode(value) for value in encoded] == list(derived)
    assert [encode(one) for one in derive(answered(chunk, output=output), AT)] == encoded


@given(st.text(max_size=200))
def test_no_output_raises_X10(output: str) -> None:
    derive(answered(CHUNK, output=output), AT)
