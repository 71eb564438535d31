"""The response to judge, with its named inputs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markscheme.plain_data import shown
from markscheme.text import encodable


@dataclass(frozen=True)
class Submission:
    """A response and its named inputs.

    Attributes:
        response: The text that is judged.
        inputs: Its inputs by name: query, reference, context, messages, or any name a rubric declares. None means
            that an input is missing.
        id: Its id in files and reports.

    Lone surrogates, which no encoding can carry, are replaced by U+FFFD.

    Example:
        >>> Submission("Paris.", {"query": "Capital of France?"}).inputs["query"]
        'Capital of France?'
    """

    response: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "response", encodable(self.response))
        there = {name: as_text(value) for name, value in self.inputs.items() if value is not None}
        object.__setattr__(self, "inputs", there)


def as_text(value: Any) -> str:
    """A value as shown to a judge: text unchanged, everything else as JSON.

    >>> as_text([{"role": "user", "content": "Hi"}])
    '[{"role": "user", "content": "Hi"}]'
    """
    if isinstance(value, str):
        return encodable(value)
    return encodable(json.dumps(value, ensure_ascii=False, default=str))


def submission_of(row: Any, number: int) -> Submission:
    """The submission in a row of plain data: `response` (or `output`), `id`, and inputs by name or under `inputs`.

    Args:
        row: An object. A response that is a list or an object, such as tool calls, is shown as JSON.
        number: Its id if it has none.

    Raises:
        ValueError: It has no response, or its inputs have no names.

    Example:
        >>> submission_of({"response": "Paris.", "query": "Capital of France?"}, 1).inputs
        {'query': 'Capital of France?'}
    """
    response = row.get("response", row.get("output")) if isinstance(row, Mapping) else None
    if not isinstance(response, str | list | Mapping):
        raise ValueError(f"a submission has a response, a text; found {shown(response)}")
    named = row.get("inputs") or {}
    if not isinstance(named, Mapping):
        raise ValueError(f"inputs are texts by name, found {shown(named)}")
    rest = {key: value for key, value in row.items() if key not in ("id", "response", "output", "inputs")}
    id = str(number if row.get("id") is None else row["id"])
    return Submission(as_text(response), {**rest, **named}, id)
