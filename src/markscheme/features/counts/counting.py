"""Count the ratings of a comparison in memory, to write them as a counts file."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.measure import OF_DECISION, OF_SCORE
from markscheme.calibration.findings.slices import known_of
from markscheme.features.counts.count_query import COUNTS_FORMAT
from markscheme.features.counts.counted_repairs import changes_counted
from markscheme.features.counts.counts_file import (
    AGREEMENT_RATE,
    ANNOTATORS_DECIDE_PART,
    ANNOTATORS_PART,
    DECISION_PART,
    EARLIER_RATE,
    EXAMPLES_PART,
    GIVEN_PART,
    GROUPS_PART,
    SCORE_PART,
)
from markscheme.features.counts.slice_values import OTHER_VALUES, SLICE_PREFIX, VALUE_COLUMN, VALUES_COUNTED
from markscheme.ratings.table import Column
from markscheme.rubrics.rubric import Criterion
from markscheme.stats.agreement_figures import AnnotatorShares, annotator_shares
from markscheme.stats.group_sets import set_numbers
from markscheme.stats.intervals import Floats

FILE_DECIMALS = 9
"""Decimals of scores and shares in a counts file."""


def counts_of(
    comparison: Comparison, fields: Sequence[str] = (), earlier: tuple[str, Comparison] | None = None
) -> list[dict[str, Any]]:
    """Count the examples with each distinct combination of gold's and the judge's ratings, as rows of a counts file.

    Args:
        comparison: The judge compared with gold.
        fields: Fields of the examples, such as "system": examples are also counted for each value of such a field.
        earlier: The name of an earlier judge's column, and that judge's comparison with gold on these examples, in the
            same order.
    """
    of_scores = comparison.by(OF_SCORE)
    slices = (row for field in fields for row in _by_value(of_scores, field))
    of_earlier = {} if earlier is None else {earlier[0]: earlier[1].by(OF_SCORE)}
    return [*_rows(of_scores, of_earlier), *slices]


def _by_value(comparison: Comparison, field: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a counts file that count examples by gold's and the judge's score, by value of a field.

    Rarer values of the field are counted together; examples without a value aren't counted.
    """
    values = np.array([known_of(example, field) for example in comparison.gold.examples], dtype=np.str_)
    times = Counter(value for value in values.tolist() if value)
    common = sorted(times, key=lambda value: (-times[value], value))[:VALUES_COUNTED]
    sets = _sets(comparison.table.groups)
    for value, chosen in (*((v, values == v) for v in common), (OTHER_VALUES, ~np.isin(values, ["", *common]))):
        sets_chosen = None if sets is None else np.asarray(sets)[chosen].tolist()
        columns = [comparison.reference.scores[chosen], comparison.judge.scores[chosen]]
        for row in _part_rows(f"{SLICE_PREFIX}{field}", sets_chosen, columns):
            yield {**row, VALUE_COLUMN: value}


def _rows(comparison: Comparison, earlier: Mapping[str, Comparison]) -> Iterator[dict[str, Any]]:
    table = comparison.table
    rubric = comparison.rubric
    gold = comparison.reference
    judge = comparison.judge
    annotators = table.annotators
    sets = _sets(table.groups)

    def judged(part: str, *columns: Floats, of: Callable[[Column], Floats]) -> Iterator[dict[str, Any]]:
        """Yield the rows of one part of the counts file, such as the part that counts scores.

        A row counts the examples on which all raters have certain values. The raters are gold, the judge, single
        annotators, and the earlier judges.

        Args:
            part: Name of the part.
            columns: Values of single annotators, a column for each.
            of: Function that takes a rater's column, and returns the rater's values to count, such as scores.
        """
        then = {name: of(of_earlier.judge) for name, of_earlier in earlier.items()}
        return _part_rows(part, sets, [of(gold), of(judge), *columns], then)

    yield from _metadata(comparison)
    if rubric.has_score:
        yield from judged(SCORE_PART, of=lambda column: column.scores)
        yield from _scores_given(comparison)
        yield from _shares(ANNOTATORS_PART, sets, _annotator_shares(comparison))
        yield from _rates(AGREEMENT_RATE, table.groups, comparison.hits == 1, ~np.isnan(comparison.hits))
        for of_earlier in earlier.values():
            yield from _rates(EARLIER_RATE, table.groups, of_earlier.hits == 1, ~np.isnan(of_earlier.hits))
    if rubric.decides:
        decisions = gold.decisions, judge.decisions
        yield from judged(DECISION_PART, of=lambda column: column.decisions)
        yield from _shares(ANNOTATORS_DECIDE_PART, sets, _annotator_shares(comparison.by(OF_DECISION)))
        is_decided = ~np.isnan(decisions[0] + decisions[1])
        for name, side in (("stops", 0.0), ("keeps", 1.0)):
            yield from _rates(f"rate:{name}", table.groups, decisions[1] == side, is_decided & (decisions[0] == side))
    for part, columns in changes_counted(comparison):
        yield from _part_rows(part, None, columns)
    for criterion in rubric.criteria:
        levels = partial(_levels, criterion)
        yield from judged(criterion.name, *map(levels, annotators), of=levels)


