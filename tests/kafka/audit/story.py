"""What the audit's tests tell: small enough to read, with a duplicate, a reversal, a tool's words and a gate's rejection."""

from schemas.candidates import Candidate, Trust
from tests.kafka.audit.small_log import Said, SmallLog

AGENT = "reviewer"


def add(candidate: Candidate, section: str = "Deploys") -> dict[str, object]:
    """A new line in the candidate's own words."""
    return {"op": "add", "section": section, "text": candidate.statement, "candidates": [candidate.id]}


async def tell_story(log: SmallLog, agent: str) -> list[Candidate]:
    """A rule that is said twice, a decision that is reversed, a tool's words, a gate's rejection; give the candidates."""
    await log.agent(agent, f"shop/{agent}")
    await log.room(agent, "ra", "Backend")
    await log.room(agent, "rb", "Frontend")
    friday = await log.message(agent, "ra", "Never deploy on a Friday.")
    database = await log.message(agent, "ra", "We decided to use Postgres for orders.")
    call = await log.tool_call(agent, "ra", "shell", "make lint", "3 warnings in orders.py")
    first = await log.extracted(
        agent,
        {
            "ra": [
                Said("Never deploy on a Friday.", [friday]),
                Said("Orders are kept in Postgres.", [database], topic="Storage"),
                Said("The linter gives 3 warnings in orders.py.", [call], trust=Trust.REPORTED),
                Said("Suppose we moved to Mars.", [database], gate="hypothetical"),
            ]
        },
    )
    await log.consolidated(agent, [add(first[0]), add(first[1], "Storage"), add(first[2])])
    again = await log.message(agent, "rb", "never deploy on a friday!")
    moved = await log.message(agent, "rb", "We moved orders from Postgres to MySQL.")
    second = await log.extracted(
        agent,
        {"rb": [Said("Never deploy on a Friday.", [again]), Said("Orders are kept in MySQL, not in Postgres.", [moved], topic="Storage")]},
    )
    await log.consolidated(
        agent,
        [
            {"op": "merge_into", "line": "l1", "candidates": [second[0].id]},
            {"op": "replace", "line": "l2", "text": second[1].statement, "cause": "disproved", "candidates": [second[1].id]},
        ],
    )
    await log.extracted(agent, {"rb": []}, summary="They were quiet.")
    await log.consolidated(agent)
    return first + second
