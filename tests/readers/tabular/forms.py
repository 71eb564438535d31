"""Writers of a worked case's table in each file format."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Table = Mapping[str, Sequence[Any]]


def text_of(cell: Any) -> str:
    """Return a cell as a text file has it."""
    return "" if cell is None else str(cell)


def records(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table as mappings of columns to cells."""
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def delimited(table: Table, delimiter: str = ",") -> str:
    """Return a table as text with a delimiter."""
    written = io.StringIO(newline="")
    rows = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    rows.writerow(table)
    rows.writerows([map(text_of, row) for row in zip(*table.values(), strict=True)])
    return written.getvalue()


def _workbook(sheets: Mapping[str, Table], *, title: str | None = None) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, table in sheets.items():
        sheet = book.create_sheet(name)
        if title is not None:
            sheet.append([title])
            sheet.append([])
        sheet.append(list(table))
        for row in zip(*table.values(), strict=True):
            sheet.append(list(row))
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def _nested(record: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in record.items():
        *outer, last = key.split(".")
        inner = nested
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = value
    return nested


def _parquet(table: Table) -> bytes:
    import pyarrow
    from pyarrow import parquet

    kept = io.BytesIO()
    parquet.write_table(pyarrow.table({name: list(cells) for name, cells in table.items()}), kept)
    return kept.getvalue()


def _lines(entries: Sequence[Any]) -> bytes:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries).encode()


def _data(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


NOTES: Table = {"topic": ["a", "b"], "note": ["see", "above"]}

FORMS: Mapping[str, tuple[str, Callable[[Table], bytes]]] = {
    "csv": ("t.csv", lambda table: delimited(table).encode()),
    "tsv": ("t.tsv", lambda table: delimited(table, "\t").encode()),
    "semicolon": ("t.csv", lambda table: delimited(table, ";").encode()),
    "pipe": ("t.txt", lambda table: delimited(table, "|").encode()),
    "sep": ("t.csv", lambda table: ("sep=;\n" + delimited(table, ";")).encode()),
    "bom": ("t.csv", lambda table: delimited(table).encode("utf-8-sig")),
    "utf16": ("t.csv", lambda table: delimited(table).encode("utf-16")),
    "cp1252": ("t.csv", lambda table: delimited(table).encode("cp1252")),
    "gzip": ("t.csv.gz", lambda table: gzip.compress(delimited(table).encode())),
    "jsonl": ("t.jsonl", lambda table: _lines(records(table))),
    "jsonl_nested": ("t.jsonl", lambda table: _lines([_nested(record) for record in records(table)])),
    "json": ("t.json", lambda table: _data(records(table))),
    "json_data": ("t.json", lambda table: _data({"data": records(table)})),
    "json_columns": ("t.json", lambda table: _data({name: list(cells) for name, cells in table.items()})),
    "json_split": (
        "t.json",
        lambda table: _data({"columns": list(table), "data": [list(row) for row in zip(*table.values(), strict=True)]}),
    ),
    "xlsx": ("t.xlsx", lambda table: _workbook({"Sheet1": table})),
    "xlsx_title": ("t.xlsx", lambda table: _workbook({"Ratings": table}, title="Ratings of May")),
    "xlsx_two": ("t.xlsx", lambda table: _workbook({"Ratings": table, "Notes": NOTES})),
    "parquet": ("t.parquet", _parquet),
}
"""By name, the file's name and what it holds."""


def write(table: Table, form: str, folder: Path) -> Path:
    """Write a table in a file format; return the path."""
    name, content = FORMS[form]
    path = folder / name
    path.write_bytes(content(table))
    return path
