"""`candidates list|show` (T5)."""

import asyncio
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from schemas.candidates import Kind, Trust
from streams.audit.candidate_state import STATES, CandidateState, Filter
from streams.cli.counting import counted
from streams.cli.output import Json
from streams.cli.terminal import escape, show, show_json
from streams.errors import LingerMemoryError
from streams.settings import load_settings

application = typer.Typer(help="Candidates for the memory, and what became of each.", no_args_is_help=True)

State = StrEnum("State", {state.upper(): state for state in STATES})  # type: ignore[misc]  # its members are data

_TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"]


@application.command("list")
def list_(
    agent: Annotated[str | None, typer.Option(help="Only this agent's.")] = None,
    room: Annotated[str | None, typer.Option(help="Only from this Room, by its id.")] = None,
    state: Annotated[State | None, typer.Option(help="Only those in this state.")] = None,
    reason: Annotated[str | None, typer.Option(help="Only those in whose reason these words occur.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only this kind.")] = None,
    trust: Annotated[Trust | None, typer.Option(help="Only with this trust.")] = None,
    since: Annotated[datetime | None, typer.Option(formats=_TIMES, metavar="TIME", help="Only those said at or after this time.")] = None,
    until: Annotated[datetime | None, typer.Option(formats=_TIMES, metavar="TIME", help="Only those said before this time.")] = None,
    as_json: Json = False,
) -> None:
    """List candidates in the order of the journal, each with its state: pending, rejected by a gate, or its decision.

    A TIME is a day or more, such as 2026-03-05, 2026-03-05T09:00:00 or 2026-03-05T09:00:00+01:00; without a zone it is UTC.
    """
    wanted = Filter(agent, room, state, reason, kind, trust, _zoned(since), _zoned(until))
    found = asyncio.run(_collect(wanted))
    if as_json:
        show_json([as_plain(one) for one in found])
        return
    for one in found:
        candidate = one.candidate
        why = f" ({escape(one.reason)})" if one.reason else ""
        line = f" into {one.line}" if one.line else ""
        by = f", found by {escape(candidate.extractor)}" if candidate.extractor else ""
        show(
            f"{candidate.id}  {escape(candidate.agent)}  {escape(candidate.room)}  {one.state}{line}{why}\n"
            f"    {candidate.kind}, {candidate.trust}{by}, {candidate.said_at.isoformat()}: {escape(candidate.statement)}"
        )
    show(f"{counted(len(found), 'candidate')}." if found else "No candidates.")


@application.command("show")
def show_(candidate: Annotated[str, typer.Argument(help="Candidate id.")], as_json: Json = False) -> None:
    """Show one candidate with its quote, its records' positions and its decisions."""
    found = asyncio.run(_collect(Filter(id=candidate)))
    if not found:
        raise LingerMemoryError(f"There is no candidate {escape(candidate)}; `linger-memory candidates list` lists them.")
    plain = as_plain(found[0])
    if as_json:
        show_json(plain)
        return
    evidence, decisions = plain.pop("evidence"), plain.pop("decisions")
    for name, value in plain.items():
        show(f"{name:<14} {escape(str(value))}")
    for record in evidence:
        show(f"evidence       {escape(record['event'])} at {record['place']}, {record['time']}")
    for decision in decisions:
        show(f"decision       {decision['verdict']} in version {decision['version']}, memory-candidates[0]@{decision['offset']}")


async def _collect(wanted: Filter) -> list[CandidateState]:
    from streams.audit.candidates import list_candidates

    return [found async for found in list_candidates(load_settings(), wanted)]


def _zoned(time: datetime | None) -> datetime | None:
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time


def as_plain(found: CandidateState) -> dict[str, Any]:
    """Give all of a candidate in plain types."""
    plain: dict[str, Any] = found.candidate.model_dump(mode="json")
    plain |= {"place": f"memory-candidates[0]@{found.offset}", "state": found.state, "why": found.reason, "line": found.line}
    plain["refusals"] = found.refusals
    plain["evidence"] = [{**evidence.model_dump(mode="json"), "place": str(evidence.position)} for evidence in found.candidate.evidence]
    plain["decisions"] = [
        {**record.decision.model_dump(mode="json"), "version": record.version, "offset": record.offset} for record in found.decided
    ]
    return plain
