"""Reading how it last went with a workspace, as the role `workspaces` has noted it on this machine (W5, W7)."""

from pathlib import Path

from pydantic import ValidationError

from schemas.workspaces import OUTCOMES_FOLDER, STATE_FOLDER, WorkspaceOutcome, outcome_name


def last_outcome(data_directory: Path, agent: str, workspace: str, path: str) -> WorkspaceOutcome | None:
    """Give it; None if nothing is noted, or only of another path, or in a way that can't be read."""
    file = data_directory / STATE_FOLDER / OUTCOMES_FOLDER / outcome_name(agent, workspace)
    try:
        outcome = WorkspaceOutcome.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None
    return outcome if (outcome.agent, outcome.workspace, outcome.path) == (agent, workspace, path) else None
