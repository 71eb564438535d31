"""Plots of a calibration: scores against gold and by gold's decision, interval by number of labels, and annotators."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import OF_SCORE
from markscheme.phrases import counted, number, percent
from markscheme.report import document as doc
from markscheme.report.page_blocks import Scatter
from markscheme.report.plot import Axis, Plot, PlotBand, PlotBar, PlotLine, PlotMark, PlotPoint, PlotRule
from markscheme.report.sections.examples import is_off
from markscheme.stats.agreement_figures import DECIMALS
from markscheme.stats.intervals import Floats
from markscheme.stats.planning import labels_for_share
from markscheme.stats.shares import share as share_of

BINS = 20
"""Number of bars of the histogram: each is .05 of a score, the finest step that rubrics with few criteria have."""
HALF_WIDTHS = (0.20, 0.15, 0.12, 0.10, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03)
"""Half-widths of the interval for which the plot shows the labels needed, from uninformative to hardly affordable."""
_GRAY = " Shaded: the gray zone, where a person decides."
FEWEST_TO_PLAN = 10
"""Smallest number of labelled examples from which more labels are planned; with fewer, agreement is too uncertain."""
FEWEST_IN_MATRIX = 3
"""Smallest number of annotators for whom a matrix of pairs is shown; for two, it would be a single share."""
MOST_PLANNED = 2_000
"""Largest number of labels to which the curve is drawn, since nobody labels more for one verdict."""


# --- the judge's scores ---------------------------------------------------------------------------------------------


def scatter(comparison: Comparison) -> Scatter:
    """Plot the judge's scores against gold's."""
    together: dict[tuple[float, float, bool], list[str]] = defaultdict(list)
    for index, unit in enumerate(comparison.gold.ids):
        gold = float(comparison.gold.scores[index])
        judge = float(comparison.scores[index])
        if not (math.isnan(gold) or math.isnan(judge)):
            together[round(gold, 3), round(judge, 3), is_off(comparison, index)].append(unit)
    dots = [
        PlotPoint(
            gold,
            judge,
            says=f"gold {number(gold)}, judge {number(judge)}: {len(ids)}",
            role="wrong" if is_wrong else "judge",
            ids=tuple(ids),
        )
        for (gold, judge, is_wrong), ids in together.items()
    ]
    n = sum(len(dot.ids) for dot in dots)
    off = sum(len(dot.ids) for dot in dots if dot.role == "wrong")
    is_score = comparison.measure.of == OF_SCORE
    called = f"off gold by {comparison.tolerance:g} or more" if is_score else f"with {comparison.measure.miss}"
    return Scatter(
        tuple(sorted(dots, key=lambda dot: (dot.role == "wrong", -len(dot.ids)))),
        comparison.tolerance,
        comparison.rubric.pass_mark,
        f"Scores of {counted(n, 'example')}: {off} {called} (hollow). "
        f"Larger points are more examples; dotted lines are the pass mark, {comparison.rubric.pass_mark:g}.",
    )


def score_histogram(comparison: Comparison) -> Plot | None:
    """Plot how many examples the judge gave each score, for gold's passes and fails apart; None without decisions."""
    rubric = comparison.rubric
    gold = comparison.gold.decisions
    is_decided = ~np.isnan(comparison.scores) & ~np.isnan(gold)
    if not rubric.decides or not is_decided.any():
        return None
    edges = [round(edge / BINS, DECIMALS) for edge in range(BINS + 1)]
    passing = _counts(comparison.scores[is_decided & (gold == 1)])
    failing = _counts(comparison.scores[is_decided & (gold == 0)])
    bins = list(zip(pairwise(edges), failing, passing, strict=True))
    zone = tuple(_gray_zone(comparison))
    rows = tuple(
        (f"{number(start)} to {number(right)}", str(fails), str(passes))
        for (start, right), fails, passes in bins
        if fails or passes
    )
    return Plot(
        title="The judge's scores.",
        x=Axis.of_fractions("judge's score"),
        y=Axis.counting(max(fails + passes for _, fails, passes in bins), "examples"),
        marks=(*zone, *_bars(bins), PlotRule(rubric.pass_mark, "pass mark", is_upright=True)),
        table=doc.Table(("judge's score", "gold fails", "gold passes"), rows),
        caption=f"Bars on the wrong side of the pass mark are wrong decisions.{_GRAY if zone else ''}",
        key=(("gold fails", "baseline"), ("gold passes", "judge")),
        height=180,
    )


