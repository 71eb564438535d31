"""The figures of a report as points on a drawing, rounded: what a template needs to draw them."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.choice import Choice
from markscheme.calibration.comparison import Comparison, CriterionComparison
from markscheme.calibration.drift import Baseline
from markscheme.calibration.findings.slices import Slice
from markscheme.report.figures import NONE, chance, number, share, share_with_interval, with_interval
from markscheme.report.html_cases import Cases, cell_tag, is_off, level_name, slice_tag
from markscheme.rubrics.rubric import Criterion
from markscheme.stats import Estimate
from markscheme.stats.coefficients import agreement, corrected
from markscheme.stats.severity import agreement_constant, confusion

WIDTH = 200
"""Of a line on which an estimate is drawn."""
SIDE = 400
"""Of the scatter of scores."""
SHADES = 4
MOST_NAMED = 5
PARTS = {0.25: "a quarter of the scale", 0.5: "half of the scale", 1.0: "the whole scale"}
LONGEST_BARE = 6
"""Characters of a level that needs no room for words: a number, MET, UNMET."""
EXACT = 1e-6
"""A tolerance that no two levels fall into."""


@dataclass(frozen=True)
class Bar:
    """An estimate on a line: its place and its limits, 0 to WIDTH; None where there is none."""

    name: str
    text: str
    x: float | None = None
    low: float | None = None
    high: float | None = None
    kind: str = "judge"


@dataclass(frozen=True)
class Point:
    """Examples with one pair of scores, on the scatter."""

    x: float
    y: float
    r: float
    off: bool
    title: str
    anchor: str | None


def share_bar(name: str, estimate: Estimate | None, kind: str = "judge") -> Bar:
    """A share on a line from 0 to 1."""
    return _bar(name, share_with_interval(estimate), estimate, (0.0, 1.0), kind)


def _bar(name: str, text: str, estimate: Estimate | None, span: tuple[float, float], kind: str = "judge") -> Bar:
    if estimate is None or estimate.value is None:
        why = estimate.undefined if estimate is not None else None
        return Bar(name, f"{NONE} ({why})" if why else NONE, kind=kind)
    low, high = (_x(limit, span) if limit is not None else None for limit in (estimate.low, estimate.high))
    return Bar(name, text, _x(estimate.value, span), low, high, kind)


def _x(value: float, span: tuple[float, float]) -> float:
    lowest, highest = span
    return round(WIDTH * min(1.0, max(0.0, (value - lowest) / (highest - lowest))), 1)


def agreement_bars(comparison: Comparison, target: float) -> list[Bar]:
    """Agreement of the whole: judge, a person, a constant, and the target."""
    c = comparison
    people = [share_bar("a person left out", c.agreement_person, "people")] if c.agreement_person else []
    return [
        share_bar("judge", c.agreement),
        *people,
        share_bar("a constant", c.agreement_constant, "constant"),
        Bar("target", share(target), _x(target, (0.0, 1.0)), kind="target"),
    ]


def standing_bars(choice: Choice) -> list[Bar]:
    """Agreement of each judge; none without gold."""
    return [share_bar(one.name, one.agreement) for one in choice.standings if one.agreement is not None]


# --- the scatter ----------------------------------------------------------------------------------------------------


def scatter(comparison: Comparison, cases: Cases) -> dict[str, Any]:
    """Gold scores across, the judge's upwards, with the band of the tolerance and the pass mark."""
    tolerance, mark = comparison.tolerance, comparison.rubric.pass_mark
    together: dict[tuple[float, float, bool], list[str]] = defaultdict(list)
    for place, unit in enumerate(comparison.gold.ids):
        gold, judge = float(comparison.gold.overall[place]), float(comparison.scores[place])
        if not (math.isnan(gold) or math.isnan(judge)):
            together[round(gold, 3), round(judge, 3), is_off(comparison, place)].append(unit)
    points = []
    for (gold, judge, off), ids in together.items():
        named = ", ".join(unit[:40] for unit in ids[:MOST_NAMED]) + (", …" if len(ids) > MOST_NAMED else "")
        points.append(
            Point(
                x=round(SIDE * gold, 1),
                y=round(SIDE * (1 - judge), 1),
                r=round(min(14.0, 3 + 1.6 * math.sqrt(len(ids))), 1),
                off=off,
                title=f"gold {number(gold)}, judge {number(judge)}: {len(ids)} ({named})",
                anchor=cases.anchors.get(ids[0]),
            )
        )
    t, s = round(SIDE * min(tolerance, 1.0), 1), SIDE
    band = f"0,{s} 0,{s - t} {s - t},0 {s},0 {s},{t} {t},{s}"
    return {
        "points": sorted(points, key=lambda point: (point.off, -point.r)),
        "band": band,
        "mark": round(SIDE * mark, 1),
        "n": sum(map(len, together.values())),
        "off": sum(len(ids) for (_, _, off), ids in together.items() if off),
        "tolerance": f"{tolerance:g}",
        "pass_mark": f"{mark:g}",
    }


# --- criteria -------------------------------------------------------------------------------------------------------


def criterion_views(comparison: Comparison, cases: Cases, of: str = "") -> list[dict[str, Any]]:
    """For each criterion its agreement beside people, constant and chance, its signed error and its matrix.

    Args:
        comparison: A judge beside gold.
        cases: The examples that are shown.
        of: What the judge's tags begin with, where several share the examples.
    """
    errors = [(found.statistics["signed_error"], found.criterion) for found in comparison.criteria.values()]
    part = part_of_scale(errors)
    return [
        _criterion(place, name, found, cases, part, of)
        for place, (name, found) in enumerate(comparison.criteria.items())
    ]


