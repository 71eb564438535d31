"""500 random tables with missing ratings beside krippendorff, scikit-learn, statsmodels and irrCAC, to 1e-9.

The default run compares 75 of them, 27 with the slower irrCAC, among which each known kind of difference is; before a
release all are. Where a
library gives no number or another one than ours, the test names the kind of table and why; anywhere else a difference
is a failure.
"""

import json
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.stats.coefficients import CHANCE_CORRECTED, Corrected, ScaleKind, agreement, agreement_values
from markscheme.stats.estimate import Estimate
from tests.commands.console import ROOT
from tests.proofs.environments import ran

Table = npt.NDArray[np.float64]

N_TABLES = 500
few_or_all = pytest.mark.parametrize(
    "compared",
    [pytest.param(slice(98, 173), id="few"), pytest.param(slice(N_TABLES), id="all", marks=pytest.mark.release)],
)
WEIGHTS = ("identity", "linear", "quadratic")

IRRCAC_METHODS = {
    "fleiss_kappa": "fleiss",
    "conger_kappa": "conger",
    "brennan_prediger": "bp",
    "gwet_ac2": "gwet",
    "krippendorff_alpha": "krippendorff",
}

ONE_UNIT = "irrCAC divides by n - 1 units for a variance nobody asked for, and fails on a single unit"
EMPTY_RATER = "irrCAC divides by the ratings of a rater who gave none; here such a rater plays no part"
ONE_LEVEL = "irrCAC reports 1 or fails where one level only was used, where chance alone would always agree"
NO_PAIRS = "krippendorff raises and irrCAC divides by 0 where no unit has two ratings"


@cache
def tables() -> list[tuple[Table, int]]:
    """Ratings, shape (n_units, n_raters), with the number of levels: ordinary, sparse and nearly constant ones."""
    rng = np.random.default_rng(20260801)
    tables = []
    for _ in range(N_TABLES):
        n, raters, levels = rng.integers(2, 25), rng.integers(2, 6), rng.integers(2, 6)
        truth = rng.integers(0, levels, (n, 1)) if rng.random() < 0.9 else np.full((n, 1), rng.integers(levels))
        agreeing = rng.random((n, raters)) < rng.choice([0.3, 0.6, 0.9, 1.0])
        ratings = np.where(agreeing, truth, rng.integers(0, levels, (n, raters))).astype(float)
        ratings[rng.random((n, raters)) < rng.choice([0.0, 0.2, 0.5])] = math.nan
        tables.append((ratings, int(levels)))
    return tables


def ours(name: str, ratings: Table, levels: int, weights: Any = "identity") -> Estimate:
    return agreement(ratings, name, levels=range(levels), weights=weights)


def with_chance(name: str, ratings: Table, levels: int, weights: Any = "identity") -> Corrected:
    """Return our coefficient with observed and expected agreement."""
    scale: ScaleKind = "nominal" if weights == "identity" else "interval"
    return agreement_values(ratings, levels=range(levels), scale=scale, weights=weights)[name]


def valued(estimate: Estimate) -> float:
    """Return the value of an estimate; nan if it has none."""
    return math.nan if estimate.value is None else estimate.value


def quietly(call: Any, *given: Any, failing: tuple[type[Exception], ...] = (), **named: Any) -> Any:
    """Call a library function without its warnings; return None if it raises one of the errors in `failing`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*given, **named)
        except failing:
            return None


def paired(ratings: Table) -> int:
    return int(((~np.isnan(ratings)).sum(axis=1) >= 2).sum())


def why_irrcac_differs(name: str, ratings: Table, estimate: Estimate) -> str | None:
    """Return the known reason why irrCAC differs on such a table; None if it shouldn't differ."""
    rated = ~np.isnan(ratings)
    if estimate.undefined == "one level only":
        return ONE_LEVEL
    if paired(ratings) == 0:
        return NO_PAIRS
    if name == "conger_kappa" and not rated.any(axis=0).all():
        return EMPTY_RATER
    if rated.any(axis=1).sum() == 1 or (name == "krippendorff_alpha" and paired(ratings) == 1):
        return ONE_UNIT
    return None


