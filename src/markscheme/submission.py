"""The response to judge, with its named inputs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markscheme.text import encodable


@dataclass(frozen=True)
class Submission:
    """A response and its named inputs.

    Attributes:
        response: The text that is judged.
        inputs: What belongs to it by name: query, reference, context, messages, or any name a rubric declares. An
            input that is None is not there.
        id: What files and reports call it.

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
