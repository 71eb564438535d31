"""Recoding of a table's cells by the option `--levels`."""

import pytest

from markscheme.readers.recoding import Recoding


@pytest.mark.parametrize(
    ("text", "levels", "cells"),
    [
        ("no,yes", ("no", "yes"), {"no": "no", "maybe": "maybe"}),
        ("no,partly=no,yes", ("no", "yes"), {"partly": "no", "yes": "yes"}),
        ("0=,1,2", ("1", "2"), {"0": "", "0.0": "", "1": "1"}),
        ("1=low,2=low,3=high", ("low", "high"), {"2.0": "low", "3": "high", "4": "4"}),
        ("no=0, yes=1", ("0", "1"), {"yes": "1"}),
    ],
)
def test_the_levels_option_states_the_order_of_levels_and_maps_cells_to_levels(
    text: str, levels: tuple[str, ...], cells: dict[str, str]
) -> None:
    content = Recoding.parse(text)
    assert content.levels == levels
    assert {cell: content.read(cell) for cell in cells} == cells
