"""Gradings before a server that fails a third of all calls; `tests/proofs/test_faults.py` has 10,000 of them."""

import asyncio

import pytest

from markscheme import Criterion, Rubric, Scale, Submission
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from tests.proofs.server import FAULTS, SHARE, STUBBORN, Script, true_levels
from tests.real.messages_front import MessagesFront

GRADINGS = 250
RUBRIC = Rubric(
    (Criterion(1.0, "The number is even", "even"), Criterion(1.0, "The rest", "rest", Scale.numbered(1, 5)))
)


async def graded(url: str) -> list[tuple[int, Grade]]:
    """Return all grades with their positions, in order of arrival."""
    judge = Limited(AnthropicJudge("m", api_key="test-key", base_url=url), Limiter(concurrency=16), first_wait=0.01)
    submissions = (Submission(f"This is submission {n}.", id=str(n)) for n in range(GRADINGS))
    try:
        return [done async for done in grade_many(Grading(RUBRIC, judge), submissions, concurrency=16)]
    finally:
        await judge.aclose()


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore:.*the code fence around its object is taken off:RuntimeWarning")
def test_no_grade_is_lost_or_doubled_or_passed_without_a_score_if_35_percent_of_requests_fail() -> None:
    script = Script(SHARE, moody=False)
    with MessagesFront(script) as server:
        placed = asyncio.run(graded(server.url))
    assert sorted(place for place, _ in placed) == list(range(GRADINGS))
    for place, grade in placed:
        assert grade.id == str(place)
        assert (grade.score is None) is (grade.error is not None) is (grade.passed is None)
        if grade.score is not None:
            levels = {name: str(int(verdict.level)) for name, verdict in grade.verdicts.items()}
            assert levels == true_levels(place) | {"even": "01"[place % 2 == 0]}
    ungraded = {place for place, grade in placed if grade.score is None}
    assert ungraded >= set(range(0, GRADINGS, STUBBORN))
    assert len(ungraded) < 0.08 * GRADINGS
    assert script.met.keys() == FAULTS.keys()
