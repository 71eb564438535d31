"""The table of functions by which features write further files next to the accepted.json of an accepted run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.options import LabelOptions
    from markscheme.ratings.examples import ExampleSet


RunBasis: TypeAlias = "tuple[ExampleSet, LabelOptions]"
"""All labelled examples that were read, with their files, and the options on which labels count in the run to
accept."""
WriteKept: TypeAlias = Callable[[], None]
"""Function that writes a feature's files on an accepted run after its accepted.json is written, or removes those of
the run before."""
Kept: TypeAlias = tuple[Mapping[str, Any], WriteKept]
"""Entries of accepted.json that name a feature's files, and the function that writes these files."""
Keep: TypeAlias = "Callable[[Calibration, Mapping[str, Any], RunBasis | None, Path], Kept]"
"""Function that prepares a feature's files on a run that is to be accepted, and writes nothing yet.

It gets the run, the data of its accepted.json with Estimates as values, the run's examples with their files and options
(None if the run isn't from files), and the path of accepted.json, next to which the ratings are written already.
"""

KEPT_WITH_RUN: OpenTable[Keep] = OpenTable()
"""Functions that keep more with an accepted run than its ratings and its line in the history."""
