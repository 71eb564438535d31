"""Drift since the accepted runs or an earlier judge: what moved, and what may have moved it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from markscheme.calibration.earlier_runs.comparing import COMPARE_JUDGES, COMPARE_RUNS
from markscheme.report.sections.table import CAVEATS, MOVED_CALLOUTS, SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.calibration.earlier_runs.setting import Setting
    from markscheme.calibration.earlier_runs.since import RunsCompared, Since
    from markscheme.ratings.rating import Rating
    from markscheme.report.document import Callout, Examples, Line, Section


def _compare(
    since: "Since", current: "Setting", comparison: "Comparison", ratings: "Sequence[Rating]"
) -> "RunsCompared":
    from markscheme.features.drift.baseline import drift_since

    return drift_since(since, current, comparison, ratings)


def _compare_judges(
    since: "Since", current: "Setting", comparison: "Comparison", earlier: "Setting", then: "Comparison"
) -> "RunsCompared":
    from markscheme.features.drift.baseline import drift_since_judge

    return drift_since_judge(since, current, comparison, earlier, then)


def _sections(calibration: "Calibration", _: "Examples") -> "Iterable[Section]":
    from markscheme.features.drift.section import sections

    return sections(calibration)


def _moved(calibration: "Calibration", decides: str) -> "Callout | None":
    from markscheme.features.drift.section import moved

    return moved(calibration, decides)


def _caveats(calibration: "Calibration") -> "Iterable[Line]":
    if calibration.baseline is None:
        return ()
    from markscheme.features.drift.section import caveats

    return caveats(calibration)


DRIFT = Feature(
    "drift",
    COMPARE_RUNS(_compare),
    COMPARE_JUDGES(_compare_judges),
    SECTIONS(SectionRow(80, _sections)),
    MOVED_CALLOUTS(_moved),
    CAVEATS(_caveats),
)
