"""The table of assertions, besides `llm-rubric`, whose prompts the grading provider answers; features add to it."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.promptfoo.engine import Engine
    from markscheme.rubrics.rubric import Rubric


KeysCheck: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Raises UsageError for a value that a key of a configuration can't have."""
QuestionAnswer: TypeAlias = "Callable[[Mapping[str, Any], Mapping[str, Any], Path, Engine], Awaitable[dict[str, Any]]]"
"""Answers, given the configuration, the variables, the folder of the file that Promptfoo called, and what all gradings
of the process share."""


class QuestionKind(NamedTuple):
    """Kind of assertion, other than `llm-rubric`, whose prompt our provider answers in a way of its own.

    Attributes:
        label: How Promptfoo labels the prompt of the assertion.
        variables: The variables that come with such a prompt.
        keys: The keys of the provider's configuration that no other assertion reads.
        load: Imports what checks the values of these keys, and what answers.
    """

    label: str
    variables: frozenset[str]
    keys: frozenset[str]
    load: Callable[[], tuple[KeysCheck, QuestionAnswer]]


PROVIDER_QUESTIONS: Final[OpenTable[QuestionKind]] = OpenTable()
"""All such assertions."""


TextRubric: TypeAlias = "tuple[Rubric, str | None]"
"""The rubric of one criterion that a text behind `llm-rubric` is, and what the text was found to ask for, in words.

The words are None where nothing looked for more than pass or fail.
"""
TextReader: TypeAlias = Callable[[str], TextRubric]
TEXT_READERS: Final[OpenTable[TextReader]] = OpenTable()
"""What reads such texts; the first one counts."""
