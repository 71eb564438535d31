"""A judge's replies as JSON in the cells of a table, such as `{"reason": "Too long.", "verdict": "fail"}`."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

from markscheme.json_text import json_or
from markscheme.plain_data import mapping
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import TableColumn, is_judges, is_measure, is_named_by
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.source import flat_cells
from markscheme.readers.tabular.words import (
    JUDGE_WORDS,
    PEOPLE_WORDS,
    QUERY_ENDS,
    REASON_WORDS,
    RESPONSE_ENDS,
    name_words,
)

_FENCED: Final = re.compile(r"```\w*\s*(\{.*\})\s*```", re.DOTALL)


def with_replies_in_columns(columns: Sequence[TableColumn], options: ColumnOptions) -> tuple[TableColumn, ...]:
    """Split each column of a judge's JSON replies: COLUMN keeps the verdicts, each other key gets a column COLUMN.KEY.

    If replies have several verdicts each, every verdict gets a column COLUMN.KEY too. A reply that isn't JSON is kept
    as it is. If the user doesn't name the judge's column, and a column already has a judge's verdicts that aren't JSON
    replies, no column is split.

    Raises:
        UsageError: The user names a column whose replies have several verdicts each.

    >>> replies = TableColumn("judge", ('{"score": 4, "reason": "Short."}', "timed out", ""))
    >>> [(column.name, column.cells) for column in with_replies_in_columns([replies], ColumnOptions())]
    [('judge', ('4', 'timed out', '')), ('judge.reason', ('Short.', '', ''))]
    """
    named = [column for column in columns if any(_names_replies(name, column) for name in options.judge)]
    others = [*filter(None, (options.response, options.id, options.group)), *options.human]
    of_others = {column.name for column in columns if any(is_named_by(column, name) for name in others)}
    free = [column for column in columns if column.name not in of_others and _is_named_after_judge(column)]
    replies = {column.name: _replies_in(column) for column in named or free}
    if not named and any(is_judges(column) for column in columns if not replies.get(column.name)):
        return tuple(columns)
    split = {column.name: _by_key(column, replies.get(column.name) or {}) for column in columns}
    for name in options.judge:
        _refuse_several_verdicts(name, split.get(name, []))
    return tuple(chain.from_iterable(split.values()))


def _refuse_several_verdicts(name: str, columns: Sequence[TableColumn]) -> None:
    """Refuse a column named as a judge's whose replies have several verdicts each, with the option that names all.

    Args:
        name: Name of the column, as the user typed it.
        columns: The columns into which it was split; empty if no column has this name.
    """
    rating = [column.name for column in columns if REASON_WORDS.isdisjoint(name_words(column.name))]
    if rating and name not in rating:
        raise refusal("option-unused", columns=rating, choices=[("--judge", f"{name}.*")], option=f"--judge {name}")


def _names_replies(pattern: str, column: TableColumn) -> bool:
    """Return True if an option names a column, or a key of its replies, such as `eval.tone` or `eval.*` of `eval`."""
    return is_named_by(column, pattern) or pattern.startswith(f"{column.name}.")


def _is_named_after_judge(column: TableColumn) -> bool:
    """Return True if a column's name has a word for a judge and none for people, whatever its cells hold.

    A model's output, as in `llm_output`, is no reply of a judge.
    """
    *_, last = ("", *name_words(column.name))
    words = set(name_words(column.name))
    is_output = last in RESPONSE_ENDS | QUERY_ENDS and not words & {"judge", "grader", "evaluator"}
    return bool(words & (JUDGE_WORDS | {"verdict"})) and not words & PEOPLE_WORDS and not is_output


def _replies_in(column: TableColumn) -> dict[str, dict[str, str]]:
    """Map each cell that has a JSON object to the object's entries; {} if less than half of filled cells have one."""
    filled = [cell for cell in column.cells if cell]
    if sum("{" in cell for cell in filled) * 2 < len(filled):
        return {}
    objects = {cell: dict(flat_cells(data)) for cell in filled if (data := _object_in(cell))}
    return objects if sum(cell in objects for cell in filled) * 2 >= len(filled) else {}


def _object_in(cell: str) -> Mapping[str, Any]:
    """Return the JSON object in a cell, perhaps in a code fence; {} without one."""
    fenced = _FENCED.fullmatch(cell.strip())
    return mapping(json_or(cell if fenced is None else fenced[1], None))


def _by_key(column: TableColumn, replies: Mapping[str, dict[str, str]]) -> list[TableColumn]:
    """Return a column for each key of the replies in a column's cells; the column alone if there are no replies."""
    keys = list(dict.fromkeys(key for reply in replies.values() for key in reply))
    verdicts = [key for key in keys if not is_measure(words := name_words(key)) and REASON_WORDS.isdisjoint(words)]
    return [
        TableColumn(
            column.name if [key] == verdicts else f"{column.name}.{key}",
            tuple(replies.get(cell, dict.fromkeys(verdicts, cell)).get(key, "") for cell in column.cells),
            column.file,
        )
        for key in keys
    ] or [column]
