"""The history of a rubric's accepted runs: a line for each, kept next to accepted.json when later runs replace it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.files import append_text
from markscheme.plain_data import json_lines
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate

ACCEPTED_RUNS = "accepted_runs.jsonl"
"""Name of the history's file, next to accepted.json."""


@dataclass(frozen=True)
class AcceptedPoint:
    """Measurements of an accepted run, as one line of the history file has them.

    Attributes:
        date: The day on which the run was accepted.
        use: The use that the judge was allowed, such as "gate".
        judge: The judge's name.
        rubric: Fingerprint of the rubric.
        wordings: A digest of each criterion's words and scale, by the criterion's name.
        examples: Number of examples that the judge was measured on.
        agreement: Share of examples on which the judge agrees with gold.
        false_passes: Ids of the examples that the judge passes and gold fails; None if only counts of examples are
            known.
        fails: Number of examples that gold fails; None if that wasn't written down.
        ratings: Digest of the judge's ratings; the same ratings accepted again are one run.
    """

    date: str
    use: str
    judge: str
    rubric: str
    wordings: Mapping[str, str]
    examples: int
    agreement: Estimate
    false_passes: tuple[str, ...] | None
    fails: int | None
    ratings: str

    def to_json(self) -> dict[str, Any]:
        """Return the run's measurements as a dict, by the keys of the history file."""
        return {
            "date": self.date,
            "use": self.use,
            "judge": self.judge,
            "rubric": self.rubric,
            "wordings": dict(self.wordings),
            "examples": self.examples,
            "agreement": {"value": self.agreement.value, "low": self.agreement.low, "high": self.agreement.high},
            "false_passes": None if self.false_passes is None else list(self.false_passes),
            "fails": self.fails,
            "ratings": self.ratings,
        }


def point_of(document: Mapping[str, Any], rubric: Rubric, fails: int | None) -> AcceptedPoint:
    """Make the record that the history keeps of an accepted run, from the data of its accepted.json.

    Args:
        document: The data; estimates may be Estimates, or dicts as in JSON.
        rubric: The rubric by which the judge was asked.
        fails: Number of examples that gold fails; None if it isn't known.

    Raises:
        KeyError: A key is missing from the data.
        TypeError: The data aren't those of an accepted.json.
        ValueError: A value is invalid in an accepted.json.
    """
    agreement = document["measurements"]["agreement"]
    if not isinstance(agreement, Estimate):
        agreement = _agreement(agreement)
    return AcceptedPoint(
        date=str(document["date"]),
        use=str(document["use"]),
        judge=str(document["judge"]["name"]),
        rubric=str(document["rubric"]["fingerprint"]),
        wordings={criterion.name: criterion.wording for criterion in rubric.criteria},
        examples=int(document["ratings"]["examples"]),
        agreement=agreement,
        false_passes=_ids(document["measurements"]["false_passes"]) if document["ratings"]["samples"] else None,
        fails=fails,
        ratings=str(document["ratings"]["sha256"]),
    )


def keep_point(point: AcceptedPoint, history: Sequence[AcceptedPoint], folder: Path) -> None:
    """Append a run to the history file in a folder, unless the history ends with the same run already.

    Args:
        point: The run.
        history: The runs read from that file.
        folder: The folder.
    """
    if history and history[-1].ratings == point.ratings and history[-1].rubric == point.rubric:
        return
    append_text(folder / ACCEPTED_RUNS, json.dumps(point.to_json(), ensure_ascii=False) + "\n", follow=False)


def kept_points(folder: Path) -> list[AcceptedPoint]:
    """Read the lines of the history in a folder, the earliest first; return no lines if there is no history file.

    Raises:
        RatingError: A line isn't an accepted run.
    """
    path = folder / ACCEPTED_RUNS
    if not path.is_file():
        return []
    points: list[AcceptedPoint] = []
    for line_number, line in json_lines(path, RatingError):
        try:
            points.append(_point(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RatingError(f"isn't an accepted run: {error!r}", path=path, line=line_number) from error
    return points


def _point(line: Mapping[str, Any]) -> AcceptedPoint:
    fails = line["fails"]
    return AcceptedPoint(
        date=str(line["date"]),
        use=str(line["use"]),
        judge=str(line["judge"]),
        rubric=str(line["rubric"]),
        wordings={str(name): str(words) for name, words in line["wordings"].items()},
        examples=int(line["examples"]),
        agreement=_agreement(line["agreement"]),
        false_passes=None if line["false_passes"] is None else _ids(_listed(line["false_passes"])),
        fails=None if fails is None else int(fails),
        ratings=str(line["ratings"]),
    )


def _agreement(limits: Mapping[str, Any]) -> Estimate:
    """Read the share of agreement of an accepted run, without a value if the run had no scores to compare.

    Args:
        limits: The share and its limits, under "value", "low" and "high".
    """
    value = limits["value"]
    return Estimate(value, limits["low"], limits["high"], undefined="no scores to compare" if value is None else None)


def _ids(ids: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, ids))


def _listed(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, got {value!r}")
    return value
