"""The table of assertions other than `llm-rubric` that the grading provider answers; features add to it."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.promptfoo.engine import Engine
    from markscheme.rubrics.rubric import Rubric


KeysCheck: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Function that raises UsageError for an invalid value in an assertion's configuration."""
QuestionAnswer: TypeAlias = "Callable[[Mapping[str, Any], Mapping[str, Any], Path, Engine], Awaitable[dict[str, Any]]]"
"""Function that answers a prompt, given the configuration, the variables, the folder of the file that Promptfoo
called, and the engine that all gradings of the process share."""


class QuestionKind(NamedTuple):
    """A kind of assertion, other than `llm-rubric`, whose prompts the grading provider answers in its own way.

    Attributes:
        label: Promptfoo's label of the assertion's prompt.
        variables: Names of the variables that come with such a prompt.
        keys: Keys of the provider's configuration that no other assertion reads.
        load: Function that imports and returns two functions: one checks the values of `keys`, the other answers the
            prompts.
    """

    label: str
    variables: frozenset[str]
    keys: frozenset[str]
    load: Callable[[], tuple[KeysCheck, QuestionAnswer]]


PROVIDER_QUESTIONS: Final[OpenTable[QuestionKind]] = OpenTable()
"""Kinds of assertions, besides `llm-rubric`, whose prompts the provider answers."""


TextRubric: TypeAlias = "tuple[Rubric, str | None]"
"""The rubric that is made from the text of an `llm-rubric`, with one criterion, and a phrase for what the text asks
for.

The phrase is None if the text was read only as pass or fail.
"""
TextReader: TypeAlias = Callable[[str], TextRubric]
TEXT_READERS: Final[OpenTable[TextReader]] = OpenTable()
"""Functions that make a rubric from the text of an `llm-rubric`; the first one is used."""
