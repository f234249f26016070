"""Secrets out of a text before it leaves for the model, and out of its answer before that is recorded (X9). Pure.

Each is replaced by a mark that says its kind, such as `[redacted: jwt]`. Commit hashes, digests and UUIDs stay. Redacting twice changes
nothing, so whoever is not sure may do it again.
"""

from collections.abc import Iterable, Sequence

from streams.redaction.credentials import in_position
from streams.redaction.secret_formats import Secret, known_formats

_MARK = "[redacted: "
_SEAM_CHARACTERS = 2_048
_MOST_ROUNDS = 8


def redact(text: str) -> str:
    """Give the text with every secret replaced by its mark."""
    for _ in range(_MOST_ROUNDS):
        found = secrets_in(text)
        if not found:
            return text
        text = _replaced(text, found)
    return text


def redact_sequence(texts: Sequence[str]) -> tuple[str, ...]:
    """Redact texts that were sent one after the other, also a secret that lies across two neighbours, half in each."""
    found: list[list[Secret]] = [secrets_in(text) for text in texts]
    for at in range(len(texts) - 1):
        for left, right in _across(texts[at], texts[at + 1]):
            found[at].append(left)
            found[at + 1].append(right)
    return tuple(redact(_replaced(text, _merged(secrets))) if secrets else text for text, secrets in zip(texts, found, strict=True))


def secrets_in(text: str) -> list[Secret]:
    """Give the secrets of a text in order, none within or over another."""
    return _merged((*known_formats(text), *in_position(text)))


def _across(first: str, second: str) -> Iterable[tuple[Secret, Secret]]:
    """Give what lies across the seam of two texts, as the part in the first and the part in the second."""
    tail = first[-_SEAM_CHARACTERS:].rstrip()
    head = second[:_SEAM_CHARACTERS].lstrip()
    if not tail or not head:
        return
    before = len(first[:-_SEAM_CHARACTERS])
    skipped = len(second) - len(second.lstrip())
    # A token is cut anywhere; a name and its value are cut between words.
    for joint, finder in (("", known_formats), (" ", in_position)):
        joined, seam = tail + joint + head, len(tail) + len(joint)
        for secret in finder(joined):
            # What lies behind the seam is named before it: "the password" and then "is …".
            named_before = joint and secret.start >= seam and _is_secret_like(joined, secret)
            if secret.start < len(tail) < secret.end or named_before:
                yield (
                    Secret(before + min(secret.start, len(tail)), before + len(tail), secret.kind),
                    Secret(skipped + max(0, secret.start - seam), skipped + secret.end - seam, secret.kind),
                )


def _is_secret_like(text: str, secret: Secret) -> bool:
    value = text[secret.start : secret.end]
    return any(character.isdigit() for character in value) and len(value) >= 6


def _merged(secrets: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in sorted(secrets):
        if secret.end <= secret.start:
            continue
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        else:
            merged.append(secret)
    return merged


def _replaced(text: str, secrets: Sequence[Secret]) -> str:
    parts: list[str] = []
    at = 0
    for secret in secrets:
        parts += [text[at : secret.start], _MARK, secret.kind, "]"]
        at = secret.end
    parts.append(text[at:])
    return "".join(parts)
