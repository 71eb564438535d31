"""The table of further examinations of a judge's ratings, which features add to its comparison with gold."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.ratings.table import RatingTable

Audit: TypeAlias = "Callable[[RatingTable, str, str], Mapping[str, Any]]"
"""Function that computes an audit of a judge, given a table and the names of the judge's and the labels' columns.

It returns figures by the keys of a calibration's JSON, with None where the judge gave nothing to examine.
"""
AUDITS: OpenTable[Audit] = OpenTable()
"""The table of audits that features add."""
