"""Names of the columns that counts have, known without numpy."""

import re
from typing import Final

from markscheme.errors import UsageError

PERSON_COLUMN: Final = re.compile(r"p[1-9]\d*")
"""Names of the columns of annotators."""
OTHER_COLUMNS: Final = re.compile(r"part|set_no|gold|judge|n|value|p[1-9]\d*")
"""Columns of counts that have something else than an earlier judge's ratings."""


def refuse_other_column(earlier: str) -> None:
    """Refuse a column of counts that has something else than an earlier judge's ratings.

    Raises:
        UsageError: It is called as such a column is.
    """
    if OTHER_COLUMNS.fullmatch(earlier):
        raise UsageError(f"--earlier {earlier}: a column of counts with this name has no earlier judge's ratings")
