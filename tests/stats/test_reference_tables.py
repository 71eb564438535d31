"""The collection of classic rating tables beside the repository: every published figure, or why it is not ours.

Each figure either comes out to its printed digits or is of a kind listed in `NOT_BUILT` with the reason; a test counts
both. Radical, circular, bipolar, ordinal and ratio weights have no name here and are given as a matrix of credit.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.stats.coefficients import NamedWeights, ScaleKind, agreement, agreement_values
from markscheme.stats.estimate import Estimate
from markscheme.stats.reliability import icc
from markscheme.stats.severity import pair_statistic
from tests.reference.published import from_contingency, from_counts
from tests.worked_cases import cases_in

Table = npt.NDArray[np.float64]

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "reference_tables"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=f"runs where {FOLDER} is there")

NAMES_OF_UNITS = {"unit", "subject", "patient", "group", "example", "item", "object", "target", "wine", "lot"}

NOT_BUILT = {
    "bootstrap limits": "drawn at random by their authors; intervals here need no random numbers",
    "standard errors, tests and limits of others": "large-sample formulas that cover too little at 20 to 300 units",
    "a matrix of the library's own tests": "its credits are not printed beside the figure",
}
"""Kinds of printed figures that have no counterpart here, and why."""


def published() -> list[dict[str, Any]]:
    if not FOLDER.exists():
        return []
    entries: list[dict[str, Any]] = cases_in(FOLDER / "published.yaml")["published"]
    return entries


def irrcac() -> list[dict[str, str]]:
    if not FOLDER.exists():
        return []
    with (FOLDER / "irrcac_expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))


# --------------------------------------------------------------------------------------------- reading the tables


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


def numbered(columns: list[list[str]]) -> tuple[Table, tuple[float, ...]]:
    """Ratings as numbers with the levels that occur; names of levels are numbered from 1 in their order."""
    named = sorted({cell for row in columns for cell in row if cell})
    try:
        places = {cell: float(cell) for cell in named}
    except ValueError:
        places = {cell: i + 1.0 for i, cell in enumerate(named)}
    ratings = np.array([[places.get(cell, math.nan) for cell in row] for row in columns])
    return ratings, tuple(sorted(set(places.values())))


def read(
    name: str, layout: str, *, columns: list[str] | None = None, example: str = ""
) -> tuple[Table, tuple[float, ...]]:
    """Ratings, shape (n_units, n_raters), and the levels of one table."""
    matching = [row for row in rows(name) if not example or row["example"] == example]
    kept = columns or [key for key in matching[0] if key not in NAMES_OF_UNITS]
    if layout in ("raw", "pairs"):
        return numbered([[row[key] for key in kept] for row in matching])
    if layout == "distribution":
        counts = [[int(row[key] or 0) for key in kept if any(other[key] for other in matching)] for row in matching]
        return from_counts(counts) + 1, tuple(float(i + 1) for i in range(len(counts[0])))
    cells = [[float(cell) for cell in list(row.values())[1:]] for row in matching]
    units = 100 if layout == "contingency_proportions" else 1
    ratings = from_contingency([[round(cell * units) for cell in row] for row in cells])
    return ratings + 1, tuple(float(i + 1) for i in range(len(cells)))


# ------------------------------------------------------------------------------------------------ published figures

ICC = {
    "ICC1": "icc_1_1",
    "ICC2": "icc_2_1",
    "ICC3": "icc_3_1",
    "ICC1k": "icc_1_k",
    "ICC2k": "icc_2_k",
    "ICC3k": "icc_3_k",
}


def weights_of(entry: dict[str, Any]) -> Any:
    """Return the weights of a published figure: a name, or a matrix of costs converted to credit."""
    scheme = entry.get("level") or entry.get("weights") or "identity"
    return scheme if isinstance(scheme, str) else 1 - np.array(scheme) / np.max(scheme)


def estimate(entry: dict[str, Any]) -> Estimate:
    ratings, levels = read(
        entry["table"], entry["layout"], columns=entry.get("columns"), example=entry.get("example", "")
    )
    name = {"randolph_kappa": "brennan_prediger"}.get(entry["statistic"], entry["statistic"])
    if name in ICC:
        return icc(ratings, ICC[name])
    if name == "kendall_tau_b":
        return pair_statistic(ratings[:, 0], ratings[:, 1], "kendall")
    if entry.get("columns"):
        # R's irr takes the levels that occur for neighbours, whatever their distance.
        ratings = np.searchsorted(levels, ratings).astype(float)
        levels = tuple(float(i) for i in range(len(levels)))
    return agreement(ratings, name, levels=levels, weights=weights_of(entry))


def figure_id(entry: dict[str, Any]) -> str:
    costs = entry.get("level") or entry.get("weights") or ""
    return f"{entry['table'][:-4]} {entry['statistic']} {costs if isinstance(costs, str) else 'costs'}"


def is_bootstrap(entry: dict[str, Any]) -> bool:
    return str(entry["statistic"]).endswith("_bootstrap_percentile_ci")


@pytest.mark.parametrize("entry", [e for e in published() if not is_bootstrap(e)], ids=figure_id)
def test_each_published_figure_in_the_file_of_reference_values_is_reproduced_to_its_printed_digits(
    entry: dict[str, Any],
) -> None:
    value = estimate(entry).value
    assert value is not None
    assert value == pytest.approx(entry["value"], abs=0.5 * 10.0 ** -entry["decimals"] + 1e-12)


@pytest.mark.parametrize("entry", [e for e in published() if e["statistic"] in ICC and "ci95" in e], ids=figure_id)
def test_the_published_limits_of_intraclass_correlations_are_reproduced(entry: dict[str, Any]) -> None:
    value = estimate(entry)
    assert (value.low, value.high) == pytest.approx(entry["ci95"], abs=0.5 * 10.0 ** -entry["decimals"] + 1e-12)


def others_uncertainty(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the keys of a published figure for an uncertainty by large-sample formulas or bootstrap."""
    of_icc = {"ci95"} if entry["statistic"] in ICC else set()
    return (
        key for key in ("se", "se0", "z", "p", "F", "ci95", "bootstrap_percentile_ci95") if key in entry.keys() - of_icc
    )