def _counts(scores: Floats) -> list[int]:
    """Count the scores in each bin of the histogram; a score on the edge between two bins is in the upper one."""
    places = np.floor(np.round(scores * BINS, DECIMALS)).astype(int)
    counts: list[int] = np.bincount(np.clip(places, 0, BINS - 1), minlength=BINS).tolist()
    return counts


def _bars(bins: Sequence[tuple[tuple[float, float], int, int]]) -> Iterator[PlotMark]:
    for (start, right), fails, passes in bins:
        between = f"score {number(start)} to {number(right)}"
        if fails:
            yield PlotBar(start, right, 0, fails, f"{between}: gold fails {fails}", "baseline")
        if passes:
            yield PlotBar(start, right, fails, fails + passes, f"{between}: gold passes {passes}", "judge")


def _gray_zone(comparison: Comparison) -> Iterator[PlotMark]:
    zone = comparison.rubric.gray_zone
    mark = comparison.rubric.pass_mark
    low = max(0.0, mark - zone.fails)
    high = min(1.0, mark + zone.passes)
    if low < high:
        yield PlotBand(low, high)


# --- what more labels would buy -------------------------------------------------------------------------------------


def labels_against_width(calibration: Calibration) -> doc.Section | None:
    """Plot how the interval of agreement narrows with more labels; None if there are too few to estimate it."""
    agreement = calibration.comparison.agreement
    n = agreement.n
    if agreement.value is None or n < FEWEST_TO_PLAN or agreement.low is None or agreement.high is None:
        return None
    planned = [(half, labels_for_share(agreement.value, half)) for half in HALF_WIDTHS]
    curve = [(half, labels) for half, labels in planned if labels <= MOST_PLANNED]
    if len(curve) < 2:
        return None
    half_width = (agreement.high - agreement.low) / 2
    now_in_points = number(100 * half_width, 0)
    top = math.ceil(10 * max(half_width, *(half for half, _ in curve))) / 10
    line = tuple((float(labels), half) for half, labels in curve)
    points = [
        PlotPoint(labels, half, says=f"{labels:g} labels: ± {number(100 * half, 0)} points") for labels, half in line
    ]
    plot = Plot(
        title="Labels, and how sure they make the agreement.",
        x=Axis.counting(max(n, *(labels for _, labels in curve)), "labelled examples"),
        y=Axis(0.0, top, tuple((tick / 100, f"±{tick}") for tick in range(0, round(100 * top) + 1, 5)), "points"),
        marks=(
            PlotLine(line),
            *points,
            PlotPoint(n, half_width, says=f"now: {n} labels, ± {now_in_points}", role="wrong"),
        ),
        table=doc.Table(
            ("half the 95% interval", "labelled examples", "more than now"),
            tuple((f"±{number(100 * half, 0)} points", str(labels), str(max(0, labels - n))) for half, labels in curve),
        ),
        caption=f"At an agreement of {percent(agreement.value)}, for unrelated examples drawn at random.",
        key=(("planned", "judge"), (f"now: {counted(n, 'example')}, ±{now_in_points} points", "wrong")),
        height=180,
    )
    return doc.Section("What more labels would buy", (doc.OnPages((plot,)),), "labels")


# --- annotators with each other -------------------------------------------------------------------------------------


def annotator_matrix(comparison: Comparison) -> doc.Table | None:
    """Tabulate how often each pair of annotators agrees; None for fewer than three annotators."""
    columns = comparison.table.annotators
    if len(columns) < FEWEST_IN_MATRIX:
        return None
    names = [column.name for column in columns]
    values = [comparison.measure.values(column) for column in columns]
    rows: list[tuple[doc.Line, ...]] = []
    for row, name in enumerate(names):
        pairs = (
            "" if row == column else _pair(values[row], values[column], comparison) for column in range(len(names))
        )
        rows.append((doc.Name(name), *pairs))
    caption = "Annotator by annotator: share of the examples that both labelled on which they agree, with its 95% CI."
    return doc.Table(("", *names), tuple(rows), caption)


def _pair(first: Floats, second: Floats, comparison: Comparison) -> doc.Line:
    is_rated = ~np.isnan(first) & ~np.isnan(second)
    if not is_rated.any():
        return "–"
    agree = np.abs(first[is_rated] - second[is_rated]) < comparison.tolerance
    groups = comparison.table.groups
    shared = None if groups is None else [group for group, is_shared in zip(groups, is_rated, strict=True) if is_shared]
    return doc.share_mark(share_of(agree, shared, level=0.95), "annotators")