def _levels(criterion: Criterion, column: Column) -> Floats:
    return column.levels[criterion.name]


def _metadata(comparison: Comparison) -> Iterator[dict[str, Any]]:
    table = comparison.table
    yield {"part": f"format:{COUNTS_FORMAT}", "n": 1}
    yield {"part": f"rubric:{comparison.rubric.fingerprint}", "n": 1}
    yield {"part": EXAMPLES_PART, "n": len(table.ids)}
    if table.groups is not None:
        yield {"part": GROUPS_PART, "n": len(set(table.groups))}


def _sets(groups: Sequence[str] | None) -> Sequence[int] | None:
    """Return the index, from 0, of each example's jackknife set (a group, or several merged); None without groups."""
    if groups is None:
        return None
    distinct, index = np.unique(np.asarray(groups, dtype=np.str_), return_inverse=True)
    numbers: list[int] = set_numbers(index.reshape(-1) + 1, len(distinct)).tolist()
    return numbers


def _part_rows(
    part: str, sets: Sequence[int] | None, columns: Sequence[Floats], named: Mapping[str, Floats] = MappingProxyType({})
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one part of a counts file: each distinct combination of values with its number of examples.

    Args:
        part: Name of the part.
        sets: Number that names the jackknife set of each example; None if there are no sets.
        columns: Values of gold, the judge and each annotator, in this order, by example.
        named: Values of further columns by example, such as an earlier judge's, by the column's name.
    """
    cells = [
        [None if value != value else round(value, FILE_DECIMALS) for value in column.tolist()]
        for column in (*columns, *named.values())
    ]
    names = ["gold", "judge", *(f"p{number}" for number in range(1, len(columns) - 1)), *named]
    rows = zip(sets if sets is not None else [None] * len(cells[0]), *cells, strict=True)
    for (set_no, *values), n in Counter(rows).items():
        yield {"part": part, "set_no": set_no, **dict(zip(names, values, strict=True)), "n": n}


def _scores_given(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield a row of the counts file for each distinct score by the judge or by annotators.

    If annotators have no scores, gold's scores are taken in place of theirs.
    """
    people = [column.scores for column in comparison.table.annotators]
    labels = people if any(np.isfinite(column).any() for column in people) else [comparison.reference.scores]
    scores = np.concatenate([comparison.judge.scores, *labels])
    for score in np.unique(scores[np.isfinite(scores)]).tolist():
        yield {"part": GIVEN_PART, "gold": round(score, FILE_DECIMALS), "n": 1}


def _annotator_shares(comparison: Comparison) -> AnnotatorShares | None:
    """Return shares of annotators who agree with each other, the judge and a constant; None without annotators."""
    people = [comparison.measure.values(column) for column in comparison.table.annotators]
    if not people:
        return None
    values = np.column_stack(people)
    constants: npt.ArrayLike | None = comparison.measure.constants
    if constants is None:
        labels = values if np.isfinite(values).any() else comparison.gold_values
        constants = np.concatenate([comparison.judge_values, labels.reshape(-1)])
    return annotator_shares(comparison.judge_values, values, constants, tolerance=comparison.tolerance)


def _shares(part: str, sets: Sequence[int] | None, shares: AnnotatorShares | None) -> Iterator[dict[str, Any]]:
    if shares is None:
        return
    is_rated = ~np.isnan(shares.by_pairs)
    sets_rated = None if sets is None else np.asarray(sets)[is_rated].tolist()
    columns = (shares.by_pairs[is_rated], shares.by_judge[is_rated], shares.by_constant[is_rated])
    yield from _part_rows(part, sets_rated, columns)


def _rates(name: str, groups: Sequence[str] | None, hits: Any, counted: Any) -> Iterator[dict[str, Any]]:
    """Count groups by two numbers: of a group's examples, how many count, and on how many of these the judge is right.

    Yield a row of the counts file for each pair of these numbers that occurs, with the number of groups that have it.

    Args:
        name: Name of the part of the counts file.
        groups: Name of each example's group; None if each example is a group of its own.
        hits: Flags of the examples on which the judge is right.
        counted: Flags of the examples that count; all other examples are left out of both numbers.
    """
    number = np.arange(len(hits)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    sizes = np.bincount(number.reshape(-1)[counted])
    hit = np.bincount(number.reshape(-1)[counted & hits], minlength=len(sizes))
    kinds = Counter(zip(hit[sizes > 0].tolist(), sizes[sizes > 0].tolist(), strict=True))
    for (of_group, size), n in kinds.items():
        yield {"part": name, "gold": of_group, "judge": size, "n": n}
