"""Laws of errors, correlations, decisions and reliability: what must hold of each whatever the ratings are.

`LAWS` assigns every statistic its laws, a family's members one by one as `family.member`. A new member of a family has
those of all statistics, until its line names its own; a public function of the two modules without any fails
`test_each_statistic_of_two_raters_is_listed_here_with_its_laws_or_with_its_test_elsewhere`.
"""

import functools
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markscheme.stats import reliability, severity
from markscheme.stats.estimate import Estimate
from markscheme.stats.reliability import ICC_NAMES
from markscheme.stats.severity import PAIR_STATISTICS, YES_NO_NAMES
from markscheme.stats.table import STATISTICS
from tests.stats.family import Trial, tried_on

Table = npt.NDArray[np.float64]

SYMMETRIC = "swapping raters changes nothing"
NEGATED = "swapping raters negates it"
INVERTED = "swapping raters inverts it"
REORDERED = "reordering units changes nothing"
EMPTY = "a unit without ratings changes nothing"
SHIFTED = "moving the zero of the scale changes nothing"
RESCALED = "the unit of the scale changes nothing"
SCALES = "it is measured in the unit of the scale"
MONOTONE = "only the order of the values counts"
OPPOSED = "turning the judge's scale round negates it"
DOUBLED = "doubling every unit leaves the value"
SHRINKS = "doubling every unit narrows the interval by about the root of two"
NEARER = "an agreeing unit brings it no further from 0"
AGREEING = "an agreeing unit never lowers it"
PERFECT = "it is 1 where everybody agrees on more than one level"
FAULTLESS = "it is 0 where everybody agrees"
SHARE = "it lies between 0 and 1"
AT_MOST_1 = "it never exceeds 1"
POSITIVE = "it is never below 0"
HOLDS = "its interval holds the value"
WIDENS = "a surer interval is a wider one"
GROUPED = "groups of one are units"

ANY = {REORDERED, EMPTY, HOLDS}
SURE = ANY | {WIDENS, GROUPED, SHRINKS}
COEFFICIENT = SURE | {SYMMETRIC, SHIFTED, RESCALED, PERFECT, AT_MOST_1}
ERROR = SURE | {SHIFTED, SCALES, DOUBLED, FAULTLESS, NEARER}
DECISION = SURE | {DOUBLED, SHARE}
ICC = COEFFICIENT
REPEAT = SURE | {SYMMETRIC, SHIFTED}

TABLE = np.array([[1.0, 1, 2], [2, 2, 2], [3, 4, 4], [4, 3, 3]])
FAMILIES = {
    "pair_statistic": (*PAIR_STATISTICS, *(name for load in STATISTICS for name in load())),
    "icc": ICC_NAMES,
    "yes_no_family": YES_NO_NAMES,
    "macro_family": tuple(severity.macro_family(*TABLE.T[:2])),
    "repeat_family": tuple(reliability.repeat_family(TABLE)),
}
"""The members of each family."""

