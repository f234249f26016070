"""What is recorded of an answer: redacted, capped, and whether it is of use (X9, X10). Pure."""

from dataclasses import dataclass

from streams.candidates.answer import read_answer
from streams.extraction.progress import NO_RESULT
from streams.models.port import ModelAnswer
from streams.redaction.redaction import redact

LONGEST_ANSWER_BYTES = 65_536
_CUT_OFF = frozenset({"max_tokens", "length"})
_REFUSED = frozenset({"refusal", "content_filter"})


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer as it is recorded. `fault` says why it is of no use, empty if it is of use."""

    text: str
    fault: str


def judged(answer: ModelAnswer) -> JudgedAnswer:
    """Give what is recorded of an answer. An empty list of candidates is of use: nothing worth remembering is a result."""
    encoded = answer.text.encode("utf-8", "replace")
    whole = len(encoded) <= LONGEST_ANSWER_BYTES
    # Redacted after the cut would hide a secret's half; before it, a text of megabytes would be searched.
    text = redact(encoded[: 2 * LONGEST_ANSWER_BYTES].decode("utf-8", "ignore")).encode()[:LONGEST_ANSWER_BYTES].decode("utf-8", "ignore")
    return JudgedAnswer(text, _fault(answer, text, whole))


def _fault(answer: ModelAnswer, text: str, whole: bool) -> str:
    if answer.fault:
        return answer.fault if answer.fault.startswith(NO_RESULT) else f"{NO_RESULT}: {answer.fault}"
    if answer.stop_reason in _CUT_OFF:
        return "cut off"
    if answer.stop_reason in _REFUSED:
        return "refused"
    if not text.strip():
        return "empty"
    if not whole:
        return "too long"
    return "" if read_answer(text) is not None else "wrong shape"
