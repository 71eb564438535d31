"""An agent's messages, tool calls and spans as numbered steps, and the excerpt a judge is shown."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any

from markscheme.text import encodable

STEPPED = ("messages", "tool_calls", "trace")
"""Inputs that are read as steps."""
MOST_SHOWN_CHARACTERS = 60_000
"""Maximum characters of one input's steps shown to a judge; beyond that, steps are left out."""
MOST_OF_STEP, END_OF_STEP = 4_000, 1_000
"""Maximum characters shown of one step, and how many of them are from its end."""

_PARTS = ("messages", "trajectory", "steps", "tool_calls", "toolCalls")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_RESULTS = ("output", "result", "response")
_CALLED = ("function", "functionCall", "toolUse")
_SPAN_ID, _PARENT = ("spanId", "span_id"), ("parentSpanId", "parent_span_id", "parent_id")
_START = ("startTime", "start_time_unix_nano", "startTimeUnixNano", "start_time")
_SPAN_TOOL = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
_SPAN_INPUT = ("gen_ai.tool.call.arguments", "mlflow.spanInputs", "input.value", "tool.arguments", "tool.parameters",
               "ai.toolCall.args", "traceloop.entity.input", "gen_ai.input.messages", "gen_ai.prompt", "ai.prompt",
               "promptfoo.request.body", "input")  # fmt: skip
_SPAN_OUTPUT = ("gen_ai.tool.call.result", "mlflow.spanOutputs", "output.value", "tool.result", "tool.output",
                "ai.toolCall.result", "traceloop.entity.output", "gen_ai.output.messages", "gen_ai.completion",
                "ai.response.text", "promptfoo.response.body", "output")  # fmt: skip
_ABOUT_PROCESS = ("otel.", "service.", "telemetry.", "process.", "host.", "os.", "thread.", "code.", "promptfoo.",
                  "mlflow.", "evaluation.id", "test.case.id", "gen_ai.", "llm.", "openinference.", "traceloop.",
                  "input.mime_type", "output.mime_type")  # fmt: skip
"""Prefixes of attributes about how a span was produced, not about what the agent did."""
_ABOUT_MESSAGE = ("role", "type", "id", "content", "tool_calls", "source", "model", "name")
"""Fields about a message rather than its text; any other field is shown if the content is missing."""
_FAILED = (2, "ERROR", "STATUS_CODE_ERROR")


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One action or message of an agent, its user or a tool.

    Attributes:
        role: `user`, `assistant`, `system`, `tool call`, `tool result`, or the kind of span.
        title: The tool's or the span's name; "" if there is none.
        text: The message, the arguments or the result.
    """

    role: str
    title: str = ""
    text: str = ""

    @property
    def head(self) -> str:
        """Role and title on one line."""
        return " ".join(f"{self.role} {self.title}".split())

    @property
    def words(self) -> str:
        """Head and text as a judge sees them; a long text is reduced to its first and last characters."""
        text = self.text
        head = self.head
        if len(text) > MOST_OF_STEP:
            left = len(text) - MOST_OF_STEP
            start = text[: MOST_OF_STEP - END_OF_STEP]
            end = text[-END_OF_STEP:]
            text = f"{start}\n[… {left:,} characters left out …]\n{end}"
        return "\n".join(part for part in (head[:MOST_OF_STEP], text) if part)

    def is_asked_for(self, names: Iterable[str]) -> bool:
        """Whether its role, its title or both match one of these names, in which * matches anything."""
        names_of_step = {self.role.casefold(), self.title.casefold(), self.head.casefold()}
        return any(fnmatchcase(name_of_step, name.casefold()) for name in names for name_of_step in names_of_step)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a trajectory that a judge is shown.

    Attributes:
        pieces: Steps and notes on what is left out, in order: `step 4` or `left out`, and its text.
        left_out: What is not shown, for the grade; "" if everything is shown.
    """

    pieces: tuple[tuple[str, str], ...]
    left_out: str = ""

    @property
    def steps(self) -> dict[str, str]:
        """The text of the steps, by name."""
        return {name: words for name, words in self.pieces if name != LEFT_OUT}


LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The steps of one input; numbering continues over all such inputs of a submission.

    Attributes:
        name: The input's.
        steps: In the order they were taken; at least one.
        first: The number of the first.
    """

    name: str
    steps: tuple[AgentStep, ...]
    first: int = 1

    @property
    def numbered(self) -> list[tuple[int, AgentStep]]:
        """Each step with its number."""
        return list(enumerate(self.steps, start=self.first))

    def excerpt(self, asked_for: Sequence[str] = (), room: int = MOST_SHOWN_CHARACTERS) -> Excerpt:
        """What fits: the first and the last step, those asked for, then steps from both ends towards the middle.

        Args:
            asked_for: Names of roles and tools, in which * matches anything.
            room: Maximum characters of all steps together. The first and the last step are always shown.

        Example:
            >>> steps = [AgentStep("user", text="Go."), *[AgentStep("assistant", text="Wait.")] * 8, AgentStep("end")]
            >>> Trajectory("trace", tuple(steps)).excerpt(room=40).left_out
            'trace: 7 of 10 steps (3 to 9)'
        """
        words = [step.words for step in self.steps]
        shown = self._kept([len(text) for text in words], asked_for, room)
        pieces: list[tuple[str, str]] = []
        ranges: list[str] = []
        for is_kept, places in groupby(range(len(words)), shown.__contains__):
            group = list(places)
            if is_kept:
                pieces += [(f"step {self.first + place}", words[place]) for place in group]
                continue
            numbers = span_of(self.first + group[0], self.first + group[-1])
            pieces.append((LEFT_OUT, f"{'Step' if len(group) == 1 else 'Steps'} {numbers} left out here for length."))
            ranges.append(numbers)
        shortened = sum(place in shown and len(step.text) > MOST_OF_STEP for place, step in enumerate(self.steps))
        lost = [f"{len(words) - len(shown)} of {len(words)} steps ({', '.join(ranges)})"] if ranges else []
        lost += [f"the middle of {shortened} long step{'s' * (shortened > 1)}"] if shortened else []
        return Excerpt(tuple(pieces), f"{self.name}: {' and '.join(lost)}" if lost else "")

    def _kept(self, lengths: Sequence[int], asked_for: Sequence[str], room: int) -> set[int]:
        """Indices of the steps that are shown."""
        last = len(lengths) - 1
        if sum(lengths) <= room:
            return set(range(last + 1))
        shown = {0, last}
        room -= lengths[0] + lengths[last]
        requested = [place for place, step in enumerate(self.steps) if step.is_asked_for(asked_for)]
        inwards = [place for pair in zip(range(last), range(last, 0, -1), strict=True) for place in pair]
        for place in dict.fromkeys((*requested, *inwards)):
            if place in shown:
                continue
            room -= lengths[place]
            if room < 0:
                break
            shown.add(place)
        return shown


def span_of(low: int, high: int) -> str:
    """Two numbers as a range, or one number if they are equal."""
    return str(low) if low == high else f"{low} to {high}"


def trajectories(inputs: Mapping[str, str], names: Iterable[str]) -> dict[str, Trajectory]:
    """The inputs that are steps, by name, in the order of `names`; inputs without steps are left out.

    Args:
        inputs: All inputs of a submission, as text.
        names: The known inputs.

    Example:
        >>> found = trajectories({"messages": '[{"role": "user", "content": "Hi"}]', "trace": "[]"}, STEPPED)
        >>> found["messages"].numbered
        [(1, AgentStep(role='user', title='', text='Hi'))]
    """
    by_name: dict[str, Trajectory] = {}
    number = 1
    for name in names:
        if name in STEPPED and name in inputs and (steps := tuple(read_steps(inputs[name]))):
            by_name[name] = Trajectory(name, steps, number)
            number += len(steps)
    return by_name


# --- the shapes that steps come in ----------------------------------------------------------------------------------


def read_steps(value: Any) -> list[AgentStep]:
    """The steps in messages, tool calls, turns of a conversation or spans; empty for anything else.

    Args:
        value: Plain data or JSON. Messages and calls may be those of OpenAI, Anthropic, Inspect or LangChain; spans
            those of Promptfoo, MLflow or OpenTelemetry's JSON. A list of anything else is a step per entry.

    Example:
        >>> read_steps({"tool_calls": [{"function": {"name": "search", "arguments": '{"q": "tea"}'}}]})
        [AgentStep(role='tool call', title='search', text='{"q": "tea"}')]
    """
    try:
        return _read(json.loads(value) if isinstance(value, str) else value)
    except (ValueError, RecursionError):
        return []


def _read(value: Any) -> list[AgentStep]:
    if isinstance(value, Mapping):
        return _in_object(value)
    if not isinstance(value, list) or not any(isinstance(item, Mapping | str) for item in value):
        return []
    if any(isinstance(item, Mapping) and _first(item, _SPAN_ID) for item in value):
        return list(_of_spans([item for item in value if isinstance(item, Mapping)]))
    called: dict[str, str] = {}
    return [step for item in value for step in _of_message(item, called)]


def steps_for(name: str, inputs: Iterable[str], values: Mapping[str, Any]) -> Any:
    """The value for an input of steps, from what a tool gave under the names in STEPPED; None if there are no steps.

    Args:
        name: One of STEPPED.
        inputs: The inputs that the rubric declares. If only one of them holds steps, it gets whatever there is.
        values: The available values by name.
    """
    alone = len({*STEPPED} & {*inputs}) == 1
    return next((values[key] for key in ((name, *values) if alone else (name,)) if read_steps(values.get(key))), None)


def has_tool_calls(value: Any) -> bool:
    """Whether a model's output is or contains tool calls."""
    return isinstance(value, Mapping | list) and any(step.role == TOOL_CALL for step in read_steps(value))


