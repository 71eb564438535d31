"""Prodigy's annotations, as `db-out` writes them: a task on each line for each annotator's answer."""

from collections.abc import Sequence
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.plain_data import mapping
from markscheme.readers.peek import Peek

TASK = ("_input_hash", "answer")
OF_ANSWERS = ("accept", "label")
"""Further fields that say what an annotator answered."""
CHOICE = "choice"
"""Name of the metric that a choice among options rates, since such a task names none."""
_SKIPPED = ("_task_hash", "_view_id", "_session_id", "_timestamp", "_is_binary", "options", "config", "tokens", "html")


def is_prodigy(peek: Peek) -> bool:
    """Return True if a file holds Prodigy's tasks, unless the user maps their ids or answers field by field."""
    return peek.has(*TASK) and peek.options.fields.keys().isdisjoint((*TASK, *OF_ANSWERS))


def read_prodigy(files: Sequence[Peek], content: ToolContent) -> None:
    """Read tasks as responses, and annotators' answers as ratings: of a label, or of one choice among options.

    A task's `text` is the response, unless the user maps another field to it.
    """
    shown = next((key for key, meaning in content.columns.fields.items() if meaning == "response"), "text")
    for peek in files:
        for _, record in peek.parts():
            fields = Fields(record, content, "task", {*_SKIPPED} - {shown})
            if fields.is_record:
                rater = fields.text("_annotator_id") or str(record.get("_session_id") or "")
                _task(fields, shown, rater, content)
                fields.close()


def _task(fields: Fields, shown: str, rater: str, content: ToolContent) -> None:
    """Add what a task shows as a response, and the annotator's answer as a rating.

    Args:
        fields: The task.
        shown: The field with the response, such as "text".
        rater: The annotator's name.
        content: The content of the export so far.
    """
    unit = fields.text("_input_hash")
    response = fields.take(shown)
    inputs = mapping(fields.take("meta"))
    if unit not in content.responses:
        content.respond(unit, response, inputs)
    answer = fields.text("answer")
    label = fields.text("label")
    chosen = fields.take("accept")
    if answer == "ignore":
        content.lose("tasks that annotators ignored")
    elif isinstance(chosen, list) and answer == "accept":
        _choose(unit, chosen, rater, content)
    elif label:
        content.rate(RawRating(unit, label, answer, rater, "human"))
    else:
        content.lose("tasks that rate nothing")


def _choose(unit: str, chosen: Sequence[Any], rater: str, content: ToolContent) -> None:
    """Add the option that an annotator chose as a rating; no option, or several, count as lost."""
    if len(chosen) == 1:
        content.rate(RawRating(unit, CHOICE, chosen[0], rater, "human"))
    else:
        content.lose(f"tasks with {len(chosen)} choices")
