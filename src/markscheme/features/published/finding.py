"""Finds by structure which part of a file holds its criteria; refuses a file where two parts could."""

import difflib
import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from markscheme.errors import RubricError
from markscheme.features.published.refusals import open_to_option
from markscheme.features.published.vocabulary import (
    CHILDREN,
    CONTAINERS,
    FOREIGN,
    GROUP_NAMES,
    INSIDE,
    LEVEL_LISTS,
    LEVEL_SPANS,
    LEVEL_TEXTS,
    LEVEL_VALUES,
    NAMES,
    NATIVE_CRITERION,
    NATIVE_RUBRIC,
    OF_MESSAGES,
    SENTENCE,
    TASKS,
    WEIGHTS,
    WORD_KEYS,
    level_keys,
    level_of,
    levels_named,
    number_of,
    numbered,
    text_in,
    value_of_level,
    words_in,
)
from markscheme.json_text import json_or
from markscheme.plain_data import Place

_NEARLY = 0.9
"""Smallest similarity to `criteria` with which a key counts as a misspelling of it."""


@dataclass(frozen=True)
class RawCriterion:
    """A criterion as it was published, before it is converted.

    Attributes:
        data: The criterion's keys with their values, or only its text.
        path: The keys and indices that lead to the criterion in the file.
        name: The key that the criterion is under; None if it is in a list.
        group: Name of the criterion's group; None if it is in no group.
        share: Weight of the group, which is divided among the group's criteria in proportion to their own weights; None
            if the group has no weight.
        index: Index of the group.
    """

    data: Any
    path: Place
    name: str | None = None
    group: str | None = None
    share: float | None = None
    index: int = 0


FoundCriteria: TypeAlias = tuple[tuple[RawCriterion, ...], Mapping[str, Any], str | None]
"""The criteria of a file; the keys next to them, with those around `rubric`; and the key of the criteria, None for a
bare list."""


# --- markscheme's own format ------------------------------------------------------------------------------------------


def is_native(data: Any) -> bool:
    """Return True if data are a rubric in markscheme's own format, perhaps with mistakes.

    >>> is_native({"criteria": [{"requirement": "Is kind", "wieght": 2}]}), is_native([{"criterion": "Is kind"}])
    (True, False)
    """
    while isinstance(data, Mapping) and "rubric" in data:
        data = data["rubric"]
    if isinstance(data, Mapping):
        named = [key for key in ("criteria", "sections") if isinstance(data.get(key), list)]
        if not named:
            return not isinstance(data.get("criteria"), Mapping | str) and any(map(_is_misspelt_container, data))
        data = data[named[0]]
    if not isinstance(data, list) or not data:
        return isinstance(data, list)
    return all(map(_is_native_criterion, data))


def _is_misspelt_container(key: Any) -> bool:
    return any(
        key != name and difflib.SequenceMatcher(None, str(key), name).ratio() >= _NEARLY
        for name in ("criteria", "sections")
    )


def _is_native_criterion(fields: Any) -> bool:
    if not isinstance(fields, Mapping):
        return not _is_sentence(fields)
    if isinstance(fields.get("criteria"), list) and not fields.keys() & FOREIGN - {"title"}:
        return all(map(_is_native_criterion, fields["criteria"]))
    unknown = fields.keys() - NATIVE_CRITERION
    if level_keys(fields) or _has_named_levels(fields):
        return False
    if group_key(fields) in unknown - {"criteria"}:
        return False
    if any(isinstance(fields.get(key), list | Mapping) for key in INSIDE):
        return False
    has_words = any(key in fields for key in ("requirement", "description", "prefer"))
    if not unknown & FOREIGN:
        return has_words or not any(numbered(key) or _is_text(fields[key]) for key in unknown) or bool(_near(unknown))
    return False


def _has_named_levels(fields: Mapping[str, Any]) -> bool:
    """Return True if keys of a criterion, or of a mapping in it, are names of levels, such as Poor and Good."""
    return bool(levels_named(fields)) or any(
        isinstance(fields.get(key), Mapping) and levels_named(fields[key]) for key in LEVEL_LISTS
    )


