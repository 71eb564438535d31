"""Names of the columns of counts files, importable without numpy."""

import re
from typing import Final

from markscheme.errors import UsageError

PERSON_COLUMN: Final = re.compile(r"p[1-9]\d*")
"""Pattern of the names of annotators' columns."""
OTHER_COLUMNS: Final = re.compile(r"part|set_no|gold|judge|n|value|p[1-9]\d*")
"""Pattern of the column names of a counts file that can't name an earlier judge."""

COUNTS_DELIMITERS: Final = ",;\t"
"""Delimiters of a counts file in CSV, the commonest first; spreadsheets in many countries write semicolons."""


def delimiter_of(header: str) -> str:
    """Return the delimiter that separates the most names in a CSV file's first line.

    Example:
        >>> delimiter_of("part;gold;judge;n")
        ';'
    """
    return max(COUNTS_DELIMITERS, key=header.count)


def refuse_other_column(earlier: str) -> None:
    """Raise an error if the column named for an earlier judge's ratings has another use, such as `gold`.

    Raises:
        UsageError: The name is that of a column with another use in a counts file.
    """
    if OTHER_COLUMNS.fullmatch(earlier):
        raise UsageError(f"--earlier {earlier}: a column of counts with this name has no earlier judge's ratings")
