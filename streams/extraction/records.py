"""Records of a request as they were read from the topics, before anything is cut or redacted. Pure."""

from dataclasses import dataclass

from schemas.codec import Event
from schemas.events import RecordKind


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A message or a tool call that a request means. Its place (kind, offset) names it in a plan; the partition is the request's."""

    kind: RecordKind
    offset: int
    event: Event
    """Its data is a `MessagePosted` (with the newest text, if it was edited within the interval) or a `ToolCalled`."""
    late: bool = False
    edit: int | None = None
    """Offset in `messages` of the edit whose text it has; None: its own."""

    @property
    def place(self) -> tuple[RecordKind, int]:
        return self.kind, self.offset