LAWS: dict[str, set[str]] = {
    **{f"{family}.{member}": SURE - {SHRINKS} for family, members in FAMILIES.items() for member in members},
    "pair_statistic.pearson": COEFFICIENT | {DOUBLED, OPPOSED},
    "pair_statistic.spearman": COEFFICIENT | {DOUBLED, OPPOSED, MONOTONE},
    "pair_statistic.kendall": COEFFICIENT | {DOUBLED, OPPOSED, MONOTONE},
    "pair_statistic.ccc": COEFFICIENT | {DOUBLED},
    # Doubling the units changes ICC(A,1) and the six below by terms of order 1/n.
    "pair_statistic.icc": COEFFICIENT,
    "pair_statistic.mae": ERROR | {SYMMETRIC, POSITIVE},
    "pair_statistic.rmse": ERROR | {SYMMETRIC, POSITIVE},
    "pair_statistic.signed_error": ERROR | {NEGATED},
    "pair_statistic.sd_ratio": SURE | {INVERTED, SHIFTED, RESCALED, DOUBLED, POSITIVE, PERFECT},
    **{f"yes_no_family.{name}": DECISION | {AGREEING, SYMMETRIC} for name in ("accuracy",)},
    **{f"yes_no_family.{name}": DECISION | {AGREEING} for name in ("precision", "recall", "specificity")},
    "yes_no_family.f1": DECISION | {AGREEING, SYMMETRIC},
    **{f"yes_no_family.prevalence_{who}": DECISION for who in ("gold", "judge")},
    "macro_family.accuracy": DECISION | {AGREEING, SYMMETRIC, SHIFTED, RESCALED, PERFECT},
    "macro_family.commonest": DECISION | {SHIFTED, RESCALED},
    **{f"macro_family.macro_{n}": DECISION | {SHIFTED, RESCALED, PERFECT} for n in ("precision", "recall")},
    "macro_family.macro_f1": DECISION | {SHIFTED, RESCALED, PERFECT, SYMMETRIC},
    **{f"icc.icc_{model}_{size}": ICC for model in (1, 2, 3) for size in (1, "k")},
    "repeat_family.test_retest": REPEAT | {RESCALED, PERFECT, AT_MOST_1},
    "repeat_family.flip_rate": REPEAT | {RESCALED, SHARE, FAULTLESS, DOUBLED},
    **{
        f"repeat_family.{n}": REPEAT | {SCALES, POSITIVE, FAULTLESS, DOUBLED} for n in ("distance", "measurement_error")
    },
    # It falls with the number of units, so doubling them shrinks value and interval alike.
    "repeat_family.shift_floor": (REPEAT - {SHRINKS}) | {SCALES, POSITIVE, FAULTLESS},
}

ELSEWHERE = {
    "error_family": "the members of pair_statistic",
    "icc_family": "the members of icc",
    "error_names": "names, and no statistic",
    "confusion": "counts, tested beside scikit-learn",
}
"""Public functions that need no laws of their own, and why."""

LEVELS = (1.0, 2.0, 3.0, 4.0)
MODULES = (reliability, severity)
pytestmark = pytest.mark.proof
law = settings(max_examples=15, deadline=None, derandomize=True)


@functools.cache
def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions of the modules of statistics under test, by name."""
    return {
        name: function
        for module in MODULES
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == module.__name__
    }


@functools.cache
def parameters(function: str) -> frozenset[str]:
    """Return the names of the parameters of a public function of the modules."""
    return frozenset(inspect.signature(functions()[function]).parameters)


@functools.lru_cache(maxsize=8)
def of_last_tables(function: str, cells: bytes, shape: tuple[int, ...], more: tuple[tuple[str, Any], ...]) -> Any:
    """Call a statistic's function on a table, cached since all members of a family use the same few tables in turn."""
    ratings = np.frombuffer(cells).reshape(shape)
    call = functions()[function]
    if parameters(function) & {"ratings", "runs"}:
        return call(ratings, **dict(more))
    return call(ratings[:, 0], ratings[:, 1], **dict(more))


def statistic(name: str, ratings: Table, scale: tuple[float, float] = (1.0, 0.0), **more: Any) -> Estimate:
    """Compute a statistic of a table whose first columns are gold and judge; `scale` scales and shifts the levels."""
    function, _, member = name.partition(".")
    takes = parameters(function)
    more = {key: given if isinstance(given, float) else tuple(given) for key, given in more.items() if key in takes}
    if function == "yes_no_family":
        ratings = np.where(np.isnan(ratings), math.nan, (ratings > 2.5).astype(float))
    elif "levels" in takes and function != "macro_family":
        more["levels"] = tuple(scale[0] * level + scale[1] for level in LEVELS)
    if "name" in takes:
        more["name"] = member
    ratings = np.asarray(ratings, dtype=np.float64)
    figures = of_last_tables(function, ratings.tobytes(), ratings.shape, tuple(more.items()))
    estimate = figures[member] if isinstance(figures, dict) else figures
    assert isinstance(estimate, Estimate)
    return estimate


