"""Importers: files of events or transcripts, sent to the input topics with their original times (E7)."""
