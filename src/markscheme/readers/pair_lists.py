"""Reader of pairs of responses with preferences, from tables, lines of battles, published data sets or comparisons."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError
from markscheme.plain_data import id_of, mapping, shown
from markscheme.prompts.submission import PAIR_NAMES, Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.ratings.pair_sides import PairSide, group_of_inputs, systems_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Columns, ImportedFile, number
from markscheme.readers.peek import Peek
from markscheme.rubrics.preference import LEVEL_OF, preference_scale
from markscheme.rubrics.rubric import Criterion, Rubric

PREFERENCE = "preference"
"""Name of the criterion of pairs that come without a rubric."""
WINNERS = ("preference", "winner")
"""Names of columns that may say which response of a pair is better."""
RESPONSE_PAIRS = (
    (*PAIR_NAMES,),
    ("response_a", "response_b"),
    ("response1", "response2"),
    ("conversation_a", "conversation_b"),
)
"""Names of pairs of columns that may hold the two responses."""
SYSTEM_PAIRS = (
    ("system_a", "system_b"),
    ("model_a", "model_b"),
    ("system1", "system2"),
    ("first_system", "second_system"),
)
"""Names of pairs of columns that may name the systems that wrote the responses."""
QUERIES = ("query", "input", "question", "instruction", "prompt")
"""Names of columns that may hold the query."""
_ABOUT = ("inputs", "system", "expected", "judge_raw", "judge_reason", "turn", "language")
"""Further keys of published data sets, which neither a rating nor a pair has room for, or which are read elsewhere."""
_LEVELS: Mapping[str, float] = {
    **LEVEL_OF,
    "a": -1.0,
    "b": 1.0,
    "model_a": -1.0,
    "model_b": 1.0,
    "response_a": -1.0,
    "response_b": 1.0,
    "left": -1.0,
    "right": 1.0,
    "neither": 0.0,
    "both": 0.0,
    "equal": 0.0,
    "same": 0.0,
    "tie (bothbad)": 0.0,
    "tie (bothgood)": 0.0,
}
"""Levels of preference by the words for them, which mean the same in every file, unlike numbers."""
_FROM_ZERO: Mapping[float, float] = {0.0: 0.0, 1.0: -1.0, 2.0: 1.0}
"""Levels of preference by numbers, in files that count the responses from 1 and write 0 for a tie."""
_AROUND_ZERO: Mapping[float, float] = {level: level for level in LEVEL_OF.values()}
"""Levels of preference by numbers, in files that write -1 for the first response."""


@dataclass(frozen=True)
class PairAnswer:
    """A preference that one rater gave on a pair of responses, as the file has it."""

    rater: str
    kind: Kind | None
    value: Any
    reason: str | None = None


@dataclass(frozen=True)
class PairRow:
    """A pair of responses as the file has it, with all preferences that raters gave on it.

    Attributes:
        id: Id of the pair.
        texts: The two responses.
        systems: Names of the systems that wrote the responses, in the order of `texts`; "" if unknown.
        inputs: The inputs that both respond to, by name.
        answers: The preferences.
        group: Name of the group that the pair belongs to, as the file states it; "" or None if it states none, so that
            pairs with equal inputs become a group.
        ids: Ids of the two responses; "" if the file has none.
        lost: Descriptions of content on the pair that no label can hold, and that is counted as lost.
    """

    id: str
    texts: tuple[Any, Any]
    systems: tuple[str, str]
    inputs: Mapping[str, Any]
    answers: tuple[PairAnswer, ...]
    group: str | None = None
    ids: tuple[str, str] = ("", "")
    lost: tuple[str, ...] = ()


def pair_rubric(names: Iterable[str] = (PREFERENCE,)) -> Rubric:
    """Make a rubric for pairs that come without a rubric.

    Each of its criteria asks which of two responses is better.

    Args:
        names: Names of the criteria.
    """
    criteria = (Criterion(1.0, "The response that is better.", name, scale=preference_scale()) for name in names)
    return Rubric(tuple(criteria), name="pairs", compares="pairs")


def refuse_singles(rubric: Rubric) -> None:
    """Raise UsageError if a rubric is for single responses and not for pairs.

    Raises:
        UsageError: The rubric is for single responses.
    """
    if not rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} judges single responses; pairs need a rubric with `compare: pairs`")


def is_pair_list(peek: Peek) -> bool:
    """Return True if a file's records are pairs: two responses, and who preferred which.

    Records with a list of labels, each with rater and criteria, are markscheme's own examples instead.
    """
    records = [mapping(record) for _, record in peek.first]
    return any(_sides(record) is not None and _has_preference(record) for record in records)


def read_pair_lists(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
    """Read the pairs in each file, with the preferences as ratings of the rubric's first criterion.

    If any number is below 0, then -1 means that the first response is better, 1 the second, and 0 a tie. Else 1 means
    the first, 2 the second, and 0 a tie. A file with 0 and 1 and no other number is refused.

    Raises:
        RatingError: A record isn't a pair, a value isn't a preference, or the rubric is for single responses.
    """
    if rubric is not None and not rubric.is_of_pairs:
        raise RatingError(f"holds pairs, and {rubric.name} judges single responses", path=files[0].path)
    return [_reading(peek, rubric or pair_rubric(), columns) for peek in files]


def _reading(peek: Peek, rubric: Rubric, columns: Columns) -> ImportedFile:
    rows = []
    for ordinal, (_, record) in enumerate(peek.parts(), start=1):
        keys = _sides(mapping(record))
        if keys is None:
            raise RatingError(f"row {ordinal} has no two responses, such as `first` and `second`", path=peek.path)
        rows.append(_row(mapping(record), keys, ordinal))
    return reading_of_rows(peek, rubric, columns, rows)


def reading_of_rows(peek: Peek, rubric: Rubric, columns: Columns, rows: Sequence[PairRow]) -> ImportedFile:
    """Make an ImportedFile from the pairs and preferences in a file.

    Args:
        peek: The file.
        rubric: The rubric by which the preferences are read.
        columns: What the columns and values mean.
        rows: The pairs in the file, each with its preferences.

    Raises:
        RatingError: A value isn't a preference, or it isn't known who preferred.
    """
    reading = ImportedFile(peek.path, rubric, columns=columns)
    levels = _levels_of_numbers({number(reading.meant(a.value)) for row in rows for a in row.answers}, peek.path)
    for ordinal, row in enumerate(rows, start=1):
        first, second = (text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in row.texts)
        sides = (
            PairSide(row.ids[0] or None, row.systems[0] or None),
            PairSide(row.ids[1] or None, row.systems[1] or None),
        )
        submission = Submission(first, row.inputs, row.id, second=second)
        group = row.group or group_of_inputs(submission.inputs)
        reading.add_example(Example(submission, group=group, system=systems_of(sides), sides=sides))
        for lost in row.lost:
            reading.lose(lost)
        for answer in row.answers:
            level = _level(reading.meant(answer.value), levels)
            if level is None:
                raise RatingError(
                    f"row {ordinal} has the preference {shown(answer.value)}; it is first, tie or second, A, B or tie, "
                    "-1, 0 or 1, or 1, 2 and 0 for a tie",
                    path=peek.path,
                )
            kind = reading.columns.kind or answer.kind
            if kind is None:
                raise RatingError("doesn't say who preferred; pass `--kind human` or `--kind model`", path=peek.path)
            rated = {rubric.criteria[0].name: Rated(level, answer.reason or "")}
            reading.add(Rating(row.id, reading.columns.rater or answer.rater, kind, rated))
    return reading


def _row(record: Mapping[str, Any], keys: tuple[str, str], index: int) -> PairRow:
    sides = _published(record) or (record[keys[0]], record[keys[1]])
    keys_read = {"id", "question_id", "group", "rater", "judge", "kind", "reason", *WINNERS, *keys, "output"}
    named = next((pair for pair in SYSTEM_PAIRS if all(name in record for name in pair)), None)
    keys_read |= set(named or ())
    keys_read |= {"labels"} if isinstance(record.get("labels"), Mapping) else set()
    inputs = _inputs(record)
    turns = [_turns(side) for side in sides]
    if not inputs and turns[0]:
        inputs = {"query": str(turns[0][0].get("content", ""))}
    texts = [str(turn[-1].get("content", "")) if turn else _text(side) for turn, side in zip(turns, sides, strict=True)]
    systems = _systems(record, named, sides)
    ids = tuple(id_of(mapping(side).get("id")) for side in sides)
    lost = [f"{shown(key)} of a pair" for key in record.keys() - keys_read - {*QUERIES, *_ABOUT}]
    id = id_of(record.get("id"), record.get("question_id"), f"pair-{index}")
    return PairRow(
        id,
        (texts[0], texts[1]),
        systems,
        inputs,
        tuple(_answers(record)),
        str(record.get("group") or ""),
        (ids[0], ids[1]),
        tuple(lost),
    )


def _inputs(record: Mapping[str, Any]) -> dict[str, Any]:
    query = next((record[name] for name in QUERIES if record.get(name)), None)
    if query is not None:
        return {"query": query}
    return dict(mapping(record.get("inputs")))


def _sides(record: Mapping[str, Any]) -> tuple[str, str] | None:
    if _published(record) is not None:
        return ("output", "output")
    return next(((left, right) for left, right in RESPONSE_PAIRS if left in record and right in record), None)


def _published(record: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Return the two outputs of a record that has them as `output.1` and `output.2`; None for other records."""
    output = record.get("output")
    return (output["1"], output["2"]) if isinstance(output, Mapping) and output.keys() >= {"1", "2"} else None