def of_many(name: str) -> bool:
    """Return True if the statistic accepts more than two raters."""
    return "judge" not in parameters(name.partition(".")[0])


def value(estimate: Estimate) -> float:
    return math.nan if estimate.value is None else estimate.value


def close(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-7, abs_tol=1e-8)


def same(left: Estimate, right: Estimate, factor: float = 1.0) -> bool:
    """Return True if `left` is `factor` times `right` up to rounding, including limits, reasons and notes."""
    limits = [right.low, right.high][:: 1 if factor > 0 else -1]
    numbers = [right.value, *limits]
    scaled = [None if x is None else factor * x for x in numbers]
    kind = (left.undefined is None) == (right.undefined is None)
    alike = all(close(a, b) for a, b in zip((left.value, left.low, left.high), scaled, strict=True))
    return alike and kind and (left.note or "")[:5] == (right.note or "")[:5]


def holders(law: str) -> Callable[[Trial], Trial]:
    return tried_on([name for name, laws in LAWS.items() if law in laws])


@st.composite
def tables(draw: st.DrawFn, units: tuple[int, int] = (2, 30), missing: bool = True) -> Table:
    """Draw ratings of two or three raters on four levels, often in agreement, a few missing."""
    n, raters = draw(st.integers(*units)), draw(st.integers(2, 3))
    cell = st.sampled_from([*LEVELS, *LEVELS, math.nan] if missing else LEVELS)
    row = st.one_of(st.lists(cell, min_size=raters, max_size=raters), cell.map(lambda level: [level] * raters))
    return np.array(draw(st.lists(row, min_size=n, max_size=n)))


def fitting(name: str, ratings: Table) -> Table:
    return ratings if of_many(name) else ratings[:, :2]


# -- nobody is forgotten -----------------------------------------------------------------------------------------------


def test_each_statistic_of_two_raters_is_listed_here_with_its_laws_or_with_its_test_elsewhere() -> None:
    assert {name.partition(".")[0] for name in LAWS} | set(ELSEWHERE) == set(functions())
    assert not {name.partition(".")[0] for name in LAWS} & set(ELSEWHERE)
    assert all(LAWS.values())


def test_the_list_of_laws_that_statistics_of_two_raters_obey_names_only_existing_statistics() -> None:
    members = {f"{family}.{member}" for family, names in FAMILIES.items() for member in names}
    assert {name for name in LAWS if "." in name} == members


def test_every_law_of_statistics_of_two_raters_has_a_test_in_this_file() -> None:
    tried = Path(__file__).read_text(encoding="utf-8")
    for constant, words in list(globals().items()):
        if isinstance(words, str) and constant.isupper() and any(words in laws for laws in LAWS.values()):
            assert f"\n@holders({constant})\ndef test_" in tried, words


# -- who and where -----------------------------------------------------------------------------------------------------


@law
@given(ratings=tables())
@holders(SYMMETRIC)
def test_swapping_two_raters_changes_no_symmetric_statistic(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name, ratings[:, ::-1]), statistic(name, ratings))


@law
@given(ratings=tables())
@holders(NEGATED)
def test_swapping_two_raters_changes_the_sign_of_a_signed_statistic(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name, ratings[:, ::-1]), statistic(name, ratings), factor=-1)


@law
@given(ratings=tables(units=(8, 30)))
@holders(INVERTED)
def test_swapping_two_raters_inverts_a_statistic_that_is_a_ratio(name: str, ratings: Table) -> None:
    once, swapped = statistic(name, ratings[:, :2]), statistic(name, ratings[:, 1::-1])
    assume(once.value is not None)
    assert value(swapped) == pytest.approx(1 / value(once))


@law
@given(ratings=tables(), seed=st.integers(0, 99))
@holders(REORDERED)
def test_reordering_units_changes_no_statistic_of_two_raters(name: str, ratings: Table, seed: int) -> None:
    ratings = fitting(name, ratings)
    order = np.random.default_rng(seed).permutation(len(ratings))
    assert same(statistic(name, ratings[order]), statistic(name, ratings))