@pytest.mark.parametrize(
    "compared",
    [
        pytest.param([98, *range(122, 146), 149, 171], id="few", marks=pytest.mark.proof),
        pytest.param(range(N_TABLES), id="all", marks=pytest.mark.release),
    ],
)
def test_coefficients_of_agreement_equal_those_of_the_irrcac_library(compared: Sequence[int], tmp_path: Path) -> None:
    asked = {
        "tables": [(tables()[i][0].tolist(), tables()[i][1]) for i in compared],
        "weights": WEIGHTS,
        "methods": list(IRRCAC_METHODS.values()),
    }
    (tmp_path / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    answers = iter(ran(ROOT / "tests" / "proofs" / "irrcac.py", tmp_path))
    same, excused = Counter[str](), Counter[str]()
    for (ratings, levels), weights, name in product((tables()[i] for i in compared), WEIGHTS, IRRCAC_METHODS):
        value = ours(name, ratings, levels, weights)
        theirs = next(answers) or {"coefficient_value": math.nan}
        why = why_irrcac_differs(name, ratings, value)
        if why is not None and not math.isclose(theirs["coefficient_value"], valued(value), abs_tol=1e-9):
            excused[why] += 1
            continue
        assert value.value == pytest.approx(theirs["coefficient_value"], abs=1e-9), (name, weights, ratings)
        if (name, weights) != ("krippendorff_alpha", "linear"):  # which is no metric of a scale
            figure = with_chance(name, ratings, levels, weights)
            assert figure.observed == pytest.approx(theirs["pa"], abs=1e-9)
            assert figure.expected == pytest.approx(theirs["pe"], abs=1e-9)
        same[name] += 1
    assert set(excused) == {ONE_UNIT, EMPTY_RATER, ONE_LEVEL, NO_PAIRS}
    assert min(same.values()) > 0.8 * len(compared) * len(WEIGHTS)


@few_or_all
def test_krippendorff_s_alpha_equals_that_of_the_krippendorff_library_under_every_metric(compared: slice) -> None:
    library = import_module("krippendorff")
    same = 0
    for ratings, levels in tables()[compared]:
        for metric in ("nominal", "ordinal", "interval", "ratio"):
            value = ours("krippendorff_alpha", ratings, levels, metric)
            domain = np.arange(levels, dtype=float)
            theirs = quietly(
                library.alpha,
                reliability_data=ratings.T,
                value_domain=domain,
                level_of_measurement=metric,
                failing=(ValueError,),
            )
            if theirs is None or math.isnan(theirs):
                assert value.undefined == "one level only" or paired(ratings) == 0
                continue
            assert value.value == pytest.approx(theirs, abs=1e-9), (metric, ratings.tolist())
            same += 1
    assert same > 0.8 * len(tables()[compared]) * 4


def test_alpha_is_undefined_where_the_krippendorff_library_raises_an_error_for_lack_of_two_ratings() -> None:
    library = import_module("krippendorff")
    alone = np.array([[0, math.nan], [math.nan, 1]])
    with pytest.raises(ValueError, match="at least one unit"):
        library.alpha(reliability_data=alone.T, value_domain=np.arange(2.0), level_of_measurement="nominal")
    assert ours("krippendorff_alpha", alone, 2).undefined == "no example has two ratings"


def complete(ratings: Table, raters: int) -> Table:
    """Return the units that all of the first raters rated, since these libraries can't handle missing ratings."""
    kept = ratings[:, :raters]
    return np.asarray(kept[~np.isnan(kept).any(axis=1)])


@few_or_all
def test_kappas_of_two_raters_without_missing_ratings_equal_those_of_scikit_learn(compared: slice) -> None:
    metrics = import_module("sklearn.metrics")
    same = 0
    for ratings, levels in tables()[compared]:
        pairs = complete(ratings, 2)
        for weights in WEIGHTS:
            value = ours("weighted_kappa", pairs, levels, weights)
            if len(pairs) == 0:
                assert value.undefined is not None
                continue
            costs = None if weights == "identity" else weights
            theirs = quietly(metrics.cohen_kappa_score, *pairs.T, labels=list(range(levels)), weights=costs)
            if math.isnan(theirs):
                assert value.undefined == "one level only"
                continue
            assert value.value == pytest.approx(theirs, abs=1e-9), (weights, pairs.tolist())
            same += 1
    assert same > 0.75 * len(tables()[compared]) * len(WEIGHTS)


def test_markscheme_s_kappa_counts_units_with_one_rating_in_chance_agreement_unlike_scikit_learn_s() -> None:
    metrics = import_module("sklearn.metrics")
    ratings = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [0, math.nan], [math.nan, 0]])
    pairs = complete(ratings, 2)
    theirs = metrics.cohen_kappa_score(pairs[:, 0], pairs[:, 1])
    assert ours("cohen_kappa", pairs, 2).value == pytest.approx(theirs)
    assert with_chance("cohen_kappa", ratings, 2).expected == pytest.approx(0.6 * 0.4 + 0.4 * 0.6)


@few_or_all
def test_the_statsmodels_library_gives_the_same_coefficients_for_tables_without_missing_ratings(
    compared: slice,
) -> None:
    inter_rater = import_module("statsmodels.stats.inter_rater")
    same = Counter[str]()
    for ratings, levels in tables()[compared]:
        everybody = complete(ratings, ratings.shape[1])
        if len(everybody) == 0:
            continue
        counts = (everybody[:, :, None] == np.arange(levels)).sum(axis=1)
        for name, method in (("fleiss_kappa", "fleiss"), ("brennan_prediger", "randolph")):
            value = ours(name, everybody, levels)
            theirs = quietly(inter_rater.fleiss_kappa, counts, method=method)
            if value.undefined is None:
                assert value.value == pytest.approx(theirs, abs=1e-9), (name, everybody.tolist())
                same[name] += 1
        pairs = complete(ratings, 2).astype(int)
        table = np.zeros((levels, levels))
        np.add.at(table, (pairs[:, 0], pairs[:, 1]), 1)
        for weights in WEIGHTS:
            value = ours("weighted_kappa", pairs.astype(float), levels, weights)
            costs = None if weights == "identity" else weights
            theirs = quietly(inter_rater.cohens_kappa, table, wt=costs)
            if value.undefined is None:
                assert value.value == pytest.approx(theirs.kappa, abs=1e-9), (weights, pairs.tolist())
                same[weights] += 1
    assert min(same.values()) > 0.6 * len(tables()[compared])


def test_every_coefficient_is_compared_with_some_library() -> None:
    in_two_rater_form = {"cohen_kappa": "weighted_kappa", "scott_pi": "fleiss_kappa", "gwet_ac1": "gwet_ac2"}
    assert set(CHANCE_CORRECTED) == {*IRRCAC_METHODS, "weighted_kappa", *in_two_rater_form}
    for ratings, levels in tables()[:100]:
        for name, other in in_two_rater_form.items():
            narrow, wide = ours(name, ratings[:, :2], levels), ours(other, ratings[:, :2], levels)
            assert narrow.undefined == wide.undefined
            assert valued(narrow) == pytest.approx(valued(wide), nan_ok=True)
