"""Folders that settings name, made or refused in one sentence that says which setting to change."""

import os
from pathlib import Path

from streams.errors import LingerMemoryError


class FolderUnusable(LingerMemoryError):
    """A folder can't be made, is none, or can't be written in; the message names it and the setting that names another."""


def make_folder(path: Path, mend: str, *, private: bool = False) -> Path:
    """Make a folder with its parents and give it; one that is there stays. `mend` says how another is named, for people.

    A private one is the owner's alone (0700), also if it was there with more rights. Raises FolderUnusable.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        if private and path.stat().st_mode & 0o077:
            path.chmod(0o700)
    except OSError as error:
        raise FolderUnusable(f"The folder {path} can't be used ({error.strerror}). {mend}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise FolderUnusable(f"The folder {path} can't be used (Permission denied). {mend}")
    return path


DATA = "Name another with --data or LINGER_MEMORY_DATA_DIRECTORY, or mend its rights."
WORKSPACES = "Name another with --workspaces or LINGER_MEMORY_WORKSPACES_DIRECTORY, or mend its rights."
