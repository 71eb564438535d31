"""Search for a rubric's labelled examples, and selection of the split and the subset to use."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Literal

from markscheme.errors import RatingError, UsageError
from markscheme.ratings.example_rows import Example, values_of
from markscheme.ratings.examples import ExampleSet, examples_file, load_examples
from markscheme.ratings.kinds import CHOSEN_BY
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import POOL, find_calibration, typed_name
from markscheme.shipped import shipped

Part = Literal["dev", "test", "all"]


def chosen_examples(examples: ExampleSet, split: Part | None, only: Sequence[str] = ()) -> ExampleSet:
    """Return the examples of a split that also have all required field values, each given as "FIELD=VALUE".

    Args:
        examples: All examples.
        split: The split of the set; None for all examples.
        only: Required values, each as "FIELD=VALUE", with a field of CHOSEN_BY.

    Raises:
        UsageError: There are no such examples.
    """
    return examples_with(part_of(examples, split), only)


def part_name(examples: Sequence[Example], split: Part | None) -> str | None:
    """Return the name of the chosen split, "all" if none was chosen; None if the examples have no splits."""
    return (split or "all") if any(values_of(examples, "split")) else None


def examples_with(part: ExampleSet, only: Sequence[str]) -> ExampleSet:
    """Return the examples of a set that have all required field values, each given as "FIELD=VALUE".

    Args:
        part: The set to select from.
        only: Required values, each as "FIELD=VALUE", with a field of CHOSEN_BY.

    Raises:
        UsageError: There are no such examples.
    """
    chosen = part
    for choice in only:
        field, equals, value = choice.partition("=")
        if field not in CHOSEN_BY or not equals:
            raise UsageError(f"`only` must be FIELD=VALUE, with FIELD one of {', '.join(CHOSEN_BY)}, got {choice!r}")
        chosen = chosen.where(**{field: value})
    if part.examples and not chosen.examples:
        field = only[-1].partition("=")[0]
        values = sorted({*map(str, values_of(part.examples, field))} - {"", "None"})
        has = f"the examples have {', '.join(map(repr, values))}" if values else "no example has any"
        raise UsageError(f"no example has {' and '.join(only)}; as {field}, {has}")
    return chosen


def has_labels(rubric: Rubric) -> bool:
    """Return True if a rubric's own examples can be read and at least one of them is labelled."""
    with suppress(RatingError, UsageError):
        return bool(load_examples(examples_of(rubric, None)[0], rubric).labels)
    return False


def examples_of(rubric: Rubric, named: Path | None) -> tuple[Path, Path | None]:
    """Return the path of a rubric's examples, and of its calibration folder if there is one.

    Args:
        rubric: The rubric.
        named: The file of examples that the user names; None for the rubric's own.

    Raises:
        UsageError: There are no examples.
    """
    folder = find_calibration(rubric.name, Path.cwd()) or _shipped_with(rubric)
    if named is not None:
        if not named.is_file():
            raise UsageError(f"there is no file of examples {named}", path=named)
        return named, folder
    if folder is None:
        raise UsageError(
            f"there is no folder calibration/{rubric.name} here or above; name a file of labelled examples with "
            f"--examples, or label responses: `markscheme label {quote(typed_name(rubric))} --pool {POOL}`"
        )
    return examples_file(folder), folder


def _shipped_with(rubric: Rubric) -> Path | None:
    """Return the calibration folder that markscheme ships for one of its own rubrics; None for any other rubric."""
    if rubric.source is None or not rubric.source.is_relative_to(shipped("rubrics")):
        return None
    folder = shipped("calibration") / rubric.source.stem
    return folder if folder.is_dir() else None


def part_of(examples: ExampleSet, split: Part | None) -> ExampleSet:
    """Return the examples of a split; all examples if no split is named.

    Raises:
        RatingError: The split is empty.
    """
    chosen = examples.part(split or "all")
    if examples.examples and not chosen.examples:
        why = f'no example has "split": "{split}"; write it into the lines of some, or leave --split out'
        raise RatingError(why, path=examples.path)
    return chosen
