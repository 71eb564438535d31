"""An agent's messages, tool calls and spans as numbered steps, and the excerpt that is shown to a judge."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import groupby, takewhile
from typing import Any, TypeAlias

from markscheme.json_text import json_or
from markscheme.prompts.traces import TRACES, TraceSpan
from markscheme.rubrics.inputs import STEPPED
from markscheme.text import encodable

MOST_SHOWN_CHARACTERS = 60_000
"""Largest number of characters of an input's steps that are shown to a judge; beyond that, steps are left out."""
MOST_TALKS = 20
"""Largest number of a trace's conversations, the latest ones, that a span's messages are compared with; agents
seldom have more at once."""
MOST_OF_STEP, END_OF_STEP = 4_000, 1_000
"""Largest number of characters shown of one step, and the number of them that are from its end."""

_NOT_SPACE = re.compile(r"\S")
_PARTS = ("messages", "trajectory", "steps", "tool_calls", "toolCalls")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_RESULTS = ("output", "result", "response")
_CALLED = ("function", "functionCall", "toolUse")
_ABOUT_MESSAGE = ("role", "type", "id", "content", "tool_calls", "source", "model", "name")
"""Names of fields that are about a message and aren't its text; any other field is shown if the content is missing."""


@dataclass(frozen=True, slots=True)
class AgentStep:
    """Action or message of an agent, its user or a tool.

    Attributes:
        role: Role: `user`, `assistant`, `system`, `tool call`, `tool result`, or the kind of span.
        title: Name of the tool or the span; "" if there is none.
        text: Text of the message, the arguments or the result.
        arguments: Arguments of a tool's call, unchanged.
        call: Id that a tool's call and its result share; "" if there is none.
        failed: True if the tool or the span reports an error.
        seconds: Duration of the tool's call or the span in seconds; None if it isn't known.
        depth: Number of spans or calls that it is inside of.
    """

    role: str
    title: str = ""
    text: str = ""
    arguments: Any = field(default=None, compare=False, repr=False)
    call: str = field(default="", compare=False, repr=False)
    failed: bool = field(default=False, compare=False, repr=False)
    seconds: float | None = field(default=None, compare=False, repr=False)
    depth: int = field(default=0, compare=False, repr=False)

    @property
    def called_with(self) -> Any:
        """Arguments of a tool as data; arguments that aren't JSON stay text."""
        if not isinstance(self.arguments, str):
            return self.arguments
        return json_or(self.arguments, self.arguments)

    @property
    def head(self) -> str:
        """Role of the step (agent, user or tool) and its title, on one line."""
        return " ".join(f"{self.role} {self.title}".split())

    @property
    def words(self) -> str:
        """The step as a judge sees it: role and title, then the text, without its middle if it is long."""
        text = self.text
        head = self.head
        if len(text) > MOST_OF_STEP:
            unshown = len(text) - MOST_OF_STEP
            start = text[: MOST_OF_STEP - END_OF_STEP]
            end = text[-END_OF_STEP:]
            text = f"{start}\n[… {unshown:,} characters left out …]\n{end}"
        return "\n".join(line for line in (head[:MOST_OF_STEP], text) if line)

    def is_asked_for(self, names: Iterable[str]) -> bool:
        """Return True if the step's role, title, or both together match one of these names; * matches anything."""
        names_of_step = {self.role.casefold(), self.title.casefold(), self.head.casefold()}
        return any(fnmatchcase(name_of_step, name.casefold()) for name in names for name_of_step in names_of_step)


Excerpt: TypeAlias = tuple[tuple[str, str], ...]
"""Excerpt of a trajectory: pairs of a name, `step 4` or `left out`, and the step's text or a note on what is left
out, in order."""
LEFT_OUT = "left out"


