"""Counting on real Kafka: what makes an extraction request and what does not [A2-A5, E9, U18, U61]."""

from datetime import timedelta
from pathlib import Path

from schemas.events import Context, Outcome
from streams.settings import Settings
from tests.activity_events import START, Server
from tests.kafka.activity.outputs import all_done, journal, requests, send_events, told
from tests.kafka.activity.workers import workers_of


async def test_what_counts_and_what_does_not_A2_A3_A4_A5_E9_U18_U61(settings: Settings, topics: tuple[str, ...], tmp_path: Path) -> None:
    """One worker for all of it, since its start takes longer than the rest; each agent shows another promise."""
    server = Server()
    async with workers_of(settings, tmp_path) as workers:
        await workers.start()
        plain = [event for n in range(14) for event in server.a_run("plain", f"run-{n}", room=f"r{n % 2}")]
        four = [event for n in range(4) for event in server.a_run("four", f"run-{n}")]
        tasks = [event for n in range(50) for event in server.a_run("tasks", f"task-{n}", context=Context.TASK)]
        tasks += [event for n in range(50) for event in server.a_run("tasks", f"document-{n}", context=Context.DOCUMENT)]
        failing = [event for n in range(4) for event in server.a_run("failing", f"run-{n}")]
        failing += [event for n in range(20) for event in server.a_run("failing", f"bad-{n}", outcome=Outcome.FAILED)]
        one, other = ([event for n in range(5) for event in server.a_run(agent, f"{agent}-{n}", room="both")] for agent in ("one", "other"))
        both = [event for pair in zip(one, other, strict=True) for event in pair]
        old = Server(time=START)
        boots = [event for n in range(4) for event in old.a_run("boots", f"old-{n}")]
        new = Server(boot=2, time=START + timedelta(hours=1))
        boots += [event for n in range(4) for event in new.a_run("boots", f"new-{n}")]
        boots += old.a_run("boots", "late")
        sent = await send_events(settings, [*plain, *four, *tasks, *failing, *both, *boots])
        await all_done(settings, sent)
        made = {(one.agent, one.cut): one for one in await requests(settings)}
        assert sorted(made) == [("one", 1), ("other", 1), ("plain", 1), ("plain", 2)]

        first, second = made["plain", 1], made["plain", 2]
        assert (first.interval.first, first.interval.last) == (sent[0][1], sent[14][1])
        assert [run.run for run in first.runs] == [f"run-{n}" for n in range(5)]
        assert [room.room for room in first.rooms] == ["r0", "r1"]
        assert (second.interval.first, second.interval.last) == (sent[14][1] + 1, sent[29][1])
        for agent in ("one", "other"):
            assert {run.run for run in made[agent, 1].runs} == {f"{agent}-{n}" for n in range(5)}

        # The same events again, at new offsets: no effect (E9).
        before, in_journal = await told(settings), len(await journal(settings))
        await all_done(settings, await send_events(settings, [*plain, *four, *boots]))
        assert (await told(settings), len(await journal(settings))) == (before, in_journal)

        # A restart of ours changes nothing (A4): the fifth runs of `boots` and `four` come after it.
        assert await workers.all[0].stop() == 0, workers.logs()
        await workers.start()
        sent = await send_events(settings, [*new.a_run("boots", "new-5"), *server.a_run("four", "run-5")])
        await all_done(settings, sent)
        made = {(one.agent, one.cut): one for one in await requests(settings)}
        assert len(made) == 6, workers.logs()
        assert [run.run for run in made["boots", 1].runs] == [
            *(f"old-{n}" for n in range(4)),
            *(f"new-{n}" for n in range(4)),
            "late",
            "new-5",
        ]
