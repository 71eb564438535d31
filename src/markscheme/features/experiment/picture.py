"""The picture of two variants of an experiment: both scores of each case."""

from collections.abc import Sequence

from markscheme.phrases import counted, number, signed
from markscheme.report import document as doc
from markscheme.report.plot import Axis, Plot, PlotLine, PlotMark, PlotPoint

MOST_CASES = 60
"""Largest number of cases that are drawn: more pairs of dots would touch each other on a desktop."""


def paired_scores(scores: Sequence[tuple[str, float, float]], first: str, second: str) -> Plot | None:
    """Plot two variants' scores of each case, ordered by the second variant's gain; None for fewer than two cases.

    Args:
        scores: For each case its name, its score under the first variant, and its score under the second.
        first: Name of the first variant.
        second: Name of the second variant.
    """
    if len(scores) < 2:
        return None
    by_gain = sorted(scores, key=lambda case: case[1] - case[2])
    half = MOST_CASES // 2
    cases = by_gain if len(by_gain) <= MOST_CASES else [*by_gain[:half], *by_gain[-half:]]
    marks: list[PlotMark] = []
    for index, (name, before, after) in enumerate(cases):
        says = f"{name}: {number(before)} with {first}, {number(after)} with {second}"
        marks.append(PlotLine(((index, before), (index, after)), "plain"))
        marks += [PlotPoint(index, before, says=says, role="baseline"), PlotPoint(index, after, says=says)]
    lowest = min(0.0, *(min(before, after) for _, before, after in scores))
    highest = max(1.0, *(max(before, after) for _, before, after in scores))
    better = sum(after > before for _, before, after in scores)
    worse = sum(after < before for _, before, after in scores)
    score = "1 scores" if better == 1 else f"{better} score"
    left_out = f" The {MOST_CASES} that differ most are drawn." if len(scores) > MOST_CASES else ""
    return Plot(
        title=f"{second} next to {first}, case by case.",
        x=Axis(-1, len(cases), (), "cases, the largest gain first"),
        y=Axis(lowest, highest, Axis.of_fractions().ticks, "score"),
        marks=tuple(marks),
        table=doc.Table(
            ("case", first, second, "difference"),
            tuple((doc.Name(name), number(a), number(b), signed(b - a)) for name, a, b in by_gain),
        ),
        caption=f"Of {counted(len(scores), 'case')}, {score} higher with {second}, {worse} lower.{left_out}",
        key=((first, "baseline"), (second, "judge")),
    )
