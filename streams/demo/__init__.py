"""The demo: bundled transcripts of one agent, sent through the whole pipeline on this machine."""
