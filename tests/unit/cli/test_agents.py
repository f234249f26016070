"""What `agents show` says of an agent: who answers in place of its model, and how its workspaces go [X14, W5]."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.memory import AgentMemory, AgentState, KnownWorkspace, Licence, LicenceKind
from schemas.workspaces import WorkspaceOutcome, WorkspaceResult
from streams.cli.agents import in_words, overview
from streams.settings import Settings, load_settings
from streams.workspaces.outcomes import note_outcome

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_directory=tmp_path)


def _said(memory: AgentMemory, settings: Settings) -> str:
    return "\n".join(in_words(memory, settings))


@pytest.mark.spec("X14")
def test_a_model_that_does_not_answer_is_not_shown_as_if_it_did_X14(settings: Settings) -> None:
    memory = AgentMemory(state=AgentState(agent="a", model="claude-sonnet-4-5", window=1_000_000))
    assert "claude-sonnet-4-5, not used: no provider is set up; the offline `rules` side answers\n" in _said(memory, settings)
    assert "1000000 tokens\n" in _said(memory, settings)
    plain = overview(memory, settings)
    assert (plain["model"], plain["answered_by"]) == ("claude-sonnet-4-5", "rules")


@pytest.mark.spec("X13")
def test_what_an_agent_has_not_named_is_shown_as_the_value_in_force_X13(settings: Settings) -> None:
    said = _said(AgentMemory(state=AgentState(agent="a")), settings)
    assert "rules (the default): offline" in said
    assert "200000 tokens (the default)" in said
    assert "none yet" in said.partition("licence")[2]


def test_the_last_licence_is_shown_A6(settings: Settings) -> None:
    licence = Licence(number=3, kind=LicenceKind.IDLE, cut=4, at=NOON)
    said = _said(AgentMemory(state=AgentState(agent="a", licence=licence, licence_used=2)), settings)
    assert "number 3 (idle), for what was cut up to 4, given 2026-03-01T12:00:00+00:00, not used up yet" in said


@pytest.mark.spec("W5")
@pytest.mark.parametrize(
    ("result", "version", "reason", "words"),
    [
        (WorkspaceResult.WRITTEN, 2, "", "attached; version 2 written"),
        (WorkspaceResult.REFUSED, 0, "It goes upwards.", "attached; refused since 2026-03-01T12:00:00+00:00: It goes upwards."),
        (WorkspaceResult.FAILED, 0, "No space", "attached; failing since 2026-03-01T12:00:00+00:00, nothing of it stands there: No space"),
        (None, 0, "", "attached; not written yet"),
    ],
)
def test_how_a_workspace_goes_is_shown_W5(
    settings: Settings, result: WorkspaceResult | None, version: int, reason: str, words: str
) -> None:
    known = KnownWorkspace(agent="a", workspace="w", path="../x")
    memory = replace(AgentMemory.empty("a"), workspaces={"w": known})
    if result is not None:
        outcome = WorkspaceOutcome(agent="a", workspace="w", path="../x", result=result, version=version, reason=reason, at=NOON)
        note_outcome(settings.data_directory, outcome)
    assert f"workspace w  ../x, {words}" in _said(memory, settings)
