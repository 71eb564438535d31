"""An agent's steps as a tree: calls with their results, errors and times."""

import json
import re

import pytest

from markscheme.pages.example import Shortening, render_example
from markscheme.pages.steps import StepNode, tree_html, tree_of
from markscheme.pages.words import first_words
from markscheme.prompts.steps import read_steps
from markscheme.prompts.submission import Submission


def call(id: str, name: str, **arguments: object) -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def result(id: str, content: str, **more: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def tree_of_trace(trace: object) -> list[StepNode]:
    return tree_of(list(enumerate(read_steps(trace), start=1)))


def test_results_of_parallel_tool_calls_are_shown_next_to_their_calls() -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [call("a", "find", q=1), call("b", "find", q=2)]}
    tree = tree_of_trace([turn, result("b", "two"), result("a", "one")])
    assert [(node.step.text, node.result[1].text, node.numbers) for node in tree if node.result] == [
        ('{"q": 1}', "one", "1, 4"),
        ('{"q": 2}', "two", "2–3"),
    ]


@pytest.mark.parametrize(
    "failing",
    [result("a", "no", is_error=True), result("a", "no", status="error"), result("a", '{"error": "no"}')],
    ids=["is_error", "status", "an object with an error"],
)
def test_a_tool_s_error_marks_its_step_as_failed_in_every_format_of_errors(failing: dict[str, object]) -> None:
    turn = {"role": "assistant", "content": None, "tool_calls": [call("a", "find"), call("b", "open")]}
    steps = [turn, failing, result("b", '{"error": null}')]
    html = render_example(Submission("Sorry.", {"trace": json.dumps(steps)}), ["trace"])
    assert html.count('<details class="step failed">') == 1
    assert "4 steps" in html
    assert "1 error" in html
    assert "<strong>error</strong>" in html


def test_long_messages_and_system_prompts_in_a_trace_are_folded() -> None:
    trace = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "word " * 1000}]
    html = tree_html(tree_of_trace(trace))
    assert html.count("<details") == 2
    assert 'class="turn"' not in html


def test_a_long_trace_shows_its_first_and_last_steps_and_the_number_of_steps_left_out_between() -> None:
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


def test_the_preview_of_a_response_names_images_and_documents_by_their_kind_instead_of_a_digest() -> None:
    digest = "3c38b73771fbad5c613ebba651f8c68e"
    assert first_words(f"[image {digest}] Here it is. [pdf {digest}]") == "(image) Here it is. (pdf)"
    assert first_words("[image of a fox]") == "[image of a fox]"


def test_the_preview_of_a_response_shows_its_first_words_without_markdown_s_signs() -> None:
    assert first_words("## Hello\n\n- the `parcel`\n- is here") == "Hello the parcel is here"
    assert first_words("word " * 100, 12) == "word word…"
    assert first_words("") == ""
