"""Render a Document as one self-contained HTML page.

The page's own short script creates the rows of the example list on demand; a Content-Security-Policy blocks all other
scripts. Figures are inline SVG: a charting library would need permission to run code that the page denies. External
text is always escaped, its invisible characters are spelt out, and long texts are truncated.
"""

import json
import math
import platform
import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from markscheme.pages.assets import BASE_STYLE, EXAMPLE_SCRIPT, digest, joined
from markscheme.pages.example import Shortening, render_example
from markscheme.pages.words import first_words
from markscheme.phrases import number, signed
from markscheme.prompts.submission import RESPONSE, Submission
from markscheme.report.document import (
    TONE_SIGNS,
    Block,
    Case,
    Document,
    Examples,
    Line,
    Mark,
    OnPages,
    RatingCell,
    Section,
)
from markscheme.report.drawing import drawn
from markscheme.report.plots import plot_of
from markscheme.rubrics.inputs import STEPPED
from markscheme.shipped import installed_version

_LARGEST_DATA = 2_400_000
"""Largest size in bytes of all examples together; if they are larger, their texts are truncated further, and then
fewer examples are shown."""
_TEXT_LIMITS = (8000, 4000, 2000, 1000, 500, 250, 120, 60, 30)
"""Largest numbers of characters of a response, input, reason or quote; the first one that keeps the page small enough
is used."""
_CHARACTERS_PER_STEP = 40
"""Number by which the limit on a text's characters is divided to get the largest number of an agent's steps that are
shown."""
_FEWEST_STEPS = 4
"""Smallest limit on the number of steps shown of a trace: two from its start, two from its end."""
_QUERY_WORDS, _RESPONSE_WORDS = 90, 180
"""Numbers of characters of a query and of a response in the list of examples: about two lines together."""
_BEGINNING = 1000
"""Number of characters of a text in which its first words are looked for."""
_FEWEST_SHOWN = 500
"""Number of examples that are always shown, however long their names."""
_LONGEST_LINE = 2000
"""Largest number of characters of a text on the page that has no limit of its own."""
_TEMPLATES = Path(__file__).parent / "templates"
_JOINERS = "\u200c\u200d"
"""Invisible characters that are part of normal words and emoji."""
_UNUSUAL = re.compile(r"[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff]")
"""Pattern of characters that may be invisible, among others."""
_IN_SCRIPTS = {letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
"""Escapes for characters that could end the HTML element with the data."""


def render_html(document: Document, when: str | None = None) -> str:
    """Render a document as a page.

    Args:
        document: The document.
        when: Day and time to print on the page; None to print none.
    """
    environment = _environment()
    parts = [_Part(f"p{n}", part) for n, part in enumerate((document, *document.parts))]
    data = _data([part.examples for part in parts if part.examples is not None])
    style = joined(BASE_STYLE, _TEMPLATES / "report.css")
    script = joined(EXAMPLE_SCRIPT, _TEMPLATES / "report.js")
    by = f"markscheme {installed_version()}, Python {platform.python_version()}"
    return environment.get_template("report.html.j2").render(
        title=document.title,
        parts=parts,
        data=_markup(data),
        made=f"Made on {when} by {by}" if when else f"Made by {by}",
        style=_markup(style),
        script=_markup(script),
        style_digest=digest(style),
        script_digest=digest(script),
    )


class _Part:
    """A document on an HTML page that may have several, with the prefix of the document's HTML ids."""

    def __init__(self, prefix: str, document: Document) -> None:
        self.prefix, self.document = prefix, document
        self.examples = next(_examples_among((*document.blocks, *document.sections)), None)
        self._places = {case.id: index for index, case in enumerate(self.examples.cases)} if self.examples else {}

    def place(self, unit: str) -> int | None:
        """Return the index of the example with the id `unit` in the document's list of examples; None if not listed."""
        return self._places.get(unit)


def _examples_among(blocks: Sequence[Block]) -> Iterator[Examples]:
    for block in blocks:
        match block:
            case Examples():
                yield block
            case Section() | OnPages():
                yield from _examples_among(block.blocks)


# --- examples as data -----------------------------------------------------------------------------------------------


def _data(lists: Sequence[Examples]) -> str:
    """Encode the examples that a page lists as JSON, so that the page stays below its size limit.

    If need be, texts are cut, shorter and shorter; if that isn't enough, each list also ends after its first examples.
    """
    laid_out = _LaidOut()
    fewest = _FEWEST_SHOWN // max(1, len(lists))
    for most in (None, fewest):
        for limit in _TEXT_LIMITS:
            if sum(_size(examples.cases[:most], limit) for examples in lists) > _LARGEST_DATA:
                continue  # counting takes less time than laying out
            text = _encoded(_LARGEST_DATA, lists, limit, most, laid_out)
            if text is not None:
                return text
    return _encoded(math.inf, lists, _TEXT_LIMITS[-1], fewest, laid_out) or ""


def _encoded(room: float, lists: Sequence[Examples], limit: int, most: int | None, laid_out: "_LaidOut") -> str | None:
    """Encode the first examples of every list as JSON; None if that takes more than `room` bytes.

    Args:
        room: Largest number of bytes.
        lists: The lists of examples.
        limit: Number of characters at which each text is cut.
        most: Largest number of examples of a list; None for all.
        laid_out: Cache of the HTML of examples' texts.
    """
    data = []
    size = 0
    for examples in lists:
        entries = []
        for case in examples.cases[:most]:
            shown_case = _case(case, limit, laid_out)
            size += len(_dumped(shown_case))
            if size > room:
                return None
            entries.append(shown_case)
        data.append(_list(examples, entries))
    text = _dumped(data)
    for letter, escaped in _IN_SCRIPTS.items():  # `translate` takes twenty times as long
        text = text.replace(letter, escaped)
    return text if len(text.encode()) <= room else None


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _size(cases: Sequence[Case], limit: int) -> int:
    """Count the characters of all texts of the examples; of a longer text only the first `limit` characters count."""
    return sum(
        min(limit, len(text))
        for case in cases
        for text in (
            case.response or "",
            *(text for _, text in case.inputs),
            *(text for _, row in case.rows for cell in row for text in (cell.reason, cell.quote) if text),
        )
    )


def _list(examples: Examples, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counts = {tag: sum(tag in case["tags"] for case in entries) for tag in examples.filters}
    return {
        "columns": [cut(name, 40) for name in examples.columns],
        "filters": [[tag, cut(name, 80), counts[tag]] for tag, name in examples.filters.items() if counts[tag]],
        "left_out": len(examples.cases) - len(entries),
        "cases": entries,
    }


def _case(case: Case, limit: int, laid_out: "_LaidOut") -> dict[str, Any]:
    query = case.inputs[0][1] if case.inputs and case.inputs[0][0] not in STEPPED else ""
    return {
        "id": cut(case.id, 80),
        "query": first_words(cut(query, _BEGINNING), _QUERY_WORDS),
        "words": first_words(cut(case.response or "", _BEGINNING), _RESPONSE_WORDS),
        "differs": [cut(difference, 120) for difference in case.differs],
        "values": [None if value is None else float(number(value).replace("−", "-")) for value in case.values],
        "badges": case.badges,
        "tags": case.tags,
        "html": laid_out.html(case, limit),
        "facts": [cut(fact, 120) for fact in case.facts],
        "raters": [cut(rater, 80) for rater in case.raters],
        "rows": [[cut(name, 80), [_rating_cells(cell, limit) for cell in row]] for name, row in case.rows],
        "notes": [[cut(who, 80), cut(note, limit)] for who, note in case.notes],
    }


class _LaidOut:
    """Cache of the HTML of examples' texts, so that texts which are equal once cut are rendered only once."""

    def __init__(self) -> None:
        self._html: dict[Hashable, str] = {}

    def html(self, case: Case, limit: int) -> str:
        """Render the texts of an example as HTML, each cut to `limit` characters; "" if the response isn't known."""
        if case.response is None:
            return ""
        shortening = Shortening(lambda text: cut(text, limit), max(_FEWEST_STEPS, limit // _CHARACTERS_PER_STEP))
        inputs = {cut(name, 80): text for name, text in case.inputs}
        texts = tuple(shortening.cut(text) for text in (case.response, *inputs.values()))
        key = (*inputs, *texts, limit if any(name in STEPPED for name in inputs) else None)
        if key not in self._html:
            submission = Submission(case.response, inputs)
            self._html[key] = render_example(
                submission, list(inputs), level=None, with_raw=False, shortening=shortening
            )
        return self._html[key]


def _rating_cells(cell: RatingCell, limit: int) -> list[Any]:
    """Return a rating as data for the page's script: level, flags, reason, quote and the input the quote is from.

    Empty values at the end are left out.

    Args:
        cell: The rating, as the report shows it.
        limit: Largest number of characters of the reason, and of the quote.
    """
    cells: list[Any] = [
        cut(cell.level, 80),
        int(cell.apart),
        cut(cell.reason or "", limit),
        cut(cell.quote or "", limit),
        "" if cell.quote_in in (None, RESPONSE) else cut(cell.quote_in, 80),
        int(bool(cell.quote) and cell.quote_found is False),
    ]
    while not cells[-1]:
        cells.pop()
    return cells


# --- text -----------------------------------------------------------------------------------------------------------


def cut(text: str, limit: int) -> str:
    """Cut a text to `limit` characters and say how many it had in all; spell out invisible characters.

    >>> cut("safe\\u202eexe.txt", 80), cut("a" * 1000, 5)
    ('safe⟨U+202E⟩exe.txt', 'aaaaa… [cut: 1,000 characters in all]')
    """
    if len(text) <= limit and text.isprintable():
        return text
    shown = _UNUSUAL.sub(lambda match: _spelling(match[0]), text[: limit + 1].replace("\r\n", "\n"))
    if len(text) <= limit and len(shown) <= 2 * limit:
        return shown
    return f"{shown[:limit]}… [cut: {len(text):,} characters in all]"


@cache
def _spelling(letter: str) -> str:
    """Return the code of a character that is invisible or changes how other characters show, else the character."""
    if letter in _JOINERS or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return letter
    return f"⟨U+{ord(letter):04X}⟩"


# --- the template ---------------------------------------------------------------------------------------------------


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("markscheme.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cut": _cut, "kind": lambda value: type(value).__name__, "percent": "{:.2%}".format}
    environment.filters["tick"] = lambda value: signed(value, 0 if value == round(value) else 1)
    environment.globals["signs"] = TONE_SIGNS
    environment.globals["ends_of"] = _ends_of
    environment.globals["plot_of"] = plot_of
    environment.globals["drawn"] = lambda plot: _markup(drawn(plot))
    return environment


def _ends_of(rows: Sequence[Sequence[Line]], column: int) -> tuple[str, str] | None:
    """Return labels for the two ends of the line on which a column draws marks.

    Return None unless all cells of the column are marks on one scale.
    """
    cells = [row[column] for row in rows if column < len(row)]
    marks = [cell for cell in cells if isinstance(cell, Mark)]
    scales = {(mark.lowest, mark.highest) for mark in marks if mark.value is not None}
    if len(marks) < len(cells) or len(scales) != 1:
        return None
    ((lowest, highest),) = scales
    return ("0", "100%") if (lowest, highest) == (0.0, 1.0) else (signed(lowest), signed(highest))


def _markup(text: str) -> Any:
    return Markup(text)  # noqa: S704 - only ever given the page's own style and script, and text escaped before


def _finalized(value: Any) -> Any:
    """Prepare a value for a page: markup stays, other text is cut, and its invisible characters are spelt out."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else cut(value, _LONGEST_LINE)


def _cut(text: str, limit: int) -> Any:
    return _markup(str(escape(cut(text, limit))))
