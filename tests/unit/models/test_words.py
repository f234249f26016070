"""Words are compared the same way everywhere (X5, X7, C8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.models.words import absent, content_words, details, identifiers, negated, normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always run the linter.", "always  run\nthe LINTER"),
        ("“Don’t push to main!”", "don't push to main"),
        ("ｕｓｅ　ｐｎｐｍ", "use pnpm"),
        ("co\u00adop\u200beration", "cooperation"),
        ("Straße", "STRASSE"),
        ("Les vœux d\u0065\u0301té", "les vœux dété"),
    ],
)
def test_equal_normalised_words_ignore_case_spaces_quotes_and_forms(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Deploy on Friday?", "Deploy on Friday."), ("use tabs", "never use tabs"), ("port 80", "port 8080")]
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=60))
def test_no_text_loses_its_own_details(text: str) -> None:
    assert not absent(details(text), text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Run `make lint` before the 14th.", {"make lint", "14"}),
        ("See https://x.example/a?b=1.", {"https://x.example/a?b=1"}),
        ("It lies in src/app.py, not in ~/old/.", {"src/app.py", "~/old/"}),
        ("Ask ops@x.example; 5,000 of 1.2.3 at 14:30", {"ops@x.example", "5000", "1.2.3", "14:30"}),
        ("MySQL, user_id, README.md, sha256 and --force", {"mysql", "user_id", "readme.md", "sha256", "--force"}),
        ("wait 30s or 10 MB", {"30", "10"}),
        ("２０２６年１月の PostgreSQL", {"2026", "1", "postgresql"}),
        ("Plain words and/or CI/CD about Postgres", set()),
    ],
)
def test_identifiers_are_numbers_paths_urls_code_and_names(text: str, found: set[str]) -> None:
    assert identifiers(text) == found


def test_a_number_within_a_number_is_not_found() -> None:
    assert absent(frozenset({"80"}), "the port is 8080") == {"80"}
    assert not absent(frozenset({"make lint"}), "please run make lint")


def test_content_words_leave_out_function_words_and_pair_unspaced_scripts() -> None:
    assert content_words("We should always use the staging database") == {"staging", "database"}
    assert content_words("使用数据库") == {"使用", "用数", "数据", "据库"}


@pytest.mark.parametrize("text", ["never do it", "Don't.", "do not", "no tabs", "nicht", "不要用", "使わない"])
def test_a_negation_is_a_detail(text: str) -> None:
    assert negated(text)
    assert "not" in details(text)


@pytest.mark.parametrize("text", ["note this", "knotted", "another", "notice"])
def test_a_word_that_holds_a_negation_is_none(text: str) -> None:
    assert not negated(text)


@pytest.mark.parametrize("piece", ["a", "a/", "a@", "a-", "`", "1,", "x.y@", "'a", "http://", "日"])
def test_junk_of_a_megabyte_costs_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    identifiers(text)
    content_words(text)