TOOL_CALL, TOOL_RESULT = "tool call", "tool result"


def _in_object(value: Mapping[str, Any]) -> list[AgentStep]:
    if isinstance(value.get("spans"), list):
        return _read(value["spans"])
    if isinstance(value.get("data"), Mapping):
        return _read(value["data"])
    parts: list[Any] = next((value[key] for key in _PARTS if isinstance(value.get(key), list)), [])
    if parts and "role" not in value:
        return _read(parts)
    called: dict[str, str] = {}
    steps = list(_of_message(value, called))
    return steps if "role" in value or called else []


def _of_message(item: Any, called: dict[str, str]) -> Iterator[AgentStep]:
    """The steps of a message, a part of one, a tool call, a tool's result or a turn.

    Args:
        item: Parsed data.
        called: Names of the called tools by the call's id; new calls are added.
    """
    if not isinstance(item, Mapping):
        yield AgentStep("", text=_text(item))
    elif call := _call(item, called):
        yield call
        results = (item[key] for key in _RESULTS if item.get(key) is not None)  # in the call itself
        yield from (AgentStep(TOOL_RESULT, call.title, _joined(result)) for result in results)
    elif item.get("role") in ("tool", "function") or item.get("type") in ("tool_result", "function_call_output"):
        id = _text(_first(item, ("tool_call_id", "call_id", "tool_use_id")))
        name = _text(_first(item, ("name", "function"))) or called.get(id, "")
        error = [f"error: {_text(item['error'])}"] if item.get("error") else []
        text = _joined(next((item[key] for key in ("content", *_RESULTS) if key in item), ""))
        yield AgentStep(TOOL_RESULT, name, "\n".join([*error, text] if text else error))
    elif "output" in item and ("prompt" in item or "input" in item):
        yield AgentStep("user", text=_joined(item.get("input") or item.get("prompt")))
        yield from read_steps(item["output"]) or [AgentStep("assistant", text=_joined(item["output"]))]
    elif "role" in item or "content" in item:
        yield from _said(item, called)
    else:
        yield AgentStep("", text=_text(item))


def _said(message: Mapping[str, Any], called: dict[str, str]) -> Iterator[AgentStep]:
    """A message's text, then its tool calls."""
    role = str(message.get("role") or message.get("type") or "message")
    content = message.get("content")
    if content is None and not message.get("tool_calls"):
        details = {key: value for key, value in message.items() if key not in _ABOUT_MESSAGE}
        yield from [AgentStep(role, text=_text(details))] if details else []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and part.get("type") in ("tool_use", "tool_result"):
            yield from _of_message(part, called)
        elif text := _joined([part] if isinstance(part, Mapping) else part):
            is_thought = isinstance(part, Mapping) and part.get("type") in ("reasoning", "thinking")
            yield AgentStep(role, "reasoning" if is_thought else "", text)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else [calls] if calls else []:
        yield from _of_message(call, called)


