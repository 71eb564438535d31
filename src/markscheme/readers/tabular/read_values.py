"""Recognition of what judges' and people's values are: decisions, levels, scores or categories.

The rules are tried in order on all columns of a comparison together, and the first that fits decides. Values that could
mean two things are refused, with the options that say which; so is a judge whose values seem to be reversed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import SideColumn
from markscheme.readers.tabular.decision_values import (
    by_pass_mark,
    by_stated_pass,
    decisions_of,
    each_with_own,
    refuse_mark,
)
from markscheme.readers.tabular.number_values import numbers_of, on_scales, with_mark
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import FEWEST_LEVELS, ReadValues, likely_ends
from markscheme.readers.tabular.values import ValueComparison
from markscheme.readers.tabular.word_values import in_order, passing_from, words_of
from markscheme.readers.tabular.words import folded, is_decision
from markscheme.stats.association import spearman
from markscheme.stats.coefficients import agreement_family
from markscheme.stats.pairs import paired
from markscheme.stats.slice_contrast import p_of_shares


def read_criteria(criteria: Mapping[str, Sequence[SideColumn]], options: ColumnOptions) -> dict[str, ReadValues]:
    """Determine the scale and the meaning of the values on each criterion.

    Args:
        criteria: Columns of judges and people, by criterion.
        options: The user's options on values. An option is used on the criteria whose values it fits, and must fit at
            least one.

    Raises:
        UsageError: An option applies to no criterion, or values may mean several things.
    """
    read = {}
    unused: list[dict[str, UsageError]] = []
    for criterion, columns in criteria.items():
        read[criterion], of_criterion = _read_by_used(columns, criterion, options)
        unused.append(of_criterion)
    for option, error in unused[0].items() if unused else ():
        if all(option in of_criterion for of_criterion in unused):
            raise error
    return read


def _read_by_used(
    columns: Sequence[SideColumn], criterion: str, options: ColumnOptions
) -> tuple[ReadValues, dict[str, UsageError]]:
    """Read the values on a criterion, ignoring options about values that don't occur on it.

    Args:
        columns: The columns with raters' values on the criterion.
        criterion: Name of the criterion.
        options: The user's options.

    Returns:
        The values as read, and the error that each ignored option would raise, by the option.
    """
    unused: dict[str, UsageError] = {}
    while True:
        try:
            return read_values(columns, criterion, options), unused
        except UsageError as error:
            key = error.facts.get("key")
            value = error.facts.get("value")
            if not isinstance(key, str) or (rest := options.without(key, value)) == options:
                raise
            unused[str(error.facts["option"])] = error
            options = rest


def read_values(columns: Sequence[SideColumn], criterion: str, options: ColumnOptions) -> ReadValues:
    """Determine the scale and the meaning of the values that judges and people gave on one criterion.

    Args:
        columns: Columns of judges and people on one criterion.
        criterion: Name of the criterion; "" if the table rates only one thing.
        options: The user's options.

    Raises:
        UsageError: The values may mean several things; the message names the options that say which.
    """
    comparison = ValueComparison.of(columns, criterion, options)
    read = _by_first_rule(comparison)
    refuse_reversed(comparison, read)
    levels = {
        column.name: {
            cell: read.levels[column.name][value]
            for cell, value in comparison.folds[column.name].items()
            if value in read.levels[column.name]
        }
        for column in columns
    }
    missing = {
        column.name: sum(count for cell, count in Counter(column.cells).items() if cell not in levels[column.name])
        for column in columns
    }
    words = {name: _words_of(comparison, read, name) for name in comparison.values}
    return replace(read, levels=levels, missing=missing, raw_words=words)


def _by_first_rule(comparison: ValueComparison) -> ReadValues:
    """Read the values as decisions, levels or numbers on a scale, by the first rule that fits."""
    options = comparison.options
    if options.level_words and options.level_ends is None and not options.scale:
        return passing_from(comparison, in_order(comparison, [folded(word) for word in options.level_words]))
    if options.pass_ and options.level_ends is None:
        return by_stated_pass(comparison)
    words = [name for name in comparison.values if name not in comparison.forms]
    if options.level_ends is not None or (options.scale and not _are_scores_alone_scaled(comparison, words)):
        return with_mark(comparison, on_scales(comparison))
    if all(map(is_decision, comparison.values.values())):
        refuse_mark(comparison)
        return decisions_of(comparison)
    graded = [name for name, form in comparison.forms.items() if not set(form.numbers.values()) <= {0.0, 1.0}]
    two_valued = len(set(comparison.everything)) < FEWEST_LEVELS
    if graded and (words or len(graded) < len(comparison.forms)):
        return by_pass_mark(comparison, words, graded)
    if comparison.forms and not words and not two_valued:
        return with_mark(comparison, numbers_of(comparison))
    if options.pass_mark is not None:
        return by_stated_pass(comparison)
    return words_of(comparison)


def _are_scores_alone_scaled(comparison: ValueComparison, words: Collection[str]) -> bool:
    """Return True if `--scale` is stated for a column of numbers that is next to columns of pass and fail.

    Args:
        words: Names of the columns of words.
    """
    are_decisions = all(is_decision(comparison.values[name]) and comparison.span_of(name) is None for name in words)
    return (
        bool(words)
        and are_decisions
        and any(comparison.span_of(name) for name in comparison.values if name not in words)
    )


def _words_of(comparison: ValueComparison, read: ReadValues, name: str) -> dict[str, float | None]:
    """Map each value of a column, as the column first spells it, to its level; None for a value without a level.

    If one of the values is the one that passes, it comes first.
    """
    cells = reversed([*comparison.folds[name].items()])
    spelled = {value: " ".join(cell.split()) for cell, value in cells if folded(cell) == value}
    values = sorted(comparison.values[name], key=lambda value: value != read.passes.get(name))
    return {spelled.get(value, comparison.spelling[value]): read.levels[name].get(value) for value in values}


def refuse_reversed(comparison: ValueComparison, read: ReadValues) -> None:
    """Refuse a judge that agrees with people less than by chance, if no option says which end of the values is good.

    Raises:
        UsageError: The upper limit of kappa, or for numbers of Spearman's coefficient, is below 0.
    """
    measure: Callable[[Sequence[float], Sequence[float]], float | None]
    if read.kind == "decision":
        measure = _upper_kappa
    elif read.ends is not None and not read.ends_are_stated:
        measure = _upper_spearman
    else:
        return
    for judge in comparison.judges:
        for person in comparison.people:
            both = [judge.name, person.name]
            marked = [name for name in both if name in read.marked and comparison.span_of(name) is None]
            is_stated = [name in read.stated or not comparison.has_no_direction(name) for name in both]
            if read.kind == "decision" and all(is_stated) and not marked:
                continue
            pairs = _both_rated(judge, person, comparison, read)
            upper = measure(*map(list, zip(*pairs, strict=True))) if pairs else None
            if upper is not None and upper < 0:
                ways = _ends_each_way(comparison, marked[0]) if marked else _ways(comparison, both, read.stated)
                facts = {"by_pass": "--pass" in ways[0], "is_marked": bool(marked)}
                raise refusal("reversed", columns=both, values=comparison.counts_of(both), choices=ways, **facts)


def _ways(comparison: ValueComparison, both: Sequence[str], stated: Collection[str]) -> list[tuple[str, ...]]:
    """Return the sets of options that say which end of the values of two columns is the good one.

    Args:
        comparison: The values of the columns.
        both: Names of the two columns.
        stated: Names of the columns whose passing value the user stated already, which is not asked again.
    """
    if any(name not in comparison.forms for name in both) or all(is_decision(comparison.values[n]) for n in both):
        choices = [dict(zip(both, choice, strict=True)) for choice in each_with_own(comparison, both)]
        ways = (tuple(w for name in both if name not in stated for w in choice[name]) for choice in choices)
        return list(dict.fromkeys(ways))
    turned, _ = _ends_each_way(comparison, both[0])
    ends = [likely_ends(comparison.numbers(name).values()) for name in both]
    return [("--levels", ends[0]), (*turned, "--scale", f"{both[1]}={ends[1]}")]


def _ends_each_way(comparison: ValueComparison, name: str) -> list[tuple[str, ...]]:
    """Return two `--scale` options for a column of numbers: with the lowest as the best, and with the highest."""
    ends = likely_ends(comparison.numbers(name).values())
    turned = "-".join(reversed(ends.split("-")))
    return [("--scale", f"{name}={turned}"), ("--scale", f"{name}={ends}")]


def _both_rated(
    judge: SideColumn, person: SideColumn, comparison: ValueComparison, read: ReadValues
) -> list[tuple[float, float]]:
    ours = {cell: read.levels[judge.name][v] for cell, v in comparison.folds[judge.name].items()}
    theirs = {cell: read.levels[person.name][v] for cell, v in comparison.folds[person.name].items()}
    cells = zip(judge.cells, person.cells, strict=True)
    return [(ours[a], theirs[b]) for a, b in cells if a in ours and b in theirs]


CONFIDENCE: Final = 0.95
"""Confidence level of the one-sided limit that must be below 0 for a judge to count as reversed."""


def _upper_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the upper limit of kappa; None if an exact test shows no difference, as with rare values."""
    judge, passes = np.array(first), np.array(second) == 1
    if p_of_shares(judge[passes], judge[~passes]) > 1 - CONFIDENCE:
        return None
    table = list(zip(first, second, strict=True))
    return agreement_family(table, levels=[0.0, 1.0], scale="nominal", level=CONFIDENCE)["cohen_kappa"].high


def _upper_spearman(first: Sequence[float], second: Sequence[float]) -> float | None:

    return spearman(paired(second, first), CONFIDENCE).high
