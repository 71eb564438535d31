"""Agents under the real Promptfoo: its traces, earlier turns and tool calls reach the judge as steps."""

import socket
from typing import Any

import pytest
import yaml

from tests.promptfoo.answering import GRADER, LANGUAGES, in_language, result_in, rows
from tests.real.promptfoo import PromptfooInstall, run_eval

pytestmark = pytest.mark.proof

AGENT = '''
import json, time, urllib.request

def call_api(prompt, options, context):
    """Looks an order up and refunds it if it may, whatever it then says; its tools are spans of the trace."""
    variables = context["vars"]
    version, trace, parent, flags = context["traceparent"].split("-")
    now = time.time_ns()
    done = [("get_order", '{"id": 7}', variables["found"]), ("refund_order", '{"id": 7}', variables["refunded"])]
    spans = [
        {"traceId": trace, "spanId": f"{place:016x}", "parentSpanId": parent, "name": f"execute_tool {tool}", "kind": 1,
         "startTimeUnixNano": str(now + place * 1000000), "endTimeUnixNano": str(now + place * 1000000 + 500000),
         "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in (
             ("gen_ai.tool.name", tool), ("gen_ai.tool.call.arguments", given), ("gen_ai.tool.call.result", result))],
         "status": {"code": 1}}
        for place, (tool, given, result) in reversed(list(enumerate(done, start=1)))
    ]
    body = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "agent"}, "spans": spans}]}]}
    address = f"http://127.0.0.1:{options['config']['port']}/v1/traces"
    headers = {"content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers)).read()
    calls = [{"type": "function", "function": {"name": "refund_order", "arguments": "{\\"id\\": 7}"}}]
    return {"output": calls if variables.get("as_calls") else variables["says"]}
'''
JUDGE = r'''
import json, re

def judge(system_prompt, user_prompt):
    """Believes no refund that no tool confirms, and invents a quote where the query says so."""
    user = user_prompt
    steps = re.findall(r"<step-(\d+)-\w+>\n(.*?)\n</step-", user, re.DOTALL)
    answer = user.rsplit("<response-", 1)[1]
    refused = next(((number, text) for number, text in steps if "refused" in text), None)
    confirmed = next(((number, text) for number, text in steps if "status: refunded" in text), None)
    number, text = refused or confirmed or steps[-1]
    quote = text.splitlines()[-1]
    if "Invent" in user:
        quote = "the manager approved this refund by telephone"
    level = "UNMET" if "have refunded" in answer and confirmed is None else "MET"
    said = {"quote": quote, "step": number, "reason": f"Step {number} of {len(steps)} shows it.", "level": level}
    return json.dumps({"verdicts": {"honest": said}})
'''
HONEST = "{name: honest, requirement: Every action that the response reports was confirmed by a tool.}"
REFUSED, REFUNDED = "refused: delivered 45 days ago", "status: refunded, amount 84.50"
TURNS = "{% for turn in _conversation %}{{ turn.input }} {{ turn.output }} {% endfor %}{{ query }}"


def case(query: str, refunded: str, says: str, rubric: str = "trace", **more: Any) -> dict[str, Any]:
    """A test whose output is graded once in each language."""
    variables = {"query": query, "found": "delivered 2026-10-06", "refunded": refunded, "says": says, **more}
    config = {"rubric": f"sees-{rubric}", "judge": "function:refund_judge:judge"}
    graders = [in_language(language, GRADER) for language in LANGUAGES]
    return {
        "vars": variables,
        "assert": [{"type": "python", "value": grader, "config": config} for grader in graders],
        "metadata": {"conversationId": query.removeprefix("First").removeprefix("Second")},
    }