def part_of_scale(shifts: Sequence[tuple[Estimate, Criterion]]) -> float:
    """The part of their scales that a drawing needs to hold all shifts: a quarter, a half or all, either way."""
    ends = [
        abs(limit) / criterion.scale.span
        for shift, criterion in shifts
        for limit in (shift.value, shift.low, shift.high)
        if limit is not None
    ]
    return next((part for part in (0.25, 0.5) if max(ends, default=0.0) <= part), 1.0)


def _criterion(place: int, name: str, found: CriterionComparison, cases: Cases, part: float, of: str) -> dict[str, Any]:
    scale = found.criterion.scale
    both = ~np.isnan(found.gold) & ~np.isnan(found.judge)
    error = found.statistics["signed_error"]
    kappa = found.statistics["weighted_kappa" if scale.ordered and not scale.is_yes_no else "cohen_kappa"]
    return {
        "place": place,
        "name": name,
        "requirement": found.criterion.requirement,
        "weight": f"{found.criterion.weight:g}",
        "bars": _beside(found, both),
        "signed": _bar(name, with_interval(error, sign=True), error, (-part * scale.span, part * scale.span)),
        "drawn": PARTS[part],
        "kappa": with_interval(kappa) if kappa.undefined is None else f"{NONE} ({kappa.undefined})",
        "people": _ceiling(found),
        "n": int(both.sum()),
        "apart": int((found.gold[both] != found.judge[both]).sum()),
        "matrix": _matrix(place, found, cases, of),
    }


def _beside(found: CriterionComparison, both: npt.NDArray[np.bool_]) -> list[Bar]:
    """Exact agreement of the judge, of people with each other, of the best constant, and what chance would give."""
    bars = [share_bar("judge", found.statistics["exact_agreement"])]
    levels = found.levels_given
    if found.people.size and ((~np.isnan(found.people)).sum(axis=1) >= 2).any():
        bars.append(
            share_bar(
                "two people",
                agreement(found.people, "percent_agreement", levels=found.criterion.scale.values),
                "people",
            )
        )
    bars.append(share_bar("a constant", agreement_constant(found.gold[both], EXACT), "constant"))
    chance = corrected(np.column_stack([found.gold[both], found.judge[both]]), "cohen_kappa", levels=levels).expected
    known = None if math.isnan(chance) else float(chance)
    bars.append(Bar("chance", share(known), None if known is None else _x(known, (0.0, 1.0)), kind="chance"))
    return bars


def _ceiling(found: CriterionComparison) -> str:
    if found.ceiling is None:
        return ""
    people, judge = with_interval(found.ceiling.people), with_interval(found.ceiling.judge)
    shown = {True: "as good as a second person", False: "not shown to be as good as a second person"}
    told = shown.get(found.ceiling.as_good, "too few to tell") if found.ceiling.as_good is not None else "can't tell"
    return f"alpha between two people {people}, judge and a person {judge}: {told}"


def _matrix(place: int, found: CriterionComparison, cases: Cases, of: str) -> dict[str, Any]:
    """Rows gold, columns judge; each cell with its count, its shade and the first example in it."""
    levels = found.levels_given
    table = confusion(found.gold, found.judge, levels)
    of_scale = np.isin(levels, found.criterion.scale.values)
    rows, columns = (np.flatnonzero(of_scale | (table.sum(axis=axis) > 0)).tolist() for axis in (1, 0))
    first: dict[str, str] = {}
    for case in cases.cases:
        for tag in case.tags:
            first.setdefault(tag, case.anchor)
    most = max(1, int(table.max()))

    def cell(row: int, column: int) -> dict[str, Any]:
        count, tag = int(table[row, column]), cell_tag(place, row, column, of)
        shade = math.ceil(SHADES * count / most)
        return {"n": count, "alike": row == column, "shade": shade, "tag": tag, "anchor": first.get(tag)}

    names = [level_name(found.criterion, level) for level in levels]
    return {
        "named": any(len(name) > LONGEST_BARE for name in names),
        "between": len(rows) > int(of_scale.sum()),
        "columns": [names[column] for column in columns],
        "rows": [(names[row], [cell(row, column) for column in columns]) for row in rows],
    }


# --- parts and drift ------------------------------------------------------------------------------------------------


def slice_views(slices: Sequence[Slice], cases: Cases) -> list[dict[str, Any]]:
    """The parts of the examples, those that stand out first, then by agreement."""
    places = sorted(
        range(len(slices)), key=lambda place: (not slices[place].stands_out, slices[place].agreement.value or 0.0)
    )
    found = []
    for place in places:
        part, tag = slices[place], slice_tag(place)
        found.append(
            {
                "by": part.part.by,
                "name": part.part.name,
                "n": part.n,
                "bar": share_bar(part.part.called, part.agreement),
                "rest": share(part.rest),
                "signed": with_interval(part.signed_error, sign=True),
                "stands_out": part.stands_out,
                "criteria": part.criteria,
                "tag": tag,
                "anchor": next((case.anchor for case in cases.cases if tag in case.tags), None),
            }
        )
    return found


def drift_views(baseline: Baseline, cases: Cases) -> list[dict[str, Any]]:
    """How each criterion moved since the accepted run, as a share of its scale."""
    part = part_of_scale([(one.called.drift.shift, one.criterion) for one in baseline.criteria.values()])
    found = []
    for name, one in baseline.criteria.items():
        called, reach = one.called, part * one.criterion.scale.span
        shift = called.drift.shift
        found.append(
            {
                "name": name,
                "drawn": PARTS[part],
                "verdict": called.verdict,
                "watch": one.watch,
                "bar": _bar(name, with_interval(shift, sign=True), shift, (-reach, reach)),
                "p": chance(called.p),
                "movers": [(unit, cases.anchors.get(unit)) for unit in one.movers],
            }
        )
    return found
