"""Extraction: reads a request's records back from Kafka, plans chunks, pays for model calls once, and records all of it (X1, X2, X10)."""
