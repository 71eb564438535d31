"""Conversion of tables with one row per rating to tables with one column per rater."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import (
    SideColumn,
    TableColumn,
    is_judges,
    is_named_by,
    looks_like_text,
    refuse_unknown,
    role_of,
    singles,
)
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.roles import Roles, side_column
from markscheme.readers.tabular.unknown_columns import meeting
from markscheme.readers.tabular.words import (
    CRITERION_COLUMNS,
    ID_NAMES,
    JUDGE_WORDS,
    OF_A_RATER,
    PEOPLE_WORDS,
    RATER_COLUMNS,
    VALUE_WORDS,
    decision_of,
    folded,
    is_model_name,
    name_words,
)

_KINDS_OF_JUDGES = frozenset(["model", "judge", "llm", "llm judge", "ai", "machine", "code"])
_TIMES = frozenset(["at", "time", "timestamp", "date", "createdat", "created"])


@dataclass(frozen=True)
class _Layout:
    """What each column of a table with one row per rating holds: example, rater, criterion, value and so on."""

    unit: TableColumn
    rater: TableColumn
    criterion: TableColumn | None
    kind: TableColumn | None
    run: TableColumn | None
    time: TableColumn | None
    values: tuple[TableColumn, ...]
    judged: tuple[TableColumn, ...]


def wide(columns: Sequence[TableColumn], options: ColumnOptions) -> tuple[tuple[TableColumn, ...], Roles] | None:
    """Convert a table with one row per rating to one with a column per rater; None for any other table.

    Raises:
        UsageError: One rater rated an example twice, it isn't known which raters are judges, or an option names a
            column that the table lacks, or a judge's column that rates no criterion of the annotators'.
    """
    layout = _layout(columns, options)
    if layout is None:
        _refuse_raters_without_examples(columns, options)
        return None
    refuse_unknown(columns, replace(options, judge=(), human=()))  # these may name raters
    units = dict.fromkeys(layout.unit.cells)
    cells_of: dict[tuple[str, str], dict[str, str]] = {}
    order: dict[tuple[str, str, str], str] = {}
    twice: dict[str, int] = {}
    keys = layout.criterion.cells if layout.criterion else [""] * len(layout.unit.cells)
    ratings = _ratings(layout, options)
    for index, (unit, row_rater, key) in enumerate(zip(layout.unit.cells, layout.rater.cells, keys, strict=True)):
        for column, criterion, judge in ratings:
            cell = column.cells[index]
            if not cell:
                continue
            name, rater = key or criterion, judge or row_rater
            cells = cells_of.setdefault((name, rater), {})
            moment = layout.time.cells[index] if layout.time else ""
            if unit in cells and folded(cells[unit]) != folded(cell):
                if layout.run is None and layout.time is None:
                    twice[unit] = twice.get(unit, 1) + 1
                if moment <= order[name, rater, unit]:
                    continue
            cells[unit] = cell
            order[name, rater, unit] = moment
    if twice or "" in layout.rater.cells:
        which = [layout.rater.name] if "" in layout.rater.cells and not twice else [layout.unit.name]
        raise refusal("rated-twice", columns=which, values=twice, choices=[("--map", "COLUMN=run")])
    judged = dict.fromkeys(judge for _, _, judge in ratings if judge)
    raters = list(dict.fromkeys(rater for _, rater in cells_of if rater not in judged))
    rest = _constant(columns, layout)
    judges = [*_judges(raters, layout, options), *judged]
    criteria: dict[str, list[SideColumn]] = {}
    for (name, rater), cells in sorted(cells_of.items(), key=lambda rated: rated[0][1] in judged):
        column = TableColumn(rater, tuple(cells.get(unit, "") for unit in units))
        criteria.setdefault(name, []).append(SideColumn(column, rater in judges, tuple(name.split()), rater))
    of_rest = {column.name: role_of(column, rest) for column in rest}
    single = singles(rest, of_rest, options) | {"id": layout.unit.name}
    both = {name: tuple(listed) for name, listed in criteria.items() if _may_compare(listed, judges)}
    used = {column.name for column, _, _ in ratings} | set(single.values())
    idle = [c.name for c in layout.judged if c.name not in used]
    if idle and options.judge:
        names = [column.name for column in layout.values]
        raise refusal("which-columns", columns=names, choices=[("--human", n) for n in names], judges=tuple(idle))
    aside = (*(name for name in criteria if name not in both), *idle)
    others = tuple(c.name for c in rest if c.name not in (*used, *idle))
    sides = [side for listed in both.values() for side in listed]
    may_rate = () if judges or options.human else tuple(meeting(rest, of_rest, sides))
    return (TableColumn(layout.unit.name, tuple(units)), *rest), Roles(both, single, aside, {}, others, may_rate)


def _ratings(layout: _Layout, options: ColumnOptions) -> list[tuple[TableColumn, str, str]]:
    """List each column of ratings with its criterion, and with its judge's name ("" for annotators' columns).

    The criterion is "" if one column has all of the annotators' ratings. Else a judge's column has the criterion of the
    annotators' column with the same name, apart from words such as "judge", "human" and "score". If the user names a
    judge's columns by a pattern, the words of the pattern are left out instead, and name the judge.
    """
    several = len(layout.values) > 1
    ratings = [(column, column.name * several, "") for column in layout.values]
    for column in layout.judged:
        side = side_column(column, True, options)
        matched = " ".join(word for word in name_words(column.name) if word not in side.words)
        judge = column.name if not several else matched if side.rater is None else f"judge{side.rater}"
        rated = [v.name for v in layout.values if not several or side_column(v, False, options).key == side.key]
        ratings += [(column, criterion * several, judge) for criterion in rated]
    return ratings


def _refuse_raters_without_examples(columns: Sequence[TableColumn], options: ColumnOptions) -> None:
    """Refuse a column of raters that the user names, if no column is known to say which example each row rates.

    Raises:
        UsageError: There is such a column of raters; the message says that `--id` has to name the column of examples.
    """
    raters = [name for name, meaning in options.fields.items() if meaning == "rater"]
    if raters and options.id is None and _repeating_id(columns) is None:
        others = [column.name for column in columns if column.name not in raters]
        raise refusal("rater-alone", columns=raters, choices=[("--id", "COLUMN")], others=others)


def _may_compare(listed: Sequence[SideColumn], judges: Sequence[str]) -> bool:
    """Return True if a criterion's columns suffice for a comparison.

    They do if they are a judge's and a person's or, in a table without judges, two annotators'.

    Args:
        listed: The criterion's columns.
        judges: Names of the judges in the table.
    """
    sides = {side.is_judge for side in listed}
    return sides == {True, False} if judges else len(listed) > 1


def _layout(columns: Sequence[TableColumn], options: ColumnOptions) -> _Layout | None:
    by_name = {column.name: column for column in columns}
    mapped = {meaning: by_name[name] for name, meaning in options.fields.items() if name in by_name}
    unit = (by_name.get(options.id) if options.id else mapped.get("id")) or _repeating_id(columns)
    if unit is None or len(set(unit.cells)) == len(unit.cells):
        return None
    criterion = mapped.get("criterion") or _called(columns, CRITERION_COLUMNS)
    rater = mapped.get("rater") or next((c for c in columns if _names_raters(c)), None)
    rater = rater or _only_rater(columns, unit, criterion, options)
    if rater is None:
        return None
    kind = mapped.get("kind") or _called(columns, frozenset(["kind"]))
    run = mapped.get("run") or _called(columns, frozenset(["run", "sample", "repeat"]))
    time = mapped.get("at") or _called(columns, _TIMES)
    taken = [column for column in (unit, rater, criterion, kind, run, time) if column is not None]
    free = [column for column in columns if column not in taken]
    labelled = tuple(c for c in free if any(is_named_by(c, name) for name in options.human))
    named = [c for c in free if any(is_named_by(c, name) for name in options.judge)]
    of_judges = named if options.judge else [c for c in free if is_judges(c) and c not in labelled]
    level = mapped.get("level")
    keys = {side_column(column, True, options).key for column in of_judges} - {""}
    values = (level,) if level is not None else _values(columns, taken, unit, keys)
    if rater in columns and labelled and all(_is_constant(column, unit) for column in labelled):
        return None
    others = tuple(column for column in values if column not in of_judges)
    values = labelled or others or (() if named else values)  # a judge's name may be that of all raters' values
    judged = tuple(column for column in of_judges if column not in values)
    return _Layout(unit, rater, criterion, kind, run, time, values, judged) if values else None


def _only_rater(
    columns: Sequence[TableColumn], unit: TableColumn, criterion: TableColumn | None, options: ColumnOptions
) -> TableColumn | None:
    """Make the column of raters that a table lacks, if each row has a judge's and one person's rating by a criterion.

    Its cells repeat the name of the one column of people's ratings. None for any other table.
    """
    if criterion is None or len({*zip(unit.cells, criterion.cells, strict=True)}) < len(unit.cells):
        return None
    labelled = [c for c in columns if any(is_named_by(c, name) for name in options.human)]
    labelled = labelled or [c for c in columns if role_of(c, columns) == "human" and not looks_like_text(c)]
    is_judged = options.judge or any(is_judges(c) for c in columns)
    names = [people.name for people in labelled]
    return TableColumn(names[0], names * len(columns[0].cells)) if is_judged and len(names) == 1 else None


def _repeating_id(columns: Sequence[TableColumn]) -> TableColumn | None:
    repeating = [column for column in columns if all(column.cells) and len(set(column.cells)) < len(column.cells)]
    named = [column for column in repeating if _names_examples(name_words(column.name))]
    return min(named, key=lambda column: name_words(column.name) != ("id",), default=None)


def _names_examples(words: Sequence[str]) -> bool:
    is_id = words[-1:] == ("id",) or (len(words) == 1 and words[0] in ID_NAMES)
    return is_id and set(words).isdisjoint(JUDGE_WORDS | PEOPLE_WORDS | {"worker"})


def _names_raters(column: TableColumn) -> bool:
    words = name_words(column.name)
    is_named = bool(words) and words[0] in RATER_COLUMNS and set(words[1:]) <= OF_A_RATER
    values = [folded(cell) for cell in column.different]
    return is_named and bool(values) and not all(decision_of(value) is not None for value in values)


def _called(columns: Sequence[TableColumn], names: frozenset[str]) -> TableColumn | None:
    return next((column for column in columns if "".join(name_words(column.name)) in names), None)


def _values(
    columns: Sequence[TableColumn], taken: Sequence[TableColumn], unit: TableColumn, judged: Collection[str]
) -> tuple[TableColumn, ...]:
    """Return the columns that may hold ratings.

    A column with equal values in all rows of each example describes the example, and isn't returned unless its name
    says that it holds ratings, or unless a judge's column is named after the same criterion.

    Args:
        columns: All columns of the table.
        taken: The columns that already have another meaning.
        unit: The column that says which example each row is about.
        judged: The criteria that judges' columns are named after.
    """
    values = []
    for column in columns:
        words = name_words(column.name)
        is_other = not words or _names_examples(words) or role_of(column, columns) not in ("judge", "human", "other")
        may_rate = column not in taken and not is_other and not looks_like_text(column)
        is_paired = not is_judges(column) and side_column(column, False, ColumnOptions()).key in judged
        if may_rate and (is_paired or set(words) & VALUE_WORDS or not _is_constant(column, unit)):
            values.append(column)
    return tuple(values)


def _is_constant(column: TableColumn, unit: TableColumn) -> bool:
    by_unit: dict[str, str] = {}
    return all(by_unit.setdefault(name, cell) == cell for name, cell in zip(unit.cells, column.cells, strict=True))


def _constant(columns: Sequence[TableColumn], layout: _Layout) -> list[TableColumn]:
    """Return the columns that describe examples, such as queries, with a single cell for each example.

    Args:
        columns: The columns of the table with one row per rating.
        layout: Roles of the columns; those with a role are left out.
    """
    taken = (layout.unit, layout.rater, layout.criterion, layout.kind, layout.run, layout.time, *layout.values)
    rest = [column for column in columns if column not in taken and _is_constant(column, layout.unit)]
    by_unit = (dict(zip(layout.unit.cells, column.cells, strict=True)) for column in rest)
    return [TableColumn(column.name, tuple(cells.values())) for column, cells in zip(rest, by_unit, strict=True)]


def _judges(raters: Sequence[str], layout: _Layout, options: ColumnOptions) -> list[str]:
    """Return the names of the raters that are judges, as the user or a column with each rater's kind states.

    Args:
        raters: Names of the raters in the column of raters.
        layout: The columns of the table by their roles.
        options: The user's options.

    Raises:
        UsageError: A rater is named like a model, and neither the user nor a column says that it is a judge, or an
            option names neither a rater nor a column of ratings.
    """
    rated = (*layout.values, *layout.judged)
    of_sides = [name for name in (*options.judge, *options.human) if name not in raters]
    if unknown := [name for name in of_sides if not any(is_named_by(column, name) for column in rated)]:
        raise refusal("option-unused", columns=list(raters), option=unknown[0])
    models = [rater for rater in raters if is_model_name(rater)]
    if options.judge or options.human:
        stated = [name for name in options.judge if name in raters]
        return stated or [name for name in models if options.human and name not in options.human]
    if layout.kind is not None:
        kinds = dict(zip(layout.rater.cells, layout.kind.cells, strict=True))
        return [rater for rater in raters if folded(kinds[rater]) in _KINDS_OF_JUDGES]
    if models:
        judged = tuple(word for name in models for word in ("--judge", name))
        every = tuple(word for name in raters for word in ("--human", name))
        labelled = tuple(word for name in raters if name not in models for word in ("--human", name))
        raise refusal("which-columns", columns=models, choices=[judged + labelled, every])
    return []
