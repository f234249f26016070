"""What can go wrong with one workspace. No message holds a path or a title: paths are people's words (S3)."""

from streams.errors import LingerMemoryError


class WorkspaceFault(LingerMemoryError):
    """Root of this package's exceptions; it concerns one workspace only."""


class UnsafePath(WorkspaceFault):
    """The path leads out of the configured root, or a link or file stands where a folder must be."""


class WorkspaceBusy(WorkspaceFault):
    """Another process writes this workspace."""


class WorkspaceTaken(WorkspaceFault):
    """The folder belongs to another agent."""


class StaleRevision(WorkspaceFault):
    """The workspace holds a later revision than the one that was to be written."""


class ManifestBroken(WorkspaceFault):
    """Our own note of what stands in the workspace can't be read."""
