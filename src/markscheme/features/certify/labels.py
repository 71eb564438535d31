"""The labels behind a certificate, and whether they are still those that it was certified on."""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from markscheme.errors import RatingError, RatingWarning
from markscheme.features.certify.certificate_file import CascadeFile
from markscheme.features.certify.judges import CertifiedJudges
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import JudgeGroup
from markscheme.ratings.examples import ExampleSet, examples_file, load_examples
from markscheme.ratings.splits import labelling_digest
from markscheme.ratings.target_files import RATINGS_FOLDER
from markscheme.rubrics.rubric import Rubric

_ID_DIGITS = 8
"""Hexadecimal digits kept of an example's id, as in settings.jsonl."""
LabelsState = Literal["same", "changed", "not checked"]


@dataclass(frozen=True)
class LabelsCheck:
    """What the labels behind a certificate are today.

    Attributes:
        state: Whether they are the same; "not checked" where they aren't here, or can't be read.
        why: What differs, or why they weren't checked; "" where they are the same.
    """

    state: LabelsState
    why: str = ""


def certified_labels(path: Path, rubric: Rubric, split: str) -> dict[str, Any]:
    """Record the labels that a certificate is about, as its file has them.

    Args:
        path: The file of examples.
        rubric: The rubric.
        split: The part that was certified on: test, else dev.
    """
    part = _part(_loaded(path, rubric), split)
    ids = sorted(_short(example.id) for example in part.labelled.examples)
    return {"sha256": labelling_digest(part), "file": path.name, "examples": ids}


def certified_examples(file: CascadeFile, rubric: Rubric) -> ExampleSet | None:
    """Load the examples that a certificate is about, as they are today; None where they aren't next to it.

    Further examples don't count, unless the file doesn't say which there were.

    Raises:
        RatingError: They can't be read.
    """
    path = _labels_path(file)
    if not path.is_file():
        return None
    part = _part(_loaded(path, rubric), file.split)
    if file.label_ids is None:
        return part
    certified = frozenset(file.label_ids)
    return replace(part, examples=tuple(e for e in part.examples if _short(e.id) in certified))


def checked_labels(file: CascadeFile, rubric: Rubric) -> LabelsCheck:
    """Compare the labels next to a certificate with those that it was certified on."""
    if not file.labels:
        return LabelsCheck("not checked", "it doesn't say on which labels it was certified")
    try:
        examples = certified_examples(file, rubric)
    except RatingError as error:
        return LabelsCheck("not checked", str(error).splitlines()[0])
    if examples is None:
        return LabelsCheck("not checked", f"{_labels_path(file)} isn't here")
    if labelling_digest(examples) != file.labels:
        return LabelsCheck("changed", f"the labels in {file.path.parent} changed since {file.path.name} was certified")
    return LabelsCheck("same")


def _labels_path(file: CascadeFile) -> Path:
    folder = file.path.parent
    return folder / Path(file.labels_file).name if file.labels_file else examples_file(folder)


def with_checked_labels(judge: JudgeGroup, rubric: Rubric) -> JudgeGroup:
    """Return judges as they may decide today: a certificate whose labels changed decides nothing.

    Warns:
        RatingWarning: The labels changed, or weren't checked.
    """
    if not isinstance(judge, CertifiedJudges):
        return judge
    check = checked_labels(judge.file, rubric)
    if check.state == "same":
        return judge
    is_changed = check.state == "changed"
    what = "so it decides nothing; certify again" if is_changed else "so its labels were not checked"
    warnings.warn(f"{judge.file.path}: {check.why}, {what}", RatingWarning, stacklevel=2)
    return replace(judge, labels_changed=check.why) if is_changed else judge


def _loaded(path: Path, rubric: Rubric) -> ExampleSet:
    return load_examples(path, rubric, ratings=path.parent / RATINGS_FOLDER)


def _part(examples: ExampleSet, split: str) -> ExampleSet:
    return examples.part("test" if split == "test" else None)


def _short(id: str) -> str:
    return fingerprint("id", id)[:_ID_DIGITS]
