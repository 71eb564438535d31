"""Joining of several tables by ids, or by equal queries and responses, never by the position of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from markscheme.numerals import number_in
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import TableColumn, id_column, output_roles
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.words import QUERY_ENDS, RESPONSE_ENDS, folded, name_words

JOINED = 0.5
"""Smallest share of the smaller table's rows that must also be in the other table."""
_Tables: TypeAlias = Sequence[tuple[str, Sequence[TableColumn]]]


def joined(tables: _Tables, options: ColumnOptions) -> tuple[list[TableColumn], Mapping[str, int]]:
    """Join tables, each given as a file's name and its columns, on rows that have the same id.

    Returns:
        The columns of all tables, with the file's name added if several have a column of the same name, and the number
        of rows without partner of each file.

    Raises:
        UsageError: Too few rows have a partner, or texts of one id differ.
    """
    keys = _keys(tables, options)
    shared = [key for key in keys[0] if all(key in others for others in keys[1:])]
    fewest = min(map(len, keys))
    if len(shared) < max(1, JOINED * fewest):
        names = [name for name, _ in tables]
        raise refusal("ids-apart", columns=names, joined=len(shared), of=fewest, choices=[("--id", "COLUMN")])
    times = Counter(column.name for _, columns in tables for column in columns)
    ids = {_id_name(columns, options) for _, columns in tables}
    result: list[TableColumn] = []
    texts: dict[str, Sequence[str]] = {}
    for (stem, columns), by_key in zip(tables, keys, strict=True):
        rows = [by_key[key] for key in shared]
        for column in columns:
            cells = tuple(column.cells[row] for row in rows)
            is_text = column.name in ids or _is_text(column)
            if is_text and column.name in texts:
                _refuse_other_texts(column.name, texts[column.name], cells, shared, options)
                continue
            if is_text:
                texts[column.name] = cells
            is_shared = times[column.name] > 1 and not is_text
            name = f"{stem}:{column.name}" if is_shared else column.name
            result.append(TableColumn(name, cells, stem if is_shared else None))
    apart = {stem: len(by_key) - len(shared) for (stem, _), by_key in zip(tables, keys, strict=True)}
    return _with_one_of_equal(result, tables, options), apart


def _with_one_of_equal(columns: Sequence[TableColumn], tables: _Tables, options: ColumnOptions) -> list[TableColumn]:
    """Keep one column of labels, or of verdicts, if joined files with both merely repeat it; keep all other columns.

    If the labels of all files are equal, they are one annotator's, next to the verdicts of several judges. If labels
    differ and the verdicts are equal, the verdicts are one judge's, next to the labels of several annotators. A column
    that an option names with its file is kept under that name.
    """
    roles = output_roles(columns, options)
    named = {*options.judge, *options.human}
    groups: dict[str, dict[str, list[TableColumn]]] = {"human": {}, "judge": {}}
    for column in columns:
        if column.file is not None and roles[column.name] in groups and column.name not in named:
            groups[roles[column.name]].setdefault(column.name.removeprefix(f"{column.file}:"), []).append(column)
    people, judges = ({name: of for name, of in side.items() if len(of) > 1} for side in groups.values())
    judged = {stem for stem, of in tables for c in of if "judge" in (roles.get(c.name), roles.get(f"{stem}:{c.name}"))}
    same = {name: of for name, of in people.items() if _are_one(of)} if len(judged) > 1 else {}
    if people and not same:
        same = {name: of for name, of in judges.items() if len({tuple(map(folded, c.cells)) for c in of}) == 1}
    cells = {name: zip(*(c.cells for c in of), strict=True) for name, of in same.items()}
    merged = {of[0].name: TableColumn(n, [next(filter(folded, row), "") for row in cells[n]]) for n, of in same.items()}
    dropped = {column.name for of in same.values() for column in of[1:]}
    return [merged.get(column.name, column) for column in columns if column.name not in dropped]


def _are_one(columns: Sequence[TableColumn]) -> bool:
    """Return True if columns agree: some row has several of their values, and in no row do their values differ."""
    rows = [list(filter(None, map(folded, cells))) for cells in zip(*(c.cells for c in columns), strict=True)]
    return all(len(set(values)) < 2 for values in rows) and any(len(values) > 1 for values in rows)


def _is_text(column: TableColumn) -> bool:
    words = name_words(column.name)
    return bool(words) and words[-1] in RESPONSE_ENDS | QUERY_ENDS and column.is_text


def _id_name(columns: Sequence[TableColumn], options: ColumnOptions) -> str | None:
    names = [column.name for column in columns]
    return options.id if options.id in names else id_column(columns, ColumnOptions(map=options.map))


def _keys(tables: _Tables, options: ColumnOptions) -> list[dict[str, int]]:
    """Map, for each table, a row's id (or, without ids, its query and response) to the row's index."""
    names = [_id_name(columns, options) for _, columns in tables]
    if all(name is not None for name in names):
        ids = [next(c for c in columns if c.name == name) for (_, columns), name in zip(tables, names, strict=True)]
        return [{_as_id(cell): row for row, cell in enumerate(column.cells)} for column in ids]
    texts = [sorted(column.name for column in columns if _is_text(column)) for _, columns in tables]
    common = [name for name in texts[0] if all(name in others for others in texts[1:])]
    if not common:
        raise refusal("ids-apart", columns=[name for name, _ in tables], joined=0, of=0, choices=[("--id", "COLUMN")])
    keys = []
    for _, columns in tables:
        by_name = {column.name: column for column in columns}
        cells = zip(*(by_name[name].cells for name in common), strict=True)
        keys.append({"\0".join(row): index for index, row in enumerate(cells)})
    return keys


def _as_id(cell: str) -> str:
    """Convert a cell to an id; "7.0" becomes "7", since spreadsheets write whole numbers so."""
    value = number_in(cell.strip())
    return cell.strip() if value is None or not value.is_integer() or cell.strip()[:1] == "0" else str(int(value))


def _refuse_other_texts(
    name: str, ours: Sequence[str], theirs: Sequence[str], ids: Sequence[str], options: ColumnOptions
) -> None:
    if name == options.id:
        return
    differ = [unit for unit, a, b in zip(ids, ours, theirs, strict=True) if folded(a) != folded(b)]
    words = name_words(name)
    if differ and words[-1] in RESPONSE_ENDS | QUERY_ENDS:
        values, choices = dict.fromkeys(differ, 1), [("--id", "COLUMN")]
        raise refusal("texts-differ", columns=[name], values=values, count=len(differ), choices=choices)
