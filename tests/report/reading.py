"""Reports as a reader sees them."""

import io

from markscheme.report.document import Document
from markscheme.report.terminal import render_terminal


def text_of(document: Document) -> str:
    """Return the text of a report as the terminal shows it with details, joined to one line."""
    file = io.StringIO()
    render_terminal(document, file, 100, details=True)
    return " ".join(file.getvalue().split())
