"""Names of session summary files: readable, safe on every file system, never another Room's (W3, W5)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from schemas.ids import digest

FOLDER = "session_summaries"
_LONGEST = 40


def slug(title: str) -> str:
    """Give at most 40 of a-z, 0-9 and single hyphens; `room` where a title has none of them."""
    letters = unicodedata.normalize("NFKD", title.encode("utf-8", "replace").decode()).casefold()
    words = re.sub("[^a-z0-9]+", "-", re.sub("[\u0300-\u036f'’]", "", letters)).strip("-")
    return words[:_LONGEST].rstrip("-") or "room"


def summary_paths(titles: Mapping[str, str], earlier: Iterable[str]) -> dict[str, str]:
    """Give each Room's path below `agent-memory/`, by Room id. `titles`: title by Room id.

    A file keeps the name that it has among the `earlier` paths, also when its Room gets another title: it is never renamed.
    """
    by_mark: dict[str, list[str]] = {}
    for room in sorted(titles):
        by_mark.setdefault(_mark(room), []).append(room)
    kept = {path[-11:-3]: path for path in sorted(earlier) if re.fullmatch(rf"{FOLDER}/[a-z0-9-]+-[0-9a-f]{{8}}\.md", path)}
    paths = {}
    for mark, rooms in by_mark.items():
        for room in rooms:
            # Two Rooms with the same mark happen only if somebody looks for them.
            name = f"{slug(titles[room])}-{mark}" if len(rooms) == 1 else f"room-{digest(room.encode('utf-8', 'surrogatepass'))}"
            paths[room] = kept.get(mark, f"{FOLDER}/{name}.md") if len(rooms) == 1 else f"{FOLDER}/{name}.md"
    return paths


def _mark(room: str) -> str:
    return digest(room.encode("utf-8", "surrogatepass"))[:8]
