"""Loading of rubrics from YAML or JSON in every supported dialect; all faults are reported together, with lines."""

import os
import warnings
from pathlib import Path
from typing import IO

from markscheme.errors import RubricError, UsageError, nearest
from markscheme.plain_data import Form, form_of, plain_data, read_text, shown
from markscheme.rubrics.reading import MAX_RUBRIC_BYTES, RUBRIC_MAKERS, RubricReading, read_rubric_text
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric, known_rubrics


def load_rubric(source: str | Path | IO[str]) -> Rubric:
    """Read the rubric in a file.

    Args:
        source: Path of a .yaml, .yml or .json file, or an open text file.

    Raises:
        RubricError: The file is faulty or cannot be read; the message has all faults, each with its line.
        UsageError: `source` is neither a path nor a file.
    """
    try:
        return Rubric.from_file(source)
    except RubricError as error:
        hint = "" if hasattr(source, "read") else _path_of_named(str(source))
        if not hint:
            raise
        raise RubricError(f"there is no such file{hint}", path=error.path) from error


def _path_of_named(name: str) -> str:
    """Return a hint that a path is expected, if `name` could be a rubric's name and isn't a file; else ""."""
    if Path(name).suffix or Path(name).name != name or os.path.exists(name):
        return ""
    rubrics = known_rubrics()
    near = name if name in rubrics else nearest(name, rubrics)
    path = "" if near is None else f", such as {from_here(rubrics[near])}"
    return f"; `load_rubric` takes a file's path{path} (`calibrate`, `compare` and `Grader` take a rubric's name too)"


def from_here(path: Path) -> Path:
    """Return the path of a file from the working directory, or the path as it is if the file lies elsewhere."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def rubric_given(rubric: Rubric | str | Path) -> Rubric:
    """Return the rubric that an argument means: a Rubric itself, a rubric's name, or the path of its file.

    Raises:
        UsageError: There is no rubric of that name, or the argument is something else.
        RubricError: The rubric's file can't be read.
    """
    if not isinstance(rubric, Rubric | str | Path):
        raise UsageError(
            f"a rubric is given by its name, its file's path or a Rubric, got {shown(rubric)}; {RUBRIC_MAKERS}"
        )
    return rubric if isinstance(rubric, Rubric) else load_rubric(find_rubric(str(rubric)))


def rubric_from_text(text: str, form: Form, path: Path | None = None) -> Rubric:
    """Read the rubric that a YAML or JSON text describes. Raises RubricError with line numbers."""
    return read_rubric_text(text, form, path).rubric(Rubric)


def text_of_rubric(rubric: Rubric) -> str | None:
    """Return the text of a rubric's file; None without a file, or if the file's criteria or pass mark changed."""
    try:
        if rubric.source is None:
            return None
        text = read_text(rubric.source, RubricError, most_bytes=MAX_RUBRIC_BYTES)
        with warnings.catch_warnings():  # loading the rubric gave the warnings already
            warnings.simplefilter("ignore")
            read = rubric_from_text(text, form_of(rubric.source), rubric.source)
    except RubricError:
        return None
    is_same = (read.criteria, read.pass_mark) == (rubric.criteria, rubric.pass_mark)
    return text if is_same else None


def criterion_lines(path: Path) -> dict[str, int]:
    """Map the name of each criterion in a rubric's file to its first line.

    Raises:
        RubricError: The file cannot be read, or isn't a rubric.
    """
    text = read_text(path, RubricError, most_bytes=MAX_RUBRIC_BYTES)
    data, lines = plain_data(text, form_of(path), RubricError, path=path)
    reading = RubricReading(data, lines, path)
    with warnings.catch_warnings():  # loading the rubric gave the warning already
        warnings.simplefilter("ignore")
        criteria = reading.rubric(Rubric).criteria
    return {
        criterion.name: reading.line_of(yaml_path)
        for criterion, yaml_path in zip(criteria, reading.criterion_paths, strict=True)
    }
