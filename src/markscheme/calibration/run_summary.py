"""Summary of a Promptfoo run: pass rates with their uncertainty, their cost, and which differences are real."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import neg

import numpy as np

from markscheme.calibration.gate import Gate, graded_rows, repeated
from markscheme.calibration.pass_fail import judged
from markscheme.calibration.pass_rates import Labelled, PassRates, compared_pairs, pass_rates, raw_rate
from markscheme.judges.judge import Usage, total
from markscheme.promptfoo.results import Row
from markscheme.stats import Estimate
from markscheme.stats.intervals import mapped
from markscheme.stats.linking import gain_in_hits


@dataclass(frozen=True)
class SystemWorth:
    """One prompt with one provider.

    Attributes:
        name: Prompt and provider.
        outputs: How many there were.
        raw: The share that the graders passed.
        corrected: Share that annotators would pass; None without labels.
        criteria: Mean score of each criterion, 0 to 1, and over how many outputs.
        not_graded: Outputs without a verdict; they count in no rate.
        usage: What grading cost.
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
    """How many more outputs of the second system pass than of the first, on the same tests.

    Attributes:
        first: Its name.
        second: Likewise.
        raw: From the graders: second minus first.
        corrected: From the labels of both: the second's corrected rate minus the first's; None without labels.
        tests: How many tests both have.
    """

    first: str
    second: str
    raw: Estimate
    corrected: Estimate | None
    tests: int

    @property
    def shown(self) -> Estimate:
        """The corrected difference where labels give one, else the graders'."""
        return self.raw if self.corrected is None or self.corrected.value is None else self.corrected

    @property
    def is_real(self) -> bool:
        """Whether the interval of the difference excludes 0."""
        return self.shown.above(0.0) or self.shown.below(0.0)


@dataclass(frozen=True)
class RunWorth:
    """The summary of a run.

    Attributes:
        systems: Each prompt with each provider, in the order of the results.
        gaps: Between all pairs of them, where they are few.
        calibrations: By rubric, the calibration of its judge in words, and the use it allows.
        labels: Labels behind the corrected rates.
        usage: What grading cost in total.
        gate: The gate on the pass rate, from the run's own repeats; None without repeats.
    """

    systems: tuple[SystemWorth, ...]
    gaps: tuple[Gap, ...]
    calibrations: Mapping[str, tuple[str, str | None]]
    labels: int
    usage: Usage
    gate: Gate | None = None


def run_worth(
    rows: Sequence[Row],
    labelled: Sequence[Labelled],
    calibrations: Mapping[str, tuple[str, str | None]],
    *,
    threshold: float = 1.0,
) -> RunWorth:
    """The summary of one evaluation.

    Args:
        rows: Of one evaluation.
        labelled: The examples that both annotators and the judge decided; without any, only raw pass rates are given.
        calibrations: By rubric, the calibration of its judge.
        threshold: The share of passes below which the evaluation fails.
    """
    by_system: dict[str, list[Row]] = {}
    for row in rows:
        by_system.setdefault(row.system, []).append(row)
    rates = pass_rates([judged(row) for row in rows], labelled) if labelled else None
    return RunWorth(
        systems=tuple(_system(name, own, rates) for name, own in by_system.items()),
        gaps=tuple(_gap(first, second, by_system, rates) for first, second in compared_pairs(list(by_system))),
        calibrations=calibrations,
        labels=len(labelled),
        usage=total(row.usage for row in rows),
        gate=repeated(graded_rows(rows, "pass"), threshold, "pass"),
    )


def _system(name: str, rows: Sequence[Row], rates: PassRates | None) -> SystemWorth:
    graded = [row for row in rows if row.passed is not None]
    return SystemWorth(
        name=name,
        outputs=len(rows),
        raw=raw_rate([judged(row) for row in graded]),
        corrected=_corrected(name, rates),
        criteria=_criteria(rows),
        not_graded=len(rows) - len(graded),
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
    return {name: (sum(found) / len(found), len(found)) for name, found in scores.items()}


def _gap(first: str, second: str, by_system: Mapping[str, Sequence[Row]], rates: PassRates | None) -> Gap:
    outcomes = [_by_test(by_system[name]) for name in (first, second)]
    shared = [test for test in outcomes[0] if test in outcomes[1]]
    pairs = [
        (test, one, other) for test in shared for one, other in zip(outcomes[0][test], outcomes[1][test], strict=False)
    ]
    repeated = len(pairs) > len(shared)
    raw = gain_in_hits(
        [one for _, one, _ in pairs],
        [other for _, _, other in pairs],
        groups=np.array([test for test, _, _ in pairs]) if repeated else None,
    )
    found = rates.differences.get((first, second)) if rates is not None else None
    return Gap(first, second, raw, None if found is None else mapped(found.difference, neg), len(pairs))


def _by_test(rows: Sequence[Row]) -> dict[int, list[float]]:
    """1 for a pass, 0 for a fail, nan for neither, of each test's outputs."""
    found: dict[int, list[float]] = {}
    for row in rows:
        found.setdefault(row.test, []).append(float("nan") if row.passed is None else float(row.passed))
    return found
