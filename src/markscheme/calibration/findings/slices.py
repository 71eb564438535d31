"""Slices of the examples, such as one system's responses, on which the judge may be worse than elsewhere."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import headline
from markscheme.calibration.findings.evidence import SIGNIFICANT, STUCK, Evidence, modal_level
from markscheme.phrases import number, percent, signed
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.gold import Gold
from markscheme.ratings.kinds import KINDS
from markscheme.stats import Estimate
from markscheme.stats.change import holm
from markscheme.stats.coefficients import agreement
from markscheme.stats.intervals import Flags, Floats, Integers, group_numbers
from markscheme.stats.rating_patterns import rating_patterns
from markscheme.stats.severity import error_family, pair_statistic
from markscheme.stats.shares import share
from markscheme.stats.slice_contrast import SliceColumn, SliceLook

FigureName = Literal["agreement", "signed_error", "mae", "other_level"]
_Prepared: TypeAlias = tuple[str | None, FigureName, float, float, SliceColumn]
"""A figure prepared for all slices: its criterion, name, unit, smallest difference that matters, and values."""

SMALLEST_PART = 5
"""Fewest examples of a slice for which it is compared with the rest."""
MOST_PARTS = 50
"""Largest number of slices of one kind, such as systems; with more, each is too small to say which one is broken."""
SHORTEST_SET = 30
"""Fewest examples that are divided into three slices by length."""
LOWER_AGREEMENT = 0.20
"""Smallest difference by which agreement must be lower on a slice to matter, as a share of its examples; a
judgement."""
BIAS_IN_SCORE = 0.10
"""Smallest difference of the bias in score on a slice that matters: the default tolerance."""
BIAS_ON_SCALE = 0.15
"""Smallest difference of bias or error on a criterion that matters, as a share of its range: over half a level on a
scale of five."""


BY_SYSTEM = "system"
BY_LABEL_KIND = "label kind"
BY_LENGTH = "length"
KNOWN_BEFORE: Final = ("group", BY_SYSTEM)
"""Fields of every example that divide examples into slices before grading; keys of the metadata do so as well."""
MOST_VALUES = 12
"""Largest number of distinct values for which a metadata key defines slices: each slice adds a test, which lowers the
power of all others."""


@dataclass(frozen=True)
class ExamplePart:
    """The definition of a slice: examples that share a property, such as their group, system or length.

    Attributes:
        by: Property that divides the examples: group, system, a key of the metadata, kind of label or length.
        name: What the slice's examples have in common, such as the system's name.
        inside: Flags of the slice's examples, shape (n_examples,).
        is_known_before: True if it is known before grading which examples are in it.
    """

    by: str
    name: str
    inside: Flags
    is_known_before: bool = False

    @property
    def called(self) -> str:
        """Name of the slice in a sentence, such as "system b" or "responses of up to 300 characters"."""
        return f"responses of {self.name}" if self.by == BY_LENGTH else f"{self.by} {self.name}"


@dataclass(frozen=True)
class SliceFigure:
    """A figure of the judge, such as its bias, on a slice and on the other examples with the same gold.

    Attributes:
        criterion: Name of the criterion; None for the score.
        name: agreement, signed_error, mae, or other_level (share of examples with another level than gold).
        unit: Factor by which the values in `look` are multiplied, to be in levels or in score.
        least: Smallest difference that matters; below 0 if a smaller figure is worse.
        look: The figure on the slice compared with that on the other examples, over all examples and among those with
            the same gold.
        p: Probability of such a difference if the slice were like the other examples, after Holm's correction.
        measured_in: Words for the unit, "levels" or "of the scale", to print after a value; None for shares and scores.
    """

    criterion: str | None
    name: FigureName
    unit: float
    least: float
    look: SliceLook
    p: float = 1.0
    measured_in: str | None = None

    @property
    def inside(self) -> float:
        """Value of the figure on the slice's examples."""
        return self.look.as_it_is.inside * self.unit

    @property
    def same_gold(self) -> float:
        """Value of the figure on other examples, weighted so that their gold labels are as frequent as in the slice."""
        return self.look.outside_at_same_gold * self.unit

    @property
    def matters(self) -> bool:
        """True if the judge is worse on the slice by enough to matter, even compared with examples of equal gold."""
        return self.look.matters(self.least)

    @property
    def in_words(self) -> str:
        """Clause with the figure on the slice and on other examples with the same gold."""
        inside, elsewhere = (_spelled(self.name, value) for value in (self.inside, self.same_gold))
        on = f"{self.criterion}: " if self.criterion is not None else ""
        unit = f" {self.measured_in}" if self.measured_in is not None else ""
        return f"{on}{_CALLED[self.name]} {inside}{unit}, elsewhere at the same gold {elsewhere}"

    def to_json(self) -> dict[str, Any]:
        """Return the figure as in the JSON of a calibration."""
        return {
            "criterion": self.criterion,
            "name": self.name,
            "inside": self.inside,
            "elsewhere": self.look.as_it_is.outside * self.unit,
            "elsewhere_at_same_gold": self.same_gold,
            "p": self.p,
        }


