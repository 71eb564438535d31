"""Pairs of responses with preferences, as the readers of files of pairs hand them on, and what their values mean."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError
from markscheme.plain_data import shown
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import Kind
from markscheme.ratings.pair_sides import PairSide, group_of_inputs, systems_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import Columns, ImportedFile, number
from markscheme.readers.peek import Peek
from markscheme.rubrics.preference import LEVEL_OF, preference_scale
from markscheme.rubrics.rubric import Criterion, Rubric

PREFERENCE = "preference"
"""Name of the criterion of pairs that come without a rubric."""
QUERIES = ("query", "input", "question", "instruction", "prompt")
"""Names of columns that may hold the query."""
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
    """One rater's preference on a pair of responses, unchanged from the file."""

    rater: str
    kind: Kind | None
    value: Any
    reason: str | None = None


@dataclass(frozen=True)
class PairRow:
    """A pair of responses with all raters' preferences on it, unchanged from the file.

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
            level = level_of(reading.meant(answer.value), levels)
            if level is None:
                raise RatingError(
                    f"row {ordinal} has the preference {shown(answer.value)}; it is first, tie or second, A, B or tie, "
                    "-1, 0 or 1, or 1, 2 and 0 for a tie",
                    path=peek.path,
                )
            kind = answer.kind or reading.columns.kind
            if kind is None:
                raise RatingError("doesn't say who preferred; pass `--kind human` or `--kind model`", path=peek.path)
            rated = {rubric.criteria[0].name: Rated(level, answer.reason or "")}
            reading.add(Rating(row.id, reading.columns.rater or answer.rater, kind, rated))
    return reading


def _levels_of_numbers(numbers: Collection[float | None], path: Path) -> Mapping[float, float]:
    """Return the level of preference that each number means in a file, from all numbers that are in it.

    Raises:
        RatingError: No number is other than 0 and 1, which may be read in several ways.
    """
    if {None} < {*numbers, None} <= {0.0, 1.0, None}:
        says = "has no preferences in numbers but 0 and 1, which may mean several things: say `--levels 1=first` or"
        raise RatingError(f"{says} `--levels 1=second`, and `--levels 0=tie`, `0=first` or `0=second`", path=path)
    return _FROM_ZERO if all(value is None or value >= 0 for value in numbers) else _AROUND_ZERO


def level_of(value: Any, levels: Mapping[float, float] = _FROM_ZERO) -> float | None:
    """Return the level of preference that a value means; None if it means none.

    Args:
        value: A word such as "A", "tie" or "second", or a number.
        levels: The level that each number means.
    """
    written = number(value)
    return _LEVELS.get(str(value).strip().casefold()) if written is None else levels.get(written)
