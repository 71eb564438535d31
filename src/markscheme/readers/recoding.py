"""The option `--levels` of a table: its levels, and cells that count as another level or as missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from markscheme.readers.imported import number


@dataclass(frozen=True, slots=True)
class Recoding:
    """Levels of a table as the option `--levels` lists them, and the level (or none) that other cells count as.

    Attributes:
        levels: Names of the levels, worst first.
        cells: The level that a cell counts as, by the cell's text; "" is a missing rating.
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
        """Return the level that a cell counts as; a number matches however it is written, such as 2.0 and 2."""
        if cell in self.cells or not self.cells:
            return self.cells.get(cell, cell)
        value = number(cell)
        if value is None:
            return cell
        return next((level for written, level in self.cells.items() if number(written) == value), cell)
