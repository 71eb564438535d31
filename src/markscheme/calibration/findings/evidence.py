"""Evidence for the rules of diagnosis: each criterion of a comparison, with some examples left out if needed."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import CriterionComparison
from markscheme.calibration.findings.commands import TypedOptions
from markscheme.calibration.findings.finding import SEVERITIES, Finding, Severity
from markscheme.calibration.findings.kinds import FindingKind
from markscheme.calibration.findings.table_advice import advice_without_rubric
from markscheme.calibration.labellers import labeller_of
from markscheme.phrases import counted, listed, number
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import merits, rating_table, stacked
from markscheme.rubrics.rubric import LEVEL_ROUNDING, Scale
from markscheme.stats import Estimate
from markscheme.stats.coefficients import Metric, agreement
from markscheme.stats.distinct import numbered_values
from markscheme.stats.estimate import Caveat
from markscheme.stats.intervals import NO_SPREAD, Flags, Floats, Groups
from markscheme.stats.rating_patterns import RatingPatterns, commonest, rating_patterns
from markscheme.stats.severity import pair_statistic

SIGNIFICANT = 0.05
"""Largest p at which a fault counts as shown, after Holm's correction over the criteria tested together."""
NOT_HELD = "examples that the counts leave out"
"""Text in place of examples' ids if only counts of the examples are known."""
MOST_WORST = 5
"""Largest number of examples that a finding lists: few enough to read before an edit."""
MOST_NAMED = 3
"""Largest number of examples that a sentence names."""
LEAST_SHARED = 30
"""Fewest examples rated by the judge and two annotators for which annotators' noise is separated from the judge's."""
FEWEST_TO_COMPARE = 10
"""Fewest examples for a mean or a share of a criterion; a judgement, since a test must find it significant as well."""
FEWEST_FOR_SPREAD = 20
"""Fewest examples for a slope, a spread or a correlation, which need more than a mean does; a judgement."""
FEWEST_TO_DIAGNOSE = 30
"""Fewest examples for faults of the whole judge or the scale; a judgement. Faults were planted in 50 and 100
examples."""
LEAST_WRONG = 5
"""Fewest examples that a judge must get wrong to count as blind to them; fewer may be slips."""
STUCK = 0.90
"""Share of one level among the judge's from which on it counts as stuck; a judge at 97 % was found in all of 120
simulated sets."""
STUCK_ABOVE_PEOPLE = 0.15
"""Least excess of the judge's most frequent level over annotators' for a stuck judge: equal responses deserve equal
levels."""
LITTLE_SKILL = 0.10
"""Largest correlation with gold of a judge without skill: it shares 1 % of gold's variance; a judgement."""
SKILL_BOUND = 0.40
"""Value that the upper limit of the correlation must be below, so that few examples don't count as no skill."""
HIGH_SHARE = 0.20
"""Share of the judge's mean error from which on a fault's severity is high: a fifth goes with one edit; a judgement."""
MEDIUM_SHARE = 0.08
"""Share of the judge's mean error from which on a finding has medium severity."""

WHO = {
    "adjudicated": "the adjudicated labels",
    "people": "annotators",
    "one-person": "the labels",
    "constructed": "the constructed labels",
    "model": "the model's labels",
}


