"""Rows that stand for several equal units: every statistic is the one of the units themselves."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.agreement_figures import AgreementFigures, agreement_figures, tolerance_ties
from markscheme.stats.annotators import ceiling
from markscheme.stats.coefficients import two_raters
from markscheme.stats.decision_figures import decision_figures
from markscheme.stats.estimate import Estimate
from markscheme.stats.group_rates import group_rate
from markscheme.stats.group_sets import set_names, set_numbers
from markscheme.stats.intervals import Floats, Grouping, Groups
from markscheme.stats.severity import error_family, macro_family, yes_no_family
from markscheme.stats.shares import GroupedFigure, grouped_mean, grouped_share
from tests.worked_cases import cases_under

CASES = Path(__file__).parents[3] / "shared" / "statistics" / "counts.yaml"


def near(values: Sequence[float | None] | float) -> Any:
    """Return an object that compares equal to these values to 9 decimals or 12 digits, with None as nan."""
    plain = [math.nan if x is None else x for x in values] if isinstance(values, Sequence) else values
    return pytest.approx(plain, abs=1e-9, rel=1e-12, nan_ok=True)


def rows_of(case: dict[str, Any], key: str = "rows") -> tuple[Floats, Groups]:
    """Return the columns of a worked example, and Groups with its rows' counts and sets."""
    table = np.array([[math.nan if cell is None else cell for cell in row] for row in case[key]], dtype=np.float64)
    sets = None if np.isnan(table[:, 0]).all() else table[:, 0].astype(np.int64)
    return table[:, 1:-1].T, Groups.counted(table[:, -1], sets)


def limits(figure: GroupedFigure) -> list[float]:
    return triple(figure.estimate())


def triple(estimate: Estimate) -> list[float]:
    return [math.nan if x is None else x for x in (estimate.value, estimate.low, estimate.high)]


@pytest.mark.parametrize("case", cases_under(CASES, "share"))
def test_a_share_from_counted_rows_of_equal_groups_equals_that_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    hits, sizes, groups = np.array(case["kinds"], dtype=np.float64).T
    rows = Groups(np.arange(len(hits)), round(groups.sum()), times=sizes, copies=groups, named=True)
    share = grouped_share(hits / sizes, rows)
    assert (share.n, share.n_groups) == (case["n"], case["groups"])
    assert share.effective == near(case["n_eff"])
    assert limits(share) == near([case["value"], case["low"], case["high"]])


@pytest.mark.parametrize("case", cases_under(CASES, "mean"))
def test_a_mean_from_counts_of_identical_groups_equals_that_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    (differences,), groups = rows_of(case, "cells")
    mean = grouped_mean(differences, groups)
    assert limits(mean) == near([case["value"], case["low"], case["high"]])
    assert [mean.below.df, mean.above.df] == near(case["df"])


@pytest.mark.parametrize("case", cases_under(CASES, "figures"))
def test_agreement_computed_from_counts_of_identical_rows_equals_its_reference_values(
    case: dict[str, Any],
) -> None:
    (gold, judge, *people), groups = rows_of(case)
    annotators = np.column_stack(people)
    computed = agreement_figures(gold, judge, annotators, tolerance=case["tolerance"], groups=groups)
    assert computed.constant_value == near(case["constant_value"])
    for name in AgreementFigures.__slots__:
        if name != "constant_value":
            assert limits(getattr(computed, name)) == near(case[name]), name
    ties = tolerance_ties(gold, judge, tolerance=case["tolerance"], groups=groups)
    assert (ties.count, ties.agreement_with_ties.value) == (case["ties"], near(case["with_ties"]))


@pytest.mark.parametrize("case", cases_under(CASES, "criterion"))
def test_statistics_computed_from_counts_of_identical_rows_equal_those_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    (gold, judge, *people), groups = rows_of(case)
    levels = case["levels"]
    computed = {
        **two_raters(gold, judge, levels=levels, ordered=True, groups=groups),
        **error_family(gold, judge, groups=groups, levels=levels),
        **yes_no_family(*(_passes(levels_given, case["passes_from"]) for levels_given in (gold, judge)), groups=groups),
    }
    for name, worked in case["statistics"].items():
        assert triple(computed[name]) == near(worked), name
    of_people = ceiling(np.column_stack(people), judge, levels=levels, groups=groups)
    for name, worked in case["ceiling"].items():
        assert triple(getattr(of_people, name)) == near(worked), name


