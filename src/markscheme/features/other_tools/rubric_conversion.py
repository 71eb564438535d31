"""A published rubric as a file in markscheme's own format, for its author to read and edit."""

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, Final

import yaml

from markscheme.errors import RubricError, UsageError
from markscheme.plain_data import ANOTHER_LENGTH, TABLES, form_of, plain_data, read_text
from markscheme.row_files import table_rows
from markscheme.rubrics.reading import MAX_RUBRIC_BYTES, published_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.shape_hints import ShapeOptions

_WIDTH = 120
"""Largest number of characters in a line of YAML: as many as editors show."""

_KEYS: Final = {key: key for key in ("criterion", "name", "description", "requirement", "weight")} | {
    "": "criterion",
    "criteria": "criterion",
}
"""Key of a criterion by the name of its column in a table, in lower case; the names of all other columns stay."""


def convert_rubric(path: Path, options: ShapeOptions) -> tuple[str, int, tuple[str, ...]]:
    """Convert a published rubric to markscheme's own format.

    Args:
        path: The rubric's file.
        options: Options on how it is read.

    Returns:
        The text of the new file, with notes as comments; the number of criteria; and the notes on what was assumed and
        what wasn't read.

    Raises:
        RubricError: Parts of it can't be read; the message says which option helps.
        UsageError: The file is in markscheme's own format already, or isn't a rubric.
    """
    try:
        published = published_rubric(_data_in(path), options)
        if published is None:
            raise UsageError(
                f"{path} is in markscheme's own format, or no rubric; `markscheme lint {quote(str(path))}` says which"
            )
        n_criteria = len(Rubric.from_dict(published.data).criteria)
    except RubricError as error:
        raise RubricError(error.faults, path=path) from None
    return _written(path, published.data, published.notes), n_criteria, published.notes


def _data_in(path: Path) -> Any:
    """Return the data in a rubric's file; of a table, a list with a criterion for each row."""
    text = read_text(path, RubricError, most_bytes=MAX_RUBRIC_BYTES)
    if not path.name.casefold().endswith(TABLES):
        return plain_data(text, form_of(path), RubricError, path=path)[0]
    criteria = []
    for line, row in table_rows(path, RubricError):
        if row is None:
            raise RubricError(ANOTHER_LENGTH, path=path, line=line)
        criteria.append({_KEYS.get(name.strip().casefold(), name.strip()): cell for name, cell in row.items()})
    return criteria


def _written(path: Path, data: Mapping[str, Any], notes: tuple[str, ...]) -> str:
    head = [f"Converted from {path.name}; read it before you use it.", *notes]
    comments = "".join(f"# {' '.join(line.split())}\n" for line in head)
    return comments + yaml.safe_dump(_plain(data), sort_keys=False, allow_unicode=True, width=_WIDTH)


def _plain(value: Any) -> Any:
    """Copy data so that YAML shows whole numbers without a decimal point and repeats shared objects in full."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
