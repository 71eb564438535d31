"""MLflow's traces with their assessments: the sqlite store, the output of its command line, and lists of Trace JSON."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.stored_rows import stored_rows
from markscheme.features.other_tools.tool_content import Fields, ToolContent, decoded
from markscheme.numerals import finite
from markscheme.plain_data import mapping
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import text_of
from markscheme.readers.imported import number
from markscheme.readers.peek import Peek

_KINDS: Mapping[str, Kind] = {"HUMAN": "human", "LLM_JUDGE": "model", "AI_JUDGE": "model", "CODE": "code"}
_SKIPPED = ("assessment_id", "trace_id", "span_id", "last_update_time", "run_id", "valid", "overrides")
_STORED = ("assessment_id", "trace_id", "name", "assessment_type", "value", "error", "created_timestamp", "source_type",
          "source_id", "rationale", "overrides", "valid", "assessment_metadata")  # fmt: skip
_OF_TRACE = ("trace_location", "request_time", "state", "trace_metadata", "tags", "execution_duration_ms",
            "client_request_id")  # fmt: skip
OF_SPAN = ("trace_id", "span_id", "parent_span_id", "name", "start_time_unix_nano", "end_time_unix_nano", "status",
           "links", "events")  # fmt: skip
OF_ATTRIBUTES = ("traceRequestId", "spanType", "spanFunctionName", "spanLogLevel")
INPUTS, OUTPUTS = "mlflow.spanInputs", "mlflow.spanOutputs"
PREVIEW = 1000
"""Length in characters at which MLflow truncates a preview."""


def is_mlflow(peek: Peek) -> bool:
    """Return True if a file holds MLflow's traces."""
    if peek.tables:
        return {"assessments", "trace_info"} <= peek.tables.keys()
    return any(mapping(mapping(record).get("info")).keys() >= {"trace_id", "assessments"} for _, record in peek.first)


def read_mlflow(files: Sequence[Peek], content: ToolContent) -> None:
    """Read traces as responses, their assessments as ratings, and their expectations as inputs."""
    for peek in files:
        for trace, assessments, inputs, output, spans in (_stored if peek.tables else _traces_in)(peek, content):
            rated, expected = _by_kind(trace, assessments, content)
            content.respond(trace, output, inputs, **expected | content.steps("trace", spans, beyond=1))
            for raw in rated:
                content.rate(raw)


def _by_kind(trace: str, assessments: Sequence[Any], content: ToolContent) -> tuple[list[RawRating], dict[str, Any]]:
    """Return a trace's assessments as raw ratings, and its expectations by name.

    A rating that another rater overrode is kept, since a judge's errors would otherwise vanish as they are corrected.
    The correction is a rating of its own, which isn't blind.
    """
    raters = {
        str(assessment.get("assessment_id")): _rater(assessment)
        for assessment in assessments
        if isinstance(assessment, Mapping)
    }
    overridden = {
        str(assessment.get("overrides")): _rater(assessment)
        for assessment in assessments
        if isinstance(assessment, Mapping)
    }
    raw_ratings, expected = [], {}
    for raw in assessments:
        fields = Fields(raw, content, "assessment", _SKIPPED)
        if not fields.is_record:
            continue
        name = fields.text("assessment_name")
        (kind, rater) = _rater(raw)
        fields.skip("source.source_type", "source.source_id")
        wanted = fields.take("expectation.value")
        error = fields.take("feedback.error") or fields.take("error")
        value = fields.take("feedback.value")
        reason = fields.text("rationale") or _error(error)
        moment = fields.text("create_time")
        fields.close()
        is_theirs = overridden.get(str(raw.get("assessment_id")), (kind, rater)) == (kind, rater)
        if wanted is not None:
            expected[name] = wanted
        elif raw.get("valid") is False and is_theirs:
            content.lose("assessments that their rater replaced")
        else:
            blind = raters.get(str(raw.get("overrides")), (kind, rater)) == (kind, rater)
            raw_ratings.append(RawRating(trace, name, None if error else value, rater, _KINDS.get(kind), reason,
                              moment, blind))  # fmt: skip
    return raw_ratings, expected


def _rater(assessment: Mapping[str, Any]) -> tuple[str, str]:
    source = assessment.get("source")
    if not isinstance(source, Mapping):
        return "", ""
    return str(source.get("source_type")), str(source.get("source_id") or "")