_CALLED: Mapping[FigureName, str] = {
    "agreement": "agreement",
    "signed_error": "bias",
    "mae": "MAE",
    "other_level": "another level than gold on",
}


def _spelled(name: FigureName, value: float) -> str:
    if name == "signed_error":
        return signed(value)
    return number(max(0.0, value)) if name == "mae" else percent(max(0.0, min(1.0, value)))


@dataclass(frozen=True)
class Slice:
    """The judge's performance on a slice of the examples, compared with its performance on the other examples.

    Attributes:
        part: The definition of the slice.
        p: Probability of so large a difference from the other examples by chance: the smallest over the slice's
            figures, corrected for all figures of all slices.
        comparison: The comparison of all examples, of which the slice is a part.
        figure: The figure by which the slice is worst; None if it is no worse than the other examples.
        criteria: The criteria on which the judge is worse on the slice; empty if only the score is.
    """

    part: ExamplePart
    p: float
    comparison: Comparison = field(repr=False)
    figure: SliceFigure | None = None
    criteria: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of the slice's examples with a score of the judge and of gold."""
        return self.agreement.n

    @cached_property
    def agreement(self) -> Estimate:
        """Share of the slice's examples on which the judge agrees with gold."""
        return share(self.comparison.hits[self.part.inside], self._numbers_inside(self.comparison.table.groups))

    @cached_property
    def signed_error(self) -> Estimate:
        """Bias on the slice: judge minus gold, in score."""
        gold = self.comparison.gold_values[self.part.inside]
        judge = self.comparison.judge_values[self.part.inside]
        return pair_statistic(gold, judge, "signed_error", groups=self._sets, levels=[0.0, 1.0])

    @cached_property
    def rest(self) -> float | None:
        """Agreement on all examples outside the slice; None if none of these has a score."""
        elsewhere = self.comparison.hits[~self.part.inside]
        return float(np.nanmean(elsewhere)) if np.isfinite(elsewhere).any() else None

    @cached_property
    def _sets(self) -> Integers | None:
        """Index of each example's jackknife set (its group, or merged groups); None if the slice is itself a group."""
        return self._numbers_inside(self.comparison.sets)

    def _numbers_inside(self, names: Sequence[str] | Integers | None) -> Integers | None:
        """Return a number for each example of the slice, equal for examples of the same group.

        Args:
            names: Name of each example's group, for all examples; None without groups.

        Returns:
            The numbers; None without groups, or if the slice is itself a group.
        """
        if names is None or self.part.by == "group":
            return None
        return group_numbers(names, len(self.part.inside))[0][self.part.inside]

    @property
    def stands_out(self) -> bool:
        """True if the judge does worse on the slice than outside it, by more than chance and by enough to matter."""
        return self.figure is not None

    @property
    def shift(self) -> float | None:
        """Bias on the slice minus bias on other examples with equal gold.

        None unless bias is the figure by which the slice is worst.
        """
        if self.figure is None or self.figure.name != "signed_error":
            return None
        return self.figure.inside - self.figure.same_gold

    @cached_property
    def by_criterion(self) -> Mapping[str, Mapping[str, Estimate]]:
        """The judge's figures on each criterion within the slice."""
        inside = np.flatnonzero(self.part.inside)
        by_criterion = {}
        for name, criterion in Evidence.of(self.comparison).criteria.items():
            has_both = criterion.both[inside]
            levels = np.column_stack([criterion.gold[inside], criterion.judge[inside]])
            pairs = rating_patterns(np.where(has_both[:, None], levels, np.nan), criterion.levels, groups=self._sets)
            kappas = ("exact_agreement", headline(criterion.scale))
            figures = {name: agreement(pairs, name, levels=criterion.levels) for name in kappas}
            if criterion.scale.ordered:
                row, groups = pairs.in_groups()
                gold, judge = pairs.values[pairs.codes[row]].T
                errors = ("signed_error", "mae")
                figures |= error_family(gold, judge, groups=groups, levels=criterion.levels, names=errors)
            by_criterion[name] = figures
        return by_criterion

    def to_json(self) -> dict[str, Any]:
        """Return the slice as in the JSON of a calibration."""
        return {
            "by": self.part.by,
            "name": self.part.name,
            "n": self.n,
            "agreement": self.agreement.to_json(),
            "signed_error": self.signed_error.to_json(),
            "agreement_rest": self.rest,
            "p": self.p,
            "stands_out": self.stands_out,
            "criteria": list(self.criteria),
            "figure": None if self.figure is None else self.figure.to_json(),
            "by_criterion": {
                name: {figure: estimate.to_json() for figure, estimate in figures.items()}
                for name, figures in self.by_criterion.items()
            },
        }


