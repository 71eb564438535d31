"""The outcome of a calibration: two rulings, and the verdict, the use and the exit status that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from markscheme.calibration.comparison.limits import ErrorLimits, GateSide, SideName
from markscheme.calibration.comparison.policy import (
    BecauseCode,
    Circumstances,
    Ruling,
    UseQuestion,
    VerdictName,
    VerdictRow,
    interval_level,
    verdict_row,
)
from markscheme.grading.receipt import ExceptedPart, Use
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.decision_figures import DecisionFigures
from markscheme.stats.labels_needed import DecisiveLabels

LimitKey: TypeAlias = Literal["max_false_pass", "max_false_fail"]

LIMIT_OF_SIDE: Final[dict[SideName, LimitKey]] = {"stops": "max_false_pass", "keeps": "max_false_fail"}
"""The key of a rubric, and the option, that sets how much of a side may be wrong."""
WORSE_EXIT = 1
"""Exit status where the judge, or the rubric, has to be fixed."""
OPEN_EXIT = 4
"""Exit status where labels are missing, disagree or aren't people's."""


class GateAnswer(NamedTuple):
    """The answer to whether a judge may pass or fail responses without review, with the figures it rests on.

    Attributes:
        ruling: The ruling, shown, refused or open, with its reasons.
        figures: The judge's decisions compared with people's.
        stops: Of what people fail, the share that the judge fails too, with the smallest share that is enough.
        keeps: Of what people pass, the share that the judge passes too, with the smallest share that is enough.
        target: The smallest share of the same decisions that is enough, 0 to 1.
        people: Agreement figures of decisions, such as annotators' agreement with each other. The figures on annotators
            are empty if no two annotators decided the same examples.
        people_unsettled: Agreement figures of decisions on the examples that nobody adjudicated, which show whether
            labels disagree.
        even_splits: Number of examples on which annotators split evenly over pass or fail, which count in no figure.
    """

    ruling: Ruling
    figures: DecisionFigures
    stops: GateSide
    keeps: GateSide
    target: float
    people: AgreementFigures
    people_unsettled: AgreementFigures
    even_splits: int = 0

    @property
    def sides(self) -> tuple[GateSide, GateSide]:
        """The judge's shares of right decisions on what people fail (`stops`) and on what people pass (`keeps`)."""
        return self.stops, self.keeps

    @property
    def same(self) -> Estimate:
        """Share of examples with the same decision by judge and people; the verdict depends on its interval."""
        level = 2 * self.stops.confidence - 1
        return self.figures.same.estimate(level=level, method="same decision")

    def figures_json(self) -> dict[str, dict[str, Any]]:
        """Return a dict with the shares of same decisions, stops and keeps, each with the least that is required."""
        figures = (("same_decision", self.same, self.target), *((s.name, s.estimate, s.least) for s in self.sides))
        return {name: {**estimate.to_json(), "least": least} for name, estimate, least in figures}

    @property
    def side_with_offer(self) -> GateSide | None:
        """The one of `stops` and `keeps` that alone prevents a gate, if a looser limit can be offered for it; or None.

        If one is returned, the judge is shown to be right often enough by the other one, and on all responses together.
        """
        low = self.figures.same.lower(self.stops.confidence)
        short = [side for side in self.sides if side.state != "kept"]
        if low is None or low <= self.target or len(short) != 1:
            return None
        (side,) = short
        return None if side.limit_that_holds is None else side