def _near(unknown: Any) -> list[str]:
    return [key for key in unknown if difflib.get_close_matches(str(key), ("requirement", "description"), 1, 0.7)]


def _is_text(value: Any) -> bool:
    text = text_in(value)
    return text is not None and words_in(text) >= SENTENCE


# --- criteria of others -----------------------------------------------------------------------------------------------


def shows_rubric(data: Any) -> bool:
    """Return True if the keys of JSON data show a published rubric, and not rows of a table."""
    if isinstance(data, list):
        return bool(data) and all(map(_shows_criterion, data)) and not tasks_in(data)
    if not isinstance(data, Mapping) or data.keys() & {"response", "output", "results"}:
        return False
    if any(key in data for key in CHILDREN) and text_in(data.get("requirements")):
        return True
    if len(data) > 1 and all(
        isinstance(group, list) and group and all(map(_shows_criterion, group)) for group in data.values()
    ):
        return True
    return any(is_criteria(key, data[key]) for key in CONTAINERS if key in data)


def _shows_criterion(fields: Any) -> bool:
    if not isinstance(fields, Mapping) or fields.keys() & set(OF_MESSAGES):
        return False
    says = any(
        key in fields
        for key in ("criterion", "requirement", "criterion_description", "criteria_description", "rubricContent")
    )
    return says or (words_key(fields) is not None and any(key in fields for key in WEIGHTS) and "title" in fields)


def tasks_in(entries: Sequence[Any]) -> tuple[int, str | None] | None:
    """Return the number of tasks in a list of entries, and the key that names an entry's task.

    If each entry holds a rubric of its own, each is a task, and the key is None. Without several tasks, the whole
    result is None.
    """
    rows = [fields for fields in entries if isinstance(fields, Mapping)]
    for key in TASKS:
        named = {str(row[key]) for row in rows if key in row}
        if len(named) > 1:
            return len(named), key
    with_rubric = [row for row in rows if any(_holds_rubric(key, value) for key, value in row.items())]
    return (len(with_rubric), None) if len(with_rubric) == len(entries) and len(with_rubric) > 1 else None


def _holds_rubric(key: Any, value: Any) -> bool:
    """Return True if a row's value is a rubric, and its key is named like one: `rubric`, `score_rubric`, …"""
    holds = str(key).endswith(INSIDE) and isinstance(value, list | Mapping | str) and bool(value)
    return holds and not is_level_list(key, value)


def unwrapped(data: Any) -> tuple[Any, dict[str, Any], Place]:
    """Take a rubric out of keys such as `rubric`; return it, the entries next to these keys, and its path."""
    around: dict[str, Any] = {}
    path: Place = ()
    while True:
        if isinstance(data, list) and len(data) == 1 and _key_inside(data[0]) is not None:
            data = data[0]
            path = (*path, 0)
        key = _key_inside(data)
        if key is None:
            return data, around, path
        around |= {name: value for name, value in data.items() if name != key}
        data = data[key]
        path = (*path, key)


def _key_inside(data: Any) -> str | None:
    """Return the key under which a mapping holds a whole rubric, not just levels of a criterion; None if none does."""
    if not isinstance(data, Mapping):
        return None
    inside = (key for key in INSIDE if isinstance(data.get(key), list | Mapping))
    return next((key for key in inside if not is_level_list(key, data[key])), None)


def find_criteria(data: Any, named: str | None) -> FoundCriteria | None:
    """Find the criteria in data that aren't in markscheme's own format; return None if there are none.

    Args:
        data: Plain data that aren't in markscheme's own format.
        named: The key of the criteria, if the caller names one.

    Raises:
        RubricError: Two keys could hold the criteria; there are several tasks; or the caller's key doesn't exist or
            holds a text.
    """
    inner, around, path = unwrapped(data)
    if isinstance(inner, list):
        return _of_list(inner, around, path, None)
    if not isinstance(inner, Mapping):
        return None
    top = {**around, **inner}
    if named is not None:
        if named not in inner:
            raise RubricError(f"has no key {named!r}; its keys are {', '.join(map(str, inner))}")
        if isinstance(inner[named], str) and not is_single(inner[named]):
            raise RubricError(f"{named!r} is a text; the key of the criteria has a list or a mapping of them")
        return _below(named, inner, around, path)
    if _whole(inner):
        return _of_list(inner, around, path, None)
    possible = [str(key) for key, value in inner.items() if is_criteria(key, value)]
    if len(possible) > 1:
        raise open_to_option(f"{_listed(possible)} could each be the criteria: --criteria {possible[0]}", "criteria")
    if possible:
        return _below(possible[0], inner, around, path)
    singles = [str(key) for key, value in inner.items() if is_single(value)]
    if len(singles) == 1:
        return _below(singles[0], inner, around, path)
    plain = {key: value for key, value in top.items() if key not in NATIVE_RUBRIC}
    if len(plain) >= 2 and all(_is_sentence(value) for value in plain.values()):
        return tuple(RawCriterion(value, (*path, key), str(key)) for key, value in plain.items()), {}, None
    return None


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]])