def parts_of(comparison: Comparison) -> list[ExamplePart]:
    """Return the slices of the examples by group, system, metadata, kind of label and length; small ones are left out.

    A slice by metadata is left out, too, if it has the same examples as an earlier slice.
    """
    examples = comparison.gold.examples
    parts: list[ExamplePart] = []
    for by in (*KNOWN_BEFORE, *_metadata_keys(examples)):
        same = () if by in KNOWN_BEFORE else {example_part.inside.tobytes() for example_part in parts}
        named = _by_name(by, _values_by_example(examples, by))
        parts += [
            replace(example_part, is_known_before=True)
            for example_part in named
            if example_part.inside.tobytes() not in same
        ]
    parts += _by_name(BY_LABEL_KIND, _label_kinds(comparison.gold)) if len(comparison.gold.kinds) > 1 else ()
    if comparison.rubric.is_of_pairs:
        return parts
    return parts + _by_length(np.array(values_of(examples, "response_length")))


def known_of(example: Example, by: str) -> str:
    """Return an example's group, system, or value of a metadata key, which are known before it is graded.

    Args:
        example: The example.
        by: What to return: "group", "system", or a key of the metadata.
    """
    if by in KNOWN_BEFORE:
        return str(getattr(example, by))
    return example.metadata.get(by, "")


def _values_by_example(examples: Sequence[Example], by: str) -> list[str]:
    """Return each example's value of the attribute (such as "system") or metadata key named `by`, as text."""
    if by in KNOWN_BEFORE:
        return list(map(str, values_of(examples, by)))
    return [metadata.get(by, "") for metadata in values_of(examples, "metadata")]


def _metadata_keys(examples: Sequence[Example]) -> list[str]:
    """Return the metadata keys whose values, at least two but not too many, divide the examples into slices.

    The keys are in the order in which they occur.
    """
    values: dict[str, set[str]] = {}
    for metadata in filter(None, values_of(examples, "metadata")):
        for key, value in metadata.items():
            values.setdefault(key, set()).add(value)
    taken = {*KNOWN_BEFORE, BY_LABEL_KIND, BY_LENGTH}
    return [key for key, distinct in values.items() if key not in taken and 1 < len(distinct) <= MOST_VALUES]


