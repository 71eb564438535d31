"""Value and default interval of each statistic compared with the libraries that share it, in one run on one core.

    python -m benchmarks.stats [--write benchmarks/results/stats.md]

Theirs is their own function, and for the interval that function with each unit left out in turn (n + 1 evaluations),
as nobody else gives this interval. Each is shown the ratings it can take: 1,000 units, 3 raters, 20 % missing, 5
levels for those that allow for missing ratings, the units that all raters rated for those that don't. Values and
limits are compared in the same run. Limits differ by some 1e-6 where ratings are missing, as leaving out around a
library leaves out units with one rating too, which for alpha and others carry nothing.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import math
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.environment import python_with
from markscheme import stats
from markscheme.stats import change, severity
from markscheme.stats.agreement_figures import agreement_figures
from markscheme.stats.intervals import ATANH

Table = npt.NDArray[np.float64]

UNITS, RATERS, LEVELS, MISSING = 1_000, 3, 5, 0.2
LONGEST = 60.0
"""Seconds beyond which the cost of leaving one out is estimated from `TRIED` evaluations instead."""
TRIED = 25


def made_ratings(n: int, raters: int, missing: float, seed: int = 7) -> Table:
    """Raters who see one truth, each with noise of its own, on five levels."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(LEVELS, (n, 1), p=[0.1, 0.2, 0.4, 0.2, 0.1])
    ratings = np.clip(truth + rng.choice([-1, 0, 1], (n, raters), p=[0.15, 0.7, 0.15]), 0, LEVELS - 1).astype(float)
    ratings[rng.random((n, raters)) < missing] = math.nan
    return np.asarray(ratings)


@dataclass(frozen=True)
class Rival:
    """Another library's function: which of our statistics it gives, on which ratings."""

    library: str
    statistic: str
    ratings: str
    theirs: Callable[[Table], float]
    value: Callable[[Table], float]
    interval: Callable[[Table], stats.Estimate]


@dataclass(frozen=True)
class Timing:
    """Seconds for one value and one interval, and the estimate they came to; estimated where not all was run."""

    value: float
    interval: float
    found: stats.Estimate
    estimated: bool = False


def seconds(call: Callable[[], Any], at_least: float = 0.2) -> tuple[float, Any]:
    """The least time of several calls, and what the last gave."""
    best = math.inf
    spent = 0.0
    while spent < at_least:
        started = time.perf_counter()
        found = call()
        took = time.perf_counter() - started
        best = min(best, took)
        spent = spent + took
    return best, found