def _below(key: str, inner: Mapping[str, Any], around: Mapping[str, Any], path: Place) -> FoundCriteria:
    remainder = {**around, **{name: value for name, value in inner.items() if name != key}}
    if is_single(inner[key]):
        return (RawCriterion(inner[key], (*path, key), "overall"),), remainder, key
    return _of_list(inner[key], remainder, (*path, key), key)


def _of_list(entries: Any, top: Mapping[str, Any], path: Place, key: str | None) -> FoundCriteria:
    if isinstance(entries, list):
        tasks = tasks_in(entries)
        if tasks is not None:
            raise RubricError(f"{tasks[0]} tasks{f' ({tasks[1]})' if tasks[1] else ''}: pass the file to grade")
    criteria = [*_entries(entries, path)]
    weights = key_of_weights(top, {criterion.group for criterion in criteria})
    if weights is None:
        return tuple(criteria), top, key
    shares = top[weights]
    shared = tuple(replace(criterion, share=number_of(shares[criterion.group])) for criterion in criteria)
    return shared, {name: value for name, value in top.items() if name != weights}, key


def key_of_criteria(row: Mapping[str, Any]) -> str | None:
    """Say which key of a row may hold its criteria, and by which option it is read; None if no key may.

    >>> key_of_criteria({"asked": '[{"criterion": "Is kind.", "points": 2}]', "query": "Hello?"})
    '`asked` may hold criteria: --map asked=rubric'
    """
    for key, text in row.items():
        structure = _structure_in(text)
        sentences = isinstance(structure, list) and all(
            isinstance(sentence, str) and " " in sentence for sentence in structure
        )
        if structure and (sentences or shows_rubric(structure)):
            return f"`{key}` may hold criteria: --map {shlex.quote(f'{key}=rubric')}"
    return None


def with_weights_of_groups(rubric: str, row: Mapping[str, Any]) -> str:
    """Return a row's rubric as JSON; groups of criteria get their weights if another key of the row has them.

    >>> groups = '{"depth": [{"criterion": "Names the cause."}], "form": [{"criterion": "Is short."}]}'
    >>> with_weights_of_groups(groups, {"share": '{"depth": 0.7, "form": 0.3}'})[-50:]
    ' short."}]}, "share": {"depth": 0.7, "form": 0.3}}'
    """
    texts = {key: text for key, text in row.items() if str(text).startswith("{")}
    groups = _structure_in(rubric) if texts else None
    if not isinstance(groups, dict) or not all(isinstance(criteria, list) for criteria in groups.values()):
        return rubric
    mappings = {key: _structure_in(text) for key, text in texts.items()}
    key = key_of_weights(mappings, set(groups))
    return rubric if key is None else json.dumps({"rubric": groups, key: mappings[key]}, ensure_ascii=False)


def _structure_in(text: Any) -> Any:
    """Parse a text that is a JSON list or object; None for any other text."""
    if not str(text).startswith(("[", "{")):
        return None
    return json_or(str(text), None)


