"""Locks of this machine, by a file each. They end with the process that holds them, also when it is killed."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from streams.folders import DATA, FolderUnusable, make_folder
from streams.settings import Settings


def everything(data_directory: Path) -> Path:
    """The lock of `up` and `demo`, which start all on a data directory."""
    return data_directory / "up.lock"


def of_role(settings: Settings, role: str) -> Path:
    """The lock of one instance of a role: two would throw each other out of the group without end."""
    return settings.data_directory / "run" / f"{settings.topic_prefix}{role}-{settings.instance}.lock"


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold this lock while the body runs; gives False if another process holds it. Raises FolderUnusable."""
    make_folder(path.parent, DATA)
    try:
        file = path.open("w")
    except OSError as error:
        raise FolderUnusable(f"{path} can't be written ({error.strerror}). {DATA}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True


def is_held(path: Path) -> bool:
    """Whether a process holds this lock now."""
    try:
        with path.open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
