"""Thousands of gradings with a server that fails a third of all calls: none is lost, counted twice or made up."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme import Criterion, Rubric, Scale, Submission
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.remembering import Memory, Remembering
from tests.proofs.server import SHARE, STUBBORN, serving, true_levels

pytestmark = pytest.mark.release
GRADINGS = 10_000
MOST_CALLS = 1.6 * GRADINGS
"""A question needs 1.27 calls where 6 of 10 faults of 35% of the calls are mended by asking again, and 1.13 questions
where 3 of 10 are mended by a second question; the rest is for those that nothing mends."""
RUBRIC = Rubric(
    (Criterion(1.0, "The number is even", "even"), Criterion(1.0, "The rest", "rest", Scale.numbered(1, 5)))
)


async def graded(url: str, folder: Path, gradings: int = GRADINGS) -> tuple[list[tuple[int, Grade]], Limiter]:
    """Return all grades with their positions, in order of arrival, and the limiter that allowed the calls."""
    limiter = Limiter(concurrency=32)
    asking = AnthropicJudge("m", api_key="test-key", base_url=url)
    judge = Remembering(Limited(asking, limiter, first_wait=0.05), Memory(folder))
    submissions = (Submission(f"This is submission {n}.", id=str(n)) for n in range(gradings))
    try:
        return [done async for done in grade_many(Grading(RUBRIC, judge), submissions, concurrency=64)], limiter
    finally:
        await judge.aclose()


@pytest.mark.filterwarnings("ignore:.*the code fence around its object is taken off:RuntimeWarning")
def test_every_submission_ends_graded_or_ungraded_with_a_reason(tmp_path: Path, tell: Callable[..., None]) -> None:
    began = time.monotonic()
    with serving("faulty") as server:
        placed, limiter = asyncio.run(graded(server.url, tmp_path))
    seconds = time.monotonic() - began

    assert sorted(place for place, _ in placed) == list(range(GRADINGS))
    assert all(grade.id == str(place) for place, grade in placed)
    ungraded = [(place, grade) for place, grade in placed if grade.score is None]
    for place, grade in placed:
        if grade.score is None:
            assert grade.error
            assert grade.passed is None
        else:
            assert grade.error is None
            levels = {name: str(int(verdict.level)) for name, verdict in grade.verdicts.items()}
            assert levels == true_levels(place) | {"even": "01"[place % 2 == 0]}
            assert grade.quotes_not_found == 0
    assert {place for place, _ in ungraded} >= set(range(0, GRADINGS, STUBBORN))
    assert len(ungraded) < 0.04 * GRADINGS

    counts, met = server.report["calls"], server.report["met"]
    assert GRADINGS < counts <= limiter.usage.calls <= MOST_CALLS
    assert sum(met.values()) == pytest.approx(SHARE * counts, rel=0.1)
    assert min(met.values()) > 60

    kinds = Counter(" ".join((grade.error or "").split()[:8]) for _, grade in ungraded)
    tell(
        f"{GRADINGS:,} gradings, faults in {sum(met.values()) / counts:.1%} of the calls, {seconds:.0f} s",
        f"  graded {GRADINGS - len(ungraded):,}, ungraded with a reason {len(ungraded):,}, lost 0, twice 0",
        f"  calls {limiter.usage.calls:,} ({counts:,} reached the server), at most {MOST_CALLS:,.0f}",
        "  faults met: " + ", ".join(f"{kind} {count}" for kind, count in sorted(met.items())),
        *(f"  {count:4} ungraded: {reason} …" for reason, count in kinds.most_common()),
    )
