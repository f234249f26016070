"""Ids that are functions of what they name, so that the same topics always give the same ids (A5, A7, X6)."""

import hashlib
from uuid import UUID, uuid5

import orjson

NAMESPACE = UUID("5f1b0c1e-6f0a-5d1c-9a57-6c6d9b7f3a10")
"""Fixed for ever: another namespace would give every record of the log another id."""


def derived_id(kind: str, *parts: str | int) -> str:
    """A UUID of version 5 over the canonical JSON of its parts."""
    return str(uuid5(NAMESPACE, orjson.dumps([kind, *parts]).decode()))


def request_id(agent: str, cut: int) -> str:
    return derived_id("request", agent, cut)


def plan_id(request: str, content_digest: str) -> str:
    """Two plans for one request (a zombie's and its successor's) have different ids unless they are the same plan."""
    return derived_id("plan", request, content_digest)


def chunk_id(plan: str, room: str, ordinal: int) -> str:
    return derived_id("chunk", plan, room, ordinal)


def candidate_id(chunk: str, ordinal: int) -> str:
    return derived_id("candidate", chunk, ordinal)


def step_id(agent: str, derivation: str, base: int) -> str:
    """A consolidation step; `base` is the journal offset that it starts from."""
    return derived_id("step", agent, derivation, base)


def short_hash(text: str) -> str:
    """8 bytes of SHA-256 as 16 hex digits: for ids that are only compared (E9)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def digest(value: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(value).hexdigest()
