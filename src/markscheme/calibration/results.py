"""Results of Python calls, which describe themselves, and the table of what describes which."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from markscheme.seam import OpenTable


class Reporter(Protocol):
    """What describes the results of one class."""

    def data(self, result: Any) -> dict[str, Any]:
        """Return a result as its JSON file has it."""

    def markdown(self, result: Any) -> str:
        """Return a result as Markdown."""

    def page(self, result: Any) -> str:
        """Return a result as a page."""

    def frame(self, result: Any) -> str:
        """Return a result's page inside another page."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What describes the results of one class.

    Attributes:
        name: The name of the class.
        load: Imports what describes them and returns it.
    """

    name: str
    load: Callable[[], Reporter]


RESULTS: OpenTable[ResultRow] = OpenTable()
"""All results that a report can be made of."""


class Reported:
    """A result that a report can be made of."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data, as `--json` writes it."""
        return self._reporter().data(self)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        return self._reporter().markdown(self)

    def to_html(self) -> str:
        """Return the report as a page to open, send or print; it loads nothing from elsewhere."""
        return self._reporter().page(self)

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        return self._reporter().frame(self)

    def _reporter(self) -> Reporter:
        names = {base.__name__ for base in type(self).__mro__}
        row = next((row for row in RESULTS if row.name in names), None)
        if row is None:
            raise TypeError(f"no report describes a {type(self).__name__}")
        return row.load()
