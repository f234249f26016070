"""What of a draft may be a candidate (X6, X7)."""

from datetime import UTC, datetime

import pytest

from schemas.candidates import Kind, Scope, Trust
from tests.unit.candidates.chunks import (
    AGENT,
    BO,
    MARIA,
    SYSTEM,
    a_chunk,
    a_draft,
    gated,
    message,
    proposed,
    rejected,
    tool_call,
)

RULE = "Always run make lint before you push."
CHUNK = a_chunk(message("m1", RULE), message("m2", "Done.", AGENT, minute=1))


def test_a_rule_in_a_user_s_words_is_a_candidate_X6() -> None:
    candidate = proposed(CHUNK, a_draft(RULE, "always run make lint", ["m1"])).candidate
    assert candidate.statement == RULE
    assert candidate.kind is Kind.RULE and candidate.trust is Trust.OWNER and candidate.scope == Scope()
    assert [evidence.event for evidence in candidate.evidence] == ["m1"]
    assert candidate.said_at == CHUNK.records[0].time


@pytest.mark.parametrize("quote", ["ALWAYS run   make lint", "“always run make lint before you push”".strip("“”"), "Ａlways run make lint"])
def test_a_quote_is_found_whatever_its_case_spaces_and_forms_X7(quote: str) -> None:
    proposed(CHUNK, a_draft(RULE, quote, ["m1"]))


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (a_draft(RULE, "always run make test", ["m1"]), "the quote is in none of the cited records"),
        (a_draft(RULE, "", ["m1"]), "the quote is in none of the cited records"),
        (a_draft(RULE, "always run make lint", ["m2"]), "the quote is in none of the cited records"),
        (a_draft(RULE, "always run make lint", ["elsewhere"]), "cites no record of the chunk"),
        (a_draft(RULE, "always run make lint", []), "cites no record of the chunk"),
        (a_draft(RULE, "always run make lint", ["m1"], kind="commandment"), "unknown kind"),
        (a_draft("Always " + "very " * 120 + "carefully.", "always run make lint", ["m1"]), "a statement longer than"),
        (a_draft("...", "always run make lint", ["m1"]), "a statement without words"),
    ],
)
def test_a_draft_without_its_ground_is_rejected_with_the_reason_X7(draft: dict[str, object], reason: str) -> None:
    assert rejected(CHUNK, draft).startswith(reason)


def test_an_unknown_id_beside_a_known_one_is_left_out_X7() -> None:
    candidate = proposed(CHUNK, a_draft(RULE, "always run make lint", ["m9", "m1"])).candidate
    assert [evidence.event for evidence in candidate.evidence] == ["m1"]


def test_evidence_needs_a_new_record_X2() -> None:
    chunk = a_chunk(message("m1", RULE, new=False), message("m2", "Thanks.", minute=1))
    assert rejected(chunk, a_draft(RULE, "always run make lint", ["m1"])) == "cites only what was already read"
    proposed(chunk, a_draft(RULE, "always run make lint", ["m1", "m2"]))


def test_system_text_is_never_evidence_X5() -> None:
    chunk = a_chunk(message("m1", RULE, SYSTEM))
    assert rejected(chunk, a_draft(RULE, "always run make lint", ["m1"])) == "cites only the system's words or the agent's own memory"


@pytest.mark.parametrize(
    "reading",
    [
        tool_call("t1", RULE, tool="read_file", arguments='{"path": "agent-memory/MEMORY.md"}'),
        tool_call("t1", RULE, tool="bash", arguments='{"command": "cat agent-memory/summary.md"}'),
        tool_call("t1", RULE, tool="mcp__linger-memory__show"),
    ],
)
def test_the_agent_s_reading_of_its_memory_is_never_evidence_X5(reading: object) -> None:
    chunk = a_chunk(reading, message("m1", f"My memory says: {RULE}", AGENT))  # type: ignore[arg-type]
    draft = a_draft(RULE, "always run make lint", ["t1"], kind="fact")
    assert rejected(chunk, draft) == "cites only the system's words or the agent's own memory"
    assert rejected(chunk, {**draft, "evidence": ["m1"]}) == "the agent read it in its own memory"


@pytest.mark.parametrize(
    ("statement", "stands"),
    [
        ("Run make lint before pushing to acme-web.", True),  # the Room's project
        ("Run make lint before pushing; the timeout is 30.", True),  # in another record of the chunk
        ("Maria wants make lint run before a push.", True),  # an author's name
        ("Run make lint before pushing, said on 2026-01-14.", True),  # the date of the cited record
        ("Run make lint before pushing; see https://ci.example/lint.", False),
        ("Run make lint before pushing; the timeout is 31.", False),
        ("Run `make lint-all` before pushing.", False),
        ("Run make lint in src/server before pushing.", False),
    ],
)
def test_numbers_paths_and_names_come_from_the_chunk_else_the_source_s_own_words_stand_X7(statement: str, stands: bool) -> None:
    chunk = a_chunk(message("m1", RULE), tool_call("t1", "timeout = 30"), project="acme-web")
    candidate = proposed(chunk, a_draft(statement, "Always run make lint before you push", ["m1"])).candidate
    assert candidate.statement == (statement if stands else "Always run make lint before you push")


def test_own_words_that_cannot_stand_alone_are_no_statement_X7() -> None:
    chunk = a_chunk(message("m1", "Never deploy that."))
    assert rejected(chunk, a_draft("Never deploy on port 8080.", "never deploy that", ["m1"])) == "numbers, paths or names that nobody said"


