"""A log line is JSON and holds no word of a record [O2, S3]."""

import io
import json
import logging
from collections.abc import Callable, Iterator

import pytest
import structlog
from pydantic import ValidationError

from schemas.events import MessagePosted
from streams.errors import LingerMemoryError
from streams.observability import logs
from streams.settings import load_settings

WORDS = "our staging password is swordfish"


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, object]]]]:
    stream = io.StringIO()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    logs.configure(load_settings(instance="3"), "activity", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.mark.spec("O2")
def test_a_line_is_json_with_its_role_instance_level_and_time_O2(lines: Callable[[], list[dict[str, object]]]) -> None:
    structlog.get_logger().info("batch done", partition=3, offset=12)
    (line,) = lines()
    assert {key: line[key] for key in ("level", "event", "role", "instance", "partition", "offset")} == {
        "level": "info",
        "event": "batch done",
        "role": "activity",
        "instance": "3",
        "partition": 3,
        "offset": 12,
    }
    assert str(line["time"]).endswith("Z")


@pytest.mark.spec("S3")
def test_an_exception_that_quotes_a_record_is_logged_without_its_words_S3(lines: Callable[[], list[dict[str, object]]]) -> None:
    log, library = structlog.get_logger(), logging.getLogger("faust.agents")
    for cause in (lambda: MessagePosted.model_validate({"text": WORDS, "boot": WORDS}), lambda: {}[WORDS], lambda: int(WORDS)):
        try:
            cause()
        except (ValidationError, KeyError, ValueError) as error:
            log.error("fold failed", exc_info=error)
            log.exception("fold failed")
            library.exception("[^Agent]: crashed reason=%r", error)
            logging.getLogger("asyncio").error(f"Task exception was never retrieved\nfuture: <Task exception={error!r}>", exc_info=error)
    found = lines()
    assert len(found) == 12
    assert "swordfish" not in json.dumps(found)
    assert {str(line["exception"]["kind"]) for line in found} == {  # type: ignore[index]
        "pydantic_core._pydantic_core.ValidationError",
        "builtins.KeyError",
        "builtins.ValueError",
    }


@pytest.mark.spec("O2")
def test_an_error_of_ours_is_logged_with_its_sentence_O2(lines: Callable[[], list[dict[str, object]]]) -> None:
    structlog.get_logger().error("role failed", exc_info=LingerMemoryError("Topic linger.messages is missing."))
    (line,) = lines()
    assert line["exception"]["message"] == "Topic linger.messages is missing."  # type: ignore[index]
