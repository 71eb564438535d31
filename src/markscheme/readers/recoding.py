"""The levels of a table of ratings as `--levels` gives them, and the level each cell counts as."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self


@dataclass(frozen=True, slots=True)
class Recoding:
    """Levels in their order, and cells that count as another level or as missing.

    Attributes:
        levels: Names of the levels, worst first.
        cells: The level that a cell counts as, by its text; "" is a missing rating.
    """

    levels: tuple[str, ...]
    cells: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The recoding in comma-separated entries: LEVEL, or CELL=LEVEL, or CELL= for a missing rating.

        Levels are in the order of their first occurrence.

        Example:
            >>> found = Recoding.parse("no,partly=no,yes,n/a=")
            >>> found.levels, [found.read(cell) for cell in ("no", "partly", "yes", "n/a")]
            (('no', 'yes'), ['no', 'no', 'yes', ''])
            >>> Recoding.parse("1=low,2=low,3=high").read("2.0")
            'low'
        """
        entries = [entry.strip().partition("=") for entry in text.split(",")]
        cells = {cell.strip(): level.strip() for cell, sign, level in entries if sign}
        levels = [level.strip() if sign else cell for cell, sign, level in entries]
        named = dict.fromkeys(level for level, (_, sign, _) in zip(levels, entries, strict=True) if level or not sign)
        plain = [cell for cell, sign, _ in entries if not sign]
        return cls(tuple(plain) if not cells else tuple(named), MappingProxyType(cells))

    def read(self, cell: str) -> str:
        """The level that a cell counts as; a number may be spelt differently than in the entry."""
        if cell in self.cells or not self.cells:
            return self.cells.get(cell, cell)
        return next((level for written, level in self.cells.items() if _equal(written, cell)), cell)


def _equal(written: str, cell: str) -> bool:
    try:
        return float(written) == float(cell)
    except ValueError:
        return False