def key_of_weights(top: Mapping[str, Any], groups: set[str | None]) -> str | None:
    """Return the key whose value maps each group of criteria to a weight; None if there is no such key.

    >>> key_of_weights({"dimension_weight": {"depth": 0.7, "form": 0.3}, "id": 5}, {"depth", "form"})
    'dimension_weight'

    Args:
        top: The keys and values at the top of a rubric.
        groups: Names of the groups.
    """
    if len(groups) < 2:
        return None
    named = ((str(key), value) for key, value in top.items() if isinstance(value, Mapping) and value.keys() == groups)
    return next((key for key, value in named if all(number_of(amount) for amount in value.values())), None)


def _whole(data: Mapping[str, Any]) -> bool:
    """Return True if a mapping consists of criteria: each of its values is a criterion or a group of criteria."""
    if not data or any(key in data for key in (*CONTAINERS, *CHILDREN)):
        return False
    values = list(data.values())
    if all(isinstance(value, list) and value and all(map(_has_words, value)) for value in values):
        return True
    if all(is_level_mapping(value) or _names_levels(value) for value in values) and len(values) > 1:
        return True
    is_each = all(isinstance(value, Mapping) and words_key(value) is not None for value in values)
    return is_each and len(values) > 1


def _names_levels(value: Any) -> bool:
    """Return True if a value maps nothing but names of levels, such as Poor, Fair and Good, to texts."""
    is_of_texts = isinstance(value, Mapping) and all(text_in(text) is not None for text in value.values())
    return is_of_texts and len(levels_named(value)) == len(value) > 0


def is_criteria(key: Any, value: Any) -> bool:
    """Return True if a key's value can be a rubric's criteria, in a list or a mapping."""
    if not value or key in LEVEL_LISTS:
        return False
    is_container = key in CONTAINERS
    if isinstance(value, list):
        if all(isinstance(fields, str) for fields in value):
            return is_container and all(map(_is_sentence, value))
        return all(_has_words(fields) or group_key(fields) is not None for fields in value)
    if not isinstance(value, Mapping) or is_level_mapping(value):
        return False
    if all(isinstance(fields, list) and fields and all(map(_has_key_of_words, fields)) for fields in value.values()):
        return is_container or len(value) > 1
    if all(isinstance(fields, Mapping) for fields in value.values()):
        has_words = all(words_key(fields) is not None for fields in value.values())
        return is_container or has_words or all(group_key(fields) is not None for fields in value.values())
    return (
        is_container and len(value) > 1 and all(_is_sentence(text) or isinstance(text, list) for text in value.values())
    )


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and words_in(value) >= 3


def is_single(value: Any) -> bool:
    """Return True if a value is a single criterion, with a text and a key for each level."""
    if not isinstance(value, Mapping):
        return False
    if words_key(value) is None:
        return False
    has_levels = sum(numbered(key) is not None for key in value) > 1 or level_keys(value)
    return bool(has_levels) or any(is_level_list(key, value.get(key)) for key in INSIDE)


def words_key(fields: Mapping[str, Any]) -> str | None:
    """Return the first of `WORD_KEYS` under which a mapping has a criterion's text; None if it has none."""
    return next((key for key in WORD_KEYS if text_in(fields.get(key)) is not None), None)


def _has_words(fields: Any) -> bool:
    if not isinstance(fields, Mapping) or {"role", "content"} <= fields.keys():
        return False
    texts = (key for key, value in fields.items() if key not in NAMES and _is_text(value))
    return words_key(fields) is not None or next(texts, None) is not None or _has_named_levels(fields)


def _has_key_of_words(fields: Any) -> bool:
    return isinstance(fields, Mapping) and not fields.keys() & set(OF_MESSAGES) and words_key(fields) is not None


def is_level_mapping(value: Any) -> bool:
    """Return True if a value maps numbers or ranges to descriptions of levels."""
    if not isinstance(value, Mapping) or len(value) < 2:
        return False
    return all(level_of(key) is not None for key in value) and any(isinstance(text, str) for text in value.values())


def is_level_list(key: Any, value: Any) -> bool:
    """Return True if a value is a list of levels, each with a number and a description.

    Under a key that isn't a usual name of such a list, the levels must have no keys but the known ones.
    """
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(level, Mapping) for level in value):
        return False
    has_values = all(value_of_level(level) is not None for level in value)
    texts = all(any(name in level for name in (*LEVEL_TEXTS, "label")) for level in value)
    extra = {name for level in value for name in level} - {
        *LEVEL_VALUES,
        *LEVEL_SPANS,
        *LEVEL_TEXTS,
        *NAMES,
        "example",
        "examples",
    }
    return has_values and texts and (key in LEVEL_LISTS or not extra)


