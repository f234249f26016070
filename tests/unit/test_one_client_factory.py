"""One place makes every Kafka client, so that none goes without its security settings [S2]."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MADE = re.compile(r"\b(?:AIOKafka(?:Consumer|Producer|AdminClient)|AIOKafkaClient|faust\.App)\(")


def test_only_the_clients_module_makes_a_client_S2() -> None:
    making = {path.relative_to(ROOT).as_posix() for path in (ROOT / "streams").rglob("*.py") if MADE.search(path.read_text())}
    assert making == {"streams/kafka/clients.py"}
    assert "**faust_arguments(settings)" in (ROOT / "streams/activity/app.py").read_text()
