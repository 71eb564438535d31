"""Results of Python calls, which describe themselves, and the table of what describes which."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from markscheme.seam import OpenTable


class Reporter(Protocol):
    """A renderer for the results of one class."""

    def json_of(self, result: Any) -> object:
        """Return what a result's JSON says, before `data` makes plain data of it."""

    def data(self, result: Any) -> dict[str, Any]:
        """Return a result as its JSON file has it."""

    def markdown(self, result: Any) -> str:
        """Return a result as Markdown."""

    def page(self, result: Any) -> str:
        """Return a result as a page."""

    def view(self, result: Any) -> Any:
        """Return a result's document, which all of these render."""

    def frame(self, result: Any) -> str:
        """Return as much of a result's page as a notebook holds, inside another page."""

    def picture(self, result: Any) -> Any:
        """Return the first picture of a result's page as a chart."""


LoadReporter: TypeAlias = Callable[[], Reporter]
"""Imports the reporter for the results of one class and returns it."""

RESULTS: OpenTable[tuple[str, LoadReporter]] = OpenTable()
"""All results that a report can be made of: the name of each class, and what loads its reporter."""


class Reported:
    """A result with a report."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, as `--json` writes it."""
        return reporter_of(self).data(self)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        return reporter_of(self).markdown(self)

    def to_html(self) -> str:
        """Return the report as a page to open, send or print; it loads nothing from elsewhere."""
        return reporter_of(self).page(self)

    def _repr_html_(self) -> str:
        """Return as much of the report as a notebook holds: 60 kB."""
        return reporter_of(self).frame(self)

    def plot(self) -> Any:
        """Draw the report's first picture: axes of matplotlib, or a chart of Altair where that alone is installed.

        Raises:
            UsageError: Neither is installed, or the report has no picture.
        """
        return reporter_of(self).picture(self)


def reporter_of(result: Reported) -> Reporter:
    """Return the reporter for a result.

    Raises:
        TypeError: Nothing describes results of its class.
    """
    bases = (base.__name__ for base in type(result).__mro__ if issubclass(base, Reported))
    loads = (load for base in bases for name, load in RESULTS if name == base)
    load = next(loads, None)
    if load is None:
        raise TypeError(f"no report describes a {type(result).__name__}")
    return load()
