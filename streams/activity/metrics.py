"""What activity counts for `/metrics`: numbers only, no id and no text (O2)."""

from collections.abc import Mapping

from prometheus_client import Counter

from streams.observability.metrics import COUNTS

RECORDS = Counter("linger_memory_activity_records", "Records that were worked on, by topic.", ["topic"], registry=COUNTS)
OUTCOMES = Counter(
    "linger_memory_activity_outcomes",
    "What came of them: cuts, licences, forwarded events, repeats (E9), dead letters by class (E6), late events of older boots (A4).",
    ["what"],
    registry=COUNTS,
)


def count(topic: str, records: int, counts: Mapping[str, int]) -> None:
    """Count one batch."""
    RECORDS.labels(topic).inc(records)
    for what, number in counts.items():
        if number:
            OUTCOMES.labels(what).inc(number)
