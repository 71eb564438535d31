"""An agent's run as the OpenTelemetry SDK, OTLP, OpenInference and OpenLLMetry write it.

    python -m venv spans && spans/bin/pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-common openai \\
        opentelemetry-instrumentation-openai==VERSION openinference-instrumentation-openai
    spans/bin/python tests/spans/write_spans.py tests/spans

with opentelemetry-sdk 1.45.2 and openinference-instrumentation-openai 0.1.66. OpenLLMetry's spans come from two of its
versions: 0.62.4 writes messages as JSON (`openllmetry.json`), 0.47.5 numbers them (with opentelemetry-sdk 1.37.0,
`openllmetry_numbered.json`).

The model is a server on this machine that answers in OpenAI's form: first a call of a tool, then a sentence.
"""

import importlib.metadata
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from openai import OpenAI
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.instrumentation.openai import OpenAIInstrumentor as OpenLlmetryInstrumentor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

NUMBERED = "0.47.5"
"""A version of OpenLLMetry that writes an attribute for each part of a message."""
QUESTION = "How is the weather in Leeds?"
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Leeds"}'}}
ANSWERS = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "content": "It rains in Leeds."},
]
TOOLS: list[Any] = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


class Model(BaseHTTPRequestHandler):
    """Answers in OpenAI's form."""

    def do_POST(self) -> None:
        """One completion: a tool's call unless the tool has answered."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = ANSWERS[any(message["role"] == "tool" for message in asked["messages"])]
        choice = {"index": 0, "message": answer, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
        body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice]}
        text = json.dumps({**body, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def agent(provider: TracerProvider, client: OpenAI, tool: str, received: str, gave: str) -> None:
    """Ask, call the tool, have another tool fail, answer."""
    tracer = provider.get_tracer("agent")
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    kinds = {"openinference.span.kind": "TOOL", "traceloop.span.kind": "tool", "gen_ai.operation.name": "execute_tool"}
    of_tool = {name: kind for name, kind in kinds.items() if name.split(".")[0] == tool.split(".")[0]}
    of_tool |= {"openinference.span.kind": "TOOL"} if tool == "tool.name" else {}
    with tracer.start_as_current_span("agent"):
        first = client.chat.completions.create(model="tiny", messages=messages, tools=TOOLS).choices[0].message
        facts = {**of_tool, tool: "weather", received: '{"city": "Leeds"}', gave: "rain, 9 degrees"}
        with tracer.start_as_current_span("call", attributes=facts):
            pass
        more: dict[str, Any] = {**of_tool, tool: "mail", received: '{"to": "ana"}', "app.retries": 2}
        with tracer.start_as_current_span("call", attributes=more) as span:
            span.add_event("gave up", {"after_seconds": 3})
            span.set_status(Status(StatusCode.ERROR, "no network"))
        messages += [first.model_dump(exclude_none=True)]
        messages += [{"role": "tool", "tool_call_id": "call_1", "content": "rain, 9 degrees"}]
        client.chat.completions.create(model="tiny", messages=messages, tools=TOOLS)


def spans_of(instrumentor: Any, address: str, *attributes: str) -> tuple[Any, ...]:
    """The finished spans of one run."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "weather-agent"}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    if instrumentor is not None:
        instrumentor.instrument(tracer_provider=provider)
    agent(provider, OpenAI(base_url=address, api_key="none"), *attributes)
    if instrumentor is not None:
        instrumentor.uninstrument()
    return tuple(memory.get_finished_spans())


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1])
    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    if importlib.metadata.version("opentelemetry-instrumentation-openai") == NUMBERED:
        write(folder / "openllmetry_numbered.json", openllmetry(address))
        return
    from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInferenceInstrumentor

    standard = ("gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
    plain = spans_of(None, address, *standard)
    write(folder / "otlp.json", MessageToDict(encode_spans(plain)))
    (folder / "sdk.jsonl").write_text("\n".join(span.to_json() for span in plain) + "\n", encoding="utf-8")
    phoenix = spans_of(OpenInferenceInstrumentor(), address, "tool.name", "input.value", "output.value")
    write(folder / "openinference.json", [json.loads(span.to_json()) for span in phoenix])
    write(folder / "openllmetry.json", openllmetry(address))


def openllmetry(address: str) -> dict[str, Any]:
    """OTLP with OpenLLMetry's attributes."""
    attributes = ("traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output")
    return dict(MessageToDict(encode_spans(spans_of(OpenLlmetryInstrumentor(), address, *attributes))))


def write(path: Path, data: object) -> None:
    """One file of JSON."""
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
