"""Joining of several tables by ids, or by equal queries and responses, never by the position of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from typing import TypeAlias

from markscheme.numerals import number_in
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import ColumnRole, TableColumn, id_column, output_roles
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.words import QUERY_ENDS, RESPONSE_ENDS, folded, name_words

JOINED = 0.5
"""Smallest share of the smaller table's rows that must also be in the other table."""
_Tables: TypeAlias = Sequence[tuple[str, Sequence[TableColumn]]]


def joined(tables: _Tables, options: ColumnOptions) -> tuple[list[TableColumn], Mapping[str, int]]:
    """Join tables, each given as a file's name and its columns, on rows that have the same id.

    With three tables or more, all with ids, a table with annotators' ratings and no judge's may lack some ids; its
    columns are then empty in the joined rows with these ids.

    Returns:
        The columns of all tables, and the number of rows of each file that are left out. If columns of several tables
        have one name, the file's name is put before it.

    Raises:
        UsageError: Too few rows have a partner, or texts of one id differ.
    """
    ids = [_id_name(columns, options) for _, columns in tables]
    keys = _keys(tables, ids)
    least = len(tables) if None in ids else 2
    shared = [key for key, tables_of_row in Counter(chain(*keys)).items() if tables_of_row >= least]
    times = Counter(column.name for _, columns in tables for column in columns)
    result: dict[str, TableColumn] = {}
    texts: dict[str, list[str | None]] = {}
    for (stem, columns), by_key in zip(tables, keys, strict=True):
        for column in columns:
            is_id = column.name in ids
            is_text = is_id or _is_text(column)
            cells = [column.cells[by_key[key]] if key in by_key else key if is_id else None for key in shared]
            if is_text:
                earlier = texts.get(column.name, cells)
                if not is_id:
                    _refuse_other_texts(column.name, earlier, cells, shared)
                cells = texts[column.name] = [b if a is None else a for a, b in zip(earlier, cells, strict=True)]
            is_shared = times[column.name] > 1 and not is_text
            name = f"{stem}:{column.name}" if is_shared else column.name
            result[name] = TableColumn(name, [cell or "" for cell in cells], stem if is_shared else None)
    roles = output_roles(list(result.values()), options)
    sides = {stem: {roles.get(name) for c in of for name in (c.name, f"{stem}:{c.name}")} for stem, of in tables}
    judged = {stem for stem, side in sides.items() if "judge" in side}
    labelled = {stem for stem, side in sides.items() if "human" in side} or set(sides)
    whole = [by_key for stem, by_key in zip(sides, keys, strict=True) if stem in judged or stem not in labelled]
    joined_rows = [row for row, key in enumerate(shared) if all(key in by_key for by_key in whole)]
    counts = [sum(shared[row] in by_key for row in joined_rows) for by_key in keys]
    fewest = min(map(len, keys))
    if min(counts) < max(1, JOINED * fewest):
        raise refusal("ids-apart", columns=list(sides), joined=min(counts), of=fewest, choices=[("--id", "COLUMN")])
    apart = {stem: len(by_key) - count for (stem, _), by_key, count in zip(tables, keys, counts, strict=True)}
    joint = [TableColumn(c.name, [c.cells[row] for row in joined_rows], c.file) for c in result.values()]
    return _with_one_of_equal(joint, roles, judged, options), apart


def _with_one_of_equal(
    columns: Sequence[TableColumn], roles: Mapping[str, ColumnRole], judged: Set[str], options: ColumnOptions
) -> list[TableColumn]:
    """Keep one of several equal columns of labels, or of verdicts, in joined files; keep all other columns.

    If the labels of all files are equal, they are one annotator's, next to the verdicts of several judges. If labels
    differ and the verdicts are equal, the verdicts are one judge's, next to the labels of several annotators. A column
    that an option names with its file is kept under that name.

    Args:
        columns: The columns of all files.
        roles: The role of each column, by name.
        judged: The files with a judge's verdicts.
        options: The user's options.
    """
    named = {*options.judge, *options.human}
    groups: dict[str, dict[str, list[TableColumn]]] = {"human": {}, "judge": {}}
    for column in columns:
        if column.file is not None and roles[column.name] in groups and column.name not in named:
            groups[roles[column.name]].setdefault(column.name.removeprefix(f"{column.file}:"), []).append(column)
    people, judges = ({name: of for name, of in side.items() if len(of) > 1} for side in groups.values())
    same = {name: of for name, of in people.items() if _are_one(of)} if len(judged) > 1 else {}
    if people and not same:
        same = {name: of for name, of in judges.items() if len({tuple(map(folded, c.cells)) for c in of}) == 1}
    cells = {name: zip(*(c.cells for c in of), strict=True) for name, of in same.items()}
    merged = {of[0].name: TableColumn(n, [next(filter(folded, row), "") for row in cells[n]]) for n, of in same.items()}
    dropped = {column.name for of in same.values() for column in of[1:]}
    return [merged.get(column.name, column) for column in columns if column.name not in dropped]


def _are_one(columns: Sequence[TableColumn]) -> bool:
    """Return True if columns never differ where they have values, and have values in a common row."""
    rows = [list(filter(None, map(folded, cells))) for cells in zip(*(c.cells for c in columns), strict=True)]
    return all(len(set(values)) < 2 for values in rows) and any(len(values) > 1 for values in rows)


def _is_text(column: TableColumn) -> bool:
    words = name_words(column.name)
    return bool(words) and words[-1] in RESPONSE_ENDS | QUERY_ENDS and column.is_text


def _id_name(columns: Sequence[TableColumn], options: ColumnOptions) -> str | None:
    names = [column.name for column in columns]
    return options.id if options.id in names else id_column(columns, ColumnOptions(map=options.map))


def _keys(tables: _Tables, ids: Sequence[str | None]) -> list[dict[str, int]]:
    """Map each row's id to the row's index, for each table; without ids, the key is query and response."""
    if None not in ids:
        columns = [next(c for c in of if c.name == name) for (_, of), name in zip(tables, ids, strict=True)]
        return [{_as_id(cell): row for row, cell in enumerate(column.cells)} for column in columns]
    texts = [{column.name: column.cells for column in of if _is_text(column)} for _, of in tables]
    common = sorted(set.intersection(*map(set, texts)))
    if not common:
        raise refusal("ids-apart", columns=[name for name, _ in tables], joined=0, of=0, choices=[("--id", "COLUMN")])
    rows = [zip(*(cells[name] for name in common), strict=True) for cells in texts]
    return [{"\0".join(row): index for index, row in enumerate(of)} for of in rows]


def _as_id(cell: str) -> str:
    """Convert a cell to an id; "7.0", as spreadsheets write whole numbers, becomes "7", and "07" stays."""
    plain = cell.strip()
    value = None if plain[:1] == "0" and plain[1:2].isdigit() else number_in(plain)
    return plain if value is None or not value.is_integer() else str(int(value))


def _refuse_other_texts(
    name: str, ours: Sequence[str | None], theirs: Sequence[str | None], ids: Sequence[str]
) -> None:
    both = [(unit, a, b) for unit, a, b in zip(ids, ours, theirs, strict=True) if a is not None and b is not None]
    if differ := [unit for unit, a, b in both if folded(a) != folded(b)]:
        values = dict.fromkeys(differ, 1)
        choices = [("--id", "COLUMN")]
        raise refusal("texts-differ", columns=[name], values=values, count=len(differ), choices=choices)