@pytest.fixture(scope="module")
def in_both_languages(
    promptfoo: PromptfooInstall, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, dict[str, Any]]]:
    """The results of our assertion for each case of one run, by language and query."""
    folder = tmp_path_factory.mktemp("agent")
    (folder / "agent.py").write_text(AGENT)
    (folder / "refund_judge.py").write_text(JUDGE)
    (folder / "rubrics").mkdir()
    for name in ("trace", "messages", "tool_calls"):
        (folder / "rubrics" / f"sees-{name}.yaml").write_text(f"inputs: [query, {name}]\ncriteria: [{HONEST}]\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config: dict[str, Any] = {
        "prompts": [TURNS],
        "providers": [{"id": "file://agent.py", "config": {"port": port}}],
        "tracing": {"enabled": True, "otlp": {"http": {"enabled": True, "port": port, "host": "127.0.0.1"}}},
        "tests": [
            case("Refund order 7.", REFUNDED, "I have refunded order 7."),
            case("Refund order 7 today.", REFUSED, "I have refunded order 7."),
            case("Try to refund order 7.", REFUSED, "I could not refund order 7."),
            case("Invent a reason.", REFUNDED, "I have refunded order 7."),
            case("Call the tool.", REFUNDED, "", "tool_calls", as_calls=True),
            case("First turn.", REFUSED, "It was refused: too old."),
            case("Second turn.", REFUSED, "I have refunded it.", "messages"),
            {**case("Without an id.", REFUSED, "It was refused.", "messages"), "metadata": {}},
        ],
    }  # fmt: skip
    file = folder / "promptfooconfig.yaml"
    file.write_text(yaml.safe_dump(config))
    run = run_eval(file, cwd=folder, env={"MARKSCHEME_CACHE": str(folder / "cache")})
    assert run.results, run.stderr
    return {language: {row["vars"]["query"]: result_in(language, row) for row in rows(run)} for language in LANGUAGES}


@pytest.fixture(params=LANGUAGES)
def graded(
    request: pytest.FixtureRequest, in_both_languages: dict[str, dict[str, dict[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """The result of our assertion in one language for each case, by query."""
    return in_both_languages[request.param]


def outcome_of(result: dict[str, Any]) -> tuple[bool, dict[str, int], int]:
    """Whether it passes, the step that its criterion cites, and how many quotes were not found there."""
    return result["pass"], result["metadata"]["cites"], result["metadata"]["quotesNotFound"]


def test_a_verdict_s_reason_ends_with_the_step_of_the_trace_that_the_judge_cites(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert outcome_of(graded["Refund order 7."]) == (True, {"honest": 4}, 0)
    assert graded["Refund order 7."]["componentResults"][0]["reason"] == "honest MET: Step 4 of 4 shows it. (step 4)"


def test_a_response_that_claims_more_than_the_trace_shows_fails_and_one_that_claims_no_more_passes(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert outcome_of(graded["Refund order 7 today."]) == (False, {"honest": 4}, 0)
    assert outcome_of(graded["Try to refund order 7."]) == (True, {"honest": 4}, 0)


def test_a_quote_that_the_cited_step_does_not_contain_is_marked_as_not_found(graded: dict[str, dict[str, Any]]) -> None:
    assert outcome_of(graded["Invent a reason."]) == (True, {"honest": 4}, 1)
    reason = graded["Invent a reason."]["componentResults"][0]["reason"]
    assert reason.endswith("(step 4, which doesn't contain the passage it quotes)")


def test_tool_calls_and_earlier_turns_in_promptfoo_become_steps_without_configuration(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert outcome_of(graded["Call the tool."]) == (True, {"honest": 1}, 0)
    assert "Step 1 of 1" in graded["Call the tool."]["reason"]
    assert outcome_of(graded["Second turn."]) == (False, {"honest": 2}, 0)
    assert "Step 2 of 2" in graded["Second turn."]["reason"]


def test_the_first_turn_of_a_conversation_is_graded_although_there_are_no_earlier_messages(
    graded: dict[str, dict[str, Any]],
) -> None:
    assert "needs the input" not in graded["Without an id."]["reason"]
    assert graded["Without an id."]["reason"].startswith("1.00 passes"), graded["Without an id."]["reason"]
