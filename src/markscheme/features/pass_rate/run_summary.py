"""Summary of a Promptfoo run: pass rates with intervals, costs, and significant differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import neg

import numpy as np

from markscheme.calibration.rates.pass_rates import PassRates, compared_pairs, decided_rows, pass_rates, raw_rate
from markscheme.calibration.rates.repeats import repeated
from markscheme.features.pass_rate.decided_files import graded_table, rated_results
from markscheme.features.pass_rate.gate import table_of_runs
from markscheme.judges.judge import Usage, total
from markscheme.promptfoo.results import Results, Row
from markscheme.ratings.table import RatingTable
from markscheme.stats import Estimate
from markscheme.stats.gains import gain_in_hits
from markscheme.stats.intervals import mapped
from markscheme.stats.threshold_risk import ThresholdRisk


@dataclass(frozen=True)
class SystemWorth:
    """Pass rates and scores of the outputs of one prompt with one provider.

    Attributes:
        name: Names of prompt and provider.
        outputs: Number of outputs.
        raw: Share of these outputs that the graders passed.
        corrected: Share that annotators would pass; None without labels.
        criteria: Mean score, 0 to 1, and number of outputs with a score, by criterion.
        not_graded: Number of outputs without a verdict; they count in no rate.
        usage: Tokens and cost of grading them.
    """

    name: str
    outputs: int
    raw: Estimate
    corrected: Estimate | None
    criteria: Mapping[str, tuple[float, int]]
    not_graded: int
    usage: Usage


@dataclass(frozen=True)
class Gap:
    """Difference between two systems' pass rates, on the tests that both have.

    Attributes:
        first: Name of the first system.
        second: Name of the second system.
        raw: Share that the graders passed, second minus first.
        corrected: Corrected pass rate, second minus first; None unless both systems have labels.
        tests: Number of tests that both have.
    """

    first: str
    second: str
    raw: Estimate
    corrected: Estimate | None
    tests: int

    @property
    def shown(self) -> Estimate:
        """The difference of the corrected rates; without labels, the difference of the graders' pass rates."""
        return self.raw if self.corrected is None or self.corrected.value is None else self.corrected

    @property
    def is_real(self) -> bool:
        """True if the interval of the difference `shown` doesn't contain 0."""
        return self.shown.above(0.0) or self.shown.below(0.0)


@dataclass(frozen=True)
class RunWorth:
    """Summary of a Promptfoo run: pass rates of its systems, their differences, labels, calibrations and cost.

    Attributes:
        systems: Each prompt with each provider, in the order of the results.
        gaps: Differences of all pairs of systems, or of pairs with the first if there are many systems.
        calibrations: Calibration of the judge in words, and the use that it allows, by rubric.
        labels: Number of labels behind the corrected rates.
        usage: Tokens and cost of all grading.
        raw: Share of all outputs that the graders passed.
        corrected: Share of all outputs that annotators would pass; None without labels.
        uncorrected: The reason why rates aren't corrected; None if they are.
        gate: Risk that such a run falls below a threshold by chance, estimated from the run's repeats; None without
            repeats.
        reasons_not_graded: For each output without a verdict, the reason why.
        passed_ungraded: Number of outputs without a verdict that Promptfoo counts as passed.
    """

    systems: tuple[SystemWorth, ...]
    gaps: tuple[Gap, ...]
    calibrations: Mapping[str, tuple[str, str | None]]
    labels: int
    usage: Usage
    raw: Estimate
    corrected: Estimate | None = None
    uncorrected: str | None = None
    gate: ThresholdRisk | None = None
    reasons_not_graded: tuple[str, ...] = ()
    passed_ungraded: int = 0


def run_worth(
    results: Results,
    labelled: RatingTable | None,
    calibrations: Mapping[str, tuple[str, str | None]],
    *,
    threshold: float = 1.0,
    uncorrected: str = "there are no labels",
) -> RunWorth:
    """Summarize a Promptfoo run: pass rates of each system, differences between systems, and cost.

    Args:
        results: The results of one evaluation.
        labelled: A table with gold and the judge on the examples that both decided; None for raw pass rates only.
        calibrations: Calibration of the judge in words, and the use that it allows, by rubric.
        threshold: The share of passes, 0 to 1, below which the evaluation fails.
        uncorrected: The reason why `labelled` is None, if it is.
    """
    by_system: dict[str, list[Row]] = {}
    for row in results.rows:
        by_system.setdefault(row.system, []).append(row)
    rated = rated_results(results)
    graded = graded_table(rated)
    rates = None if labelled is None else pass_rates(graded, labelled)
    return RunWorth(
        systems=tuple(_system(name, rows, graded, rates) for name, rows in by_system.items()),
        gaps=tuple(_gap(first, second, by_system, rates) for first, second in compared_pairs(list(by_system))),
        calibrations=calibrations,
        labels=0 if labelled is None else len(labelled.ids),
        usage=total(row.usage for row in results.rows),
        raw=raw_rate(decided_rows(graded)),
        corrected=None if rates is None else rates.corrected,
        uncorrected=uncorrected if rates is None else None,
        gate=repeated(table_of_runs(rated, "pass"), threshold, "pass"),
        reasons_not_graded=tuple(row.ungraded for row in results.rows if row.ungraded is not None),
        passed_ungraded=sum(row.passed_anyway for row in results.rows),
    )


def _system(name: str, rows: Sequence[Row], graded: RatingTable, rates: PassRates | None) -> SystemWorth:
    pool = decided_rows(graded.rows(np.array([example.system == name for example in graded.examples or ()])))
    return SystemWorth(
        name=name,
        outputs=len(rows),
        raw=raw_rate(pool),
        corrected=_corrected(name, rates),
        criteria=_criteria(rows),
        not_graded=len(rows) - len(pool.ids),
        usage=total(row.usage for row in rows),
    )


def _corrected(name: str, rates: PassRates | None) -> Estimate | None:
    if rates is None:
        return None
    return rates.groups[name].corrected if rates.groups else rates.corrected


def _criteria(rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
    scores: dict[str, list[float]] = {}
    for row in rows:
        for verdict in row.verdicts:
            if verdict.is_graded and verdict.score is not None:
                scores.setdefault(verdict.metric, []).append(verdict.score)
    return {name: (sum(values) / len(values), len(values)) for name, values in scores.items()}


def _gap(first: str, second: str, by_system: Mapping[str, Sequence[Row]], rates: PassRates | None) -> Gap:
    outcomes = [_by_test(by_system[name]) for name in (first, second)]
    shared = [test for test in outcomes[0] if test in outcomes[1]]
    pairs = [
        (test, first_pass, second_pass)
        for test in shared
        for first_pass, second_pass in zip(outcomes[0][test], outcomes[1][test], strict=False)
    ]
    repeated = len(pairs) > len(shared)
    raw = gain_in_hits(
        [first_pass for _, first_pass, _ in pairs],
        [second_pass for _, _, second_pass in pairs],
        groups=np.array([test for test, _, _ in pairs]) if repeated else None,
    )
    group_difference = rates.differences.get((first, second)) if rates is not None else None
    return Gap(
        first, second, raw, None if group_difference is None else mapped(group_difference.difference, neg), len(pairs)
    )


def _by_test(rows: Sequence[Row]) -> dict[int, list[float]]:
    """Map each test to its outputs' outcomes: 1 for a pass, 0 for a fail, nan for an output that isn't graded."""
    outcomes: dict[int, list[float]] = {}
    for row in rows:
        outcomes.setdefault(row.test, []).append(float("nan") if row.passed is None else float(row.passed))
    return outcomes
