"""The broker that we run ourselves keeps its data, survives a kill, and is ended only if it is ours [O1].

These tests run brokers of their own: one that others use can't be killed.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.kafka import jars, local_broker
from streams.kafka.errors import LocalBrokerError
from streams.kafka.reading import read_to_end
from streams.kafka.topics import create_topics, topic_name
from streams.settings import Settings, load_settings
from tests.kafka.producing import send, until


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Settings]:
    """Settings of a broker of this test alone, which is ended whatever happens."""
    settings = load_settings(data_directory=tmp_path, broker_port=0, partitions=1, topic_prefix="own.")
    yield settings
    local_broker.stop(settings, deadline_seconds=0)


@pytest.mark.spec("O1")
async def test_a_killed_broker_starts_again_with_every_acknowledged_record_O1(broker: str, own: Settings) -> None:
    address = local_broker.start(own, timeout_seconds=120)
    assert local_broker.running(own) == address
    assert local_broker.start(own) == address, "a second start leaves the running one as it is"
    await create_topics(own)
    await send(own, topic_name(own, "messages"), b"acknowledged", key=b"agent")

    process_id = local_broker.process_id(own)
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
    await until(lambda: local_broker.running(own) is None, "the killed broker to be gone")
    local_broker.start(own, timeout_seconds=120)
    assert [record.value async for record in read_to_end(own, topic_name(own, "messages"))] == [b"acknowledged"]

    assert local_broker.stop(own)
    assert local_broker.running(own) is None
    assert not local_broker.stop(own), "nothing is left to end"


@pytest.mark.spec("O1")
def test_a_process_that_took_over_the_number_is_never_killed_O1(own: Settings) -> None:
    folder = own.data_directory / "broker"
    folder.mkdir()
    with subprocess.Popen(["sleep", "60"]) as other:
        (folder / "broker.json").write_text(f'{{"pid": {other.pid}, "port": 1, "controller_port": 2}}')
        try:
            assert local_broker.running(own) is None
            assert not local_broker.stop(own)
            assert other.poll() is None
        finally:
            other.kill()


def test_a_taken_port_is_named_before_anything_is_started(own: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(LocalBrokerError, match=f"Port {port} .* is taken"):
            local_broker.start(own.model_copy(update={"broker_port": port}))
        up = [sys.executable, "-m", "streams.cli.main", "up", "--data", str(own.data_directory)]
        done = subprocess.run(
            up, capture_output=True, text=True, timeout=60, check=False, env=os.environ | {"LINGER_MEMORY_BROKER_PORT": str(port)}
        )
    assert done.returncode == 1
    assert f"Port {port} on 127.0.0.1 is taken" in done.stderr and "started again" not in done.stderr
    assert (own.data_directory / "broker").stat().st_mode & 0o777 == 0o700


def test_a_jar_that_is_not_the_locked_one_is_never_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = jars.locked_jars()[0]
    monkeypatch.setattr(jars, "locked_jars", lambda: [jar._replace(sha256="0" * 64)])
    (tmp_path / jar.file_name).write_bytes(b"not the jar")
    with pytest.raises(LocalBrokerError, match=r"can't be fetched|SHA-256"):
        jars.class_path(cache=tmp_path)
    assert (tmp_path / jar.file_name).read_bytes() == b"not the jar", "what was fetched did not enter the cache"


def test_the_lock_file_names_versions_and_digests_and_no_host() -> None:
    text = jars.LOCK_FILE.read_text(encoding="utf-8")
    assert "://" not in text
    assert all(len(jar.sha256) == 64 and jar.version for jar in jars.locked_jars())
