"""Label Studio's exports: JSON with annotations and predictions, JSON_MIN, and CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.ratings.rating import Kind
from markscheme.readers.export import QUERY, Export, Fields, RawRating
from markscheme.readers.imported import plain
from markscheme.readers.peek import Peek, decoded
from markscheme.readers.tables import FIELDS

ANSWERS = ("response", "output", "answer", "reply", "completion", "text")
"""Names of the column that holds the response, in order of preference; others need `--map COLUMN=response`."""
ROW = ("annotator", "annotation_id", "lead_time")
OF_ROW = ("annotation_id", "lead_time", "updated_at")
OF_TASK = ("id", "meta", "created_at", "updated_at", "inner_id", "total_annotations", "cancelled_annotations",
           "total_predictions", "project", "updated_by", "comment_count", "unresolved_comment_count",
           "comment_authors", "last_comment_updated_at", "file_upload", "drafts", "allow_skip")  # fmt: skip
OF_ANNOTATION = ("id", "updated_at", "lead_time", "task", "project", "parent_prediction", "parent_annotation",
                 "unique_id", "draft_created_at", "import_id", "last_action", "bulk_created", "updated_by",
                 "last_created_by", "prediction", "result_count", "model", "model_run", "cluster", "neighbors",
                 "mislabeling", "score")  # fmt: skip
VALUES = ("choices", "rating", "number", "text")


def is_label_studio(peek: Peek) -> bool:
    """Whether a file is a Label Studio export."""
    return peek.has(*ROW) or peek.has("annotations", "data")


def read_label_studio(files: Sequence[Peek], export: Export) -> None:
    """The tasks as responses, their annotations as annotators' ratings and their predictions as a judge's."""
    for peek in files:
        if not peek.has(*ROW):
            for _, record in peek.parts():
                _task(record, export)
            continue
        ratings, texts = _ratings_and_notes(peek, export)
        for _, record in peek.parts():
            _row(record, ratings, texts, export)
        export.note("JSON_MIN and CSV leave out cancelled annotations and predictions (the judge); JSON has both")


def _task(record: Any, export: Export) -> None:
    fields = Fields(record, export, "task", OF_TASK)
    data = fields.take("data")
    if not isinstance(data, Mapping):
        export.lose("tasks without data")
        return
    unit = str(data.get("id") or record.get("id") or "")
    _respond(unit, {key: value for key, value in data.items() if key != "id"}, export)
    for given in fields.items("annotations"):
        one = Fields(given, export, "annotation", OF_ANNOTATION)
        rater = one.text("completed_by.email", "completed_by.id", "completed_by")
        one.skip("completed_by.first_name", "completed_by.last_name")
        kind: Kind = "adjudicated" if one.take("ground_truth") is True else "human"
        result, at = one.items("result"), one.text("created_at")
        if one.take("was_cancelled"):
            export.lose("cancelled annotations")
        else:
            _rate(unit, result, rater, kind, at, export)
        one.close()
    for given in fields.items("predictions"):
        one = Fields(given, export, "prediction", OF_ANNOTATION)
        _rate(unit, one.items("result"), one.text("model_version") or "judge", "model", one.text("created_at"), export)
        one.close()
    fields.close()


def _rate(unit: str, result: Sequence[Any], rater: str, kind: Kind, at: str, export: Export) -> None:
    """Add the values of one annotation; its texts are the rater's notes."""
    said: dict[str, Any] = {}
    notes = []
    for region in result:
        one = Fields(region, export, "result", ("id", "type", "to_name", "origin", "parentID", "score"))
        name = one.text("from_name")
        found = {key: value for key in VALUES if (value := one.take(f"value.{key}")) is not None}
        one.close()
        if "text" in found:
            notes += [str(text) for text in _listed(found.pop("text"))]
        for value in found.values():
            said[name] = _one(value, name, export)
    for name, value in said.items():
        export.rate(RawRating(unit, name, value, rater, kind, at=at, note="\n".join(notes)))
    if notes and not said:
        export.lose("texts of an annotation that rates nothing", len(notes))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _one(value: Any, name: str, export: Export) -> Any:
    """The single value of a control."""
    if isinstance(value, Mapping):
        value = value.get("choices", value)
    if not isinstance(value, list):
        return value
    if len(value) != 1:
        export.lose(f"ratings of {name!r} with {len(value)} choices")
        return None
    return value[0].get("rating", value[0]) if isinstance(value[0], Mapping) else value[0]


def _ratings_and_notes(peek: Peek, export: Export) -> tuple[list[str], list[str]]:
    """The columns of a table that an annotator filled in: levels, and texts.

    A table doesn't say which. Columns count if they are a criterion's, mapped, star ratings, or if two annotators of
    one task differ in them.
    """
    named = {plain(criterion.name) for criterion in export.rubric.criteria} if export.rubric else set()
    first: dict[Any, Mapping[str, Any]] = {}
    own, sentences = dict[str, None](), set[str]()
    for _, row in peek.parts():
        if not isinstance(row, Mapping):
            continue
        same = first.setdefault(row.get("id"), row)
        for key in dict.fromkeys([*same, *row]):
            value = decoded(row.get(key))
            is_named = plain(key) in named or export.columns.fields.get(key, "response") not in FIELDS
            if is_named or row.get(key) != same.get(key) or (isinstance(value, list) and "rating" in str(value)):
                own[key] = None
            if not is_named and isinstance(value, str) and " " in value.strip():
                sentences.add(key)
    columns = [key for key in own if key not in (*OF_ROW, "annotator", "created_at", "id")]
    ratings, texts = ([key for key in columns if (key in sentences) == wanted] for wanted in (False, True))
    export.note(f"columns read as ratings: {', '.join(ratings) or 'none'}; as comments: {', '.join(texts) or 'none'}")
    return ratings, texts


def _row(record: Any, ratings: Sequence[str], texts: Sequence[str], export: Export) -> None:
    fields = Fields(record, export, "row", OF_ROW)
    if not fields.is_record:
        return
    unit, rater, at = fields.text("id"), fields.text("annotator"), fields.text("created_at")
    said = {name: decoded(value) for name in ratings if (value := fields.take(name)) is not None}
    note = "\n".join(text for name in texts if (text := fields.text(name)))
    data = {key: value for key in record if (value := fields.take(key)) is not None}
    if unit not in export.responses:
        _respond(unit, data, export)
    for name, value in said.items():
        export.rate(RawRating(unit, name, _one(value, name, export), rater, "human", at=at, note=note))


def _respond(unit: str, data: Mapping[str, Any], export: Export) -> None:
    """Add a task's data as a response and its inputs."""
    mapped = next(
        (key for key, meaning in export.columns.fields.items() if meaning == "response" and key in data), None
    )
    names = {plain(str(key)): key for key in data}
    key = mapped or next((names[name] for name in ANSWERS if name in names), None)
    if key is None:
        others = ", ".join(key for key in map(str, data) if plain(key) not in QUERY)
        export.note(
            f"no column is named {', '.join(ANSWERS)}: name the response's with --map COLUMN=response ({others})"
        )
        export.lose("tasks whose response isn't known")
        return
    export.respond(unit, data[key], {name: value for name, value in data.items() if name != key})
