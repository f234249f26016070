"""Which journal records came before: Kafka, activity and candidates deliver at least once, so the fold drops what is not above (E9).

From extraction: per chunk of the open request the answer taken and the highest ordinal; nothing at or below the last done cut counts.
From activity: the highest (offset, ordinal) per partition.
"""

from schemas.base import Origin
from schemas.memory import AgentState, ChunkProgress, SourceProgress


def taken_from_answer(state: AgentState, cut: int, chunk: str, origin: Origin) -> AgentState | None:
    """Give the state that has taken this effect of a recorded answer; None if it is a repeat.

    The first answer of a chunk wins: one at another offset is a repeat of the chunk, whatever it says.
    """
    if cut <= state.cut_done:
        return None
    known = next((progress for progress in state.chunks if progress.chunk == chunk), None)
    if known is not None and (origin.position.offset != known.answer or origin.ordinal <= known.ordinal):
        return None
    taken = ChunkProgress(chunk=chunk, answer=origin.position.offset, ordinal=origin.ordinal)
    others = tuple(progress for progress in state.chunks if progress.chunk != chunk)
    return state.model_copy(update={"open_cut": max(cut, state.open_cut), "chunks": (*others, taken)})


def taken_done(state: AgentState, cut: int) -> AgentState | None:
    """Give the state after a request's end; None if that cut is done already."""
    if cut <= state.cut_done:
        return None
    return state.model_copy(update={"cut_done": cut, "open_cut": max(cut, state.open_cut), "chunks": ()})


def taken_from_activity(state: AgentState, origin: Origin) -> AgentState | None:
    """Give the state that has taken this effect of an input record; None if it is a repeat."""
    position = origin.position
    source = (position.topic, position.partition, position.generation)
    others = []
    for progress in state.forwarded:
        if (progress.topic, progress.partition, progress.generation) != source:
            others.append(progress)
        elif (position.offset, origin.ordinal) <= (progress.offset, progress.ordinal):
            return None
    taken = SourceProgress(
        topic=position.topic,
        partition=position.partition,
        generation=position.generation,
        offset=position.offset,
        ordinal=origin.ordinal,
    )
    return state.model_copy(update={"forwarded": (*others, taken)})
