"""From the topics alone, with no model and no network: the same bytes (T1)."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from schemas.codec import encode_key
from streams.audit.projection import read_projection
from streams.audit.rebuild import RebuildRefused, folder_name
from streams.audit.reset import reset
from streams.audit.verify import verify
from streams.consolidation import worker as consolidation
from streams.kafka.clients import make_consumer, start
from streams.kafka.reading import end_offsets, read_to_end
from streams.kafka.topics import topic_name
from streams.models.port import ConsolidationInput, ModelAnswer
from streams.observability.health import Health
from streams.settings import Settings
from streams.workspaces import worker as workspaces
from tests.kafka.audit.guarded import command, files_below, run_guarded
from tests.kafka.audit.small_log import SmallLog
from tests.kafka.audit.story import AGENT, tell_story
from tests.kafka.producing import Outgoing, until


@pytest.mark.spec("T1")
async def test_rebuild_gives_the_same_bytes_after_all_that_is_derived_was_deleted_with_the_network_cut_off_T1(
    empty_log: SmallLog, settings: Settings, tmp_path: Path
) -> None:
    other = "../other agent\u202e"
    await tell_story(empty_log, AGENT)
    await tell_story(empty_log, other)
    await empty_log.publish()
    written = files_below(settings.workspaces_directory)
    expected = {
        f"{folder_name(agent)}/agent-memory/{name}": (settings.workspaces_directory / path / "agent-memory" / name).read_bytes()
        for agent, path in [(AGENT, f"shop/{AGENT}"), (other, f"shop/{other}")]
        for name in ("MEMORY.md", "summary.md")
    }
    assert len(written) == 8 and b"Friday" in expected[f"{AGENT}/agent-memory/MEMORY.md"]

    code, _, error = await command(settings, tmp_path, "rebuild", "--reset", "--yes")
    assert code == 0, error
    shutil.rmtree(settings.workspaces_directory)
    shutil.rmtree(settings.data_directory, ignore_errors=True)
    for derived in ("memory", "decisions"):
        assert await end_offsets(settings, topic_name(settings, derived)) == {0: 0}
    target = tmp_path / "rebuilt"
    code, out, error = await command(settings, tmp_path, "rebuild", "--to", str(target), "--json")
    assert code == 0, error
    rebuilt = files_below(target)
    assert {name: rebuilt[name] for name in expected} == expected
    assert sorted(rebuilt.values()) == sorted(written.values())
    assert json.loads(out)["files"] == {AGENT: 4, other: 4}


@pytest.mark.spec("T1")
async def test_the_roles_make_memory_decisions_and_files_anew_and_ask_no_model_T1(small_log: SmallLog, settings: Settings) -> None:
    files = files_below(settings.workspaces_directory)
    memories = (await read_projection(settings)).memories
    decisions = await _values(settings, "decisions")
    await reset(settings)
    await asyncio.to_thread(shutil.rmtree, settings.workspaces_directory)
    stop = asyncio.Event()
    roles = [
        asyncio.create_task(consolidation.run(settings, Health("consolidation"), stop, NoModel())),
        asyncio.create_task(workspaces.run(settings, Health("workspaces"), stop)),
    ]
    try:
        await until(lambda: any(task.done() for task in roles) or files_below(settings.workspaces_directory) == files, "the files")
    finally:
        stop.set()
        await asyncio.gather(*roles)
    assert (await read_projection(settings)).memories == memories
    assert await _values(settings, "decisions") == decisions
    report = await verify(settings)
    assert report.holds, report.violations


class NoModel:
    """Whoever asks it has made a call that a rebuild must not make."""

    name = "none"
    prompt = "none"
    fixed_tokens = 0

    async def consolidate(self, step: ConsolidationInput, model: str) -> ModelAnswer:
        raise AssertionError("a rebuild asked a model")


async def _values(settings: Settings, topic: str) -> list[bytes | None]:
    return [record.value async for record in read_to_end(settings, topic_name(settings, topic), isolation="read_committed")]


@pytest.mark.spec("T1")
async def test_the_guard_of_the_rebuild_really_cuts_the_network_off_T1(settings: Settings, tmp_path: Path) -> None:
    for tried in ("socket.create_connection(('192.0.2.1', 9), 1)", "socket.getaddrinfo('example.invalid', 80)"):
        code, _, error = await run_guarded(settings, tmp_path, "-c", f"import socket; {tried}")
        assert code != 0 and "the network is cut off" in error


@pytest.mark.spec("T1")
async def test_rebuild_check_names_what_differs_T1(small_log: SmallLog, settings: Settings, tmp_path: Path) -> None:
    code, out, error = await command(settings, tmp_path, "rebuild", "--check", "--json")
    assert (code, json.loads(out)) == (0, {"same": True, "differences": []}), error
    workspace = settings.workspaces_directory / f"shop/{AGENT}/agent-memory"
    (workspace / "MEMORY.md").write_text("Always deploy on a Friday.\n")
    (workspace / "summary.md").unlink()
    await small_log.send([Outgoing(topic_name(settings, "memory"), None, encode_key(["main", "section", AGENT, "s1"]), 0)])
    code, out, _ = await command(settings, tmp_path, "rebuild", "--check", "--json")
    found = json.loads(out)["differences"]
    assert code == 1 and len(found) == 3, found
    assert any("MEMORY.md" in sentence and f"w-{AGENT}" in sentence and "other bytes" in sentence for sentence in found)
    assert any("summary.md" in sentence and "missing" in sentence for sentence in found)
    assert any("section s1" in sentence and "topic memory" in sentence for sentence in found)


@pytest.mark.spec("T1")
async def test_a_reset_is_refused_while_a_role_is_at_work_T1(small_log: SmallLog, settings: Settings) -> None:
    before = await end_offsets(settings, topic_name(settings, "memory"))
    consumer = make_consumer(settings, topic_name(settings, "messages"), group=f"{settings.topic_prefix}activity", offset_reset="earliest")
    await start(consumer, settings)
    try:
        await consumer.getmany(timeout_ms=1_000)
        with pytest.raises(RebuildRefused, match="activity has 1 member after 11 s: a role is running"):
            await reset(settings)
    finally:
        await consumer.stop()
    assert await end_offsets(settings, topic_name(settings, "memory")) == before


@pytest.mark.spec("T1")
async def test_a_reset_waits_for_the_session_of_a_role_that_has_ended_and_says_so_T1(settings: Settings, topics: tuple[str, ...]) -> None:
    consumer = make_consumer(
        settings,
        topic_name(settings, "messages"),
        group=f"{settings.topic_prefix}activity",
        group_instance="0",
        offset_reset="earliest",
    )
    await start(consumer, settings)
    await consumer.getmany(timeout_ms=1_000)
    await consumer.stop()
    told: list[str] = []
    assert topic_name(settings, "memory") in await reset(settings, told.append)
    (line,) = told
    assert "activity has 1 member: waiting up to 11 s" in line


@pytest.mark.spec("T1")
async def test_rebuild_never_mixes_its_files_with_others_T1(small_log: SmallLog, settings: Settings, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    (target / "diary.txt").write_text("mine")
    code, _, error = await command(settings, tmp_path, "rebuild", "--to", str(target))
    assert code == 1 and "is not an empty folder" in error
    assert files_below(target) == {"diary.txt": b"mine"}
    assert {name for name in files_below(tmp_path) if "unfinished" in name} == set()
