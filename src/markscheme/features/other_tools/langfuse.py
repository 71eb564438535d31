"""Langfuse's exports: scores (CSV, JSON, or the API's answer), joined with the traces that hold the responses.

Comments on traces and observations are read from the API's answer on comments.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.other_tools.metric_values import RawRating, of_number_and_word
from markscheme.features.other_tools.tool_content import Fields, ToolContent, decoded
from markscheme.plain_data import elements, mapping
from markscheme.ratings.kinds import Kind
from markscheme.readers.imported import number
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import Remark

_KINDS: Mapping[str, Kind] = {"ANNOTATION": "human", "EVAL": "model"}
_SCORE = ("source", "dataType", "name", "value")
TRACE = ("timestamp", "name", "input", "output", "metadata")
STORED_APART = "@@@langfuseMedia:"
"""Beginning of a text that refers to an image or document stored outside the export."""
COMMENT = ("objectType", "objectId", "content")
_OF_COMMENT = ("id", "projectId", "updatedAt", "objectType", "objectId")
_SKIPPED = ("id", "projectId", "environment", "createdAt", "updatedAt", "configId", "queueId", "traceName", "traceTags",
           "userId", "timestamp", "subject")  # fmt: skip
_OF_TRACE = ("id", "timestamp", "name", "projectId", "environment", "createdAt", "updatedAt", "tags", "userId",
            "sessionId", "release", "version", "public", "bookmarked", "latency", "totalCost")  # fmt: skip


def is_langfuse(peek: Peek) -> bool:
    """Return True if a file holds Langfuse's scores, traces or comments."""
    return peek.has(*_SCORE) or peek.has(*COMMENT) or (peek.has("id", *TRACE) and not peek.has("run_type"))


def read_langfuse(files: Sequence[Peek], content: ToolContent) -> None:
    """Read traces as responses, scores as ratings, and comments as remarks.

    Raises:
        RatingError: Ratings are wanted, and no file has exported scores. Comments rate nothing, and a trace's own list
            of scores doesn't say which rater gave which score.
    """
    if content.needs_ratings and not any(peek.has(*_SCORE) for peek in files):
        if all(peek.has(*COMMENT) for peek in files):
            raise RatingError(
                "contains comments and no ratings: export the scores too, or take the comments in as notes with "
                "`markscheme discover NAME --notes FILE`",
                path=files[0].path,
            )
        names = ", ".join(sorted({name for peek in files for _, trace in peek.first for name in _mixed(trace)}))
        raise RatingError(
            f"mixes the scores of annotators and judges without names ({names or 'none found'}): export the scores "
            "and name both files",
            path=files[0].path,
        )
    for peek in files:
        read = _score if peek.has(*_SCORE) else _comment_of_api if peek.has(*COMMENT) else _trace
        for key, record in peek.parts():
            if key == "meta" and isinstance(record, Mapping):
                _note_of_more(record, content)
            elif not isinstance(record, Mapping) or key not in ("", "data"):
                content.lose(f"{key or 'an entry'!r} of {peek.path.name}")
            else:
                read(record, content)


def _note_of_more(page: Mapping[str, Any], content: ToolContent) -> None:
    """Note that the API has further pages, if the file holds only one of several pages of scores or comments."""
    if page.get("cursor"):
        content.note("there are more scores than the file holds: its answer has a cursor to the next page")
    if (number(page.get("totalPages")) or 0) > (number(page.get("page")) or 0):
        content.note("there are more comments than the file holds: its answer is one of several pages")


def _mixed(trace: object) -> list[str]:
    """Return the keys under which an exported trace lists scores; one key may mix the scores of several raters."""
    keys = {*TRACE, *_OF_TRACE, "comments"}
    return [name for name, value in mapping(trace).items() if name not in keys and isinstance(decoded(value), list)]


def _trace(record: Mapping[str, object], content: ToolContent) -> None:
    mixed = _mixed(record)
    if mixed:
        content.note(f"the traces' own lists of scores ({', '.join(mixed)}) were left aside: the scores' file has them")
    fields = Fields(record, content, "trace", (*_OF_TRACE, *mixed))
    unit = str(record.get("id") or "")
    output = decoded(fields.take("output"))
    query = decoded(fields.take("input"))
    content.respond(unit, output, query)
    for text in (output, query):
        if isinstance(text, str) and text.startswith(STORED_APART):
            content.lose("images and documents that Langfuse stores elsewhere")
    for comment in elements(decoded(fields.take("comments"))):
        _comment(unit, comment, content)
    fields.close()


def _comment(unit: str, record: Any, content: ToolContent) -> None:
    """Add a comment on a trace to the content as a remark; it counts as a person's if the comment names its author.

    Args:
        unit: Id of the trace.
        record: The comment, as the file has it.
        content: The content read so far.
    """
    fields = Fields(record, content, "comment", _OF_COMMENT)
    text = fields.text("content")
    author = fields.text("author_user_id", "authorUserId")
    moment = fields.text("created_at", "createdAt")
    fields.close()
    if text:
        content.remark(Remark(unit, text, author, "human" if author else None, moment), lost="comments on traces")


def _comment_of_api(record: Mapping[str, Any], content: ToolContent) -> None:
    """Add a comment from the API as a remark on its trace; comments on sessions and prompts are left out."""
    if record.get("objectType") in ("TRACE", "OBSERVATION"):
        _comment(str(record.get("objectId") or ""), record, content)
    else:
        content.lose("comments on sessions and prompts")


def _score(record: Mapping[str, object], content: ToolContent) -> None:
    fields = Fields(record, content, "score", _SKIPPED)
    kind = fields.text("source")
    name = fields.text("name")
    type_ = fields.text("dataType")
    subject = record.get("subject")
    if isinstance(subject, Mapping) and subject.get("kind") in ("trace", "observation"):
        unit = str(subject.get("id") or "")
    else:
        unit = fields.text("observationId", "traceId")
    fields.take("traceId")
    value = fields.take("value")
    word = fields.take("stringValue")
    word_of_number = None
    if type_ == "CATEGORICAL":
        value, word_of_number = of_number_and_word(value, word)
    rater = fields.text("authorUserName", "authorUserId")
    moment = str(record.get("timestamp") or "")
    if type_ == "TEXT":
        word = word or value  # version 3 of the API has the text as the value
    if type_ == "TEXT" and unit and word:
        content.remark(Remark(unit, str(word), rater, _KINDS.get(kind), moment), lost="scores of the type TEXT")
    elif type_ in ("TEXT", "CORRECTION"):
        content.lose(f"scores of the type {type_}")
    elif not unit:
        content.lose("scores of a session or a dataset run")
    else:
        content.rate(
            RawRating(unit, name, value, rater, _KINDS.get(kind), fields.text("comment"), moment, word=word_of_number)
        )
    fields.close()
