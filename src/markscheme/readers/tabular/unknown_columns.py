"""Columns whose names do not say whose ratings they hold: which may, by their values, and refusals that ask."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import permutations
from typing import Any, Final

from markscheme.numerals import number_in
from markscheme.ratings.column_options import SCALE_SIDES
from markscheme.readers.tabular.cells import begun_with, number_in_any_form
from markscheme.readers.tabular.columns import ColumnRole, SideColumn, TableColumn, looks_like_text
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import MOST_WORDS
from markscheme.readers.tabular.words import (
    AGGREGATES,
    RATER_COLUMNS,
    SUM_WORDS,
    VALUE_WORDS,
    decision_of,
    folded,
    is_model_name,
    name_words,
)


def says_who_rated(column: TableColumn, columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole]) -> bool:
    """Return True if a column such as "reviewer" holds names, and another column the labels that a judge's meet."""
    words = name_words(column.name)
    if roles[column.name] != "human" or len(words) > 1 or words[0] not in RATER_COLUMNS or not column.is_text:
        return False
    judges = [judge for judge in columns if roles[judge.name] == "judge"]
    labels = [label for label in columns if roles[label.name] == "other" and _may_rate(label)]
    meet_a_judge = [any(_meet(rated, judge) for judge in judges) for rated in (column, *labels)]
    return not meet_a_judge[0] and any(meet_a_judge)


def refuse_models_beside(
    people: Sequence[SideColumn], columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole]
) -> None:
    """Refuse people's columns without a judge's if columns named after a model rate the same criteria.

    Args:
        people: The columns with people's ratings.
        columns: All columns of the table.
        roles: What each column holds, by name; "other" if that isn't known.
    """
    rated = {person.key: person.column.name for person in people if person.key}
    unknown = [column.name for column in columns if roles[column.name] == "other" and is_model_name(column.name)]
    models = {name: rated[key] for name in unknown if (key := _key_beside_model(name)) in rated}
    if models:
        names = list(rated.values())
        pairs = [("--judge", model, "--human", person) for model, person in models.items()]
        patterns = [pattern for of in _grid([*models, *names], [column.name for column in columns]) for pattern in of]
        of_models = [
            ("--judge", p) for p in patterns if [n for n in (*models, *names) if fnmatchcase(n, p)] == [*models]
        ]
        raise refusal("which-columns", columns=list(models), choices=[*of_models, *pairs], people=tuple(names))


def _key_beside_model(name: str) -> str:
    """Return the criterion in a column's name: its words without those of a model, such as "gpt4", and of values."""
    return " ".join(word for word in name_words(name) if not is_model_name(word) and word not in VALUE_WORDS)


def refuse_one_side(
    columns: Sequence[TableColumn],
    roles: Mapping[str, ColumnRole],
    judges: Sequence[SideColumn],
    people: Sequence[SideColumn],
    *,
    suffices: bool,
) -> None:
    """Raise an error if a table lacks a judge's column or a person's, unless several people have columns.

    The error names the columns that may hold the missing ratings.

    Args:
        columns: The columns of the table.
        roles: What each column holds, such as "response", by name; "other" if that isn't known.
        judges: The columns with a judge's ratings.
        people: The columns with people's ratings.
        suffices: True if ratings by a judge or a person alone are enough. Then a table is refused only if other columns
            may hold ratings too, if no column is known to, or if the only column of ratings has a name like "rater"
            and holds words, which may be names of raters.
    """
    if len(people) > 1:
        return
    names = _without_sums(meeting(columns, roles, (*judges, *people)))
    if names and (judges or people or len(names) > 1):
        raise refusal(
            "which-columns",
            columns=names,
            choices=_sides_of(names, judges, people, columns),
            judges=tuple(judge.column.name for judge in judges),
            people=tuple(person.column.name for person in people),
        )
    rated = [side.column.name for side in (*judges, *people)]
    others = [column.name for column in columns if column.name not in rated and not column.is_empty]
    alike = [
        c.name for c in columns for side in people if c is not side.column and _may_rate(c) and _meet(c, side.column)
    ]
    says_who = bool(people) and people[0].column.is_text and name_words(rated[0])[0] in RATER_COLUMNS and not alike
    if suffices and rated and not says_who:
        return
    if people:
        code, option = ("rater-alone", "--id") if says_who else ("one-rater", "--judge")
        raise refusal(code, columns=rated, choices=[(option, name) for name in alike or ["COLUMN"]], others=others)
    has_responses = "response" in roles.values()
    if judges:
        facts: dict[str, Any] = {"others": others, "has_responses": has_responses}
        facts["empty"] = [column.name for column in columns if column.is_empty]
        in_other_file = [] if has_responses else [("LABELS",)]
        raise refusal("no-labels", columns=rated, choices=[("--human", "COLUMN"), *in_other_file], **facts)
    choices = [] if "rubric" in roles else [("--judge", "COLUMN", "--human", "COLUMN")]
    if has_responses:
        decided = [c.name for c in columns if roles[c.name] == "other" and _holds_decisions(c)]
        raise refusal("nothing-rated", columns=[c.name for c in columns], choices=choices, decided=decided)
    apart = [c.name for c in columns if roles[c.name] == "other" and (_may_rate(c) or _is_named_after_values(c))]
    if len(apart) == len(SCALE_SIDES):
        choices = [("--judge", judge, "--human", human) for judge, human in permutations(apart)]
    raise refusal("which-columns", columns=apart or [column.name for column in columns], choices=choices)


