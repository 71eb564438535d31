"""Converters of arguments of Python calls: rubrics, examples, and options for reading files, each in several forms."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from markscheme.errors import UsageError
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, examples_from
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.rubric import Rubric

_Word = TypeVar("_Word", bound=str)
PlainRow: TypeAlias = Mapping[str, Any]
"""An example, a rating or a unit as plain data, with the keys of its file."""


def examples_given(
    examples: str | Path | Iterable[Example | PlainRow] | None, rubric: Rubric | str | Path | None
) -> Path | ExampleSet | None:
    """Convert an `examples` argument: a path stays a path, and examples in memory become an ExampleSet."""
    if examples is None or isinstance(examples, str | Path):
        return None if examples is None else Path(examples)
    if rubric is None:
        raise UsageError("examples in memory need their rubric: compare(…, rubric=…)")
    return examples_from(examples, rubric_given(rubric))


def one_of(name: str, value: _Word | None, allowed: Sequence[str]) -> _Word | None:
    """Check that an argument's value is None or one of the allowed words, and return it."""
    if value is not None and value not in allowed:
        raise UsageError(f"`{name}` must be one of {', '.join(allowed)}, got {value!r}")
    return value