def _call(item: Mapping[str, Any], called: dict[str, str]) -> AgentStep | None:
    inner = next((item[key] for key in _CALLED if isinstance(item.get(key), Mapping)), item)
    name = _first(inner, ("name", "function", "tool", "toolName"))
    arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if not isinstance(name, str) or "content" in item or (arguments is None and inner is item):
        return None
    called[_text(_first(item, ("call_id", "id")))] = name
    return AgentStep(TOOL_CALL, name, _text(arguments))


def _of_spans(spans: Sequence[Mapping[str, Any]]) -> Iterator[AgentStep]:
    """Each span's input, then the spans inside it by start time, then its output."""
    ids = [_text(_first(span, _SPAN_ID)) for span in spans]
    known_ids = {*ids}
    within: dict[str, list[tuple[str, Mapping[str, Any]] | AgentStep]] = {}
    for id, span in sorted(zip(ids, spans, strict=True), key=lambda id_and_span: _began(id_and_span[1])):
        parent = _text(_first(span, _PARENT))
        within.setdefault(parent if parent in known_ids and parent != id else "", []).append((id, span))
    while within:  # in a cycle no span is outermost, so the first is treated as such
        waiting = within.pop("" if "" in within else next(iter(within)))[::-1]
        while waiting:
            node = waiting.pop()
            if isinstance(node, AgentStep):
                yield node
                continue
            id, span = node
            inner = within.pop(id, []) if id else []
            before, after = _of_span(span)
            if before.text or not (inner or after):
                yield before
            waiting += [*after, *reversed(inner)]


def _of_span(span: Mapping[str, Any]) -> tuple[AgentStep, list[AgentStep]]:
    """A span's input step, and its output, if known."""
    attributes = span.get("attributes")
    facts = attributes if isinstance(attributes, Mapping) else {}
    kind = _text(
        _first(facts, ("mlflow.spanType", "openinference.span.kind", "gen_ai.operation.name")) or ""
    ).casefold()
    tool = _first(facts, _SPAN_TOOL[:-1]) or (_first(facts, _SPAN_TOOL) if kind == "tool" else None)
    is_tool = bool(tool) or kind in ("tool", "execute_tool")
    name = _text(tool or span.get("name") or "")
    received = _first(facts, _SPAN_INPUT)
    gave = _first(facts, _SPAN_OUTPUT)
    rest = {key: value for key, value in facts.items() if not _is_read(key) and value not in (None, "")}
    input = "\n".join(
        [*([_text(received)] if received is not None else []), *(f"{k}: {_text(v)}" for k, v in rest.items())]
    )
    after = [] if gave is None else [_text(gave)]
    status = span.get("status")
    state = status if isinstance(status, Mapping) else {}
    if span.get("statusCode", state.get("code")) in _FAILED:
        after.insert(0, f"failed: {span.get('statusMessage') or state.get('message') or 'no reason received'}")
    came = [AgentStep(TOOL_RESULT if is_tool else "result of", name, "\n".join(after))] if after else []
    return AgentStep(TOOL_CALL if is_tool else "span", name, input), came


def _is_read(attribute: str) -> bool:
    return attribute.startswith(_ABOUT_PROCESS) or attribute in (*_SPAN_TOOL, *_SPAN_INPUT, *_SPAN_OUTPUT)


def _began(span: Mapping[str, Any]) -> tuple[float, str]:
    start = _first(span, _START)
    try:
        return float(start), ""
    except (TypeError, ValueError):
        return 0.0, str(start)


# --- values ---------------------------------------------------------------------------------------------------------


def _first(record: Mapping[str, Any], keys: Iterable[str]) -> Any:
    """The first non-empty value at these keys; None without one."""
    return next((record[key] for key in keys if record.get(key) not in (None, "")), None)


def _joined(content: Any) -> str:
    """The text of a message's content, one part per line."""
    if not isinstance(content, list):
        return _text(content)
    parts = [_part(part) for part in content]
    return "\n".join(part for part in parts if part)


def _part(part: Any) -> str:
    text_keys = ("text", "reasoning", "thinking")
    content = _first(part, text_keys) if isinstance(part, Mapping) else part
    return content if isinstance(content, str) else _text(part)


def _text(value: Any) -> str:
    """A value as text; a JSON string is unquoted."""
    if value is None:
        return ""
    if isinstance(value, str):
        if value.startswith('"') and value.endswith('"'):
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                inner = value
            value = inner if isinstance(inner, str) else value
        return encodable(value)
    return encodable(json.dumps(value, ensure_ascii=False, default=str))
