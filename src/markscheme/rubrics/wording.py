"""Wording of a rubric that may be rewritten, by field, and replacement of the wording of chosen fields."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from markscheme.rubrics.rubric import Criterion, Level, Rubric

_LEVEL = re.compile(r"levels\[(\d+)\]\.(description|label)\Z")


class Field(NamedTuple):
    """A field of a rubric whose wording may be rewritten, such as a criterion's description.

    Attributes:
        criterion: Name of the criterion; "" for the rubric's guidelines.
        field: Path of the field: guidelines, description, levels[2].description or levels[2].label; levels count from
            0, the worst.
    """

    criterion: str
    field: str

    def __str__(self) -> str:
        return f"{self.criterion}.{self.field}" if self.criterion else self.field

    @property
    def level(self) -> tuple[int, str] | None:
        """Index of the level that the field belongs to, and "description" or "label"; None for any other field."""
        match = _LEVEL.match(self.field)
        return (int(match[1]), match[2]) if match else None


def words_of(rubric: Rubric) -> dict[Field, str]:
    """Return the wording of all texts in a rubric that may be rewritten, by field.

    Examples, and labels that a judge answers with, are not included: rewriting them would change the scale, or show the
    judge other responses. Criteria decided by code have no such wording.

    Example:
        >>> from markscheme import Rubric
        >>> words_of(Rubric.from_dict([{"weight": 1, "requirement": "Is polite"}]))
        {Field(criterion='c1', field='description'): 'Is polite'}
    """
    return {field: text for field, text in _words(rubric) if text}


def _words(rubric: Rubric) -> Iterator[tuple[Field, str]]:
    yield Field("", "guidelines"), rubric.guidelines
    for criterion in rubric.criteria:
        if criterion.check is not None:
            continue
        yield Field(criterion.name, "description"), criterion.requirement
        for index, (level, choice) in enumerate(zip(criterion.scale.levels, criterion.scale.choices, strict=True)):
            if level.label != choice:
                yield Field(criterion.name, f"levels[{index}].label"), level.label or ""
            yield Field(criterion.name, f"levels[{index}].description"), level.description or ""


def with_words(rubric: Rubric, words: Mapping[Field, str]) -> Rubric:
    """Return the rubric with new wording in some fields.

    Raises:
        KeyError: A field has no wording that may be rewritten.
        RubricError: The new wording makes the rubric invalid, such as by two levels with one label.
    """
    unknown = set(words) - set(words_of(rubric))
    if unknown:
        raise KeyError(", ".join(sorted(map(str, unknown))))
    criteria = tuple(_criterion(criterion, words) for criterion in rubric.criteria)
    return replace(rubric, guidelines=words.get(Field("", "guidelines"), rubric.guidelines), criteria=criteria)


def _criterion(criterion: Criterion, words: Mapping[Field, str]) -> Criterion:
    of_criterion = {field.field: text for field, text in words.items() if field.criterion == criterion.name}
    if not of_criterion:
        return criterion
    levels = tuple(_level(level, index, of_criterion) for index, level in enumerate(criterion.scale.levels))
    scale = replace(criterion.scale, levels=levels)
    return replace(criterion, requirement=of_criterion.get("description", criterion.requirement), scale=scale)


def _level(level: Level, index: int, words: Mapping[str, str]) -> Level:
    path = f"levels[{index}]"
    label, description = f"{path}.label", f"{path}.description"
    return replace(level, label=words.get(label, level.label), description=words.get(description, level.description))


def in_place_of(old: str, new: str) -> str:
    """Return a new text, with the white space at its end that the replaced text has.

    >>> in_place_of("Is it polite?\\n", "Polite? ")
    'Polite?\\n'
    """
    return new.strip() + old[len(old.rstrip()) :]
