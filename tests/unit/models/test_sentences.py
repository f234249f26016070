"""A person's own sentences, and what each of them is (X7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.models.mood import is_assent, is_hypothetical, is_question, is_suggestion, is_temporary
from streams.models.sentences import MASK, Sentence, enclosing, masked, own_text, sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_sentences_end_where_people_end_them() -> None:
    assert texts("Use v1.2.3 of x.py, e.g. for tests. Never v2!  Ok?\n- first thing\n- second thing") == [
        "Use v1.2.3 of x.py, e.g. for tests.",
        "Never v2!",
        "Ok?",
        "first thing",
        "second thing",
    ]


def test_a_wrapped_line_is_one_sentence() -> None:
    assert texts("Always write the date as day, month name and\nyear, on anything that a customer sees.") == [
        "Always write the date as day, month name and year, on anything that a customer sees."
    ]


def test_quoted_text_and_code_are_masked_and_offsets_stay() -> None:
    text = "Don’t say \"always\" or `never` or 'ever' in Maria's mails"
    assert len(masked(text)) == len(text)
    assert "always" not in masked(text) and "never" not in masked(text) and "ever" not in masked(text)
    assert masked(text).startswith("don't say " + MASK) and masked(text).endswith("maria's mails")


def test_own_text_is_what_the_writer_wrote() -> None:
    text = "Look:\n> quoted\n```\ncode\n```\n<page>\nfrom a page\n</page>\n$ make test\nAlways lint.\n# Plan\n- pasted"
    assert own_text(text).split() == ["Look:", "Always", "lint."]


@pytest.mark.parametrize("text", ["Yes.", "ok", "Yes, please!", "Sounds good, go ahead", "Sure, do that.", "👍", "好的", "LGTM"])
def test_a_bare_yes_is_an_assent_X7(text: str) -> None:
    assert is_assent(text)


@pytest.mark.parametrize("text", ["Yes, but with tabs.", "No.", "ok so use MySQL", "", "yesterday", "Good morning"])
def test_more_than_a_yes_is_none_X7(text: str) -> None:
    assert not is_assent(text)


@pytest.mark.parametrize(
    "text", ["Always do it like that, because otherwise it would be slow.", "If the tests fail, always rerun them.", "Should."]
)
def test_a_condition_or_a_reason_supposes_nothing_U15(text: str) -> None:
    assert not is_hypothetical(Sentence(text))


def test_moods_of_one_sentence() -> None:
    assert is_question(Sentence("Shall I push")) and not is_question(Sentence("Have the tests run nightly."))
    assert not is_question(Sentence("Always lint, ok?")) and is_question(Sentence("Do we always lint, ok?"))
    assert is_suggestion(Sentence("I'd recommend tabs.")) and not is_suggestion(Sentence("The files use tabs."))
    assert is_temporary(Sentence("Just this once, push to main.")) and not is_temporary(
        Sentence("Never push to main until further notice.")
    )


def test_a_quote_s_sentences_are_found() -> None:
    text = "We decided to use Redis. Nothing else changed."
    assert [sentence.text for sentence in enclosing(text, "use redis")] == ["We decided to use Redis."]
    assert len(enclosing(text, "to use Redis. Nothing else")) == 2
    assert len(enclosing("Redis is in. Redis is out.", "redis")) == 2
    assert enclosing(text, "") == ()


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    own_text(text)
    assert len(masked(text)) == len(text)
    for sentence in sentences(text):
        assert sentence.text
        is_question(sentence), is_hypothetical(sentence), is_temporary(sentence), is_suggestion(sentence)
