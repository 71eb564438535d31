"""Conversion of data frames, rows and columns in memory to tables, and of results to data frames."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import starmap
from typing import Any, cast

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.errors import RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import TableColumn
from markscheme.readers.tabular.reading import TableReading, are_told_apart_by_ids, read_columns
from markscheme.readers.tabular.source import flat_columns, records_sheet
from markscheme.rubrics.rubric import Scale


def is_table_in_memory(source: Any) -> bool:
    """Return True if a value is a table: a data frame, rows, or columns by name."""
    # a lazy frame's own columns would have to be computed
    return isinstance(source, Mapping | list | tuple) or any(
        hasattr(type(source), n) for n in ("columns", "column_names")
    )


def read_in_memory(source: Any, options: ColumnOptions) -> TableReading:
    """Read a data frame, rows or columns as a table.

    Raises:
        UsageError: The source could be read in several ways, or isn't a table.
        RatingError: The source has no rows.
    """
    columns, index = _columns_in_memory(source)
    return _read(columns, options, source, index)


def rows_in_memory(source: Any) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a data frame or of columns by name, with cells as text; any other value is returned unchanged.

    Raises:
        UsageError: Columns have the same name or differ in length, or the data frame's library is unknown.
    """
    if isinstance(source, list | tuple) or not is_table_in_memory(source):
        return cast(Iterable[Mapping[str, Any]], source)
    columns, _ = _columns_in_memory(source)
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(column.cells for column in columns), strict=True)]


def _columns_in_memory(source: Any) -> tuple[tuple[TableColumn, ...], list[Any] | None]:
    """Return a table's columns with cells as text, and a data frame's index; the index is None without one."""
    if isinstance(source, Mapping):
        columns = tuple(starmap(TableColumn, flat_columns((str(name), cells) for name, cells in source.items())))
        if len({len(column.cells) for column in columns}) > 1:
            lengths = ", ".join(f"{len(column.cells)} of {column.name!r}" for column in columns)
            raise UsageError(f"columns of a table must have equally many values, got {lengths}")
        return columns, None
    if isinstance(source, list | tuple):
        if not all(isinstance(row, Mapping) for row in source):
            raise UsageError("a table's rows must be mappings, such as `dataclasses.asdict(row)` or `row.model_dump()`")
        return records_sheet(source, "table").columns, None
    narwhals, frame = _in_narwhals(source)
    columns = tuple(
        starmap(TableColumn, flat_columns((str(column.name), column.to_list()) for column in frame.iter_columns()))
    )
    index = narwhals.maybe_get_index(frame)
    return columns, None if index is None else list(index)


def _in_narwhals(source: Any) -> tuple[Any, Any]:
    """Return the module narwhals, and a data frame of any library converted to one of narwhals.

    Raises:
        UsageError: Two columns have the same name, or the library is unknown.
    """
    narwhals = _narwhals()
    try:
        frame = narwhals.from_native(source)
    except (TypeError, narwhals.exceptions.NarwhalsError) as error:
        raise UsageError(f"the data frame can't be read: {' '.join(str(error).split())}") from error
    return narwhals, frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame


def _narwhals() -> Any:
    """Return narwhals, the library that can read the data frames of all other libraries."""
    import narwhals

    return narwhals


def _read(
    columns: Sequence[TableColumn], options: ColumnOptions, source: Any, index: list[Any] | None = None
) -> TableReading:
    """Read columns as a table, without rows that repeat an earlier row with the same id.

    Args:
        columns: The columns.
        options: The user's options on columns.
        source: The object that the columns are from.
        index: The index labels of a data frame's rows; None without an index.
    """
    if not columns or not columns[0].cells:
        raise RatingError("holds no rows", path="table")
    place_of: dict[tuple[str, ...], int] = {}
    rows = zip(*(column.cells for column in columns), strict=True)
    places = tuple(place_of.setdefault(row, len(place_of)) for row in rows)
    if len(place_of) == len(places) or not are_told_apart_by_ids((column.name for column in columns), place_of):
        return read_columns(columns, "table", options, index=index, source=source)
    cells = list(zip(*place_of, strict=True))
    unlike = [TableColumn(column.name, of_column) for column, of_column in zip(columns, cells, strict=True)]
    labels = None if index is None else [index[places.index(place)] for place in place_of.values()]
    return replace(read_columns(unlike, "table", options, index=labels, source=source), rows_of_source=places)