@law
@given(ratings=tables())
@holders(EMPTY)
def test_a_unit_without_ratings_changes_no_statistic_of_two_raters(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    framed = np.pad(ratings, ((1, 1), (0, 0)), constant_values=math.nan)
    after, before = statistic(name, framed), statistic(name, ratings)
    assert same(after, before)
    assert after.n == before.n


@law
@given(ratings=tables())
@holders(GROUPED)
def test_groups_of_one_unit_each_give_the_same_interval_of_a_two_rater_statistic_as_no_groups(
    name: str, ratings: Table
) -> None:
    ratings = fitting(name, ratings)
    names = np.arange(len(ratings))[::-1].astype(str)
    assert same(statistic(name, ratings, groups=names), statistic(name, ratings))


# -- in which unit -----------------------------------------------------------------------------------------------------


@law
@given(ratings=tables(), shift=st.sampled_from([-11.0, 0.5, 100.0]))
@holders(SHIFTED)
def test_adding_a_constant_to_both_raters_levels_changes_no_correlation_or_error(
    name: str, ratings: Table, shift: float
) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name, ratings + shift, (1.0, shift)), statistic(name, ratings))


@law
@given(ratings=tables(), factor=st.sampled_from([0.25, 7.0]))
@holders(RESCALED)
def test_multiplying_both_raters_levels_by_a_factor_changes_no_correlation(
    name: str, ratings: Table, factor: float
) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name, factor * ratings, (factor, 0.0)), statistic(name, ratings))


@law
@given(ratings=tables(), factor=st.sampled_from([0.25, 7.0]))
@holders(SCALES)
def test_multiplying_all_ratings_by_a_factor_multiplies_a_statistic_of_errors_by_the_factor(
    name: str, ratings: Table, factor: float
) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name, factor * ratings, (factor, 0.0)), statistic(name, ratings), factor)


@law
@given(ratings=tables())
@holders(MONOTONE)
def test_rank_correlations_of_two_raters_depend_only_on_the_order_of_the_values(name: str, ratings: Table) -> None:
    ratings = ratings[:, :2]
    before = statistic(name, ratings)
    assume(abs(value(before)) < 1)  # what unseen disagreement may do at 1 depends on the scale
    assert same(statistic(name, np.exp(ratings)), before)


@law
@given(ratings=tables())
@holders(OPPOSED)
def test_reversing_the_judge_s_scale_changes_the_sign_of_a_correlation(name: str, ratings: Table) -> None:
    ratings = ratings[:, :2]
    before = statistic(name, ratings)
    assume(abs(value(before)) < 1)
    assert same(statistic(name, ratings * [1, -1] + [0, 5]), before, factor=-1)


# -- how much ----------------------------------------------------------------------------------------------------------


