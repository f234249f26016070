"""Which request is next: one of an agent at a time, in order, agents in turn [A5]."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.extraction import ExtractionRequest
from streams.extraction.admission import Admission, Queued
from tests.unit.extraction.building import request


def queued(agent: int, offset: int) -> Queued:
    asked: ExtractionRequest = request().model_copy(update={"agent": f"agent-{agent}"})
    return Queued(asked, agent % 2, offset)


@given(st.lists(st.integers(0, 4), max_size=40), st.integers(1, 4), st.randoms(use_true_random=False))
def test_an_agents_requests_go_one_by_one_in_their_order_and_none_is_forgotten_A5(agents: list[int], at_once: int, random: object) -> None:
    admission, in_work, order = Admission(), list[Queued](), dict[str, list[int]]()
    waiting = [queued(agent, offset) for offset, agent in enumerate(agents)]
    sent = {f"agent-{agent}": [offset for offset, one in enumerate(agents) if one == agent] for agent in agents}
    while waiting or in_work or admission.waiting:
        if waiting:
            admission.add(waiting.pop(0))
        if in_work and random.random() < 0.5:  # type: ignore[attr-defined]
            ended = in_work.pop(random.randrange(len(in_work)))  # type: ignore[attr-defined]
            admission.ended(ended.request.agent)
        while len(in_work) < at_once and (one := admission.admit()) is not None:
            assert one.request.agent not in {other.request.agent for other in in_work}
            order.setdefault(one.request.agent, []).append(one.offset)
            in_work.append(one)
    assert order == sent


def test_a_partition_that_goes_takes_its_waiting_requests_with_it() -> None:
    admission = Admission()
    for offset, agent in enumerate((1, 2, 1, 3)):
        admission.add(queued(agent, offset))
    assert admission.admit() == queued(1, 0)
    admission.forget(1)
    admission.ended("agent-1")
    assert (admission.admit(), admission.admit(), admission.waiting) == (queued(2, 1), None, 0)


def test_an_agent_with_many_requests_does_not_keep_others_waiting() -> None:
    admission = Admission()
    for offset, agent in enumerate((1, 1, 1, 2)):
        admission.add(queued(agent, offset))
    assert admission.admit() == queued(1, 0)
    assert admission.admit() == queued(2, 3)
