"""What every value of the contract is made of: frozen models, identifiers, whole numbers, times with a zone, positions."""

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints


class Value(BaseModel):
    """A frozen value. An unknown field is accepted and dropped, a wrong type, NaN and infinity are refused (E6)."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False, ser_json_bytes="base64")


Identifier = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""An id made by a producer: 1 to 256 characters, no control characters. It is compared, never parsed."""

Name = Annotated[str, StringConstraints(max_length=512)]
"""A name for people (title, display name, project): data everywhere, never an instruction (S3)."""

Whole = Annotated[int, Field(ge=0, le=2**63 - 1)]
"""A whole number from 0 to 2^63 - 1 (offsets, counts, boots)."""

Moment = AwareDatetime
"""A point in time with its zone; the zone is kept, since relative dates are resolved in it (X6)."""

MAIN = "main"
"""The first derivation: the memory that is in force until an operator switches (T2)."""


class Position(Value):
    """Where a record lies. A hint: lineage is kept by event id, since `erase` rewrites a topic as a new generation."""

    topic: Identifier
    """Base name without the prefix, such as `messages`."""
    partition: Whole
    offset: Whole
    generation: Annotated[int, Field(ge=1)] = 1

    def __str__(self) -> str:
        suffix = "" if self.generation == 1 else f".g{self.generation}"
        return f"{self.topic}{suffix}[{self.partition}]@{self.offset}"


class Span(Value):
    """Offsets of one partition, both ends inclusive."""

    first: Whole
    last: Whole


class Origin(Value):
    """Which record caused this one, and the how-manieth of its effects for this agent this is.

    Activity is redelivered records after a crash and says the same again; a reader keeps the highest (offset, ordinal) per agent and
    (topic, partition) and drops what is not above it.
    """

    position: Position
    ordinal: Whole = 0
