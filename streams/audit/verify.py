"""`verify`: whether the whole log keeps its promises, judged by code that shares nothing with what wrote it (T6).

Order of reading: `memory` first, which says how far the journal is folded; then the journal up to there, `decisions` of it, the cited
records, the files. So a pipeline at work is judged as of one moment; only its files may lag behind for a moment.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from schemas.base import MAIN
from schemas.codec import Undecodable
from schemas.journal import DECISIONS, MemoryChanged
from streams.audit.invariants import decisions, files, lineage, lines, share
from streams.audit.invariants.ledger import Ledger
from streams.audit.invariants.refold import Accepted, Refold, Revised
from streams.audit.invariants.violation import Invariant, Violation
from streams.audit.journal import journal_end, read_journal, skipped_records
from streams.audit.progress import Progress, silent
from streams.audit.projection import Projection, read_projection
from streams.kafka.reading import end_offsets, read_to_end
from streams.kafka.topics import topic_name
from streams.settings import Settings

_KEPT = 1_000  # sentences of one invariant; more are only counted
_REPORT_EVERY = 500


@dataclass
class Report:
    """What was found. It holds when `count` is empty."""

    violations: list[Violation] = field(default_factory=list)
    """At most 1,000 of each invariant."""
    count: Counter[Invariant] = field(default_factory=Counter)
    """How many violations of each invariant there are."""
    checked: Counter[str] = field(default_factory=Counter)
    """How much was looked at, by what."""
    remarks: list[str] = field(default_factory=list)
    """What could not be checked and is no violation."""

    @property
    def holds(self) -> bool:
        return not self.count

    def add(self, found: Iterable[Violation]) -> None:
        for violation in found:
            self.count[violation.invariant] += 1
            if self.count[violation.invariant] <= _KEPT:
                self.violations.append(violation)


async def verify(settings: Settings, progress: Progress = silent, derivation: str = MAIN) -> Report:
    """Check the five invariants over the whole log. Raises KafkaFault if it can't be read."""
    report, ledger = Report(), Ledger()
    try:
        projection = await read_projection(settings, derivation)
        refold = await _read_journal(settings, projection, ledger, report, progress, derivation)
        await _read_decisions(settings, projection, ledger, report, progress, derivation)
        report.add(decisions.judge(ledger, refold))
        report.add(lines.judge(ledger, refold, projection.memories))
        report.add(lineage.judge(ledger, projection.memories))
        report.add(lineage.without_evidence(ledger))
        await _read_evidence(settings, ledger, report, progress)
        report.add(files.judge_projection(refold, projection.memories))
        await _read_workspaces(settings, projection, report, progress)
    finally:
        ledger.close()
    report.add(Violation(Invariant.FILES, "", f"memory[0]@{offset} can't be read") for offset in projection.undecodable)
    return report


async def _read_journal(
    settings: Settings, projection: Projection, ledger: Ledger, report: Report, progress: Progress, derivation: str
) -> Refold:
    end = await journal_end(settings)
    until = end if projection.next is None else min(projection.next, end)
    if projection.next is not None and projection.next > end:
        sentence = f"topic memory says that {projection.next} offsets of memory-candidates[0] are folded; it has {end}"
        report.add([Violation(Invariant.FILES, "", sentence)])
    if until < end:
        report.remarks.append(f"{end - until} offsets of memory-candidates[0], from {until} on, are not folded yet and were not checked")
    refold = Refold(derivation, await skipped_records(settings, derivation))
    async for offset, value in read_journal(settings, until):
        if offset % _REPORT_EVERY == 0:
            progress("journal", offset, until)
        if isinstance(value, Undecodable):
            report.remarks.append(f"memory-candidates[0]@{offset} can't be read and is no part of any memory")
            continue
        report.checked["journal records"] += 1
        match refold.fold(value, offset):
            case Accepted() as accepted:
                ledger.candidate(accepted)
                report.checked["candidates"] += 1
            case Revised() as revised:
                report.checked["revisions"] += 1
                report.add(decisions.see_revision(ledger, revised))
                report.add(lines.see_revision(ledger, revised))
                report.add(share.see_revision(revised))
            case None if isinstance(value, MemoryChanged) and value.derivation == derivation:
                report.checked["void revisions"] += 1
    progress("journal", until, until)
    return refold


async def _read_decisions(
    settings: Settings, projection: Projection, ledger: Ledger, report: Report, progress: Progress, derivation: str
) -> None:
    topic = topic_name(settings, "decisions")
    end = (await end_offsets(settings, topic, "read_committed"))[0]
    async for record in read_to_end(settings, topic, isolation="read_committed"):
        if record.offset % _REPORT_EVERY == 0:
            progress("decisions", record.offset, end)
        value = DECISIONS.decode(record.value)
        if isinstance(value, Undecodable):
            report.add([Violation(Invariant.DECISIONS, "", f"decisions[0]@{record.offset} can't be read")])
        elif value.derivation == derivation and (projection.next is None or value.offset < projection.next):
            ledger.told(value)
            report.checked["decisions"] += 1
    progress("decisions", end, end)


async def _read_evidence(settings: Settings, ledger: Ledger, report: Report, progress: Progress) -> None:
    total = ledger.count_evidence()
    async for violation in lineage.judge_evidence(settings, ledger):
        report.checked["cited records"] += 1
        if violation is not None:
            report.add([violation])
        progress("cited records", report.checked["cited records"], total)


async def _read_workspaces(settings: Settings, projection: Projection, report: Report, progress: Progress) -> None:
    root, data = settings.workspaces_directory, settings.data_directory
    for done, memory in enumerate(projection.memories.values()):
        for found in await asyncio.to_thread(lambda: list(files.judge_workspaces(root, data, memory))):  # noqa: B023
            if isinstance(found, str):
                report.remarks.append(found)
            else:
                report.add([found])
        progress("workspaces", done + 1, len(projection.memories))
        report.checked["agents"] += 1
