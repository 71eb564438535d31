"""Spans of any tracer in one form: OTLP JSON, OpenTelemetry's `to_json`, Phoenix, Promptfoo and MLflow."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from math import isfinite
from typing import Any

from markscheme.json_text import json_or
from markscheme.prompts.steps import first_value
from markscheme.prompts.traces import TraceSpan

_CONTEXT = ("context", "spanContext", "span_context")
_SPAN_ID = ("spanId", "span_id")
_PARENT = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_START = ("startTime", "start_time_unix_nano", "startTimeUnixNano", "start_time")
_END = ("endTime", "end_time_unix_nano", "endTimeUnixNano", "end_time")
_PER_SECOND = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""Pairs of a number and a unit: a time since 1970 above the number is counted in that many units per second."""
_BATCHES = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_FAILED = (2, "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR")
_SCALARS = ("stringValue", "boolValue", "doubleValue", "bytesValue")
_NESTED = ("llm", "openinference", "gen_ai", "tool", "traceloop")
"""Attributes that Phoenix's API may give as objects instead of as dotted names."""
_KIND = ("mlflow.spanType", "openinference.span.kind", "traceloop.span.kind", "gen_ai.operation.name")
_TOOL = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "ai.toolCall.name", "traceloop.entity.name")
_INPUT = ("gen_ai.tool.call.arguments", "mlflow.spanInputs", "input.value", "tool.arguments", "tool.parameters",
          "tool_call.function.arguments", "ai.toolCall.args", "traceloop.entity.input", "gen_ai.input.messages",
          "gen_ai.prompt", "ai.prompt", "promptfoo.request.body", "input")  # fmt: skip
_OUTPUT = ("gen_ai.tool.call.result", "mlflow.spanOutputs", "output.value", "tool.result", "tool.output",
           "ai.toolCall.result", "traceloop.entity.output", "gen_ai.output.messages", "gen_ai.completion",
           "ai.response.text", "promptfoo.response.body", "output")  # fmt: skip
_PROMPT_KEYS = ("llm.input_messages", "gen_ai.prompt", "gen_ai.input.messages")
_ANSWER_KEYS = ("llm.output_messages", "gen_ai.completion", "gen_ai.output.messages")
_WRAPPERS = ("message", "tool_call", "message_content")
"""Keys with which OpenInference wraps a message, a call and a part of a message."""
_ABOUT_PROCESS = (
    *("otel.", "service.", "telemetry.", "process.", "host.", "os.", "thread.", "code.", "promptfoo."),
    *("evaluation.id", "test.case.id", "input.mime_type", "output.mime_type", "session.id", "user.id", "server."),
    *("mlflow.trace", "mlflow.span", "mlflow.chat.", "mlflow.experiment", "mlflow.message.format"),
    *("gen_ai.request.", "gen_ai.response.", "gen_ai.usage.", "gen_ai.system", "gen_ai.provider.", "gen_ai.operation."),
    *("gen_ai.agent.", "gen_ai.conversation.", "gen_ai.is_streaming", "gen_ai.openai.", "gen_ai.output.type"),
    *("gen_ai.tool.call.id", "gen_ai.tool.type", "gen_ai.tool.description", "gen_ai.tool.definitions"),
    *("llm.system", "llm.provider", "llm.model_name", "llm.token_count.", "llm.invocation_parameters", "llm.tools"),
    *("llm.usage.", "llm.request.", "llm.headers", "llm.is_streaming", "llm.cost.", "llm.finish_reason"),
    *("openinference.", "tool.id", "tool.description", "tool.json_schema"),
    *("traceloop.span.kind", "traceloop.workflow.", "traceloop.entity.path", "traceloop.entity.version"),
    *("traceloop.entity.name", "traceloop.association.", "traceloop.correlation."),
)
"""Prefixes of attributes about how a span was recorded, which are ignored; other unread attributes are reported."""
_NOT_PROCESS = ("gen_ai.system_instructions",)
"""Attributes that are reported although their names begin like those in `_ABOUT_PROCESS`."""
_STACK = "exception.stacktrace"


def spans_in(value: Any) -> list[TraceSpan]:
    """Return the spans that a trace holds as plain data, in the order of the data; [] if there are none.

    Args:
        value: A span, a list of spans, an object with `spans`, OTLP's object with `resourceSpans`, or a list of these.
    """
    return [_span(record) for record in _records(value)]


