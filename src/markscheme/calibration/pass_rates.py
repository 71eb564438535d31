"""What people would pass of a graded set, from a judge's verdicts and the labels that tell where it errs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import wilson_share
from markscheme.stats.prevalence import corrected_difference, corrected_pass_rate, rogan_gladen, weighted_pass_rate

Integers: TypeAlias = npt.NDArray[np.int64]
How: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]

WORDS: Mapping[How, str] = {
    "random": "the labels are a random part of what is graded here",
    "by-verdict": "the labels are a random part of the judge's passes here, and of its fails",
    "by-stratum": "within each stratum the labels were drawn with known chances",
    "elsewhere": (
        "the labels are of other responses, on which the judge is taken to err as it does here; labels of these "
        "responses would say more"
    ),
}
OF_OTHERS: Mapping[How, str] = {
    "random": (
        "none of the labelled responses is graded here: they are another sample, taken for a random draw from where "
        "these came from; where prompt, model or inputs differ, say --drawn elsewhere"
    ),
    "by-verdict": (
        "none of the labelled responses is graded here: they are another sample, taken for a random part of the "
        "judge's passes where these came from, and of its fails; where prompt, model or inputs differ, say --drawn "
        "elsewhere"
    ),
    "by-stratum": (
        "none of the labelled responses is graded here: they are another sample, taken for a draw with known chances "
        "from strata like these; where prompt, model or inputs differ, say --drawn elsewhere"
    ),
}
"""What is assumed where labels that were drawn so are of other responses."""
OWN = 5
"""Labels of each verdict with which a group is corrected by its own labels."""
MOST_GROUPS = 6
"""Groups up to which every two are compared; with more, each with the first."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A response and the judge's verdict on it.

    Attributes:
        id: As the labels name it.
        passed: The verdict; None where it is not graded.
        group: Who made it: prompt, provider; "" where nobody says.
        unit: What it has in common with the same test's responses of other groups.
        stratum: The part of the pool it belongs to; "" where nobody says.
    """

    id: str
    passed: bool | None
    group: str = ""
    unit: str = ""
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A response that people and the judge decided on.

    Attributes:
        id: The response's.
        gold: Whether people pass it.
        judge: Whether the judge does.
        drawn: How it came to be labelled: random, by-verdict, chosen; None where nobody says.
        weight: One over the chance with which it was drawn; 1 where nobody says.
        stratum: The part of the pool it was drawn from; "" where nobody says.
    """

    id: str
    gold: bool
    judge: bool
    drawn: str | None = None
    weight: float = 1.0
    stratum: str = ""


@dataclass(frozen=True)
class GroupRate:
    """The pass rate of one group.

    Attributes:
        raw: By the judge alone.
        corrected: What people would pass.
        own_labels: How many labels of this group it rests on; 0 where those of all groups serve, the judge being
            taken to err alike on each.
    """

    raw: Estimate
    corrected: Estimate
    own_labels: int


@dataclass(frozen=True)
class PassRates:
    """The pass rate of a graded set.

    Attributes:
        raw: By the judge alone.
        corrected: What people would pass.
        how: How the labels were drawn, which decides the correction.
        labels: How many labels it rests on.
        labels_here: How many of them are of responses that are graded here.
        not_graded: Responses without a verdict; they count in no rate.
        groups: By name; empty where there is one group or none.
        differences: First group minus second of the corrected rates, on the units that both have.
        other_verdicts: Labelled responses on which the judge here decides otherwise than when they were labelled.
    """

    raw: Estimate
    corrected: Estimate
    how: How
    labels: int
    labels_here: int
    not_graded: int
    groups: Mapping[str, GroupRate]
    differences: Mapping[tuple[str, str], Estimate]
    other_verdicts: int

    @property
    def assumed(self) -> str:
        """What the correction takes for granted of the labels, in a sentence."""
        return WORDS[self.how] if self.labels_here else OF_OTHERS.get(self.how, WORDS[self.how])


