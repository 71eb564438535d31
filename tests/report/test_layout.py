"""Lines and columns are laid out as rich lays them out, which isn't loaded for that."""

import io
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from markscheme.report.layout import column_widths, in_columns, wrapped
from markscheme.text import printable

WORDS = st.text(alphabet="abc ·−“”日本é-", max_size=60).map(printable)
SHORT_WORDS = st.lists(st.text(alphabet="abc−“”é-", min_size=1, max_size=4), min_size=1, max_size=12).map(" ".join)
"""Words that fit every column: of a longer one after a bullet, and of some wide ones, rich shows only the beginning."""
WIDTHS = st.integers(min_value=12, max_value=100)


def drawn_by_rich(renderable: RenderableType, width: int) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=width, highlight=False, color_system=None).print(renderable)
    return [line.rstrip() for line in text.getvalue().splitlines()]


@given(text=WORDS, width=st.integers(min_value=2, max_value=100))
def test_words_are_broken_into_the_lines_of_rich(text: str, width: int) -> None:
    assert wrapped(text, width) == drawn_by_rich(Text(text), width)


@given(lines=st.lists(SHORT_WORDS, min_size=1, max_size=4), sign=st.sampled_from(["-", "?", "12"]), width=WIDTHS)
def test_lines_after_a_bullet_are_those_of_rich(lines: list[str], sign: str, width: int) -> None:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column()
    rows = [("" if place else sign, line) for place, line in enumerate(lines)]
    for row in rows:
        grid.add_row(*map(Text, row))
    widths = column_widths(rows, width, gap=1, fixed=1)
    assert [line for row in rows for line in in_columns(row, widths, gap=1)] == drawn_by_rich(grid, width)


@given(rows=st.lists(st.tuples(SHORT_WORDS, SHORT_WORDS), min_size=1, max_size=4), width=WIDTHS)
def test_names_beside_values_are_in_the_columns_of_rich(rows: list[tuple[str, str]], width: int) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*map(Text, row))
    widths = column_widths(rows, width, gap=2)
    assert [line for row in rows for line in in_columns(row, widths, gap=2)] == drawn_by_rich(grid, width)


def test_of_a_word_that_is_wider_than_its_column_nothing_is_lost() -> None:
    assert in_columns(["-", "calibration/examples.jsonl"], [1, 12], gap=1) == [
        "- calibration/",
        "  examples.jso",
        "  nl",
    ]


@pytest.mark.parametrize("width", [12, 20, 40])
@given(rows=st.lists(st.lists(WORDS, max_size=4), min_size=1, max_size=4))
def test_no_line_is_wider_than_the_terminal(rows: Sequence[Sequence[str]], width: int) -> None:
    widths = column_widths(rows, width, gap=2)
    assert max((cell_len(line) for row in rows for line in in_columns(row, widths, gap=2)), default=0) <= width