@dataclass(frozen=True)
class CriterionEvidence(CriterionComparison):
    """A criterion's levels by gold, judge and annotators, with the figures that the rules of diagnosis need.

    Attributes:
        repeats: The judge's levels, shape (n_examples, n_samples), with a column for each time it was asked.
    """

    repeats: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def name(self) -> str:
        """Name of the criterion."""
        return self.criterion.name

    @property
    def weight(self) -> float:
        """Weight of the criterion."""
        return self.criterion.weight

    @property
    def scale(self) -> Scale:
        """Scale of the criterion."""
        return self.criterion.scale

    @cached_property
    def levels(self) -> Floats:
        """The scale's values, worst first, each once."""
        return np.array(sorted(set(self.scale.values)))

    @property
    def step(self) -> float:
        """The smallest distance between two levels of the criterion's scale."""
        return float(np.diff(self.levels).min())

    @property
    def good(self) -> int:
        """Direction of quality: 1 where a higher level is better, -1 where the criterion is a fault."""
        return 1 if self.weight > 0 else -1

    @cached_property
    def both(self) -> Flags:
        """Flags of the examples that the judge and gold both rated."""
        return np.asarray(np.isfinite(self.judge) & np.isfinite(self.gold))

    @cached_property
    def units(self) -> Floats:
        """Number of examples that each row represents, shape (n_rows,): 1 unless rows are counts."""
        return Groups.of(self.groups, len(self.gold)).units

    def count(self, rows: Flags) -> int:
        """Return the number of examples that the flagged rows represent."""
        return round(float(self.units[rows].sum()))

    def mean(self, values: Floats) -> float:
        """Return the mean of the examples' values, without those that are nan; 0 if all are nan."""
        return mean(values, self.units)

    def modal(self, levels: Floats) -> tuple[float, float]:
        """Return the most frequent level, the lowest in a tie, and its share of the examples; nan is ignored."""
        return modal_level(levels, self.units)

    @cached_property
    def n(self) -> int:
        """Number of examples that the judge and gold both rated."""
        return self.count(self.both)

    @cached_property
    def n_people(self) -> npt.NDArray[np.int16]:
        """Number of annotators who rated each example, shape (n_examples,)."""
        return np.asarray(np.isfinite(self.people).sum(axis=1, dtype=np.int16))

    @cached_property
    def twice_labelled(self) -> bool:
        """True if enough examples, at least `LEAST_SHARED`, were rated by the judge and by two annotators."""
        return self.count(np.isfinite(self.judge) & (self.n_people >= 2)) >= LEAST_SHARED

    @property
    def labels(self) -> Floats:
        """Distinct levels that annotators gave to examples the judge rated; without annotators, gold's levels."""
        return self._labels_with_units[0]

    @cached_property
    def modal_label(self) -> tuple[float, float]:
        """Level that annotators (or gold, if there are none) gave most often, and its share."""
        return modal_level(*self._labels_with_units)

    @cached_property
    def _labels_with_units(self) -> tuple[Floats, Floats]:
        """The distinct levels in `labels`, each with the number of times it was given."""
        people = self.people[self.both]
        labels = self.gold[self.both]
        units = self.units[self.both]
        is_given = np.isfinite(people)
        if is_given.any():
            labels, units = people[is_given], np.broadcast_to(units[:, None], people.shape)[is_given]
        distinct, number = numbered_values(labels)
        return distinct, np.bincount(number, weights=units).astype(np.float64)

    @cached_property
    def modal_judged(self) -> tuple[float, float]:
        """Level that the judge gave most often to the examples with gold, and its share."""
        return self.modal(np.where(self.both, self.judge, np.nan))

    @property
    def errors(self) -> Floats:
        """Judge minus gold, in levels, shape (n_examples,)."""
        return self.judge - self.gold

    @cached_property
    def distances(self) -> Floats:
        """Absolute error of the judge as a share of the scale's range; for categories, 1 where it differs from gold."""
        if self.scale.ordered:
            return np.abs(self.errors) / self.scale.span
        return np.where(self.both, self.judge != self.gold, np.nan)

    @cached_property
    def is_stuck(self) -> bool:
        """True if the judge gives nearly all examples the same level, and annotators don't."""
        if self.n < FEWEST_TO_COMPARE:
            return False
        share = self.modal_judged[1]
        return share >= STUCK and share - self.modal_label[1] >= STUCK_ABOVE_PEOPLE

    def statistic(self, name: str, level: float = 0.95) -> Estimate:
        """Estimate an error or correlation of judge and gold, by its name, with an interval at confidence `level`."""
        once = self.merged
        return pair_statistic(once.gold, once.judge, name, groups=once.groups, levels=self.levels, level=level)

    def kappa(self, name: str, level: float = 0.95) -> Estimate:
        """Estimate a chance-corrected coefficient, by its name, with an interval at confidence `level`."""
        return agreement(self._patterns, name, levels=self.levels, level=level)

    @cached_property
    def _patterns(self) -> RatingPatterns:
        """The distinct pairs of gold's and the judge's level, on the examples that have both."""
        once = self.merged
        pairs = np.where(once.both[:, None], np.column_stack([once.gold, once.judge]), np.nan)
        return rating_patterns(pairs, self.levels, groups=once.groups)

    def people_alpha(self, level: float = 0.95) -> Estimate:
        """Estimate Krippendorff's alpha over the criterion's annotators."""
        if level not in self._people_alphas:
            self._people_alphas[level] = self._people_alpha(level)
        return self._people_alphas[level]

    @cached_property
    def _people_alphas(self) -> dict[float, Estimate]:
        return {}

    def _people_alpha(self, level: float) -> Estimate:
        metric: Metric = "ordinal" if self.scale.ordered and len(self.levels) > 2 else "nominal"
        used: Metric = metric if self.on_scale(self.people) else "interval"
        return agreement(self._people_patterns, "krippendorff_alpha", levels=self.levels, weights=used, level=level)

    @cached_property
    def _people_patterns(self) -> RatingPatterns:
        """The distinct combinations of annotators' levels on an example, with their counts."""
        return rating_patterns(self.people, self.levels, groups=self.groups)

    @property
    def people_once(self) -> tuple[Floats, Floats]:
        """The distinct rows of annotators' levels, shape (n_rows, n_people), and the number of examples with each."""
        table = self._people_patterns
        return np.where(table.codes < 0, np.nan, table.values[table.codes]), table.times

    def on_scale(self, ratings: Floats) -> bool:
        """Return True if every rating is a level of the scale, not a value between two."""
        return bool(np.isin(ratings[np.isfinite(ratings)], self.levels).all())

    def merit(self, levels: Floats) -> Floats:
        """Return the quality of levels from 0 to 1, inverted if the criterion describes a fault."""
        return merits(self.criterion, levels)

    def nearest_level(self, value: float) -> float:
        """Return the level of the scale that a value is nearest to."""
        return float(self.levels[int(np.abs(self.levels - value).argmin())])

    def where(self, included: Flags) -> Self:
        """Return the evidence in which examples that aren't flagged have nan for every level; no example is removed."""
        return replace(
            self,
            gold=np.where(included, self.gold, np.nan),
            judge=np.where(included, self.judge, np.nan),
            read_people=lambda: np.where(included[:, None], self.people, np.nan),
            repeats=np.where(included[:, None], self.repeats, np.nan),
        )


