"""Files whose rows bring criteria of their own, with who labelled each row."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from glob import escape
from pathlib import Path
from typing import Any, cast

from markscheme.errors import RatingError
from markscheme.json_text import json_or
from markscheme.plain_data import json_lines
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER, ExampleSet
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.ratings.rating import Rating
from markscheme.readers.plain_tables import numbered_rows, rows_bring_rubrics


def file_of_rows(name: str, folder: Path) -> Path | None:
    """Return the file of rows with criteria of their own to which a calibration folder belongs; None without one.

    The file is next to the folder `calibration`, or in a folder next to it.

    Args:
        name: Name of the file.
        folder: The folder `calibration/<name>`.
    """
    project = folder.parents[1]
    paths = (project / name, *sorted(project.glob(f"*/{escape(name)}")))
    return next(filter(rows_bring_rubrics, paths), None)


def labelled_rows(path: Path, folder: Path) -> ExampleSet:
    """Return the rows of a file as examples without texts, whose labels say who labelled the row, but not how.

    Args:
        path: The file.
        folder: Its calibration folder, in which the labelling page stores labels.

    Raises:
        RatingError: The file, or a file of labels, can't be read.
    """
    stored: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for file in sorted((folder / RATINGS_FOLDER).glob("*.jsonl")):
        for line, label in json_lines(file, RatingError):
            if not isinstance(label, Mapping):
                raise RatingError("a label is an object", path=file, line=line)
            stored[str(label.get("id"))].append(label)
    examples = list[Example]()
    for line, row in numbered_rows(path):
        if not isinstance(row, Mapping):
            raise RatingError("a row is an object", path=path, line=line)
        id = str(row.get("id", f"ex-{line}"))
        labels = tuple(_raters(id, [*_labels_in(row), *stored[id]]))
        examples.append(Example(Submission("", {}, id), labels))
    return ExampleSet(tuple(examples), path)


def _labels_in(row: Mapping[str, Any]) -> list[Any]:
    """Return the labels in a row, which a table's cell holds as JSON."""
    labels = row.get("labels")
    listed = json_or(labels, None) if isinstance(labels, str) else labels
    return listed if isinstance(listed, list) else []


def _raters(id: str, labels: Iterable[Any]) -> Iterator[Rating]:
    """Yield for each label of a row a rating without levels: who gave it, and of which kind the rater is.

    A rater whose kind isn't stated is a person, or a judge if the label names it as `judge`.
    """
    for label in labels:
        if isinstance(label, Mapping) and label.get("criteria"):
            is_judge = "judge" in label
            stated = label.get("kind")
            kind: Kind = cast("Kind", stated) if stated in KINDS else "model" if is_judge else "human"
            yield Rating(id, str(label.get("judge" if is_judge else "rater")), kind)
