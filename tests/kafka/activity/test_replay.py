"""The same topics read again give the same requests and idle events, however they are read [A7]."""

import random
from pathlib import Path

from schemas.events import Context, Outcome
from streams.kafka.clients import admin
from streams.kafka.topics import CHANGELOGS, create_topics, topic_name
from streams.settings import Settings
from tests.activity_events import Server
from tests.kafka.activity.outputs import all_done, committed, eventually, send_events, told
from tests.kafka.activity.workers import workers_of

AGENTS = [f"agent-{n}" for n in range(12)]


def a_day(seed: int) -> list:
    """Give runs of a dozen agents, mixed, some failed, some of Tasks, with a restart of the server in the middle."""
    chosen, server, events = random.Random(seed), Server(boot=seed), []
    for n in range(300):
        if n == 150:
            server.boot += 1
        agent, outcome = chosen.choice(AGENTS), chosen.choice([Outcome.SUCCEEDED] * 4 + [Outcome.FAILED])
        context = chosen.choice([Context.ROOM] * 4 + [Context.TASK])
        events += server.a_run(agent, f"{seed}-{n}", f"room-{chosen.randrange(4)}", outcome, context)
        if chosen.random() < 0.2:
            events.append(chosen.choice(events))  # sent twice
    return events


async def forget_everything(settings: Settings) -> None:
    """Delete tables and outputs and start the group anew; the input topics stay as they are."""
    gone = [topic_name(settings, name) for name in ("extraction-requests", "memory-candidates", *(spec.name for spec in CHANGELOGS))]
    async with admin(settings) as client:
        await client.delete_topics(gone)

        async def deleted() -> bool:
            return not set(gone) & set(await client.list_topics())

        await eventually(deleted, "topics to be deleted")
    await create_topics(settings)


async def test_the_same_topics_read_again_in_other_batches_over_two_workers_with_a_kill_say_the_same_A7(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"idle_after_seconds": 1.0, "batch_records_max": 400})
    async with workers_of(settings, tmp_path) as workers:
        await workers.start()
        for day in (1, 2):  # with idle stretches in between
            sent = await send_events(settings, a_day(day))
            await all_done(settings, sent)

            async def idle(day: int = day) -> bool:
                return len({licence[0] for licence in (await told(settings)).licences if licence[1] >= day}) == len(AGENTS)

            await eventually(idle, "every agent to be idle")
        assert await workers.all[0].stop() == 0, workers.logs()
        first = await told(settings)
        ends = await committed(settings, "messages")
        assert len(first.requests) > 60

        await forget_everything(settings)
        # The same group, so its commits are at the end: they count for nothing where a partition has no row.
        killed = await workers.start("0", batch_records_max=37)
        await workers.start("1", batch_records_max=150)

        async def some() -> bool:
            return len((await told(settings)).requests) > 5

        await eventually(some, "some requests again")
        await killed.kill()
        await workers.start("0", batch_records_max=1_000)

        async def same() -> bool:
            again = await told(settings)
            assert again.requests <= first.requests and again.licences <= first.licences, workers.logs()
            return again == first

        await eventually(same, "the same requests and licences", 90)
        assert ends == await committed(settings, "messages")
