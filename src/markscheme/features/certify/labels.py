"""The labels that a certificate was made with, and checks of whether they have changed since."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, RatingWarning
from markscheme.features.certify.certificate_file import CascadeFile
from markscheme.features.certify.judges import CertifiedJudges
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import JudgeGroup
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet, examples_file, load_examples
from markscheme.ratings.splits import labelling_digest
from markscheme.rubrics.rubric import Rubric

_ID_DIGITS = 8
"""Number of hexadecimal digits of the digest of an example's id; settings.jsonl has as many."""


def certified_labels(path: Path, rubric: Rubric, split: str | None) -> dict[str, Any]:
    """Load a certificate's labelled examples, and return the entries that identify them in the certificate's file.

    Args:
        path: The file of examples.
        rubric: The rubric.
        split: The part of the set on which the promise was tested: "all", "test" or "dev"; None for a set without
            parts.
    """
    chosen = _part(_loaded(path, rubric), split)
    ids = sorted(_short(example.id) for example in chosen.labelled.examples)
    return {"sha256": labelling_digest(chosen), "file": path.name, "examples": ids}


def certified_examples(file: CascadeFile, rubric: Rubric) -> ExampleSet | None:
    """Load a certificate's labelled examples as they are now; None if they aren't next to the certificate.

    Examples that were added since don't count, unless the certificate doesn't say which examples it was made with.

    Raises:
        RatingError: The examples can't be read.
    """
    path = _labels_path(file)
    if not path.is_file():
        return None
    chosen = _part(_loaded(path, rubric), file.split)
    if file.label_ids is None:
        return chosen
    certified = frozenset(file.label_ids)
    return replace(chosen, examples=tuple(e for e in chosen.examples if _short(e.id) in certified))


def changed_labels(file: CascadeFile, rubric: Rubric) -> str | None:
    """Return a message if the labels in a certificate's folder differ from those it was made with; None otherwise.

    Raises:
        RatingError: The labels couldn't be checked; the message says why.
    """
    if not file.labels:
        raise RatingError("it doesn't say on which labels it was certified")
    examples = certified_examples(file, rubric)
    if examples is None:
        raise RatingError(f"{_labels_path(file)} isn't here")
    is_same = labelling_digest(examples) == file.labels
    return None if is_same else f"the labels in {file.path.parent} changed since {file.path.name} was certified"


def _labels_path(file: CascadeFile) -> Path:
    folder = file.path.parent
    return folder / Path(file.labels_file).name if file.labels_file else examples_file(folder)


def with_checked_labels(judge: JudgeGroup, rubric: Rubric) -> JudgeGroup:
    """Return a certificate's judges; they decide nothing if the labels next to the certificate have changed.

    Warns:
        RatingWarning: The labels changed, or couldn't be checked.
    """
    if not isinstance(judge, CertifiedJudges):
        return judge
    try:
        changed = changed_labels(judge.file, rubric)
    except RatingError as error:
        why = str(error).splitlines()[0]
        warnings.warn(f"{judge.file.path}: {why}, so its labels were not checked", RatingWarning, stacklevel=2)
        return judge
    if not changed:
        return judge
    warnings.warn(f"{judge.file.path}: {changed}, so it decides nothing; certify again", RatingWarning, stacklevel=2)
    return replace(judge, labels_changed=changed)


def _loaded(path: Path, rubric: Rubric) -> ExampleSet:
    return load_examples(path, rubric, ratings=path.parent / RATINGS_FOLDER)


def _part(examples: ExampleSet, split: str | None) -> ExampleSet:
    return examples.part(split if split in ("dev", "test") else "all")


def _short(id: str) -> str:
    return fingerprint("id", id)[:_ID_DIGITS]
