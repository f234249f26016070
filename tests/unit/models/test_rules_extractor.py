"""The offline extractor: its answer, its language, its summary (X1, X14; U17, U18, U20)."""

import asyncio

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.answers import ExtractionAnswer
from schemas.events import Outcome, Role
from schemas.extraction import ChunkInput, InputRun
from streams.candidates.answer import read_answer
from streams.models.port import Extractor, ModelAnswer
from streams.models.rules import RulesExtractor
from tests.unit.candidates.chunks import AGENT, BO, GUEST, MARIA, OTHER_AGENT, REPORT, SYSTEM, a_chunk, message, tool_call
from tests.unit.models.rooms import drafts, learned

RULE = "Always run the linter before you push."


def extracted(chunk: ChunkInput) -> ModelAnswer:
    side: Extractor = RulesExtractor()
    return asyncio.run(side.extract(chunk, "rules"))


def test_a_chunk_without_teaching_is_a_success_with_nothing_X10() -> None:
    found = extracted(a_chunk(message("m1", "What time is it?")))
    assert not found.fault and orjson.loads(found.text)["candidates"] == []


def test_only_users_messages_that_are_new_are_read_U17_U20() -> None:
    chunk = a_chunk(
        message("m0", RULE, new=False),
        message("m1", RULE, AGENT),
        message("m2", RULE, OTHER_AGENT),
        message("m3", RULE, REPORT),
        message("m4", RULE, SYSTEM),
        tool_call("t1", RULE),
    )
    assert orjson.loads(extracted(chunk).text)["candidates"] == []


def test_the_words_and_the_quote_are_the_user_s_X14() -> None:
    (draft,) = drafts("Ok, and by the way: always lint, please.\nThanks!")
    assert (draft["statement"], draft["quote"], draft["evidence"]) == ("Always lint", "always lint", ["m0"])


def test_what_was_said_twice_is_one_draft_with_both_records_X6() -> None:
    (draft,) = drafts(RULE, "Hello.", "always run the linter before you push")
    assert draft["evidence"] == ["m0", "m2"]


def test_a_reason_is_kept_apart_X6() -> None:
    (draft,) = drafts("Always squash commits, because the history is unreadable otherwise.")
    assert (draft["statement"], draft["reason"]) == ("Always squash commits", "the history is unreadable otherwise")
    (draft,) = drafts("Never deploy on a Friday just because the build is green.")
    assert "reason" not in draft


@pytest.mark.parametrize(
    ("text", "project", "scope", "statement"),
    [
        (RULE, "acme", "everywhere", RULE),
        ("Never push to main in this repo.", "acme", "project:acme", "acme: Never push to main in this repo."),
        ("Never push to main here.", "", "room", "Web: Never push to main here."),
        ("In acme, always push to main.", "acme", "project:acme", "In acme, always push to main."),
        ("We decided to use Redis.", "acme", "project:acme", "acme: We decided to use Redis."),
        ("We decided to use Redis.", "", "everywhere", "We decided to use Redis."),
        ("Use pnpm, not npm.", "acme", "project:acme", "acme: Use pnpm, not npm."),
    ],
)
def test_a_standing_rule_is_for_everywhere_and_the_rest_names_its_place_X6(text: str, project: str, scope: str, statement: str) -> None:
    (draft,) = drafts(text, project=project, title="Web")
    assert (draft["scope"], draft["statement"]) == (scope, statement)


def test_at_most_eight_and_rules_go_first_X6() -> None:
    facts = [f"Remember that shelf {number} holds paper." for number in range(12)]
    found = drafts(*facts, RULE)
    assert len(found) == 8
    assert found[-1]["kind"] == "rule", "in the order of the records"


def test_dates_become_absolute_by_the_gates_X6() -> None:
    (candidate,) = learned("Never deploy to staging until Friday.")
    assert candidate.holds_until is not None and candidate.holds_until.date().isoformat() == "2026-01-16"
    (candidate,) = learned("From 1 March on we use Stripe instead of PayPal.")
    assert candidate.holds_from is not None and candidate.holds_from.date().isoformat() == "2026-03-01"


def test_trust_is_that_of_who_said_it_X8() -> None:
    chunk = a_chunk(message("m1", RULE, GUEST))
    assert GUEST.role is Role.GUEST
    assert len(orjson.loads(extracted(chunk).text)["candidates"]) == 1, "the gates tell what it is worth"


