"""Reading what lies in a workspace's `agent-memory/`, which an agent or a person may have changed in any way (W5, W6).

Nothing is followed out of the workspaces' folder, nothing that is no plain file is opened, nothing huge is read.
"""

import os
import stat
from pathlib import Path

FOLDER = "agent-memory"
_LARGEST = 64 << 20  # bytes: far more than any memory of ours takes


def workspace_folder(root: Path, path: str) -> Path | None:
    """Give the workspace's folder if it is there and lies under `root`, else None."""
    inside = Path(path)
    if inside.is_absolute() or ".." in inside.parts:
        return None
    folder = root / inside
    try:
        if not folder.is_dir() or not folder.resolve().is_relative_to(root.resolve()):
            return None
    except (OSError, ValueError):
        return None
    return folder


def read_file(workspace: Path, name: str) -> bytes | str:
    """Give the bytes of a file below `agent-memory/`, or in words why there are none."""
    place = workspace / FOLDER / name
    try:
        if not place.parent.resolve().is_relative_to(workspace.resolve()):
            return "lies behind a link that leads out of the workspace"
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return "is missing"
    except (OSError, ValueError) as error:
        return f"can't be opened ({error.strerror if isinstance(error, OSError) else 'bad name'})"
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "is no plain file"
        if status.st_size > _LARGEST:
            return f"has {status.st_size} bytes, which is more than any of ours"
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(_LARGEST + 1)
    except OSError as error:
        return f"can't be read ({error.strerror})"
    finally:
        os.close(handle)
