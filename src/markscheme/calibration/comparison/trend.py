"""The trend question where it isn't asked of scores: what it is asked of instead, which features add."""

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
    """The material of a trend question that isn't asked of scores."""

    @property
    def figures(self) -> "AgreementFigures":
        """The shares behind the ruling, in units of what is asked about."""

    def reason_codes(self, confidence: float) -> "Sequence[BecauseCode]":
        """Return the codes of what refuses a trend or leaves it open besides the figures, by one-sided bounds."""

    def sentences(self, decision: "Decision", good_for: str) -> Sequence[str]:
        """Say how often the judge is right, what that is good for, and which labels decide where it is open."""

    def to_json(self, level: float) -> Mapping[str, Any]:
        """Return the figures, and the limits that are set, under `figures` and `limits`."""

    def on(self, ids: Collection[str]) -> "TrendEvidence":
        """Return the evidence of these examples alone."""


TrendMaker: TypeAlias = "Callable[[TrendSubject, RatingTable, tuple[str, str], LabelOptions], TrendEvidence | None]"
"""Makes the evidence of a table's two columns, judge and gold, by their names; None where something else is asked."""
TREND_MAKERS: Final[OpenTable[TrendMaker]] = OpenTable()
"""What features ask a trend of; scores are the core's."""


def trend_asked(table: "RatingTable", columns: tuple[str, str], options: "LabelOptions") -> TrendEvidence | None:
    """Return the evidence for a trend question that options, or the rubric, ask of something else than scores, or None.

    Args:
        table: With the columns of the judge and of gold.
        columns: Their names.
        options: Settings of the run.

    Raises:
        UsageError: Nothing here asks it of what is named, or a limit is set that has no meaning for scores.
    """
    subject = options.trend_on or table.rubric.trend_on
    if subject == "score":
        refuse_limits_of_scores(options, table.rubric)
        return None
    made = (make(subject, table, columns, options) for make in TREND_MAKERS)
    evidence = next((evidence for evidence in made if evidence is not None), None)
    if evidence is None:
        raise UsageError(f"trend_on is score here; nothing asks a trend of {subject}")
    return evidence


def refuse_limits_of_scores(options: "LabelOptions", rubric: "Rubric") -> None:
    """Refuse limits on credit where the trend question is asked of scores.

    Raises:
        UsageError: One is set.
    """
    for key in ("max_false_credit", "max_missed_credit"):
        if getattr(options, key) is not None or getattr(rubric, key) is not None:
            raise UsageError(f"{key} bounds verdicts on criteria: it goes with trend_on: criteria")