def _error(error: Any) -> str:
    if not isinstance(error, Mapping):
        return str(error or "")
    return " ".join(str(error[key]) for key in ("error_code", "error_message") if error.get(key))


_Trace = tuple[str, Sequence[Any], Any, Any, Sequence[Any]]
"""A trace's id, assessments, inputs, outputs and spans."""


def _traces_in(peek: Peek, content: ToolContent) -> Iterator[_Trace]:
    for key, record in peek.parts():
        if key == "next_page_token":
            if record:
                content.note("there are more traces than the file holds: export them with a larger --max-results")
            continue
        if not mapping(mapping(record).get("info")):
            content.lose(f"entries of {key or 'the list'!r} that aren't traces")
            continue
        fields = Fields(record, content, "trace", ("tags",))
        fields.skip(*(f"info.{key}" for key in _OF_TRACE))
        trace = fields.text("info.trace_id")
        spans = fields.items("data.spans")
        root = Fields(_root(spans), content, "span", OF_SPAN)
        inputs = root.take(f"attributes.{INPUTS}")
        output = root.take(f"attributes.{OUTPUTS}")
        preview = fields.take("info.request_preview")
        shortened = fields.take("info.response_preview")
        if output is None:
            inputs = preview
            output = _preview(shortened, content)
        assessments = fields.items("info.assessments")
        root.skip(*(f"attributes.mlflow.{key}" for key in OF_ATTRIBUTES))
        root.close()
        fields.close()
        yield trace, assessments, decoded(inputs), decoded(output), spans


def _root(spans: Sequence[Any]) -> Mapping[str, Any]:
    return next((span for span in spans if isinstance(span, Mapping) and not span.get("parent_span_id")), {})


def _stored(peek: Peek, content: ToolContent) -> Iterator[_Trace]:
    by_trace: dict[str, list[Any]] = {}
    for row in stored_rows(peek, "assessments", _STORED):
        by_trace.setdefault(text_of(row["trace_id"]), []).append(_as_in_json(row))
    for row in stored_rows(peek, "label_schemas", ("name", "input_config")) if "label_schemas" in peek.tables else ():
        ends = mapping(decoded(row["input_config"]))
        low = number(ends.get("min_value"))
        high = number(ends.get("max_value"))
        if low is not None and high is not None and low < high:
            content.scales[row["name"]] = low, high
    spans: dict[str, list[Any]] = {}
    for row in stored_rows(peek, "spans", ("trace_id", "content")) if "spans" in peek.tables else ():
        spans.setdefault(text_of(row["trace_id"]), []).append(decoded(row["content"]))
    for row in stored_rows(peek, "trace_info", ("request_id", "request_preview", "response_preview")):
        trace = text_of(row["request_id"])
        spans_of_trace = spans.get(trace, [])
        root = mapping(_root(spans_of_trace).get("attributes"))
        if not root:
            root = {INPUTS: row["request_preview"], OUTPUTS: _preview(row["response_preview"], content)}
        yield trace, by_trace.pop(trace, []), decoded(root.get(INPUTS)), decoded(root.get(OUTPUTS)), spans_of_trace
    for trace, assessments in by_trace.items():
        yield trace, assessments, None, None, []


def _as_in_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row of MLflow's sqlite store to the JSON form of an exported assessment."""
    return {
        "assessment_id": text_of(row["assessment_id"]),
        "trace_id": text_of(row["trace_id"]),
        "assessment_name": row["name"],
        "source": {"source_type": row["source_type"], "source_id": row["source_id"]},
        text_of(row["assessment_type"]): {"value": decoded(row["value"])},
        "error": decoded(row["error"]),
        "create_time": _day_of(row["created_timestamp"]),
        "rationale": row["rationale"],
        "overrides": row["overrides"],
        "valid": bool(row["valid"]),
        "metadata": decoded(row["assessment_metadata"]),
    }


def _day_of(milliseconds: Any) -> str:
    """Convert a time from the sqlite store, in milliseconds since 1970, to text as in exports; "" if invalid."""
    converted = finite(milliseconds)
    try:
        return "" if converted is None else datetime.fromtimestamp(converted / 1000, UTC).isoformat()
    except (OverflowError, OSError, ValueError):  # a year that no calendar has
        return ""


def _preview(text: Any, content: ToolContent) -> Any:
    if isinstance(text, str) and len(text) >= PREVIEW:
        content.lose(f"ends of responses cut at {PREVIEW} characters (the traces have no spans)")
    return text
