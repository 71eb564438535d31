"""The share of a graded set that annotators would pass, estimated from a judge's verdicts and labelled examples."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal, TypeAlias

import numpy as np

from markscheme.ratings.example_rows import Example, ExampleRows, values_of
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.ratings.table import RatingTable, groups_of
from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.group_rates import GroupDifference, group_difference, group_rate
from markscheme.stats.intervals import Integers, withhold
from markscheme.stats.prevalence import corrected_pass_rate, rogan_gladen, weighted_pass_rate
from markscheme.stats.shares import grouped_share, share

DrawnHow: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]

_METHOD = "by verdict, own labels"
MOST_GROUPS = 6
"""Largest number of groups of which all pairs are compared; if there are more, each is compared with the first."""


@dataclass(frozen=True, slots=True)
class GroupPassRate:
    """The pass rate of a group in a graded set, such as a system's responses, raw and corrected.

    Attributes:
        raw: Share that the judge passes.
        corrected: Share that annotators would pass, from labels of this group's responses only; without a value, and
            with a note, if these labels are too few.
        own_labels: Number of labels of this group's responses.
        needed: Number of additional labels needed to show the rate; None if it is shown, or if no number would be
            enough.
    """

    raw: Estimate
    corrected: Estimate
    own_labels: int
    needed: int | None = None


@dataclass(frozen=True)
class PassRates:
    """The pass rate of the responses that a judge graded, raw and corrected for the judge's errors.

    Attributes:
        raw: Share that the judge passes.
        corrected: Share that annotators would pass.
        how: How the labels were drawn, which decides the correction.
        labels: Number of labels used.
        labels_here: Number of these labels that are of responses in the graded set.
        not_graded: Number of responses without a verdict; they count in no rate.
        groups: The pass rate of each group, by name; empty if there are fewer than two groups.
        differences: For pairs of groups, the first group's corrected rate minus the second's.
        other_verdicts: Number of labelled responses whose only verdict in the graded set differs from the one stored
            with the label.
        shared_ids: Number of labels whose id occurs in several groups; they count for no group.
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


def pass_rates(graded: RatingTable, labelled: RatingTable, *, how: DrawnHow | None = None) -> PassRates:
    """Estimate the raw and the corrected pass rate of a graded set, as a whole and of each system.

    Args:
        graded: A table with a row for each graded response and the judge's column. Each row's example states the system
            that wrote the response, and, as its group, the test that the response answers.
        labelled: A table of the examples that both annotators and the judge decided, with gold's and the judge's
            column.
        how: How the labels were drawn; None to infer it from the labels, and from whether they are of responses in the
            graded set.
    """
    pool = decided_rows(graded)
    labelled_here = labelled.rows(np.isin(labelled.ids, pool.ids))
    # labels of these that aren't graded correct no rate, nor do those of others next to a draw with known chances
    if set(labelled.ids) <= set(graded.ids) or (how is None and _how(pool, labelled_here) == "by-stratum"):
        labelled = labelled_here
    how = how or _how(pool, labelled)
    as_here = _as_here(pool, labelled)
    groups = _groups(pool, labelled)
    here = set(graded.ids) & set(labelled.ids)
    return PassRates(
        raw=raw_rate(pool),
        corrected=_corrected(pool, labelled if how == "elsewhere" else as_here, how),
        how=how,
        labels=len(labelled.ids),
        labels_here=len(here),
        not_graded=len(graded.ids) - len(pool.ids),
        groups={name: _group_pass_rate(*group, how) for name, group in groups.items()},
        differences={(a, b): _difference(groups[a], groups[b], how) for a, b in compared_pairs(list(groups))},
        other_verdicts=int(np.count_nonzero(as_here[JUDGE].decisions != labelled[JUDGE].decisions)),
        shared_ids=len(here & _in_several_groups(pool)) if groups else 0,
    )


