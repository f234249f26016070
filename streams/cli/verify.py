"""`verify` (T6)."""

import asyncio
from typing import TYPE_CHECKING

import typer

from streams.cli.counting import counted
from streams.cli.output import Json
from streams.cli.stages import stages
from streams.cli.terminal import escape, show, show_json
from streams.settings import load_settings

if TYPE_CHECKING:
    from streams.audit.verify import Report


def verify(as_json: Json = False) -> None:
    """Check the whole log: one decision each, line ends, lineage, share, files. Ends with 1 if a promise is broken.

    It only reads, so it may be stopped at any time and started again.
    """

    from streams.audit.verify import verify as check

    async def run() -> "Report":
        with stages(plain_lines=False) as progress:
            return await check(load_settings(), progress)

    report = asyncio.run(run())
    if as_json:
        show_json(
            {
                "holds": report.holds,
                "violations": [{"invariant": one.invariant, "agent": one.agent, "sentence": one.sentence} for one in report.violations],
                "count": dict(report.count),
                "checked": dict(report.checked),
                "remarks": report.remarks,
            }
        )
    else:
        _print(report)
    if not report.holds:
        raise typer.Exit(1)


def _print(report: "Report") -> None:
    for one in report.violations:
        agent = f"agent {escape(one.agent)}: " if one.agent else ""
        show(f"{one.invariant}: {agent}{escape(one.sentence)}")
    untold = sum(report.count.values()) - len(report.violations)
    if untold:
        show(f"... and {untold} more.")
    for remark in report.remarks:
        show(f"remark: {escape(remark)}")
    looked_at = ", ".join(counted(number, what.removesuffix("s")) for what, number in report.checked.items())
    show(f"checked: {looked_at or 'nothing, since nothing is recorded yet'}")
    if report.holds:
        show("All holds.")
    else:
        show("Violated: " + ", ".join(f"{invariant} ({number})" for invariant, number in report.count.items()))
