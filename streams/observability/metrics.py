"""Every metric with its meaning, as data: one row, one metric. No label holds a text, an id or a title (O2, S1)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, PlatformCollector, ProcessCollector, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from streams.observability.health import Health

disable_created_metrics()  # type: ignore[no-untyped-call]
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
COUNTS = CollectorRegistry(auto_describe=True)
"""Where counters of every part register."""

LOG_LINES = Counter("linger_memory_log_lines", "Lines logged, by level.", ["level"], registry=COUNTS)


class _HealthCollector(Collector):
    def __init__(self, health: "Health") -> None:
        self._health = health

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, meaning, value in (
            ("linger_memory_ready", "1 if the role does its work, else 0.", float(self._health.ready)),
            ("linger_memory_silent_seconds", "Seconds since the main loop last said that it goes on.", self._health.silent_seconds),
        ):
            family = GaugeMetricFamily(name, meaning, labels=["role"])
            family.add_metric([self._health.role], value)
            yield family


def registry(health: "Health") -> CollectorRegistry:
    """Give all that `/metrics` shows for this role: its health, our counters, and the process (memory, CPU, open files)."""
    whole = CollectorRegistry(auto_describe=True)
    whole.register(_HealthCollector(health))
    whole.register(_Shared())
    ProcessCollector(registry=whole)
    PlatformCollector(registry=whole)
    return whole


def exposition(whole: CollectorRegistry) -> bytes:
    """Give the metrics in Prometheus' text format."""
    return generate_latest(whole)


class _Shared(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from COUNTS.collect()  # type: ignore[misc]