def test_tests_leave_out_only_the_expected_number_of_published_figures_for_each_reason() -> None:
    entries, lines = published(), irrcac()
    assert (len(entries), len(lines)) == (73, 159)
    beside = Counter(key for entry in entries for key in others_uncertainty(entry))
    assert beside == {"se": 18, "ci95": 18, "p": 11, "F": 6, "z": 6, "bootstrap_percentile_ci95": 5, "se0": 2}
    left_out = {
        "bootstrap limits": sum(map(is_bootstrap, entries)) + beside["bootstrap_percentile_ci95"],
        "standard errors, tests and limits of others": beside.total() - beside["bootstrap_percentile_ci95"],
        "a matrix of the library's own tests": sum(map(has_matrix_of_its_own, lines)),
    }
    assert left_out == {
        "bootstrap limits": 10,
        "standard errors, tests and limits of others": 61,
        "a matrix of the library's own tests": 11,
    }
    assert set(left_out) == set(NOT_BUILT)


def test_files_of_published_figures_have_only_known_fields() -> None:
    keys = {"table", "layout", "statistic", "value", "decimals", "source", "seen_here", "note", "weights",
             "weights_kind", "level", "columns", "example", "ci95"}  # fmt: skip
    uncertainty = {"se", "se0", "z", "p", "F", "bootstrap_percentile_ci95"}
    assert set().union(*published()) == keys | uncertainty
    fields = {"family", "coefficient", "dataset", "weights", "pa", "pe", "coef", "se", "lo", "hi", "p", "test"}
    assert set(irrcac()[0]) == fields


# -------------------------------------------------------------------------------------------------- figures of irrCAC

IRRCAC_NAMES = {
    "bp": "brennan_prediger",
    "brennan_prediger": "brennan_prediger",
    "conger": "conger_kappa",
    "cohen": "cohen_kappa",
    "fleiss": "fleiss_kappa",
    "gwet": "gwet_ac2",
    "krippendorff": "krippendorff_alpha",
    "scott": "scott_pi",
    "pa": "fleiss_kappa",
}