def frame_of(reading: TableReading, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a data frame of the caller's library; for rows from files, of pandas or else polars."""
    rows = [rows[place] if place >= 0 else dict.fromkeys(rows[0]) for place in reading.rows_of_source] or rows
    made = {key: [row[key] for row in rows] for key in rows[0]}
    source = reading.source
    if source is None or isinstance(source, Mapping | list | tuple):
        columns_of_source = {column.name: list(column.cells) for column in reading.columns}
        if isinstance(source, Mapping):
            columns_of_source = {str(name): list(cells) for name, cells in source.items()}
        elif source is not None:
            names = dict.fromkeys(name for row in source for name in row)
            columns_of_source = {str(name): [row.get(name) for row in source] for name in names}
        return _new_frame(columns_of_source | made | columns_of_source)  # in this order, with the source's own cells
    narwhals, frame = _in_narwhals(source)
    index = narwhals.maybe_get_index(frame)
    added = [key for key in made if key not in frame.columns]
    native = narwhals.new_series
    series = [native(key, _plain(made[key]), backend=frame.implementation) for key in added]
    if index is not None:
        series = [narwhals.maybe_set_index(added_column, index=index) for added_column in series]
    return frame.with_columns(*series).to_native()


def frame_of_examples(comparison: Comparison) -> Any:
    """Return a data frame with a row per example: its id, its text, and gold's and the judge's ratings.

    The ratings are scores, decisions and levels by criterion. The texts of held-out examples are left out.

    Raises:
        UsageError: Neither pandas nor polars is installed.
    """
    gold = comparison.gold
    judge = comparison.judge
    columns: dict[str, list[Any]] = {
        "id": list(gold.ids),
        "text": [None if example.is_held_out else str(example.submission.response) for example in gold.examples],
        "gold": list(map(_figure, gold.scores)),
        "judge": list(map(_figure, judge.scores)),
    }
    if comparison.rubric.has_gate_question:
        columns |= {
            "gold_pass": list(map(_decision, gold.decisions)),
            "judge_pass": list(map(_decision, judge.decisions)),
        }
    for criterion in comparison.rubric.criteria:
        for name, rated in (("gold", gold), ("judge", judge)):
            levels = rated.levels[criterion.name]
            columns[f"{criterion.name}.{name}"] = [_level(criterion.scale, level) for level in levels]
    return _new_frame(columns)


def _figure(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _plain(cells: Sequence[Any]) -> list[Any]:
    """Convert a column's cells to one type that every data frame library takes; mixed types become text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    return list(cells) if len(kinds) <= 1 else [None if cell is None else str(cell) for cell in cells]


def _new_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    for library, convert in (("pandas", list), ("polars", _plain)):
        with suppress(ImportError):
            cells_by_name = {name: convert(cells) for name, cells in columns.items()}
            return _narwhals().from_dict(cells_by_name, backend=library).to_native()
    raise UsageError("a frame needs pandas or polars; `rows` needs neither")


# --- rows ------------------------------------------------------------------------------------------------------------


def rows_of(reading: TableReading, comparisons: Mapping[str, Comparison]) -> list[dict[str, Any]]:
    """Return a table's rows with gold, judge, whether they agree, and both decisions, or why a row is left out."""
    rows: list[dict[str, Any]] = [{"id": unit} for unit in reading.ids]
    for name, comparison in comparisons.items():
        before = f"{name}." if len(comparisons) > 1 else ""
        figures = dict(_compared(reading, comparison))
        for row in rows:
            row |= {f"{before}{key}": value for key, value in figures[row["id"]].items()}
    return rows


ROW_KEYS = ("gold", "judge", "agrees", "gold_pass", "judge_pass", "left_out")


def _compared(reading: TableReading, comparison: Comparison) -> Iterator[tuple[str, dict[str, Any]]]:
    knows_pass = comparison.rubric.has_gate_question
    (compared,) = comparison.criteria.values()
    scale = compared.criterion.scale
    index_of = {unit: index for index, unit in enumerate(comparison.gold.ids)}
    for unit in reading.ids:
        index = index_of.get(unit)
        if index is None:
            yield unit, dict.fromkeys(ROW_KEYS) | {"left_out": "no label"}
            continue
        gold = _level(scale, compared.gold[index])
        judge = _level(scale, compared.judge[index])
        hit = comparison.hits[index]
        left_out = "judge gave no value" if judge is None else "annotators split evenly" if gold is None else None
        yield (
            unit,
            {
                "gold": gold,
                "judge": judge,
                "agrees": None if np.isnan(hit) else bool(hit),
                "gold_pass": _decision(comparison.gold.decisions[index]) if knows_pass else None,
                "judge_pass": _decision(comparison.passes[index]) if knows_pass else None,
                "left_out": left_out,
            },
        )


def _level(scale: Scale, level: float) -> str | float | None:
    if np.isnan(level):
        return None
    return str(scale.level_name(level)) if scale.coded or scale.by_label else float(level)


def _decision(value: float) -> bool | None:
    return None if np.isnan(value) else bool(value)