def pass_rates(judged: Sequence[Judged], labelled: Sequence[Labelled], *, how: How | None = None) -> PassRates:
    """The pass rate of a graded set, raw and corrected, for all of it and by group.

    Args:
        judged: Everything that was graded.
        labelled: What people and the judge both decided on.
        how: How the labels were drawn; None goes by what they say, and by whether they are of what is graded here.
    """
    graded = [one for one in judged if one.passed is not None]
    how = how or _how(graded, labelled)
    verdict = {one.id: one.passed for one in graded}
    by_group: dict[str, list[Judged]] = {}
    for one in graded:
        by_group.setdefault(one.group, []).append(one)
    several = len(by_group) > 1
    return PassRates(
        raw=raw_rate(graded),
        corrected=_corrected(graded, labelled, how),
        how=how,
        labels=len(labelled),
        labels_here=len({one.id for one in judged} & {label.id for label in labelled}),
        not_graded=len(judged) - len(graded),
        groups={name: _group(rows, labelled, how) for name, rows in by_group.items()} if several else {},
        differences=_differences(by_group, labelled, how) if several else {},
        other_verdicts=sum(label.id in verdict and verdict[label.id] != label.judge for label in labelled),
    )


def _how(graded: Sequence[Judged], labelled: Sequence[Labelled]) -> How:
    """By what the labels say; where they say nothing, labels of these responses count within each verdict."""
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


def _corrected(graded: Sequence[Judged], labelled: Sequence[Labelled], how: How) -> Estimate:
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
    """By the strata that both sides name; where the graded responses name none, by verdict, each label weighed."""
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
    """Rows people's fail and pass, columns the judge's."""
    counts = Counter((label.gold, label.judge) for label in labelled)
    return np.array([[counts[gold, judge] for judge in (False, True)] for gold in (False, True)], dtype=np.int64)


def _verdicts(graded: Iterable[Judged]) -> Integers:
    counts = Counter(one.passed for one in graded)
    return np.array([counts[False], counts[True]], dtype=np.int64)


# --- groups ---------------------------------------------------------------------------------------------------------


def _group(rows: Sequence[Judged], labelled: Sequence[Labelled], how: How) -> GroupRate:
    own = _own(rows, labelled)
    if own:
        return GroupRate(raw_rate(rows), _corrected(rows, own, how), len(own))
    # All labels serve: a random part of everything is a random part of this group within each verdict only.
    return GroupRate(raw_rate(rows), _corrected(rows, labelled, "by-verdict" if how == "random" else how), 0)


def _own(rows: Sequence[Judged], labelled: Sequence[Labelled]) -> list[Labelled]:
    """The labels of a group, if there are enough of each verdict to correct it by them alone."""
    ids = {one.id for one in rows}
    own = [label for label in labelled if label.id in ids]
    counts = Counter(label.judge for label in own)
    return own if min(counts[False], counts[True]) >= OWN else []


def _differences(
    by_group: Mapping[str, Sequence[Judged]], labelled: Sequence[Labelled], how: How
) -> dict[tuple[str, str], Estimate]:
    return {(a, b): _difference(by_group[a], by_group[b], labelled, how) for a, b in compared_pairs(list(by_group))}


def compared_pairs(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Which two groups are compared: every two where they are few, else each with the first."""
    return combinations(names, 2) if len(names) <= MOST_GROUPS else product(names[:1], names[1:])


def _difference(first: Sequence[Judged], second: Sequence[Judged], labelled: Sequence[Labelled], how: How) -> Estimate:
    """First minus second on the units of both; each by its own labels if both have enough, else by all labels."""
    if how in ("elsewhere", "by-stratum"):
        why = "a difference takes labels of these responses, drawn at random or by verdict"
        return Estimate.without_value(why, n=0, method="by strata, paired")
    joint = np.zeros((2, 2), dtype=np.int64)
    others: dict[str, list[bool | None]] = {}
    for one in second:
        others.setdefault(one.unit, []).append(one.passed)
    for one in first:
        if others.get(one.unit):
            joint[int(one.passed is True), int(others[one.unit].pop(0) is True)] += 1
    if not joint.sum():
        return Estimate.without_value("the two share no test", n=0, method="by strata, paired")
    own, own_other = _own(first, labelled), _own(second, labelled)
    if own and own_other:
        return corrected_difference(joint, _table(own).T, _table(own_other).T)
    return corrected_difference(joint, _table(labelled).T)
