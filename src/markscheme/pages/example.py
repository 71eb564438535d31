"""Rendering of an example as HTML: its inputs, an agent's steps, the response, and differences from a reference."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from html import escape
from typing import Final

from markscheme.pages.markup import LONGEST_LAID_OUT, cleaned, json_in, laid_out, plain
from markscheme.pages.steps import StepNode, count_failed, tree_html, tree_of
from markscheme.phrases import counted
from markscheme.prompts.parts import PartedText, ShownPart
from markscheme.prompts.steps import AgentStep, Trajectory, has_tool_calls, read_steps, trajectories
from markscheme.prompts.submission import Submission

MOST_COMPARED = 4_000_000
"""Largest number of pairs of lines or words that are compared to find a difference."""
MOST_BYTES_IN_REPORT = 200_000
"""Largest size in bytes of an image or document in a page with shortened texts, so that a page with many examples
can be mailed."""
MOST_BYTES_IN_SHEET = 10_000_000
"""Largest total size in bytes of the images and documents in a page that is sent as a file, so that the page can be
mailed; a judgement."""
TOO_LARGE = "Too large for this page"
_LINES = re.compile(r"[^\n]+\n?|\n")
_WORDS = re.compile(r"\s+|\S+")


def _too_large(shown_part: ShownPart) -> str | None:
    """Return the words that a page shows in place of a too large image or document; None if it isn't too large."""
    return f"{TOO_LARGE}: {shown_part.mark}" if shown_part.size > MOST_BYTES_IN_REPORT else None


@dataclass(frozen=True)
class Shortening:
    """Rule for how much of a text a page shows, and which images and documents it contains.

    Attributes:
        cut: Function that shortens one text, and marks it as shortened.
        steps: Largest number of an agent's steps that are shown; if there are more, those in the middle are left out.
        instead: Function that returns words to show in place of an image or document, or None to show it.
        address: URL under which a server has images and documents, each by its digest; None for a page without a
            server.
    """

    cut: Callable[[str], str]
    steps: int
    instead: Callable[[ShownPart], str | None] = _too_large
    address: str | None = None


SERVED: Final = Shortening(str, sys.maxsize, lambda _: None, "part/")
"""Rule of shortening for a page that a server sends: everything is shown in full."""


def whole_texts(sent_along: set[str]) -> Shortening:
    """Return the Shortening for a page that is sent as a file: uncut texts, and files embedded up to a size limit.

    Args:
        sent_along: A set to which the names of files beyond the limit are added, which the page doesn't contain.
    """
    left = MOST_BYTES_IN_SHEET

    def instead(shown_part: ShownPart) -> str | None:
        nonlocal left
        if shown_part.path is None or shown_part.size <= left:
            left -= shown_part.size
            return None
        name = os.path.relpath(shown_part.path)
        sent_along.add(name)
        return f"In a file that comes with this page: {name}"

    return Shortening(str, sys.maxsize, instead)


def render_example(
    submission: Submission,
    names: Sequence[str],
    *,
    level: int | None = 2,
    with_raw: bool = True,
    shortening: Shortening | None = None,
) -> str:
    """Render a response and its inputs as safe HTML, each under a heading.

    Args:
        submission: The response with its inputs.
        names: The inputs to show, in this order; a missing one is shown as missing.
        level: Level of the headings, 2 for those right below a page's title; None for names that aren't headings.
        with_raw: True to include each text a second time, hidden and unrendered.
        shortening: Rule by which long texts are shortened; None to show them in full.
    """
    inputs = submission.inputs
    cut = shortening.cut if shortening is not None else str
    steps = trajectories(inputs, names)
    parts: list[str] = []
    for name in names:
        if name not in inputs:
            parts.append(f'{_heading(name, level)}<p class="missing">This response comes without one.</p>')
        elif name in steps:
            is_laid_out = len(inputs[name]) <= LONGEST_LAID_OUT
            laid_out_steps = _steps(steps[name], level, shortening, is_laid_out=is_laid_out)
            parts.append(_with_parts(laid_out_steps, inputs[name], shortening))
        else:
            parts.append(f'{_heading(name, level)}<div class="input">{_text(inputs[name], with_raw, shortening)}</div>')
    texts = {name: _text(text, with_raw, shortening) for name, text in submission.texts.items()}
    parts.append(_judged(texts, level))
    reference = inputs.get("reference") if "reference" in names else None
    if reference and (difference := render_difference(cut(reference), cut(submission.response))):
        parts.append(f'<details class="diff"><summary>Difference from the reference</summary>{difference}</details>')
    return "".join(parts)


