"""The accepted run: a calibration that later runs are held against and from which grades carry their receipt.

It is two files side by side: accepted.json, and the judge's ratings under a name made from their digest. The ratings
are no label and stand outside `ratings/`, where they would be taken for one.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.calibration.changes import Setting, template_fingerprint
from markscheme.calibration.examples import Example
from markscheme.calibration.ratings import Rated, Rating, RatingReader
from markscheme.errors import RatingError, RubricError, UsageError
from markscheme.fingerprint import fingerprint
from markscheme.grading import MOST_UNGRADED, asking_fingerprint
from markscheme.judge import Identity
from markscheme.plain_data import json_lines, write_whole
from markscheme.receipt import accepted_data
from markscheme.rubric import Criterion, Level, Rubric, Scale
from markscheme.stats import Estimate

if TYPE_CHECKING:
    from markscheme.calibration.run import Calibration

SCHEMA = 1
DIGEST_LENGTH = 8
LONGEST_ERROR = 200
KIND_OF_REFERENCE: Mapping[str, str] = {"people": "human", "one-person": "human"}
"""What a receipt calls the labels, where that isn't the reference's own name."""


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


# --- writing --------------------------------------------------------------------------------------------------------


def accept(calibration: "Calibration", path: Path, *, split: str | None = None) -> Path:
    """Make a calibration the accepted run: write its ratings, all runs of them, and its accepted.json.

    Both are written whole or not at all: until accepted.json is in its place, the one before it stays valid.

    Args:
        calibration: The run, with its repeats.
        path: The accepted.json to write; its folder is made.
        split: The part of the examples that was measured, where there are splits.

    Returns:
        The file of ratings that was written beside it.

    Raises:
        RatingError: Too few examples are graded to accept the run.
        UsageError: The files cannot be written.
    """
    examples = {example.id: example for example in calibration.comparison.gold.examples}
    stored = [rating for rating in (*calibration.ratings, *calibration.repeats) if rating.id in examples]
    _refuse_unfinished(stored, len(examples), path)
    text = "".join(_line(rating, examples[rating.id]) for rating in stored)
    digest = hashlib.sha256(text.encode()).hexdigest()
    beside = path.with_name(f"{path.stem}-{digest[:DIGEST_LENGTH]}.jsonl")
    ratings = {
        "file": beside.name,
        "sha256": digest,
        "judge": calibration.rater.name,
        "samples": len({rating.sample for rating in stored}),
        "examples": len({rating.id for rating in stored}),
    }
    before = _ratings_file_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(beside, text)
        write_whole(path, json.dumps(_accepted_json(calibration, ratings, split), ensure_ascii=False, indent=2) + "\n")
        if before is not None and before != beside:
            before.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
    return beside


def _refuse_unfinished(ratings: list[Rating], n: int, path: Path) -> None:
    for number in sorted({rating.sample for rating in ratings}):
        graded = sum(rating.sample == number and rating.error is None for rating in ratings)
        if n - graded > MOST_UNGRADED * n:
            raise RatingError(
                f"not accepted: run {number + 1} grades {graded} of {n} examples, and nine in ten are needed", path=path
            )


def _ratings_file_of(path: Path) -> Path | None:
    """The ratings that an accepted.json at `path` brought along, to be removed once another takes its place."""
    try:
        ratings = accepted_data(path)["ratings"]
        name, digest = ratings["file"], ratings["sha256"]
        ours = name == f"{path.stem}-{digest[:DIGEST_LENGTH]}.jsonl"
        return path.with_name(name) if ours and path.with_name(name).name == name else None
    except (RatingError, KeyError, TypeError):
        return None


def _line(rating: Rating, example: Example) -> str:
    """A rating as it is kept: levels without the reasons for them, and digests of what was rated and labelled."""
    kept = replace(rating, note="", error=None if rating.error is None else rating.error[:LONGEST_ERROR]).to_json()
    kept["criteria"] = {name: _level_alone(rated) for name, rated in rating.criteria.items()}
    kept |= {"submission": submission_digest(example), "labels": labels_digest(example)}
    return json.dumps(kept, ensure_ascii=False, allow_nan=False) + "\n"


def _level_alone(rated: Rated) -> dict[str, Any]:
    return Rated(rated.level, declined=rated.declined).to_json() if rated.level is None else {"level": rated.level}


def _accepted_json(calibration: "Calibration", ratings: dict[str, Any], split: str | None) -> dict[str, Any]:
    comparison, rater, rubric = calibration.comparison, calibration.rater, calibration.rubric
    examples = comparison.gold.examples
    return {
        "schema": SCHEMA,
        "version": version("markscheme"),
        "date": date.today().isoformat(),
        "use": calibration.decision.use,
        "verdict": calibration.decision.verdict,
        "rubric": {"name": rubric.name, "fingerprint": rubric.fingerprint},
        "judge": {
            "name": rater.name,
            "source": rater.source,
            "provenance": rater.provenance,
            "identity": None if rater.identity is None else asdict(rater.identity),
            "answered_by": list(rater.answered_by),
        },
        "fingerprints": {
            "rubric": rubric.fingerprint,
            "criteria": {criterion.name: criterion.fingerprint for criterion in rubric.criteria},
            "prompt": asking_fingerprint(rubric),
            "template": template_fingerprint(),
            "judge": rater.fingerprint,
            "labels": labels_fingerprint(examples),
        },
        "ratings": ratings,
        "labels": {
            "n": comparison.agreement.n,
            "kind": KIND_OF_REFERENCE.get(comparison.gold.reference, comparison.gold.reference),
            "reference": comparison.gold.reference,
            "raters": dict(comparison.gold.kinds),
        },
        "split": split,
        "measurements": _measurements(calibration),
        "cost": {
            **calibration.cost.to_json(),
            "from_cache": calibration.counts.from_cache,
            "examples": ratings["examples"],
            "runs": ratings["samples"],
        },
        "asked": _rubric_data(rubric),
    }


def labels_fingerprint(examples: Iterable[Example]) -> str:
    """Digest of the labels of a set of examples."""
    return fingerprint(sorted([example.id, labels_digest(example)] for example in examples))


def _measurements(calibration: "Calibration") -> dict[str, Any]:
    comparison = calibration.comparison
    person = comparison.agreement_person
    return {
        "agreement": comparison.agreement.to_json(),
        "agreement_constant": comparison.agreement_constant.to_json(),
        "agreement_person": None if person is None else person.to_json(),
        "tolerance": comparison.tolerance,
        "target": calibration.decision.target,
        "margin": comparison.overall["rmse"].value,
        "overall": _estimates(comparison.overall),
        "criteria": {name: _estimates(found.statistics) for name, found in comparison.criteria.items()},
        "false_passes": comparison.false_passes,
        "false_fails": comparison.false_fails,
    }


def _estimates(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate.to_json() for name, estimate in found.items()}


def _rubric_data(rubric: Rubric) -> dict[str, Any]:
    data = asdict(replace(rubric, source=None))
    return {key: value for key, value in data.items() if key not in ("source", "judge")}


# --- reading --------------------------------------------------------------------------------------------------------


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
