"""The offline consolidator: equal words once, explicit corrections in force, nothing else touched (C3, C4; U04, U06, U07)."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.answers import ConsolidationAnswer
from schemas.candidates import Candidate, Trust
from schemas.memory import LicenceKind, Section
from streams.models.port import ConsolidationInput, Consolidator
from streams.models.rules import RulesConsolidator
from tests.unit.candidates.chunks import BEGINNING
from tests.unit.consolidation.agent_log import AgentLog
from tests.unit.models.rooms import learned, proposed_operations


def consolidated(step: ConsolidationInput) -> str:
    side: Consolidator = RulesConsolidator()
    return asyncio.run(side.consolidate(step, "rules")).text


class Memory:
    """One agent's memory as candidates come to it step by step, each decided as a model's answer would be."""

    def __init__(self) -> None:
        self.log = AgentLog("wren")
        self.said = 0

    def hears(self, *said: str, rooms: Sequence[str] = (), projects: Sequence[str] = ()) -> list[str]:
        """The lines after a step with what was said."""
        candidates = learned(*said, rooms=rooms, projects=projects, start=self.said)
        self.said += len(said)
        assert candidates, "nothing was learned"
        self.log.extracted(*candidates)
        self.log.idle(kind=LicenceKind.IDLE)
        self.log.start()
        offered = tuple(pending.candidate for pending in self.log.memory.pending.values())
        step = ConsolidationInput(agent="wren", sections=self.log.memory.sections, candidates=offered, window=200_000)
        text = consolidated(step)
        self.log.answered(text)
        changed = self.log.decide(text)
        assert changed is not None and not changed.refused, changed
        self.log.append(changed)
        assert not self.log.memory.pending
        return self.log.texts


# --- U06: a contradiction leaves exactly the new one


REVERSALS = [
    ("The shop uses Postgres.", "The shop moved to MySQL."),
    ("Our backend uses Postgres.", "We moved from Postgres to MySQL last weekend."),
    ("The orders service runs on Postgres.", "Orders has been migrated to MySQL."),
    ("We're on Postgres for everything.", "We've migrated everything to MySQL."),
    ("Billing uses Postgres.", "Billing is on MySQL now, not Postgres."),
    ("We decided to go with Postgres.", "Change of plan: we're switching to MySQL."),
    ("Let's go with Postgres as our database.", "We dropped Postgres, the database is MySQL now."),
    ("Remember: the shop's database is Postgres.", "The shop's database is now MySQL instead of Postgres."),
    ("We use Postgres in production.", "As of this week we use MySQL in production."),
    ("Please note that we store orders in Postgres.", "We no longer store orders in Postgres, it's MySQL now."),
    ("We've settled on Postgres.", "We changed our mind and moved from Postgres to MySQL."),
    ("Always use Postgres for new services.", "Use MySQL for new services, not Postgres."),
    ("We deploy on Fridays.", "We no longer deploy on Fridays."),
    ("Our office is in Leipzig.", "Our office moved from Leipzig to Halle."),
    ("We use Slack.", "We replaced Slack with Zulip."),
    ("Use tabs for indentation, not spaces.", "Use spaces for indentation instead of tabs."),
    (
        "We decided to serve the photos from the old bucket.",
        "We decided against the old bucket, we serve the photos from Frankfurt instead.",
    ),
]


@pytest.mark.parametrize(("before", "after"), REVERSALS)
def test_a_reversal_leaves_exactly_the_new_statement_U06(before: str, after: str) -> None:
    (new,) = learned(after)
    apart = Memory()
    assert len(apart.hears(before)) == 1
    assert apart.hears(after) == [new.statement]
    assert sorted(apart.log.verdicts().values()) == ["merged", "merged"]
    together = Memory()
    assert together.hears(before, after) == [new.statement]
    assert sorted(together.log.verdicts().values()) == ["disproved", "merged"]


@pytest.mark.parametrize(("before", "after"), REVERSALS)
def test_what_was_said_before_disproves_nothing_C4(before: str, after: str) -> None:
    """The old statement arrives later but was said earlier, or again: no order of arrival loses the newer one."""
    old, new = learned(before), learned(after, start=5)
    operations = proposed_operations([*new, *old])
    assert sorted(operation.op for operation in operations) == ["add", "reject"]


def test_a_decision_that_another_room_reverses_is_gone_C4() -> None:
    memory = Memory()
    memory.hears(
        "We decided to serve the bike photos from Cloudflare.", "Always lint.", rooms=["web", "web"], projects=["website", "website"]
    )
    after = memory.hears(
        "About the bike photos: we decided against Cloudflare, we serve them from our own bucket.", rooms=["ops"], projects=["operations"]
    )
    assert after == ["About the bike photos: we decided against Cloudflare, we serve them from our own bucket.", "Always lint."]


def test_a_reversal_in_another_project_ends_only_what_shares_its_subject_C4() -> None:
    memory = Memory()
    memory.hears("We decided to use Postgres.", rooms=["a"], projects=["alpha"])
    after = memory.hears("We moved from Postgres to MySQL.", rooms=["b"], projects=["beta"])
    assert after == ["alpha: We decided to use Postgres.", "beta: We moved from Postgres to MySQL."]


def test_a_reversal_with_another_subject_ends_nothing_elsewhere_C4() -> None:
    memory = Memory()
    memory.hears("We decided to use Postgres.", rooms=["a"], projects=["alpha"])
    after = memory.hears("For the trip planner of our travel agency we moved from Postgres to MySQL.", rooms=["b"], projects=["beta"])
    assert len(after) == 2


def test_a_correction_that_arrives_late_ends_no_newer_line_C4() -> None:
    """The Room was read late: what it says was said before the line's newest source."""
    memory = Memory()
    memory.hears("We use Postgres.", "We use Postgres.")
    early = learned("We moved from Postgres to MySQL.")
    assert early[0].said_at < memory.log.memory.lines[0].said_at
    assert [operation.op for operation in proposed_operations(early, memory.log.memory.sections)] == ["add"]