def _as_here(pool: RatingTable, labelled: RatingTable) -> RatingTable:
    """Replace the verdict stored with each label by the judge's new verdict on the response, if it has exactly one.

    The shares of passes and fails are those of the new verdicts. A label stored with another verdict, of an earlier run
    or another judge, would correct them for errors that this judge doesn't make.

    Args:
        pool: The graded responses with the judge's new verdicts.
        labelled: The labelled examples with their stored verdicts.
    """
    times = Counter(pool.ids)
    here = {unit: decision for unit, decision in zip(pool.ids, pool[JUDGE].decisions, strict=True) if times[unit] == 1}
    then = zip(labelled.ids, labelled[JUDGE].decisions, strict=True)
    decisions = np.array([here.get(unit, decision) for unit, decision in then], dtype=np.float64)
    return labelled.with_columns(replace(labelled[JUDGE], decisions=decisions))


def decided_rows(table: RatingTable) -> RatingTable:
    """Select the rows that the judge decided."""
    return table.rows(~np.isnan(table[JUDGE].decisions))


def _passes(table: RatingTable, name: str = JUDGE) -> list[bool]:
    """Return, for each row, True if a rater passes it; the rater must have decided all rows."""
    return [decision == 1 for decision in table[name].decisions.tolist()]


def _examples(table: RatingTable) -> Sequence[Example]:
    """Return the example of each row of a table; examples that have only an id if the table holds none."""
    return table.examples or ExampleRows.without_texts(table.ids)


def _of_each(table: RatingTable, name: str) -> Sequence[Any]:
    """Return a named attribute of each row's example."""
    return values_of(_examples(table), name)


def _how(pool: RatingTable, labelled: RatingTable) -> DrawnHow:
    """Infer how the labelled examples were drawn: at random, by verdict, by stratum, or from another set.

    Args:
        pool: The responses that the judge graded.
        labelled: The examples with labels.
    """
    ways = set(_of_each(labelled, "drawn"))
    strata = _of_each(labelled, "stratum")
    if strata and all(strata) and set(strata) <= set(_of_each(pool, "stratum")):
        return "by-stratum"
    if any(weight != 1 for weight in _of_each(labelled, "weight")):
        return "by-stratum"
    if ways == {"random"}:
        return "random"
    are_of_pool = ways == {None} and set(labelled.ids) <= set(pool.ids)
    return "by-verdict" if ways == {"by-verdict"} or are_of_pool else "elsewhere"


def raw_rate(pool: RatingTable) -> Estimate:
    """Estimate the share of passes among the judge's decisions, with the responses to one test case as a group.

    Args:
        pool: The responses that the judge graded, with its decisions.
    """
    if not pool.ids:
        return Estimate.without_value("nothing here is graded", n=0, method="share of passes")
    tests = groups_of(_of_each(pool, "id"), _of_each(pool, "group"))
    return share(_passes(pool), tests, method="share of passes")


def _corrected(pool: RatingTable, labelled: RatingTable, how: DrawnHow) -> Estimate:
    if not pool.ids:
        return Estimate.without_value("nothing here is graded", n=len(labelled.ids), method=how)
    match how:
        case "random":
            unlabelled = pool.rows(np.isin(pool.ids, labelled.ids, invert=True))
            return corrected_pass_rate(_table(labelled), _verdicts(unlabelled), drawn="random")
        case "by-verdict":
            return corrected_pass_rate(_table(labelled), _verdicts(pool), drawn="by-verdict")
        case "elsewhere":
            return rogan_gladen(_table(labelled), _verdicts(pool), design_effects=_design_effects(labelled))
        case "by-stratum":
            return _by_stratum(pool, labelled)


def _design_effects(labelled: RatingTable) -> Sequence[float]:
    """Return two design effects, of the shares of annotators' fails and of their passes that the judge decides rightly.

    A design effect says by what factor the variance of a share grows because the rows of one test case are related. It
    is 1 if no two rows are of the same test case.

    Args:
        labelled: The labelled examples.
    """
    groups = np.array(_tests(labelled))
    gold, judge = (labelled[name].decisions for name in (GOLD, JUDGE))
    return [grouped_share((judge == side)[gold == side], groups[gold == side]).design_effect for side in (0, 1)]


