"""Label Studio's exports: JSON with annotations and predictions, JSON_MIN, and CSV."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.response_fields import response_field
from markscheme.features.other_tools.tool_content import Fields, ToolContent, decoded
from markscheme.plain_data import id_of
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.readers.imported import plain
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import Remark
from markscheme.readers.tables import FIELDS

ROW = ("annotator", "annotation_id", "lead_time")
OF_ROW = ("annotation_id", "lead_time", "updated_at")
OF_TASK = ("id", "meta", "created_at", "updated_at", "inner_id", "total_annotations", "cancelled_annotations",
           "total_predictions", "project", "updated_by", "comment_count", "unresolved_comment_count",
           "comment_authors", "last_comment_updated_at", "file_upload", "drafts", "allow_skip")  # fmt: skip
OF_ANNOTATION = ("id", "updated_at", "lead_time", "task", "project", "parent_prediction", "parent_annotation",
                 "unique_id", "draft_created_at", "import_id", "last_action", "bulk_created", "updated_by",
                 "last_created_by", "prediction", "result_count", "model", "model_run", "cluster", "neighbors",
                 "mislabeling", "score", "created_ago", "created_username")  # fmt: skip
RATES_NOTHING = "texts of an annotation that rates nothing"
"""Name under which the texts of an annotation without ratings are counted as lost if ratings are wanted."""
_KINDS_OF_FILES = dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".gif"), "image") | {".pdf": "pdf"}
_LONGEST_NAME = 1000
"""Number of characters from which on a value can't be a file's name or address and must be a text."""
IDS_ALONE = "predictions that the file names by their ids alone (a snapshot with predictions has them whole)"
VALUES = ("choices", "rating", "number", "text")
OFFSETS = ("start", "end", "globalOffsets.start", "globalOffsets.end", "startOffset", "endOffset")
"""Keys of the position of a passage in its text, which aren't needed since the passage itself is stored."""


def is_label_studio(peek: Peek) -> bool:
    """Return True if a file is a Label Studio export."""
    return peek.has(*ROW) or peek.has("annotations", "data")


def read_label_studio(files: Sequence[Peek], content: ToolContent) -> None:
    """Read tasks as responses, their annotations as annotators' ratings and their predictions as a judge's."""
    for peek in files:
        if not peek.has(*ROW):
            for _, record in peek.parts():
                _task(record, content)
            continue
        ratings, texts = _ratings_and_notes(peek, content)
        for _, record in peek.parts():
            _row(record, ratings, texts, content)
        content.note("JSON_MIN and CSV leave out cancelled annotations and predictions (the judge); JSON has both")


def _task(record: Any, content: ToolContent) -> None:
    fields = Fields(record, content, "task", OF_TASK)
    data = fields.take("data")
    if not isinstance(data, Mapping):
        content.lose("tasks without data")
        return
    unit = id_of(data.get("id"), record.get("id"))
    _respond(unit, {key: value for key, value in data.items() if key != "id"}, content)
    for annotation in fields.items("annotations"):
        annotation_fields = Fields(annotation, content, "annotation", OF_ANNOTATION)
        rater = annotation_fields.text("completed_by.email", "completed_by.id", "completed_by")
        annotation_fields.skip("completed_by.first_name", "completed_by.last_name")
        kind: Kind = "adjudicated" if annotation_fields.take("ground_truth") is True else "human"
        result = annotation_fields.items("result")
        moment = annotation_fields.text("created_at")
        if annotation_fields.take("was_cancelled"):
            content.lose("cancelled annotations")
        else:
            _rate(unit, result, rater, kind, moment, content)
            _remark_regions(unit, result, rater, kind, moment, content)
        annotation_fields.close()
    for prediction in fields.items("predictions"):
        if isinstance(prediction, int):
            content.lose(IDS_ALONE)
            continue
        prediction_fields = Fields(prediction, content, "prediction", OF_ANNOTATION)
        _rate(
            unit,
            prediction_fields.items("result"),
            prediction_fields.text("model_version") or "judge",
            "model",
            prediction_fields.text("created_at"),
            content,
        )
        prediction_fields.close()
    fields.close()


def _rate(unit: str, result: Sequence[Any], rater: str, kind: Kind, moment: str, content: ToolContent) -> None:
    """Add the values of one annotation to the content as ratings, and its texts as the rater's notes.

    Args:
        unit: Id of the response.
        result: The regions of the annotation, each with a value.
        rater: Name of the rater.
        kind: Kind of the rater.
        moment: The time of the annotation, as written.
        content: The content of the export so far.
    """
    by_name: dict[str, Any] = {}
    notes = []
    for region in result:
        region_fields = Fields(region, content, "result", ("id", "type", "to_name", "origin", "parentID", "score"))
        name = region_fields.text("from_name")
        values = {key: value for key in VALUES if (value := region_fields.take(f"value.{key}")) is not None}
        region_fields.close()
        if "text" in values:
            notes += [str(text) for text in _listed(values.pop("text"))]
        for value in values.values():
            by_name[name] = _single_value(value, name, content)
    is_remarked = content.for_remarks and kind in PEOPLE  # `_remark_regions` adds the texts one by one
    note = "" if is_remarked else "\n".join(notes)
    for name, value in by_name.items():
        content.rate(RawRating(unit, name, value, rater, kind, at=moment, note=note))
    if notes and not by_name:
        content.lose(RATES_NOTHING, len(notes))


