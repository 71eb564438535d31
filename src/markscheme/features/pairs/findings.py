"""Findings about a judge of pairs: it prefers the response that is shown first."""

from collections.abc import Iterator
from typing import Final

from markscheme.calibration.findings.evidence import MOST_WORST
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.table import ExaminedJudge, FindingRow
from markscheme.phrases import listed, number
from markscheme.rubrics.keys import BOTH_ORDERS

LEANS_TO_FIRST: Final = FindingKind(
    "leans-to-first", "leans to the response shown first", cause="judge", fixed_by="rubric", stage="judge"
)


def leans_to_first(examined: ExaminedJudge) -> Iterator[Finding]:
    """Yield a finding if the judge prefers the response shown first, by more than 5 percentage points."""
    from markscheme.features.pairs.preferences import order_figures

    evidence = examined.evidence
    ratings = examined.ratings
    comparison = evidence.comparison
    figures = order_figures(comparison.rubric, comparison.gold.examples, ratings, comparison.judge_name)
    if figures is None or not figures.leans_to_first or figures.lean.value is None:
        return
    in_two_orders = comparison.rubric.orders == BOTH_ORDERS
    ask = (
        "Keep asking in both orders (the lean then cancels out)"
        if in_two_orders
        else "Ask in both orders (-o orders=2)"
    )
    shown = figures.flipped[:MOST_WORST]
    read = f"; read {listed(shown)}" if shown else ""
    low = figures.lean.low
    limits = "" if low is None else f" (95% CI {_points(low)} to {_points(figures.lean.high)})"
    lean = f"{_points(figures.lean.value)} points more often{limits}"
    yield evidence.finding(
        LEANS_TO_FIRST,
        None,
        f"The judge prefers the response that it is shown first {lean} than the one shown second.",
        f"{ask}, and shorten the descriptions of the levels{read}.",
        shows=figures.to_json(),
        worst=[evidence.ids.index(unit) for unit in shown],
    )


def _points(share: float | None) -> str:
    return number(None if share is None else 100 * share, 0)


PAIR_FINDINGS: Final = (FindingRow((LEANS_TO_FIRST,), 5, leans_to_first, rated=("pairs",)),)