def steps_shown(excerpt: Excerpt) -> dict[str, str]:
    """Map the name of each step that an excerpt keeps, such as "step 4", to its text."""
    return {name: words for name, words in excerpt if name != LEFT_OUT}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The steps of one input; numbering continues over all such inputs of a submission.

    Attributes:
        name: Name of the input.
        steps: At least one step, in order.
        first: Number of the first step.
    """

    name: str
    steps: tuple[AgentStep, ...]
    first: int = 1

    @property
    def numbered(self) -> list[tuple[int, AgentStep]]:
        """The steps of the trajectory, each with its number."""
        return list(enumerate(self.steps, start=self.first))

    def excerpt(self, asked_for: Sequence[str] = (), room: int = MOST_SHOWN_CHARACTERS) -> tuple[Excerpt, str | None]:
        """Select steps that fit into `room` characters; return them, and a note on what isn't shown or None.

        The first and last step are chosen first, then steps asked for, then further steps from both ends inwards.

        Args:
            asked_for: Names of roles and tools, in which * matches anything.
            room: Largest number of characters of all steps together. The first and the last step are always shown.

        Returns:
            The excerpt, and a note for the grade on what isn't shown, None if everything is shown.

        Example:
            >>> steps = [AgentStep("user", text="Go."), *[AgentStep("assistant", text="Wait.")] * 8, AgentStep("end")]
            >>> Trajectory("trace", tuple(steps)).excerpt(room=40)[1]
            'trace: 7 of 10 steps (3 to 9)'
        """
        words = [step.words for step in self.steps]
        shown = self._shown_steps([len(text) for text in words], asked_for, room)
        pieces: list[tuple[str, str]] = []
        ranges: list[str] = []
        for is_kept, places in groupby(range(len(words)), shown.__contains__):
            group = list(places)
            if is_kept:
                pieces += [(f"step {self.first + of_step}", words[of_step]) for of_step in group]
                continue
            numbers = span_of(self.first + group[0], self.first + group[-1])
            pieces.append((LEFT_OUT, f"{'Step' if len(group) == 1 else 'Steps'} {numbers} left out here for length."))
            ranges.append(numbers)
        shortened = sum(index in shown and len(step.text) > MOST_OF_STEP for index, step in enumerate(self.steps))
        lost = [f"{len(words) - len(shown)} of {len(words)} steps ({', '.join(ranges)})"] if ranges else []
        lost += [f"the middle of {shortened} long step{'s' * (shortened > 1)}"] if shortened else []
        return tuple(pieces), f"{self.name}: {' and '.join(lost)}" if lost else None

    def _shown_steps(self, lengths: Sequence[int], asked_for: Sequence[str], room: int) -> set[int]:
        """Choose the steps of the trajectory that are shown; return their indices.

        Args:
            lengths: Number of characters of each step.
            asked_for: Names of roles and tools, in which * matches anything, whose steps are chosen first.
            room: Largest number of characters in all; the first and the last step are chosen even if it is too small.
        """
        last = len(lengths) - 1
        if sum(lengths) <= room:
            return set(range(last + 1))
        shown = {0, last}
        room -= lengths[0] + lengths[last]
        requested = [index for index, step in enumerate(self.steps) if step.is_asked_for(asked_for)]
        inwards = [of_step for pair in zip(range(last), range(last, 0, -1), strict=True) for of_step in pair]
        for of_step in dict.fromkeys((*requested, *inwards)):
            if of_step in shown:
                continue
            room -= lengths[of_step]
            if room < 0:
                break
            shown.add(of_step)
        return shown


def span_of(low: int, high: int) -> str:
    """Write two numbers as a range such as "3 to 9", or as one number if they are equal."""
    return str(low) if low == high else f"{low} to {high}"


def trajectories(inputs: Mapping[str, str], names: Iterable[str]) -> dict[str, Trajectory]:
    """Read the steps in the named inputs, in the order of `names`; leave out inputs without steps.

    Args:
        inputs: All inputs of a submission, as text.
        names: Names of the inputs to read.

    Example:
        >>> found = trajectories({"messages": '[{"role": "user", "content": "Hi"}]', "trace": "[]"}, STEPPED)
        >>> found["messages"].numbered
        [(1, AgentStep(role='user', title='', text='Hi'))]
    """
    by_name: dict[str, Trajectory] = {}
    first = 1
    for name in names:
        if name in STEPPED and name in inputs and (steps := tuple(read_steps(inputs[name]))):
            by_name[name] = Trajectory(name, steps, first)
            first += len(steps)
    return by_name


# --- the shapes that steps come in ----------------------------------------------------------------------------------


def read_steps(value: Any) -> list[AgentStep]:
    """Read the steps in messages, tool calls, turns of a conversation or spans; empty for anything else.

    Args:
        value: Plain data or JSON. Messages and calls may be those of OpenAI, Anthropic, Inspect or LangChain; spans
            those of Promptfoo, MLflow, Phoenix or OpenTelemetry (OTLP JSON, or one or several outputs of its SDK's
            `to_json`). In a list of anything else, each entry is a step.

    Example:
        >>> read_steps({"tool_calls": [{"function": {"name": "search", "arguments": '{"q": "tea"}'}}]})
        [AgentStep(role='tool call', title='search', text='{"q": "tea"}')]
    """
    try:
        return _read(_parsed(value) if isinstance(value, str) else value)
    except (ValueError, RecursionError):
        return []


def _parsed(text: str) -> Any:
    """Parse JSON; several spans after each other, as exporters write them, become a list.

    Raises:
        ValueError: The text isn't JSON, or has several values that aren't spans.
    """
    try:
        return json.loads(text)
    except ValueError:
        values = list(_one_by_one(text))
        if not _spans_in(values):
            raise
        return values


def _one_by_one(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    position = 0
    while value_starts := _NOT_SPACE.search(text, position):
        value, position = decoder.raw_decode(text, value_starts.start())
        yield value


def _spans_in(value: Any) -> list[TraceSpan]:
    """Read the spans of a trace; empty if the value isn't a trace."""
    if not isinstance(value, Mapping | list):
        return []
    return next((spans for read in TRACES if (spans := read(value))), [])