def timed_theirs(rival: Rival, ratings: Table) -> Timing:
    """Their value, and the interval made by leaving each unit out around it; only some of that where it takes long."""
    n = len(ratings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rival.theirs(ratings)
        value, found = seconds(lambda: rival.theirs(ratings))
        started = time.perf_counter()
        some = [rival.theirs(np.delete(ratings, i, axis=0)) for i in range(TRIED)]
        leaving = (time.perf_counter() - started) * n / TRIED
        if leaving > LONGEST:
            return Timing(value, value + leaving, stats.Estimate(found, n=n), estimated=True)
        rest = [rival.theirs(np.delete(ratings, i, axis=0)) for i in range(TRIED, n)]
        leaving = time.perf_counter() - started
    return Timing(value, value + leaving, stats.jackknife(found, some + rest, transform=ATANH))


def timed_ours(rival: Rival, ratings: Table) -> Timing:
    value, _ = seconds(lambda: rival.value(ratings))
    interval, estimate = seconds(lambda: rival.interval(ratings))
    return Timing(value, interval, estimate)


# ------------------------------------------------------------------------------------------------------ the libraries


def scale() -> range:
    return range(LEVELS)


def ours(name: str, weights: Any) -> tuple[Callable[[Table], float], Callable[[Table], stats.Estimate]]:
    def interval(ratings: Table) -> stats.Estimate:
        return stats.agreement(ratings, name, levels=scale(), weights=weights)

    def value(ratings: Table) -> float:
        estimate = interval(ratings).value  # the interval comes with the value
        return math.nan if estimate is None else estimate

    return value, interval


def irrcac() -> list[Rival]:
    pd = import_module("pandas")
    raw = import_module("irrCAC.raw")
    categories = [float(level) for level in scale()]

    def call(method: str, weights: str) -> Callable[[Table], float]:
        def theirs(ratings: Table) -> float:
            cac = raw.CAC(pd.DataFrame(ratings), weights=weights, categories=categories, digits=15)
            return float(getattr(cac, method)()["est"]["coefficient_value"])

        return theirs

    methods = {
        "fleiss_kappa": "fleiss",
        "conger_kappa": "conger",
        "brennan_prediger": "bp",
        "gwet_ac2": "gwet",
        "krippendorff_alpha": "krippendorff",
    }
    return [
        Rival("irrCAC", f"{name}, {weights}", "missing", call(method, weights), *ours(name, weights))
        for name, method in methods.items()
        for weights in ("identity", "quadratic")
    ]


def krippendorff() -> list[Rival]:
    library = import_module("krippendorff")
    domain = np.arange(LEVELS, dtype=float)

    def call(metric: str) -> Callable[[Table], float]:
        return lambda ratings: float(
            library.alpha(reliability_data=ratings.T, value_domain=domain, level_of_measurement=metric)
        )

    return [
        Rival(
            "krippendorff",
            f"krippendorff_alpha, {metric}",
            "missing",
            call(metric),
            *ours("krippendorff_alpha", metric),
        )
        for metric in ("nominal", "ordinal", "interval", "ratio")
    ]


def scikit_learn() -> list[Rival]:
    metrics = import_module("sklearn.metrics")
    labels = list(scale())

    def call(weights: str) -> Callable[[Table], float]:
        given = None if weights == "identity" else weights
        return lambda ratings: float(
            metrics.cohen_kappa_score(ratings[:, 0], ratings[:, 1], labels=labels, weights=given)
        )

    return [
        Rival("scikit-learn", f"weighted_kappa, {weights}", "pairs", call(weights), *ours("weighted_kappa", weights))
        for weights in ("identity", "linear", "quadratic")
    ]


def statsmodels() -> list[Rival]:
    library = import_module("statsmodels.stats.inter_rater")

    def counted(ratings: Table) -> Any:
        return (ratings[:, :, None] == np.arange(LEVELS)).sum(axis=1)

    def crossed(ratings: Table) -> Any:
        table = np.zeros((LEVELS, LEVELS))
        np.add.at(table, tuple(ratings.astype(int).T), 1)
        return table

    def fleiss(method: str) -> Callable[[Table], float]:
        return lambda ratings: float(library.fleiss_kappa(counted(ratings), method=method))

    def cohen(weights: str) -> Callable[[Table], float]:
        given = None if weights == "identity" else weights
        return lambda ratings: float(library.cohens_kappa(crossed(ratings), wt=given).kappa)

    many = {"fleiss_kappa": "fleiss", "brennan_prediger": "randolph"}
    return [
        Rival("statsmodels", f"{name}, identity", "complete", fleiss(method), *ours(name, "identity"))
        for name, method in many.items()
    ] + [
        Rival("statsmodels", f"weighted_kappa, {weights}", "pairs", cohen(weights), *ours("weighted_kappa", weights))
        for weights in ("identity", "linear", "quadratic")
    ]


def pingouin() -> list[Rival]:
    library = import_module("pingouin")
    pd = import_module("pandas")
    types = {"icc_1_1": "ICC(1,1)", "icc_2_1": "ICC(A,1)", "icc_3_1": "ICC(C,1)"}

    def long(ratings: Table) -> Any:
        units, raters = np.indices(ratings.shape)
        return pd.DataFrame({"unit": units.ravel(), "rater": raters.ravel(), "rating": ratings.ravel()})

    def icc(kind: str) -> Callable[[Table], float]:
        def theirs(ratings: Table) -> float:
            found = library.intraclass_corr(long(ratings), targets="unit", raters="rater", ratings="rating")
            return float(found.set_index("Type").loc[kind, "ICC"])

        return theirs

    def corr(method: str) -> Callable[[Table], float]:
        return lambda ratings: float(library.corr(*ratings.T, method=method)["r"].iloc[0])

    def ours_icc(name: str) -> Callable[[Table], stats.Estimate]:
        return lambda ratings: stats.icc(ratings, name, limits="jackknife")

    def ours_corr(name: str) -> Callable[[Table], stats.Estimate]:
        return lambda ratings: stats.pair_statistic(ratings[:, 0], ratings[:, 1], name)

    def bare(interval: Callable[[Table], stats.Estimate]) -> Callable[[Table], float]:
        def value(ratings: Table) -> float:
            found = interval(ratings).value
            return math.nan if found is None else found

        return value

    rivals = [
        Rival("pingouin", name, "complete", icc(kind), bare(ours_icc(name)), ours_icc(name))
        for name, kind in types.items()
    ]
    return rivals + [
        Rival("pingouin", name, "pairs", corr(name), bare(ours_corr(name)), ours_corr(name))
        for name in ("pearson", "spearman", "kendall")
    ]


# ---------------------------------------------------------------------------------------------------------- the tables


def milliseconds(value: float) -> str:
    return f"{1e3 * value:,.3g}" if value < 1 else f"{1e3 * value:,.0f}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def compared(rivals: list[Rival]) -> list[str]:
    """A row for each rival: times, how many times faster, and whether value and limits are theirs."""
    missing = made_ratings(UNITS, RATERS, MISSING)
    full = made_ratings(UNITS, RATERS, 0.0)
    given = {"missing": missing, "complete": full, "pairs": full[:, :2]}
    columns = ("statistic", "library", "ratings", "value: theirs, ms", "ours, ms", "times", "interval: theirs, ms",
               "ours, ms", "times", "values differ by", "limits differ by")  # fmt: skip
    lines = [row(*columns), row(*["---"] * 3, *["---:"] * 8)]
    for rival in rivals:
        ratings = given[rival.ratings]
        theirs = timed_theirs(rival, ratings)
        mine = timed_ours(rival, ratings)
        leaving = milliseconds(theirs.interval) + (" (estimated)" if theirs.estimated else "")
        times = (theirs.value / mine.value, theirs.interval / mine.interval)
        lines.append(
            row(
                rival.statistic,
                rival.library,
                rival.ratings,
                milliseconds(theirs.value),
                milliseconds(mine.value),
                f"{times[0]:,.1f}",
                leaving,
                milliseconds(mine.interval),
                f"{times[1]:,.0f}",
                *apart(theirs.found, mine.found),
            )
        )
        print(lines[-1], file=sys.stderr)
    return lines


def apart(left: stats.Estimate, right: stats.Estimate) -> tuple[str, str]:
    """How far two estimates lie apart: in value, and in the limit that differs more."""
    if left.value is None or right.value is None:
        return "–", "–"
    values = f"{abs(left.value - right.value):.0e}"
    if left.low is None or left.high is None or right.low is None or right.high is None:
        return values, "–"
    return values, f"{max(abs(left.low - right.low), abs(left.high - right.high)):.0e}"


def calibration(n: int, criteria: int = 5) -> float:
    """Seconds for every statistic with its interval of a calibration of `n` examples."""
    tables = [made_ratings(n, 2, 0.0, seed=seed) for seed in range(criteria)]
    started = time.perf_counter()
    for table in tables:
        gold, judge = table.T
        stats.two_raters(gold, judge, levels=scale(), ordered=True)
        severity.error_family(gold, judge, levels=scale())
        severity.confusion(gold, judge, levels=scale())
    overall = np.mean(tables, axis=0) / (LEVELS - 1)
    severity.error_family(*overall.T)
    agreement_figures(overall[:, 0], overall[:, 1], tolerance=0.1)
    severity.yes_no_family(*(overall >= 0.6).astype(float).T)
    return time.perf_counter() - started


def a_million_values() -> tuple[float, float]:
    """Seconds, and megabytes at the most, of a fresh process that reckons every value of a million units."""
    code = (
        "import resource, sys, time; sys.path.insert(0, 'benchmarks')\n"
        "from stats import made_ratings, scale\n"
        "from markscheme.stats.coefficients import agreement_values\n"
        "ratings = made_ratings(1_000_000, 3, 0.2)\n"
        "started = time.perf_counter()\n"
        "agreement_values(ratings, levels=scale(), scale='ordinal')\n"
        "print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    root = Path(__file__).parents[1]
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root).stdout
    took, most = answer.split()
    return float(took), float(most)


def import_cost() -> float:
    """CPU seconds a fresh process spends on importing the package's statistics, the least of five."""
    code = "import time; s = time.process_time(); import markscheme.stats; print(time.process_time() - s)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def sizes() -> list[str]:
    rng = np.random.default_rng(3)
    differences = rng.integers(-4, 5, 300)
    flip, _ = seconds(lambda: change.sign_flip(differences))
    million, memory = a_million_values()
    rows = [
        ("five criteria, 1,000 examples, all statistics with intervals", f"{calibration(1_000):.3f} s", "1 s"),
        ("five criteria, 100,000 examples, likewise", f"{calibration(100_000):.2f} s", "30 s"),
        ("every agreement value of 1,000,000 units, 3 raters", f"{million:.2f} s", "2 s"),
        ("memory of that process at the most, ratings made included", f"{memory:.0f} MB", "500 MB"),
        ("one exact sign flip of 300 differences up to 4 levels", f"{1e3 * flip:.2f} ms", "5 ms"),
        ("importing markscheme.stats, CPU", f"{import_cost():.3f} s", "0.25 s"),
    ]
    return [row("what", "took", "aim: under"), row("---", "---:", "---:"), *(row(*cells) for cells in rows)]


def machine() -> str:
    libraries = ("numpy", "scipy", "irrCAC", "krippendorff", "scikit-learn", "statsmodels", "pingouin")
    found = ", ".join(f"{name} {version(name)}" for name in libraries)
    return f"Python {platform.python_version()} on {platform.machine()}, one thread; {found}."


def report() -> str:
    calibration(100)
    rivals = irrcac() + krippendorff() + scikit_learn() + statsmodels() + pingouin()
    lines = [f"{UNITS:,} units, {RATERS} raters, {LEVELS} levels. {machine()}", "", *compared(rivals), "", *sizes()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", type=Path, help="also write the table to this file")
    asked = parser.parse_args()
    python = python_with("irrCAC", "-e", ".[test]", "irrCAC==0.4.4")  # which needs an old scipy
    if Path(sys.prefix) != python.parents[1]:
        sys.exit(subprocess.run([str(python), "-m", "benchmarks.stats", *sys.argv[1:]], check=False).returncode)
    text = report()
    print(text)
    if asked.write:
        asked.write.parent.mkdir(parents=True, exist_ok=True)
        asked.write.write_text(text)


if __name__ == "__main__":
    main()
