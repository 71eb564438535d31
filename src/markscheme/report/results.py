"""The results of Python calls in every form: plain data, Markdown, a page, and a notebook's output."""

import datetime
from html import escape
from typing import Any

from markscheme.calibration.accepted.card import JudgeCard
from markscheme.calibration.accepted.verification import Verification
from markscheme.calibration.agreement import Agreement
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.contenders import Compared
from markscheme.calibration.reported import Reported
from markscheme.report.document import Document
from markscheme.report.html import render_html
from markscheme.report.json import plain
from markscheme.report.markdown import render_markdown
from markscheme.report.views import agreement, calibration, card, choice

FRAME_HEIGHT = 600
"""Height of a report in a notebook, in pixels: the first screen of a calibration; the frame scrolls to the rest."""


def data_of(result: Reported) -> dict[str, Any]:
    """A result as its JSON file has it."""
    match result:
        case Calibration():
            data = calibration.json_of(result)
        case Compared():
            data = choice.json_of(result.choice)
        case Agreement():
            data = agreement.json_of(result)
        case JudgeCard():
            data = result.data
        case Verification():
            data = card.verified_json(result)
        case _:
            raise TypeError(f"no report describes a {type(result).__name__}")
    written: dict[str, Any] = plain(data)
    return written


def document_of(result: Reported, *, with_examples: bool = True) -> Document:
    """A result as a document; the examples of a comparison belong on pages alone."""
    match result:
        case Calibration():
            return calibration.view(result)
        case Compared():
            return choice.view(result.choice, result if with_examples else None)
        case Agreement():
            return agreement.view(result)
        case JudgeCard():
            return card.view(result)
        case Verification():
            return card.verified(result)
    raise TypeError(f"no report describes a {type(result).__name__}")


def markdown_of(result: Reported) -> str:
    """A result as Markdown."""
    return render_markdown(document_of(result, with_examples=False))


def page_of(result: Reported) -> str:
    """A result as a page."""
    return page(document_of(result))


def page(document: Document) -> str:
    """A document as a page with the time at which it was made."""
    return render_html(document, when=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"))


def frame_of(result: Reported) -> str:
    """A result's page inside another page, which its style and script can't touch."""
    attributes = f'srcdoc="{escape(page_of(result))}" sandbox="allow-scripts" title="markscheme"'
    return f'<iframe {attributes} style="width: 100%; height: {FRAME_HEIGHT}px; border: 0"></iframe>'
