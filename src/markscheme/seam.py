"""The seam between the core and its features: tables of the core that features add rows to.

The core knows only its tables. A feature declares in its `__init__` which rows it adds to which table; the package's
own `__init__` offers the list of all features, which is loaded when a table's own rows don't suffice.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

_Row = TypeVar("_Row")
Addition: TypeAlias = "tuple[OpenTable[Any], tuple[Any, ...]]"
"""A table of the core, and the rows that a feature adds to it."""


class OpenTable(Generic[_Row]):
    """A table of the core to which features can add rows; it is defined next to the type of its rows.

    Iterating over a table loads what features declare, after the rows of the core. So no module may iterate over a
    whole table while the module is being imported.

    Example:
        >>> COLOURS = OpenTable("red", "green")
        >>> [*COLOURS], COLOURS("blue") == (COLOURS, ("blue",))
        (['red', 'green'], True)
    """

    def __init__(self, *own: _Row) -> None:
        """Make a table with the rows of the core."""
        self._own = own

    def __call__(self, *rows: _Row) -> Addition:
        """Return this table paired with the rows that a feature adds to it, for an argument of `Feature`."""
        return self, rows

    def __iter__(self) -> Iterator[_Row]:
        """Yield the core's rows, then those of features, which are loaded only once the core's have been read."""
        yield from self._own
        for feature in _features():
            for table, rows in feature.adds:
                if table is self:
                    yield from rows


class Feature:
    """Additions of a feature to the tables of the core.

    Attributes:
        name: Name of the feature's folder.
        adds: Tables, each with the rows that the feature adds to it.
    """

    def __init__(self, name: str, *adds: Addition) -> None:
        """Declare a feature by its name and what it adds to tables."""
        self.name = name
        self.adds = adds


class _Offered:
    """Registry of the functions that load features, and of the features loaded so far."""

    loads: tuple[Callable[[], Iterable[Feature]], ...] = ()
    loaded: ClassVar[dict[Callable[[], Iterable[Feature]], tuple[Feature, ...]]] = {}


def offer(*loads: Callable[[], Iterable[Feature]]) -> None:
    """Set which features are on offer, instead of all offered before.

    Args:
        loads: Functions that return features. Each is called at most once, and as late as possible: when code that goes
            through the rows of a table has passed all rows of the core and of the functions before it in `loads`.
    """
    _Offered.loads = loads
    _Offered.loaded = {}


def features() -> tuple[Feature, ...]:
    """Return all features on offer, loading those that haven't been loaded."""
    return tuple(_features())


def _features() -> Iterator[Feature]:
    """Yield the features on offer, loading each only when it is reached."""
    for load in _Offered.loads:
        if load not in _Offered.loaded:
            _Offered.loaded[load] = tuple(load())
        yield from _Offered.loaded[load]
