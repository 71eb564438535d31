"""Simulated examples whose overall scores weigh three criteria, with a judge's levels."""

from dataclasses import replace
from typing import Any

import numpy as np

from markscheme import Rubric
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from tests.stats.weighted_scores import weighted_scores

NAMES = ("a", "b", "c")


def rubric(**more: Any) -> Rubric:
    criteria = [{"name": name, "description": f"{name}?", "weight": 1.0} for name in NAMES]
    criteria[0] |= more.pop("first", {})
    return Rubric.from_dict({"criteria": criteria, **more})


def world(
    n: int, *, lenient: float = 0.0, noise: float = 0.4, true: tuple[float, ...] = (1, 1, 1), seed: int = 3
) -> tuple[Any, Any, Any]:
    """Make people's levels, the judge's levels, and people's overall scores."""
    draw = np.random.default_rng(seed)
    levels = draw.integers(1, 6, (n, 3)).astype(float)
    judge = np.clip(np.rint(levels + draw.normal(lenient, noise, (n, 3))), 1, 5)
    marks = weighted_scores((levels - 1) / 4, true) + draw.normal(0, 0.05, n)
    rounded = np.clip(np.rint(10 * marks), 0, 10) / 10
    computed = np.abs(rounded - weighted_scores((levels - 1) / 4, (1, 1, 1))) < 0.01
    return levels, judge, np.where(computed, np.abs(rounded - 0.02), rounded)


def rated(row: Any) -> dict[str, Rated]:
    return {name: Rated(float(level)) for name, level in zip(NAMES, row, strict=True)}


def labelled(levels: Any, marks: Any, **more: Any) -> ExampleSet:
    examples = []
    for i, (row, mark) in enumerate(zip(levels, marks, strict=True)):
        levels = rated(row) if row is not None else {}
        label = Rating(f"e{i}", "person", "human", levels, overall=float(mark), passed=bool(mark >= 0.5))
        examples.append(Example(Submission(f"r{i}", {}, f"e{i}"), (label,), **more))
    return ExampleSet(tuple(examples))


def ratings(judge: Any) -> list[Rating]:
    return [Rating(f"e{i}", "judge", "model", rated(row)) for i, row in enumerate(judge)]


def undecided(examples: ExampleSet) -> ExampleSet:
    """Return the examples without annotators' explicit pass/fail decisions."""
    return ExampleSet(
        tuple(replace(e, labels=tuple(replace(label, passed=None) for label in e.labels)) for e in examples.examples)
    )
