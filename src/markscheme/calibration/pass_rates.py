"""Share of a graded set that annotators would pass, from a judge's verdicts and labels that show its errors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal, TypeAlias

import numpy as np

from markscheme.stats.estimate import Estimate
from markscheme.stats.group_rates import GroupDifference, group_difference, group_rate
from markscheme.stats.intervals import Integers, wilson_share, withhold
from markscheme.stats.prevalence import corrected_pass_rate, rogan_gladen, weighted_pass_rate

DrawnHow: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]

ASSUMED: Mapping[DrawnHow, str] = {
    "random": "the labels are a random part of what is graded here",
    "by-verdict": "the labels are a random part of the judge's passes here, and of its fails",
    "by-stratum": "within each stratum the labels were drawn with known chances",
    "elsewhere": (
        "the labels are of other responses, on which the judge is assumed to make errors as often as here; labels of "
        "these responses would say more"
    ),
}
_ANOTHER = "none of the labelled responses is graded here; they are assumed to be another sample, drawn at random from"
_OTHERWISE = "where prompt, model or inputs differ, use --drawn elsewhere"
ASSUMED_OF_OTHERS: Mapping[DrawnHow, str] = {
    "random": f"{_ANOTHER} where these came from; {_OTHERWISE}",
    "by-verdict": f"{_ANOTHER} the judge's passes and its fails where these came from; {_OTHERWISE}",
    "by-stratum": f"{_ANOTHER} strata like these, with known chances; {_OTHERWISE}",
}
"""Assumption about labels of other responses, by how they were drawn."""
NEEDS_OWN = "groups need labels of their own responses"
UNEQUAL = "the labels were drawn with unequal chances among this group's passes or fails"
METHOD = "by verdict, own labels"
MOST_GROUPS = 6
"""Up to this many groups all pairs are compared; with more, each with the first."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A response and the judge's verdict on it.

    Attributes:
        id: The id that the labels use.
        passed: The verdict; None where it is not graded.
        group: What produced it: prompt, provider; "" where unknown.
        unit: Key shared with the same test's responses of other groups.
        stratum: The part of the pool it belongs to; "" where unknown.
    """

    id: str
    passed: bool | None
    group: str = ""
    unit: str = ""
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A response that annotators and the judge decided on.

    Attributes:
        id: The response's.
        gold: Whether annotators pass it.
        judge: Whether the judge does.
        drawn: How it was chosen for labelling: random, by-verdict, chosen; None where unknown.
        weight: Inverse of the probability with which it was drawn; 1 where unknown.
        stratum: The part of the pool it was drawn from; "" where unknown.
    """

    id: str
    gold: bool
    judge: bool
    drawn: str | None = None
    weight: float = 1.0
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class GroupPassRate:
    """The pass rate of one group.

    Attributes:
        raw: From the judge alone.
        corrected: Share that annotators would pass, from labels of this group's responses only; without a value, and
            with a note, where they are too few.
        own_labels: Number of these labels.
        needed: More labels needed to show the rate; None where it is shown or no number would do.
    """

    raw: Estimate
    corrected: Estimate
    own_labels: int
    needed: int | None = None


@dataclass(frozen=True)
class PassRates:
    """The pass rate of a graded set.

    Attributes:
        raw: From the judge alone.
        corrected: Share that annotators would pass.
        how: How the labels were drawn, which decides the correction.
        labels: Number of labels used.
        labels_here: Number of them that are of responses graded here.
        not_graded: Responses without a verdict; they count in no rate.
        groups: By name; empty where there is one group or none.
        differences: First group's corrected rate minus the second's.
        other_verdicts: Labelled responses on which the judge here decides differently than when they were labelled.
        shared_ids: Labels whose id several groups use; they count for no group.
    """

    raw: Estimate
    corrected: Estimate
    how: DrawnHow
    labels: int
    labels_here: int
    not_graded: int
    groups: Mapping[str, GroupPassRate]
    differences: Mapping[tuple[str, str], GroupDifference]
    other_verdicts: int
    shared_ids: int = 0

    @property
    def assumed(self) -> str:
        """What the correction assumes about the labels, in a sentence."""
        return ASSUMED[self.how] if self.labels_here else ASSUMED_OF_OTHERS.get(self.how, ASSUMED[self.how])