@law
@given(ratings=tables())
@holders(DOUBLED)
def test_doubling_every_unit_leaves_the_value_of_a_statistic_of_two_raters_unchanged(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    once, twice = statistic(name, ratings), statistic(name, np.vstack([ratings, ratings]))
    assume(once.undefined != "one example only")
    assert value(twice) == pytest.approx(value(once), nan_ok=True, abs=1e-12)


@law
@given(ratings=tables(), level=st.sampled_from(LEVELS))
@holders(NEARER)
def test_adding_a_unit_on_which_two_raters_agree_never_increases_an_error(
    name: str, ratings: Table, level: float
) -> None:
    ratings = fitting(name, ratings)
    before = statistic(name, ratings)
    assume(before.value is not None)
    after = statistic(name, np.vstack([ratings, np.full((1, ratings.shape[1]), level)]))
    assert abs(value(after)) <= abs(value(before)) + 1e-12


@law
@given(ratings=tables(), level=st.sampled_from(LEVELS))
@holders(AGREEING)
def test_adding_a_unit_on_which_two_raters_agree_never_lowers_a_measure_of_agreement(
    name: str, ratings: Table, level: float
) -> None:
    ratings = fitting(name, ratings)
    before = statistic(name, ratings)
    assume(before.value is not None)
    after = statistic(name, np.vstack([ratings, np.full((1, ratings.shape[1]), level)]))
    assert value(after) >= value(before) - 1e-12


@law
@given(ratings=tables(missing=False))
@holders(PERFECT)
def test_a_measure_of_agreement_is_1_if_two_raters_always_agree_and_use_more_than_one_level(
    name: str, ratings: Table
) -> None:
    ratings = fitting(name, ratings)
    agreed = np.repeat(ratings[:, :1], ratings.shape[1], axis=1)
    assume(len(np.unique(agreed)) > 1)
    assert value(statistic(name, agreed)) == pytest.approx(1, abs=1e-12)


@law
@given(ratings=tables(missing=False))
@holders(FAULTLESS)
def test_an_error_measure_is_0_if_two_raters_always_agree(name: str, ratings: Table) -> None:
    agreed = np.repeat(ratings[:, :1], fitting(name, ratings).shape[1], axis=1)
    estimate = statistic(name, agreed)
    assume(estimate.value is not None)
    assert value(estimate) == pytest.approx(0, abs=1e-9)


@law
@given(ratings=tables())
@holders(SHARE)
def test_the_share_of_examples_that_two_raters_rate_equally_lies_between_0_and_1(name: str, ratings: Table) -> None:
    estimate = statistic(name, fitting(name, ratings))
    assume(estimate.value is not None)
    assert -1e-12 <= value(estimate) <= 1 + 1e-12
    assert estimate.low is None or estimate.low >= 0
    assert estimate.high is None or estimate.high <= 1


@law
@given(ratings=tables())
@holders(AT_MOST_1)
def test_no_measure_of_agreement_exceeds_1(name: str, ratings: Table) -> None:
    estimate = statistic(name, fitting(name, ratings))
    assume(estimate.value is not None)
    assert value(estimate) <= 1 + 1e-12
    assert estimate.high is None or estimate.high <= 1 + 1e-12


@law
@given(ratings=tables())
@holders(POSITIVE)
def test_a_statistic_that_is_positive_by_definition_and_its_limits_are_never_below_0(name: str, ratings: Table) -> None:
    estimate = statistic(name, fitting(name, ratings))
    assume(estimate.value is not None)
    assert value(estimate) >= 0
    assert estimate.low is None or estimate.low >= 0


# -- the interval ------------------------------------------------------------------------------------------------------


@law
@given(ratings=tables(units=(8, 40)))
@holders(HOLDS)
def test_the_interval_of_a_statistic_of_two_raters_contains_the_estimate(name: str, ratings: Table) -> None:
    estimate = statistic(name, fitting(name, ratings))
    assert (estimate.value is None) == (estimate.undefined is not None)
    if estimate.low is None or estimate.high is None:
        assert estimate.note is None or estimate.note.startswith(("withheld: ", "few: ", "from "))
        return
    assert estimate.low <= value(estimate) <= estimate.high
    assert estimate.method


@law
@given(ratings=tables(units=(20, 40), missing=False))
@holders(WIDENS)
def test_a_higher_confidence_level_widens_the_interval_of_a_statistic_of_two_raters(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    near, wide = statistic(name, ratings, level=0.8), statistic(name, ratings, level=0.99)
    assert (near.low is None) == (wide.low is None)
    if near.low is None or near.high is None or wide.low is None or wide.high is None:
        return
    assert wide.low <= near.low
    assert near.high <= wide.high


@holders(SHRINKS)
def test_doubling_every_unit_narrows_the_interval_of_a_statistic_by_about_the_root_of_two(name: str) -> None:
    rng = np.random.default_rng(12)
    truth = rng.choice(LEVELS, (160, 1), p=[0.2, 0.3, 0.3, 0.2])
    ratings = fitting(name, np.clip(truth + rng.choice([-1, 0, 0, 0, 1, 2], (160, 3)), 1, 4))

    def width(table: Table) -> float:
        estimate = statistic(name, table)
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.high - estimate.low

    assert width(ratings) / width(np.vstack([ratings, ratings])) == pytest.approx(math.sqrt(2), rel=0.06)