def _by_stratum(pool: RatingTable, labelled: RatingTable) -> Estimate:
    """Estimate the pass rate from labels drawn by stratum; without named strata, by the judge's verdict."""
    named = all(_of_each(pool, "stratum"))
    cells = _cells(pool, by_name=named)
    names = sorted(set(cells))
    index_of = {name: index for index, name in enumerate(names)}
    inside = zip(_cells(labelled, by_name=named), _passes(labelled, GOLD), _of_each(labelled, "weight"), strict=True)
    used = [(index_of[cell], passed, weight) for cell, passed, weight in inside if cell in index_of]
    counts = Counter(cells)
    return weighted_pass_rate(
        [float(passed) for _, passed, _ in used],
        [count for count, _, _ in used],
        [weight for _, _, weight in used],
        [counts[name] for name in names],
        names=names,
    )


def _cells(table: RatingTable, *, by_name: bool) -> list[str]:
    """Return each row's stratum: by name, or by the judge's verdict.

    Args:
        table: The table.
        by_name: True for the stratum that the row's example was drawn from; False for the judge's passes or the judge's
            fails.
    """
    if by_name:
        return list(_of_each(table, "stratum"))
    return ["judge's passes" if passed else "judge's fails" for passed in _passes(table)]


def _table(labelled: RatingTable) -> Integers:
    """Count labelled examples by decision, shape (2, 2): rows are annotators' fail and pass, columns the judge's."""
    counts = Counter(zip(_passes(labelled, GOLD), _passes(labelled), strict=True))
    return np.array([[counts[gold, judge] for judge in (False, True)] for gold in (False, True)], dtype=np.int64)


def _verdicts(pool: RatingTable) -> Integers:
    """Count the judge's fails and passes, in this order, shape (2,)."""
    passes = sum(_passes(pool))
    return np.array([len(pool.ids) - passes, passes], dtype=np.int64)


# --- groups ---------------------------------------------------------------------------------------------------------


_Group: TypeAlias = tuple[RatingTable, RatingTable]
"""The graded responses of one group, and its labelled responses with gold and the verdicts of the graded set."""


def _why_withheld(labelled: RatingTable, how: DrawnHow) -> Reason | None:
    """Return why the corrected pass rate of one group of responses isn't reported; None if it is reported.

    Args:
        labelled: The group's labelled examples.
        how: How these examples were drawn.
    """
    if how == "elsewhere":
        return Reason("group-without-own-labels")
    passes = _passes(labelled)
    chances = {
        (passed, label.stratum, None if label.drawn == "by-verdict" else label.weight)
        for passed, label in zip(passes, _examples(labelled), strict=True)
    }
    if how == "by-stratum" and len(chances) > len(set(passes)):
        return Reason("unequal-chances-in-group")
    return None


def _group_pass_rate(pool: RatingTable, labelled: RatingTable, how: DrawnHow) -> GroupPassRate:
    """Estimate the raw and the corrected pass rate of one group of the graded responses.

    Args:
        pool: The group's graded responses.
        labelled: Its labelled examples.
        how: How these examples were drawn.
    """
    why = _why_withheld(labelled, how)
    raw = raw_rate(pool)
    if why is not None:
        return GroupPassRate(raw, _withheld(why, len(labelled.ids)), len(labelled.ids))
    of_group = group_rate(_table(labelled), _verdicts(pool))
    return GroupPassRate(raw, _with_reason(of_group.rate), of_group.own_labels, of_group.needed)


def _with_reason(estimate: Estimate) -> Estimate:
    """Add to an estimate without a value the reason for that as a caveat; return any other estimate unchanged."""
    return estimate if estimate.undefined is None else withhold(estimate, estimate.undefined)