def render(text: str) -> str:
    """Render a text as safe HTML, without scripts, styles, forms or anything that loads by itself.

    A JSON value becomes a folded tree, a list of messages a conversation; a text of which most lines are code is
    highlighted, and anything else is read as Markdown. Images in data URLs are folded, remote ones become links.
    """
    if len(text) <= LONGEST_LAID_OUT and _is_conversation(json_in(text)):
        return cleaned(tree_html(tree_of([(None, step) for step in read_steps(text)])))
    return cleaned(laid_out(text))


def _judged(texts: Mapping[str, str], level: int | None) -> str:
    """Render a response; of a pair, render both responses next to each other, with numbers.

    Args:
        texts: The response's HTML by its name; two for a pair.
        level: Level of the headings; None for names that aren't headings.
    """
    sections = [f'<div class="response">{text}</div>' for text in texts.values()]
    if len(sections) == 1:
        return f"{_heading('Response', level)}{sections[0]}"
    panes = [
        f"<section>{_heading(f'Response {ordinal}', level)}{section}</section>"
        for ordinal, section in enumerate(sections, start=1)
    ]
    return f'<div class="pair">{"".join(panes)}</div>'


def _heading(name: str, level: int | None, more: str | None = None) -> str:
    tag = "p" if level is None else f"h{level}"
    return f'<{tag} class="named">{escape(name[:1].upper() + name[1:])}{more or ""}</{tag}>'


def _tree(trajectory: Trajectory, shortening: Shortening | None) -> list[StepNode]:
    if shortening is None:
        return tree_of(trajectory.numbered)
    shown: list[tuple[int | None, AgentStep]] = [
        (step_number, replace(step, text=shortening.cut(step.text))) for step_number, step in trajectory.numbered
    ]
    left_out = len(shown) - shortening.steps
    if left_out > 0:
        half = shortening.steps // 2
        note = AgentStep("", text=f"{counted(left_out, 'step')} left out here for length.")
        shown[half : half + left_out] = [(None, note)]
    return tree_of(shown)


def _steps(trajectory: Trajectory, level: int | None, shortening: Shortening | None, *, is_laid_out: bool) -> str:
    tree = _tree(trajectory, shortening)
    count = f'<span class="count"> · {counted(len(trajectory.steps), "step")}</span>'
    failed = count_failed(tree)
    if failed:
        count += f'<span class="count error"> · {counted(failed, "error")}</span>'
    open_all = '<button type="button" class="quiet open-all" aria-expanded="false">Open all</button>'
    shown = cleaned(tree_html(tree, is_laid_out=is_laid_out))
    return f'{_heading(trajectory.name, level, count)}{open_all}<div class="input steps">{shown}</div>'


def _with_parts(html: str, text: str, shortening: Shortening | None) -> str:
    """Insert images and documents into a text's HTML in place of their marks; those without a mark go to the end.

    Args:
        html: The HTML, with the marks.
        text: The text that the HTML was made from, with its images and documents.
        shortening: Words or addresses that take the place of contents, to keep the page small; None to insert contents.
    """
    for shown_part in text.parts if isinstance(text, PartedText) else ():
        words = None if shortening is None else shortening.instead(shown_part)
        address = None if shortening is None else shortening.address
        inner = shown_part.html(address) if words is None else f'<p class="missing">{escape(words)}</p>'
        html = html.replace(shown_part.mark, inner, 1) if shown_part.mark in html else html + inner
    return html


def _text(whole: str, with_raw: bool, shortening: Shortening | None = None) -> str:
    text = whole if shortening is None else shortening.cut(whole)
    if not text.strip():
        return '<p class="missing">Empty: there is no text.</p>'
    if len(text) > LONGEST_LAID_OUT:
        return plain(text)
    raw = f'<pre class="raw" dir="auto" tabindex="0" hidden>\n{escape(text)}</pre>' if with_raw else ""
    return f'<div class="rendered">{_with_parts(render(text), whole, shortening)}</div>{raw}'


def _is_conversation(data: object) -> bool:
    messages = data.get("messages") if isinstance(data, Mapping) else data
    is_list = isinstance(messages, list) and all(
        isinstance(message, Mapping) and isinstance(message.get("role"), str) for message in messages
    )
    return is_list or has_tool_calls(data)


# --- differences ----------------------------------------------------------------------------------------------------


def render_difference(reference: str, response: str) -> str:
    """Render the difference between a response and a reference, by lines or, for short texts, words; "" if too long."""
    by_line = reference.count("\n") > 2 or response.count("\n") > 2
    before, after = ((_LINES if by_line else _WORDS).findall(text) for text in (reference, response))
    if len(before) * len(after) > MOST_COMPARED:
        return ""
    return f'<pre class="plain" dir="auto" tabindex="0">{"".join(_changes(before, after))}</pre>'


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for operation, low, high, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation == "equal":
            yield escape("".join(before[low:high]))
            continue
        yield f"<del>{escape(''.join(before[low:high]))}</del>" if high > low else ""
        yield f"<ins>{escape(''.join(after[start:end]))}</ins>" if end > start else ""
