"""Evidence on whether verdicts on single criteria are good enough to follow a trend, or as rewards per criterion."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from markscheme.calibration.comparison.limits import SideState
from markscheme.calibration.comparison.policy import BecauseCode, labels_to_decide
from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.reasons import digits_of
from markscheme.errors import UsageError
from markscheme.features.rows.two_ways import wider_figures
from markscheme.features.rows.verdict_shares import (
    VerdictShares,
    codes,
    is_heavy,
    says_of_unseen,
    tasks_needed,
    verdict_shares,
    weights_of_tasks_alike,
)
from markscheme.phrases import counted, percent
from markscheme.ratings.table import RatingTable
from markscheme.rubrics.criterion import Criterion
from markscheme.rubrics.keys import TrendSubject
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import AgreementFigures
from markscheme.stats.intervals import Floats
from markscheme.stats.labels_needed import EVEN, DecisiveLabels
from markscheme.stats.shares import GroupedFigure, GroupedShare, drawn_weights


class CriterionVerdict(NamedTuple):
    """Verdicts of people and judge, met or unmet, on one criterion of one response.

    Attributes:
        example: Id of the response.
        task: Name of the task that the response is to.
        criterion: The criterion that was judged.
        gold: True if most people find the criterion met.
        judge: True if the judge finds it met.
        labelled_share: Share of the task's criteria that were labelled.
        people: The verdict of each person, by name.
    """

    example: str
    task: str
    criterion: Criterion
    gold: bool
    judge: bool
    labelled_share: float
    people: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class _Limit:
    """A limit on the share of criteria with one kind of error: credit that the judge wrongly gives or withholds.

    Attributes:
        name: Name of the option that sets it, without `max_`.
        share: Share of criteria with that error.
        most: The largest share that is accepted.
        confidence: One-sided confidence of the lower and of the upper bound of `share`.
    """

    name: str
    share: GroupedShare
    most: float
    confidence: float

    @property
    def state(self) -> SideState:
        """State of the limit: "kept" if the whole interval of the share is below it, "broken" if above, else "open"."""
        low = self.share.lower(self.confidence)
        high = self.share.upper(self.confidence)
        if high is not None and high < self.most:
            return "kept"
        return "broken" if low is not None and low > self.most else "open"

    @property
    def estimate(self) -> Estimate:
        """The share as an Estimate, with the interval that decides whether the limit is kept."""
        words = self.name.replace("_", " ")
        return self.share.estimate(level=2 * self.confidence - 1, method=f"share of {words}")

    @property
    def sentence(self) -> str:
        """Sentence that gives the share of verdicts with this limit's kind of error, and says if the limit is kept."""
        shown = {"kept": "within the limit of", "broken": "over the limit of", "open": "not shown to be within"}
        name = self.name.replace("_", " ").capitalize()
        return f"{name} {self.estimate.as_share()}: {shown[self.state]} {percent(self.most)}."


@dataclass(frozen=True)
class CriteriaTrend:
    """Evidence that a judge's verdicts on criteria can, or can't, be averaged to show trends.

    Attributes:
        verdicts: All verdicts that were compared.
        most: The largest accepted share of verdicts that give credit wrongly, and of verdicts that withhold it wrongly,
            by the name of the limit; only limits that are set.
    """

    verdicts: Sequence[CriterionVerdict]
    most: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def shares(self) -> VerdictShares:
        """Shares of the verdicts on all criteria: those on which the judge agrees with gold, and each kind of error."""
        return shares_of(self.verdicts)

    @cached_property
    def figures(self) -> AgreementFigures:
        """Figures of agreement on verdicts; if a few tasks have most of the verdicts, all tasks get the same weight."""
        tasks = codes([verdict.task for verdict in self.verdicts])
        criteria = codes([verdict.criterion.wording for verdict in self.verdicts])
        weights = drawn_weights([1 / verdict.labelled_share for verdict in self.verdicts])
        if len(tasks) and is_heavy(tasks):
            weights = weights_of_tasks_alike(tasks)
        return wider_figures(
            np.array([float(verdict.gold) for verdict in self.verdicts]),
            np.array([float(verdict.judge) for verdict in self.verdicts]),
            _by_person(self.verdicts),
            tasks,
            criteria if says_of_unseen(tasks, criteria) else None,
            weights,
        )

    def reason_codes(self, confidence: float) -> Sequence[BecauseCode]:
        """Return a reason code for each limit that isn't kept: "side" if broken, "side-open" if undecided.

        Args:
            confidence: One-sided confidence of the bounds that decide if a limit is kept.
        """
        states = [limit.state for limit in self._limits(confidence)]
        return ["side" if state == "broken" else "side-open" for state in states if state != "kept"]

    def sentences(self, decision: Decision, good_for: str) -> Sequence[str]:
        """Return sentences on agreement, limits on wrong verdicts and, if the trend is undecided, the labels needed.

        Args:
            decision: The verdict on the judge.
            good_for: Phrase on whether the verdicts may be used for trends, such as "good for trends"; "" to add none.
        """
        agreement = self.figures.agreement.estimate(level=decision.level)
        if agreement.value is None:
            return ()
        shown = agreement.as_share(digits_of(agreement, decision.target))
        end = f": {good_for}." if good_for else "."
        lines = [f"Verdicts on criteria agree on {shown}, baseline {percent(self.figures.constant.value)}{end}"]
        lines += [limit.sentence for limit in self._limits((1 + decision.level) / 2)]
        if decision.trend.state == "open":
            code = decision.trend.because[0]
            lines.append(self.labels(labels_to_decide(self.figures, decision.target, code, settings=decision.settings)))
        return lines

    def to_json(self, level: float) -> Mapping[str, Any]:
        """Return for JSON the figures of agreement on verdicts, and each limit's state: kept, broken or open.

        Args:
            level: Coverage of the figures' intervals, 0 to 1.
        """
        figures = self.figures
        by_key: Mapping[str, GroupedFigure] = {
            "agreement": figures.agreement,
            "agreement_constant": figures.constant,
            "gain": figures.gain,
            "agreement_person": figures.people,
            "agreement_with_person": figures.judge_people,
        }
        limits = self._limits((1 + level) / 2)
        return {
            "figures": {key: figure.estimate(level=level) if figure.n else None for key, figure in by_key.items()},
            "limits": {
                limit.name: {"limit": limit.most, "state": limit.state, "rate": limit.estimate} for limit in limits
            },
        }

    def labels(self, more: DecisiveLabels | None) -> str:
        """Return a sentence on how many more tasks to label, at as many verdicts per task as so far.

        Args:
            more: The number of further verdicts needed; None if no number is likely to be enough.
        """
        if more is None:
            return "More labels alone are unlikely to decide that."
        n_tasks = tasks_needed(more.more, self.shares.n / self.shares.tasks)
        tasks = f"Label about {counted(n_tasks, 'more task')} ({counted(more.more, 'verdict')})"
        if more.chance >= EVEN:
            return f"{tasks}: an even chance that they decide."
        return f"{tasks}; even then the chance is only {percent(more.chance)}."

    def on(self, ids: Collection[str]) -> "CriteriaTrend":
        """Return the evidence from the responses with these ids alone."""
        return CriteriaTrend([verdict for verdict in self.verdicts if verdict.example in ids], self.most)

    def _limits(self, confidence: float) -> Sequence[_Limit]:
        return [_Limit(name, getattr(self.shares, name), most, confidence) for name, most in self.most.items()]


