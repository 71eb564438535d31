"""Spans as tracers write them: arguments, results and messages become steps, and what isn't understood is named.

The files in `spans/` are from the real libraries; `spans/write_spans.txt` says how.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.prompts.steps import (
    AgentStep,
    read_steps,
)

SPANS = Path(__file__).parent / "spans"
TOOLS = [
    AgentStep("tool call", "weather", '{"city": "Leeds"}'),
    AgentStep("tool result", "weather", "rain, 9 degrees"),
    AgentStep("tool call", "mail", '{"to": "ana"}\napp.retries: 2\nevent gave up: {"after_seconds": 3}'),
    AgentStep("tool result", "mail", "failed: no network"),
]
WHOLE = [
    AgentStep("user", "", "How is the weather in Leeds?"),
    AgentStep("assistant", "asks for weather", '{"city": "Leeds"}'),
    *TOOLS,
    AgentStep("assistant", "", "It rains in Leeds."),
]


def text_of(name: str) -> str:
    return (SPANS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["otlp.json", "sdk.jsonl"])
def test_tool_calls_in_spans_of_every_format_are_read_with_arguments_and_results_and_events_and_failures(
    name: str,
) -> None:
    assert read_steps(text_of(name)) == TOOLS


@pytest.mark.parametrize("name", ["openinference.json", "openllmetry.json", "openllmetry_numbered.json"])
def test_a_message_that_many_spans_repeat_becomes_one_step(name: str) -> None:
    assert read_steps(text_of(name)) == WHOLE


@pytest.mark.parametrize("name", ["otlp.json", "openllmetry_numbered.json"])
def test_json_lines_from_an_opentelemetry_collector_are_read_like_a_json_list(name: str) -> None:
    data = json.loads(text_of(name))
    assert read_steps([data]) == read_steps(data)
    assert read_steps(f"{json.dumps(data)}\n\n{json.dumps({'resourceSpans': []})}\n") == read_steps(data)


def nested(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes as objects in objects, and lists where names are numbers."""
    tree: dict[str, Any] = {}
    for key, value in attributes.items():
        *path, last = key.split(".")
        node = tree
        for part in path:
            node = node.setdefault(part, {})
        node[last] = value

    def grown(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if node and all(key.isdecimal() for key in node):
            return [grown(node[key]) for key in sorted(node, key=int)]
        return {key: grown(value) for key, value in node.items()}

    return {key: grown(value) for key, value in tree.items()}


@pytest.mark.parametrize("shape", [dict, nested])
def test_spans_of_phoenix_are_read_with_flat_and_with_nested_attributes(shape: Any) -> None:
    """Phoenix's API has a span's kind next to its attributes, and its status flat."""
    kind = "openinference.span.kind"
    spans = [
        {
            "id": "U3BhbjoxNw==",
            "name": span["name"],
            "context": span["context"],
            "span_kind": span["attributes"].get(kind, "UNKNOWN"),
            "parent_id": span["parent_id"],
            "start_time": span["start_time"],
            "status_code": span["status"]["status_code"],
            "status_message": span["status"].get("description", ""),
            "attributes": shape({key: value for key, value in span["attributes"].items() if key != kind}),
            "events": span["events"],
        }
        for span in json.loads(text_of("openinference.json"))
    ]
    steps = read_steps({"data": spans, "next_cursor": None})
    assert [step for step in steps if step.title != "mail"] == [step for step in WHOLE if step.title != "mail"]
    assert [step.text for step in steps if step.title == "mail"][1] == "failed: no network"


def test_a_trace_with_only_model_spans_has_the_tool_calls_that_the_models_requested() -> None:
    data = json.loads(text_of("openllmetry_numbered.json"))
    for scope in data["resourceSpans"][0]["scopeSpans"]:
        scope["spans"] = [span for span in scope["spans"] if span["name"] == "openai.chat"]
    assert read_steps(data) == [
        WHOLE[0],
        TOOLS[0],
        TOOLS[1],
        WHOLE[-1],
    ]


def test_unknown_attributes_of_a_span_are_listed_in_the_text_of_the_step_that_the_span_becomes() -> None:
    attributes = [
        {"key": "gen_ai.system_instructions", "value": {"stringValue": "Be brief."}},
        {"key": "gen_ai.new_thing", "value": {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "7"}}]}}},
        {"key": "llm.prompts", "value": {"arrayValue": {"values": [{"stringValue": "one"}, {"doubleValue": 0.5}]}}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9"}},
    ]
    span = {"spanId": "a", "name": "chat", "attributes": attributes}
    (step,) = read_steps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    assert step == AgentStep(
        "span", "chat", 'gen_ai.system_instructions: Be brief.\ngen_ai.new_thing: {"a": 7}\nllm.prompts: ["one", 0.5]'
    )


