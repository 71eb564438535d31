"""Langfuse's exports: scores (CSV, JSON, or the API's answer), joined with the traces that hold the responses."""

from collections.abc import Mapping, Sequence

from markscheme.errors import RatingError
from markscheme.ratings.rating import Kind
from markscheme.readers.export import Export, Fields, RawRating
from markscheme.readers.peek import Peek, decoded, mapping

KINDS: Mapping[str, Kind] = {"ANNOTATION": "human", "EVAL": "model"}
SCORE = ("source", "dataType", "name", "value")
TRACE = ("timestamp", "name", "input", "output", "metadata")
SKIPPED = ("id", "projectId", "environment", "createdAt", "updatedAt", "configId", "queueId", "traceName", "traceTags",
           "userId", "timestamp", "subject")  # fmt: skip
OF_TRACE = ("id", "timestamp", "name", "projectId", "environment", "createdAt", "updatedAt", "tags", "userId",
            "sessionId", "release", "version", "public", "bookmarked", "latency", "totalCost")  # fmt: skip


def is_langfuse(peek: Peek) -> bool:
    """Whether a file holds Langfuse's scores or traces."""
    return peek.has(*SCORE) or (peek.has("id", *TRACE) and not peek.has("run_type"))


def read_langfuse(files: Sequence[Peek], export: Export) -> None:
    """The traces as responses and the scores as ratings.

    Raises:
        RatingError: Only traces are given: they don't separate the scores of different raters.
    """
    if not any(peek.has(*SCORE) for peek in files):
        names = ", ".join(sorted({name for peek in files for _, trace in peek.first for name in _mixed(trace)}))
        raise RatingError(
            f"mixes the scores of annotators and judges without names ({names or 'none found'}): export the scores "
            "and name both files",
            path=files[0].path,
        )
    for peek in files:
        read = _score if peek.has(*SCORE) else _trace
        for key, record in peek.parts():
            if key == "meta" and isinstance(record, Mapping):
                if record.get("cursor"):
                    export.note("there are more scores than the file holds: its answer has a cursor to the next page")
            elif not isinstance(record, Mapping) or key not in ("", "data"):
                export.lose(f"{key or 'an entry'!r} of {peek.path.name}")
            else:
                read(record, export)


def _mixed(trace: object) -> list[str]:
    """Names under which a trace has a list of several raters' scores."""
    known = {*TRACE, *OF_TRACE, "comments"}
    return [name for name, value in mapping(trace).items() if name not in known and isinstance(decoded(value), list)]


def _trace(record: Mapping[str, object], export: Export) -> None:
    mixed = _mixed(record)
    if mixed:
        export.note(f"the traces' own lists of scores ({', '.join(mixed)}) were left aside: the scores' file has them")
    fields = Fields(record, export, "trace", (*OF_TRACE, *mixed))
    export.respond(str(record.get("id") or ""), decoded(fields.take("output")), decoded(fields.take("input")))
    fields.close()


def _score(record: Mapping[str, object], export: Export) -> None:
    fields = Fields(record, export, "score", SKIPPED)
    kind, name, type_ = fields.text("source"), fields.text("name"), fields.text("dataType")
    subject = record.get("subject")
    if isinstance(subject, Mapping) and subject.get("kind") in ("trace", "observation"):
        unit = str(subject.get("id") or "")
    else:
        unit = fields.text("observationId", "traceId")
    fields.take("traceId")
    value, word = fields.take("value"), fields.take("stringValue")
    if type_ == "CATEGORICAL":
        value = export.either(name, value, word)
    if type_ in ("TEXT", "CORRECTION"):
        export.lose(f"scores of the type {type_}")
    elif not unit:
        export.lose("scores of a session or a dataset run")
    else:
        rater, at = fields.text("authorUserName", "authorUserId"), str(record.get("timestamp") or "")
        export.rate(RawRating(unit, name, value, rater, KINDS.get(kind), fields.text("comment"), at))
    fields.close()