def slices_of(comparison: Comparison) -> tuple[Slice, ...]:
    """Compare the judge's performance on every slice with that on other examples, and mark slices where it is worse.

    A slice is marked if a figure is worse than elsewhere both over all examples and among examples with the same gold,
    so that better or worse responses don't look like a fault. Slices are tested in the order of p, the smallest first.
    A slice is marked only if it is still worse after the examples of all slices marked before it are left out.
    """
    evidence = Evidence.of(comparison)
    parts = parts_of(comparison)
    free = [name for name, criterion in evidence.criteria.items() if not criterion.is_stuck]
    looks = _Looks(evidence, free)
    figures = _adjusted(looks.on(parts))
    slices = [
        Slice(example_part, min((figure.p for figure in of_part), default=1.0), comparison)
        for example_part, of_part in zip(parts, figures, strict=True)
    ]
    suspects = []
    for index, of_part in enumerate(figures):
        worse = [which for which, figure in enumerate(of_part) if figure.matters and figure.p <= SIGNIFICANT]
        if worse:
            suspects.append((min(of_part[which].p for which in worse), index, worse))
    taken = np.zeros(len(evidence.ids), dtype=bool)
    for _, index, worse in sorted(suspects):
        on_others = [figures[index][which] for which in _worse_without(looks, parts[index], worse, taken)]
        if on_others:
            names = tuple(dict.fromkeys(figure.criterion for figure in on_others if figure.criterion is not None))
            slices[index] = replace(slices[index], figure=min(on_others, key=lambda figure: figure.p), criteria=names)
            taken |= parts[index].inside
    return tuple(slices)


def _worse_without(looks: "_Looks", example_part: ExamplePart, worse: Sequence[int], taken: Flags) -> list[int]:
    """Return the indices of a slice's figures that stay worse without the examples of slices already found worse.

    Args:
        looks: Comparisons of slices with the other examples.
        example_part: The slice.
        worse: Indices of the figures that are worse on the whole slice.
        taken: Flags of the examples that belong to slices already shown to be worse, shape (n_examples,).
    """
    untaken = ExamplePart(example_part.by, example_part.name, example_part.inside & ~taken)
    if untaken.inside.sum() < SMALLEST_PART:
        return []
    (figures,) = (looks.without(taken) if taken.any() else looks).on([untaken])
    return [which for which in worse if figures[which].matters and figures[which].look.p <= SIGNIFICANT]


class _Looks:
    """Comparisons of slices with other examples, by agreement, size of error and bias, in score and on each criterion.

    A criterion on which the judge is stuck on one level is left out, since being stuck is a finding of its own. If all
    criteria are left out, so is the score.
    """

    def __init__(self, evidence: Evidence, free: Sequence[str]) -> None:
        """Choose the examples and criteria on which slices are compared with the other examples.

        Args:
            evidence: The evidence with the examples.
            free: Names of the criteria on which the judge isn't stuck on one level.
        """
        self._evidence = evidence
        self._free = free

    def without(self, hidden: Flags) -> "_Looks":
        """Return comparisons of the same kind that leave out the examples flagged in `hidden`, shape (n_examples,)."""
        return _Looks(self._evidence.without(hidden), self._free)

    def on(self, parts: Sequence[ExamplePart]) -> list[list[SliceFigure]]:
        """Compare each slice with the examples outside it; return a list of figures for each slice.

        Tests allow for related errors of examples that share a task, unless the slice is itself one task.

        Args:
            parts: The slices.
        """
        of_parts: list[list[SliceFigure]] = [[] for _ in parts]
        for is_group in (True, False):
            chosen = [index for index, part in enumerate(parts) if (part.by == "group") is is_group]
            groups = None if is_group else self._evidence.comparison.sets
            for name, figure, unit, least, column in self._prepared(groups) if chosen else ():
                if figure == "signed_error" and self._evidence.comparison.rubric.is_of_pairs:
                    continue  # which of the two responses is stored first is arbitrary
                measured_in = self._measured_in(name, figure)
                for index in chosen:
                    look = column.look(parts[index].inside, shift=figure == "signed_error")
                    of_parts[index].append(SliceFigure(name, figure, unit, least, look, measured_in=measured_in))
        return of_parts

    def _measured_in(self, name: str | None, figure: FigureName) -> str | None:
        """Return the unit of a bias or MAE on a criterion's levels; None for any other figure.

        The unit is "levels" or, if the values of the criterion's scale are positions from 0 to 1, "of the scale".

        Args:
            name: Name of the criterion; None for a figure on scores or decisions.
            figure: The figure.
        """
        is_of_levels = name is not None and figure in ("signed_error", "mae")
        return self._evidence.criteria[name].scale.unit if name is not None and is_of_levels else None

    def _prepared(self, groups: Sequence[str] | Integers | None) -> Iterator[_Prepared]:
        evidence = self._evidence
        comparison = evidence.comparison
        if self._free and not _one_score(comparison.judge_values):
            gold = np.where(evidence.included, comparison.gold_values, np.nan)
            agreement = SliceColumn.of(comparison.hits, gold, score=True, groups=groups)
            bias = SliceColumn.of(evidence.misses, gold, score=True, groups=groups)
            yield None, "agreement", 1.0, -LOWER_AGREEMENT, agreement
            yield None, "signed_error", 1.0, BIAS_IN_SCORE, bias
        for name in self._free:
            criterion = evidence.criteria[name]
            gold = criterion.gold
            if not criterion.scale.ordered:
                levels = SliceColumn.of(criterion.distances, gold, groups=groups)
                yield name, "other_level", 1.0, LOWER_AGREEMENT, levels
                continue
            span = criterion.scale.span
            errors = criterion.errors / span
            yield name, "signed_error", span, BIAS_ON_SCALE, SliceColumn.of(errors, gold, groups=groups)
            yield name, "mae", span, BIAS_ON_SCALE, SliceColumn.of(np.abs(errors), gold, groups=groups)


