"""Rendering of an agent's steps as a tree to unfold: calls with their arguments, results, errors and times."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from markscheme.json_text import json_or
from markscheme.pages.markup import laid_out, plain
from markscheme.phrases import number
from markscheme.prompts.steps import SPAN, SPAN_RESULT, TOOL_CALL, TOOL_RESULT, AgentStep

LONGEST_GIST = 160
"""Largest number of characters of arguments or a result on a folded step's line: more than fit on a wide screen."""
LONGEST_OPEN = 2_500
"""Largest number of characters of a message that is shown unfolded: about a screen."""
DEEPEST = 8
"""Largest depth to which nested steps are indented; more doesn't fit on a phone."""
_FOLDED_ROLES = ("system", "developer")
"""Roles whose messages are folded, since people rarely read them again."""


@dataclass
class StepNode:
    """Node of the tree of an agent's steps: a step, its result, and the steps inside it.

    Attributes:
        number: The step's number, as verdicts cite it; None if steps aren't numbered.
        step: The step.
        result: Number and step of the result, if the step is a call that has one; else None.
        inside: Nodes of the steps inside this one.
    """

    number: int | None
    step: AgentStep
    result: tuple[int | None, AgentStep] | None = None
    inside: list["StepNode"] = field(default_factory=list)

    @property
    def steps(self) -> tuple[AgentStep, ...]:
        """The step of this node and, if the node has a result, the step that holds the result."""
        return (self.step,) if self.result is None else (self.step, self.result[1])

    @cached_property
    def failed(self) -> bool:
        """True if the step or its result reports an error; ask for it only when the tree is complete."""
        return any(step.failed or _is_error(step) for step in self.steps)

    @property
    def numbers(self) -> str:
        """The number of this node's step and, if there is one, that of the step with its result."""
        if self.number is None:
            return ""
        if self.result is None or self.result[0] is None:
            return str(self.number)
        after = self.result[0]
        return f"{self.number}–{after}" if after == self.number + 1 else f"{self.number}, {after}"

    def gets(self, result: AgentStep) -> bool:
        """Return True if a step holds the result of this node's tool call or span."""
        if self.result is not None or self.step.role not in (TOOL_CALL, SPAN):
            return False
        if self.step.call and result.call:
            return self.step.call == result.call
        return self.step.title == result.title


def tree_of(numbered: Sequence[tuple[int | None, AgentStep]]) -> list[StepNode]:
    """Build the tree of an agent's steps, numbered or not, and return its outermost nodes in order."""
    roots: list[StepNode] = []
    nodes: list[StepNode] = []
    around: list[StepNode] = []
    for step_number, step in numbered:
        if step.role in (TOOL_RESULT, SPAN_RESULT):
            call = next((node for node in reversed(nodes) if node.gets(step)), None)
            if call is not None:
                call.result = (step_number, step)
                continue
        while around and around[-1].step.depth >= step.depth:
            around.pop()
        node = StepNode(step_number, step)
        (around[-1].inside if around else roots).append(node)
        around.append(node)
        nodes.append(node)
    return roots


def count_failed(nodes: Iterable[StepNode]) -> int:
    """Count the steps in a tree that report an error, at any depth."""
    return sum(node.failed + count_failed(node.inside) for node in nodes)


def tree_html(nodes: Iterable[StepNode], *, is_laid_out: bool = True) -> str:
    """Render a tree of steps as HTML, with texts as Markdown, code or JSON if `is_laid_out`, else as plain text."""
    return "".join(_nodes(nodes, is_laid_out, 0))


def _nodes(nodes: Iterable[StepNode], is_laid_out: bool, depth: int) -> Iterator[str]:
    for node in nodes:
        yield _card(node, is_laid_out) if _is_folded(node.step) else _turn(node, is_laid_out)
        if node.inside:
            inside = "".join(_nodes(node.inside, is_laid_out, depth + 1))
            yield f'<div class="inside">{inside}</div>' if depth < DEEPEST else inside


def _is_folded(step: AgentStep) -> bool:
    is_message = step.role not in (TOOL_CALL, TOOL_RESULT, SPAN, SPAN_RESULT)
    return not is_message or step.role in _FOLDED_ROLES or len(step.text) > LONGEST_OPEN


def _turn(node: StepNode, is_laid_out: bool) -> str:
    role = f'<p class="who">{_numbers(node)}{escape(node.step.head)}</p>'
    return f'<section class="turn">{role}{_shown(node.step.text, is_laid_out)}</section>'


def _card(node: StepNode, is_laid_out: bool) -> str:
    step = node.step
    is_call = step.role == TOOL_CALL
    name = step.title if is_call and step.title else step.head
    outcome = "" if node.result is None else f'<code class="outcome">→ {escape(_gist(node.result[1]))}</code>'
    words = _gist(step)
    gist = f'<span class="gist"><code>{escape(words)}</code>{outcome}</span>' if words or outcome else ""
    summary = f'{_numbers(node)}<span class="name">{escape(name)}</span>{_timing(node)}{gist}'
    heading = "called with" if is_call else "text"
    parts = [_part(node.number, heading, step, is_laid_out)] if step.text else []
    if node.result is not None:
        parts.append(_part(node.result[0], "result", node.result[1], is_laid_out))
    kind = "step failed" if node.failed else "step"
    return f'<details class="{kind}"><summary>{summary}</summary>{"".join(parts)}</details>'


def _numbers(node: StepNode) -> str:
    return f'<span class="number"><span class="hidden">Step </span>{node.numbers}</span>' if node.numbers else ""


def _timing(node: StepNode) -> str:
    """Render the end of a step's one-line form: that it failed, if it did, and how long it took."""
    seconds = next((step.seconds for step in node.steps if step.seconds is not None), None)
    time = "" if seconds is None else f"{number(seconds, 1)} s"
    if node.failed:
        return f'<span class="time"><strong>error</strong>{f" · {time}" if time else ""}</span>'
    return f'<span class="time">{time}</span>' if time else ""


def _part(step_number: int | None, heading: str, step: AgentStep, is_laid_out: bool) -> str:
    prefix = "" if step_number is None else f"Step {step_number}: "
    return f'<div class="part"><p class="who">{prefix}{heading}</p>{_shown(step.text, is_laid_out)}</div>'


def _shown(text: str, is_laid_out: bool) -> str:
    if not text:
        return ""
    return laid_out(text) if is_laid_out else plain(text)


def _gist(step: AgentStep) -> str:
    """Return a step's arguments or text on one line, cut after the beginning."""
    called_with = step.called_with
    text = json.dumps(called_with, ensure_ascii=False, default=str) if isinstance(called_with, Mapping) else step.text
    line = " ".join(text[: 4 * LONGEST_GIST].split())
    return line if len(line) <= LONGEST_GIST else f"{line[:LONGEST_GIST]}…"


def _is_error(step: AgentStep) -> bool:
    """Return True if a step is a tool's result in the form of a JSON object with an error."""
    if step.role != TOOL_RESULT or not step.text.startswith("{"):
        return False
    data = json_or(step.text, None)
    return isinstance(data, dict) and bool(data.get("error"))
