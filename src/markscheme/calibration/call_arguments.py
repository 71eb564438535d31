"""Converters of arguments of Python calls: rubrics, examples, and options for reading files, each in several forms."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, zip_longest
from keyword import iskeyword
from pathlib import Path
from typing import Any, TypeAlias

from markscheme.errors import UsageError
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, examples_from
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.rubric import Rubric

PlainRow: TypeAlias = Mapping[str, Any]
"""An example, a rating or a rated unit as plain data, with the keys of its file format."""


def examples_given(
    examples: str | Path | Iterable[Example | PlainRow] | None, rubric: Rubric | str | Path | None
) -> Path | ExampleSet | None:
    """Convert examples that a caller passes: a path or None stays so, and examples in memory become an ExampleSet.

    Args:
        examples: Path of a file, or the examples themselves; None for the rubric's own.
        rubric: The rubric by which examples in memory are read: a Rubric, its name or its file.

    Raises:
        UsageError: There are examples in memory and no rubric.
    """
    if examples is None or isinstance(examples, str | Path):
        return None if examples is None else Path(examples)
    if rubric is None:
        raise UsageError("examples in memory need their rubric: compare(…, rubric=…)")
    return examples_from(examples, rubric_given(rubric))


def arguments_of(typed: str) -> str:
    """Write command-line options as the arguments of a Python call, with the bracket that closes the call.

    >>> arguments_of("--judge gpt --human ann --human bob --pass good --pass-mark 3 --adjudicated -o encoding=cp1252")
    "judge='gpt', human=['ann', 'bob'], pass_='good', pass_mark=3, adjudicated=True, encoding='cp1252')"
    """
    values: dict[str, list[str]] = {}
    words = shlex.split(typed)
    words = [f"--{word}" if before == "-o" else word for before, word in pairwise(["", *words]) if word != "-o"]
    for word, after in zip_longest(words, words[1:], fillvalue="--"):
        name, is_joined, value = word.partition("=")
        if word.startswith("--"):
            texts = values.setdefault(_keyword(name[2:]), [])
            texts += [value] if is_joined else [] if after.startswith("--") else [after]
    arguments = (f"{name}={_argument(name, [*dict.fromkeys(texts)])}" for name, texts in values.items())
    return f"{', '.join(arguments)})"


def as_argument(option: str) -> str:
    """Write one option, for a sentence, as the argument of a Python call in backticks.

    >>> as_argument("--human"), as_argument("--pass-mark 3"), as_argument("-o encoding=NAME")
    ('`human`', '`pass_mark=3`', "`encoding='NAME'`")
    """
    name, is_set, value = re.sub("^-o |^--", "", option.strip("`")).replace(" ", "=", 1).partition("=")
    keyword = _keyword(name)
    values = shlex.split(value) if value.startswith("'") else [value]
    return f"`{keyword}={_argument(keyword, values)}`" if is_set else f"`{keyword}`"


def _keyword(option: str) -> str:
    """Return the name of the argument that means an option, such as pass_ for `--pass`."""
    keyword = option.replace("-", "_")
    return f"{keyword}_" if iskeyword(keyword) else keyword


def _argument(name: str, values: Sequence[str]) -> str:
    """Write the values of one option as Python: True if there are none, the value if there is one, else a list.

    Args:
        name: Name of the option as an argument; the value of `pass_mark` is written as a number, any other as text.
        values: The values that were typed.
    """
    if len(values) == 1:
        return values[0] if name == "pass_mark" else repr(values[0])
    return repr(list(values) or True)
