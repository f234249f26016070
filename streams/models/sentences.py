"""What a person wrote themselves, sentence by sentence (X7). Pure. The gates and the rules side read with the same eyes."""

import re
from dataclasses import dataclass

from streams.models.words import content_words, fold

LONGEST_OWN_TEXT = 4_000
"""Characters; of a longer message only the first and the last paragraph are taken for the writer's own, the rest for something pasted."""

_FENCE = re.compile(r"^\s{0,3}(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?P<title>.*)$")
_TAG = re.compile(r"^\s*<(?P<name>[A-Za-z][\w-]*)(?:\s[^<>]*)?>")
_MACHINE = re.compile(
    r"^(?: {4}|\t|>|\$ |@@ |diff --git |Traceback |#!|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b"
    r"|\[\d{1,2}:\d\d|\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[|+][-=+|]|\(\d{1,2}\)\s)"
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_TEACHES = r"rules?|conventions?|guidelines?|preferences?|polic(?:y|ies)|remember|decisions?|decided|habits?|agreements?"
_TEACHING_TITLE = re.compile(rf"\b(?:{_TEACHES})\b", re.IGNORECASE)
_PASTED = (
    r"plan|spec|specification|logs?|output|errors?|trace|stack ?trace|diff|patch|transcript|e?-?mail|article|documents?|docs?|readme"
    r"|page|text|snippet|file|review|comments?|feedback|ticket|issue|description|quote|prompt|answer|response|message|draft|letter|minutes"
)
# "Implement the following plan:" and "Here is what the page says: …": what follows is not the writer's.
_PASTE_INTRODUCED = re.compile(
    rf"\b(?:following|this|below|attached|above|pasted|here(?:'s| is| are))\b[^:]{{0,40}}\b(?:{_PASTED})\b[^:]{{0,40}}:\s*$"
    rf"|^(?:(?:the|my|his|her|their|an?|full|whole|current|new|last) ){{0,2}}(?:{_PASTED})\s*:\s*$"
    r"|\b(?:said|says|wrote|writes|reads|replied|answered)\s*:\s*$",
    re.IGNORECASE,
)
_PASTE_INLINE = re.compile(rf"\b(?:here(?:'s| is| are)|below is|this is)\b[^:]{{0,60}}\b(?:{_PASTED})\b[^:]{{0,40}}:", re.IGNORECASE)

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)*_]*\s+(?=\S)|(?<=[。！？])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|nr|dr|mr|mrs|ms|prof|st|fig|p\.s|incl|resp|a\.m|p\.m)\.$", re.IGNORECASE)

_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|‘[^’\n]*’(?!\w)|(?<![\w'])'[^'\n]+'(?!\w)")
MASK = "\ue000"
"""Stands for each character of quoted text or a code span in `masked`."""
_APOSTROPHES = str.maketrans("’‘ʼ", "'''")

# A sentence that opens a supposed world; what follows in the paragraph lies in it, until a word leads back.
_OPENS_WORLD = re.compile(
    r"^(?:(?:so|now|ok|okay|but|and|well|just|let's|let us|we can)[, ]+){0,3}"
    r"(?:suppose|supposing|imagine|pretend|assume|assuming|hypothetically"
    r"|picture|let's say|say (?:we|you|i|the|our)\b|in a (?:world|scenario) where)\b"
)
_LEADS_BACK = re.compile(r"^(?:actually|in reality|in fact|anyway|seriously|for real|back to|no\b|but really|joking aside|that said)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in its own words, and whether it lies in a world that a sentence before it supposed."""

    text: str
    supposed: bool = False

    @property
    def masked(self) -> str:
        """Lower case, of the same length, with quoted text and code spans masked: where cues are looked for."""
        return masked(self.text)


def masked(text: str) -> str:
    """The text in lower case with plain apostrophes and each quoted character masked; offsets stay those of the text."""
    plain = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text.translate(_APOSTROPHES))
    return _QUOTED.sub(lambda match: MASK * len(match.group()), plain)


def own_text(text: str) -> str:
    """The text without what is quoted or pasted: code blocks, quoted and machine-made lines, tagged blocks, documents."""
    kept: list[str] = []
    fence, tag = "", ""
    for line in text.splitlines():
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
            continue
        if tag:
            tag = "" if f"</{tag}>" in line else tag
            continue
        if match := _FENCE.match(line):
            fence = match.group(1)
            kept.append("")
            continue
        if match := _TAG.match(line):
            name = match.group("name")
            tag = "" if f"</{name}>" in line or f"</{name}>" not in text else name
            continue
        heading = _HEADING.match(line)
        if heading and not _TEACHING_TITLE.search(heading.group("title")):
            break
        if heading or (_MACHINE.match(line) and not _BULLET.match(line)):
            kept.append("")
            continue
        inline = _PASTE_INLINE.search(line)
        if inline and not _TEACHING_TITLE.search(inline.group()):
            kept.append(line[: inline.start()])
            break
        if _PASTE_INTRODUCED.search(line) and not _TEACHING_TITLE.search(line):
            break
        kept.append(line)
    own = "\n".join(kept)
    if len(own) > LONGEST_OWN_TEXT:
        paragraphs = [paragraph for paragraph in re.split(r"\n\s*\n", own) if paragraph.strip()]
        own = "\n\n".join([paragraphs[0], paragraphs[-1]] if len(paragraphs) > 1 else paragraphs)[:LONGEST_OWN_TEXT]
    return own


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, whole lines at most joined where a line was only wrapped."""
    found: list[Sentence] = []
    for paragraph in re.split(r"\n\s*\n", text):
        supposed = False
        for line in _unwrapped(paragraph):
            for sentence in _split(line):
                words = masked(sentence)
                supposed = supposed and not _LEADS_BACK.match(words)
                found.append(Sentence(sentence, supposed))
                supposed = supposed or _OPENS_WORLD.match(words) is not None
    return tuple(found)


def _unwrapped(paragraph: str) -> list[str]:
    lines: list[str] = []
    for line in paragraph.splitlines():
        stripped = line.strip()
        if not stripped:
            continue
        wrapped = lines and len(lines[-1]) > 40 and lines[-1][-1] not in ".!?:;…" and stripped[0].islower()
        if wrapped and not _BULLET.match(line):
            lines[-1] += " " + stripped
        else:
            lines.append(_BULLET.sub("", line).strip() or stripped)
    return lines


def _split(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for match in _SENTENCE_END.finditer(line):
        before = line[start : match.start()]
        if _ABBREVIATION.search(before):
            continue
        pieces.append(line[start : match.end()].strip())
        start = match.end()
    pieces.append(line[start:].strip())
    return [piece for piece in pieces if piece]


def enclosing(text: str, quote: str) -> tuple[Sentence, ...]:
    """The sentences that a quote from the text touches, at each place where it stands."""
    found = sentences(text)
    wanted = fold(quote)
    joined, spans = "", []
    for sentence in found:
        folded = fold(sentence.text)
        spans.append((len(joined), len(joined) + len(folded)))
        joined += folded + " "
    touched: set[int] = set()
    at = joined.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        touched |= {number for number, (first, last) in enumerate(spans) if first < end and at < last}
        at = joined.find(wanted, end)
    if not touched:  # over a bullet or another mark that no sentence keeps
        words = content_words(wanted)
        touched = {number for number, sentence in enumerate(found) if 2 * len(content_words(sentence.text) & words) > len(words)}
    return tuple(found[number] for number in sorted(touched))
