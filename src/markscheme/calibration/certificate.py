"""The file that says what labels certify: which decisions judges make alone, under which promise."""

import json
from pathlib import Path
from typing import Any

from markscheme.calibration.cascade import TunedCascade
from markscheme.calibration.votes import TunedVotes
from markscheme.errors import writing
from markscheme.files import refuse_link, write_whole
from markscheme.grading import asking_fingerprint
from markscheme.judges.cascade import CASCADE_FILE, SCHEMA
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Rubric


def certificate_json(tuned: TunedCascade | TunedVotes, rubric: Rubric, *, at: str) -> dict[str, Any]:
    """The content of the file."""
    automatic = {side: part.automatic.to_json() for side, part in tuned.parts.items()}
    return {
        "schema": SCHEMA,
        "error": tuned.promised.error,
        "confidence": tuned.promised.confidence,
        "wrong_passes": tuned.wrong_passes,
        "for": tuned.promised.side,
        "stages": tuned.stages(),
        "labels": {"n": tuned.n, "sha256": tuned.labels, "split": tuned.split, "groups": tuned.groups},
        "automatic": automatic if len(automatic) > 1 else next(iter(automatic.values())),
        "decided": tuned.decided,
        "errors": tuned.errors,
        "upper": tuned.upper,
        "fingerprints": {"rubric": rubric.fingerprint, "prompt": asking_fingerprint(rubric)},
        "at": at,
    }


def write_certificate(tuned: TunedCascade | TunedVotes, rubric: Rubric, examples: ExampleSet, *, at: str) -> Path | str:
    """The file, written next to the labels; or why it isn't written.

    Raises:
        UsageError: It can't be written.
    """
    if tuned.why_not_written:
        return tuned.why_not_written
    if examples.path is None:
        return "the labels came from no file"
    folder = examples.path.parent
    path = folder / CASCADE_FILE
    content = json.dumps(certificate_json(tuned, rubric, at=at), ensure_ascii=False, indent=2, allow_nan=False)
    with writing(folder):
        refuse_link(path)
        write_whole(path, f"{content}\n", follow=False)
    return path
