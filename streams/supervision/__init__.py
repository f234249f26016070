"""Running roles: one in this process, or all of them as children that end with it (O1, O2)."""