def pass_rates(judged: Sequence[Judged], labelled: Sequence[Labelled], *, how: DrawnHow | None = None) -> PassRates:
    """The pass rate of a graded set, raw and corrected, for all of it and by group.

    Args:
        judged: Everything that was graded.
        labelled: The examples that both annotators and the judge decided.
        how: How the labels were drawn; None infers it from the labels, and from whether they are of responses here.
    """
    graded = [one for one in judged if one.passed is not None]
    how = how or _how(graded, labelled)
    verdict = {one.id: one.passed for one in graded}
    groups = _groups(graded, labelled)
    here = {one.id for one in judged} & {label.id for label in labelled}
    return PassRates(
        raw=raw_rate(graded),
        corrected=_corrected(graded, labelled, how),
        how=how,
        labels=len(labelled),
        labels_here=len(here),
        not_graded=len(judged) - len(graded),
        groups={name: group.rate(how) for name, group in groups.items()},
        differences={(a, b): _difference(groups[a], groups[b], how) for a, b in compared_pairs(list(groups))},
        other_verdicts=sum(label.id in verdict and verdict[label.id] != label.judge for label in labelled),
        shared_ids=len(here & _in_several_groups(graded)) if groups else 0,
    )


def _how(graded: Sequence[Judged], labelled: Sequence[Labelled]) -> DrawnHow:
    """How the labels were drawn, from the labels; by verdict where they don't say and are of these responses."""
    said = {label.drawn for label in labelled}
    strata = {one.stratum for one in graded}
    if labelled and all(label.stratum for label in labelled) and {label.stratum for label in labelled} <= strata:
        return "by-stratum"
    if labelled and any(label.weight != 1 for label in labelled):
        return "by-stratum"
    if said == {"random"}:
        return "random"
    if said == {"by-verdict"}:
        return "by-verdict"
    here = {one.id for one in graded}
    return "by-verdict" if labelled and said == {None} and all(label.id in here for label in labelled) else "elsewhere"


def raw_rate(graded: Sequence[Judged]) -> Estimate:
    """The share that the judge passes of what it graded."""
    passes = sum(one.passed is True for one in graded)
    if not graded:
        return Estimate.without_value("nothing here is graded", n=0, method="share of passes")
    return wilson_share(passes, len(graded), method="share of passes")


def _corrected(graded: Sequence[Judged], labelled: Sequence[Labelled], how: DrawnHow) -> Estimate:
    if not graded:
        return Estimate.without_value("nothing here is graded", n=len(labelled), method=how)
    match how:
        case "random":
            known = {label.id for label in labelled}
            rest = [one for one in graded if one.id not in known]
            return corrected_pass_rate(_table(labelled), _verdicts(rest), drawn="random")
        case "by-verdict":
            return corrected_pass_rate(_table(labelled), _verdicts(graded), drawn="by-verdict")
        case "elsewhere":
            return rogan_gladen(_table(labelled), _verdicts(graded))
        case "by-stratum":
            return _by_stratum(graded, labelled)


def _by_stratum(graded: Sequence[Judged], labelled: Sequence[Labelled]) -> Estimate:
    """The rate by strata that both sides name; where responses name none, by verdict with weighted labels."""
    named = all(one.stratum for one in graded)
    cells = [one.stratum if named else _verdict(one.passed) for one in graded]
    names = sorted(set(cells))
    place = {name: number for number, name in enumerate(names)}
    inside = [(place.get(label.stratum if named else _verdict(label.judge)), label) for label in labelled]
    used = [(number, label) for number, label in inside if number is not None]
    counts = Counter(cells)
    return weighted_pass_rate(
        [float(label.gold) for _, label in used],
        [number for number, _ in used],
        [label.weight for _, label in used],
        [counts[name] for name in names],
        names=names,
    )


def _verdict(passed: bool | None) -> str:
    return "judge's passes" if passed else "judge's fails"


def _table(labelled: Iterable[Labelled]) -> Integers:
    return _counted((label.gold, label.judge) for label in labelled)


def _counted(decisions: Iterable[tuple[bool, bool]]) -> Integers:
    """Counts of decisions, shape (2, 2): rows annotators' fail and pass, columns the judge's."""
    counts = Counter(decisions)
    return np.array([[counts[gold, judge] for judge in (False, True)] for gold in (False, True)], dtype=np.int64)