def test_what_becomes_true_again_is_there_again_C4() -> None:
    memory = Memory()
    memory.hears("We use Postgres.")
    memory.hears("We moved from Postgres to MySQL.")
    assert memory.hears("We moved back from MySQL to Postgres.") == ["We moved back from MySQL to Postgres."]
    at_once = Memory()
    assert at_once.hears("We use Postgres.", "We moved from Postgres to MySQL.", "We moved from MySQL to Postgres.") == [
        "We use Postgres.",
        "We moved from MySQL to Postgres.",
    ]


def test_a_future_change_stands_beside_today_s_rule_C4() -> None:
    memory = Memory()
    memory.hears("We use PayPal.")
    after = memory.hears("From 1 March on we use Stripe instead of PayPal.")
    assert after == ["We use PayPal.", "From 1 March on we use Stripe instead of PayPal."]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We use Slack.", "We moved from Postgres to MySQL."),
        ("Always back up Postgres and the mail server at night.", "We moved from Postgres to MySQL."),
        ("Never use npm.", "Use pnpm, not npm."),
        ("Never deploy on Fridays.", "We no longer deploy on Fridays."),
        ("The billing service uses Postgres.", "The billing service uses Redis."),
        ("Remember that Anna speaks French.", "Remember that Anna speaks German."),
        ("We decided to paint the door red.", "No, paint the window blue instead."),
        ("We use Slack and Postgres.", "We moved to Zulip."),
        ("We use Slack and Postgres.", "We moved from Slack to Zulip."),
    ],
)
def test_what_is_not_replaced_stays_U07(before: str, after: str) -> None:
    memory = Memory()
    kept = memory.hears(before)
    texts = memory.hears(after)
    assert set(kept) <= set(texts) and len(texts) == 2


# --- equal words


def test_the_same_lesson_in_the_same_words_is_one_line_with_all_its_sources_C4() -> None:
    memory = Memory()
    said = ["Never push straight to main."] * 3
    (added,) = proposed_operations(learned(*said))
    assert added.op == "add" and len(added.candidates) == 3
    memory.hears(*said)
    (merged,) = proposed_operations(learned(*said, start=9), memory.log.memory.sections)
    assert merged.op == "merge_into" and len(merged.candidates) == 3
    assert memory.hears("never push  straight to MAIN", "Never push straight to main!") == ["Never push straight to main."]
    (line,) = memory.log.memory.lines
    assert line.sources == 5
    assert set(memory.log.verdicts().values()) <= {"merged", "duplicate"}


def test_equal_words_about_different_people_or_places_are_not_one_C4() -> None:
    one, other = learned("Never push to main here.", "Never push to main here.", rooms=["a", "b"], projects=["alpha", "beta"])
    assert [operation.op for operation in proposed_operations([one, other])] == ["add", "add"]


def test_each_candidate_is_named_by_exactly_one_operation_C3() -> None:
    candidates = learned(*[text for pair in REVERSALS for text in pair])
    operations = proposed_operations(candidates)
    named = [name for operation in operations for name in getattr(operation, "candidates", ())]
    assert sorted(named) == sorted(candidate.id for candidate in candidates)


_SAID = st.lists(st.sampled_from([text for pair in REVERSALS for text in pair] + ["Never push.", "never PUSH", "Always lint."]), max_size=6)


@settings(max_examples=40)
@given(_SAID, _SAID, st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_answer_C4(first: list[str], second: list[str], shuffle: object) -> None:
    memory = Memory()
    if first:
        memory.hears(*first)
    candidates = learned(*second, start=50)
    step = ConsolidationInput(agent="wren", sections=memory.log.memory.sections, candidates=tuple(candidates), window=200_000)
    expected = consolidated(step)
    ConsolidationAnswer.model_validate_json(expected)
    mixed = list(candidates)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert consolidated(step.model_copy(update={"candidates": tuple(mixed)})) == expected
    named = [name for operation in orjson.loads(expected)["operations"] for name in operation["candidates"]]
    assert sorted(named) == sorted(candidate.id for candidate in candidates)


def test_a_less_trusted_voice_ends_nothing_C8() -> None:
    old, new = learned("We use Postgres."), learned("We moved from Postgres to MySQL.", start=5)
    as_guest = [candidate.model_copy(update={"trust": Trust.REPORTED}) for candidate in new]
    assert [operation.op for operation in proposed_operations([*old, *as_guest])] == ["add", "add"]


def test_a_pinned_line_stays_C6() -> None:
    memory = Memory()
    memory.hears("We use Postgres.")
    sections: list[Section] = [
        section.model_copy(update={"lines": tuple(line.model_copy(update={"pinned": True}) for line in section.lines)})
        for section in memory.log.memory.sections
    ]
    new: list[Candidate] = learned("We moved from Postgres to MySQL.", start=5)
    assert new[0].said_at == BEGINNING + timedelta(minutes=5)
    assert [operation.op for operation in proposed_operations(new, sections)] == ["add"]
