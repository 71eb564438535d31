"""The results of Python calls in every form: plain data, Markdown, a page, and a notebook's output."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final, Generic, TypeVar

from markscheme.calibration.agreement import Agreement
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.results import Reporter
from markscheme.calibration.tables import AnnotatorAgreement, TableCalibrations
from markscheme.report.document import Document
from markscheme.report.html import render_html
from markscheme.report.json import plain
from markscheme.report.markdown import render_markdown
from markscheme.report.views import agreement, calibration, tables

FRAME_HEIGHT = 600
"""Height of a report in a notebook, in pixels: the first screen of a calibration; the frame scrolls to the rest."""
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class DocumentReporter(Generic[_Result]):
    """Reporter that describes results of one class by a document.

    Attributes:
        json_of: Makes the data of a result's JSON file.
        view: Makes a result's document for a page.
        text_view: Makes a result's document for Markdown; `view` where it is the same.
    """

    json_of: Callable[[_Result], object]
    view: Callable[[_Result], Document]
    text_view: Callable[[_Result], Document] | None = None

    def data(self, result: _Result) -> dict[str, Any]:
        """Return a result as its JSON file has it."""
        written: dict[str, Any] = plain(self.json_of(result))
        return written

    def markdown(self, result: _Result) -> str:
        """Return a result as Markdown."""
        return render_markdown((self.text_view or self.view)(result))

    def page(self, result: _Result) -> str:
        """Return a result as a page."""
        return page(self.view(result))

    def frame(self, result: _Result) -> str:
        """Return a result's page inside another page, which its style and script can't touch."""
        attributes = f'srcdoc="{escape(self.page(result))}" sandbox="allow-scripts" title="markscheme"'
        return f'<iframe {attributes} style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'


def page(document: Document) -> str:
    """Return a document as a page with the time at which it was made."""
    return render_html(document, when=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))


REPORTERS: Final[Mapping[str, Reporter]] = {
    "Calibration": DocumentReporter[Calibration](calibration.json_of, calibration.view),
    "AnnotatorAgreement": DocumentReporter[AnnotatorAgreement](tables.annotators_json, tables.of_annotators),
    "TableCalibrations": DocumentReporter[TableCalibrations](tables.by_criterion_json, tables.by_criterion),
    "Agreement": DocumentReporter[Agreement](agreement.json_of, agreement.view),
}
"""What describes results, by the names of their classes."""
