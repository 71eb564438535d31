"""Spans as steps of a tree: what is inside what, and how long each took."""

import re

import pytest

from markscheme.pages.steps import count_failed, tree_html
from tests.pages.test_steps import tree_of_trace


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


def test_child_spans_are_shown_inside_their_parent_call_with_their_durations() -> None:
    trace = [
        span("1", "", "plan", "2026-01-02T03:04:05Z", "2026-01-02T03:04:08.5Z"),
        span("2", "1", "search", "2026-01-02T03:04:06+00:00", "2026-01-02T03:04:06.25+00:00"),
        span("3", "", "mail", "2026-01-02T03:04:09Z", "no time", status={"code": 2, "message": "bounced"}),
    ]
    tree = tree_of_trace(trace)
    assert [node.step.title for node in tree] == ["plan", "mail"]
    assert [node.step.title for node in tree[0].inside] == ["search"]
    assert [node.step.seconds for node in (tree[0], *tree[0].inside, tree[1])] == [3.5, 0.25, None]
    assert count_failed(tree) == 1
    html = tree_html(tree)
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
def test_span_times_in_any_unit_are_converted_to_seconds(start: object, end: object, seconds: float | None) -> None:
    record = {**span("1", "", "find", "", ""), "startTime": start, "endTime": end}
    (step,) = tree_of_trace([record])
    assert step.step.seconds == (None if seconds is None else pytest.approx(seconds))
