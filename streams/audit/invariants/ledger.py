"""The history that the invariants are judged on: every candidate, decision, line and piece of evidence, in a temporary SQLite file.

Memory stays bounded by the caches of SQLite, however long the log is; the file is nameless and goes with the process.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from schemas.base import Position
from schemas.journal import CandidateDecided, LineEnded
from schemas.operations import Decision, EndLine
from streams.audit.invariants.refold import Accepted

NEVER_PUT = -1

_SCHEMA = """
CREATE TABLE candidate (
    id TEXT NOT NULL, agent TEXT NOT NULL, cut INTEGER NOT NULL, at INTEGER NOT NULL, gate INTEGER NOT NULL,
    returned INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (agent, id)
) WITHOUT ROWID;
CREATE TABLE decision (agent TEXT NOT NULL, candidate TEXT NOT NULL, verdict TEXT NOT NULL, line TEXT, at INTEGER NOT NULL);
CREATE INDEX decision_of ON decision (agent, candidate);
CREATE INDEX decision_into ON decision (agent, line);
CREATE TABLE told_decision (agent TEXT NOT NULL, candidate TEXT NOT NULL, verdict TEXT NOT NULL, line TEXT, at INTEGER NOT NULL);
CREATE INDEX told_decision_of ON told_decision (agent, candidate);
CREATE TABLE line (agent TEXT NOT NULL, id TEXT NOT NULL, put INTEGER NOT NULL, ended INTEGER, how TEXT, successor TEXT,
    PRIMARY KEY (agent, id)) WITHOUT ROWID;
