"""A Room's summary without a model: what its users asked for, run by run, and how each run ended (X1). Pure."""

from schemas.events import AuthorKind, Outcome
from schemas.extraction import ChunkInput, InputRecord

LONGEST_SUMMARY = 1_500
LONGEST_REQUEST = 160
_ENDED = {Outcome.SUCCEEDED: "", Outcome.FAILED: " (failed)", Outcome.CANCELLED: " (cancelled)", None: " (unfinished)"}


def summary(chunk: ChunkInput) -> str:
    """The summary so far and a line for each run's first request by a user; where that is too long, the oldest lines go."""
    outcomes = {run.run: run.outcome for run in chunk.runs}
    lines = [line for line in chunk.summary.splitlines() if line.strip()]
    seen: set[str] = set()
    for record in chunk.records:
        if not record.new or record.author is None or record.author.kind is not AuthorKind.USER:
            continue
        if record.run is not None and record.run in seen:
            continue
        line = _line(record)
        if not line:
            continue
        ended = _ENDED[outcomes[record.run]] if record.run in outcomes else ""
        lines.append(line + ended)
        if record.run is not None:
            seen.add(record.run)
    while len("\n".join(lines)) > LONGEST_SUMMARY:
        lines.pop(0)
    return "\n".join(lines)


def _line(record: InputRecord) -> str:
    asked = " ".join(next((line for line in record.text.splitlines() if line.strip()), "").split())
    if not asked or record.author is None:
        return ""
    if len(asked) > LONGEST_REQUEST:
        asked = asked[: LONGEST_REQUEST - 1].rsplit(" ", 1)[0] + "…"
    return f"{record.time.date().isoformat()} {record.author.name or record.author.id}: {asked}"
