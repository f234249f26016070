"""`rebuild --reset`: throws away what can be made anew, so that the next start makes it (T1).

1. Nobody may be at work: neither group has a member (a role that has ended is one until its session is over, which is awaited), and the
   consolidator's transactional id is taken over, so that one that still runs fails at its next write instead of writing on into the new
   topics.
2. `memory`, `decisions` and the tables' changelogs are deleted, and awaited to be gone.
3. They are created anew, empty. The next consolidation folds the journal from its beginning, the next activity reads its input from the
   beginning; all that they say again is a repeat to every reader.

Inputs, requests, recorded answers, the journal, notes and pins are never touched.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import GroupCoordinatorNotAvailableError, for_code

from schemas.base import MAIN
from streams.audit.rebuild import RebuildRefused
from streams.kafka.clients import admin, make_transactional_producer, start
from streams.kafka.errors import KafkaFault
from streams.kafka.topics import CHANGELOGS, create_topics, topic_name
from streams.settings import Settings

DERIVED = ("memory", "decisions")
GROUPS = ("activity", "extraction")
_GONE_SECONDS = 60.0
_COORDINATOR_SECONDS = 30.0
_BEYOND_SESSION_SECONDS = 5.0


async def reset(settings: Settings, tell: Callable[[str], None] = lambda line: None) -> list[str]:
    """Delete and create anew what is derived; give the topics' names. `tell` gets a line for people when it has to wait.

    Raises RebuildRefused, KafkaFault.
    """
    await _nobody_at_work(settings, tell)
    await _take_over(settings)
    names = [topic_name(settings, name) for name in (*DERIVED, *(spec.name for spec in CHANGELOGS))]
    async with admin(settings) as client:
        present = sorted(set(names) & set(await client.list_topics()))
        if present:
            _raise_faults(await client.delete_topics(present))
        deadline = asyncio.get_running_loop().time() + _GONE_SECONDS
        while left := set(present) & set(await client.list_topics()):
            if asyncio.get_running_loop().time() > deadline:
                raise KafkaFault(f"These topics are still there {_GONE_SECONDS:.0f} s after they were deleted: {', '.join(sorted(left))}.")
            await asyncio.sleep(0.1)
    await create_topics(settings)
    return names


def _raise_faults(response: Any) -> None:
    faults = [f"{name}: {for_code(code).__name__}" for name, code in response.topic_error_codes if code]
    if faults:
        raise KafkaFault("These topics could not be deleted:\n- " + "\n- ".join(faults))


async def _nobody_at_work(settings: Settings, tell: Callable[[str], None]) -> None:
    wait_seconds = settings.session_timeout_seconds + _BEYOND_SESSION_SECONDS
    deadline = asyncio.get_running_loop().time() + wait_seconds
    told = False
    async with admin(settings) as client:
        while members := await _members(client, settings):
            if asyncio.get_running_loop().time() > deadline:
                raise RebuildRefused(f"{members} after {wait_seconds:g} s: a role is running. Stop the roles, then do this again.")
            if not told:
                tell(f"{members}: waiting up to {wait_seconds:g} s, as long as a role that has ended is still counted …")
                told = True
            await asyncio.sleep(0.5)


async def _members(client: AIOKafkaAdminClient, settings: Settings) -> str:
    """Say which of our groups has members; nothing if none has."""
    # One at a time: aiokafka 0.14 reads the answer to version 3 of the request as version 2, which fits the first group only.
    for name in GROUPS:
        response = await _described(client, settings.topic_prefix + name)
        for _, group, _, _, _, members, *_ in response.groups:
            if members:
                return f"Group {group} has {len(members)} member{'' if len(members) == 1 else 's'}"
    return ""


async def _described(client: AIOKafkaAdminClient, group: str) -> Any:
    """What the broker says of a group. Where no group has ever been, it first has to make the topic that it keeps groups in."""
    deadline = asyncio.get_running_loop().time() + _COORDINATOR_SECONDS
    while True:
        try:
            (response,) = await client.describe_consumer_groups([group])
            return response
        except GroupCoordinatorNotAvailableError:
            if asyncio.get_running_loop().time() > deadline:
                raise KafkaFault(f"No broker coordinates group {group} after {_COORDINATOR_SECONDS:.0f} s.") from None
            await asyncio.sleep(0.2)


async def _take_over(settings: Settings) -> None:
    producer = make_transactional_producer(settings, f"consolidation-{MAIN}", role="reset")
    try:
        await start(producer, settings)
    finally:
        await producer.stop()
