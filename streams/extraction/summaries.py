"""A Room's summary so far, which goes from one chunk to the next (X1). Pure."""

from collections.abc import Mapping

from streams.extraction.progress import Progress
from streams.models.tokens import truncate

LONGEST_SUMMARY = 1_500


def summaries_after(progress: Progress, so_far: Mapping[str, str], longest_tokens: int) -> dict[str, str]:
    """Give per Room the summary of the last chunk that was answered; what it was before if none was, or if an answer has none."""
    summaries = dict(so_far)
    for chunk in () if progress.plan is None else progress.plan.chunks:
        said = progress.chunk(chunk.id).summary
        if said:
            summaries[chunk.room] = truncate(said[:LONGEST_SUMMARY], longest_tokens)[0]
    return summaries
