"""An agent's steps as a tree: calls with their results, errors and times."""

import json
import re

import pytest

from markscheme.pages.example import Shortening, render_example
from markscheme.pages.steps import StepTree
from markscheme.pages.words import first_words
from markscheme.submission import Submission
from markscheme.trajectory import read_steps


def call(id: str, name: str, **arguments: object) -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def result(id: str, content: str, **more: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def span(id: str, parent: str, name: str, start: str, end: str, **more: object) -> dict[str, object]:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": "{}"}
    return {
        "spanId": id,
        "parentSpanId": parent,
        "startTime": start,
        "endTime": end,
        "attributes": attributes,
        **more,
    }


def tree_of(trace: object) -> StepTree:
    return StepTree.of(list(enumerate(read_steps(trace), start=1)))


def test_results_of_calls_made_at_once_are_with_their_calls() -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [call("a", "find", q=1), call("b", "find", q=2)]}
    tree = tree_of([turn, result("b", "two"), result("a", "one")])
    assert [(node.step.text, node.result[1].text, node.numbers) for node in tree.nodes if node.result] == [
        ('{"q": 1}', "one", "1, 4"),
        ('{"q": 2}', "two", "2–3"),
    ]


@pytest.mark.parametrize(
    "failing",
    [result("a", "no", is_error=True), result("a", "no", status="error"), result("a", '{"error": "no"}')],
    ids=["is_error", "status", "an object with an error"],
)
def test_a_tool_s_error_is_an_error_of_its_step_in_every_form(failing: dict[str, object]) -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [call("a", "find"), call("b", "open")]}
    steps = [turn, failing, result("b", '{"error": null}')]
    html = render_example(Submission("Sorry.", {"trace": json.dumps(steps)}), ["trace"])
    assert html.count('<details class="step failed">') == 1
    assert "4 steps" in html
    assert "1 error" in html
    assert "<strong>error</strong>" in html


def test_spans_inside_a_call_are_inside_it_with_the_time_each_took() -> None:
    trace = [
        span("1", "", "plan", "2026-01-02T03:04:05Z", "2026-01-02T03:04:08.5Z"),
        span("2", "1", "search", "2026-01-02T03:04:06+00:00", "2026-01-02T03:04:06.25+00:00"),
        span("3", "", "mail", "2026-01-02T03:04:09Z", "no time", status={"code": 2, "message": "bounced"}),
    ]
    tree = tree_of(trace)
    assert [node.step.title for node in tree.roots] == ["plan", "mail"]
    assert [node.step.title for node in tree.roots[0].inside] == ["search"]
    assert [node.step.seconds for node in tree.nodes] == [3.5, 0.25, None]
    assert tree.failed == 1
    html = tree.html()
    assert re.findall(r'<span class="time">([^<]*)</span>', html) == ["3.5 s", "0.2 s"]
    assert '<div class="inside"><details class="step">' in html


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        (1767323045_000000000, 1767323046_500000000, 1.5),
        ("1767323045000000000", "1767323045500000000", 0.5),
        (1767323045_000000, 1767323045_250000, 0.25),
        (1767323045_000, 1767323047_000, 2.0),
        (1767323045.0, 1767323046.0, 1.0),
        (2, 1, None),
        ("nan", 1, None),
    ],
)
def test_times_in_any_unit_give_seconds(start: object, end: object, seconds: float | None) -> None:
    record = {**span("1", "", "find", "", ""), "startTime": start, "endTime": end}
    (step,) = tree_of([record]).nodes
    assert step.step.seconds == (None if seconds is None else pytest.approx(seconds))


def test_long_messages_and_system_prompts_are_folded() -> None:
    trace = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "word " * 1000}]
    html = tree_of(trace).html()
    assert html.count("<details") == 2
    assert 'class="turn"' not in html


def test_of_a_long_trace_the_ends_are_shown_and_what_is_between_is_counted() -> None:
    trace = [{"role": "user", "content": f"message {n} " + "x" * 50} for n in range(20)]
    short = Shortening(lambda text: text[:10], 4)
    html = render_example(Submission("", {"trace": json.dumps(trace)}), ["trace"], shortening=short)
    assert re.findall(r"message \d+|\d+ steps left out", html) == [
        "message 0",
        "message 1",
        "16 steps left out",
        "message 18",
        "message 19",
    ]


def test_a_response_is_named_by_its_first_words_without_signs() -> None:
    assert first_words("## Hello\n\n- the `parcel`\n- is here") == "Hello the parcel is here"
    assert first_words("word " * 100, 12) == "word word…"
    assert first_words("") == ""
