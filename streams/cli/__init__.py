"""The command line: one file for each noun. Heavy libraries are imported in the commands that need them."""