def _verdicts(graded: Iterable[Judged]) -> Integers:
    counts = Counter(one.passed for one in graded)
    return np.array([counts[False], counts[True]], dtype=np.int64)


# --- groups ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Group:
    """The responses of one group and their own labels, with the verdicts they have here.

    Attributes:
        rows: Everything graded in it.
        own: Each of its labelled responses with its label.
    """

    rows: Sequence[Judged]
    own: Sequence[tuple[Judged, Labelled]]

    @property
    def pool(self) -> Integers:
        """The judge's fails and passes, shape (2,)."""
        return _verdicts(self.rows)

    @property
    def table(self) -> Integers:
        """Counts of the labelled responses, shape (2, 2): rows annotators' fail and pass, columns the judge's."""
        return _counted((label.gold, bool(one.passed)) for one, label in self.own)

    def withheld(self, how: DrawnHow) -> str:
        """Why no rate can be shown, however many labels there are; "" where it can."""
        if how == "elsewhere":
            return NEEDS_OWN
        drawn = {
            (one.passed, label.stratum, None if label.drawn == "by-verdict" else label.weight)
            for one, label in self.own
        }
        return UNEQUAL if how == "by-stratum" and len(drawn) > len({passed for passed, *_ in drawn}) else ""

    def rate(self, how: DrawnHow) -> GroupPassRate:
        """The pass rate of the group."""
        why, raw = self.withheld(how), raw_rate(self.rows)
        if why:
            return GroupPassRate(raw, _withheld(why, len(self.own)), len(self.own))
        found = group_rate(self.table, self.pool)
        return GroupPassRate(raw, _noted(found.rate), found.own, found.needed)


def _noted(estimate: Estimate) -> Estimate:
    """The estimate, with a note on why it has no value where it has none."""
    return estimate if estimate.undefined is None else withhold(estimate, estimate.undefined)


def _withheld(why: str, n: int) -> Estimate:
    return _noted(Estimate.without_value(why, n=n, method=METHOD))


def _groups(graded: Sequence[Judged], labelled: Sequence[Labelled]) -> dict[str, _Group]:
    """The groups by name, each with its own labels; empty where there is only one."""
    rows: dict[str, list[Judged]] = {}
    for one in graded:
        rows.setdefault(one.group, []).append(one)
    if len(rows) < 2:
        return {}
    shared = _in_several_groups(graded)
    label_of = {label.id: label for label in labelled if label.id not in shared}
    once = {name: {one.id: one for one in own}.values() for name, own in rows.items()}
    return {
        name: _Group(own, [(one, label_of[one.id]) for one in once[name] if one.id in label_of])
        for name, own in rows.items()
    }


def _in_several_groups(graded: Iterable[Judged]) -> set[str]:
    """Ids that responses of more than one group have."""
    groups = Counter(unit for unit, _ in {(one.id, one.group) for one in graded})
    return {unit for unit, n in groups.items() if n > 1}


def compared_pairs(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Which groups are compared: all pairs where there are few groups, else each with the first."""
    return combinations(names, 2) if len(names) <= MOST_GROUPS else product(names[:1], names[1:])


def _difference(first: _Group, second: _Group, how: DrawnHow) -> GroupDifference:
    """First group's rate minus the second's: the difference of the two rates that are shown."""
    why = first.withheld(how) or second.withheld(how)
    common = _common(first.rows, second.rows)
    if why:
        return GroupDifference(_withheld(why, len(first.own) + len(second.own)), 0.0, int(common.sum()), None)
    found = group_difference(first.table, first.pool, second.table, second.pool, common=common)
    return replace(found, difference=_noted(found.difference))


def _common(first: Sequence[Judged], second: Sequence[Judged]) -> Integers:
    """Number of tests that both were graded on by verdict, shape (2, 2): rows the first group's fail and pass."""
    others: dict[str, list[bool]] = {}
    for one in second:
        others.setdefault(one.unit, []).append(one.passed is True)
    joint = np.zeros((2, 2), dtype=np.int64)
    for one in first:
        if others.get(one.unit):
            joint[int(one.passed is True), int(others[one.unit].pop(0))] += 1
    return joint