def _read(value: Any) -> list[AgentStep]:
    if spans := _spans_in(value):
        return list(_of_spans(spans))
    if isinstance(value, Mapping):
        return _in_object(value)
    if not isinstance(value, list) or not any(isinstance(message, Mapping | str) for message in value):
        return []
    called: dict[str, str] = {}
    return [step for message in value for step in _of_message(message, called)]


def steps_of(inputs: Mapping[str, Any]) -> tuple[AgentStep, ...]:
    """Return the steps that a code check is about: those of `trace`, else those of `messages` and `tool_calls`.

    Raises:
        ValueError: All these inputs are missing, or none of them has steps; an empty list is an agent that did nothing.
    """
    traced = read_steps(inputs.get("trace"))
    steps = traced or [step for name in ("messages", "tool_calls") for step in read_steps(inputs.get(name))]
    if steps or any(_is_empty_list(inputs.get(name)) for name in ("trace", "messages", "tool_calls")):
        return tuple(steps)
    names = [name for name in ("trace", "messages", "tool_calls") if inputs.get(name)]
    if names:
        raise ValueError(f"{', '.join(names)} holds no steps in a form that is known")
    raise ValueError("there is no trace, messages or tool_calls: name one in the rubric's `inputs` and give it")


def _is_empty_list(value: Any) -> bool:
    return value == [] or (isinstance(value, str) and value.strip() == "[]")


def steps_for(name: str, inputs: Iterable[str], values: Mapping[str, Any]) -> Any:
    """Choose, among the values that a tool gave, one with an agent's steps for an input of the rubric; else None.

    Args:
        name: Name of the input: "trace", "messages" or "tool_calls".
        inputs: Names of the inputs that the rubric declares. If only one of them is for steps, that input gets any
            available steps.
        values: The available values by name.
    """
    alone = len({*STEPPED} & {*inputs}) == 1
    return next((values[key] for key in ((name, *values) if alone else (name,)) if read_steps(values.get(key))), None)


def steps_elsewhere(name: str, names: Iterable[str]) -> bool:
    """Return True if an input for an agent's steps may be missing, since another input has steps.

    Args:
        name: Name of the input that may be missing.
        names: Names of the inputs that there are.

    >>> steps_elsewhere("messages", ["query", "trace"]), steps_elsewhere("query", ["trace"])
    (True, False)
    """
    return name in STEPPED and any(another_name in STEPPED and another_name != name for another_name in names)


def has_tool_calls(value: Any) -> bool:
    """Return True if a model's output is or contains tool calls."""
    return isinstance(value, Mapping | list) and any(step.role == TOOL_CALL for step in read_steps(value))


TOOL_CALL = "tool call"
TOOL_RESULT = "tool result"
SPAN = "span"
SPAN_RESULT = "result of"


def _in_object(value: Mapping[str, Any]) -> list[AgentStep]:
    if isinstance(value.get("spans"), list):
        return _read(value["spans"])
    if isinstance(value.get("data"), Mapping) or _spans_in(value.get("data")):
        return _read(value["data"])
    parts: list[Any] = next((value[key] for key in _PARTS if isinstance(value.get(key), list)), [])
    if parts and "role" not in value:
        return _read(parts)
    called: dict[str, str] = {}
    steps = list(_of_message(value, called))
    return steps if "role" in value or called else []


