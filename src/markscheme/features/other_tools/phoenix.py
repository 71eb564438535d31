"""Phoenix's span annotations, joined with the spans that hold the responses: the sqlite store, JSON and CSV exports."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating, of_number_and_word
from markscheme.features.other_tools.stored_rows import stored_rows
from markscheme.features.other_tools.tool_content import Fields, ToolContent, decoded
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import text_of
from markscheme.readers.peek import Peek

_KINDS: Mapping[str, Kind] = {"HUMAN": "human", "LLM": "model", "CODE": "code"}
ANNOTATION = ("annotator_kind", "span_id", "identifier")
_STORED = ("name", "label", "score", "explanation", "annotator_kind", "identifier", "updated_at", "user_id", "metadata",
          "span_rowid")  # fmt: skip
_SKIPPED = ("id", "created_at", "updated_at", "source", "span_id", "span_rowid")


def is_phoenix(peek: Peek) -> bool:
    """Return True if a file holds Phoenix's annotations or spans."""
    if peek.tables:
        return {"span_annotations", "spans"} <= peek.tables.keys()
    return peek.has(*ANNOTATION) or peek.has("span_kind", "status_code")


def read_phoenix(files: Sequence[Peek], content: ToolContent) -> None:
    """Read rated spans into `content` as responses, and the annotations on these spans as ratings."""
    for peek in files:
        if peek.tables:
            _stored(peek, content)
        else:
            read = _annotation if peek.has(*ANNOTATION) else _span
            for _, record in peek.parts():
                read(record, content)


def _stored(peek: Peek, content: ToolContent) -> None:
    users = {}
    if "users" in peek.tables:
        users = {text_of(row["id"]): row["username"] for row in stored_rows(peek, "users", ("id", "username"))}
    spans = {text_of(row["id"]): text_of(row["span_id"]) for row in stored_rows(peek, "spans", ("id", "span_id"))}
    for row in stored_rows(peek, "span_annotations", _STORED):
        user = users.get(text_of(row.pop("user_id")))
        metadata = decoded(row.pop("metadata"))
        span = spans.get(text_of(row["span_rowid"]))
        _annotation({**row, "user": user, "metadata": metadata, "span_id": span}, content)
    rated = "WHERE id IN (SELECT span_rowid FROM span_annotations)"
    for row in stored_rows(peek, "spans", ("span_id", "attributes"), rated):
        _span({"span_id": text_of(row["span_id"]), "attributes": decoded(row["attributes"])}, content)


def _annotation(record: Any, content: ToolContent) -> None:
    fields = Fields(record, content, "annotation", _SKIPPED)
    if not fields.is_record:
        return
    name = fields.text("annotation_name", "name")
    kind = fields.text("annotator_kind")
    rater = fields.text("identifier", "user", "user_id")
    texts = [fields.take(f"result.{key}") or fields.take(key) for key in ("label", "explanation")]
    score = fields.take("result.score")
    value, word = of_number_and_word(fields.take("score") if score is None else score, texts[0])
    fields.skip("user", "user_id")
    fields.close()
    moment = str(record.get("updated_at") or record.get("created_at") or "")
    content.rate(
        RawRating(
            str(record.get("span_id") or ""),
            name,
            value,
            rater,
            _KINDS.get(kind),
            str(texts[1] or ""),
            moment,
            word=word,
        )
    )


def _span(record: Any, content: ToolContent) -> None:
    """Add a span to the content as a response; its attributes may be nested, or flat with dotted names."""
    if not isinstance(record, Mapping):
        content.lose("spans that aren't objects")
        return
    unit = _at(record, "span_id") or _at(record, "context.span_id")
    asked_for, output = (_at(record, f"attributes.{side}.value") for side in ("input", "output"))
    if output is not None:
        content.respond(str(unit or ""), decoded(output), decoded(asked_for))


def _at(record: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path in nested mappings, whose keys may contain dots themselves; None if absent."""
    if path in record:
        return record[path]
    for key, inner in record.items():
        if isinstance(inner, Mapping) and path.startswith(f"{key}."):
            return _at(inner, path[len(key) + 1 :])
    return None
