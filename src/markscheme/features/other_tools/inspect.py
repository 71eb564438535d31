"""Inspect's logs: `.eval` archives and the output of `inspect log dump`; human edits are kept apart from scores."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import RatingError
from markscheme.features.other_tools.archive_members import members
from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.json_text import parse_json
from markscheme.plain_data import elements, mapping
from markscheme.ratings.kinds import Kind
from markscheme.readers.peek import Peek

VERSIONS = (1, 2)
CODE = ("answer", "choice", "exact", "f1", "includes", "match", "math", "pattern")
"""Inspect's scorers that use no model."""
LETTERS = {"C": 1, "P": 0.5, "I": 0, "N": 0}
UNCHANGED, APART = "UNCHANGED", "attachment://"
SHOWN_CONTENT = ("text", "image", "document")
"""Types of a message's content that are kept; the other types are a model's thoughts and calls of tools."""
_SKIPPED = ("events", "store", "output", "model_usage", "role_usage", "uuid", "attachments", "started_at",
           "completed_at", "total_time", "working_time", "timelines", "events_data", "choices", "files", "setup",
           "sandbox", "turn_count")  # fmt: skip


def is_inspect(peek: Peek) -> bool:
    """Return True if a file is an Inspect log."""
    is_archive = not peek.members.isdisjoint({"header.json", "_journal/start.json"})
    return is_archive or {"eval", "plan"} <= {key for key, _ in peek.first}


def read_inspect(files: Sequence[Peek], content: ToolContent) -> None:
    """Read the samples as responses, and their scores and edits as ratings.

    Raises:
        RatingError: The log's version is unknown.
    """
    for peek in files:
        version = None
        for key, sample in _archived(peek) if peek.members else peek.parts():
            if key == "version":
                version = sample
            elif key == "samples":
                _refuse_version(version, peek)
                _sample(sample, content)
            elif key == "error":
                content.lose(f"{key!r} of the log")
        _refuse_version(version, peek)


def _archived(peek: Peek) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an `.eval` archive's header and each of its samples, under the keys of the JSON log."""
    header = "header.json" if "header.json" in peek.members else "_journal/start.json"
    members_of_samples = sorted(name for name in peek.members if name.startswith("samples/") and name.endswith(".json"))
    for name, raw in members(peek.path, [header, *members_of_samples]):
        try:
            data = parse_json(raw.decode("utf-8-sig"))
        except ValueError as problem:  # also bytes that aren't UTF-8
            raise RatingError(f"is not readable JSON: {problem}", path=f"{peek.path}/{name}") from problem
        yield from [("samples", data)] if name.startswith("samples/") else data.items()


def _refuse_version(version: Any, peek: Peek) -> None:
    if version not in VERSIONS:
        raise RatingError(
            f"expected version {' or '.join(map(str, VERSIONS))} of Inspect's log, got {version}", path=peek.path
        )


def _sample(record: Any, content: ToolContent) -> None:
    fields = Fields(record, content, "sample", _SKIPPED)
    name = fields.text("id")
    epoch = fields.text("epoch")
    unit = name if epoch in ("", "1") or not name else f"{name} epoch {epoch}"
    scores = fields.take("scores")
    if scores is not None and not isinstance(scores, Mapping):
        content.lose("scores of a sample that aren't an object")
    reference = fields.take("target") or None
    if fields.text("error"):
        content.lose("samples that ended in an error")
    messages = _resolved(fields.take("messages"), record)
    steps = content.steps("messages", messages, beyond=3)  # system prompt, question, answer
    content.respond(
        unit, _completion(record), _resolved(fields.take("input"), record), group=name, reference=reference, **steps
    )
    content.rate_metadata(unit, fields)
    fields.close()
    for metric, score in mapping(scores).items():
        for raw in _raw_ratings(unit, metric, score, content):
            content.rate(raw)


