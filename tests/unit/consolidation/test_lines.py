"""What a line takes over from the candidates and lines behind it [C4, X14]."""

from schemas.candidates import Candidate, Reporter, Trust
from schemas.memory import Line
from streams.consolidation.lines import new_line, with_candidates, with_line
from tests.unit.consolidation.agent_log import a_candidate


def _said(minute: int, extractor: str, reporter: Reporter | None = None) -> Candidate:
    trust = Trust.REPORTED if reporter else Trust.OWNER
    return a_candidate(f"c{minute}", "Use tabs.", minute=minute, extractor=extractor, reporter=reporter, trust=trust)


def _from(line: Line) -> tuple[str, Reporter | None]:
    return line.extractor, line.reporter


def test_a_line_says_what_found_its_newest_source_and_who_reported_it_X14() -> None:
    line = new_line("l1", "Use tabs.", [_said(5, "rules", Reporter.GUEST), _said(2, "anthropic", Reporter.TOOL)], 1)
    assert _from(line) == ("rules", Reporter.GUEST)
    assert _from(with_candidates(line, [_said(3, "anthropic", Reporter.TOOL)])) == ("rules", Reporter.GUEST)
    newer = with_candidates(line, [_said(7, "anthropic", Reporter.TOOL)])
    assert _from(newer) == ("anthropic", Reporter.TOOL)
    assert _from(with_line(line, newer)) == _from(with_line(newer, line)) == ("anthropic", Reporter.TOOL)
