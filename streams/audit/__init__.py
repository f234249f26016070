"""Reading back what happened: whether the log holds what it promises, where a line comes from, the memory made anew (T1, T4, T5, T6)."""