def test_a_date_word_in_the_quote_grounds_its_date_X7() -> None:
    chunk = a_chunk(message("m1", "Remember that the release moved to the 20th because Maria is away."))
    draft = a_draft("The release moved to 2026-01-20.", "the release moved to the 20th", ["m1"], kind="fact", holds_from="the 20th")
    candidate = proposed(chunk, draft).candidate
    assert candidate.statement == "The release moved to 2026-01-20."
    assert candidate.holds_from == datetime(2026, 1, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "holds"), [("tomorrow", None), ("Friday", datetime(2026, 1, 16, 23, 59, 59, tzinfo=UTC)), ("2031-01-01", None)]
)
def test_a_date_that_nobody_said_is_dropped_X6(given: str, holds: datetime | None) -> None:
    chunk = a_chunk(message("m1", "Never deploy to staging until Friday."))
    draft = a_draft("Never deploy to staging until Friday.", "never deploy to staging until friday", ["m1"], holds_until=given)
    assert proposed(chunk, draft).candidate.holds_until == holds


def test_a_step_of_the_task_at_hand_is_no_rule_unless_its_end_is_known_X7() -> None:
    chunk = a_chunk(message("m1", "For now, never push to staging."), message("m2", "For now, never push to staging, until Friday."))
    draft = a_draft("Never push to staging.", "never push to staging", ["m1"])
    assert rejected(chunk, draft) == "a step of the task at hand"
    proposed(chunk, {**draft, "evidence": ["m2"], "holds_until": "Friday"})


@pytest.mark.parametrize("where", ["statement", "quote", "reason", "corrects", "topic"])
def test_credentials_in_words_go_no_further_X7(where: str) -> None:
    secret = "the door code is 4711"
    chunk = a_chunk(message("m1", f"Remember that {secret} in our office in Halle."))
    draft = a_draft("Our office is in Halle.", "in our office in Halle", ["m1"], kind="fact") | {where: secret}
    (one,) = gated(chunk, draft)
    if where in ("statement", "quote"):
        assert one.type == "candidate.rejected" and one.reason == "a credential in words"
    else:
        assert one.type == "candidate.proposed"
        assert secret not in one.model_dump_json()


def test_scope_and_people_are_held_to_what_the_chunk_knows_X6() -> None:
    chunk = a_chunk(message("m1", RULE + " The shop project too."), message("m2", "Yes.", BO), project="acme")

    def candidate(**given: str) -> tuple[Scope, str]:
        found = proposed(chunk, a_draft(RULE, "always run make lint", ["m1"], **given)).candidate
        return found.scope, found.about

    assert candidate(scope="project:acme", about="Bo") == (Scope(kind="project", id="acme"), "Bo")
    assert candidate(scope="project:ACME", about="u-bo") == (Scope(kind="project", id="acme"), "Bo")
    assert candidate(scope="project:shop", about="everyone")[0] == Scope(kind="project", id="shop")
    assert candidate(scope="project:invented", about="Nobody Here") == (Scope(kind="project", id="acme"), "everyone")
    assert candidate(scope="room")[0] == Scope(kind="room", id="room-1")
    assert candidate(scope="the whole world")[0] == Scope(kind="project", id="acme")


def test_long_parts_are_cut_and_a_cut_quote_stays_verbatim_X6() -> None:
    long = "always run make lint " * 30
    chunk = a_chunk(message("m1", long))
    draft = a_draft(RULE, long.strip(), ["m1"], reason="because " * 100, topic="A title " * 20, corrects="what was " * 100)
    candidate = proposed(chunk, draft).candidate
    assert len(candidate.quote) <= 200 and candidate.quote in long
    assert len(candidate.reason) <= 300 and len(candidate.corrects) <= 500
    assert candidate.topic == "Rules"


def test_an_existing_section_s_title_is_taken_as_it_stands_X6() -> None:
    chunk = a_chunk(message("m1", RULE), sections=("Before a push",))
    assert proposed(chunk, a_draft(RULE, "always run make lint", ["m1"], topic="before a PUSH.")).candidate.topic == "Before a push"


@pytest.mark.parametrize(
    "asks", ["Don't remember this.", "Off the record: ", "Please don't memorize that, ok.", "do not store this in your memory"]
)
def test_what_a_user_asked_not_to_remember_is_kept_out_with_its_run_C11(asks: str) -> None:
    chunk = a_chunk(
        message("m1", RULE), message("m2", asks, minute=1), message("m3", "We decided to close on Mondays.", run="run-2", minute=2)
    )
    assert rejected(chunk, a_draft(RULE, "always run make lint", ["m1"])) == "a user asked not to remember it"
    proposed(chunk, a_draft("We close on Mondays.", "we decided to close on Mondays", ["m3"], kind="decision"))


@pytest.mark.parametrize("says", ["I don't remember this.", "Please don't save this file.", "Don't forget this!"])
def test_other_words_about_remembering_keep_nothing_out_C11(says: str) -> None:
    chunk = a_chunk(message("m1", RULE), message("m2", says, minute=1))
    proposed(chunk, a_draft(RULE, "always run make lint", ["m1"]))


def test_invisible_and_control_characters_do_not_enter_a_statement_X6() -> None:
    chunk = a_chunk(message("m1", RULE, MARIA))
    draft = a_draft("Always run \u202emake\x07 lint\nbefore you push.", "always run make lint", ["m1"])
    assert proposed(chunk, draft).candidate.statement == "Always run make lint before you push."


@pytest.mark.parametrize(("said", "written"), [("5,000", "5000"), ("5000", "5,000"), ("10 MB", "10MB"), ("`make lint`", "make lint")])
def test_a_number_or_name_written_otherwise_is_the_same_X7(said: str, written: str) -> None:
    chunk = a_chunk(message("m1", f"Always check {said} before you push the branch."))
    statement = f"Always check {written} before you push the branch."
    assert proposed(chunk, a_draft(statement, "before you push the branch", ["m1"])).candidate.statement == statement
