"""Argilla's records as JSON: as `to_json` and `Record.to_dict` write them, or flattened by `to_list(flatten=True)`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from markscheme.features.other_tools.metric_values import RawRating
from markscheme.features.other_tools.response_fields import response_field
from markscheme.features.other_tools.tool_content import Fields, ToolContent
from markscheme.plain_data import id_of, mapping
from markscheme.readers.peek import Peek
from markscheme.readers.remarks import Remark

PARTS_OF_RECORD = ("fields", "responses", "suggestions")
"""Fields of a nested record."""
ANSWERED, SUGGESTED = ".responses", ".suggestion"
"""Ends of a flattened record's keys that hold the annotators' answers to a question, and a model's suggestion."""
OF_SUGGESTION = ("value", "score", "agent")
SUBMITTED = (None, "submitted")
"""Statuses of answers that annotators have sent; a nested record doesn't state any."""
_SKIPPED = ("id", "_server_id", "status", "vectors")


def is_argilla(peek: Peek) -> bool:
    """Return True if a file holds Argilla's records, unless the user maps their answers path by path."""
    if any(path.startswith(("responses.", "suggestions.")) for path in peek.options.fields):
        return False
    return peek.has(*PARTS_OF_RECORD) or any(_is_flat(mapping(record)) for _, record in peek.first)


def _is_flat(record: Mapping[str, Any]) -> bool:
    ends = {ANSWERED: ".users", SUGGESTED: ".agent"}
    return any(key.endswith(end) and f"{key}{ends[end]}" in record for key in map(str, record) for end in ends)


def read_argilla(files: Sequence[Peek], content: ToolContent) -> None:
    """Read records as responses, annotators' answers as their ratings and suggestions as a judge's.

    The answers to a question that asks for a text become remarks of their annotators.
    """
    answers = [answer for peek in files for _, record in peek.parts() for answer in _answers(record, content)]
    texts = _text_questions(answers)
    for answer in answers:
        if answer.metric in texts:
            remark = Remark(answer.unit, str(answer.value), answer.rater, answer.kind)
            content.remark(remark, lost=f"answers to {answer.metric!r} in words")
        elif (value := _single_value(answer, content)) is not None:
            content.rate(replace(answer, value=value))


def _answers(record: Any, content: ToolContent) -> Iterator[RawRating]:
    """Add a record's response to the content, and yield the answers to its questions, suggested ones among them.

    Args:
        record: The record, nested or flattened.
        content: The content of the export so far.
    """
    fields = Fields(record, content, "record", _SKIPPED)
    if not fields.is_record:
        return
    unit = id_of(record.get("id"), record.get("_server_id"))
    is_nested = record.keys() >= set(PARTS_OF_RECORD)
    answers = list((_nested if is_nested else _flattened)(unit, record, fields, content))
    shown = mapping(fields.take("fields")) if is_nested else {key: fields.take(key) for key in map(str, record)}
    inputs = {key: value for key, value in shown.items() if value is not None}
    fields.close()
    key = response_field(inputs, content, "records")
    if key is not None:
        content.respond(unit, inputs.pop(key), inputs)
    yield from (answer for answer in answers if answer.value not in (None, ""))


def _nested(unit: str, record: Mapping[str, Any], fields: Fields, content: ToolContent) -> Iterator[RawRating]:
    """Yield the answers and suggestions of a nested record."""
    fields.skip("responses", "suggestions")
    for question, answers in _entries(record["responses"], "responses", content):
        for answer in answers if isinstance(answers, list) else [answers]:
            given = Fields(answer, content, "answer")
            yield RawRating(unit, question, given.take("value"), given.text("user_id"), "human")
            given.close()
    for question, suggestion in _entries(record["suggestions"], "suggestions", content):
        suggested = Fields(suggestion, content, "suggestion")
        yield _suggestion(unit, question, {name: suggested.take(name) for name in OF_SUGGESTION}, content)
        suggested.close()


def _entries(value: Any, name: str, content: ToolContent) -> Iterable[tuple[str, Any]]:
    """Return the entries of an object; anything else counts as lost under its name."""
    if not isinstance(value, Mapping):
        content.lose(f"{name} that aren't an object")
    return mapping(value).items()


def _flattened(unit: str, record: Mapping[str, Any], fields: Fields, content: ToolContent) -> Iterator[RawRating]:
    """Yield the answers and suggestions of a flattened record; answers that weren't submitted count as lost."""
    for key in map(str, record):
        if key.endswith(ANSWERED):
            values, raters, statuses = (fields.items(path) for path in (key, f"{key}.users", f"{key}.status"))
            for value, rater, status in zip_longest(values, raters, statuses):
                if status in SUBMITTED:
                    yield RawRating(unit, key.removesuffix(ANSWERED), value, id_of(rater), "human")
                else:
                    content.lose("answers that weren't submitted")
        elif key.endswith(SUGGESTED):
            suggestion = {"value": fields.take(key)} | {
                name: fields.take(f"{key}.{name}") for name in ("score", "agent")
            }
            yield _suggestion(unit, key.removesuffix(SUGGESTED), suggestion, content)


def _suggestion(unit: str, question: str, suggestion: Mapping[str, Any], content: ToolContent) -> RawRating:
    """Return a model's suggested answer as a judge's rating; the model's certainty of it counts as lost."""
    if suggestion.get("score") is not None:
        content.lose("scores of suggestions")
    return RawRating(unit, question, suggestion.get("value"), id_of(suggestion.get("agent")), "model")


def _text_questions(answers: Sequence[RawRating]) -> set[str]:
    """Return the questions that ask for a text: an answer has several words, and no two answers are equal.

    Choices, rankings and marked passages are lists, and no texts.
    """
    by_question: dict[str, Counter[str]] = {}
    for answer in answers:
        if not isinstance(answer.value, list):
            by_question.setdefault(answer.metric, Counter())[str(answer.value)] += 1
    return {
        question
        for question, values in by_question.items()
        if max(values.values()) == 1 and any(" " in value.strip() for value in values)
    }


def _single_value(answer: RawRating, content: ToolContent) -> Any:
    """Return the value of an answer that makes one choice; else count the choices as lost and return None."""
    if not isinstance(answer.value, list):
        return answer.value
    if len(answer.value) == 1 and not isinstance(answer.value[0], Mapping):
        return answer.value[0]
    content.lose(f"answers to {answer.metric!r} with {len(answer.value)} choices")
    return None
