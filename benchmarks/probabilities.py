"""How often does the audit of probabilities alarm where nothing is wrong, and find what is?

    python -m benchmarks.probabilities [--runs 400] [--write benchmarks/results/probabilities.md]

Every run draws n true log-odds (normal, standard deviation 1.5, mean .4) and outcomes by them, and gives them to
`probability_audit` as a judge would who is calibrated, twice too sure, lenient by .8 log-odds, or says the opposite of
the truth with .97 or more on 3 % of examples. Alarms: the likelihood ratio test and the confident errors at 95 %, both
at 5 %, and the finding as users get it (the slope's interval below 1, or confident errors beyond their promise with p
up to .01). In groups, four examples share their log-odds and their outcome.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.page import write_page
from markscheme.features.decision_models.statistics import probability_audit

Floats = npt.NDArray[np.float64]

SPREAD, MEAN = 1.5, 0.4
SIZES = (50, 100, 200, 500)
AT = 0.05
"""Level of the two tests in the table."""
SHARE_OF_BLUNDERS = 0.03


def _blunders(odds: Floats, truth: Floats, generator: np.random.Generator) -> Floats:
    blunders = generator.random(len(odds)) < SHARE_OF_BLUNDERS
    against = np.where(truth == 1, -1, 1) * generator.uniform(3.5, 5.0, len(odds))
    return np.where(blunders, against, odds)


FAULTS: dict[str, Callable[[Floats, Floats, np.random.Generator], Floats]] = {
    "none": lambda odds, _truth, _generator: odds,
    "log-odds twice too large": lambda odds, _truth, _generator: 2 * odds,
    "lenient by .8 log-odds": lambda odds, _truth, _generator: odds + 0.8,
    "3 % confident blunders": _blunders,
}


def draw(n: int, generator: np.random.Generator, *, in_group: int = 1) -> tuple[Floats, Floats]:
    """True log-odds and outcomes; those of one group are the same."""
    odds = generator.normal(MEAN, SPREAD, -(-n // in_group))
    outcomes = (generator.random(len(odds)) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    return np.repeat(odds, in_group)[:n], np.repeat(outcomes, in_group)[:n]


def alarms(fault: str, n: int, runs: int, *, in_group: int = 1) -> Floats:
    """Shares of runs with an alarm: by the test, by confident errors, and as a finding."""
    generator = np.random.default_rng([list(FAULTS).index(fault), n, in_group])
    counts = np.zeros(3)
    for _ in range(runs):
        odds, outcomes = draw(n, generator, in_group=in_group)
        said = 1 / (1 + np.exp(-FAULTS[fault](odds, outcomes, generator)))
        groups = None if in_group == 1 else np.arange(n) // in_group
        audit = probability_audit(said, outcomes, groups)
        errors = audit.confident_errors
        by_test = audit.p is not None and audit.p <= AT
        by_errors = errors.p is not None and errors.p <= AT
        counts += [by_test, by_errors, audit.is_overconfident or errors.exceeds]
    return counts / runs


def table(runs: int) -> Iterator[str]:
    """A row for each fault and size."""
    yield "| fault | n | likelihood ratio | confident errors | finding `overconfident` |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for fault in FAULTS:
        for n in SIZES:
            by_test, by_errors, finding = alarms(fault, n, runs)
            yield f"| {fault} | {n} | {by_test:.3f} | {by_errors:.3f} | {finding:.3f} |"
    for fault in ("none", "log-odds twice too large"):
        for n in (100, 200):
            *_, finding = alarms(fault, n, runs, in_group=4)
            yield f"| {fault}, in groups of four | {n} | – | – | {finding:.3f} |"


def lines(runs: int) -> list[str]:
    """The page, line by line."""
    return [
        f"{runs:,} simulated sets a row; a share of .05 is known to ±{2 * (0.05 * 0.95 / runs) ** 0.5:.3f}. The two "
        "tests are at 5 %; with groups they give no p.",
        "",
        *table(runs),
    ]


if __name__ == "__main__":
    write_page(__doc__, lines, runs=400)
