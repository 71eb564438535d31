"""Warnings about labels: criteria without one, raters who never differ or are named as the judge, and equal rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from markscheme.calibration.findings.commands import ANNOTATOR
from markscheme.features.doubts import words
from markscheme.grading.score import ROUNDING
from markscheme.readers.tabular.words import ID_NAMES, JUDGE_WORDS, PEOPLE_WORDS, name_words
from markscheme.stats.distinct import numbered_values

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.ratings.table import Column
    from markscheme.readers.tabular.reading import TableReading
    from markscheme.rubrics.rubric import Criterion
    from markscheme.stats.intervals import Flags, Floats

ENOUGH_ALIKE: Final = 75
"""Fewest examples on which raters who never differ are named; of independent pairs that agree on 97%, one in ten is."""
LEAST_VARIED: Final = 5
"""Fewest examples with another answer than the commonest one: raters who give one answer to all agree by that."""
MANY_REPEATED: Final = 0.1
"""Share of a table's rows from which on rows that repeat an earlier row's text are counted on the screen."""
LEAST_LETTERS: Final = 20
"""Fewest letters of a response that is unlikely to be given twice independently; short ones, such as a name, may be."""


def doubts_about_labels(calibration: "Calibration") -> Iterator[str]:
    """Yield a line on each set of criteria that people left out, and a warning about each reason to doubt the labels.

    Warnings of annotators who never differ, or who have the judge's name, are given only if the judge is usable.
    """
    yield from _without_a_level(calibration)
    yield from _failed_by_others(calibration.comparison)
    if calibration.rater.rated_table is not None:
        yield from _repeated(calibration.rater.rated_table[0])
    if not calibration.decision.is_usable:
        return
    comparison = calibration.comparison
    names = list(dict.fromkeys(header.rater for header in comparison.gold.people.headers if header.kind == "human"))
    annotators = [column for column in comparison.table.annotators if column.name in names]
    yield from _never_apart(annotators, comparison.judge)
    yield from (words.named_as_judge(name) for name in names if name == calibration.rater.name)


def _without_a_level(calibration: "Calibration") -> Iterator[str]:
    """Yield a line for each set of examples on which people left out the same criteria.

    Only examples that have neither a score nor a decision by people count.
    """
    gold = calibration.comparison.gold
    if not gold.has_people or calibration.carried is not None or calibration.rater.rated_table is not None:
        return
    split = set(gold.even_splits)
    left_out: dict[tuple[str, ...], list[str]] = {}
    for name, levels in gold.levels.items():
        nothing = (levels != levels) & (gold.scores != gold.scores) & (gold.decisions != gold.decisions)
        missing = nothing & ~gold.skipped[name] if name in gold.skipped else nothing
        ids = [gold.ids[index] for index in np.flatnonzero(missing).tolist()]
        if ids := [unit for unit in ids if (unit, name) not in split]:
            left_out.setdefault(tuple(ids), []).append(name)
    command = calibration.commands.label(ANNOTATOR)
    yield from (words.without_a_level(names, ids, gold.n, command) for ids, names in left_out.items())


def _failed_by_others(comparison: "Comparison") -> Iterator[str]:
    """Yield a warning if the judge passes every criterion of some false fails, so that something else fails them."""
    units = set(comparison.false_fails)
    failed = units.intersection(comparison.judge.used.where(lambda rating: rating.passed is False).ids) if units else ()
    if not failed:
        return
    passes = [_passes(criterion, comparison.judge.levels[criterion.name]) for criterion in comparison.rubric.criteria]
    by_rubric = np.all(passes, axis=0) & ~(comparison.scores < comparison.rubric.pass_mark - ROUNDING)
    passing = sum(unit in failed for unit, is_pass in zip(comparison.gold.ids, by_rubric, strict=True) if is_pass)
    if passing:
        yield words.failed_by_others(passing, len(units))


def _passes(criterion: "Criterion", levels: "Floats") -> "Flags":
    """Return flags of the examples whose level of a criterion passes; False for an example without a level."""
    distinct, index = numbered_values(levels)
    passes = [level == level and criterion.passes(criterion.scale.position(level)) for level in distinct.tolist()]
    return np.array(passes, dtype=np.bool_)[index]


def _never_apart(annotators: "Sequence[Column]", judge: "Column") -> Iterator[str]:
    """Yield warnings about annotators who never differ from each other, or never from the judge.

    Args:
        annotators: A column of each annotator.
        judge: The judge's column.
    """
    for first, second in combinations(annotators, 2):
        alike = _examples_alike(first, second)
        if alike:
            yield words.annotators_alike(first.name, second.name, alike)
    like_judge = {column.name: alike for column in annotators if (alike := _examples_alike(column, judge))}
    if like_judge:
        yield words.judge_alike(list(like_judge), min(like_judge.values()))


def _examples_alike(first: "Column", second: "Column") -> int:
    """Return the number of examples that both raters rated, if all their answers on these examples are equal; else 0.

    It is also 0 if there are too few such examples, or if nearly all examples have one answer, so that equal answers
    are no surprise.

    Args:
        first: The ratings of the first rater.
        second: The ratings of the second rater.
    """
    both = first.rated & second.rated
    answers, others = ([levels[both] for levels in _answers(column)] for column in (first, second))
    examples = int(both.sum())
    if examples < ENOUGH_ALIKE or any(_differ(ours, theirs) for ours, theirs in zip(answers, others, strict=True)):
        return 0
    ((_, commonest),) = Counter(zip(*(map(str, levels.tolist()) for levels in answers), strict=True)).most_common(1)
    return examples if examples - commonest >= LEAST_VARIED else 0


def _answers(column: "Column") -> "list[Floats]":
    return [column.decisions, *column.levels.values()]


def _differ(ours: "Floats", theirs: "Floats") -> bool:
    """Return True if two raters' answers differ on any example; two missing ones are equal."""
    return not bool(((ours == theirs) | ((ours != ours) & (theirs != theirs))).all())


def _repeated(reading: "TableReading") -> Iterator[str]:
    """Yield a warning if many rows of a table have the same task id (or other id of a group), query or response.

    At most one warning is yielded, about the first of the three that repeats. None is yielded if a column says which
    group each row is in.
    """
    single = reading.roles.single
    if "group" in single:
        return
    cells = {column.name: column.cells for column in reading.columns}
    texts = [
        (role, single[role], letters) for role, letters in (("query", 1), ("response", LEAST_LETTERS)) if role in single
    ]
    for role, name, least_letters in [*(("id", name, 1) for name in _ids_of_groups(reading)), *texts]:
        filled = [text for text in cells[name] if len(text.strip()) >= least_letters]
        n_repeated = len(filled) - len(set(filled))
        if n_repeated > MANY_REPEATED * len(reading.ids):
            yield words.rows_repeat(role, name, n_repeated, len(reading.ids))
            return


def _ids_of_groups(reading: "TableReading") -> Iterator[str]:
    """Yield the names of columns that may hold ids of groups, such as `task_id`.

    They are named as ids and have several values, and hold neither the ids of the table's rows nor those of raters.
    """
    for column in reading.columns:
        name = name_words(column.name)
        is_id = name[-1:] != () and name[-1] in ID_NAMES and column.name != reading.roles.single.get("id")
        if is_id and JUDGE_WORDS.isdisjoint(name) and PEOPLE_WORDS.isdisjoint(name) and len(set(column.cells)) > 1:
            yield column.name
