"""The demo: the bundled transcripts through the whole pipeline, on a Kafka of its own, and what comes of them.

Nothing here is a short cut: the same importer, the same roles as processes of their own, no command that hurries them. Five runs and
idleness do it; only the idle time is short, by a setting that is shown.
"""

import io
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import orjson

from schemas.memory import AgentMemory
from streams.audit.progress import Progress as Show
from streams.audit.verify import verify
from streams.audit.why import why
from streams.cli.counting import counted
from streams.cli.output import tell
from streams.cli.stages import stages
from streams.demo import scenario, show
from streams.demo.waiting import Stand, until_written
from streams.errors import LingerMemoryError
from streams.importers.events import Imported, import_events
from streams.serve.notes import give
from streams.settings import Settings
from streams.supervision.pipeline import running


class DemoFailed(LingerMemoryError):
    """The demo has come to an end without what it promises."""


@dataclass(frozen=True)
class Outcome:
    imported: Imported
    stand: Stand
    memory: AgentMemory
    seconds: float


async def demo(settings: Settings, timeout_seconds: float) -> int:
    """Run it, show it, and give 0 if the memory is there and `verify` holds. Everything that was started is ended."""
    began = time.monotonic()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # in a file or pipe too, lines stand in the order in which they were said
    print("Settings of the demo that are not the defaults:")
    for name, value in scenario.shown(settings).items():
        print(f"  {name} = {value}")
    tell("Starting a Kafka of its own and four roles …")
    async with running(settings, tell) as pipeline:
        tell("Everything is ready.")
        with stages() as progress:
            outcome = await pipeline.while_running(_feed(pipeline.settings, timeout_seconds, progress, began))
        return await pipeline.while_running(_show(pipeline.settings, outcome))


async def _feed(settings: Settings, timeout_seconds: float, progress: Show, began: float) -> Outcome:
    imported = await import_events(settings, scenario.TRANSCRIPTS, tell=lambda now: progress(f"events: {now.step}", now.done, now.total))
    if imported.bad:
        raise DemoFailed(f"{len(imported.bad)} lines of the bundled transcripts are no events, the first in {imported.bad[0].path}.")
    cuts = scenario.CUTS

    def tell_stand(stand: Stand) -> None:
        progress("extraction requests", stand.requests, cuts)
        progress("requests read, candidates recorded", stand.requests_done, cuts)
        if stand.requests_done >= cuts:
            progress("idle", stand.idle, cuts)
        if stand.idle >= cuts:
            progress("memory revised", int(stand.settled), 1)
        if stand.settled:
            progress("files written", stand.files, stand.files_wanted)

    stand, memory = await until_written(settings, scenario.AGENT, cuts, timeout_seconds, tell_stand)
    return Outcome(imported, stand, memory, time.monotonic() - began)


async def _show(settings: Settings, outcome: Outcome) -> int:
    memory = outcome.memory
    rooms = {room.room: room.title for room in memory.rooms.values()}
    workspace = next(one for one in memory.workspaces.values() if one.attached and one.room == scenario.ROOM)
    folder = settings.workspaces_directory / workspace.path / "agent-memory"

    print(show.heading(f"The memory of {memory.state.name}: {folder / 'MEMORY.md'}"))
    print(show.document((folder / "MEMORY.md").read_text(encoding="utf-8")))
    print(f"\n{show.LIMITS}")

    line = show.line_to_explain(memory)
    if line is not None:
        print(show.heading("Where a line comes from"))
        for text in show.explained(await why(settings, scenario.AGENT, line.id), rooms):
            print(text)

    print(show.heading("The folder, the same in each workspace of the agent"))
    for text in show.tree(folder):
        print(text)

    note = await give(settings, scenario.AGENT, scenario.ROOM, scenario.CONVERSATION, 0)
    print(show.heading(f'The hidden note of a new conversation in the Room "{rooms.get(scenario.ROOM, scenario.ROOM)}"'))
    print(show.why_this_room(memory, scenario.ROOM))
    if note is not None:
        for text in show.note_text(note):
            print(text)

    report = await verify(settings)
    print(show.heading("verify"))
    looked_at = ", ".join(counted(count, what.removesuffix("s")) for what, count in sorted(report.checked.items()))
    print(f"  {'It holds' if report.holds else 'IT DOES NOT HOLD'}: {looked_at}")
    for violation in report.violations[:20]:
        print(f"  {violation.invariant.value}: {violation.sentence}")

    print(show.heading("Look around"))
    for text in show.commands(settings.data_directory, line.id if line is not None else "l1"):
        print(text)
    _close(settings.data_directory, outcome, note is not None, report.holds)
    if not memory.lines or note is None:
        raise DemoFailed(f"There is {'no line in the memory' if not memory.lines else 'no note'}.")
    if not report.holds:
        raise DemoFailed(f"`verify` found {report.count.total()} violations.")
    return 0


def _close(data_directory: Path, outcome: Outcome, note: bool, holds: bool) -> None:
    memory, stand = outcome.memory, outcome.stand
    print(f"\nEverything is kept in {data_directory}; delete that folder to begin anew.")
    figures = {
        "first_run": outcome.imported.present == 0,
        "events_sent": outcome.imported.sent,
        "events_present": outcome.imported.present,
        "requests": stand.requests,
        "candidates": stand.candidates,
        "rejected": stand.rejected,
        "revisions": stand.revisions,
        "version": memory.state.version,
        "sections": len(memory.sections),
        "lines": len(memory.lines),
        "files": stand.files,
        "note": note,
        "verify": holds,
        "seconds": round(outcome.seconds, 1),
    }
    print(orjson.dumps(figures).decode(), flush=True)