def _records(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        if any(_is_batch(record) for record in value):
            for record in value:
                yield from _records(record)
        elif any(_is_span(record) for record in value):
            yield from (record for record in value if isinstance(record, Mapping))
    elif _is_batch(value):
        for scope in _inside(value, _BATCHES):
            for spans in _inside(scope, _SCOPES):
                yield from (span for span in _inside(spans, ("spans",)))
    elif _is_span(value):
        yield value


def _inside(value: Any, keys: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the items, if they are objects, of the lists that an object has under the given keys."""
    for key in keys:
        held_list = value.get(key)
        yield from (
            (record for record in held_list if isinstance(record, Mapping)) if isinstance(held_list, list) else ()
        )


def _is_batch(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(key), list) for key in _BATCHES)


def _is_span(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(_span_id(value))


def _span_id(record: Mapping[str, Any]) -> str:
    """Return a span's id, which some tracers put into an object `context` of the span; "" without one."""
    context: Mapping[str, Any] = next((record[key] for key in _CONTEXT if isinstance(record.get(key), Mapping)), {})
    return _plain_text(first_value(record, _SPAN_ID) or first_value(context, _SPAN_ID))


def _span(record: Mapping[str, Any]) -> TraceSpan:
    facts = _attributes(record.get("attributes"))
    kind = _plain_text(first_value(facts, _KIND) or record.get("span_kind")).strip('"').casefold()
    tool = first_value(facts, _TOOL[:-1]) or (first_value(facts, _TOOL) if kind == "tool" else None)
    prompt = _messages(facts, _PROMPT_KEYS)
    answered = _messages(facts, _ANSWER_KEYS)
    return TraceSpan(
        _span_id(record),
        _plain_text(first_value(record, _PARENT)),
        _began(record),
        _plain_text(tool or record.get("name")),
        bool(tool) or kind in ("tool", "execute_tool"),
        first_value(facts, _INPUT),
        first_value(facts, _OUTPUT),
        prompt,
        answered,
        {key: value for key, value in facts.items() if not _is_read(key, prompt, answered) and value not in (None, "")},
        tuple(_events(record.get("events"))),
        _failure(record),
        _duration(first_value(record, _START), first_value(record, _END)),
    )


def _began(record: Mapping[str, Any]) -> tuple[float, str]:
    start = first_value(record, _START)
    try:
        return float(start), ""
    except (TypeError, ValueError):
        return 0.0, str(start)


def _duration(start: Any, end: Any) -> float | None:
    """Return the seconds from start to end, each a text or a number; None if either isn't a time, or end is first."""
    began = _moment(start)
    ended = _moment(end)
    if began is None or ended is None or ended < began:
        return None
    return ended - began


def _moment(time: Any) -> float | None:
    """Return a time as seconds since 1970; None if it isn't a time."""
    try:
        value = float(time)
    except (TypeError, ValueError):
        return _moment_of_text(time)
    return value / next((units for least, units in _PER_SECOND if value > least), 1.0) if isfinite(value) else None


def _moment_of_text(time: Any) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _failure(record: Mapping[str, Any]) -> str:
    status = record.get("status")
    state = status if isinstance(status, Mapping) else {"code": status}
    code = first_value(record, ("statusCode", "status_code")) or first_value(state, ("code", "status_code"))
    if code not in _FAILED:
        return ""
    why = first_value(record, ("statusMessage", "status_message")) or first_value(state, ("message", "description"))
    return _plain_text(why) or "no reason received"


def _events(events: Any) -> Iterator[tuple[str, Any]]:
    for event in events if isinstance(events, list) else ():
        if isinstance(event, Mapping):
            facts = _attributes(event.get("attributes"))
            yield _plain_text(event.get("name")), {key: value for key, value in facts.items() if key != _STACK}


def _is_read(attribute: str, prompt: Any, answered: Any) -> bool:
    if attribute in (*_TOOL, *_INPUT, *_OUTPUT, *_KIND):
        return True
    if prompt is not None and f"{attribute}.".startswith(tuple(f"{name}." for name in _PROMPT_KEYS)):
        return True
    if answered is not None and f"{attribute}.".startswith(tuple(f"{name}." for name in _ANSWER_KEYS)):
        return True
    return attribute.startswith(_ABOUT_PROCESS) and attribute not in _NOT_PROCESS


# --- attributes -----------------------------------------------------------------------------------------------------


def _attributes(attributes: Any) -> dict[str, Any]:
    """Return a span's attributes by dotted name, from an object or from OTLP's list of keys and values."""
    if isinstance(attributes, list):
        return {
            _plain_text(attribute.get("key")): _otlp(attribute.get("value"))
            for attribute in attributes
            if _has_key(attribute)
        }
    if not isinstance(attributes, Mapping):
        return {}
    facts: dict[str, Any] = {}
    for key, value in attributes.items():
        is_wrapped = key in ("input", "output") and isinstance(value, Mapping) and "value" in value
        if key in _NESTED or is_wrapped:
            facts |= dict(_flat(key, value))
        else:
            facts[str(key)] = value
    return facts


def _has_key(attribute: Any) -> bool:
    return isinstance(attribute, Mapping) and "key" in attribute


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values inside nested objects, each with its dotted name, such as `llm.model`; a list is one value."""
    if not isinstance(value, Mapping):
        yield name, value
        return
    for key, inner in value.items():
        yield from _flat(f"{name}.{key}", inner)


def _otlp(value: Any) -> Any:
    """Convert a typed value of OTLP, such as {"intValue": "5"}, to plain data."""
    if not isinstance(value, Mapping):
        return value
    scalar = next((value[key] for key in _SCALARS if key in value), None)
    if scalar is not None:
        return scalar
    if "intValue" in value:
        whole = value["intValue"]
        return int(whole) if isinstance(whole, str) and whole.removeprefix("-").isdecimal() else whole
    if isinstance(items := value.get("arrayValue"), Mapping):
        return [_otlp(element) for element in items.get("values") or () if isinstance(element, Mapping)]
    if isinstance(pairs := value.get("kvlistValue"), Mapping):
        return _attributes(pairs.get("values") or [])
    return value or None


# --- messages -------------------------------------------------------------------------------------------------------


def _messages(facts: Mapping[str, Any], names: Sequence[str]) -> list[Any] | None:
    """Return a span's messages in OpenAI's form, from the first of the named attributes that has any; else None."""
    for name in names:
        messages = _numbered(facts, name) or _listed_in(facts.get(name))
        if messages:
            return [message for raw in messages for message in _plain_messages(_unwrapped(raw))]
    return None


def _numbered(facts: Mapping[str, Any], name: str) -> list[Any]:
    """Return the list that numbered attributes such as NAME.0.role describe; [] if there are none."""
    tree: dict[str, Any] = {}
    for key, value in facts.items():
        first_part, *parts = key.removeprefix(f"{name}.").split(".")
        if key.startswith(f"{name}.") and first_part.isdecimal():
            node = tree
            for text, following in zip((first_part, *parts), (*parts, None), strict=True):
                if following is None:
                    node[text] = value
                elif not isinstance(node.get(text), dict):
                    node[text] = {}
                node = node[text] if following is not None else node
    grown = _with_lists(tree)
    return grown if isinstance(grown, list) else []


def _with_lists(node: Any) -> Any:
    """Return nested data in which each object whose keys are all numbers has become a list."""
    if not isinstance(node, dict):
        return node
    if node and all(key.isdecimal() for key in node):
        return [_with_lists(node[key]) for key in sorted(node, key=lambda text: (len(text), text))]
    return {key: _with_lists(value) for key, value in node.items()}


def _listed_in(value: Any) -> list[Any]:
    """Return the list of messages in a value, which may be JSON text; [] if it holds none."""
    if isinstance(value, str):
        value = json_or(value, [])
    is_messages = isinstance(value, list) and any(
        isinstance(element, Mapping) and not element.keys().isdisjoint(("role", "message")) for element in value
    )
    return value if is_messages else []


def _unwrapped(value: Any) -> Any:
    """Return a message without OpenInference's wrappers: the outer object `message`, and prefixes of its keys."""
    if isinstance(value, list):
        return [_unwrapped(element) for element in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1 and (key := next(iter(value))) in _WRAPPERS:
        return _unwrapped(value[key])
    renamed = {"content" if key == "contents" and "content" not in value else key: v for key, v in value.items()}
    return {str(key).removeprefix("message.").removeprefix("tool_call."): _unwrapped(v) for key, v in renamed.items()}


def _plain_messages(message: Any) -> Iterator[Any]:
    """Yield a message in OpenAI's form; one with `parts`, as in OpenTelemetry's conventions, may become several."""
    parts = message.get("parts") if isinstance(message, Mapping) else None
    if not isinstance(parts, list):
        yield message
        return
    role = message.get("role")
    calls = [piece for piece in parts if _type(piece) == "tool_call"]
    answers = [piece for piece in parts if _type(piece) == "tool_call_response"]
    texts = [_part(piece) for piece in parts if _type(piece) not in ("tool_call", "tool_call_response")]
    if texts or calls:
        yield {"role": role, "content": texts or None, "tool_calls": calls}
    for answer in answers:
        content = first_value(answer, ("response", "result", "content"))
        yield {"role": "tool", "tool_call_id": answer.get("id"), "content": content}


def _type(piece: Any) -> Any:
    return piece.get("type") if isinstance(piece, Mapping) else None


def _part(piece: Any) -> Any:
    if _type(piece) in ("text", "reasoning") and isinstance(piece.get("content"), str):
        return {"type": piece["type"], "text": piece["content"]}
    return piece


# --- values ---------------------------------------------------------------------------------------------------------


def _plain_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