def _withheld(why: Reason, n: int) -> Estimate:
    return _with_reason(Estimate.without_value(why, n=n, method=_METHOD))


def _groups(pool: RatingTable, labelled: RatingTable) -> dict[str, _Group]:
    """Map the name of each system to its graded responses and their labels; empty if all are by one system.

    Args:
        pool: The responses that the judge graded.
        labelled: The examples with labels.
    """
    systems = np.array(_of_each(pool, "system"))
    names = list(dict.fromkeys(systems.tolist()))
    if len(names) < 2:
        return {}
    shared = _in_several_groups(pool)
    by_name = {name: pool.rows(systems == name) for name in names}
    return {name: (of_group, _own_labels(of_group, labelled, shared)) for name, of_group in by_name.items()}


def _own_labels(pool: RatingTable, labelled: RatingTable, shared: Collection[str]) -> RatingTable:
    """Return the labels of a group's own responses, those of no other group, with the judge's decisions from `pool`.

    Args:
        pool: The group's graded responses.
        labelled: The labelled responses of all groups.
        shared: Ids of responses that several groups share.
    """
    verdict_here = dict(zip(pool.ids, pool[JUDGE].decisions.tolist(), strict=True))
    index_of = {unit: index for index, unit in enumerate(labelled.ids) if unit not in shared}
    units = [unit for unit in verdict_here if unit in index_of]
    labels = labelled.rows(np.array([index_of[unit] for unit in units], dtype=np.int64))
    judge = replace(labels[JUDGE], decisions=np.array([verdict_here[unit] for unit in units], dtype=np.float64))
    return labels.with_columns(judge)


def _in_several_groups(pool: RatingTable) -> set[str]:
    """Return the example ids that responses of several systems share.

    Args:
        pool: The responses that the judge graded.
    """
    systems = Counter(unit for unit, _ in {*zip(_of_each(pool, "id"), _of_each(pool, "system"), strict=True)})
    return {unit for unit, n in systems.items() if n > 1}


def compared_pairs(names: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Return the pairs of groups to compare: of up to six groups, every pair; of more, the first with every other."""
    return combinations(names, 2) if len(names) <= MOST_GROUPS else product(names[:1], names[1:])


def _difference(first: _Group, second: _Group, how: DrawnHow) -> GroupDifference:
    """Estimate the first group's corrected pass rate minus the second's.

    Args:
        first: The first group: its graded responses, and its labels.
        second: The second group: its graded responses, and its labels.
        how: How the labelled responses were drawn.
    """
    first_pool, first_labels = first
    second_pool, second_labels = second
    why = _why_withheld(first_labels, how) or _why_withheld(second_labels, how)
    common = _common(first_pool, second_pool)
    if why is not None:
        withheld = _withheld(why, len(first_labels.ids) + len(second_labels.ids))
        return GroupDifference(withheld, 0.0, int(common.sum()), None)
    between = group_difference(
        _table(first_labels), _verdicts(first_pool), _table(second_labels), _verdicts(second_pool), common=common
    )
    return replace(between, difference=_with_reason(between.difference))


def _common(first: RatingTable, second: RatingTable) -> Integers:
    """Count the judge's decisions on the test cases that have a graded response in both of two groups, shape (2, 2).

    Rows are fails and passes of the first group by the judge, columns are fails and passes of the second.
    """
    by_test: dict[str, list[bool]] = {}
    for test, passed in zip(_tests(second), _passes(second), strict=True):
        by_test.setdefault(test, []).append(passed)
    joint = np.zeros((2, 2), dtype=np.int64)
    for test, passed in zip(_tests(first), _passes(first), strict=True):
        if by_test.get(test):
            joint[int(passed), int(by_test[test].pop(0))] += 1
    return joint


def _tests(table: RatingTable) -> list[str]:
    """Return the test case of each row: the group of its example or, without a group, the example's id."""
    return [group or unit for group, unit in zip(_of_each(table, "group"), _of_each(table, "id"), strict=True)]