# --- the language


@pytest.mark.parametrize(
    "text",
    [
        "我们决定使用 PostgreSQL 而不是 MySQL。",
        "いつもテストを実行してください。",
        "Всегда запускай тесты перед коммитом.",
        "استخدم دائما المسافات",
        "Bitte immer die Tests laufen lassen, bevor du pushst.",
        "Utilise toujours pnpm au lieu de npm, s'il te plaît.",
        "Siempre usa pnpm en lugar de npm para todos los proyectos.",
        "We gebruiken altijd pnpm in plaats van npm, dat is de regel.",
        "Usa sempre pnpm, mai npm, per favore.",
        "Używaj zawsze pnpm zamiast npm w tym projekcie.",
    ],
)
def test_a_language_without_cues_is_no_result_and_no_success_X14(text: str) -> None:
    found = extracted(a_chunk(message("m1", text)))
    assert found.fault.startswith("no result") and found.text == ""


@pytest.mark.parametrize(
    "texts", [["ok"], ["npm run build fails"], ["Fix login bug"], [RULE, "はい"], [RULE, "使用数据库"], ["```\nПривет\n```", RULE]]
)
def test_english_with_some_other_words_is_read_X14(texts: list[str]) -> None:
    assert not extracted(a_chunk(*(message(f"m{number}", text) for number, text in enumerate(texts)))).fault


def test_the_majority_of_words_tells_X14() -> None:
    chinese = "我们决定使用数据库，而不是文件，因为文件太慢了，而且没有事务，这是我们的规定。"
    assert extracted(a_chunk(message("m1", RULE), message("m2", chinese))).fault
    assert not extracted(a_chunk(message("m1", RULE), message("m2", chinese, AGENT))).fault


# --- the summary


def test_the_summary_names_each_run_s_request_and_its_outcome_X1() -> None:
    chunk = a_chunk(
        message("m1", "Please draft the letter.\nIt is urgent.", MARIA, run="r1"),
        message("m2", "Done.", AGENT, run="r1"),
        message("m3", "Send it.", BO, run="r2"),
        message("m4", "Send it again.", BO, run="r2"),
        message("m5", "Print it.", BO, run="r3"),
        summary="2026-01-02 Maria: Hello.",
        runs=(
            InputRun(run="r1", outcome=Outcome.SUCCEEDED),
            InputRun(run="r2", outcome=Outcome.FAILED),
            InputRun(run="r3", outcome=Outcome.CANCELLED),
        ),
    )
    assert orjson.loads(extracted(chunk).text)["summary"].splitlines() == [
        "2026-01-02 Maria: Hello.",
        "2026-01-14 Maria: Please draft the letter.",
        "2026-01-14 Bo: Send it. (failed)",
        "2026-01-14 Bo: Print it. (cancelled)",
    ]


def test_a_long_summary_loses_its_oldest_lines_X1() -> None:
    records = [message(f"m{number}", f"Request {number} " + "and more " * 30, run=f"r{number}", minute=number) for number in range(40)]
    summary = orjson.loads(extracted(a_chunk(*records)).text)["summary"]
    assert len(summary) <= 1_500
    assert "Request 39 " in summary and "Request 0 " not in summary


# --- whatever is said


@given(
    st.lists(st.text(max_size=120) | st.sampled_from([RULE, "Suppose ", "We decided ", "```\n", "> "]), max_size=6), st.text(max_size=20)
)
def test_the_same_chunk_gives_the_same_answer_in_its_shape_X14(texts: list[str], project: str) -> None:
    chunk = a_chunk(*(message(f"m{number}", text, minute=number) for number, text in enumerate(texts)), project=project)
    found = extracted(chunk)
    assert extracted(chunk) == found
    if not found.fault:
        read = read_answer(found.text)
        assert read is not None and len(read.drafts) <= 8
        ExtractionAnswer.model_validate_json(found.text)


@pytest.mark.parametrize("piece", ["a ", "always ", "and ", "no, ", "- ", "please ", "if we ", '"', "we use a ", ". ", "the our ", "(1) "])
def test_junk_of_a_megabyte_is_read_in_linear_time_U32(piece: str) -> None:
    extracted(a_chunk(message("m1", piece * (400_000 // len(piece)))))
