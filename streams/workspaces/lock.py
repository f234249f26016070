"""One writer for each workspace, for as long as it lives (W4)."""

import fcntl
import os

from streams.workspaces.errors import WorkspaceBusy

NAME = "lock"


def take_lock(folder: int) -> int:
    """Give a descriptor that holds the lock of a state folder until it is closed or the process ends. Raises WorkspaceBusy, OSError."""
    file = os.open(NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise WorkspaceBusy("Another process writes this workspace; only one may. It is tried again.") from None
    except OSError:
        os.close(file)
        raise
    return file