@dataclass(frozen=True)
class Evidence:
    """The comparison of a judge with gold, restricted to the examples that the rules of diagnosis look at.

    Attributes:
        comparison: The judge compared with gold.
        criteria: Each criterion, by name.
        included: Flags of the examples that the rules look at, shape (n_examples,).
        outside: The examples that were left out, in words; None if none were.
    """

    comparison: Comparison
    criteria: Mapping[str, CriterionEvidence]
    included: Flags = field(repr=False)
    outside: str | None = None

    @classmethod
    def of(cls, comparison: Comparison, ratings: Sequence[Rating] = ()) -> "Evidence":
        """Collect the evidence for diagnosis from a comparison of a judge with gold.

        Args:
            comparison: The judge compared with gold.
            ratings: The judge's ratings; several of one example show how often the judge changes its answer.
        """
        ids = comparison.ids
        asked_again = len(set(RatingCodes.of(ratings).ids)) < len(ratings)
        samples = rating_table(comparison.rubric, ids, ratings, samples_apart=True).columns if asked_again else ()
        criteria = {
            name: CriterionEvidence(
                **{of.name: getattr(compared, of.name) for of in fields(compared)},
                repeats=stacked(samples, name) if samples else np.broadcast_to(np.nan, (len(ids), 1)),
            )
            for name, compared in comparison.criteria.items()
        }
        return cls(comparison, criteria, np.ones(len(ids), dtype=bool))

    def without(self, hidden: Flags, called: str | None = None) -> "Evidence":
        """Return the evidence for diagnosis with the flagged examples left out.

        Args:
            hidden: Flags of the examples to leave out, shape (n_examples,).
            called: The examples left out, in words; None to name none in the findings.
        """
        included = self.included & ~hidden
        criteria = {name: criterion.where(included) for name, criterion in self.criteria.items()}
        return replace(self, included=included, criteria=criteria, outside=called)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the examples that the rules of diagnosis look at, in order."""
        return self.comparison.ids

    def worst(self, badness: Floats, most: int = MOST_WORST) -> list[int]:
        """Return the indices of the examples with the largest errors, worst first; none if examples have no ids.

        Args:
            badness: Size of the error on each example, nan where it isn't known; only errors above 0 count.
            most: Largest number of indices.
        """
        return worst_places(badness, most) if self.ids else []

    @property
    def who(self) -> str:
        """Name in a sentence for those who gave the labels, such as "annotators"."""
        labeller = labeller_of(self.comparison)
        return labeller.name if labeller.is_one else WHO[self.comparison.gold.reference]

    def people(self, verb: str) -> str:
        """Return subject and verb for those who gave the labels, such as "annotators give" or "anna gives".

        Args:
            verb: The verb after a plural, to which an "s" is added after a singular.
        """
        return f"{self.who} {verb}{'s' if labeller_of(self.comparison).is_one else ''}"

    @property
    def scores_rank(self) -> bool:
        """True if the levels of at least one criterion are ordered, so that scores are ordered too."""
        return any(criterion.scale.ordered for criterion in self.criteria.values())

    def finding(
        self,
        kind: FindingKind,
        criterion: CriterionEvidence | None,
        text: str,
        suggestion: str,
        *,
        shows: Mapping[str, Any],
        worst: Sequence[int] = (),
        gain: float = 0.0,
        least: Severity = "low",
        most: Severity = "high",
        options: TypedOptions | None = None,
    ) -> Finding:
        """Make a finding, with its severity by the share of the judge's error that the fault causes.

        Args:
            kind: The kind of finding.
            criterion: The criterion; None for the whole rubric.
            text: Sentences on what was found, without a leading "NAME: ", which the finding adds.
            suggestion: What to edit or do first.
            shows: The figures behind the finding, by name.
            worst: Indices of the examples that show the fault best.
            gain: Decrease of the judge's mean error in score without the fault.
            least: The lowest severity that it may get.
            most: The highest severity that it may get.
            options: Options that the suggestion adds to the kind's command, by the key that each sets; None for none.
        """
        share = gain / self.error if self.error > 0 else 0.0
        worst = [index for index in worst if not self.is_held_out(index)]
        remarks = [] if criterion is None else self.remarks(criterion, worst)
        wrote = {"annotators": remarks} if remarks else {}
        by_share = 0 if share >= HIGH_SHARE else 1 if share >= MEDIUM_SHARE else 2
        return Finding(
            kind=kind,
            criterion=criterion.name if criterion is not None else None,
            severity=SEVERITIES[max(SEVERITIES.index(most), min(SEVERITIES.index(least), by_share))],
            text=f"{text} (Measured outside {self.outside}.)" if self.outside else text,
            evidence={**shows, "worst": [self._example(criterion, row) for row in worst], **wrote},
            examples=tuple(self.ids[row] for row in worst),
            suggestion=self._advice(kind, criterion, suggestion, worst),
            cost=float(gain),
            options=options or {},
        )

    def _advice(
        self, kind: FindingKind, criterion: CriterionEvidence | None, suggestion: str, worst: Sequence[int]
    ) -> str:
        """Return a finding's suggestion; for a table without a rubric, advice that proposes no edit of a rubric.

        Args:
            kind: The kind of finding.
            criterion: The criterion; None for the whole rubric.
            suggestion: The suggestion if there is a rubric.
            worst: Indices of the examples that show the fault best, which the advice names.
        """
        if self.comparison.rubric.table_of is None:
            return suggestion
        levels = "" if criterion is None or not len(worst) else self.both_levels(criterion, worst)
        return advice_without_rubric(kind, suggestion, self.example_ids(worst), levels)

    def _example(self, criterion: CriterionEvidence | None, index: int) -> dict[str, Any]:
        """Return an example as a dict: its id, and what gold and the judge say of it.

        Args:
            criterion: The criterion whose levels are returned, with the judge's quote and reason; None to return the
                scores.
            index: Index of the example.
        """
        comparison = self.comparison
        gold, judge = (
            (comparison.gold.scores, comparison.scores) if criterion is None else (criterion.gold, criterion.judge)
        )
        shown: dict[str, Any] = {"id": self.ids[index], "gold": _finite(gold[index]), "judge": _finite(judge[index])}
        if criterion is None:
            return shown
        for who in ("gold", "judge"):
            shown[who] = None if shown[who] is None else criterion.scale.written(shown[who])
        rating = comparison.judge.rating(index)
        rated = rating.criteria.get(criterion.name, Rated(None)) if rating is not None else Rated(None)
        return {**shown, "quote": rated.quote, "reason": rated.reason}

    def remarks(self, criterion: CriterionEvidence, places: Sequence[int]) -> list[dict[str, Any]]:
        """Return what annotators wrote on a criterion of the examples at the indices `places`, without names.

        Each remark has the example's id and the annotator's level, words and confidence. Held-out examples have none.
        """
        remarks = []
        for index in places:
            if self.is_held_out(index):
                continue
            for column in self.comparison.table.annotators:
                rating = column.rating(index)
                rated = rating.criteria.get(criterion.name) if rating is not None else None
                if rating is None or rated is None:
                    continue
                words = " · ".join(dict.fromkeys(text for text in (rated.reason, rating.note) if text))
                if words or rating.confidence:
                    remark = {"id": self.ids[index], "level": rated.label or rated.level, "said": words}
                    remarks.append({**remark, "confidence": rating.confidence or None})
        return remarks

    def is_held_out(self, index: int) -> bool:
        """Return True if an example is held out, so that its texts must not be shown."""
        return self.comparison.gold.examples[index].is_held_out

    def example_ids(self, places: Sequence[int]) -> str:
        """Join the ids of the examples at the indices `places` for a sentence."""
        return listed([self.ids[index] for index in places]) if self.ids else NOT_HELD

    def both_levels(self, criterion: CriterionEvidence, places: Sequence[int]) -> str:
        """Say which levels judge and gold gave to examples, and name the examples with the same two levels together.

        Args:
            criterion: The criterion.
            places: Indices of the examples, of which the first few are named.
        """
        by_levels: dict[str, list[str]] = defaultdict(list)
        for index in places[:MOST_NAMED]:
            its = criterion.scale.level_name(float(criterion.judge[index]))
            theirs = criterion.scale.level_name(float(criterion.gold[index]))
            by_levels[f"{its} where {self.people('say')} {theirs}"].append(self.ids[index])
        parts = [f"{levels} ({', '.join(ids)})" for levels, ids in by_levels.items()]
        if parts or not self.ids:
            return f"the judge gave {', '.join(parts)}" if parts else NOT_HELD
        return "no single example shows it"

    def anchor_advice(self, criterion: CriterionEvidence, sign: int) -> str:
        """Advise which level's description to make more exact, and name the examples that show why.

        It is gold's level on the examples whose confusion costs most.

        Args:
            criterion: The criterion.
            sign: 1 if the judge's levels are too high, -1 if they are too low.
        """
        cells: dict[tuple[float, float], list[int]] = defaultdict(list)
        for index in np.flatnonzero(np.nan_to_num(sign * criterion.errors, nan=0.0) > LEVEL_ROUNDING).tolist():
            levels = (
                criterion.nearest_level(float(criterion.gold[index])),
                criterion.nearest_level(float(criterion.judge[index])),
            )
            if sign * (levels[1] - levels[0]) > 0:
                cells[levels].append(index)
        if not cells:
            return f"Say in {criterion.name} more exactly what each level asks for."
        gold, judge = max(cells, key=lambda cell: (abs(cell[0] - cell[1]) * criterion.units[cells[cell]].sum(), cell))
        places = cells[gold, judge]
        theirs = criterion.scale.level_name(gold)
        its = criterion.scale.level_name(judge)
        about = "" if np.isin(criterion.judge[places], [judge]).all() else "about "
        named = (
            self.example_ids(places) if self.ids else counted(round(float(criterion.units[places].sum())), "example")
        )
        where = f"the judge gave {about}{its} where {self.people('say')} {theirs} on {named}"
        if criterion.scale.is_yes_no:
            wanted = f"what is not enough for {its}" if sign > 0 else f"what is enough for {theirs}"
            return f"Say in {criterion.name} {wanted}: {where}."
        has_words = any(
            abs(level.value - gold) <= LEVEL_ROUNDING and level.description for level in criterion.scale.levels
        )
        verb = "Say more exactly" if has_words else "Say"
        wanted = f"what keeps a {theirs} from being a {its}" if sign > 0 else f"what a {theirs} may still lack"
        return f"{verb} in the description of level {theirs} of {criterion.name} {wanted}: {where}."

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold in score, shape (n_examples,)."""
        return np.where(self.included, self.comparison.misses, np.nan)

    @cached_property
    def n(self) -> int:
        """Number of examples scored by judge and gold; if there are no scores, the largest number on any criterion."""
        scored = int(np.isfinite(self.misses).sum()) if self.ids else self.comparison.scored
        return scored or max((criterion.n for criterion in self.criteria.values()), default=0)

    @cached_property
    def error(self) -> float:
        """The judge's mean error, in score: the sum over criteria of mean absolute error times share of the score.

        A criterion's error is a share of its scale's range. If all levels are right, the judge's mean absolute error of
        scores is returned instead.
        """
        by_criterion = sum(
            abs(self.share(criterion)) * criterion.mean(criterion.distances) for criterion in self.criteria.values()
        )
        return by_criterion or mean(np.abs(self.misses))

    def share(self, criterion: CriterionEvidence) -> float:
        """Return how much the score rises if the level on a criterion goes from the worst to the best."""
        return criterion.weight / self.comparison.rubric.whole_weight

    def gain(self, fixed: Mapping[str, Floats]) -> float:
        """Return by how much the judge's error would fall, at least 0, if it gave the levels in `fixed`.

        Args:
            fixed: Levels that the judge would give, by criterion, shape (n_examples,); nan to leave an example's level
                unchanged.
        """
        gained = 0.0
        for name, levels in fixed.items():
            criterion = self.criteria[name]
            better = replace(criterion, judge=np.where(np.isnan(levels), criterion.judge, levels))
            gained += abs(self.share(criterion)) * criterion.mean(criterion.distances)
            gained -= abs(self.share(criterion)) * criterion.mean(better.distances)
        return max(0.0, gained)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def worst_places(badness: Floats, most: int = MOST_WORST) -> list[int]:
    """Return the indices of up to `most` values above 0, the largest value first; nan counts as 0."""
    size = np.nan_to_num(badness, nan=0.0)
    order = np.argsort(-size, kind="stable")
    return [index for index in order[:most].tolist() if size[index] > 0]


