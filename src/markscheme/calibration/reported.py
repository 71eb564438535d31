"""A result of a Python call, which describes itself: as plain data, Markdown, a page, and in a notebook."""

from importlib import import_module
from typing import Any


class Reported:
    """A result that a report can be made of.

    Reports import the results they describe, so these methods look them up by name when they are called.
    """

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` writes it."""
        data: dict[str, Any] = import_module("markscheme.report.results").data_of(self)
        return data

    def to_markdown(self) -> str:
        """The report in Markdown."""
        text: str = import_module("markscheme.report.results").markdown_of(self)
        return text

    def to_html(self) -> str:
        """The report as a page to open, send or print; it loads nothing from elsewhere."""
        page: str = import_module("markscheme.report.results").page_of(self)
        return page

    def _repr_html_(self) -> str:
        """The report in a notebook."""
        frame: str = import_module("markscheme.report.results").frame_of(self)
        return frame