def meeting(columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole], sides: Sequence[SideColumn]) -> list[str]:
    """Return the columns without a known role whose values suggest that they hold ratings.

    Such a column has few values, or numbers such as "4/5", and shares a value with a column of ratings or with another
    such column; or it has numbers, is named after a model, and stands next to such columns.

    Args:
        columns: All columns of the table.
        roles: The role of each column, by name; "other" if it isn't known.
        sides: The columns of ratings.
    """
    unknown = [column for column in columns if roles[column.name] == "other"]
    of_models = [column.name for column in unknown if is_model_name(column.name) and not column.is_text]
    candidates = [column for column in unknown if _may_rate(column)]
    rated = [side.column for side in sides]
    alike = [
        column.name
        for column in candidates
        if any(_meet(column, rival) for rival in [*rated, *candidates] if rival is not column)
    ]
    return [column.name for column in unknown if column.name in alike or (alike and column.name in of_models)]


def _without_sums(names: Sequence[str]) -> list[str]:
    """Remove names such as "mean", "sum" or "majority" from columns' names, if at least two others remain."""
    plain = [name for name in names if not set(name_words(name)) & (AGGREGATES | SUM_WORDS)]
    return plain if len(plain) > 1 else list(names)


def _may_rate(column: TableColumn) -> bool:
    """Return True if a column may hold ratings: few values that recur, or numbers such as "80%" or "4/5"."""
    values = [value for value in map(folded, column.different) if value]
    different = set(map(_meaning, values))
    filled = sum(bool(cell) for cell in column.cells)
    has_few = 1 < len(different) <= min(MOST_WORDS, max(2, filled / 2))
    signed = sum(number_in_any_form(v) is not None and number_in(v.replace(",", ".", 1)) is None for v in values)
    return has_few or (len(different) > 1 and signed >= MOST_SIGNED * len(values))


MOST_SIGNED: Final = 0.8
"""Smallest share of values with a sign such as `%` in a column that may hold ratings; its other values may mean that
nothing was rated."""


def _holds_decisions(column: TableColumn) -> bool:
    """Return True if a column has a word for pass, a word for fail, and nothing else, such as True and False."""
    return {_meaning(value) for value in map(folded, column.different) if value} == {True, False}


def _is_named_after_values(column: TableColumn) -> bool:
    return bool(set(name_words(column.name)) & VALUE_WORDS) and not looks_like_text(column)


def _meet(first: TableColumn, second: TableColumn) -> bool:
    ours, theirs = ({_meaning(folded(cell)) for cell in column.different} for column in (first, second))
    return not ours.isdisjoint(theirs)


def _meaning(value: str) -> str | bool | float:
    """Convert a value to a form that compares across columns: a bool for pass or fail, a float, else a text."""
    decision = decision_of(value)
    if decision is not None:
        return decision
    read = number_in_any_form(value)
    read = begun_with(value) if read is None else read
    return value if read is None else read


