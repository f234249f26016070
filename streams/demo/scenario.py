"""What is bundled: the transcripts of one agent, and what a whole run of them comes to."""

from pathlib import Path
from typing import Any

from streams.settings import Settings

AGENT = "agent-piet"
TRANSCRIPTS = tuple(sorted(Path(__file__).with_name("transcripts").glob("*.jsonl")))
"""In the order of time."""

CUTS = 3
"""Five runs before the server's restart, then twice five after it; the two between the first five and the restart are lost to the count
and still read (A4)."""

ROOM = "room-bookkeeping"
"""The Room that a new conversation begins in: people have asked there for figures, and taught nothing."""
CONVERSATION = "books-2"


def demo_settings(settings: Settings, data_directory: Path) -> Settings:
    """Give the demo's settings: a broker and folders of its own, and short times, so that idleness takes seconds."""
    return settings.model_copy(update=changed(data_directory))


def shown(settings: Settings) -> dict[str, Any]:
    """Give those of the demo's settings that are not the defaults."""
    fields = Settings.model_fields
    return {name: value for name, value in changed(settings.data_directory).items() if value != fields[name].default}


def changed(data_directory: Path) -> dict[str, Any]:
    """Give the settings that the demo changes, by name; the model is the offline one, so no key is needed."""
    return {
        "bootstrap_servers": None,
        "data_directory": data_directory,
        "workspaces_directory": data_directory / "workspaces",
        "broker_port": 0,
        "idle_after_seconds": 3.0,
        "tick_every_seconds": 1.0,
        "default_model": "rules",
    }
