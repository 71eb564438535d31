"""The accepted run read back: a calibration that later runs are held against, whose receipt grades carry.

It is two files side by side: accepted.json, and the judge's ratings under a name made from their digest. The ratings
are no label and stand outside `ratings/`, where they would be taken for one.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.calibration.changes import Setting
from markscheme.errors import RatingError, RubricError
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import Identity
from markscheme.plain_data import json_lines
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.receipt import accepted_data
from markscheme.rubrics.rubric import Criterion, Level, Rubric, Scale


@dataclass(frozen=True)
class Accepted:
    """An accepted run as it was read back.

    Attributes:
        path: Its accepted.json.
        date: The day it was accepted.
        version: The markscheme that wrote it.
        setting: Rubric, prompts and judge of then.
        use: What the judge was allowed.
        agreement: Share of examples on which it agreed, as measured then; None where nothing was compared.
        split: The part of the examples it was measured on; None where there were no splits.
        digest: Of its ratings: names this accepted run.
        ratings: The judge's, one a run and example.
        submissions: Digest of each rated example's response and inputs, by id.
        labels: Digest of each rated example's labels, by id.
    """

    path: Path
    date: str
    version: str
    setting: Setting
    use: str
    agreement: float | None
    split: str | None
    digest: str
    ratings: tuple[Rating, ...]
    submissions: Mapping[str, str]
    labels: Mapping[str, str]

    @property
    def runs(self) -> tuple[Mapping[str, Rating], ...]:
        """Each stored run's ratings by example."""
        numbers = sorted({rating.sample for rating in self.ratings})
        return tuple({r.id: r for r in self.ratings if r.sample == number} for number in numbers)


def submission_digest(example: Example) -> str:
    """Digest of all that a judge may be shown of an example."""
    return fingerprint(example.submission.response, dict(example.submission.inputs))


def labels_digest(example: Example) -> str:
    """Digest of the levels, scores and decisions people gave an example, whatever else they wrote."""
    labels = [
        [
            label.rater,
            label.kind,
            {name: [rated.level, rated.declined] for name, rated in label.criteria.items()},
            label.overall,
            label.passed,
        ]
        for label in example.labels
    ]
    return fingerprint(sorted(labels, key=json.dumps))


def load_accepted(path: Path) -> Accepted:
    """The accepted run in an accepted.json and the ratings beside it.

    Raises:
        RatingError: Either cannot be read as such, or the ratings are not those that were accepted.
    """
    data = accepted_data(path)
    try:
        setting = _setting(data)
        name, digest = str(data["ratings"]["file"]), str(data["ratings"]["sha256"])
        agreement, split = data["measurements"]["agreement"]["value"], data["split"]
        told = str(data["date"]), str(data["version"]), str(data["use"])
    except (KeyError, TypeError, ValueError, RubricError) as error:
        raise RatingError(f"is no accepted run: {error!r}; accept one anew", path=path) from error
    file = path.with_name(Path(name).name)
    _check_digest(file, digest)
    ratings, submissions, labels = _stored(file, setting.rubric)
    return Accepted(
        path=path,
        date=told[0],
        version=told[1],
        setting=setting,
        use=told[2],
        agreement=agreement,
        split=split,
        digest=digest,
        ratings=tuple(ratings),
        submissions=submissions,
        labels=labels,
    )


def _check_digest(file: Path, digest: str) -> None:
    """Line ends are left aside: a checkout may write them its own way."""
    try:
        found = hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    except OSError as error:
        raise RatingError(f"the accepted ratings cannot be read: {error.strerror or error}", path=file) from error
    if found != digest:
        raise RatingError("these are not the ratings that were accepted: their sha256 is another", path=file)


def _stored(file: Path, rubric: Rubric) -> tuple[list[Rating], dict[str, str], dict[str, str]]:
    reader = RatingReader(rubric)
    ratings: list[Rating] = []
    submissions: dict[str, str] = {}
    labels: dict[str, str] = {}
    for number, line in json_lines(file, RatingError):
        try:
            rating = reader.rating(line, kind="model")
            submissions[rating.id], labels[rating.id] = str(line["submission"]), str(line["labels"])
        except (KeyError, ValueError) as error:
            raise RatingError(f"is no accepted rating: {error}", path=file, line=number) from error
        ratings.append(rating)
    return ratings, submissions, labels


def _setting(data: Mapping[str, Any]) -> Setting:
    judge = data["judge"]
    known = judge["identity"]
    return Setting(
        rubric=_rubric_of(data["asked"]),
        template=str(data["fingerprints"]["template"]),
        judge=str(judge["name"]),
        identity=None if known is None else Identity(**known),
        answered_by=tuple(map(str, judge["answered_by"])),
    )


def _rubric_of(data: Mapping[str, Any]) -> Rubric:
    criteria = tuple(_criterion_of(criterion) for criterion in data["criteria"])
    inputs = data["inputs"]
    rest = {**data, "criteria": criteria, "inputs": None if inputs is None else tuple(inputs)}
    return Rubric(**rest)


def _criterion_of(data: Mapping[str, Any]) -> Criterion:
    scale = data["scale"]
    levels = tuple(Level(**level) for level in scale["levels"])
    sees = data["sees"]
    return Criterion(
        **{
            **data,
            "scale": Scale(levels, scale["ordered"], scale["by_label"]),
            "sees": None if sees is None else tuple(sees),
        }
    )
