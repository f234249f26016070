"""What must hold over the whole log, one file for each invariant, on a re-fold of their own (T6)."""
