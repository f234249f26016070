"""How it last went with each workspace: what the role `workspaces` notes below the data directory, for whoever wants to know (W5, W7).

No message: files, one for each agent and workspace, since a workspace that is refused has no folder of its own to note it in.
"""

from enum import StrEnum

from schemas.base import Identifier, Moment, Value, Whole
from schemas.ids import digest

STATE_FOLDER = "workspaces-state"
"""Below the data directory: all that is known of workspaces outside of them."""
OUTCOMES_FOLDER = "outcomes"
"""In there."""


class WorkspaceResult(StrEnum):
    WRITTEN = "written"
    REFUSED = "refused"
    """It is none of this agent's, or leads out of the workspaces' folder: nothing of ours stands there."""
    FAILED = "failed"
    """It could not be written; what was written before stands there. It is tried again."""


class WorkspaceOutcome(Value):
    agent: Identifier
    workspace: Identifier
    path: str
    """As it was attached."""
    result: WorkspaceResult
    version: Whole
    """The version of the memory that was last written there; 0: none."""
    reason: str = ""
    """Why it was refused or failed, in a sentence without paths and texts."""
    at: Moment
    """When it first went so."""


def outcome_name(agent: str, workspace: str) -> str:
    """Give the name of the file, in the folder of outcomes."""
    return digest(f"{agent}\n{workspace}".encode("utf-8", "surrogatepass"))[:32] + ".json"
