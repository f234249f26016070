"""No kill, leaver or newcomer makes a difference: counts, requests and idle licences are those of a recount, ever [A7, E9]."""

import asyncio
from pathlib import Path

import pytest

from streams.settings import Settings
from tests.faults.rounds import (
    Fault,
    all_are_killed,
    compare,
    keep_running,
    kill_one,
    one_is_stopped_past_its_session,
    one_leaves_and_one_comes,
    play_round,
)
from tests.kafka.activity.workers import workers_of


async def play(settings: Settings, folder: Path, faults: list[Fault], runs: int) -> None:
    settings = settings.model_copy(update={"idle_after_seconds": 1.5, "batch_records_max": 60})
    async with workers_of(settings, folder) as workers:
        await workers.start("0")
        await workers.start("1")
        keeper = asyncio.create_task(keep_running(workers))
        for number, fault in enumerate(faults, start=1):
            at_fault = await play_round(settings, workers, number, fault, runs)
            print(f"round {number}: {fault.__name__}, {at_fault.in_flight} records in flight, ends {at_fault.ends}, done {at_fault.done}")
            assert at_fault.in_flight > 0, "nothing was in work at the fault, so the round does not count"
            recount = await compare(settings)
            assert not keeper.done()
            print(f"  the same: {len(recount.requests)} requests, {len(recount.licences)} licences of {len(recount.agents)} agents")
        keeper.cancel()


@pytest.mark.timeout(280)
async def test_two_rounds_with_a_kill_a_leaver_and_a_newcomer_make_no_difference_A7(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    # The kill comes last: by then there are cuts, whose requests it could lose.
    await play(settings, tmp_path, [one_leaves_and_one_comes, kill_one], runs=1_500)


@pytest.mark.slow
@pytest.mark.timeout(1_500)
async def test_ten_rounds_with_kills_leavers_and_newcomers_make_no_difference_A7(
    settings: Settings, topics: tuple[str, ...], tmp_path: Path
) -> None:
    faults = [kill_one, one_leaves_and_one_comes, one_is_stopped_past_its_session, all_are_killed, one_leaves_and_one_comes]
    await play(settings, tmp_path, faults * 2, runs=2_000)
