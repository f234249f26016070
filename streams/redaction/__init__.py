"""Secrets out of text (X9), for every stage: what is forwarded, what leaves for a model, what it answers, what is shown. Pure."""
