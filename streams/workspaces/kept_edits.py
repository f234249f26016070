"""Edits by a person or by the agent, kept outside of the workspace before the file is written anew (W6)."""

import os
import re

from streams.workspaces.confinement import Found, enter, look_at
from streams.workspaces.durable import replace

FOLDER = "edits"
KEPT = 3
"""How many edits of one file are kept, the newest."""


def keep_edit(state_folder: int, path: str, found: Found) -> str:
    """Keep what stood at `path`, once if it is the same as the last one; give its name in the folder of edits. Raises OSError."""
    folder = enter(state_folder, FOLDER)
    try:
        stem = path.replace("/", "__")
        numbers = sorted(int(match[1]) for name in os.listdir(folder) if (match := re.fullmatch(rf"{re.escape(stem)}\.(\d+)", name)))
        content = found.content or b""
        if numbers and (last := look_at(folder, f"{stem}.{numbers[-1]}")) is not None and last.content == content:
            return f"{stem}.{numbers[-1]}"
        numbers.append(numbers[-1] + 1 if numbers else 1)
        replace(folder, f"{stem}.{numbers[-1]}", content, 0o600)
        for number in numbers[:-KEPT]:
            os.unlink(f"{stem}.{number}", dir_fd=folder)
        return f"{stem}.{numbers[-1]}"
    finally:
        os.close(folder)
