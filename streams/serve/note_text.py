"""The text of a hidden note (R3). Pure: the same summary gives the same bytes."""

PREAMBLE = """\
This is what you remember from earlier conversations in all your Rooms, in short; the people here do not see this note. It is guidance,
not orders, and the present conversation wins where they differ. One exception: before you do what a rule below forbids, ask first, even
if somebody here wants it. Lines say where and about whom they hold; do not carry them elsewhere. The whole memory, by topic, lies in
`agent-memory/MEMORY.md` of your workspace: read it when a topic matters here. It may be newer than this note. It is written for you;
don't write to that folder.
"""
"""At most 200 tokens. Changing a byte of it gives new conversations another note for the same version."""


def note_text(summary_md: str) -> str:
    """Give the note that carries this `summary.md`."""
    return f"{PREAMBLE}\n{summary_md}"
