"""Rendering of texts as safe HTML: Markdown, code, JSON and conversations."""

import io
import json
import re
import time
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Text, _TokenType
from pygments.util import ClassNotFound

from markscheme.json_text import json_or

LONGEST_LAID_OUT = 100_000
"""Largest number of characters of a text that is rendered as Markdown, code or JSON; a longer one is shown as plain
text, so that no browser takes minutes."""
PIECE = 4000
"""Number of characters in each piece into which a long text is split; longer lines are split too."""
FOLDED = 4
"""Number of entries above which a JSON value is folded at first."""
SLOW_TO_HIGHLIGHT = re.compile(r"[^\n]{500}|[ \t]{100}|(?:[ \t]{0,99}\n){50}")
"""Pattern of very long lines and runs of white space, which code doesn't have, and on which highlighting takes
minutes."""
SECONDS_PER_CHARACTER = 2e-5
"""Time limit for highlighting, in seconds per character: ten times as long as it takes for code."""
SECONDS_OF_SHORTEST = 0.2
"""Time limit in seconds for highlighting short code, for which a busy machine may take longer than in proportion."""
TAGS = {
    *("a", "blockquote", "br", "code", "del", "details", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img"),
    *("ins", "li", "ol", "p", "pre", "s", "section", "span", "strong", "summary", "table", "tbody", "td", "th"),
    *("thead", "tr", "ul"),
}
ATTRIBUTES = {"*": {"class", "tabindex", "dir"}, "a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}}
IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[\w+/=]+")
BARE_IMAGE = re.compile(rf"(?<![\w(<\"'])({IMAGE.pattern})")
NESTED = re.compile(r"^(?:[ \t]*(?:>|[-*+][ \t]|\d+[.)][ \t])){9}", re.M)
"""Pattern of quotes and lists nested deeper than the Markdown parser goes, whose content it would drop."""
BROKEN_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*[\[{"])')
"""Pattern of the beginning of JSON; a text that begins so but isn't JSON was cut off, and shown as Markdown it would
lose its brackets."""
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \S+ import|return\b|(?:if|for|while|with|elif|except)\b.*:$|(?:else|try):|@\w"
    r"|#include|func |fn |let |const |var |public |private |package |SELECT |INSERT |//|/\*|[\w.\[\]]+ [-+*/]?= )"
    r"|[;{}]\s*$|^\s*[\w.]+\(.*\)$|^\s*[)\]}]+[,;]?$"
)
LANGUAGES = {
    "python": r"^[ \t]*(?:def \w+\(|async def |import \w+|from \S+ import |elif |except\b)",
    "go": r"^(?:func |package )",
    "rust": r"\bfn \w+|\blet mut ",
    "c": r"^#include",
    "java": r"^[ \t]*public (?:class|static|final)",
    "javascript": r"\b(?:const|let|function)\b|=>",
    "sql": r"^[ \t]*(?:SELECT|INSERT|UPDATE|CREATE)\b",
}


def cleaned(html: str) -> str:
    """Remove all tags and attributes from HTML that aren't allowed, such as scripts, forms and remote images."""
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_allowed,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _allowed(tag: str, name: str, value: str) -> str | None:
    if tag == "img" and name == "src":
        return value if IMAGE.fullmatch(value) else None
    return None if name == "href" and value.lower().startswith("data:") else value


def laid_out(text: str) -> str:
    """Render a text as HTML that still has to be cleaned: JSON as a tree, code highlighted, all else as Markdown."""
    if len(text) > LONGEST_LAID_OUT:
        return plain(text)
    data = json_in(text)
    if data is not None:
        return _tree(data)
    if BROKEN_JSON.match(text):
        return plain(text)
    if _is_code(text):
        return _code(text, next((name for name, hint in LANGUAGES.items() if re.search(hint, text, re.M)), ""))
    return _markdown(text)


def plain(text: str) -> str:
    """Render a text as HTML that shows it unformatted, in pieces that a browser lays out one by one."""
    pieces = "".join(f'<span class="piece">{escape(piece)}</span>' for piece in _pieces(text))
    return f'<pre class="plain" dir="auto" tabindex="0">{pieces}</pre>'


def _pieces(text: str) -> Iterator[str]:
    """Split a text into pieces that a browser lays out one by one, when they come into view."""
    start = 0
    while start < len(text):
        end = start + PIECE
        end = text.rfind("\n", start, end) + 1 or end
        yield text[start:end]
        start = end


# --- Markdown and code ----------------------------------------------------------------------------------------------


def _markdown(text: str) -> str:
    if NESTED.search(text):
        return plain(text)
    return str(_READER.render(BARE_IMAGE.sub(r"![](\1)", text)))


def _image(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    source = str(tokens[index].attrs["src"])
    name = escape(tokens[index].content or "image")
    if IMAGE.fullmatch(source):
        return f'<details class="image"><summary>Image: {name}</summary><img src="{source}" alt="{name}"></details>'
    return f'<a href="{escape(source)}">Image elsewhere: {name} ({escape(source)})</a>'


def _table(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return '<div class="wide" tabindex="0"><table>' if tokens[index].nesting == 1 else "</table></div>"


_READER = MarkdownIt(
    "commonmark", {"html": False, "breaks": True, "highlight": lambda text, language, _: _code(text, language)}
)
_READER.enable(["table", "strikethrough"])
for _name, _rule in (("image", _image), ("table_open", _table), ("table_close", _table)):
    _READER.add_render_rule(_name, _rule)


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return (
        len(lines) > 2 and "```" not in text and sum(bool(_CODE_LINE.search(line)) for line in lines) > len(lines) / 2
    )


_FORMATTER = HtmlFormatter(nowrap=True)
"""Formatter of highlighted code, made only once, since that takes longer than to highlight a short piece of code."""


def _code(text: str, language: str) -> str:
    """Render highlighted code with a span for each line.

    The page's style sheet shows line numbers, which aren't copied when a reader selects and copies the code.
    """
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    shown = io.StringIO()
    _FORMATTER.format(_tokens(lexer, text.rstrip("\n") + "\n"), shown)
    lines = shown.getvalue().rstrip("\n").split("\n")
    numbered = "".join(f'<span class="line">{line}\n</span>' for line in lines)
    return f'<pre class="code" tabindex="0"><code>{numbered}</code></pre>'


def _tokens(lexer: Lexer, text: str) -> Iterator[tuple[_TokenType, str]]:
    """Yield the tokens of code until a time limit is over; all code after that is one plain token.

    The limit is looked at after each token. Some patterns of lexers take a time that grows with the square of a line's
    length, so a text with a very long line, or a long run of white space, is one plain token from the start.
    """
    if SLOW_TO_HIGHLIGHT.search(text):
        yield Text, text
        return
    ends = time.thread_time() + max(SECONDS_OF_SHORTEST, len(text) * SECONDS_PER_CHARACTER)
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        if time.thread_time() > ends:
            yield Text, text[start:]
            return
        yield kind, value


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_in(text: str) -> Any:
    """Parse a text that is a JSON object or list; None if it is anything else or empty."""
    if text.strip()[:1] not in ("{", "["):
        return None
    return json_or(text, None) or None


def _tree(value: Any, name: str | None = None, depth: int = 0) -> str:
    key = f'<span class="na">{escape(name)}</span>: ' if name else ""
    if not isinstance(value, dict | list) or not value or depth > 30:
        return f'<div class="leaf">{key}{_leaf(value)}</div>'
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    inside = "".join(_tree(inner, str(key_or_place), depth + 1) for key_or_place, inner in entries)
    count = f"{len(value)} {'key' if isinstance(value, dict) else 'entry' if len(value) == 1 else 'entries'}"
    count += "s" if isinstance(value, dict) and len(value) != 1 else ""
    title = f"{key}{'{…}' if isinstance(value, dict) else '[…]'} {count}"
    if depth == 0 or (depth == 1 and len(value) <= FOLDED):
        return f'<div class="tree"><div class="leaf">{title}</div><div class="inside">{inside}</div></div>'
    return f'<details class="tree"><summary>{title}</summary><div class="inside">{inside}</div></details>'


def _leaf(value: Any) -> str:
    if isinstance(value, str) and IMAGE.fullmatch(value):
        return f'<details class="image"><summary>Image</summary><img src="{value}" alt="image"></details>'
    kind = "s" if isinstance(value, str) else "m"
    return f'<span class="{kind}">{escape(value if isinstance(value, str) else json.dumps(value))}</span>'
