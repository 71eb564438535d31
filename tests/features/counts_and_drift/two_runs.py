"""Labelled examples with the ratings of two judges, and what is said of the second since the first."""

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markscheme import Calibration, Rubric, calibrate
from tests.features.counts.made import random_examples, random_rubric

THEN, NOW = "may", "june"
NOT_COUNTED = ("file", "date", "version", "use", "split", "movers", "flipped", "method", "notes")
"""Keys of a drift's JSON that counts don't show."""


@dataclass(frozen=True)
class TwoRuns:
    """The same examples rated by two judges.

    Attributes:
        rubric: By which they are rated.
        examples: With labels.
        then: The earlier judge's ratings.
        now: The later judge's.
    """

    rubric: Rubric
    examples: list[dict[str, Any]]
    then: list[dict[str, Any]]
    now: list[dict[str, Any]]

    def shuffled(self, draw: random.Random) -> "TwoRuns":
        """Return the same in another order."""
        examples, then, now = (draw.sample(rows, len(rows)) for rows in (self.examples, self.then, self.now))
        return replace(self, examples=examples, then=then, now=now)

    def by_rows(self, folder: Path) -> tuple[Calibration, Calibration]:
        """Calibrate the earlier judge and accept its run, then the later judge since that."""
        path = folder / "accepted" / "accepted.json"
        shutil.rmtree(path.parent, ignore_errors=True)
        accepted: dict[str, Any] = {"accepted": path, "notify": lambda _: None}
        then = calibrate(self.rubric, self.examples, ratings=self.then, accept=True, anyway=True, **accepted)
        return then, calibrate(self.rubric, self.examples, ratings=self.now, **accepted)


def two_runs(draw: random.Random, n: int, groups: int) -> TwoRuns:
    """Return random examples of a random rubric, which a judge rates and another one often a level lower."""
    rubric = random_rubric(draw)
    examples, _ = random_examples(rubric, draw, n=n, groups=groups, people=draw.choice((1, 2)))
    examples = [example for example in examples if example["labels"]]
    then = [
        {"id": example["id"], "rater": THEN, "criteria": _rated(rubric, example, draw, 0.8)} for example in examples
    ]
    now = [{"id": example["id"], "rater": NOW, "criteria": _rated(rubric, example, draw, 0.5)} for example in examples]
    return TwoRuns(rubric, examples, then, now)


def _rated(rubric: Rubric, example: dict[str, Any], draw: random.Random, right: float) -> dict[str, Any]:
    """Return a label's levels, of which some are a random lower one and some others are missing."""
    label = example["labels"][0]["criteria"]
    levels: dict[str, Any] = {}
    for criterion in rubric.criteria:
        level = label.get(criterion.name, criterion.scale.values[0])
        if not isinstance(level, dict) and draw.random() > right:
            level = draw.choice([lower for lower in criterion.scale.values if lower <= level])
            level = bool(level) if criterion.scale.is_yes_no else level
        if not levels or draw.random() > 0.02:
            levels[criterion.name] = level
    return levels


def in_three(row: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    """Return a row three times, with its number split."""
    first = draw.randint(0, row["n"])
    second = draw.randint(0, row["n"] - first)
    return [{**row, "n": n} for n in (first, second, row["n"] - first - second)]


def drift_in(calibration: Calibration) -> dict[str, Any]:
    """Return the figures of a calibration's drift, with its verdict and the findings on it, by their path."""
    data = calibration.to_json()
    findings = [
        {key: finding[key] for key in ("code", "criterion", "severity", "message", "evidence")}
        for finding in data["findings"]
        if finding["code"].startswith("drift")
    ]
    agreement = {**data["baseline"]["agreement"], "accepted": None}
    drift = {**data["baseline"], "agreement": agreement}
    return dict(_flat({"drift": drift, "findings": findings, "verdict": data["verdict"], "use": data["use"]}, ""))


def _flat(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        for key, entry in value.items():
            if key not in NOT_COUNTED:
                yield from _flat(entry, f"{path}.{key}")
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _flat(entry, f"{path}[{place}]")
    else:
        yield path, value


def differing(first: dict[str, Any], second: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the figures that differ by more than 1e-9, by their path."""
    pairs = [(path, first.get(path, "missing"), second.get(path, "missing")) for path in first | second]
    return [(path, a, b) for path, a, b in pairs if not _same(a, b)]


def _same(a: Any, b: Any) -> bool:
    both_numbers = isinstance(a, float | int) and isinstance(b, float | int)
    return abs(a - b) <= 1e-9 if both_numbers else bool(a == b)