def _of_message(message: Any, called: dict[str, str]) -> Iterator[AgentStep]:
    """Yield the steps in a single message, part of a message, tool call, tool result or turn.

    Args:
        message: The message as parsed data.
        called: Names of the called tools, by the call's id; new calls are added.
    """
    if not isinstance(message, Mapping):
        yield AgentStep("", text=_words_of_value(message))
    elif call := _call(message, called):
        yield call
        results = (message[key] for key in _RESULTS if message.get(key) is not None)  # in the call itself
        yield from (AgentStep(TOOL_RESULT, call.title, _joined(result), call=call.call) for result in results)
    elif message.get("role") in ("tool", "function") or message.get("type") in ("tool_result", "function_call_output"):
        id = _words_of_value(first_value(message, ("tool_call_id", "call_id", "tool_use_id")))
        name = _words_of_value(first_value(message, ("name", "function"))) or called.get(id, "")
        error = [f"error: {_words_of_value(message['error'])}"] if message.get("error") else []
        text = _joined(next((message[key] for key in ("content", *_RESULTS) if key in message), ""))
        failed = bool(error or message.get("is_error") or message.get("status") == "error")
        yield AgentStep(TOOL_RESULT, name, "\n".join([*error, text] if text else error), call=id, failed=failed)
    elif "output" in message and ("prompt" in message or "input" in message):
        yield AgentStep("user", text=_joined(message.get("input") or message.get("prompt")))
        yield from read_steps(message["output"]) or [AgentStep("assistant", text=_joined(message["output"]))]
    elif "role" in message or "content" in message:
        yield from _steps_of_message(message, called)
    else:
        yield AgentStep("", text=_words_of_value(message))


def _steps_of_message(message: Mapping[str, Any], called: dict[str, str]) -> Iterator[AgentStep]:
    """Yield the texts, tool calls and tool results in a message's content, in order, then calls in its `tool_calls`.

    Args:
        message: The message.
        called: Names of the tools called so far, by the call's id, for messages that hold results; calls are added.
    """
    role = str(message.get("role") or message.get("type") or "message")
    content = message.get("content")
    if content is None and not message.get("tool_calls"):
        details = {key: value for key, value in message.items() if key not in _ABOUT_MESSAGE}
        yield from [AgentStep(role, text=_words_of_value(details))] if details else []
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, Mapping) and block.get("type") in ("tool_use", "tool_result"):
            yield from _of_message(block, called)
        elif text := _joined([block] if isinstance(block, Mapping) else block):
            is_thought = isinstance(block, Mapping) and block.get("type") in ("reasoning", "thinking")
            yield AgentStep(role, "reasoning" if is_thought else "", text)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else [calls] if calls else []:
        yield from _of_message(call, called)


def _call(call: Mapping[str, Any], called: dict[str, str]) -> AgentStep | None:
    inner = next((call[key] for key in _CALLED if isinstance(call.get(key), Mapping)), call)
    name = first_value(inner, ("name", "function", "tool", "toolName"))
    arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if not isinstance(name, str) or "content" in call or (arguments is None and inner is call):
        return None
    id = _words_of_value(first_value(call, ("call_id", "id")))
    called[id] = name
    return AgentStep(TOOL_CALL, name, _words_of_value(arguments), arguments, call=id)


def _of_spans(spans: Sequence[TraceSpan]) -> Iterator[AgentStep]:
    """Yield each span's input, then the spans inside it by start time, then its output."""
    talk = _Talk.about(spans)
    known_ids = {span.id for span in spans}
    within: dict[str, list[TraceSpan]] = {}
    for span in sorted(spans, key=lambda span: span.start):
        is_inside = span.parent in known_ids and span.parent != span.id
        within.setdefault(span.parent if is_inside else "", []).append(span)
    while within:  # in a cycle no span is outermost, so the first is treated as such
        outermost = within.pop("" if "" in within else next(iter(within)))
        waiting: list[tuple[TraceSpan | AgentStep, int]] = [(span, 0) for span in reversed(outermost)]
        while waiting:
            node, depth = waiting.pop()
            if isinstance(node, AgentStep):
                yield replace(node, depth=depth)
                continue
            inner = within.pop(node.id, []) if node.id else []
            opening = [*talk.heard(node), *_opening_step(node)]
            after = [*talk.answered(node), *_after(node)]
            has_more = bool(inner or after or talk.is_of(node))
            before = [step for step in opening if step.text or not has_more]
            yield from (replace(step, depth=depth) for step in before)
            is_shown = any(step.role in (TOOL_CALL, SPAN) for step in before)
            waiting += [(step, depth) for step in reversed(after)]
            waiting += [(span, depth + is_shown) for span in reversed(inner)]


def _opening_step(span: TraceSpan) -> list[AgentStep]:
    """Return the step with which a span begins, before the spans inside it: name, arguments, attributes and events."""
    facts = [f"{key}: {_words_of_value(value)}" for key, value in span.rest.items()]
    facts += [f"event {name}: {_words_of_value(value)}" if value else f"event {name}" for name, value in span.events]
    received = [_words_of_value(span.received)] if span.received is not None and span.prompt is None else []
    words = "\n".join([*received, *facts])
    role = TOOL_CALL if span.is_tool else SPAN
    arguments = span.received if span.is_tool else None
    return [AgentStep(role, span.name, words, arguments, span.id, bool(span.failure), span.seconds)]


