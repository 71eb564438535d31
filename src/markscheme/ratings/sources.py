"""Finds a rubric's labelled examples and a judge's ratings, and the part of them to use.

Reading examples imports numpy, so only the functions that read them import it: grading doesn't need it.
"""

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from markscheme.errors import UsageError
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration

if TYPE_CHECKING:
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.splits import Openings

Part = Literal["dev", "test", "all"]


def examples_of(rubric: Rubric, named: Path | None) -> tuple[Path, Path | None]:
    """The file of a rubric's examples, and its calibration folder if there is one.

    Raises:
        UsageError: There are no examples.
    """
    from markscheme.ratings.examples import examples_file

    folder = find_calibration(rubric.name, Path.cwd())
    if named is not None:
        if not named.is_file():
            raise UsageError(f"there is no file of examples {named}")
        return named, folder
    if folder is None:
        raise UsageError(
            f"there is no folder calibration/{rubric.name} here or above; make one with an examples.jsonl, "
            "or name a file of labelled examples with --examples"
        )
    return examples_file(folder), folder


def labelled_examples(rubric: Rubric, named: Path | None) -> tuple["ExampleSet", Path | None]:
    """A rubric's examples, and its calibration folder if there is one.

    The labels in the folder's `ratings/` apply to the rubric's own examples only, also where their file is named.

    Raises:
        UsageError: There are no examples.
        RatingError: They, or their labels, cannot be read.
    """
    from markscheme.ratings.examples import load_examples

    file, folder = examples_of(rubric, named)
    is_own = folder is not None and file.resolve().parent == folder.resolve()
    ratings = folder / "ratings" if folder is not None and is_own else None
    return load_examples(file, rubric, ratings=ratings), folder


def part_of(examples: "ExampleSet", split: Part | None) -> "ExampleSet":
    """The examples of a split; without one those of `dev`, if the set has splits.

    Raises:
        UsageError: The split is empty.
    """
    part = examples.part(split)
    if examples.examples and not part.examples:
        place = f" in {examples.path}" if examples.path is not None else ""
        raise UsageError(
            f'no example{place} has "split": "{split or "dev"}"; write it into the lines of some, or leave --split out'
        )
    return part


def openings_by(command: str, examples: "ExampleSet", split: Part | None) -> "Openings | None":
    """How often held-out labels were opened; this use counts if the split includes them."""
    from markscheme.ratings.splits import open_test_labels, openings_of

    before = openings_of(examples)
    if before is None or split not in ("test", "all"):
        return before
    today = datetime.date.today().isoformat()
    return open_test_labels(examples, by=f"{command} --split {split}", at=today)[1]
