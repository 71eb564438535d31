"""LangSmith's feedback, joined with the runs that hold the responses."""

from collections.abc import Mapping, Sequence

from markscheme.errors import RatingError
from markscheme.features.other_tools.metric_values import RawRating, of_number_and_word
from markscheme.features.other_tools.tool_content import Fields, ToolContent, decoded
from markscheme.plain_data import mapping, shown
from markscheme.ratings.kinds import Kind
from markscheme.readers.peek import Peek

KIND_BY_SOURCE: Mapping[str, Kind] = {"app": "human", "model": "model", "auto_eval": "model"}
"""Kind of rater who gave feedback, by the type of the feedback's source."""
FEEDBACK, RUN = ("run_id", "key", "feedback_source"), ("run_type", "outputs")
_SKIPPED = (
    "id",
    "modified_at",
    "trace_id",
    "session_id",
    "start_time",
    "feedback_group_id",
    "comparative_experiment_id",
)


def is_langsmith(peek: Peek) -> bool:
    """Return True if a file holds LangSmith's feedback or runs."""
    return peek.has(*FEEDBACK) or peek.has(*RUN)


def read_langsmith(files: Sequence[Peek], content: ToolContent) -> None:
    """Read runs as responses and feedback as ratings.

    Raises:
        RatingError: Ratings are wanted, and there are only runs, whose `feedback_stats` are averages over all raters.
    """
    if content.needs_ratings and not any(peek.has(*FEEDBACK) for peek in files):
        stats = [mapping(mapping(run).get("feedback_stats")) for _, run in files[0].first]
        names = ", ".join(sorted({str(name) for averages in stats for name in averages}))
        raise RatingError(
            f"averages the scores of annotators and judges in `feedback_stats` ({names or 'none found'}): export the "
            "feedback and name both files",
            path=files[0].path,
        )
    for peek in files:
        read = _feedback if peek.has(*FEEDBACK) else _run
        for _, record in peek.parts():
            read(record, content)


def _run(record: object, content: ToolContent) -> None:
    if not isinstance(record, Mapping):
        content.lose(f"runs that aren't objects, such as {shown(record)}")
    elif record.get("error"):
        content.lose("runs that ended in an error")
    else:
        content.respond(str(record.get("id") or ""), decoded(record.get("outputs")), decoded(record.get("inputs")))


def _feedback(record: object, content: ToolContent) -> None:
    fields = Fields(record, content, "feedback", _SKIPPED)
    name = fields.text("key")
    source = fields.text("feedback_source.type")
    rater = fields.text("feedback_source.user_name", "feedback_source.user_id")
    score = fields.take("score")
    word = fields.take("value")
    correction = decoded(fields.take("correction"))
    is_word = word is None or isinstance(word, str)
    value, word_of_number = of_number_and_word(score, word) if is_word else (word if score is None else score, None)
    note = f"{name} corrected to {correction}" if correction else ""
    unit = fields.text("run_id")
    reason = fields.text("comment")
    moment = fields.text("created_at")
    fields.take("feedback_source.user_id")
    fields.close()
    if fields.is_record:
        content.rate(
            RawRating(
                unit, name, value, rater, KIND_BY_SOURCE.get(source), reason, moment, note=note, word=word_of_number
            )
        )