def group_key(fields: Any) -> str | None:
    """Return the key of a group's only list of criteria; None for a value that isn't such a group.

    Args:
        fields: A value in a rubric, which is a group if it is a mapping with a list of criteria.
    """
    if not isinstance(fields, Mapping):
        return None
    inner = [
        key
        for key, value in fields.items()
        if isinstance(value, list) and value and isinstance(value[0], Mapping)
        if not is_level_list(key, value) or _add_up(fields, value)
    ]
    if not inner and words_of(fields) is None:
        inner = [key for key in GROUPED_TEXTS if _are_sentences(fields.get(key))]
    if len(inner) != 1 or not all(isinstance(text, str) or _has_words(text) for text in fields[inner[0]]):
        return None
    return str(inner[0])


def _add_up(fields: Mapping[str, Any], criteria: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if a list's weights, all above 0, add up to the weight of the object that contains the list.

    Then the object is a group, and the list holds its criteria. The points of a criterion's levels don't add up to the
    criterion's.

    Args:
        fields: The object: a group of criteria, or one criterion.
        criteria: The list: the group's criteria, or the criterion's levels.
    """
    group_weight = next((amount for key in WEIGHTS if (amount := number_of(fields.get(key))) is not None), None)
    weights = [value_of_level(criterion) or 0.0 for criterion in criteria]
    return group_weight is not None and min(weights) > 0 and math.isclose(sum(weights), group_weight)


GROUPED_TEXTS: Final = ("criteria", "items", "checks", "requirements", "questions", "statements")
"""Keys under which a group without words of its own may list its criteria as mere texts."""


def _are_sentences(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_sentence, value))


def _entries(entries: Any, path: Place) -> Iterator[RawCriterion]:
    """Yield the criteria in a list or mapping, including those inside groups.

    Args:
        entries: The list or mapping, as plain data.
        path: The keys and indices that lead to it in the rubric's data.
    """
    named = [*entries.items()] if isinstance(entries, Mapping) else [*enumerate(entries)]
    of_groups = [group_key(fields) for _, fields in named]
    is_grouped = bool(named) and all(of_groups)
    for index, (key, fields) in enumerate(named):
        name = str(key) if isinstance(entries, Mapping) else None
        if isinstance(fields, list):
            yield from (
                RawCriterion(criterion, (*path, key, position), None, name, None, index)
                for position, criterion in enumerate(fields)
            )
        elif is_grouped:
            inner = str(of_groups[index])
            group = next(
                (str(fields[key_of]) for key_of in GROUP_NAMES if text_in(fields.get(key_of))), name or words_of(fields)
            )
            share = next((amount for key_of in WEIGHTS if (amount := number_of(fields.get(key_of))) is not None), None)
            for position, criterion in enumerate(fields[inner]):
                yield RawCriterion(criterion, (*path, key, inner, position), None, group, share, index)
        elif name is None and (named_words := _named_words(fields)):
            yield RawCriterion(named_words[1], (*path, key, named_words[0]), named_words[0])
        else:
            yield RawCriterion(fields, (*path, key), name)


def _named_words(fields: Any) -> tuple[str, str] | None:
    """Return name and text of a criterion that is a mapping of a name to a text; None for any other form.

    >>> _named_words({"Clarity": "Reads easily."}), _named_words({"criterion": "Reads easily."})
    (('Clarity', 'Reads easily.'), None)
    """
    if not isinstance(fields, Mapping) or len(fields) != 1:
        return None
    [(name, words)] = fields.items()
    is_name = isinstance(name, str) and name not in {*WORD_KEYS, *NAMES, *WEIGHTS, *NATIVE_CRITERION}
    return (name, words) if is_name and isinstance(words, str) and words.strip() else None


def words_of(fields: Mapping[str, Any]) -> str | None:
    """Return the text of a criterion; None if it has none."""
    key = words_key(fields)
    return None if key is None else text_in(fields[key])