@dataclass(frozen=True)
class Decision:
    """The outcome of a calibration: the answers on gate and trend, with the verdict and the use that follow from them.

    Verdict and use are computed from the two rulings, so that they can't contradict the rulings.

    Attributes:
        gate_answer: The answer to whether the judge may pass or fail responses without review; None if nothing says
            what passes.
        trend: The ruling on whether its scores may be averaged and compared.
        circumstances: Further facts that the verdict depends on.
        target: Share of examples on which the judge must agree, 0 to 1.
        needs_adjustment: True if the point estimate of agreement is under the target.
        labels: Number of labels needed in addition to those by people, with the chance that they decide; None if the
            verdict isn't open, or if labels alone are unlikely to decide it.
        next_step: A sentence with the labels that an open verdict needs, or with what to do if no number of labels
            would decide it; None if the verdict isn't open.
        settings: Number of settings tried on these labels, this one included.
        most_wrong: The limits on wrong decisions that are set.
        because: The reason for the verdict, in a sentence.
        excepted: Parts of the examples for which neither verdict nor use holds, so that people must decide, with the
            judge's agreement there.
        verdict_with_ties: The verdict if examples exactly at the tolerance counted as agreement; None if there are no
            such examples.
    """

    gate_answer: GateAnswer | None
    trend: Ruling
    circumstances: Circumstances
    target: float
    needs_adjustment: bool
    settings: int
    most_wrong: ErrorLimits
    because: str
    labels: DecisiveLabels | None = None
    next_step: str | None = None
    excepted: Mapping[ExceptedPart, Estimate] = field(default_factory=dict)
    verdict_with_ties: VerdictName | None = None

    @property
    def gate(self) -> Ruling | None:
        """The ruling on whether the judge may decide without review; None if nothing says which responses pass."""
        return None if self.gate_answer is None else self.gate_answer.ruling

    @cached_property
    def row(self) -> VerdictRow:
        """Verdict, use and code of the reason, looked up in the table of verdicts by the answers on gate and trend."""
        return verdict_row(self.gate, self.trend, self.circumstances)

    @property
    def verdict(self) -> VerdictName:
        """Verdict on the judge's agreement with gold: ok, adjust, labels-disagree or not-enough-labels."""
        verdict, _, _ = self.row
        return verdict

    @property
    def use(self) -> Use:
        """Use to which the judge may be put, as a word for people; programs should read `gate` and `trend` instead."""
        _, use, _ = self.row
        return use

    @property
    def because_code(self) -> BecauseCode:
        """Code of the reason for the verdict, such as "below-target"."""
        _, _, because = self.row
        return because

    @property
    def may_trend(self) -> bool:
        """True if people's labels show the judge's scores to be good enough to be averaged and compared."""
        c = self.circumstances
        return c.by_people and not c.drifted and (self.trend.state == "shown" or c.as_person)

    @property
    def labels_needed(self) -> int | None:
        """Number of labels to add to decide an open verdict; None if it isn't open or labels alone won't decide it."""
        return None if self.labels is None else self.labels.more

    @property
    def labels_chance(self) -> float | None:
        """Probability that `labels_needed` more labels decide the verdict; None if `labels_needed` is None."""
        return None if self.labels is None else self.labels.chance

    @property
    def level(self) -> float:
        """Confidence level of the interval that decides the verdict."""
        return interval_level(self.settings)

    @property
    def is_usable(self) -> bool:
        """True if the judge may pass or fail responses without review, or its scores may be averaged."""
        return self.use in ("gate", "trend")

    @property
    def compares_baseline(self) -> bool:
        """True if the reason for the verdict compares the judge, or annotators, with the best constant answer."""
        return self.because_code in ("below-constant", "constant-open", "no-signal")

    def exit_status(self, required: UseQuestion | None = None) -> int:
        """Return the exit status: 0 good, 1 fix judge or rubric, 4 not enough labels or not by people.

        Args:
            required: The question that decides; None means the verdict.
        """
        if required == "trend":
            return self._exit_of_trend()
        if required == "gate" and self.use == "gate":
            return 0
        if required == "gate" and self.gate is not None:
            return WORSE_EXIT if self.circumstances.drifted or self.gate.state == "refused" else OPEN_EXIT
        if self.verdict == "adjust":
            return WORSE_EXIT
        return 0 if required is None and self.verdict == "ok" and self.is_usable else OPEN_EXIT

    def _exit_of_trend(self) -> int:
        if self.may_trend:
            return 0
        is_refused = self.trend.state == "refused" and self.circumstances.by_people
        return WORSE_EXIT if self.circumstances.drifted or is_refused else OPEN_EXIT
