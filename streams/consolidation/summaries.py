"""Which Room summaries are in the files: those of the Rooms with the most recent activity (W2)."""

from collections.abc import Collection, Mapping, Sequence

from schemas.memory import Summary


def published(
    summaries: Mapping[str, Summary], new: Sequence[Summary], rooms_with_candidates: Collection[str], most: int
) -> dict[str, Summary]:
    """Give the summaries with these new ones published, and without those of all but the `most` recent Rooms.

    One stays longer while its Room has candidates that are not merged yet, or a newer text that waits.
    """
    result = dict(summaries)
    for summary in new:
        result[summary.room] = summary.model_copy(update={"published": True, "waiting": None})
    by_age = sorted((s for s in result.values() if s.published), key=lambda s: (s.newest, s.room), reverse=True)
    for old in by_age[most:]:
        if old.room not in rooms_with_candidates and old.waiting is None:
            del result[old.room]
    return result