def with_ci(estimate: Estimate, spell: Callable[[float | None], str] = number, *, unit: str | None = None) -> str:
    """Write a value with its interval, if it has one, for a sentence: "0.52 (95% CI 0.31 to 0.68)".

    Args:
        estimate: The estimate.
        spell: Function that writes a number.
        unit: Unit to add after the value; None for none.
    """
    value = spell(estimate.value) if unit is None else f"{spell(estimate.value)} {unit}"
    return value if estimate.low is None else f"{value} (95% CI {spell(estimate.low)} to {spell(estimate.high)})"


def mean(values: Floats, units: Floats | None = None) -> float:
    """Return the mean of the values that aren't nan; 0 if all are nan.

    Args:
        values: Levels or other values, shape (n_rows,), nan where missing.
        units: Number of examples that each row represents, shape (n_rows,); 1 each by default.
    """
    is_known = np.isfinite(values)
    if not is_known.any():
        return 0.0
    return float(values[is_known].mean() if units is None else np.average(values[is_known], weights=units[is_known]))


def modal_level(values: Floats, units: Floats | None = None) -> tuple[float, float]:
    """Return the most frequent level, the lowest in a tie, and its share of the levels.

    Args:
        values: Levels or other values, shape (n_rows,), nan where missing.
        units: Number of examples that each row represents, shape (n_rows,); 1 each by default.
    """
    level = commonest(values, units)
    counted = np.isfinite(values) * (1.0 if units is None else units)
    return level, float(counted[values == level].sum() / counted.sum())


