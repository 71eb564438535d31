"""Laws of coefficients of agreement, which hold for any ratings.

`LAWS` assigns every public coefficient its laws. A new one has those of all coefficients, until its line names its own.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markscheme.stats.coefficients import CHANCE_CORRECTED, COEFFICIENTS, agreement
from markscheme.stats.estimate import Estimate
from tests.stats.family import Trial, tried_on

Table = npt.NDArray[np.float64]
Statistic = Callable[..., Estimate]

SYMMETRIC = "swapping raters changes nothing"
REORDERED = "reordering units changes nothing"
RENAMED = "renaming nominal levels changes nothing"
REVERSED = "turning the scale round changes nothing"
RESCALED = "the unit and the zero of the scale change nothing"
SINGLES = "a unit rated once changes nothing"
EMPTY = "a unit and a rater without ratings change nothing"
DOUBLED = "doubling every unit leaves the value"
SHRINKS = "doubling every unit narrows the interval by about the root of two"
AGREEING = "an agreeing unit never lowers it"
PERFECT = "it is 1 where everybody agrees on more than one level, and less where one rater doesn't"
BOUNDED = "it never exceeds 1"
HOLDS = "its interval holds the value and stays in range"
WIDENS = "a surer interval is a wider one"
GROUPED = "groups of one are units"
CONSTANT = "it is 0 where one of two raters never varies"
SHARE = "it lies between 0 and 1"

CORRECTED = {SYMMETRIC, REORDERED, RENAMED, REVERSED, EMPTY, PERFECT, BOUNDED, HOLDS, WIDENS, GROUPED, SHRINKS}
RESTS_ON_PLACES = {REORDERED, REVERSED, EMPTY, PERFECT, BOUNDED, HOLDS, WIDENS, GROUPED, SHRINKS, SYMMETRIC}
SHARES = {SYMMETRIC, REORDERED, EMPTY, SINGLES, DOUBLED, AGREEING, SHARE, HOLDS, WIDENS, GROUPED, SHRINKS}

OF_ALL = {REORDERED, EMPTY, BOUNDED, HOLDS, WIDENS, GROUPED}

LAWS: dict[str, set[str]] = {
    **dict.fromkeys(COEFFICIENTS, OF_ALL),
    "cohen_kappa": CORRECTED | {DOUBLED, CONSTANT},
    "weighted_kappa": RESTS_ON_PLACES | {DOUBLED, CONSTANT, RESCALED},
    "conger_kappa": CORRECTED | {DOUBLED},
    "scott_pi": CORRECTED | {DOUBLED},
    "fleiss_kappa": CORRECTED | {DOUBLED},
    "brennan_prediger": CORRECTED | {DOUBLED, SINGLES, AGREEING},
    "gwet_ac1": CORRECTED | {DOUBLED},
    "gwet_ac2": RESTS_ON_PLACES | {DOUBLED, RESCALED},
    # Doubling the units changes alpha by terms of order 1/n: its chance is dealt without putting back.
    "krippendorff_alpha": CORRECTED | {SINGLES},
    "krippendorff_alpha ordinal": RESTS_ON_PLACES | {SINGLES, RESCALED},
    "krippendorff_alpha interval": RESTS_ON_PLACES | {SINGLES, RESCALED},
    "krippendorff_alpha ratio": (RESTS_ON_PLACES - {REVERSED}) | {SINGLES},
    "exact_agreement": SHARES | {RENAMED, REVERSED, RESCALED},
    "percent_agreement": SHARES | {RENAMED, REVERSED, RESCALED},
    "within_one": SHARES | {REVERSED, RESCALED},
}

TWO_RATERS_ONLY = {"cohen_kappa", "weighted_kappa", "scott_pi"}
LEVELS = (1.0, 2.0, 3.0, 4.0)


def statistic(name: str) -> Statistic:
    """Return a function of ratings that computes the coefficient `name`, with a metric of alpha after a space."""
    coefficient, _, metric = name.partition(" ")

    def on_levels(ratings: Table, *, levels: Any = LEVELS, **more: Any) -> Estimate:
        return agreement(ratings, coefficient, levels=levels, weights=metric or None, **more)

    return on_levels


def value(estimate: Estimate) -> float:
    return math.nan if estimate.value is None else estimate.value


def same(left: Estimate, right: Estimate) -> bool:
    """Return True if two estimates are equal up to rounding, including limits, reasons and notes."""
    numbers = [
        math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-9) if a is not None and b is not None else a is b
        for a, b in ((left.value, right.value), (left.low, right.low), (left.high, right.high))
    ]
    kind = (left.undefined is None) == (right.undefined is None)
    return all(numbers) and kind and (left.note or "")[:5] == (right.note or "")[:5]


def holders(law: str) -> Callable[[Trial], Trial]:
    return tried_on([name for name, laws in LAWS.items() if law in laws])


@st.composite
def tables(draw: st.DrawFn, units: tuple[int, int] = (2, 12), missing: bool = True) -> Table:
    """Draw ratings of two to four raters on four levels, often in agreement, some missing."""
    n, raters = draw(st.integers(*units)), draw(st.integers(2, 4))
    cell = st.sampled_from([*LEVELS, math.nan] if missing else LEVELS)
    row = st.one_of(st.lists(cell, min_size=raters, max_size=raters), cell.map(lambda level: [level] * raters))
    return np.array(draw(st.lists(row, min_size=n, max_size=n)))


def fitting(name: str, ratings: Table) -> Table:
    """Return the columns of as many raters as the coefficient accepts."""
    return ratings[:, :2] if name in TWO_RATERS_ONLY else ratings


pytestmark = pytest.mark.proof
law = settings(max_examples=16, deadline=None, derandomize=True)


# ------------------------------------------------------------------------------------------------ nobody is forgotten


def test_the_list_of_laws_that_coefficients_obey_names_exactly_the_existing_coefficients() -> None:
    assert set(COEFFICIENTS) == {name.partition(" ")[0] for name in LAWS}
    assert set(CHANCE_CORRECTED) < set(COEFFICIENTS)
    assert all(LAWS.values())


def test_every_law_that_coefficients_obey_has_a_test_in_this_file() -> None:
    tried = Path(__file__).read_text(encoding="utf-8")
    for constant, words in list(globals().items()):
        if isinstance(words, str) and constant.isupper() and any(words in laws for laws in LAWS.values()):
            assert f"\n@holders({constant})\ndef test_" in tried, words


# ------------------------------------------------------------------------------------------------------- who and where


@law
@given(ratings=tables(), seed=st.integers(0, 99))
@holders(SYMMETRIC)
def test_swapping_raters_changes_no_symmetric_coefficient(name: str, ratings: Table, seed: int) -> None:
    ratings = fitting(name, ratings)
    order = np.random.default_rng(seed).permutation(ratings.shape[1])
    assert same(statistic(name)(ratings[:, order]), statistic(name)(ratings))


@law
@given(ratings=tables(), seed=st.integers(0, 99))
@holders(REORDERED)
def test_reordering_units_changes_no_agreement_coefficient(name: str, ratings: Table, seed: int) -> None:
    ratings = fitting(name, ratings)
    order = np.random.default_rng(seed).permutation(len(ratings))
    assert same(statistic(name)(ratings[order]), statistic(name)(ratings))


@law
@given(ratings=tables(), names=st.permutations(LEVELS))
@holders(RENAMED)
def test_renaming_the_levels_of_a_nominal_scale_changes_no_coefficient(
    name: str, ratings: Table, names: list[float]
) -> None:
    ratings = fitting(name, ratings)
    renamed = np.where(np.isnan(ratings), math.nan, np.array([math.nan, *names])[np.nan_to_num(ratings).astype(int)])
    assert same(statistic(name)(renamed), statistic(name)(ratings))


@law
@given(ratings=tables())
@holders(REVERSED)
def test_reversing_the_scale_changes_no_coefficient(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name)(5 - ratings), statistic(name)(ratings))


@law
@given(ratings=tables(), factor=st.sampled_from([0.25, 7.0, -3.0]), shift=st.sampled_from([-11.0, 0.0, 100.0]))
@holders(RESCALED)
def test_rescaling_and_shifting_the_levels_changes_no_coefficient(
    name: str, ratings: Table, factor: float, shift: float
) -> None:
    ratings = fitting(name, ratings)
    levels = [factor * level + shift for level in LEVELS]
    assert same(statistic(name)(factor * ratings + shift, levels=levels), statistic(name)(ratings))


@law
@given(ratings=tables(), rating=st.sampled_from(LEVELS))
@holders(SINGLES)
def test_a_unit_with_one_rating_changes_no_coefficient(name: str, ratings: Table, rating: float) -> None:
    assume((~np.isnan(ratings)).any(axis=0).all())
    alone = np.full((1, ratings.shape[1]), math.nan)
    alone[0, 0] = rating
    assert same(statistic(name)(np.vstack([ratings, alone])), statistic(name)(ratings))


@law
@given(ratings=tables())
@holders(EMPTY)
def test_a_unit_or_a_rater_without_ratings_changes_no_coefficient(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    framed = np.pad(ratings, 1, constant_values=math.nan)
    assert same(statistic(name)(framed), statistic(name)(ratings))


@law
@given(ratings=tables())
@holders(GROUPED)
def test_groups_of_one_unit_each_give_a_coefficient_the_same_interval_as_no_groups(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    assert same(statistic(name)(ratings, groups=np.arange(len(ratings))), statistic(name)(ratings))


# ------------------------------------------------------------------------------------------------------- how much


@law
@given(ratings=tables())
@holders(DOUBLED)
def test_doubling_every_unit_leaves_the_value_of_a_coefficient_unchanged(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    once, twice = statistic(name)(ratings), statistic(name)(np.vstack([ratings, ratings]))
    assert value(twice) == pytest.approx(value(once), nan_ok=True)


@law
@given(ratings=tables(), level=st.sampled_from(LEVELS))
@holders(AGREEING)
def test_adding_a_unit_on_which_all_raters_agree_never_lowers_an_agreement_coefficient(
    name: str, ratings: Table, level: float
) -> None:
    before = statistic(name)(ratings)
    assume(before.value is not None)
    agreeing = np.vstack([ratings, np.full((1, ratings.shape[1]), level)])
    assert value(statistic(name)(agreeing)) >= value(before) - 1e-12


@law
@given(ratings=tables(missing=False), seed=st.integers(0, 99))
@holders(PERFECT)
def test_a_coefficient_is_1_if_all_raters_agree_and_less_than_1_if_one_rater_disagrees(
    name: str, ratings: Table, seed: int
) -> None:
    ratings = fitting(name, ratings)
    agreed = np.repeat(ratings[:, :1], ratings.shape[1], axis=1)
    assume(len(np.unique(agreed)) > 1)
    assert value(statistic(name)(agreed)) == 1
    differing = agreed.copy()
    differing[0, 0] = 1.0 if agreed[0, 0] > 1 else 2.0
    assert value(statistic(name)(differing)) < 1


@law
@given(ratings=tables())
@holders(BOUNDED)
def test_no_coefficient_exceeds_1(name: str, ratings: Table) -> None:
    estimate = statistic(name)(fitting(name, ratings))
    assume(estimate.value is not None)
    assert value(estimate) <= 1


@law
@given(ratings=tables())
@holders(SHARE)
def test_shares_of_agreement_lie_between_0_and_1(name: str, ratings: Table) -> None:
    estimate = statistic(name)(ratings)
    assume(estimate.value is not None)
    assert 0 <= value(estimate) <= 1


@law
@given(ratings=tables(missing=False), level=st.sampled_from(LEVELS))
@holders(CONSTANT)
def test_a_chance_corrected_coefficient_is_0_if_one_of_two_raters_never_varies(
    name: str, ratings: Table, level: float
) -> None:
    pair = ratings[:, :2].copy()
    pair[:, 1] = level
    assume((pair[:, 0] != level).any())
    estimate = statistic(name)(pair)
    assert value(estimate) == pytest.approx(0, abs=1e-12)
    assert estimate.low is None
    assert estimate.note is not None


# ------------------------------------------------------------------------------------------------------ the interval


@law
@given(ratings=tables(units=(8, 40)))
@holders(HOLDS)
def test_the_interval_of_a_coefficient_contains_the_estimate_and_stays_within_the_coefficient_s_range(
    name: str, ratings: Table
) -> None:
    estimate = statistic(name)(fitting(name, ratings))
    assert (estimate.value is None) == (estimate.undefined is not None)
    if estimate.low is None or estimate.high is None:
        assert estimate.note is None or estimate.note.startswith(("withheld: ", "few: "))
        return
    least = 0 if LAWS[name] >= SHARES else -1
    assert least <= estimate.low <= value(estimate) <= estimate.high <= 1


@law
@given(ratings=tables(units=(20, 40), missing=False))
@holders(WIDENS)
def test_a_higher_confidence_level_widens_the_interval_of_a_coefficient(name: str, ratings: Table) -> None:
    ratings = fitting(name, ratings)
    close, wide = statistic(name)(ratings, level=0.8), statistic(name)(ratings, level=0.99)
    assume(close.low is not None and close.high is not None and wide.low is not None and wide.high is not None)
    assert wide.low is not None
    assert close.low is not None
    assert wide.high is not None
    assert close.high is not None
    assert wide.low <= close.low
    assert close.high <= wide.high


@holders(SHRINKS)
def test_doubling_every_unit_narrows_the_interval_of_a_coefficient_by_about_the_root_of_two(name: str) -> None:
    rng = np.random.default_rng(12)
    truth = rng.choice(LEVELS, (120, 1), p=[0.2, 0.3, 0.3, 0.2])
    noisy = np.clip(truth + rng.choice([-1, 0, 0, 0, 1], (120, 3)), 1, 4)
    ratings = fitting(name, noisy)

    def width(table: Table) -> float:
        estimate = statistic(name)(table)
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.high - estimate.low

    assert width(ratings) / width(np.vstack([ratings, ratings])) == pytest.approx(math.sqrt(2), rel=0.05)
