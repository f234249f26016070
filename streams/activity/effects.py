"""What comes of a record for one agent, before it is given its place in a topic. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.codec import Event
from schemas.extraction import CutReason
from schemas.memory import LicenceKind
from streams.activity.rows import EndedRun, Offsets


@dataclass(frozen=True, slots=True)
class Cut:
    """An extraction request's contents, as the agent's row had them at the cut (A5)."""

    number: int
    reason: CutReason
    interval: Offsets
    at: int
    """Log time."""
    model: str
    window: int
    name: str
    ended: Mapping[str, EndedRun] = field(default_factory=dict)
    rooms: frozenset[str] = frozenset()
    left_out: tuple[Offsets, ...] = ()
    open: frozenset[str] = frozenset()
    """Runs in progress: their tool calls belong to a later cut."""
    who: str | None = None
    chunk: str | None = None
    """The parked chunk that is driven again."""


@dataclass(frozen=True, slots=True)
class Licence:
    """An idle licence (A6)."""

    number: int
    kind: LicenceKind
    cut: int
    at: int
    who: str | None = None


@dataclass(frozen=True, slots=True)
class Busy:
    """A change between no open run and some."""

    busy: bool


@dataclass(frozen=True, slots=True)
class Forward:
    """An event that goes into the journal as it came."""

    event: Event


Effect = Cut | Licence | Busy | Forward