def credit(name: str, levels: tuple[float, ...]) -> Any:
    """Gwet's weights (2014, chapter 3); those that have no name here are given as a matrix."""
    if name in ("identity", "linear", "quadratic"):
        return name
    x = np.array(levels)
    apart, together = np.abs(x[:, None] - x), x[:, None] + x
    low, high = x.min(), x.max()
    steps = np.abs(np.arange(len(x))[:, None] - np.arange(len(x)))
    ends = np.where(apart > 0, (together - 2 * low) * (2 * high - together), 1.0)
    cost = {
        "ordinal": steps * (steps + 1) / 2,
        "radical": np.sqrt(apart),
        "ratio": (apart / together) ** 2,
        "circular": np.sin(np.pi * apart / (high - low + 1)) ** 2,
        "bipolar": apart**2 / ends,
    }[name]
    return 1 - cost / cost.max()


def table_of(row: dict[str, str]) -> str:
    """Return the name of the file that holds a data set of irrCAC."""
    dataset = row["dataset"].removeprefix("table_")
    name = {"raw_4raters": "raw4raters", "raw_5observers": "raw5observers"}.get(dataset, dataset)
    return f"gwet_{name}.csv"


def ratings_of(row: dict[str, str]) -> tuple[Table, tuple[float, ...]]:
    return read(table_of(row), "contingency" if row["family"] == "table" else "raw")


def has_matrix_of_its_own(row: dict[str, str]) -> bool:
    return row["weights"] == "weights"


def row_id(row: dict[str, str]) -> str:
    return f"{row['dataset']} {row['coefficient']} {row['weights']}"


@pytest.mark.parametrize(
    "row", [row for row in irrcac() if row["coefficient"] != "pa" and not has_matrix_of_its_own(row)], ids=row_id
)
def test_values_of_the_irrcac_package_are_reproduced_with_all_its_weights(row: dict[str, str]) -> None:
    ratings, levels = ratings_of(row)
    name = IRRCAC_NAMES[row["coefficient"]]
    value = agreement(ratings, name, levels=levels, weights=credit(row["weights"], levels)).value
    assert value == pytest.approx(float(row["coef"]), abs=0.0005 + 1e-9)


def has_our_weights(row: dict[str, str]) -> bool:
    """Return True for weights that the table of all coefficients uses for the row's coefficient."""
    is_fixed = row["coefficient"] in ("cohen", "krippendorff")
    return row["weights"] in (("identity",) if is_fixed else get_args(NamedWeights))


@pytest.mark.parametrize("row", [row for row in irrcac() if has_our_weights(row)], ids=row_id)
def test_observed_and_expected_agreement_of_the_irrcac_package_are_reproduced(row: dict[str, str]) -> None:
    ratings, levels = ratings_of(row)
    scale: ScaleKind = "nominal" if row["weights"] == "identity" else "interval"
    figures = agreement_values(ratings, levels=levels, scale=scale, weights=credit(row["weights"], levels))
    figure = figures[IRRCAC_NAMES[row["coefficient"]]]
    value = figure.observed if row["coefficient"] == "pa" else figure.value
    assert value == pytest.approx(float(row["coef"]), abs=0.0005 + 1e-9)
    for ours, theirs in ((figure.observed, row["pa"]), (figure.expected, row["pe"])):
        if theirs:
            assert ours == pytest.approx(float(theirs), abs=0.0005 + 1e-9)


def test_every_table_in_the_folder_of_reference_tables_is_used() -> None:
    used = {entry["table"] for entry in published()} | {table_of(row) for row in irrcac()}
    assert {path.name for path in FOLDER.glob("*.csv")} - used == {"irrcac_expected.csv"}


# ------------------------------------------------------------------------------------------------------------- traps


def test_kappa_weighted_over_all_levels_of_the_scale_differs_from_kappa_weighted_over_the_levels_that_occur() -> None:
    ratings, _ = read("irr_anxiety.csv", "raw", columns=["rater2", "rater3"])
    over_scale = agreement(ratings, "weighted_kappa", levels=range(1, 7)).value
    assert over_scale is not None
    assert abs(over_scale - 0.2520325) > 0.01


def test_a_unit_with_a_single_rating_counts_in_gwet_s_ac1_and_not_in_krippendorff_s_alpha() -> None:
    ratings, levels = read("gwet_raw4raters.csv", "raw")
    paired = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    assert len(paired) == len(ratings) - 1
    pairs_only, every = (
        {name: agreement(table, name, levels=levels).value for name in ("krippendorff_alpha", "gwet_ac1")}
        for table in (paired, ratings)
    )
    assert pairs_only["krippendorff_alpha"] == pytest.approx(every["krippendorff_alpha"])
    assert pairs_only["gwet_ac1"] != pytest.approx(every["gwet_ac1"])
