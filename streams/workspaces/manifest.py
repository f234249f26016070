"""Our note, outside of a workspace, of what we have put there: whose it is, how far it has come, and which files are ours (W4, W5).

It is written before the first file of a revision with what is intended, and once more when all is done. In between, a file may be the
earlier or the intended one, and both are known; whatever else stands there was written by somebody else.
"""

from pydantic import Field, ValidationError

from schemas.base import Identifier, Value, Whole
from schemas.codec import encode
from schemas.workspaces import STATE_FOLDER
from streams.workspaces.confinement import look_at
from streams.workspaces.durable import replace
from streams.workspaces.errors import ManifestBroken

NAME = "manifest.json"
"""In a folder for each workspace in the state folder, beside its lock and kept edits."""


class Manifest(Value):
    agent: Identifier
    workspace: Identifier
    path: str
    version: Whole
    position: Whole
    """Offset in the journal of the revision: a lower one never overwrites it."""
    done: bool
    """False: a writer was on its way; a file may still be an earlier one, or be missing."""
    files: dict[str, Identifier]
    """Path below `agent-memory/` to SHA-256, as intended or, once done, as written."""
    earlier: dict[str, tuple[Identifier, ...]] = Field(default_factory=dict)
    """While not done: hashes of ours that may still be there."""

    @property
    def paths(self) -> frozenset[str]:
        """The files that are ours."""
        return frozenset(self.files) | frozenset(self.earlier)

    def known(self, path: str) -> tuple[Identifier, ...]:
        """Give the hashes under which we may have written the file."""
        return (*((self.files[path],) if path in self.files else ()), *self.earlier.get(path, ()))


def read_manifest(folder: int, folder_name: str) -> Manifest | None:
    """Give the manifest in a state folder, None if there is none yet. Raises ManifestBroken, OSError."""
    found = look_at(folder, NAME)
    if found is None:
        return None
    try:
        return Manifest.model_validate_json(found.content or b"")
    except ValidationError:
        raise ManifestBroken(
            f"{NAME} in {STATE_FOLDER}/{folder_name} of the data directory can't be read. Delete it: what stands in the workspace is then "
            "kept as an edit, and written anew."
        ) from None


def write_manifest(folder: int, manifest: Manifest) -> None:
    """Bring the manifest to the disk. Raises OSError."""
    replace(folder, NAME, encode(manifest), 0o600)
