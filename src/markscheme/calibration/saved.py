"""Reader for the JSON of a calibration: its judge, ratings and gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.judges.judge import Usage
from markscheme.plain_data import parse_json, read_text, shown
from markscheme.ratings.examples import Example
from markscheme.ratings.gold import GOLD, Gold, given_gold
from markscheme.ratings.rating import Kind, Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Criterion, Level, Rubric, Scale
from markscheme.submission import Submission


@dataclass(frozen=True)
class ReadBack:
    """A calibration as read from its JSON.

    Attributes:
        path: The file.
        judge: Name of the judge.
        rubric: Name and criteria with their scales; the JSON has no weights.
        fingerprint: Of the rubric.
        ratings: The judge's.
        gold: By example.
        reference: The kind of gold.
        kinds: How many raters of each kind labelled.
        responses: Digest of each example's response.
        groups: The group of each example that has one.
        cost: What asking cost.
        kept: Replies that came from the cache.
    """

    path: Path
    judge: str
    rubric: Rubric
    fingerprint: str
    ratings: tuple[Rating, ...]
    gold: Mapping[str, Rating]
    reference: str
    kinds: Mapping[str, int]
    responses: Mapping[str, str]
    groups: Mapping[str, str]
    cost: Usage
    kept: int


def is_calibration(path: Path) -> bool:
    """Whether a file is the output of `calibrate --json` for one judge."""
    return bool(report_in(path))


def report_in(path: Path) -> str | None:
    """The rubric's name if a file is the output of `calibrate --json`, "" for several judges; None otherwise."""
    if path.suffix != ".json" or not path.is_file():
        return None
    try:
        data = parse_json(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if "rated" in data and "judge" in data:
        rubric = data.get("rubric")
        return str(rubric.get("name", "")) or "RUBRIC" if isinstance(rubric, dict) else "RUBRIC"
    return "" if "judges" in data and "comparison" in data else None


def read_calibration(path: Path) -> ReadBack:
    """The calibration in a JSON file.

    Raises:
        RatingError: It isn't one.
    """
    try:
        return _read(parse_json(read_text(path, RatingError)), path)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as problem:
        raise RatingError(f"is no calibration that can be read: {shown(problem)}", path=path) from problem


def gold_between(read_back: Sequence[ReadBack], rubric: Rubric) -> tuple[Gold, int]:
    """The gold of several calibrations as one, where the later file wins, and on how many examples they differ."""
    settled: dict[str, Rating] = {}
    differing = 0
    for one in read_back:
        differing += sum(settled[unit] != said for unit, said in one.gold.items() if unit in settled)
        settled |= one.gold
    groups = {unit: group for one in read_back for unit, group in one.groups.items()}
    examples = [Example(Submission("", {}, unit), group=groups.get(unit, "")) for unit in settled]
    kinds, reference = read_back[0].kinds, read_back[0].reference
    return given_gold(rubric, examples, settled.values(), reference=reference, kinds=kinds), differing


def _read(data: Mapping[str, Any], path: Path) -> ReadBack:
    ids = [str(unit) for unit in data["examples"]]
    judge, gold, cost = data["rated"]["judge"], data["rated"]["gold"], data["cost"]
    groups = data["rated"].get("groups") or [None] * len(ids)  # earlier markscheme versions write no groups
    name = str(data["judge"]["name"])
    criteria = {str(name): said["confusion"]["levels"] for name, said in data["criteria"].items()}
    return ReadBack(
        path=path,
        judge=name,
        rubric=Rubric(
            tuple(Criterion(1.0, name, name, _scale(levels)) for name, levels in criteria.items()),
            name=str(data["rubric"]["name"]),
            tolerance=float(data["tolerance"]),
        ),
        fingerprint=str(data["rubric"]["fingerprint"]),
        ratings=tuple(_rating(unit, name, judge, place) for place, unit in enumerate(ids)),
        gold={unit: _rating(unit, GOLD, gold, place, "adjudicated") for place, unit in enumerate(ids)},
        reference=str(data["raters"]["reference"]),
        kinds={str(kind): int(n) for kind, n in data["raters"]["kinds"].items()},
        responses=dict(zip(ids, map(str, data["rated"]["responses"]), strict=True)),
        groups={unit: str(group) for unit, group in zip(ids, groups, strict=True) if group},
        cost=Usage(int(cost["calls"]), cost["input_tokens"], cost["output_tokens"], cost["usd"]),
        kept=int(data["counts"]["from_cache"]),
    )


def _scale(levels: Sequence[float]) -> Scale:
    if list(levels) == [0.0, 1.0]:
        return YES_NO
    return Scale(tuple(Level(float(value)) for value in sorted(levels)))


def _rating(unit: str, rater: str, said: Mapping[str, Any], place: int, kind: Kind = "model") -> Rating:
    overall, passed = said["overall"][place], said["pass"][place]
    levels = {str(name): values[place] for name, values in said["criteria"].items()}
    criteria = {name: Rated(level) for name, level in levels.items() if level is not None}
    return Rating(unit, rater, kind, criteria, overall, passed, error=None if overall is not None else "not graded")