def _after(span: TraceSpan) -> list[AgentStep]:
    """Return the step with a span's result or failure in a list; [] if neither is known.

    It comes at the span's end, after the steps of the spans inside the span.
    """
    failure = [f"failed: {span.failure}"] if span.failure else []
    gave = [_words_of_value(span.gave)] if span.gave is not None and span.answered is None else []
    if not failure and not gave:
        return []
    role = TOOL_RESULT if span.is_tool else SPAN_RESULT
    words = "\n".join([*failure, *gave])
    return [AgentStep(role, span.name, words, call=span.id, failed=bool(failure), seconds=span.seconds)]


@dataclass
class _Talk:
    """Reader of the messages that a trace's models received and sent, which yields each message only once.

    A model receives all earlier messages, so a span's messages repeat those of earlier spans. If tools have spans of
    their own, a model's request for a tool isn't a second call, and a result in a message isn't a second result.

    Attributes:
        tools: Names of the tools that have spans.
        results: Names of the tools and texts of their results.
        earlier: Messages of earlier spans, as steps.
    """

    tools: frozenset[str]
    results: frozenset[tuple[str, str]]
    earlier: list[list[AgentStep]]

    @classmethod
    def about(cls, spans: Sequence[TraceSpan]) -> "_Talk":
        """Make the reader of the messages in a trace's spans."""
        called = [span for span in spans if span.is_tool]
        results = ((span.name, _words_of_value(span.gave)) for span in called)
        return cls(frozenset(span.name for span in called), frozenset(results), [])

    def is_of(self, span: TraceSpan) -> bool:
        """Return True if a span has messages that a model received or sent."""
        return span.prompt is not None or span.answered is not None

    def heard(self, span: TraceSpan) -> list[AgentStep]:
        """Return the messages that a span's model received, leaving out those in earlier spans."""
        steps = _read(span.prompt) if span.prompt else []
        before = max(self.earlier[-MOST_TALKS:], key=lambda talk: _count_shared(talk, steps), default=[])
        new = steps[_count_shared(before, steps) :]
        self.earlier.append(steps)
        return self._without_repeats(new)

    def answered(self, span: TraceSpan) -> list[AgentStep]:
        """Return the messages that a span's model sent, as steps, leaving out those returned before."""
        steps = _read(span.answered) if span.answered else []
        if steps and self.earlier:
            self.earlier[-1] = [*self.earlier[-1], *steps]
        return self._without_repeats(steps)

    def _without_repeats(self, steps: list[AgentStep]) -> list[AgentStep]:
        return [
            AgentStep("assistant", f"asks for {step.title}", step.text) if self._is_call_with_span(step) else step
            for step in steps
            if step.role != TOOL_RESULT or (step.title, step.text) not in self.results
        ]

    def _is_call_with_span(self, step: AgentStep) -> bool:
        return step.role == TOOL_CALL and step.title in self.tools


def _count_shared(earlier: Sequence[AgentStep], later: Sequence[AgentStep]) -> int:
    """Count the equal steps with which two conversations begin."""
    pairs = zip(earlier, later, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


# --- values ---------------------------------------------------------------------------------------------------------


def _joined(content: Any) -> str:
    """Join the text of a message's content, one part per line."""
    if not isinstance(content, list):
        return _words_of_value(content)
    parts = [_part(block) for block in content]
    return "\n".join(block for block in parts if block)


def _part(block: Any) -> str:
    text_keys = ("text", "reasoning", "thinking")
    content = first_value(block, text_keys) if isinstance(block, Mapping) else block
    return content if isinstance(content, str) else _words_of_value(block)


def _words_of_value(value: Any) -> str:
    """Convert a value to text; JSON of a string becomes the string itself."""
    if value is None:
        return ""
    if isinstance(value, str):
        if value.startswith('"') and value.endswith('"'):
            inner = json_or(value, value)
            value = inner if isinstance(inner, str) else value
        return encodable(value)
    return encodable(json.dumps(value, ensure_ascii=False, default=str))


def first_value(record: Mapping[str, Any], keys: Iterable[str]) -> Any:
    """Return the first value under the given keys that is neither null nor an empty text; None if there is none."""
    return next((record[key] for key in keys if record.get(key) not in (None, "")), None)