def _one_score(scores: Floats) -> bool:
    """Return True if the judge gives nearly all examples the same score."""
    return bool(np.isfinite(scores).any()) and modal_level(scores)[1] >= STUCK


def _adjusted(figures: Sequence[Sequence[SliceFigure]]) -> list[list[SliceFigure]]:
    """Adjust p-values by Holm's method: once over all slices' figures of the score, once over those of criteria.

    Args:
        figures: The figures of each slice.
    """
    adjusted = [list(of_part) for of_part in figures]
    for of_score in (True, False):
        family = [
            (i, j)
            for i, of_part in enumerate(adjusted)
            for j, figure in enumerate(of_part)
            if (figure.criterion is None) is of_score
        ]
        for (i, j), p in zip(family, holm([adjusted[i][j].look.p for i, j in family]).tolist(), strict=True):
            adjusted[i][j] = replace(adjusted[i][j], p=p)
    return adjusted


def _by_name(by: str, names: Sequence[str]) -> Iterator[ExamplePart]:
    counts = Counter(names)
    large = sorted(name for name, n in counts.items() if name and n >= SMALLEST_PART)
    if 0 < len(large) <= MOST_PARTS and len(counts.keys() - {""}) > 1:
        index_of = {name: index for index, name in enumerate(large)}
        code = np.array([index_of.get(name, -1) for name in names])
        yield from (ExamplePart(by, name, code == index) for name, index in index_of.items())


def _by_length(lengths: npt.NDArray[np.int64]) -> list[ExamplePart]:
    if len(lengths) < SHORTEST_SET:
        return []
    low, high = (round(float(edge)) for edge in np.quantile(lengths, [1 / 3, 2 / 3]))
    if not lengths.min() < low < high < lengths.max():
        return []
    names = (f"up to {low} characters", f"{low + 1} to {high} characters", f"over {high} characters")
    third = np.digitize(lengths, [low, high], right=True)
    return [ExamplePart(BY_LENGTH, name, third == index) for index, name in enumerate(names)]


def _label_kinds(gold: Gold) -> list[str]:
    """Return, for each example, the most trusted kind of its labels."""
    kinds = np.full(len(gold.ids), "", dtype=object)
    for kind in reversed(KINDS):
        if kind in gold.kinds:
            kinds[gold.labelled_by(kind)] = kind
    return [str(kind) for kind in kinds]
