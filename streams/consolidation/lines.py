"""A line from the candidates behind it (C4, X8, C12)."""

from collections.abc import Sequence

from schemas.candidates import Candidate, Kind
from schemas.memory import Line

LAST_SOURCES = 8
ROOMS = 16
LONGEST_LINE_CHARACTERS = 500


def new_line(identifier: str, text: str, candidates: Sequence[Candidate], version: int) -> Line:
    """Give a line that stands on these candidates; the most trusted one says what kind of statement it is."""
    main, newest = leading(candidates), _newest(candidates)
    return Line(
        id=identifier,
        text=text,
        reason=_reason(candidates),
        # What nobody trusted has said is reported, it rules nothing (C12).
        kind=main.kind if main.trust.trusted else Kind.FACT,
        scope=main.scope,
        about=main.about,
        trust=main.trust,
        said_at=newest.said_at,
        reporter=newest.reporter,
        extractor=newest.extractor,
        holds_from=main.holds_from,
        holds_until=main.holds_until,
        sources=len(candidates),
        last_sources=tuple(candidate.id for candidate in candidates)[-LAST_SOURCES:],
        rooms=tuple(dict.fromkeys(candidate.room for candidate in candidates))[:ROOMS],
        since=version,
    )


def with_candidates(line: Line, candidates: Sequence[Candidate], text: str | None = None) -> Line:
    """Give the line with more candidates behind it, and other words if there are some."""
    if not candidates:
        return line
    main, newest = leading(candidates), _newest(candidates)
    is_newer = newest.said_at >= line.said_at
    raised = main.trust.rank > line.trust.rank
    return line.model_copy(
        update={
            "text": text or line.text,
            "reason": line.reason or _reason(candidates),
            "kind": main.kind if raised and main.trust.trusted else line.kind,
            "trust": main.trust if raised else line.trust,
            "said_at": newest.said_at if is_newer else line.said_at,
            "reporter": newest.reporter if is_newer else line.reporter,
            "extractor": newest.extractor if is_newer else line.extractor,
            "holds_from": line.holds_from or newest.holds_from,
            "holds_until": newest.holds_until if newest.holds_until and is_newer else line.holds_until,
            "sources": line.sources + len(candidates),
            "last_sources": (*line.last_sources, *(candidate.id for candidate in candidates))[-LAST_SOURCES:],
            "rooms": tuple(dict.fromkeys((*line.rooms, *(candidate.room for candidate in candidates))))[:ROOMS],
            "unreconciled": line.unreconciled and not main.trust.trusted,
        }
    )


def with_line(line: Line, other: Line) -> Line:
    """Give the line with the sources of another that ends in it."""
    newest = max(line, other, key=lambda one: one.said_at)
    return line.model_copy(
        update={
            "trust": max(line.trust, other.trust, key=lambda trust: trust.rank),
            "said_at": newest.said_at,
            "reporter": newest.reporter,
            "extractor": newest.extractor,
            "sources": line.sources + other.sources,
            "last_sources": (*other.last_sources, *line.last_sources)[-LAST_SOURCES:],
            "rooms": tuple(dict.fromkeys((*line.rooms, *other.rooms)))[:ROOMS],
            "pinned": line.pinned or other.pinned,
        }
    )


def leading(candidates: Sequence[Candidate]) -> Candidate:
    """Give the most trusted candidate, of those the first in order."""
    return min(candidates, key=lambda candidate: (-candidate.trust.rank, candidate.order))


def _newest(candidates: Sequence[Candidate]) -> Candidate:
    return max(candidates, key=lambda candidate: (candidate.said_at, candidate.order))


def _reason(candidates: Sequence[Candidate]) -> str:
    return next((c.reason for c in sorted(candidates, key=lambda c: (-c.trust.rank, c.order)) if c.reason), "")
