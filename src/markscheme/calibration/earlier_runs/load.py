"""The accepted runs of a rubric, read for comparison with later runs; `calibration.accepted.acceptance` writes them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.calibration.earlier_runs.run_identity import Accepted, RunIdentity
from markscheme.errors import RatingError, RubricError
from markscheme.grading.receipt import accepted_run_data
from markscheme.judges.judge import Identity
from markscheme.plain_data import json_lines, refuse_other_shape, refusing_unreadable
from markscheme.ratings.rating import Rating, RatingReader
from markscheme.rubrics.rubric import Criterion, Level, Rubric, Scale


def load_accepted(path: Path) -> Accepted:
    """Load the accepted runs in an accepted.json and the ratings file next to it.

    Raises:
        RatingError: Either file is invalid, or the ratings are not those that were accepted.
    """
    data = accepted_run_data(path)
    try:
        setting = _setting(data)
        file = path.with_name(Path(str(data["ratings"]["file"])).name)
        digest = str(data["ratings"]["sha256"])
        is_by_example = data["ratings"]["samples"] > 0
        agreement = data["measurements"]["agreement"]["value"]
        split = data["split"]
        day = str(data["date"])
        writer = str(data["version"])
        use = str(data["use"])
    except (KeyError, TypeError, ValueError, RubricError) as error:
        raise RatingError(f"isn't an accepted run: {error!r}; accept a new one", path=path) from error
    _check_digest(file, digest)
    ratings, submissions, labels = _stored(file, setting.rubric) if is_by_example else ([], {}, {})
    return Accepted(path, day, writer, setting, use, agreement, split, digest, tuple(ratings), submissions, labels)


def _check_digest(file: Path, digest: str) -> None:
    """Check that a file of ratings has the digest in accepted.json, which is computed without regard to line ends.

    Git may convert line ends when files are checked out.
    """
    with refusing_unreadable(file, RatingError):
        file_digest = hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    if file_digest != digest:
        raise RatingError("these are not the ratings that were accepted: their sha256 differs", path=file)


def _stored(file: Path, rubric: Rubric) -> tuple[list[Rating], dict[str, str], dict[str, str]]:
    reader = RatingReader(rubric)
    ratings: list[Rating] = []
    submissions: dict[str, str] = {}
    labels: dict[str, str] = {}
    for line_number, line in json_lines(file, RatingError):
        try:
            rating = reader.rating(line, kind="model")
            submissions[rating.id] = str(line["submission"])
            labels[rating.id] = str(line["labels"])
        except (KeyError, ValueError) as error:
            raise RatingError(f"is not an accepted rating: {error}", path=file, line=line_number) from error
        ratings.append(rating)
    return ratings, submissions, labels


def _setting(data: Mapping[str, Any]) -> RunIdentity:
    judge = data["judge"]
    identity = judge["identity"]
    if identity is not None:
        refuse_other_shape(identity, {"name": str, "model": str, "parameters": dict, "address": str})
    return RunIdentity(
        rubric=_rubric_of(data["asked"]),
        template=str(data["fingerprints"]["template"]),
        judge=str(judge["name"]),
        identity=None if identity is None else Identity.from_json(identity),
        answered_by=tuple(map(str, judge["answered_by"])),
    )


def _rubric_of(data: Mapping[str, Any]) -> Rubric:
    criteria = tuple(_criterion_of(criterion) for criterion in data["criteria"])
    inputs = data["inputs"]
    optional = tuple(data.get("optional_inputs", ()))
    other_fields = {
        "criteria": criteria,
        "inputs": None if inputs is None else tuple(inputs),
        "optional_inputs": optional,
    }
    return Rubric(**{**data, **other_fields})


def _criterion_of(data: Mapping[str, Any]) -> Criterion:
    scale = data["scale"]
    sees = data["sees"]
    levels = tuple(Level(**level) for level in scale["levels"])
    read = {
        "scale": Scale(
            levels, scale["ordered"], scale["by_label"], scale.get("coded", False), scale.get("mirrored", False)
        ),
        "sees": None if sees is None else tuple(sees),
        "passing": tuple(data.get("passing", ())),
        "preserves": tuple(data.get("preserves", ())),
        "steps": tuple(data.get("steps", ())),
        "tags": tuple(data.get("tags", ())),
    }
    return Criterion(**{**data, **read})
