"""How often an unmoved judge is called drifted, and a moved one found and explained, through the product's own code.

    python -m benchmarks.drift [--write benchmarks/results/drift.md] [--seeds 100]

A judge of known noise grades 60 labelled examples on four criteria of five levels. Runs are accepted, written and
read back; then the same judge, or one that was changed, grades again and is compared with them. Here runs differ by
noise in single answers only; `drift_runs.py` has runs that differ by themselves.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.setting import MOST_RUNS, Accepted
from markscheme.calibration.earlier_runs.since import Since
from markscheme.features.drift.baseline import Baseline, drift_since
from markscheme.grading import Grade, Grading
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.rerun import FromSample
from markscheme.judges.scripted import answer_of
from markscheme.prompt import Prompt
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.submission import Submission

NAMES = ("clarity", "facts", "tone", "format")
EXAMPLES, LEVELS = 60, 5
NOISE = 0.5
"""Standard deviation of a judge's level about the true one: two runs then differ on two answers in five."""
HALF, WHOLE = 0.5, 1.0
CHANGED = "clarity"


def rubric(strategy: str = "one_shot", *, changed: Sequence[str] = (), name: str = "drift") -> Rubric:
    """Four criteria of five levels; those in `changed` read otherwise."""
    criteria = tuple(
        Criterion(1.0, f"shows {one}" + (", strictly" if one in changed else ""), one, Scale.numbered(1, LEVELS))
        for one in NAMES
    )
    return Rubric(criteria, name=name, strategy=strategy)  # type: ignore[arg-type]


@dataclass(frozen=True)
class World:
    """Examples whose true levels are known and are their labels."""

    truth: Mapping[str, Mapping[str, int]]

    @classmethod
    def made(cls, rng: np.random.Generator, n: int = EXAMPLES) -> "World":
        levels = rng.integers(1, LEVELS + 1, (n, len(NAMES))).tolist()
        return cls({f"e{place:03}": dict(zip(NAMES, row, strict=True)) for place, row in enumerate(levels)})

    @property
    def examples(self) -> ExampleSet:
        return ExampleSet(
            tuple(
                Example(Submission(f"answer {name}", id=name), tuple(self._labels(name, levels)))
                for name, levels in self.truth.items()
            )
        )

    @staticmethod
    def _labels(name: str, levels: Mapping[str, int]) -> list[Rating]:
        given = {criterion: Rated(float(level)) for criterion, level in levels.items()}
        return [Rating(name, rater, "human", given) for rater in ("r1", "r2")]


@dataclass
class NoisyJudge:
    """A judge that sees the true level with noise; `added` moves it, and a criterion's stricter text does too."""

    world: World
    rng: np.random.Generator
    added: Mapping[str, float] = field(default_factory=dict)
    strictness: float = -HALF
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 1.0})
    noise: float = NOISE
    name: str = "noisy"

    @classmethod
    def made(cls, seed: int, n: int = EXAMPLES) -> "NoisyJudge":
        """An unmoved judge of a world of its own."""
        rng = np.random.default_rng(seed)
        return cls(World.made(rng, n), rng)

    @property
    def identity(self) -> Identity:
        return Identity(self.name, f"{self.name}-1", self.parameters)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - each call is a new sample
        name = prompt.user.split("answer ", 1)[1][:4]
        return Reply(answer_of({c: self._level(name, c, prompt) for c in prompt.criteria}), usage=Usage(1))

    async def aclose(self) -> None:
        """Nothing is held."""

    def _level(self, name: str, criterion: str, prompt: Prompt) -> int:
        level = self.world.truth[name][criterion] + self.added.get(criterion, 0.0) + self.rng.normal(0, self.noise)
        if f"shows {criterion}, strictly" in prompt.system:
            level += self.strictness
        return int(np.clip(round(level), 1, LEVELS))


def ratings_by(judge: NoisyJudge, asked: Rubric, run: int = 0) -> list[Rating]:
    """One run of a judge over its world."""

    async def graded() -> list[Grade]:
        grading = Grading(asked, FromSample(judge, run))
        return [await grading.grade(example.submission) for example in judge.world.examples.examples]

    return [rating_of(grade, asked, judge.name, sample=run) for grade in asyncio.run(graded())]


def calibrated(judge: NoisyJudge, asked: Rubric, *, since: Since | None = None, runs: int = 1) -> Calibration:
    """A calibration of the judge by one run, with further ones kept beside it."""
    repeats = [rating for run in range(1, runs) for rating in ratings_by(judge, asked, run)]
    ratings = ratings_by(judge, asked)
    cost = Usage(len(ratings) * (len(NAMES) if asked.strategy == "per_criterion" else 1))
    return calibration_of(
        asked, judge.world.examples, ratings, rater_of(judge), cost=cost, since=since, repeats=repeats
    )


def accepted(judge: NoisyJudge, asked: Rubric, *, runs: int) -> Accepted:
    """The judge's accepted runs, written and read back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "accepted.json"
        accept(calibrated(judge, asked, runs=runs), path)
        return load_accepted(path)


def held_against(judge: NoisyJudge, asked: Rubric, since: Since) -> Baseline:
    """A new run compared with accepted ones, without the rest of a calibration."""
    ratings = ratings_by(judge, asked)
    comparison = compare(gold_of(judge.world.examples, asked).judged(asked, ratings))
    return drift_since(since, rater_of(judge).setting(asked), comparison, ratings)


def rater_of(judge: NoisyJudge) -> Rater:
    """The judge as a calibration names it."""
    return Rater(judge.name, judge.identity.fingerprint, "live", identity=judge.identity)


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
    since = Since(accepted(judge, rubric(), runs=runs))
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
    found = [held_against(judge, rubric(), Since(then, run=night + 1)) for night in range(nights)]
    first = Since(then).level
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
    found = held_against(judge, asked, Since(then, replayed=replayed))
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
