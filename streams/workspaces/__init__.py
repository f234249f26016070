"""From a memory to the files of an agent's workspaces (W)."""
