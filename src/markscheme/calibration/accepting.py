"""A calibration made the accepted run: its ratings written beside its accepted.json."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from markscheme.calibration.accepted import labels_digest, submission_digest
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.changes import template_fingerprint
from markscheme.errors import RatingError, writing
from markscheme.files import write_whole
from markscheme.fingerprint import fingerprint
from markscheme.grading import MOST_UNGRADED, asking_fingerprint
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.receipt import accepted_data
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate

SCHEMA = 1
DIGEST_LENGTH = 8
LONGEST_ERROR = 200
KIND_OF_REFERENCE: Mapping[str, str] = {"people": "human", "one-person": "human"}
"""What a receipt calls the labels, where that isn't the reference's own name."""


def accept(calibration: Calibration, path: Path, *, split: str | None = None) -> Path:
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
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(beside, text, follow=False)
        kept = json.dumps(_accepted_json(calibration, ratings, split), ensure_ascii=False, indent=2)
        write_whole(path, f"{kept}\n", follow=False)
        if before is not None and before != beside:
            before.unlink(missing_ok=True)
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


def _accepted_json(calibration: Calibration, ratings: dict[str, Any], split: str | None) -> dict[str, Any]:
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
            "labels": _labels_fingerprint(examples),
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


def _labels_fingerprint(examples: Iterable[Example]) -> str:
    """Digest of the labels of a set of examples."""
    return fingerprint(sorted([example.id, labels_digest(example)] for example in examples))


def _measurements(calibration: Calibration) -> dict[str, Any]:
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