def test_an_exception_event_of_a_span_becomes_a_step_without_its_stack_trace() -> None:
    event = {"name": "exception", "attributes": {"exception.message": "no route", "exception.stacktrace": "File …"}}
    span = {"name": "pay", "context": {"span_id": "0x1"}, "attributes": {"tool.name": "pay"}, "events": [event]}
    (step,) = read_steps([span])
    assert step.text == 'event exception: {"exception.message": "no route"}'


def test_the_arguments_of_a_tool_call_are_parsed_from_json_and_stay_text_if_they_are_not_json() -> None:
    steps = read_steps(text_of("otlp.json"))
    assert [step.called_with for step in steps if step.role == "tool call"] == [{"city": "Leeds"}, {"to": "ana"}]
    assert AgentStep("tool call", "x", arguments="not json").called_with == "not json"


def test_json_lines_that_are_not_spans_are_not_read_as_steps() -> None:
    assert read_steps('{"a": 1}\n{"b": 2}') == []
    assert read_steps('{"spanId": "a"} and words') == []


def test_spans_are_ordered_by_start_time_within_their_parent_span() -> None:
    def span(name: str, start: float, parent: str | None, **attributes: Any) -> dict[str, Any]:
        return {"spanId": name, "name": name, "parentSpanId": parent, "startTime": start, "attributes": attributes}

    spans = [
        span("late", 9, "agent", input="3", output="4"),
        span("early", 2, "agent", input="1", output="2"),
        span("agent", 1, None, input="go", output="end"),
        span("elsewhere", 0.5, "unknown", city="Oslo"),
        span("ring", 5, "ring", input="x"),
    ]
    steps = [(step.head, step.text) for step in read_steps({"spans": spans})]
    assert steps == [
        ("span elsewhere", "city: Oslo"),
        ("span agent", "go"),
        *(("span early", "1"), ("result of early", "2"), ("span late", "3"), ("result of late", "4")),
        ("result of agent", "end"),
        ("span ring", "x"),
    ]


def test_spans_that_are_each_others_parents_are_each_read_once() -> None:
    spans = [{"spanId": a, "parentSpanId": b, "name": a, "attributes": {"input": a}} for a, b in ("ab", "bc", "ca")]
    assert sorted(step.title for step in read_steps(spans)) == ["a", "b", "c"]


SHAPES: dict[str, Any] = {
    "Promptfoo": {"traceId": "t", "spans": [
        {"spanId": "a", "name": "execute_tool refund", "startTime": 2, "statusCode": 1, "attributes": {
            "gen_ai.tool.name": "refund", "gen_ai.tool.call.arguments": '{"id": 7}', "otel.scope.name": "agent",
            "gen_ai.tool.call.result": "done"}, "parentSpanId": "r"},
        {"spanId": "r", "name": "agent", "startTime": 1, "attributes": {"service.name": "promptfoo"}},
    ]},
    "MLflow": {"data": {"spans": [{"span_id": "a", "parent_span_id": None, "name": "refund",
        "start_time_unix_nano": 1, "status": {"code": "STATUS_CODE_OK"}, "attributes": {
            "mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"id": 7}', "mlflow.spanOutputs": '"done"'}}]}},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_a_tool_call_and_its_result_become_the_same_steps_from_every_format(shape: str) -> None:
    steps = [AgentStep("tool call", "refund", '{"id": 7}'), AgentStep("tool result", "refund", "done")]
    assert read_steps(SHAPES[shape]) == steps
    assert read_steps(json.dumps(SHAPES[shape])) == steps


def test_the_result_of_a_failed_span_says_that_it_failed() -> None:
    span = {"spanId": "a", "name": "pay", "statusCode": 2, "statusMessage": "card declined", "attributes": {}}
    assert read_steps([span])[-1] == AgentStep("result of", "pay", "failed: card declined")
