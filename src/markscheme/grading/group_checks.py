"""Checks of a judge that is made of several, before it grades by a rubric; packages above this one add them."""

from collections.abc import Callable
from typing import Any

from markscheme.seam import OpenTable

GROUP_CHECKS: OpenTable[Callable[[Any, Any], Any]] = OpenTable()
"""Functions that take a group of judges and a rubric, and return the group as it may decide today."""
