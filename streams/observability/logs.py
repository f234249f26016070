"""Logs: one JSON object a line on stderr, with ids, positions and counts, never a word of a record, a title or a name (O2, S3).

An exception's message may quote what it stumbled over (pydantic's does), so only messages of our own errors, the system's and Kafka's are
written; of others the kind and the places in the code. Faust logs its own exceptions in its messages: of its lines the template is kept.
"""

import logging
import sys
import traceback
from typing import Any, TextIO

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from streams.errors import LingerMemoryError
from streams.observability.metrics import LOG_LINES
from streams.settings import Settings

_FRAMES = 12
_LONGEST = 500
_TEMPLATES_ONLY = ("faust", "mode", "asyncio", "aiohttp")


def configure(settings: Settings, role: str, stream: TextIO | None = None) -> None:
    """Log as JSON lines to stderr (or `stream`) from here on; libraries' lines of warning and above come out the same way."""
    level = getattr(logging, settings.log_level.upper())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        _named(role, settings.instance),
        _exception_without_text,
        _count,
    ]
    renderer = structlog.processors.JSONRenderer(sort_keys=False)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared, _library_message],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))


def described(error: BaseException) -> dict[str, Any]:
    """Give an exception's kind, its message if it can hold no text of a record, and the innermost places in the code."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-_FRAMES:]]
    told: dict[str, Any] = {"kind": f"{type(error).__module__}.{type(error).__qualname__}"}
    if isinstance(error, (LingerMemoryError, OSError)) or type(error).__module__.startswith("aiokafka."):
        told["message"] = str(error)[:_LONGEST]
    if error.__cause__ is not None:
        told["cause"] = type(error.__cause__).__qualname__
    return told | {"frames": frames}


def _named(role: str, instance: str) -> Processor:
    def add(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        first = {name: event.pop(name) for name in ("time", "level", "event")}
        return {**first, "role": role, "instance": instance, **event}

    return add


def _exception_without_text(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    given = event.pop("exc_info", None)
    event.pop("exception", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = described(error)
    return event


def _library_message(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record = event.get("_record")
    if isinstance(record, logging.LogRecord) and record.name.partition(".")[0] in _TEMPLATES_ONLY:
        event["event"] = str(record.msg)
    event["event"] = str(event["event"]).partition("\n")[0][:_LONGEST]
    return event


def _count(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    LOG_LINES.labels(event["level"]).inc()
    return event
