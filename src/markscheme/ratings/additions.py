"""Ratings that an import adds to a file of ratings; importing ratings a second time adds none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.phrases import counted, few_of
from markscheme.plain_data import json_lines
from markscheme.prompts.submission import PAIR_NAMES, as_text, has_pair_alone, response_in
from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rating, RatingReader, corrected
from markscheme.rubrics.rubric import Rubric

DAY = len("2026-11-21")
"""Number of characters at the beginning of a time that are its day."""
_Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class Additions:
    """The ratings that an import appends to a file, and how many it leaves out or replaces.

    Attributes:
        ratings: The ratings to append.
        n_known: Number of imported ratings that the file already has, so that they are left out.
        n_new: Number of imported ratings on examples on which the file has no rating by the same rater.
        n_changed: Number of ratings that change their rater's earlier answer in the file.
        n_older: Number of ratings left out because the file has a later answer of their rater.
    """

    ratings: tuple[Rating, ...]
    n_known: int
    n_new: int
    n_changed: int
    n_older: int


def responses_in(path: Path) -> dict[str, tuple[str, ...]]:
    """Map each id in a file of examples to its response, or to both responses of a pair; {} without a file.

    Raises:
        RatingError: A line isn't JSON.
    """
    if not path.is_file():
        return {}
    examples = (line for _, line in json_lines(path, RatingError) if isinstance(line, dict))
    return {str(example.get("id")): _responses_of(example, path.parent) for example in examples}


def _responses_of(line: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    if has_pair_alone(line):
        return tuple(as_text(response_in(line[name]), folder=folder) for name in PAIR_NAMES)
    return (as_text(line.get("response"), folder=folder),)


def new_examples(
    path: Path, examples: Iterable[Example], responses: Mapping[str, tuple[str, ...]], where: str
) -> list[Example]:
    """Return the examples whose ids aren't yet in the file at `path`.

    Args:
        path: The file.
        examples: The examples to add.
        responses: The responses that the file has, by id: one response, or both of a pair.
        where: Name of the examples' source, for an error message.

    Raises:
        RatingError: The file has other responses under these ids.
    """
    new: list[Example] = []
    others: list[str] = []
    for example in examples:
        if example.id not in responses:
            new.append(example)
        elif responses[example.id] != example.submission.responses:
            others.append(example.id)
    if others:
        are = f"holds other responses under {counted(len(others), 'id')} of {where}: {few_of(others)}"
        raise RatingError(f"{are}; rename them in {where}", path=path)
    return new


def additions_to(path: Path, ratings: Iterable[Rating], rubric: Rubric) -> Additions:
    """Return which ratings to append to a file: all by judges, and those by people that are new or changed.

    Args:
        path: A file of ratings; it may be missing.
        ratings: The ratings to add, in the order in which they were given.
        rubric: The rubric, whose criteria and scales decide which lines of the file are ratings.

    Raises:
        RatingError: The file has a line that isn't JSON.
    """
    latest = _latest_answers(path, RatingReader(rubric)) if path.is_file() else {}
    added: list[Rating] = []
    counts = {"known": 0, "new": 0, "changed": 0, "older": 0}
    for rating in ratings:
        earlier = latest.get(_key(rating)) if rating.kind in PEOPLE else None
        state = _state(rating, earlier)
        counts[state] += 1
        if state in ("new", "changed"):
            added.append(rating)
            latest[_key(rating)] = rating if earlier is None else corrected(earlier, rating)
    return Additions(tuple(added), *counts.values())


def _state(rating: Rating, earlier: Rating | None) -> str:
    if earlier is None:
        return "new"
    if _answers(rating) == _answers(earlier) and rating.note in (None, earlier.note):
        return "known"
    return "older" if is_before(rating.at, earlier.at) else "changed"


def is_before(one_time: str, other_time: str) -> bool:
    """Return True if the first of two times is earlier; if either is only a date, only the dates are compared.

    >>> is_before("2026-11-20", "2026-11-21T09:00:00Z")
    True
    >>> is_before("2026-11-21", "2026-11-21T09:00:00Z")
    False
    """
    if len(one_time) <= DAY or len(other_time) <= DAY:
        return one_time[:DAY] < other_time[:DAY]
    try:
        return _moment(one_time) < _moment(other_time)
    except ValueError:
        return False


def _moment(time: str) -> datetime:
    moment = datetime.fromisoformat(time)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _latest_answers(path: Path, reader: RatingReader) -> dict[_Key, Rating]:
    """Map each person, example and sample in a file to one rating that combines the latest answers.

    A later line corrects the answers of earlier ones. Lines that don't fit the rubric are skipped.
    """
    latest: dict[_Key, Rating] = {}
    for _, line in json_lines(path, RatingError):
        try:
            rating = reader.rating(line)
        except ValueError:
            continue
        if rating.kind in PEOPLE:
            earlier = latest.get(_key(rating))
            is_withdrawn = line.get("withdrawn") is True
            latest[_key(rating)] = rating if earlier is None or is_withdrawn else corrected(earlier, rating)
    return latest


def _key(rating: Rating) -> _Key:
    return rating.id, rating.rater, rating.kind, rating.sample


def _answers(rating: Rating) -> tuple[Any, ...]:
    criteria = {
        name: (rated.level, rated.declined, rated.reason, rated.quote, rated.under)
        for name, rated in rating.criteria.items()
    }
    return criteria, rating.overall, rating.passed
