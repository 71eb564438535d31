"""Reads OTLP traces as responses: input, output and start time of each trace's outermost span."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from markscheme.plain_data import mapping
from markscheme.prompts.traces import TRACES, TraceSpan
from markscheme.readers.peek import Peek

_BATCHES = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans")


def is_traces(peek: Peek) -> bool:
    """Return True if a file holds OpenTelemetry (OTLP) batches of spans, as JSON lines or as one object."""
    return any(key in _BATCHES or mapping(value).keys() & {*_BATCHES} for key, value in peek.first)


def traces_in(peek: Peek) -> Iterator[dict[str, Any]]:
    """Yield each trace as a row: its id, its time, its input and its response."""
    outermost: dict[str, Mapping[str, Any]] = {}
    for span in _spans(peek):
        trace = str(span.get("traceId") or span.get("trace_id") or "")
        before = outermost.get(trace)
        if trace and (before is None or _depth(span) < _depth(before)):
            outermost[trace] = span
    for trace, span in outermost.items():
        read = _read(span)
        yield {
            "id": trace,
            "time": span.get("startTimeUnixNano", span.get("start_time_unix_nano")),
            "response": None if read is None else _text(read.gave),
            "query": None if read is None else _text(read.received),
        }


def _spans(peek: Peek) -> Iterator[Mapping[str, Any]]:
    for key, value in peek.parts():
        if key in _BATCHES:
            batches = [value] if isinstance(value, Mapping) else value
        else:
            batches = [batch for name in _BATCHES for batch in mapping(value).get(name) or ()]
        for batch in batches or ():
            scopes = [scope for name in _SCOPES for scope in mapping(batch).get(name) or ()]
            yield from (mapping(span) for scope in scopes for span in mapping(scope).get("spans") or ())


def _depth(span: Mapping[str, Any]) -> tuple[bool, int]:
    """Return a sort key that puts a trace's outermost span first: spans without a parent, then the earliest."""
    is_inside = bool(span.get("parentSpanId") or span.get("parent_span_id"))
    return is_inside, int(span.get("startTimeUnixNano", span.get("start_time_unix_nano")) or 0)


def _read(span: Mapping[str, Any]) -> TraceSpan | None:
    for read in TRACES:
        spans = read(span)
        if spans:
            return spans[0]
    return None


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