CREATE INDEX line_into ON line (agent, successor);
CREATE TABLE told_end (agent TEXT NOT NULL, line TEXT NOT NULL, how TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX told_end_of ON told_end (agent, line);
CREATE TABLE evidence (topic TEXT NOT NULL, generation INTEGER NOT NULL, partition INTEGER NOT NULL, at INTEGER NOT NULL,
    event TEXT NOT NULL, agent TEXT NOT NULL, candidate TEXT NOT NULL);
CREATE INDEX evidence_of ON evidence (agent, candidate);
"""
_BEHIND_A_LINE = """EXISTS (SELECT 1 FROM decision
    WHERE decision.agent = evidence.agent AND decision.candidate = evidence.candidate AND +decision.line IS NOT NULL)"""
# The plus keeps SQLite from looking through all of an agent's decisions by their lines instead of by the candidate.


class Ledger:
    """Writes by the pass over the log; reads, in SQL, by the invariants."""

    def __init__(self) -> None:
        self.database = sqlite3.connect("", isolation_level=None)  # no name: a temporary file
        self.database.executescript(_SCHEMA)
        self.database.execute("BEGIN")

    def close(self) -> None:
        self.database.close()

    def candidate(self, accepted: Accepted) -> None:
        candidate = accepted.candidate
        self.database.execute(
            "INSERT OR IGNORE INTO candidate (id, agent, cut, at, gate) VALUES (?, ?, ?, ?, ?)",
            (candidate.id, candidate.agent, candidate.cut, accepted.offset, bool(accepted.gate_reason)),
        )
        self.database.executemany(
            "INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (at.topic, at.generation, at.partition, at.offset, evidence.event, candidate.agent, candidate.id)
                for evidence in candidate.evidence
                for at in (evidence.position,)
            ],
        )

    def returned(self, agent: str, candidate: str, offset: int) -> None:
        self.database.execute("UPDATE candidate SET returned = ? WHERE agent = ? AND id = ?", (offset, agent, candidate))

    def was_returned(self, agent: str, candidate: str) -> bool:
        """Whether a gate has returned the candidate to wait for another step (C8)."""
        return bool(self._one("SELECT returned FROM candidate WHERE agent = ? AND id = ?", agent, candidate)[0])

    def knows_candidate(self, agent: str, candidate: str) -> bool:
        return self._one("SELECT 1 FROM candidate WHERE agent = ? AND id = ?", agent, candidate) is not None

    def decide(self, agent: str, decision: Decision, offset: int) -> None:
        self.database.execute(
            "INSERT INTO decision VALUES (?, ?, ?, ?, ?)", (agent, decision.candidate, decision.verdict.value, decision.line, offset)
        )

    def told(self, record: CandidateDecided | LineEnded) -> None:
        """Note what the topic `decisions` says."""
        match record:
            case CandidateDecided(decision=decision):
                values = (record.agent, decision.candidate, decision.verdict.value, decision.line, record.offset)
                self.database.execute("INSERT INTO told_decision VALUES (?, ?, ?, ?, ?)", values)
            case LineEnded(ending=ending):
                self.database.execute(
                    "INSERT INTO told_end VALUES (?, ?, ?, ?)", (record.agent, ending.line, ending.how.value, record.offset)
                )

    def put_line(self, agent: str, line: str, offset: int) -> bool:
        """Note that a line was put; give False if a line of this id has ended before."""
        held = self._one("SELECT ended FROM line WHERE agent = ? AND id = ?", agent, line)
        if held is None:
            self.database.execute("INSERT INTO line (agent, id, put) VALUES (?, ?, ?)", (agent, line, offset))
        return held is None or held[0] is None

    def has_line(self, agent: str, line: str) -> bool:
        return self._one("SELECT 1 FROM line WHERE agent = ? AND id = ?", agent, line) is not None

    def end_line(self, agent: str, ending: EndLine, offset: int) -> int | None:
        """Note that a line ended; give None, NEVER_PUT, or the offset at which it had ended already."""
        held = self._one("SELECT ended FROM line WHERE agent = ? AND id = ?", agent, ending.line)
        if held is None:
            return NEVER_PUT
        if held[0] is None:
            self.database.execute(
                "UPDATE line SET ended = ?, how = ?, successor = ? WHERE agent = ? AND id = ?",
                (offset, ending.how.value, ending.into, agent, ending.line),
            )
        return None if held[0] is None else int(held[0])

    def living_lines(self, agent: str) -> set[str]:
        return {name for (name,) in self.database.execute("SELECT id FROM line WHERE agent = ? AND ended IS NULL", (agent,))}

    def count_lines(self, agent: str) -> tuple[int, int]:
        """How many lines were put, and how many of them have ended."""
        found = self._one("SELECT count(*), count(ended) FROM line WHERE agent = ?", agent)
        return int(found[0]), int(found[1])

    def sources(self, agent: str, line: str) -> set[str]:
        """Candidates whose decision names this line, or one whose sources it took over: replaced by it or merged into it."""
        rows = self.database.execute(
            "WITH RECURSIVE behind (id) AS "
            "(SELECT ? UNION SELECT line.id FROM line JOIN behind ON line.successor = behind.id "
            "WHERE line.agent = ? AND line.how IN ('replaced', 'merged_into')) "
            "SELECT DISTINCT decision.candidate FROM decision JOIN behind ON decision.line = behind.id WHERE decision.agent = ?",
            (line, agent, agent),
        )
        return {candidate for (candidate,) in rows}

    def evidence(self) -> Iterator[tuple[Position, str, str, str]]:
        """Position, event id, agent and candidate of all evidence of candidates whose decision names a line, in the order of positions."""
        rows = self.database.execute(
            f"SELECT topic, generation, partition, at, event, agent, candidate FROM evidence WHERE {_BEHIND_A_LINE} "
            "ORDER BY topic, generation, partition, at, agent, candidate, event"
        )
        for topic, generation, partition, offset, event, agent, candidate in rows:
            yield Position(topic=topic, generation=generation, partition=partition, offset=offset), event, agent, candidate

    def count_evidence(self) -> int:
        return int(self._one(f"SELECT count(*) FROM evidence WHERE {_BEHIND_A_LINE}")[0])

    def _one(self, query: str, *values: str | int) -> Any:
        return self.database.execute(query, values).fetchone()