def credit_limits(options: LabelOptions, rubric: Rubric) -> dict[str, float]:
    """Return the limits on the shares of verdicts that wrongly give or deny credit, by options or else the rubric."""
    limits = {}
    for name in ("false_credit", "missed_credit"):
        most = getattr(options, f"max_{name}")
        most = getattr(rubric, f"max_{name}") if most is None else most
        if most is not None:
            limits[name] = most
    return limits


def shares_of(verdicts: Sequence[CriterionVerdict]) -> VerdictShares:
    """Return the shares of verdicts on which the judge is right, and of each kind of error."""
    return verdict_shares(
        [verdict.gold for verdict in verdicts],
        [verdict.judge for verdict in verdicts],
        [verdict.task for verdict in verdicts],
        [verdict.criterion.wording for verdict in verdicts],
        faults=[verdict.criterion.weight < 0 for verdict in verdicts],
        labelled_shares=[verdict.labelled_share for verdict in verdicts],
    )


def _by_person(verdicts: Sequence[CriterionVerdict]) -> Floats:
    """Arrange each person's verdicts as an array, shape (n_verdicts, n_people); nan where a person gave none."""
    names = list(dict.fromkeys(name for verdict in verdicts for name in verdict.people))
    answers = [[float(verdict.people.get(name, np.nan)) for name in names] for verdict in verdicts]
    return np.array(answers, dtype=np.float64).reshape(len(verdicts), len(names))


def trend_of_criteria(
    subject: TrendSubject, table: RatingTable, columns: tuple[str, str], options: LabelOptions
) -> CriteriaTrend | None:
    """Return the evidence that verdicts on criteria can show a trend, for examples that share a rubric.

    Args:
        subject: What the trend is of: "criteria" for the verdicts on criteria; "score" for scores, and then the result
            is None.
        table: The table with the judge's ratings and gold.
        columns: Names of the judge's column and of gold's.
        options: The user's options, with limits on wrong verdicts.

    Raises:
        UsageError: Trends of criteria are wanted by the command line or the rubric, and the criteria have levels other
            than met and unmet. If only the settings file wants them, scores are used.
    """
    if subject != "criteria":
        return None
    rubric = table.rubric
    if rubric.is_of_pairs or rubric.table_of is not None or rubric.categories:
        if "trend_on" in options.set_for_all and rubric.trend_on != "criteria":
            return None
        raise UsageError(f"trend_on criteria asks what is met, and the criteria of {rubric.name} aren't met or unmet")
    return CriteriaTrend(list(_verdicts(table, *columns)), credit_limits(options, rubric))


def _verdicts(table: RatingTable, judge: str, gold: str) -> Iterator[CriterionVerdict]:
    tasks = table.groups or table.ids
    for criterion in table.rubric.criteria:
        of_gold, of_judge = (_met(criterion, table[name].levels[criterion.name]) for name in (gold, judge))
        by_person = {column.name: _met(criterion, column.levels[criterion.name]) for column in table.annotators}
        for index in np.flatnonzero(np.isfinite(of_gold) & np.isfinite(of_judge)).tolist():
            people = {name: bool(met[index]) for name, met in by_person.items() if np.isfinite(met[index])}
            unit = table.ids[index]
            task = tasks[index] or unit
            yield CriterionVerdict(unit, task, criterion, bool(of_gold[index]), bool(of_judge[index]), 1.0, people)


def _met(criterion: Criterion, levels: Floats) -> Floats:
    """Return for each level 1 if it reaches the criterion's threshold, 0 if it doesn't, nan if it is missing."""
    met = [criterion.scale.position(level) >= criterion.threshold if level == level else np.nan for level in levels]
    return np.array(met, dtype=np.float64)
