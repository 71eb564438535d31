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
"""What a run is accepted by: all labelled examples that were read, with their files, and the options of what counts."""
WriteKept: TypeAlias = Callable[[], None]
"""Writes what is kept with a run once its accepted.json is written, or removes what was kept with the run before."""
Kept: TypeAlias = tuple[Mapping[str, Any], WriteKept]
"""The entries of accepted.json that name what is kept, and what writes it."""
Keep: TypeAlias = "Callable[[Calibration, Mapping[str, Any], RunBasis | None, Path], Kept]"
"""Makes what is kept with a run, and writes nothing yet.

It gets the run, the data of its accepted.json with Estimates as values, the files and options of the run (None where it
isn't from files), and the path of accepted.json, next to which the ratings are written already.
"""

KEPT_WITH_RUN: OpenTable[Keep] = OpenTable()
"""Functions that keep more with an accepted run than its ratings and its line in the history."""
