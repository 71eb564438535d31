"""A gate on the mean of cases, and its risk from several runs over the same cases, in any graded file."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.errors import ComparisonError, NothingGraded, RatingError
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import json_lines, read_json, shown
from markscheme.promptfoo.results import Row, read_results
from markscheme.promptfoo.results_files import is_results
from markscheme.stats.gate import Figure, GateRisk, gate_risk

MOST_MISSING = 0.1
"""Share of the cases that may lack a figure in some run."""
LEAST_CASES = 2
LEAST_SHARE = 1000
"""Rarer failures are reported as less than 1 in this many runs."""


@dataclass(frozen=True)
class Gate:
    """A gate and its risk.

    Attributes:
        risk: Its risk, from the runs.
        threshold: The least figure that passes.
        of: The figure: mean score or share of passes.
        averaged: Number of runs that CI averages.
        dropped: Cases left out because a run did not grade them.
    """

    risk: GateRisk
    threshold: float
    of: Figure
    averaged: int = 1
    dropped: int = 0

    @property
    def because(self) -> str:
        """How often the gate fails although nothing changed, in a sentence."""
        chance = self.risk.p_fail
        if chance.value is None:
            return f"{chance.undefined}."
        between = f"90% interval {_in(chance.low or 0.0)} to {_in(chance.high or 0.0)}"
        return f"This gate would fail {_often(chance.value)} though nothing changed ({between})."


Graded = tuple[str, float | None]
"""What identifies a case, and its score, or its pass as 0 or 1; None where it is not graded."""


def read_gate(paths: Sequence[Path], threshold: float, of: Figure, *, averaged: int = 1) -> Gate:
    """The gate, from the runs in Promptfoo's results, ratings, or the output of `grade --json` or `experiment --json`.

    A case that a file contains several times was run that often, in the order of the file.

    Raises:
        RatingError: A file has no graded cases, or scores outside 0 to 1.
        ComparisonError: The runs have different cases, or a single one.
        NothingGraded: Over a tenth of the cases is not graded in some run.
    """
    return gate_of([run for path in paths for run in runs_of(_read(path, of))], threshold, of, averaged=averaged)


def gate_of(runs: Sequence[Mapping[str, float | None]], threshold: float, of: Figure, *, averaged: int = 1) -> Gate:
    """The gate, from the cases that every run graded.

    Args:
        runs: For each run, the figure by case; None where it is not graded.
        threshold: The least mean that passes, 0 to 1.
        of: What the figures are.
        averaged: Number of runs that CI averages.

    Raises:
        ComparisonError: The runs have different cases, or a single one.
        NothingGraded: Over a tenth of the cases is not graded in some run.
    """
    cases = list(dict.fromkeys(case for run in runs for case in run))
    shared = [case for case in cases if all(case in run for run in runs)]
    if len(cases) - len(shared) > MOST_MISSING * len(cases):
        raise ComparisonError(
            f"the {len(runs)} runs hold different cases: {len(shared)} of {len(cases)} are in all of them; "
            "run the same cases several times"
        )
    kept = [case for case in shared if all(run[case] is not None for run in runs)]
    dropped = len(cases) - len(kept)
    if dropped > MOST_MISSING * len(cases):
        raise NothingGraded(["a case counts if every run graded it"] * dropped, of=len(cases))
    if len(kept) < LEAST_CASES:
        raise ComparisonError(f"a gate needs {LEAST_CASES} cases or more, got {len(kept)}")
    values = np.array([[run[case] for case in kept] for run in runs], dtype=np.float64)
    risk = gate_risk(values, threshold, of=of, runs_in_ci=averaged)
    return Gate(risk, threshold, of, averaged, dropped)


def repeated(graded: Iterable[Graded], threshold: float, of: Figure) -> Gate | None:
    """The gate, from cases that were graded several times; None where they weren't, or not all of them."""
    runs = runs_of(graded)
    try:
        return gate_of(runs, threshold, of) if len(runs) > 1 else None
    except ComparisonError:
        return None


def graded_rows(rows: Iterable[Row], of: Figure) -> Iterator[Graded]:
    """The case and figure that Promptfoo's graders gave each row, by test, prompt and provider."""
    for row in rows:
        asserted = [[verdict.metric, verdict.text] for verdict in row.verdicts]
        figure = row.score if of == "score" else row.passed
        case = fingerprint(row.system, {name: shown(value) for name, value in row.inputs.items()}, asserted)
        yield case, None if figure is None else float(figure)


def runs_of(graded: Iterable[Graded]) -> list[dict[str, float | None]]:
    """One mapping per run: a case's first figure is in the first, its second in the second."""
    runs: list[dict[str, float | None]] = []
    seen: Counter[str] = Counter()
    for case, figure in graded:
        if seen[case] == len(runs):
            runs.append({})
        runs[seen[case]][case] = figure
        seen[case] += 1
    return runs


def _read(path: Path, of: Figure) -> list[Graded]:
    if is_results(path):
        return list(graded_rows(read_results(path).rows, of))
    lines = json_lines(path, RatingError) if path.suffix == ".jsonl" else _outputs(path)
    found = [_graded(line, of, path, number) for number, line in lines]
    if not found:
        raise RatingError("holds no graded cases", path=path)
    return found


def _outputs(path: Path) -> Iterator[tuple[int | None, Any]]:
    """The outputs in a file written by `experiment --json`."""
    data = read_json(path, RatingError)
    outputs = data.get("outputs") if isinstance(data, Mapping) else None
    if not isinstance(outputs, list):
        raise RatingError("holds no runs; expected Promptfoo's results, ratings, grades or an experiment", path=path)
    yield from ((None, line) for line in outputs)


def _graded(line: Any, of: Figure, path: Path, number: int | None) -> Graded:
    if not isinstance(line, Mapping):
        raise RatingError(f"expected an object per case, got {shown(line)}", path=path, line=number)
    case = fingerprint(*(shown(line.get(key)) for key in ("id", "rater", "judge", "variant", "case")))
    figure = line.get("score", line.get("overall")) if of == "score" else line.get("pass")
    if figure is None or line.get("error"):
        return case, None
    if not isinstance(figure, int | float) or not math.isfinite(figure) or not 0 <= figure <= 1:
        raise RatingError(f"expected a score from 0 to 1 or a pass, got {shown(figure)}", path=path, line=number)
    return case, float(figure)


def _often(chance: float) -> str:
    """A probability as a number of runs.

    >>> _often(0.04), _often(0.9), _often(0.0)
    ('about 1 run in 25', 'about 9 runs in 10', 'less than 1 run in 1000')
    """
    if chance > 0.95:
        return "nearly always"
    if chance < 1 / LEAST_SHARE:
        return f"less than 1 run in {LEAST_SHARE}"
    if chance > 0.45:
        return f"about {round(10 * chance)} runs in 10"
    return f"about 1 run in {round(1 / chance)}"


def _in(chance: float) -> str:
    if chance < 1 / LEAST_SHARE:
        return "0"
    return f"{round(10 * chance)} in 10" if chance > 0.45 else f"1 in {round(1 / chance)}"
