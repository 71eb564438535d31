"""The results of Python calls in every form: plain data, Markdown, a page, and a notebook's output."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final, Generic, TypeVar

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.results import Reporter
from markscheme.errors import UsageError
from markscheme.report.document import Callout, Document, Examples, Paragraph, Section
from markscheme.report.json import plain
from markscheme.report.markdown import render_markdown
from markscheme.report.plot_drawers import plot_drawer
from markscheme.report.views import calibration

FRAME_HEIGHT = 600
"""Height of a report in a notebook, in pixels: the first screen of a calibration; the frame scrolls to the rest."""
MOST_IN_NOTEBOOK = 60_000
"""Largest size in bytes of a result in a notebook, which stores it with every cell that shows it."""
_THE_REST = Paragraph(("`to_html()` returns the whole page, with every example.",))
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class DocumentReporter(Generic[_Result]):
    """Reporter that shows the results of one class by making a Document of them.

    Attributes:
        json_of: Function that makes the data of a result's JSON file.
        view: Function that makes a result's document for a page.
        text_view: Function that makes a result's document for Markdown; None to use `view`.
    """

    json_of: Callable[[_Result], object]
    view: Callable[[_Result], Document]
    text_view: Callable[[_Result], Document] | None = None

    def data(self, result: _Result) -> dict[str, Any]:
        """Return a result as a dict, with the keys of its JSON file."""
        written: dict[str, Any] = plain(self.json_of(result))
        return written

    def markdown(self, result: _Result) -> str:
        """Return a result as Markdown."""
        return render_markdown((self.text_view or self.view)(result))

    def page(self, result: _Result) -> str:
        """Return a result as an HTML page."""
        return page(self.view(result))

    def frame(self, result: _Result) -> str:
        """Return a result's page in an HTML frame, for a notebook; "" if even a shortened page is too large."""
        shorter = map(_framed, _ever_shorter(self.view(result)))
        return next((framed for framed in shorter if len(framed.encode()) <= MOST_IN_NOTEBOOK), "")

    def picture(self, result: _Result) -> Any:
        """Return the first plot of a result's page as a chart of a plotting library.

        Raises:
            UsageError: The page has no plot, or no plotting library is available.
        """
        from markscheme.report.plots import first_plot

        plot = first_plot(self.view(result))
        if plot is None:
            raise UsageError("there is no picture of this result; `to_html()` has all there is")
        return plot_drawer()(plot)


def _ever_shorter(document: Document) -> Iterator[Document]:
    """Yield shorter and shorter versions of a report: no examples, the first screen, the top box, nothing."""
    yield _without_examples(document)
    first = tuple(document.blocks)
    for blocks in (first, tuple(block for block in first if isinstance(block, Callout)), ()):
        yield replace(document, blocks=(*blocks, _THE_REST), sections=(), parts=())


def _without_examples(document: Document) -> Document:
    sections = tuple(document.sections)
    kept_sections = tuple(
        section for section in sections if not any(isinstance(block, Examples) for block in section.blocks)
    )
    is_whole = len(kept_sections) == len(sections)
    return replace(
        document,
        sections=kept_sections if is_whole else (*kept_sections, Section("All examples", (_THE_REST,))),
        parts=tuple(map(_without_examples, document.parts)),
    )


def _framed(document: Document) -> str:
    attributes = f'srcdoc="{escape(page(document))}" sandbox="allow-scripts" title="markscheme"'
    return f'<iframe {attributes} style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'


def page(document: Document) -> str:
    """Render a document as an HTML page that states the current time."""
    from markscheme.report.html import render_html

    return render_html(document, when=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))


CALIBRATION_REPORTER: Final[Reporter] = DocumentReporter[Calibration](calibration.json_of, calibration.view)
"""Reporter of the calibration of one judge."""
