"""Finding that the rubric's weights and pass mark were fitted to the levels of another judge."""

from collections.abc import Iterator
from typing import Final

from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.table import ExaminedJudge, FindingRow
from markscheme.phrases import in_words
from markscheme.ratings.codes import RatingCodes
from markscheme.rubrics.edit import FITTED

FITTED_TO_ANOTHER: Final = FindingKind(
    "fitted-to-another-judge",
    "weights fitted to another judge",
    cause="change",
    fixed_by="rubric",
    stage="judge",
)


def fitted_to_another(examined: ExaminedJudge) -> Iterator[Finding]:
    """Yield a finding if the rubric's file says that its weights or pass mark were fitted to another judge's levels."""
    file = examined.evidence.comparison.rubric.source
    judges = sorted(RatingCodes.of(examined.ratings).raters)
    if file is None or not file.is_file():
        return
    comment = FITTED.search(file.read_text(encoding="utf-8", errors="replace"))
    if comment is None or not judges or judges == [comment[1]]:
        return
    fitted_to = comment[1]
    judge = in_words(judges)
    yield examined.evidence.finding(
        FITTED_TO_ANOTHER,
        None,
        f"Weights and pass mark were fitted to the levels of {fitted_to}, and this is {judge}.",
        "Fit them again to this judge's levels (`improve --numbers`), or to people's own.",
        shows={"fitted_to": fitted_to, "judge": judge},
    )


FITTING_FINDINGS: Final = (FindingRow((FITTED_TO_ANOTHER,), 95, fitted_to_another),)
