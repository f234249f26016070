"""Recorded answers become candidates: parsed, judged by gates, in an order and with ids that are functions of the plan (X6-X8)."""
