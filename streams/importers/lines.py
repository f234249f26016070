"""Our own JSONL read line by line: one event as CloudEvents' structured JSON a line (E7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.codec import Event, Undecodable, decode_structured
from schemas.events import AgentEvent
from streams.errors import LingerMemoryError
from streams.importers.faults import IMPORTABLE, in_words
from streams.importers.shorten import shortened


class ImportFault(LingerMemoryError):
    """A file can't be read, or an import can't go on; the message says where it stopped."""


@dataclass(frozen=True, slots=True)
class GoodLine:
    """An event and where it stands; `line` counts from 1. `end` is the file's offset after the line, in bytes."""

    path: Path
    line: int
    end: int
    event: Event


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no event, and why, without its words."""

    path: Path
    line: int
    end: int
    reason: str
    detail: str


def read_lines(path: Path, *, agent: str | None, event_bytes_max: int) -> Iterator[GoodLine | BadLine]:
    """Yield what stands on each line that is not blank. With `agent` each event becomes this agent's. Raises ImportFault.

    A line is read up to four times the largest event, since JSON may escape every character; what is longer is bad.
    """
    line_bytes_max = 4 * event_bytes_max + (1 << 16)
    try:
        with path.open("rb") as file:
            number = 0
            while text := file.readline(line_bytes_max):
                number += 1
                if len(text) >= line_bytes_max and not text.endswith(b"\n"):
                    while (rest := file.readline(line_bytes_max)) and not rest.endswith(b"\n"):
                        pass
                    yield BadLine(path, number, file.tell(), "too_large", f"the line is longer than {line_bytes_max} bytes")
                elif text.strip():
                    yield _read(path, number, file.tell(), text, agent, event_bytes_max)
    except OSError as error:
        raise ImportFault(f"{path} can't be read: {error.strerror}.") from None


def _read(path: Path, number: int, end: int, text: bytes, agent: str | None, event_bytes_max: int) -> GoodLine | BadLine:
    event = decode_structured(text)
    if isinstance(event, Undecodable):
        return BadLine(path, number, end, event.reason.value, in_words(text, event))
    data = event.data
    if not isinstance(data, AgentEvent):
        return BadLine(path, number, end, "unknown_type", f"type: only events of an agent can be imported: {', '.join(IMPORTABLE)}")
    if agent is not None:
        event = Event(event.id, event.source, event.time, data.model_copy(update={"agent": agent}))
    fitting = shortened(event, event_bytes_max)
    if fitting is None:
        return BadLine(path, number, end, "too_large", f"the value is longer than {event_bytes_max} bytes, and not by its texts")
    return GoodLine(path, number, end, fitting)