def _passes(levels: Floats, from_level: float) -> Floats:
    return np.where(np.isnan(levels), np.nan, levels >= from_level)


@pytest.mark.parametrize("case", cases_under(CASES, "decisions"))
def test_figures_on_decisions_from_counts_of_identical_rows_equal_those_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    (gold, judge), groups = rows_of(case)
    computed = decision_figures(gold, judge, groups=groups)
    assert limits(computed.same) == near(case["same"])
    for name in ("stops", "keeps"):
        side = getattr(computed, name)
        assert [side.hits / side.of, side.lower(0.975), side.upper(0.975)] == near(case[name])


@pytest.mark.parametrize("case", cases_under(CASES, "sets"))
def test_the_division_of_groups_into_jackknife_sets_equals_that_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    places, sets = zip(*((int(place), number) for place, number in case["set_of_place"].items()), strict=True)
    assert set_numbers(places, case["groups"]).tolist() == list(sets)


@pytest.mark.parametrize("case", cases_under(CASES, "group_rate"))
def test_a_group_s_pass_rate_from_counts_of_labels_equals_that_in_the_file_of_reference_values(
    case: dict[str, Any],
) -> None:
    computed = group_rate(case["labelled"], case["pool"]).rate
    assert triple(computed) == near(case["rate"])


def test_more_than_a_thousand_groups_are_divided_into_jackknife_sets_by_the_code_points_of_their_names() -> None:
    few = [f"g{i}" for i in range(1000)] * 2
    assert set_names(few) is few
    assert set_names(None) is None
    many = ["Z", "a", "é", *(f"b{i:04}" for i in range(998))]
    sets = set_names(many)
    assert sets is not None
    place = {name: place for place, name in enumerate(sorted(many), start=1)}
    assert list(sets) == [int(set_numbers(place[name], 1001)) for name in many]


# -- rows with n are the units themselves ------------------------------------------------------------------------------

LEVELS = (0.0, 1.0, 2.0, 3.0)


def _row() -> st.SearchStrategy[tuple[float, ...]]:
    level = st.sampled_from((*LEVELS, 1.5, math.nan))
    given_level = st.sampled_from((*LEVELS, math.nan))
    return st.tuples(level, *[given_level] * 3, st.integers(0, 5).map(float), st.integers(1, 4).map(float))


@settings(deadline=None, max_examples=40)
@given(rows=st.lists(_row(), min_size=1, max_size=40), grouped=st.booleans())
def test_statistics_from_counts_of_identical_rows_equal_those_from_the_rows_one_by_one(
    rows: list[tuple[float, ...]], grouped: bool
) -> None:
    table = np.array(rows)
    times = table[:, -1].astype(int)
    units = np.repeat(table, times, axis=0)
    names = [f"g{number:g}" for number in table[:, 4]]
    by_units: Grouping = np.repeat(names, times) if grouped else None
    by_rows = Groups.counted(times, names if grouped else None)
    assert _everything(table, by_rows) == near(_everything(units, by_units))


def _everything(table: Floats, groups: Grouping) -> list[float]:
    """Return the values and limits of all statistics of a table of gold, a judge and two annotators."""
    gold, judge, *people = table[:, :4].T
    annotators = np.column_stack(people)
    figures = agreement_figures(gold, judge, annotators, tolerance=0.75, groups=groups)
    passes = [np.where(np.isnan(column), np.nan, column >= 2) for column in (gold, judge)]
    decided = decision_figures(*passes, groups=groups)
    of_people = ceiling(annotators, judge, levels=LEVELS, groups=groups)
    estimates = [
        *(getattr(figures, name).estimate() for name in AgreementFigures.__slots__ if name != "constant_value"),
        *two_raters(gold, judge, levels=LEVELS, ordered=True, groups=groups).values(),
        *error_family(gold, judge, levels=LEVELS, groups=groups).values(),
        *yes_no_family(*passes, groups=groups).values(),
        *macro_family(np.round(gold), judge, levels=LEVELS, groups=groups).values(),
        *(decided.same.estimate(), decided.stops.among.estimate(), decided.keeps.among.estimate()),
        *(of_people.people, of_people.judge, of_people.gap),
    ]
    return [number for estimate in estimates for number in (*triple(estimate), estimate.n)]