def _completion(sample: Any) -> Any:
    """Return the text of a sample's answer; a list of texts, images and documents if it isn't text alone.

    None without an answer. Contents that the log stores separately, as attachments, are filled in.
    """
    try:
        content = sample["output"]["choices"][0]["message"]["content"]
        if isinstance(content, list):
            shown = [piece for piece in content if piece.get("type") in SHOWN_CONTENT]
            if any(piece["type"] != "text" for piece in shown):
                return _resolved(shown, sample)
            content = "".join(piece["text"] for piece in shown)
        return sample["attachments"][content.removeprefix(APART)] if content.startswith(APART) else content
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


def _resolved(messages: Any, sample: Mapping[str, Any]) -> Any:
    """Return messages with the texts that the log stores separately, as attachments, filled in."""
    stored = mapping(sample).get("attachments")
    if isinstance(messages, str) and messages.startswith(APART) and isinstance(stored, Mapping):
        return stored.get(messages.removeprefix(APART), messages)
    if isinstance(messages, list):
        return [_resolved(message, sample) for message in messages]
    if isinstance(messages, Mapping):
        return {key: _resolved(value, sample) for key, value in messages.items()}
    return messages


def _raw_ratings(unit: str, metric: str, score: Any, content: ToolContent) -> Iterator[RawRating]:
    """Yield a rating for the scorer's score before any edit, and one for each annotator's edit.

    Args:
        unit: Id of the sample in the log.
        metric: Name of the scorer.
        score: The score with its edits, as in the log.
        content: The content of the log, in which edits that can't be imported are counted as lost.
    """
    current, history = _score_fields(score, "score", content)
    earlier = [_score_fields(edit, "edit of a score", content)[0] for edit in history]
    is_own = not earlier or not earlier[0]["author"]
    if is_own:
        first = current | (earlier[0] if earlier else {})
        kind: Kind = "code" if metric in CODE else "model"
        reason = ": ".join(str(text) for text in (first["reason"], first["explanation"]) if text)
        for name, value in _by_name(metric, first["value"]):
            yield RawRating(unit, name, _value(value, content), metric, kind, reason)
    state: dict[str, Any] = {"explanation": None, **(earlier[0] if is_own and earlier else {})}
    for edit in earlier[is_own:]:
        state |= {key: value for key, value in edit.items() if value != UNCHANGED}
        if not edit["author"]:
            content.lose("edits of a score without an author")
            continue
        why = " ".join(str(text) for text in (state["explanation"], edit["why"]) if text)
        for name, value in _by_name(metric, state["value"]):
            yield RawRating(
                unit, name, _value(value, content), edit["author"], "human", why, edit["at"], blind=not is_own
            )


def _score_fields(record: Any, field: str, content: ToolContent) -> tuple[dict[str, Any], list[Any]]:
    """Return the fields of a score, or of an edit to a score, and the edits in its `history`.

    Args:
        record: The score or the edit, as the log has it.
        field: What the record is, such as "score", for reports of lost fields.
        content: The file's content, in which lost fields are counted.
    """
    fields = Fields(record, content, field, ("answer", "metadata"))
    values = {key: fields.take(key) for key in ("value", "explanation", "reason")}
    keys = {"author": "author", "at": "timestamp", "why": "reason"}
    made = {name: fields.text(f"provenance.{key}") for name, key in keys.items()}
    history = elements(fields.take("history"))
    fields.close()
    return values | made, history


def _by_name(metric: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a score's value under a name: `metric` or, if the value is a mapping, each of its names and values.

    Args:
        metric: Name of the scorer.
        value: The score's value: a mapping if the scorer gave several values.
    """
    yield from value.items() if isinstance(value, Mapping) else [(metric, value)]


def _value(value: Any, content: ToolContent) -> Any:
    if value == "N":
        content.note("N (no answer) counts as 0, as in Inspect")
    if isinstance(value, list):
        content.lose("scores that are lists")
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return LETTERS.get(value, value) if isinstance(value, str) else value
