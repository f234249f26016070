"""The one place that makes every Kafka client, with its security [S2].

Credentials come from files and are read when a client is made. A wrong password and a broker that is away look alike to aiokafka
("Unable to bootstrap"); only its log tells them apart, so the error names both.
"""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaConnectionError

from streams.kafka import local_broker
from streams.kafka.errors import BrokerUnavailable
from streams.settings import Settings

Isolation = Literal["read_committed", "read_uncommitted"]
OffsetReset = Literal["none", "earliest", "latest"]

# A member without partitions leaves its group for ever after this interval and only our own watchdog decides liveness (F08, F09).
_NEVER_MS = 12 * 24 * 3_600_000


class Startable(Protocol):
    """Any of our clients."""

    async def start(self) -> None: ...


def bootstrap_servers(settings: Settings) -> str:
    """Give the brokers' addresses; those of the running local broker if none are set. Raises BrokerUnavailable if it doesn't run."""
    if settings.bootstrap_servers:
        return settings.bootstrap_servers
    address = local_broker.running(settings)
    if address is None:
        raise BrokerUnavailable(
            f"No Kafka broker: bootstrap_servers is not set, and no local broker runs in {settings.data_directory}. "
            "Start one with `linger-memory broker start`, or set LINGER_MEMORY_BOOTSTRAP_SERVERS."
        )
    return address


def security(settings: Settings) -> dict[str, Any]:
    """Give aiokafka's arguments for reaching and logging in to the brokers. Raises BrokerUnavailable if a file can't be read."""
    arguments: dict[str, Any] = {"security_protocol": settings.security_protocol, "ssl_context": _ssl_context(settings)}
    if settings.security_protocol.startswith("SASL"):
        arguments |= {
            "sasl_mechanism": settings.sasl_mechanism,
            "sasl_plain_username": _secret(settings.sasl_username_file),
            "sasl_plain_password": _secret(settings.sasl_password_file),
        }
    return arguments


def _connection(settings: Settings, role: str) -> dict[str, Any]:
    return {
        "bootstrap_servers": bootstrap_servers(settings),
        "client_id": f"linger-memory-{role}-{settings.instance}",
        **security(settings),
    }


