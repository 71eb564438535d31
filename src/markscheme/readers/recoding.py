"""The option `--levels` of a table: its levels, and cells that count as another level or as missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from markscheme.readers.imported import number


@dataclass(frozen=True, slots=True)
class Recoding:
    """The value of the option `--levels`: the levels of a table, and the cells that are read as another level.

    Attributes:
        levels: Names of the levels, worst first.
        cells: The level as which a cell is read, by the cell's text; "" for a cell that is read as a missing rating.
    """

    levels: tuple[str, ...]
    cells: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse comma-separated entries: LEVEL, CELL=LEVEL, or CELL= for a missing rating.

        Levels are in the order of their first occurrence.

        Example:
            >>> found = Recoding.parse("no,partly=no,yes,n/a=")
            >>> found.levels, [found.read(cell) for cell in ("no", "partly", "yes", "n/a")]
            (('no', 'yes'), ['no', 'no', 'yes', ''])
            >>> Recoding.parse("1=low,2=low,3=high").read("2.0")
            'low'
        """
        entries = [pair.strip().partition("=") for pair in text.split(",")]
        cells = {cell.strip(): level.strip() for cell, sign, level in entries if sign}
        if not cells:
            return cls(tuple(cell for cell, _, _ in entries), cells)
        named = (level.strip() if sign else cell for cell, sign, level in entries if level.strip() or not sign)
        return cls(tuple(dict.fromkeys(named)), cells)

    def read(self, cell: str) -> str:
        """Return the level that a cell is read as; however a number is written, such as 2.0 or 2, it matches."""
        if cell in self.cells or not self.cells:
            return self.cells.get(cell, cell)
        value = number(cell)
        if value is None:
            return cell
        return next((level for written, level in self.cells.items() if number(written) == value), cell)
