"""Results of Python calls that can be rendered as reports, and the table of their renderers by class."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.readers.tabular.reading import TableReading


class Reporter(Protocol):
    """The functions that render results of one class as reports."""

    def json_of(self, result: Any) -> object:
        """Return a result's content for JSON, in which objects such as estimates aren't converted to plain data yet.

        The method `data` returns the content with these converted.
        """

    def data(self, result: Any) -> dict[str, Any]:
        """Return a result as plain data for its JSON file."""

    def markdown(self, result: Any) -> str:
        """Return a result as Markdown."""

    def page(self, result: Any) -> str:
        """Return a result as an HTML page."""

    def view(self, result: Any) -> Any:
        """Return a result's document, the source of its Markdown and HTML."""

    def frame(self, result: Any) -> str:
        """Return a result's HTML for a notebook cell; if it is too large, it is shortened."""

    def picture(self, result: Any) -> Any:
        """Return the first plot of a result's page as a chart of a plotting library."""


LoadReporter: TypeAlias = Callable[[], Reporter]
"""Function that imports the reporter for the results of one class and returns it."""

RESULTS: OpenTable[tuple[str, LoadReporter]] = OpenTable()
"""The results that a report can be made of: the name of each class, and the function that loads its reporter."""

TABLE_NOTES: "OpenTable[Callable[[TableReading, Callable[[str], str]], Iterable[str]]]" = OpenTable()
"""Functions that yield notes on how a table was read, with options as the reader writes them; `report` adds them."""


class Reported:
    """A result that can be shown as a report in Markdown, HTML and JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, as `--json` writes it."""
        return reporter_of(self).data(self)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        return reporter_of(self).markdown(self)

    def to_html(self) -> str:
        """Return the report as a page to open, send or print, which loads nothing from the network."""
        return reporter_of(self).page(self)

    def _repr_html_(self) -> str:
        """Return the report's HTML for a notebook cell, up to 60 kB."""
        return reporter_of(self).frame(self)

    def plot(self) -> Any:
        """Draw the report's first figure: axes of matplotlib, or a chart of Altair if only that is installed.

        Raises:
            UsageError: Neither library is installed, or the report has no figure to draw.
        """
        return reporter_of(self).picture(self)


def reporter_of(result: Reported) -> Reporter:
    """Return the Reporter for the class of a result.

    Raises:
        TypeError: No reporter describes results of this class.
    """
    bases = (base.__name__ for base in type(result).__mro__ if issubclass(base, Reported))
    loads = (load for base in bases for name, load in RESULTS if name == base)
    load = next(loads, None)
    if load is None:
        raise TypeError(f"no report describes a {type(result).__name__}")
    return load()
