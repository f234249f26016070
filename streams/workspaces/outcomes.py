"""Notes how it last went with each workspace, so that a refused one is seen by `agents show` and `verify` (W5, W7)."""

from pathlib import Path

from pydantic import ValidationError

from schemas.codec import encode
from schemas.workspaces import OUTCOMES_FOLDER, STATE_FOLDER, WorkspaceOutcome, WorkspaceResult, outcome_name
from streams.workspaces.confinement import look_at, open_folder
from streams.workspaces.durable import replace


def note_outcome(data_directory: Path, outcome: WorkspaceOutcome) -> None:
    """Bring it to the disk, if it is not what was noted last. A failure keeps the version that was written before.

    Raises UnsafePath, OSError.
    """
    root = data_directory / STATE_FOLDER
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = outcome_name(outcome.agent, outcome.workspace)
    with open_folder(root, (OUTCOMES_FOLDER,)) as folder:
        last = _last(folder, name)
        if last is not None and last.path == outcome.path:
            if outcome.result is WorkspaceResult.FAILED:
                outcome = outcome.model_copy(update={"version": last.version})
            if last == outcome.model_copy(update={"at": last.at}):
                return
        replace(folder, name, encode(outcome), 0o600)


def _last(folder: int, name: str) -> WorkspaceOutcome | None:
    found = look_at(folder, name)
    try:
        return WorkspaceOutcome.model_validate_json(found.content or b"") if found is not None else None
    except ValidationError:
        return None
