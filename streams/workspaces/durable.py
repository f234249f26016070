"""A file in place, whole or not at all, also after a power cut (W4)."""

import contextlib
import os


def temporary_name(name: str) -> str:
    """Give the name under which a file lies until it is whole; hidden, and a function of the file's name, so that a start can clear it."""
    return f".{name}.new"


def prepare(folder: int, name: str, content: bytes, mode: int = 0o644) -> None:
    """Write the content under the temporary name and bring it to the disk. Raises OSError, and leaves nothing then if it can."""
    temporary = temporary_name(name)
    clear(folder, name)
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    try:
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        finally:
            os.close(file)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def put_in_place(folder: int, name: str) -> None:
    """Let what was prepared take the place of the file, at once for every reader. Raises OSError."""
    os.rename(temporary_name(name), name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def replace(folder: int, name: str, content: bytes, mode: int = 0o644) -> None:
    """Prepare and put in place. Raises OSError."""
    prepare(folder, name, content, mode)
    put_in_place(folder, name)


def clear(folder: int, name: str) -> None:
    """Remove what a killed writer left under the file's temporary name. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary_name(name), dir_fd=folder)
