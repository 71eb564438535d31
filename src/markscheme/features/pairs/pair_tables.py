"""Reader of tables, lines of battles and published data sets that hold pairs of responses with preferences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from markscheme.errors import RatingError
from markscheme.plain_data import id_of, mapping, shown
from markscheme.prompts.submission import PAIR_NAMES
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.readers.file_format import SAVED, FileFormat
from markscheme.readers.grades import is_grades
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.pair_rows import (
    PREFERENCE,
    QUERIES,
    PairAnswer,
    PairRow,
    level_of,
    pair_rubric,
    reading_of_rows,
)
from markscheme.readers.peek import Peek
from markscheme.readers.tabular.columns import is_measure
from markscheme.readers.tabular.words import PEOPLE_WORDS, is_model_name, name_words
from markscheme.rubrics.rubric import Rubric

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
_ABOUT_PAIR = ("id", "question_id", "group", "rater", "judge", "kind", "reason")
"""Further keys of a pair: what it is called, and who preferred and why."""
_NAMES = frozenset({*_ABOUT_PAIR, *WINNERS, *QUERIES, *chain.from_iterable((*RESPONSE_PAIRS, *SYSTEM_PAIRS))})
"""Names of columns that are read, in small letters."""
_ABOUT = ("inputs", "system", "expected", "judge_raw", "judge_reason", "turn", "language")
"""Further keys of published data sets, which neither a rating nor a pair has room for, or which are read elsewhere."""


def _records(entries: Iterable[tuple[Any, Any]]) -> list[Mapping[str, Any]]:
    """Return the records of a file, with names of columns that are read in small letters, so that their case is free.

    Args:
        entries: Each record's key in the file, and the record.
    """
    return [
        {_lowered(name, record): value for name, value in record.items()}
        for record in (mapping(content) for _, content in entries)
    ]


def _lowered(name: str, record: Mapping[str, Any]) -> str:
    """Return a column's name in small letters if it is read so and no other column has that name; else unchanged."""
    lowered = name.strip().casefold()
    return lowered if lowered in _NAMES and lowered not in record else name


def is_pair_table(peek: Peek) -> bool:
    """Return True if a file's records are pairs: two responses, and who preferred which.

    Records with a list of labels, each with rater and criteria, are markscheme's own examples instead.
    """
    records = _records(peek.first)
    winners = _winner_columns(records)
    return not is_grades(peek) and any(_sides(record) is not None and _rates(record, winners) for record in records)


def has_several_winners(peek: Peek) -> bool:
    """Return True if columns of several raters say who is better, as in a table of a judge's and people's choices."""
    return len(_winner_columns(_records(peek.first))) > 1


def read_pair_tables(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:
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
    records = _records(peek.parts())
    winners = _winner_columns(records)
    rows = []
    for ordinal, record in enumerate(records, start=1):
        keys = _sides(record)
        if keys is None:
            raise RatingError(f"row {ordinal} has no two responses, such as `first` and `second`", path=peek.path)
        rows.append(_row(record, keys, winners, ordinal))
    return reading_of_rows(peek, rubric, columns, rows)


def _row(record: Mapping[str, Any], keys: tuple[str, str], winners: Sequence[str], index: int) -> PairRow:
    sides = _published(record) or (record[keys[0]], record[keys[1]])
    keys_read = {*_ABOUT_PAIR, *WINNERS, *winners, *keys, "output"}
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
        tuple(_answers(record, winners)),
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
    """Return the messages of a response that is a conversation (a list of objects); [] for any other value."""
    is_conversation = isinstance(side, list) and side and all(isinstance(turn, Mapping) for turn in side)
    return list(side) if is_conversation else []


def _rates(record: Mapping[str, Any], winners: Sequence[str]) -> bool:
    """Return True if a record says which response is better, in one of the columns of winners or as labels."""
    return any(record.get(name) is not None for name in winners) or isinstance(record.get("labels"), Mapping)


def _winner_columns(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys under which raters say who is better: `winner`, or with its rater `judge_winner`.

    A key that is the name of a judge alone is one of them if others are, and if its values are preferences only: a
    column `judge` next to `winner` may instead hold scores, or the name of who preferred.
    """
    names = dict.fromkeys(key for record in records for key, value in record.items() if value is not None)
    values = {name: _values_below(name, records) for name in names if name in WINNERS or _kind_in(name)}
    with_word = [k for k in values if k in WINNERS or (_says_winner(k) and any(map(_is_preference, values[k])))]
    return [k for k in values if k in with_word or (with_word and not _says_winner(k) and _are_preferences(values[k]))]


def _values_below(name: str, records: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [record[name] for record in records if not _is_blank(record.get(name))]


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _are_preferences(values: Sequence[Any]) -> bool:
    return bool(values) and all(map(_is_preference, values))


def _is_preference(value: Any) -> bool:
    """Return True if a value is a preference in files that count the responses from 1, or in those that write -1."""
    return level_of(value) is not None or level_of(value, {-1.0: -1.0}) is not None


def _says_winner(name: str) -> bool:
    return not set(name_words(name)).isdisjoint(WINNERS)


def _kind_in(name: str) -> Kind | None:
    """Return the kind of the rater that the name of a column of preferences states; None if it has other words.

    The column may be named after a judge alone, such as `judge`; a column `annotator` names who preferred.
    """
    words = set(name_words(name))
    raters = {word for word in words.difference(WINNERS) if is_model_name(word) or not any(map(str.isdecimal, word))}
    is_of_rater_alone = is_model_name(name) and not is_measure(name_words(name))  # `model` is who wrote a response
    if not raters or not (_says_winner(name) or is_of_rater_alone):
        return None
    kinds: Mapping[Kind, bool] = {"human": raters <= PEOPLE_WORDS, "model": all(map(is_model_name, raters))}
    return next((kind for kind, is_it in kinds.items() if is_it), None)


def _answers(record: Mapping[str, Any], winners: Sequence[str]) -> Iterator[PairAnswer]:
    judge = "" if "judge" in winners else str(record.get("judge") or "")
    stated: Kind | None = (
        record["kind"] if record.get("kind") in KINDS else "model" if judge.startswith("gpt") else None
    )
    rater = str(record.get("rater") or judge or "author")
    for name in winners:
        if record.get(name) is None or (name not in WINNERS and _is_blank(record[name])):
            continue
        who, kind = (rater, stated) if name in WINNERS else (name, _kind_in(name))
        yield PairAnswer(who, kind, record[name], str(record.get("reason") or ""))
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


PAIR_TABLES = FileFormat(
    "pairs of responses with preferences",
    is_pair_table,
    read_pair_tables,
    rank=SAVED,
    is_table_too=has_several_winners,
    other_use="`markscheme compare --pairs FILE` says which system is preferred",
)
"""The format of tables and lines of pairs."""
