"""A judge of known noise about the true levels of generated examples, and its calibrations and accepted runs."""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import Accepted
from markscheme.grading import Grade, Grading
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.rerun import FromSample
from markscheme.judges.scripted import answer_of
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric, Scale

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


def calibrated(judge: NoisyJudge, asked: Rubric, *, since: AcceptedBasis | None = None, runs: int = 1) -> Calibration:
    """A calibration of the judge by one run, with further ones kept."""
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


def rater_of(judge: NoisyJudge) -> Rater:
    """The judge as a calibration names it."""
    return Rater(judge.name, judge.identity.fingerprint, "live", identity=judge.identity)
