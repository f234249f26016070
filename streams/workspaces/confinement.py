"""Reaching folders and files below the configured root, and nothing else (W5).

Every step is taken from an open descriptor of the folder before and follows no link, so that what is swapped in meanwhile leads nowhere;
names are checked before. What is found in place of a file (link, FIFO, device, folder) is never opened.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.ids import digest
from streams.workspaces.errors import UnsafePath

FOLDER = "agent-memory"
READ_BYTES_MAX = 8 << 20
"""More of a file is not read: no file of ours is so long."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME_BYTES_MAX = 255
_PATH_BYTES_MAX = 1_024


def folder_names(path: str) -> tuple[str, ...]:
    """Give the names of the folders that lead from the root to a workspace. Raises UnsafePath."""
    if path.startswith("/"):
        raise UnsafePath("The workspace's path is absolute; it must be relative to workspaces_directory.")
    names = tuple(name for name in path.split("/") if name not in ("", "."))
    if not names:
        raise UnsafePath("The workspace's path names no folder below workspaces_directory.")
    for name in names:
        if name == "..":
            raise UnsafePath("The workspace's path goes upwards (`..`).")
        if name == FOLDER:
            raise UnsafePath(f"The workspace's path leads into a folder `{FOLDER}`, which belongs to another workspace.")
        if not name.isprintable() or "\\" in name or len(name.encode("utf-8", "surrogatepass")) > _NAME_BYTES_MAX:
            raise UnsafePath("A name in the workspace's path is too long or has a control character or a backslash.")
    if len(path.encode("utf-8", "surrogatepass")) > _PATH_BYTES_MAX:
        raise UnsafePath("The workspace's path is too long.")
    return names


@contextmanager
def open_folder(root: Path, names: tuple[str, ...]) -> Iterator[int]:
    """Give a descriptor of the folder below the root, made with its parents where it is missing.

    Raises UnsafePath if a link or a file stands in the way, OSError if the root is missing or can't be read.
    """
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            inner = enter(folder, name)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def enter(folder: int, name: str) -> int:
    """Give a descriptor of the folder `name` in `folder`, made if it is missing. The caller closes it. Raises UnsafePath, OSError."""
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unsafe(error) from None
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
    except FileExistsError:
        pass  # somebody else made it, or it is a link that leads nowhere: the next step tells
    else:
        os.fsync(folder)
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    except OSError as error:
        raise _unsafe(error) from None


def _unsafe(error: OSError) -> Exception:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return UnsafePath("A link or a file stands where the workspace needs a folder; remove it, and the workspace is written again.")
    return error


@dataclass(frozen=True, slots=True)
class Found:
    """What stands under a name: the content of a file, at most READ_BYTES_MAX of it, or something that is no file."""

    content: bytes | None
    """None: a link, FIFO, device or folder, which was not opened."""
    whole: bool = True

    @property
    def hash(self) -> str:
        """SHA-256 in hex; of nothing that we wrote if it is not a whole file."""
        return digest(self.content) if self.content is not None and self.whole else ""


def look_at(folder: int, name: str) -> Found | None:
    """Give what stands under the name, None if nothing does. Raises OSError."""
    try:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return Found(None)
        # Without waiting, should a FIFO have been swapped in since.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Found(None)
        raise
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return Found(None)
        content = bytearray()
        while len(content) <= READ_BYTES_MAX and (part := os.read(file, 1 << 20)):
            content += part
        return Found(bytes(content[:READ_BYTES_MAX]), whole=len(content) <= READ_BYTES_MAX)
    finally:
        os.close(file)
