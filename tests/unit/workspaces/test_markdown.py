"""Whatever a text holds, it is shown as text and does nothing [W3, S3]."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from streams.workspaces.markdown import clean, code, heading, plain, shortened

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_SHOWN = {"text", "code_inline"}
_PIECES = [
    *"`*_~[]()<>&#;:!|\\-+=.\"'\n\t ^$@/1ax",
    *("](", "![x](y)", "<script>", "<!--", "http://x.y/(z)", "www.x.y", "&amp;", "&#60;", "---", "***", "1. ", "[x]: y", "~~", "``", "`a`"),
    *(
        "\u202e",
        "\u0338",
        "\u1fef",
        "\u037e",
        "\u200d",
        "\ufe0f",
        "\U000e0041",
        "\u2028",
        "é",
        "e\u0301",
        "界",
        "م",
        "👩\u200d🔬",
        "\x00",
        "  \n",
    ),
    *("__init__", "*.py", "me@x.org", "snake_case", "C:\\x", "data:x", "javascript:alert(1)", "# ", "> ", "- "),
]
markup = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)
texts = st.one_of(markup, st.text(st.characters(codec=None), max_size=60))


def _shown(tokens: list[Token]) -> str:
    inline = [token for token in tokens if token.type == "inline"]
    assert len(inline) == 1
    children = inline[0].children or []
    assert {child.type for child in children} <= _SHOWN, children
    return "".join(child.content for child in children)


def _letters(text: str) -> str:
    """A text without backticks and spaces: what code spans are made of is not shown, and a space may stand between two of them."""
    return text.replace("`", "").replace(" ", "")


@given(texts)
@example("x~`a` b~")
@example("1.`x`")
@example("`a`http://x")
@example("\\`a`")
@example("_ _ _")
@example("a <\u0338b>")
def test_any_text_is_one_list_item_of_plain_text_and_code_W3(text: str) -> None:
    written = f"- before\n- {plain(text)}\n- after\n"
    tokens = _READER.parse(written)
    assert [token.type for token in tokens if token.type != "inline"] == [
        "bullet_list_open",
        *["list_item_open", "paragraph_open", "paragraph_close", "list_item_close"] * 3,
        "bullet_list_close",
    ]
    middle = [token for token in tokens if token.type == "inline"][1:2]
    shown = _shown(middle)
    if clean(text):
        assert _letters(shown) == _letters(clean(text))
    else:
        assert shown == "(nothing readable)"


@given(texts)
@example("a #")
@example("a ##")
@example("#")
def test_any_text_is_one_paragraph_and_one_heading_of_plain_text_and_code_W3(text: str) -> None:
    tokens = _READER.parse(f"# before\n\n{plain(text)}\n\nafter\n")
    assert [token.type for token in tokens if token.type.endswith("_open")] == ["heading_open", "paragraph_open", "paragraph_open"]
    tokens = _READER.parse(f"before\n\n## {heading(text)}\n\nafter\n")
    assert [token.type for token in tokens if token.type.endswith("_open")] == ["paragraph_open", "heading_open", "paragraph_open"]
    if clean(text):
        assert _letters(_shown(tokens[3:6])) == _letters(clean(text))


@given(texts)
def test_a_written_line_is_NFC_on_one_line_without_hidden_characters_W3(text: str) -> None:
    for written in (plain(text), heading(text), code(text), shortened(text, 20) or "-"):
        assert written
        assert unicodedata.is_normalized("NFC", written)
        assert not any(unicodedata.category(character) in {"Cc", "Zl", "Zp", "Cs"} for character in written)
        assert not any(ord(character) >= 0xE0000 or 0x202A <= ord(character) <= 0x202E for character in written)
        assert not any(0x2066 <= ord(character) <= 0x2069 for character in written)
        written.encode()


@given(texts)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(texts, st.integers(1, 30))
def test_a_shortened_text_is_no_longer_than_was_asked(text: str, characters: int) -> None:
    assert len(shortened(text, characters)) <= characters


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Run `make test` before each commit.", "Run `make test` before each commit."),
        ("The host is https://staging.example.com/a_b.", "The host is `https://staging.example.com/a_b`."),
        ("snake_case stays, C:\\Users\\x too, R&D, a < b, 2 * 3, ~/x", "snake_case stays, C:\\Users\\x too, R&D, a < b, 2 * 3, ~/x"),
        ("Files *.py and __init__.py", "Files `*.py` and `__init__.py`"),
        ("see [here](http://x)", "see \\[here](`http://x`)"),
        ("`a`http://x", "`a` `http://x`"),
        ("<b>bold</b>", "&lt;b>bold&lt;/b>"),
        ("1. first", "1\\. first"),
        ("- not a list", "\\- not a list"),
        ("me@example.org wrote", "`me@example.org` wrote"),
        ("日本語のルール", "日本語のルール"),
        ("👩\u200d🔬 می\u200cخواهم", "👩\u200d🔬 می\u200cخواهم"),
        ("abc\u202edcb\U000e0061", "abcdcb"),
    ],
)
def test_what_people_write_stays_readable(text: str, written: str) -> None:
    assert plain(text) == written
