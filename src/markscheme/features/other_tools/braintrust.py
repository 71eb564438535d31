"""Braintrust's experiments: the events of `fetch`, whose root rows have the responses and all scores."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.plain_data import elements, mapping, objects
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import Remark

OF_EVENT = ("root_span_id", "span_id", "is_root")
"""Fields of an event, which is a row of the experiment or a step within one."""
_SKIPPED = ("_xact_id", "_pagination_key", "created", "project_id", "experiment_id", "dataset_record_id", "log_id",
           "root_span_id", "span_id", "span_parents", "is_root", "span_attributes", "metrics", "origin",
           "context")  # fmt: skip


def is_braintrust(peek: Peek) -> bool:
    """Return True if a file holds events of a Braintrust experiment, unless the user maps their scores one by one."""
    return peek.has(*OF_EVENT) and not any(path.startswith("scores.") for path in peek.options.fields)


def read_braintrust(files: Sequence[Peek], content: ToolContent) -> None:
    """Read root rows as responses, and each of their scores as ratings of a rater named like the score.

    A score that a step of a row computed is a judge's. Of the others the files don't say whether they are people's
    reviews, which are means over all reviewers.
    """
    events = [event for peek in files for key, event in peek.parts() if key in ("", "events")]
    computed = {name for event in events if _is_scorer(event) for name in mapping(mapping(event).get("scores"))}
    for event in events:
        if not _is_step(mapping(event)):
            _row(event, computed, content)


def _is_step(event: Mapping[str, Any]) -> bool:
    return event.get("is_root") is False or bool(elements(event.get("span_parents")))


def _is_scorer(event: Any) -> bool:
    return mapping(mapping(event).get("span_attributes")).get("type") == "score"


def _row(event: Any, computed: set[str], content: ToolContent) -> None:
    """Add a root row's response, scores and comments to the content.

    Args:
        event: The row.
        computed: Names of the scores that steps computed.
        content: The content of the export so far.
    """
    fields = Fields(event, content, "row", _SKIPPED)
    if not fields.is_record:
        return
    unit = fields.text("id")
    error = fields.text("error")
    output = fields.take("output")
    if error:
        content.lose("rows that ended in an error")
    else:
        content.respond(unit, output, fields.take("input"), reference=fields.take("expected"))
    for name, value in mapping(fields.take("scores")).items():
        content.rate(RawRating(unit, name, value, name, "model" if name in computed else None))
    for comment in objects(fields.take("comments")):
        text = mapping(comment.get("comment")).get("text")
        if text:
            content.remark(Remark(unit, str(text), "", "human", comment.get("created")), lost="comments")
    fields.close()
