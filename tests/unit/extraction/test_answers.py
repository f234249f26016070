"""An answer as it is recorded: redacted, capped, and whether it is of use [X9, X10, U35]; and how long a failed call waits [X11]."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.extraction.answers import LONGEST_ANSWER_BYTES, judged
from streams.extraction.pacing import Pacing
from streams.models.port import ModelAnswer

GOOD = '{"summary": "s", "candidates": []}'


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (ModelAnswer(GOOD), ""),
        (ModelAnswer(GOOD, stop_reason="max_tokens"), "cut off"),
        (ModelAnswer(GOOD, stop_reason="refusal"), "refused"),
        (ModelAnswer(" \n"), "empty"),
        (ModelAnswer("I have found nothing."), "wrong shape"),
        (ModelAnswer("[]"), "wrong shape"),
        (ModelAnswer('{"summary": "s"}'), "wrong shape"),
        (ModelAnswer('{"summary": "' + "x" * LONGEST_ANSWER_BYTES + '", "candidates": []}'), "too long"),
        (ModelAnswer("", fault="no result: the cues cover English only"), "no result: the cues cover English only"),
        (ModelAnswer(GOOD, fault="some other reason"), "no result: some other reason"),
    ],
)
def test_nothing_worth_remembering_is_a_success_and_an_unusable_answer_never_looks_like_it_X10_U35(answer: ModelAnswer, fault: str) -> None:
    assert judged(answer).fault == fault


def test_a_secret_in_an_answer_is_not_recorded_not_even_where_it_is_cut_X9() -> None:
    secret = "ghp_" + "A1b2C3d4" * 5
    assert secret not in judged(ModelAnswer(f"token {secret}")).text
    at_the_cut = judged(ModelAnswer("é" * (LONGEST_ANSWER_BYTES // 2 - 10) + " " + secret)).text
    assert secret[:12] not in at_the_cut


@given(st.text(max_size=200), st.integers(0, 2_000))
def test_what_is_recorded_has_a_bound_and_is_text_X10(text: str, times: int) -> None:
    assert len(judged(ModelAnswer(text * times)).text.encode()) <= LONGEST_ANSWER_BYTES


@given(st.integers(1, 200), st.one_of(st.none(), st.floats(0, 1e9)), st.integers(0, 99))
def test_a_pause_grows_and_has_bounds_and_a_providers_wish_counts_X11(failures: int, wish: float | None, seed: int) -> None:
    pause = Pacing(1.0, 60.0, 600.0).pause(failures, wish, Random(seed))
    assert min(60.0, 2.0 ** (failures - 1)) / 2 <= pause <= 600.0
    assert pause >= min(wish or 0.0, 600.0)
    if not wish:
        assert pause <= min(60.0, 2.0 ** (failures - 1))
