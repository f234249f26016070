"""What extraction counts for `/metrics`: numbers only, no id and no text (O2)."""

from prometheus_client import Counter, Gauge

from streams.observability.metrics import COUNTS

REQUESTS = Counter(
    "linger_memory_extraction_requests", "Requests that were brought to their end, by outcome.", ["outcome"], registry=COUNTS
)
CALLS = Counter(
    "linger_memory_extraction_calls",
    "Model calls by what came of them: usable, unusable, failed.",
    ["result"],
    registry=COUNTS,
)
PARKED = Counter("linger_memory_extraction_parked_chunks", "Chunks given up after bounded tries (X11).", registry=COUNTS)
TOKENS = Counter("linger_memory_extraction_tokens", "Tokens as the provider counted them, by kind.", ["kind"], registry=COUNTS)
WAITING = Gauge("linger_memory_extraction_waiting_requests", "Requests that were fetched and wait for their turn.", registry=COUNTS)