# --- significance ---------------------------------------------------------------------------------------------------


Tested = TypeVar("Tested")
"""Criteria, or labels, that are tested together."""


def significant(
    criteria: Mapping[str, Tested],
    statistic: Callable[[Tested, float], Estimate],
    exceeds: Callable[[Tested, Estimate], bool],
    *,
    sides: int = 1,
) -> dict[str, Estimate]:
    """Return the criteria (or categories) whose statistic significantly exceeds its bound, by Holm's correction.

    Args:
        criteria: The criteria (or categories) that are tested together, by name.
        statistic: Function that estimates the statistic of a criterion, with an interval of a given coverage.
        exceeds: Function that returns True if an estimate, by its value and its limits, exceeds the criterion's bound.
        sides: 1 for one-sided tests, 2 for two-sided tests.

    Returns:
        The estimate with its 95 % interval for each such criterion, by name.
    """
    alpha = (3 - sides) * SIGNIFICANT
    alone = {name: _without_spread(statistic(criterion, 1 - alpha)) for name, criterion in criteria.items()}
    candidates = {name for name, estimate in alone.items() if exceeds(criteria[name], estimate)}
    tested = sum(estimate.low is not None for estimate in alone.values())
    shown: dict[str, Estimate] = {}
    while candidates:
        level = 1 - alpha / (tested - len(shown))
        new = {
            name for name in candidates if exceeds(criteria[name], _without_spread(statistic(criteria[name], level)))
        }
        if not new:
            break
        shown |= {name: statistic(criteria[name], 0.95) for name in criteria if name in new}
        candidates -= new
    return shown


def _without_spread(estimate: Estimate) -> Estimate:
    """Return an estimate with its value as both limits, if its interval was withheld because values don't vary."""
    if estimate.caveat != Caveat("withheld", NO_SPREAD):
        return estimate
    return replace(estimate, low=estimate.value, high=estimate.value, caveat=None)