def make_consumer(
    settings: Settings,
    *topics: str,
    group: str | None = None,
    group_instance: str | None = None,
    isolation: Isolation = "read_uncommitted",
    offset_reset: OffsetReset = "none",
    fetch_wait_ms: int = 500,
    role: str = "reader",
) -> AIOKafkaConsumer:
    """Give a consumer that is not started and never commits by itself.

    `topics` are whole names. With `group_instance` the membership is static: a restart within the session time-out causes no
    rebalance. With `offset_reset` "none" an offset that is gone raises instead of reading elsewhere. A broker that has nothing holds a
    fetch back for `fetch_wait_ms`, and this client sends it no other one meanwhile, not even after a seek.
    """
    session_ms = int(settings.session_timeout_seconds * 1000)
    return AIOKafkaConsumer(
        *topics,
        group_id=group,
        group_instance_id=group_instance,
        isolation_level=isolation,
        auto_offset_reset=offset_reset,
        enable_auto_commit=False,
        max_poll_records=settings.batch_records_max,
        max_partition_fetch_bytes=settings.fetch_max_bytes,
        fetch_max_wait_ms=fetch_wait_ms,
        max_poll_interval_ms=_NEVER_MS,
        rebalance_timeout_ms=60_000,
        session_timeout_ms=session_ms,
        heartbeat_interval_ms=min(3_000, session_ms // 6),
        request_timeout_ms=max(40_000, session_ms + 10_000),
        **_connection(settings, role),
    )


def make_producer(settings: Settings, *, role: str = "writer") -> AIOKafkaProducer:
    """Give an idempotent producer (all replicas acknowledge, no compression) that is not started."""
    return AIOKafkaProducer(**_producing(settings), **_connection(settings, role))


def make_transactional_producer(
    settings: Settings, transactional_id: str, *, timeout_seconds: float = 60.0, role: str = "writer"
) -> AIOKafkaProducer:
    """Give a transactional producer that is not started; its start fences an older one with the same id. The id gets the topic prefix."""
    return AIOKafkaProducer(
        transactional_id=settings.topic_prefix + transactional_id,
        transaction_timeout_ms=int(timeout_seconds * 1000),
        **_producing(settings),
        **_connection(settings, role),
    )


def _producing(settings: Settings) -> dict[str, Any]:
    return {
        "acks": "all",
        "enable_idempotence": True,
        "max_request_size": settings.message_max_bytes,
        "max_batch_size": 131_072,
        # Below the session time-out, so that a worker whose partition has gone to another gives up what it still sends.
        "request_timeout_ms": int(settings.session_timeout_seconds * 800),
    }


@asynccontextmanager
async def admin(settings: Settings) -> AsyncIterator[AIOKafkaAdminClient]:
    """Give a started admin client, and close it. Raises BrokerUnavailable."""
    client = AIOKafkaAdminClient(**_connection(settings, "admin"))
    try:
        await start(client, settings)
        yield client
    finally:
        await client.close()


async def start(client: Startable, settings: Settings) -> None:
    """Start a client of this module. Raises BrokerUnavailable, which names the address, if no broker answers or the log-in is refused."""
    try:
        await client.start()
    except KafkaConnectionError as error:
        login = " or refuses the log-in" if settings.security_protocol.startswith("SASL") else ""
        raise BrokerUnavailable(
            f"No Kafka broker answers at {bootstrap_servers(settings)}{login}. Check that it runs, the address and the security settings."
        ) from error


def faust_arguments(settings: Settings) -> dict[str, Any]:
    """Give the keyword arguments of `faust.App` that say how to reach the brokers, how fast to fetch and when a member is gone."""
    from faust import SASLCredentials, SSLCredentials

    servers = bootstrap_servers(settings).split(",")
    context = _ssl_context(settings)
    credentials: Any = None
    if settings.security_protocol.startswith("SASL"):
        credentials = SASLCredentials(
            username=_secret(settings.sasl_username_file),
            password=_secret(settings.sasl_password_file),
            ssl_context=context,
            mechanism=settings.sasl_mechanism,
        )
    elif context is not None:
        credentials = SSLCredentials(context)
    return {
        "broker": [f"kafka://{server.strip()}" for server in servers],
        "broker_credentials": credentials,
        "broker_client_id": f"linger-memory-faust-{settings.instance}",
        "broker_max_poll_records": settings.batch_records_max,
        "broker_max_poll_interval": _NEVER_MS / 1000,
        "broker_session_timeout": settings.session_timeout_seconds,
        "broker_heartbeat_interval": min(3.0, settings.session_timeout_seconds / 6),
        "broker_request_timeout": max(90.0, settings.session_timeout_seconds + 10),
        "consumer_max_fetch_size": settings.fetch_max_bytes,
        "consumer_auto_offset_reset": "earliest",
        "consumer_group_instance_id": settings.instance,
        "producer_acks": -1,
        "producer_max_request_size": settings.message_max_bytes,
        "producer_request_timeout": settings.session_timeout_seconds * 0.8,
        "topic_partitions": settings.partitions,
        "topic_replication_factor": settings.replication_factor,
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "web_enabled": False,
    }


def _ssl_context(settings: Settings) -> ssl.SSLContext | None:
    if "SSL" not in settings.security_protocol:
        return None
    try:
        return ssl.create_default_context(cafile=str(settings.ssl_ca_file) if settings.ssl_ca_file else None)
    except (OSError, ssl.SSLError) as error:
        raise BrokerUnavailable(f"The certificate authorities in {settings.ssl_ca_file} can't be read: {error}.") from None


def _secret(path: Path | None) -> str:
    try:
        return path.read_text(encoding="utf-8").strip() if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise BrokerUnavailable(f"The credential file {path} can't be read: {type(error).__name__}.") from None