def _remark_regions(
    unit: str, result: Sequence[Any], rater: str, kind: Kind, moment: str, content: ToolContent
) -> None:
    """Add an annotation's texts to the content as remarks, each with the passage and the labels of its region.

    Args:
        unit: Id of the response.
        result: The annotation's list of regions.
        rater: Name of the rater.
        kind: Kind of the rater.
        moment: Time of the annotation.
        content: The export's content, to which the remarks are added.
    """
    passages: dict[str, str] = {}
    labels: dict[str, tuple[str, ...]] = {}
    texts: list[tuple[str, str]] = []
    for index, region in enumerate(result):
        value = region.get("value") if isinstance(region, Mapping) else None
        if not isinstance(value, Mapping):
            continue
        key = str(region.get("id") or index)
        of_region = value.get("labels", value.get("hypertextlabels", value.get("paragraphlabels")))
        if "start" in value and isinstance(value.get("text"), str):
            passages[key] = value["text"]
            content.not_rated[RATES_NOTHING] += 1
        if isinstance(of_region, list):
            labels[key] = tuple(str(label) for label in of_region)
            content.not_rated["'value.labels' of a result"] += 1
        if region.get("type") == "textarea" and "text" in value:
            lines = [str(text) for text in _listed(value["text"]) if str(text).strip()]
            texts.append((key, "\n".join(lines)))
            content.not_rated[RATES_NOTHING] += len(_listed(value["text"]))
        for offset in OFFSETS:
            content.not_rated[f"'value.{offset}' of a result"] += 1
    with_text = {key for key, _ in texts}
    marked = [(key, "") for key in passages if key not in with_text]
    for key, text in (*texts, *marked):
        if text or passages.get(key):
            content.remark(Remark(unit, text, rater, kind, moment, passages.get(key), labels.get(key, ())))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _single_value(value: Any, name: str, content: ToolContent) -> Any:
    """Return the value of a control in which one choice was made; else count the choices as lost and return None."""
    if isinstance(value, Mapping):
        value = value.get("choices", value)
    if not isinstance(value, list):
        return value
    if len(value) != 1:
        content.lose(f"ratings of {name!r} with {len(value)} choices")
        return None
    return value[0].get("rating", value[0]) if isinstance(value[0], Mapping) else value[0]


def _ratings_and_notes(peek: Peek, content: ToolContent) -> tuple[list[str], list[str]]:
    """Return the columns of a CSV export that hold annotators' ratings, and those that hold notes.

    The table itself doesn't say which columns these are. They are the columns that are named after a criterion, that
    the user maps, that hold star ratings, or that differ between two annotators of one task. Of these, the columns with
    texts of several words hold notes, unless they are named after a criterion or mapped.
    """
    named = {plain(criterion.name) for criterion in content.rubric.criteria} if content.rubric else set()
    first: dict[Any, Mapping[str, Any]] = {}
    filled_in = dict[str, None]()
    sentences = set[str]()
    for _, row in peek.parts():
        if not isinstance(row, Mapping):
            continue
        same = first.setdefault(row.get("id"), row)
        for key in dict.fromkeys([*same, *row]):
            value = decoded(row.get(key))
            is_named = plain(key) in named or content.columns.fields.get(key, "response") not in FIELDS
            if is_named or row.get(key) != same.get(key) or (isinstance(value, list) and "rating" in str(value)):
                filled_in[key] = None
            if not is_named and isinstance(value, str) and " " in value.strip():
                sentences.add(key)
    columns = [key for key in filled_in if key not in (*OF_ROW, "annotator", "created_at", "id")]
    ratings, texts = ([key for key in columns if (key in sentences) == wanted] for wanted in (False, True))
    content.note(f"columns read as ratings: {', '.join(ratings) or 'none'}; as comments: {', '.join(texts) or 'none'}")
    return ratings, texts


def _row(record: Any, ratings: Sequence[str], texts: Sequence[str], content: ToolContent) -> None:
    fields = Fields(record, content, "row", OF_ROW)
    if not fields.is_record:
        return
    unit = fields.text("id")
    rater = fields.text("annotator")
    moment = fields.text("created_at")
    by_name = {name: decoded(value) for name in ratings if (value := fields.take(name)) is not None}
    note = "\n".join(text for name in texts if (text := fields.text(name)))
    data = {key: value for key in record if (value := fields.take(key)) is not None}
    if unit not in content.responses:
        _respond(unit, data, content)
    for name, value in by_name.items():
        content.rate(RawRating(unit, name, _single_value(value, name, content), rater, "human", at=moment, note=note))


def _respond(unit: str, data: Mapping[str, Any], content: ToolContent) -> None:
    """Add a task's data to the content as a response with its inputs."""
    key = response_field(data, content, "tasks")
    if key is not None:
        judged = {name: _with_file(value, content) for name, value in data.items()}
        content.respond(unit, judged.pop(key), judged)


def _with_file(value: Any, content: ToolContent) -> Any:
    """Return a reference to the image or document that a value names, if it lies next to the export; else the value."""
    if not isinstance(value, str) or "\n" in value or len(value) > _LONGEST_NAME:
        return value
    address = urlsplit(value)
    name = dict(parse_qsl(address.query)).get("d", address.path)  # of files that are served from a folder
    kind = _KINDS_OF_FILES.get(PurePosixPath(name).suffix.casefold())
    if kind is None:
        return value
    file = PurePosixPath(unquote(name))
    candidates = (str(file).lstrip("/"), file.name, f"images/{file.name}")
    local_file = next((path for path in candidates if (content.path.parent / path).is_file()), None)
    if local_file is None and not any(map(str.isspace, value)):
        content.lose("images and documents that a task names and that don't lie next to the export")
    return value if local_file is None else {kind: local_file}
