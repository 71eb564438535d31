"""Drift since the accepted runs or since an earlier judge: what moved, and what may have caused it."""

from typing import TYPE_CHECKING

from markscheme.calibration.earlier_runs.comparing import COMPARE_JUDGES, COMPARE_RUNS
from markscheme.report.sections.table import CAVEATS, MOVED_CALLOUTS, SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.earlier_runs.comparing import CompareJudges, CompareRuns
    from markscheme.report.document import Callout, Line, Section

    class _Baseline(Protocol):
        @property
        def drift_since(self) -> CompareRuns: ...
        @property
        def drift_since_judge(self) -> CompareJudges: ...

    class _Section(Protocol):
        def sections(self, calibration: Calibration) -> Iterable[Section]: ...
        def moved(self, calibration: Calibration, decides: str) -> Callout | None: ...
        def caveats(self, calibration: Calibration) -> Iterable[Line]: ...


def _baseline() -> "_Baseline":
    from markscheme.features.drift import baseline

    return baseline


def _section() -> "_Section":
    from markscheme.features.drift import section

    return section


DRIFT = Feature(
    "drift",
    COMPARE_RUNS(lambda *run: _baseline().drift_since(*run)),
    COMPARE_JUDGES(lambda *judges: _baseline().drift_since_judge(*judges)),
    SECTIONS(SectionRow(80, lambda calibration, _: _section().sections(calibration))),
    MOVED_CALLOUTS(lambda calibration, decides: _section().moved(calibration, decides)),
    CAVEATS(lambda calibration: () if calibration.baseline is None else _section().caveats(calibration)),
)
