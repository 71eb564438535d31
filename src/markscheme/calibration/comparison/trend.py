"""Evidence for trends of figures other than scores, such as verdicts on criteria; features add it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from markscheme.errors import UsageError
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.comparison.policy import BecauseCode
    from markscheme.calibration.comparison.verdict import Decision
    from markscheme.calibration.options import LabelOptions
    from markscheme.ratings.table import RatingTable
    from markscheme.rubrics.keys import TrendSubject
    from markscheme.rubrics.rubric import Rubric
    from markscheme.stats.agreement_figures import AgreementFigures


class TrendEvidence(Protocol):
    """Evidence for whether averages of figures other than scores, such as verdicts on criteria, may be shown."""

    @property
    def figures(self) -> "AgreementFigures":
        """Agreement of judge, best constant answer and annotators, which decides if averages may be shown over time."""

    def reason_codes(self, confidence: float) -> "Sequence[BecauseCode]":
        """Return a reason code for each limit that, at this one-sided confidence, isn't shown to be kept."""

    def sentences(self, decision: "Decision", good_for: str) -> Sequence[str]:
        """Say how often the judge is right and what it may be used for; if the use is open, how many labels decide it.

        Args:
            decision: The calibration's outcome.
            good_for: Clause on what the judge may be used for; "" if nothing is to be said.
        """

    def to_json(self, level: float) -> Mapping[str, Any]:
        """Return a dict with the agreement figures (key `figures`) and the limits that apply (key `limits`).

        Args:
            level: Coverage of the figures' intervals, 0 to 1.
        """

    def on(self, ids: Collection[str]) -> "TrendEvidence":
        """Return the evidence restricted to the examples with given ids."""


TrendMaker: TypeAlias = "Callable[[TrendSubject, RatingTable, tuple[str, str], LabelOptions], TrendEvidence | None]"
"""Function that makes the evidence of a judge's trends, given a table and the names of the judge's and gold's column;
None for another subject."""
TREND_MAKERS: Final[OpenTable[TrendMaker]] = OpenTable()
"""Functions of features that make evidence for trends of something other than scores."""


def trend_asked(table: "RatingTable", columns: tuple[str, str], options: "LabelOptions") -> TrendEvidence | None:
    """Return evidence on whether averages of what `trend_on` names, such as verdicts on criteria, may be shown.

    None if `trend_on` names scores.

    Args:
        table: A table with the columns of the judge and of gold.
        columns: Names of these two columns.
        options: The run's options on labels, which may set another `trend_on` than the rubric's, and limits on credit
            that the judge gives or withholds wrongly.

    Raises:
        UsageError: No trend can be shown of what `trend_on` names, or trends are of scores and a limit on credit is
            set, which has no meaning for scores. A value in the settings file is no error, since it is for all rubrics.
    """
    subject = options.trend_on or table.rubric.trend_on
    if subject == "score":
        refuse_limits_of_scores(options, table.rubric)
        return None
    evidence = next(filter(None, (make(subject, table, columns, options) for make in TREND_MAKERS)), None)
    if evidence is None and "trend_on" not in options.set_for_all:  # which also holds for tables without such criteria
        raise UsageError(f"trend_on is score here; nothing asks a trend of {subject}")
    return evidence


def refuse_limits_of_scores(options: "LabelOptions", rubric: "Rubric") -> None:
    """Raise an error if limits on wrong verdicts are set but trends are of scores, which such limits don't bound.

    Raises:
        UsageError: Such a limit is set.
    """
    for key in ("max_false_credit", "max_missed_credit"):
        if (getattr(options, key) is not None and key not in options.set_for_all) or getattr(rubric, key) is not None:
            raise UsageError(f"{key} bounds verdicts on criteria: it goes with trend_on: criteria")
