"""Columns of a terminal: cells are broken and filled as rich does it, which only foreign letters load."""

import io
import random
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from markscheme.report.grid import GAP, OF_ONE_CELL, heading_lines, row_lines, shrunk
from tests.loaded import loaded_by

WORDS = (
    "a",
    "can gate",
    "x" * 30,
    "日本語のテキスト",
    "ＡＢＣ",
    "e\u0301",
    "  double  space",
    "a-long-name.01",
    "",
    "–",
)


def drawn_by_rich(table: RichTable, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False, force_terminal=False, color_system=None)
    console.print(table)
    file = console.file
    assert isinstance(file, io.StringIO)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def made_rows(draw: random.Random, columns: int) -> list[list[str]]:
    return [
        [" ".join(draw.choices(WORDS, k=draw.randint(0, 6))) for _ in range(columns)] for _ in range(draw.randint(1, 4))
    ]


def test_every_character_of_our_own_takes_one_cell() -> None:
    assert {character for character in OF_ONE_CELL if cell_len(character) != 1} == set()


@pytest.mark.parametrize("seed", range(40))
def test_cells_under_headings_are_drawn_as_rich_draws_them(seed: int) -> None:
    draw = random.Random(seed)
    widths = [draw.randint(2, 14) for _ in range(draw.randint(1, 4))]
    headings, *rows = made_rows(draw, len(widths))
    table = RichTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for heading, width in zip(headings, widths, strict=True):
        table.add_column(Text(heading), overflow="fold", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    lines = [*heading_lines(headings, widths, str), *row_lines(rows, widths)]
    assert [line.rstrip() for line in lines] == drawn_by_rich(table, 100)


@pytest.mark.parametrize("seed", range(40))
def test_columns_are_narrowed_to_their_room_as_rich_narrows_them(seed: int) -> None:
    draw = random.Random(seed)
    rows = made_rows(draw, 3)
    room = draw.randint(30, 60)
    table = RichTable.grid(padding=(0, GAP, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    widths = shrunk([max(map(cell_len, column)) for column in zip(*rows, strict=True)], room)
    assert [line.rstrip() for line in row_lines(rows, widths)] == drawn_by_rich(table, room)


def test_a_screen_of_ascii_and_our_own_signs_loads_no_rich(tmp_path: Path) -> None:
    block = "Table(('use', 'labels'), (('can gate', '60 – 70'), ('explore' * 9, '✓')))"
    drawing = f"render_terminal(Document('A', '', ({block},)), sys.stdout, 40)"
    imports = "import sys; from markscheme.report.terminal import render_terminal"
    loaded = loaded_by(f"{imports}; from markscheme.report.document import Document, Table; {drawing}", tmp_path)
    assert "markscheme.report.grid" in loaded
    assert "rich" not in loaded
