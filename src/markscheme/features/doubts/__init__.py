"""Doubts about labels: criteria without a label, raters who never differ or are named as the judge, equal rows."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from markscheme.report.sections.table import CAVEATS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration


def _caveats(calibration: "Calibration") -> Iterable[str]:
    from markscheme.features.doubts.rules import doubts_about_labels

    return doubts_about_labels(calibration)


DOUBTS = Feature("doubts", CAVEATS(_caveats))