def _systems(record: Mapping[str, Any], named: tuple[str, str] | None, sides: Sequence[Any]) -> tuple[str, str]:
    if named is not None:
        return str(record[named[0]]), str(record[named[1]])
    by_side = tuple(str(mapping(side).get("system") or "") for side in sides)
    joined = str(record.get("system") or "").split("_")
    if not all(by_side) and len(joined) == 2:
        return joined[0], joined[1]
    return by_side[0], by_side[1]


def _text(side: Any) -> Any:
    return side["response"] if isinstance(side, Mapping) and "response" in side else side


def _turns(side: Any) -> list[Mapping[str, Any]]:
    """Return the turns of a value that is a conversation (a list of objects); [] for any other value."""
    is_conversation = isinstance(side, list) and side and all(isinstance(turn, Mapping) for turn in side)
    return list(side) if is_conversation else []


def _has_preference(record: Mapping[str, Any]) -> bool:
    return any(name in record for name in WINNERS) or isinstance(record.get("labels"), Mapping)


def _answers(record: Mapping[str, Any]) -> Iterator[PairAnswer]:
    kind = record.get("kind")
    reason = str(record.get("reason") or "")
    for name in WINNERS:
        if record.get(name) is not None:
            judge = str(record.get("judge") or "")
            stated: Kind | None = kind if kind in KINDS else "model" if judge.startswith("gpt") else None
            yield PairAnswer(str(record.get("rater") or judge or "author"), stated, record[name], reason)
    labels = record.get("labels")
    if isinstance(labels, Mapping):
        for rater, answer in labels.items():
            yield from _nested(str(rater), "human", answer, "")
    judges = record.get("judge")
    if isinstance(judges, Mapping):
        reasons = mapping(record.get("judge_reason"))
        for rater, answer in judges.items():
            yield from _nested(str(rater), "model", answer, str(reasons.get(rater) or ""))


