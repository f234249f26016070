"""Only the contiguous prefix of finished work is ever committed [A7]."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.kafka.commit_window import CommitWindow

# Rising offsets with holes, as compaction and transaction markers leave them, and an order in which their work ends.
offsets_and_ends = (
    st.lists(st.integers(0, 10_000), min_size=1, max_size=60, unique=True)
    .map(sorted)
    .flatmap(lambda o: st.tuples(st.just(o), st.permutations(o)))
)


@pytest.mark.spec("A7")
@given(offsets_and_ends, st.data())
def test_a_commit_never_passes_unfinished_work_and_reaches_the_end_when_all_is_done_A7(
    case: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    offsets, ends = case
    window, waiting, handed_out, finished = CommitWindow(), list(offsets), set[int](), set[int]()
    ends = list(ends)
    previous = -1
    while waiting or ends:
        startable = bool(waiting)
        endable = [offset for offset in ends if offset in handed_out]
        if startable and (not endable or data.draw(st.booleans())):
            handed_out.add(waiting[0])
            window.add(waiting.pop(0))
        else:
            ends.remove(endable[0])
            finished.add(endable[0])
            window.done(endable[0])
        committable = window.committable()
        assert committable is not None
        assert all(offset >= committable for offset in handed_out - finished)
        assert all(offset < committable for offset in finished if offset < min(handed_out - finished, default=10_001))
        assert committable >= previous
        assert window.unfinished() == len(handed_out - finished)
        previous = committable
    assert window.committable() == offsets[-1] + 1


def test_nothing_handed_out_gives_nothing_to_commit() -> None:
    assert CommitWindow().committable() is None


def test_the_same_end_twice_changes_nothing() -> None:
    window = CommitWindow()
    for offset in (3, 4, 9):
        window.add(offset)
    window.done(4)
    window.done(4)
    assert window.committable() == 3
    window.done(3)
    window.done(3)
    assert window.committable() == 9


def test_going_back_or_ending_what_never_began_is_an_error() -> None:
    window = CommitWindow()
    with pytest.raises(ValueError, match="never handed out"):
        window.done(0)
    window.add(5)
    with pytest.raises(ValueError, match="only rise"):
        window.add(5)
    with pytest.raises(ValueError, match="never handed out"):
        window.done(6)
