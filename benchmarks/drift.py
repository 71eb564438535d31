"""How often an unmoved judge is called drifted, and a moved one found and explained, through the product's own code.

    python -m benchmarks.drift [--write benchmarks/results/drift.md] [--seeds 100]

A judge of known noise grades 60 labelled examples on four criteria of five levels. Runs are accepted, written and
read back; then the same judge, or one that was changed, grades again and is compared with them. Here runs differ by
noise in single answers only; `drift_runs.py` has runs that differ by themselves.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.noisy_judge import (
    CHANGED,
    EXAMPLES,
    HALF,
    LEVELS,
    NAMES,
    NOISE,
    WHOLE,
    NoisyJudge,
    World,
    accepted,
    rater_of,
    ratings_by,
    rubric,
)
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.run_identity import MOST_RUNS
from markscheme.features.drift.baseline import Baseline, drift_since
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Rubric


def held_against(judge: NoisyJudge, asked: Rubric, since: AcceptedBasis) -> Baseline:
    """A new run compared with accepted ones, without the rest of a calibration."""
    ratings = ratings_by(judge, asked)
    comparison = compare(gold_of(judge.world.examples, asked).judged(asked, ratings))
    return drift_since(since, rater_of(judge).setting(asked), comparison, ratings)


def baseline(calibration: Calibration) -> Baseline:
    """The comparison with the accepted run, which is there."""
    assert isinstance(calibration.baseline, Baseline)
    return calibration.baseline


# --- what is counted ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Called:
    """What one later run was called."""

    drifted: frozenset[str]
    fell: frozenset[str]

    @classmethod
    def of(cls, found: Calibration | Baseline) -> "Called":
        codes = [(finding.code, finding.criterion or "") for finding in found.findings]
        return cls(
            frozenset(name for code, name in codes if code == "drift"),
            frozenset(name for code, name in codes if code == "drift-gold"),
        )


def run_again(seed: int, *, runs: int, added: Sequence[float], n: int = EXAMPLES) -> list[Called]:
    """Accept a judge, then run it again with each of `added` on one criterion; what each of these runs is called."""
    rng = np.random.default_rng([seed, runs, n])
    judge = NoisyJudge(World.made(rng, n), rng)
    since = AcceptedBasis(accepted(judge, rubric(), runs=runs))
    return [Called.of(held_against(replace(judge, added={CHANGED: shift}), rubric(), since)) for shift in added]


@dataclass(frozen=True)
class Nights:
    """Whether any of many nightly runs of an unmoved judge raised an alarm.

    Attributes:
        counted: With each run counted as the one it is.
        uncounted: With each treated as if it were the first.
    """

    counted: bool
    uncounted: bool


def nightly(seed: int, *, runs: int, nights: int) -> Nights:
    """Many runs of one judge, each held against the same accepted run."""
    rng = np.random.default_rng([seed, runs, nights])
    judge = NoisyJudge(World.made(rng), rng)
    then = accepted(judge, rubric(), runs=runs)
    found = [held_against(judge, rubric(), AcceptedBasis(then, run=night + 1)) for night in range(nights)]
    first = AcceptedBasis(then).level
    return Nights(any(one.alarm for one in found), any(least_p(one) <= first for one in found))


def least_p(found: Baseline) -> float:
    """The smallest p that could have raised an alarm."""
    moved = [criterion.p for criterion in found.criteria.values() if not criterion.drift.within_margin]
    golds = [criterion.gold for criterion in found.criteria.values()]
    return min([1.0, *moved, *(gold.p for gold in golds if gold is not None and gold.p is not None and gold.is_worse)])


def causes(seed: int, *, text: bool, parameter: bool, replay: bool, strategy: str = "per_criterion") -> str:
    """What the shift of a criterion is put down to, after its text, a parameter of the judge, or both were changed."""
    rng = np.random.default_rng([seed, text, parameter, replay])
    judge = NoisyJudge(World.made(rng), rng)
    judge = replace(judge, strictness=-WHOLE)
    then = accepted(judge, rubric(strategy), runs=MOST_RUNS)
    if parameter:
        judge = replace(judge, added={"tone": WHOLE}, parameters={"temperature": 0.0})
    asked = rubric(strategy, changed=[CHANGED] if text else [])
    replayed = tuple(ratings_by(judge, rubric(strategy))) if replay else ()
    found = held_against(judge, asked, AcceptedBasis(then, replayed=replayed))
    told = []
    for name, criterion in found.criteria.items():
        if criterion.has_moved:
            keys = "+".join(change.key for change in criterion.explanation.changes) or "nothing on record"
            told.append(f"{name}: {keys}" + ("" if criterion.explanation.separable else " (not separable)"))
    return "; ".join(told) or "nothing drifted"


# --- the report -----------------------------------------------------------------------------------------------------


def report(seeds: int) -> str:
    """The tables as Markdown."""
    began = time.perf_counter()
    lines = [
        "# Drift",
        "",
        f"{EXAMPLES} examples, {len(NAMES)} criteria of {LEVELS} levels; the judge's level is the true one with noise "
        f"of {NOISE} level; {seeds} seeds a row, made by `python -m benchmarks.drift`. Shares of runs; two standard "
        f"errors of a share of 5 % are {200 * (0.05 * 0.95 / seeds) ** 0.5:.1f} points.",
        "",
        "## One later run",
        "",
        "| runs accepted | added to one criterion | that one is named | another is named | `drift-gold` | no alarm |",
        "|---|---|---|---|---|---|",
    ]
    for runs, shifts in ((1, (0.0, HALF)), (3, (0.0, HALF / 2, HALF)), (MOST_RUNS, (0.0, HALF / 2, HALF))):
        per_seed = [run_again(seed, runs=runs, added=shifts) for seed in range(seeds)]
        for added, called in zip(shifts, zip(*per_seed, strict=True), strict=True):
            lines.append(f"| {runs} | {added:g} | {' | '.join(_shares(called, CHANGED if added else ''))} |")
    few = max(1, seeds // 5)
    nights = [nightly(seed, runs=MOST_RUNS, nights=20) for seed in range(few)]
    lines += [
        "",
        "## Twenty nightly runs of an unmoved judge",
        "",
        f"Any alarm in the twenty, {MOST_RUNS} runs accepted, {few} seeds: "
        f"{_share(night.counted for night in nights)} with each run counted as the one it is, "
        f"{_share(night.uncounted for night in nights)} with each treated as the first.",
        "",
        "## What a shift is put down to",
        "",
        f"The text of `{CHANGED}` was changed, which makes the judge a level stricter on it; or a parameter of the "
        f"judge, which makes it a level kinder on `tone`; or both. {MOST_RUNS} runs accepted.",
        "",
        "| changed | replayed | told | seeds |",
        "|---|---|---|---|",
    ]
    for text, parameter, replay in (
        (True, False, False),
        (False, True, False),
        (True, True, False),
        (True, True, True),
    ):
        told = [causes(seed, text=text, parameter=parameter, replay=replay) for seed in range(few)]
        changed = " and ".join(what for what, is_it in (("text", text), ("parameter", parameter)) if is_it)
        for sentence in sorted(set(told), key=lambda one: -told.count(one)):
            lines.append(f"| {changed} | {'yes' if replay else 'no'} | {sentence} | {told.count(sentence)} of {few} |")
    lines += ["", f"Made in {time.perf_counter() - began:.0f} s."]
    return "\n".join(lines) + "\n"


def _shares(called: Sequence[Called], moved: str) -> tuple[str, ...]:
    return (
        _share(moved in one.drifted for one in called) if moved else "–",
        _share(bool(one.drifted - {moved}) for one in called),
        _share(bool(one.fell) for one in called),
        _share(not (one.drifted or one.fell) for one in called),
    )


def _share(found: Any) -> str:
    values = list(found)
    return f"{100 * sum(values) / len(values):.0f} %"


def main() -> None:
    """Print the tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--seeds", type=int, default=100)
    arguments = parser.parse_args()
    text = report(arguments.seeds)
    print(text)
    if arguments.write:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