def _sides_of(
    names: Sequence[str],
    judges: Sequence[SideColumn],
    people: Sequence[SideColumn],
    columns: Sequence[TableColumn],
) -> list[tuple[str, ...]]:
    """List the sets of options among which the user can choose to state whose ratings the columns hold.

    Args:
        names: Names of the columns that may hold ratings.
        judges: The columns known to be a judge's.
        people: The columns known to be people's.
        columns: All columns of the table.
    """
    grid = _grid(names, [column.name for column in columns])
    if grid and not people:
        return [_of_raters(patterns, has_judge=bool(judges)) for patterns in grid]
    if len(names) > MOST_SPELLED_OUT and not judges and not people:
        return [("--judge", "COLUMN", "--human", "COLUMN")]
    names = names if len(names) <= MOST_SPELLED_OUT else ["COLUMN"]
    if judges:
        together = [tuple(word for name in names for word in ("--human", name))] if len(names) > 1 else []
        return [*together, *(("--human", name) for name in names)]
    models = [name for name in names if is_model_name(name)]
    if people:
        human = people[0].column.name
        together = [tuple(word for name in models for word in ("--judge", name))] if len(models) > 1 else []
        sides = (("--judge",), ("--human", human, "--human"))  # several models are no people
        return together + [(*side, name) for name in names for side in sides[: 1 if together and name in models else 2]]
    of_models = models[:1]
    may_judge = of_models or (names if len(names) <= FEW_RATERS else ["COLUMN"])
    both = [
        ("--judge", judge, *(word for name in names if name not in (judge, *of_models) for word in ("--human", name)))
        for judge in may_judge
    ]
    return [*both, tuple(word for name in names for word in ("--human", name))]


MOST_SPELLED_OUT: Final = 12
"""Largest number of columns that a refusal's commands name."""
FEW_RATERS: Final = 3
"""Largest number of columns for which a refusal proposes each as the judge's, if no name tells."""


def _of_raters(names: Sequence[str], *, has_judge: bool) -> tuple[str, ...]:
    """Return options that make each column an annotator's, except one that is named like a model: the judge's.

    Args:
        names: Names of the columns, or patterns for them such as `tone_*`.
        has_judge: True if a judge's column is known already, so that all of these are annotators'.
    """
    model = None if has_judge else next((name for name in names if is_model_name(name)), None)
    return tuple(word for name in names for word in ("--judge" if name == model else "--human", name))


def _grid(names: Sequence[str], every: Sequence[str]) -> list[list[str]]:
    """Return patterns that match columns named by criterion and rater: by ending, as `*_ann`, then by beginning.

    The list is empty if no columns are named so.

    Args:
        names: Names of columns that may hold ratings.
        every: Names of all columns. A list of patterns is left out if one of its patterns also matches a column
            that isn't made of criterion and rater.

    >>> _grid(["tone_ann", "tone_ben", "facts_ann", "facts_ben"], [])
    [['*_ann', '*_ben'], ['tone_*', 'facts_*']]
    """
    cuts = [(name[: mark.start()], name[mark.start() :]) for name in names for mark in _BETWEEN_WORDS.finditer(name)]
    by_end: dict[str, set[str]] = {}
    for start, end in cuts:
        by_end.setdefault(end, set()).add(start)
    grids = []
    for starts in by_end.values():
        ends = [end for end, others in by_end.items() if starts <= others]
        if min(len(starts), len(ends)) > 1:
            ordered = [start for start in dict.fromkeys(start for start, _ in cuts) if start in starts]
            grids.append((ordered, ends))
    if not grids:
        return []
    ordered, ends = max(grids, key=lambda grid: len(grid[0]) * len(grid[1]))
    cells = {start + end for start in ordered for end in ends}
    separators = {end[0] for end in ends}
    by_start = [f"{start}{separator}*" for start in ordered for separator in separators]
    patterns = [[f"*{end}" for end in ends], by_start]
    return [of for of in patterns if all(name in cells for name in every for p in of if fnmatchcase(name, p))]


_BETWEEN_WORDS: Final = re.compile(r"(?<=[^\W_])[\s_.:|/-]+(?=[^\W_])")