def _nested(rater: str, kind: Kind, answer: Any, reason: str) -> Iterator[PairAnswer]:
    """Yield the overall preference in an object of answers by criterion; nothing if the object has none.

    Args:
        rater: Name of the rater.
        kind: Kind of the rater.
        answer: The object, as plain data.
        reason: The rater's reason, which is stored with the preference.
    """
    value = mapping(answer).get(PREFERENCE)
    if value is not None:
        yield PairAnswer(rater, kind, value, reason)


def _levels_of_numbers(numbers: Collection[float | None], path: Path) -> Mapping[float, float]:
    """Return the level of preference that each number means in a file, from all numbers that are in it.

    Raises:
        RatingError: No number is other than 0 and 1, which may be read in several ways.
    """
    if {None} < {*numbers, None} <= {0.0, 1.0, None}:
        says = "has no preferences in numbers but 0 and 1, which may mean several things: say `--levels 1=first` or"
        raise RatingError(f"{says} `--levels 1=second`, and `--levels 0=tie`, `0=first` or `0=second`", path=path)
    return _FROM_ZERO if all(value is None or value >= 0 for value in numbers) else _AROUND_ZERO


def _level(value: Any, levels: Mapping[float, float]) -> float | None:
    written = number(value)
    return _LEVELS.get(str(value).strip().casefold()) if written is None else levels.get(written)
