"""Words of a conversation cannot steer the terminal of who reads them (S3)."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.cli.terminal import as_json, escape, escape_json

DANGEROUS = {
    "clear the screen": ("\x1b[2Jgone", "\\x1b[2Jgone"),
    "set the title": ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
    "one-byte introducer": ("\x9b31m", "\\x9b31m"),
    "write over the line": ("safe\rrm -rf", "safe\\x0drm -rf"),
    "backspace": ("yes\b\b\bno", "yes\\x08\\x08\\x08no"),
    "bidi override": ("a\u202eb\u202c", "a\\u202eb\\u202c"),
    "bidi isolate": ("\u2066x\u2069", "\\u2066x\\u2069"),
    "tag characters": ("hi\U000e0041", "hi\\U000e0041"),
    "line separator": ("a\u2028b", "a\\u2028b"),
    "invisible": ("pass\u200bword\ufeff\u00ad", "pass\\u200bword\\ufeff\\xad"),
    "delete": ("\x7f", "\\x7f"),
    "a second line in one field": ("title\nagent: admin", "title\\x0aagent: admin"),
}


@pytest.mark.spec("S3")
@pytest.mark.parametrize("name", DANGEROUS)
def test_what_steers_a_terminal_is_shown_and_not_obeyed_S3(name: str) -> None:
    given_text, shown = DANGEROUS[name]
    assert escape(given_text) == shown


@pytest.mark.spec("S3")
@pytest.mark.parametrize("text", ["Ünïcödé", "日本語のルール", "لا تنشر يوم الجمعة", "👩\u200d💻 ok", "नमस्ते", "[bold]not markup[/bold]"])
def test_letters_of_every_script_stay_readable_S3(text: str) -> None:
    assert escape(text) == text and json.loads(as_json(text)) == text and text in as_json(text)


def test_a_document_keeps_its_lines_S3() -> None:
    assert escape("# Title\n\n- a\x1b[0m\n", lines=True) == "# Title\n\n- a\\x1b[0m\n"


@pytest.mark.spec("S3")
@given(st.text())
def test_no_character_that_steers_gets_through_and_json_stays_the_same_value_S3(text: str) -> None:
    for shown in (escape(text), as_json({"text": text}).replace("\n", "")):
        assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in "\u200c\u200d"]
    assert json.loads(as_json({"text": text})) == {"text": text}
    assert json.loads(escape_json(json.dumps([text], ensure_ascii=False))) == [text]
