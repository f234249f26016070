"""Progress ends at its end, also where there was nothing to do [O5]."""

import pytest

from streams.cli.stages import stages


@pytest.mark.spec("O5")
def test_a_stage_with_nothing_to_do_is_done_O5(capsys: pytest.CaptureFixture[str]) -> None:
    with stages() as show:
        show("sending", 0, 0)
        show("reading", 1, 2)
        show("reading", 2, 2)
        show("following", 7, None)
    assert capsys.readouterr().err.splitlines() == ["sending 100 %", "reading 50 %", "reading 100 %", "following"]
