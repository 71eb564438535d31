"""Labelled examples with the ratings of two judges, and what is said of the second since the first."""

import json
import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from markscheme import Calibration, Rubric, calibrate
from tests.commands.console import run
from tests.features.counts.made import random_examples, random_rubric_keys

THEN, NOW = "may", "june"
NAME = "random"
"""The rubric's, which its file has too."""
NOT_COUNTED = ("file", "date", "version", "use", "split", "movers", "flipped", "method", "notes")
"""Keys of a drift's JSON that counts don't show."""


@dataclass(frozen=True)
class TwoRuns:
    """The same examples rated by two judges.

    Attributes:
        keys: The rubric by which they are rated, as its file has it.
        examples: With labels.
        then: The earlier judge's ratings.
        now: The later judge's.
    """

    keys: dict[str, Any]
    examples: list[dict[str, Any]]
    then: list[dict[str, Any]]
    now: list[dict[str, Any]]

    @property
    def rubric(self) -> Rubric:
        """The rubric by which they are rated."""
        return Rubric.from_dict(self.keys)

    def shuffled(self, draw: random.Random) -> "TwoRuns":
        """Return the same in another order."""
        examples, then, now = (draw.sample(rows, len(rows)) for rows in (self.examples, self.then, self.now))
        return replace(self, examples=examples, then=then, now=now)

    def by_rows(self, folder: Path) -> tuple[Calibration, Calibration]:
        """Calibrate the earlier judge and accept its run, then the later judge since that."""
        path = folder / "accepted" / "accepted.json"
        shutil.rmtree(path.parent, ignore_errors=True)
        accepted: dict[str, Any] = {"accepted": path, "notify": lambda _: None}
        then = calibrate(self.rubric, self.examples, ratings=self.then, accept=True, force=True, **accepted)
        return then, calibrate(self.rubric, self.examples, ratings=self.now, **accepted)

    def by_counts(self, counts: list[dict[str, Any]]) -> Calibration:
        """Calibrate the later judge by counts, since the earlier one."""
        return calibrate(self.rubric, counts=counts, judge=NOW, earlier=THEN)

    def counted(self, folder: Path) -> list[dict[str, Any]]:
        """Return the rows that `export --counts` writes of the two judges' ratings."""
        write_lines(folder / "examples.jsonl", self.examples)
        write_lines(folder / "ratings.jsonl", [*self.then, *self.now])
        files = ("--from", "ratings.jsonl", "--examples", "examples.jsonl")
        self.export(folder, "--counts", "counts.jsonl", *files)
        return [json.loads(line) for line in (folder / "counts.jsonl").read_text().splitlines()]

    def export(self, folder: Path, *options: str) -> str:
        """Export what options say of both judges; return what is printed."""
        file = folder / f"{NAME}.yaml"
        file.write_text(yaml.safe_dump(self.keys))
        done = run("markscheme", "export", file.name, *options, "--judge", NOW, "--earlier", THEN, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def two_runs(draw: random.Random, n: int, groups: int) -> TwoRuns:
    """Return random examples of a random rubric, which a judge rates and another one often a level lower."""
    keys = {"name": NAME, **random_rubric_keys(draw)}
    rubric = Rubric.from_dict(keys)
    examples, _ = random_examples(rubric, draw, n=n, groups=groups, people=draw.choice((1, 2)))
    examples = [example for example in examples if example["labels"]]
    then = [
        {"id": example["id"], "rater": THEN, "criteria": _rated(rubric, example, draw, 0.8)} for example in examples
    ]
    now = [{"id": example["id"], "rater": NOW, "criteria": _rated(rubric, example, draw, 0.5)} for example in examples]
    return TwoRuns(keys, examples, then, now)


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
