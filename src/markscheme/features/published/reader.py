"""Converts a published rubric to plain data in markscheme's own format."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import RubricError
from markscheme.features.published.criterion import CriterionReading, level_columns
from markscheme.features.published.finding import (
    FoundCriteria,
    RawCriterion,
    find_criteria,
    group_key,
    is_criteria,
    is_native,
    is_single,
    unwrapped,
)
from markscheme.features.published.g_eval import criterion_of_metric, g_eval_metrics, keys_besides
from markscheme.features.published.levels import levels_in, numbered_levels
from markscheme.features.published.refusals import open_to_option
from markscheme.features.published.tree import is_tree, leaves
from markscheme.features.published.vocabulary import (
    CHILDREN,
    CONTAINERS,
    FINER_TAGS,
    GROUP_NAMES,
    IDENTITY_KEYS,
    KEYS_OF_TASKS,
    MARKS,
    NAMES,
    NATIVE_RUBRIC,
    SCALES,
    TAG_KEYS,
    TOTALS,
    WEIGHTS,
    ends_of,
    is_in_force,
    number_of,
    points_behind,
    scored_lines,
    text_in,
)
from markscheme.plain_data import Place
from markscheme.rubrics.shape_hints import ShapeOptions
from markscheme.rubrics.shapes import PublishedRubric

MOST_CRITERIA = 2000
"""Largest number of criteria in a published rubric; the largest published one has 1,963."""
DECIMALS_OF_MARK = 6
"""Number of decimals of a pass mark that is computed from a level."""
FEW_KEYS = 8
"""Largest number of keys of a file without criteria that may still be meant as a rubric."""
_OF_TREES = ("requirements", "weight", "sub_tasks", "subtasks", "id", "score", *TAG_KEYS, *FINER_TAGS)
"""Keys of a tree's leaf that are read, or that hold a score somebody gave."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_TRAITS = {"expectedTraits": ("c", 1.0), "failureModes": ("f", -1.0)}


def read_published(data: Any, options: ShapeOptions) -> PublishedRubric | None:
    """Return a published rubric as markscheme's own data; None for data in markscheme's own format.

    Raises:
        RubricError: There are no criteria, or parts of them can't be read; the message says which option helps.
    """
    if isinstance(data, str):
        data = scored_lines(data)
    if data is None or (options.criteria is None and is_native(data) and not g_eval_metrics(data)):
        return None
    return _Reading(data, options).rubric()


class _Reading:
    """Reader of one published rubric, which collects remarks on how it was read and the keys that aren't read."""

    def __init__(self, data: Any, options: ShapeOptions) -> None:
        self.data = data
        self.options = options
        self.notes: dict[str, None] = {}
        self.unread: dict[str, None] = {}

    def rubric(self) -> PublishedRubric | None:
        inner, around, path = unwrapped(self.data)
        if is_tree(inner):
            return self._published(self._of_tree(inner, path), self._top(around))
        if isinstance(inner, Mapping) and inner.keys() & _TRAITS.keys():
            return self._published(
                _traits(inner, path), self._top({k: v for k, v in inner.items() if k not in _TRAITS})
            )
        metrics = g_eval_metrics(self.data) if self.options.criteria is None else []
        if metrics:
            raws = [criterion_of_metric(*metric, is_alone=len(metrics) == 1) for metric in metrics]
            besides = keys_besides(metric for metric, _ in metrics)
            if len(metrics) > 1:
                besides.pop("threshold", None)
            located: FoundCriteria | None = tuple(raws), besides, None
        elif is_single(inner):
            located = (RawCriterion(inner, path, "overall"),), around, None
        else:
            located = find_criteria(self.data, self.options.criteria)
        if located is None:
            return self._without_criteria()
        raw_criteria, other_keys, key = located
        if not raw_criteria:
            return self._without_criteria()
        if key is not None and key not in (*CONTAINERS, "rubric", "rubrics") and not self.options.criteria:
            self.notes[f"criteria are those under {key!r}"] = None
        self._note_groups(inner)
        top_levels: set[str] = set()
        levels = levels_in(other_keys, top_levels)
        if len(top_levels) > 1:  # words say more than the ends next to them
            top_levels -= set(SCALES)
        top = self._top({key: value for key, value in other_keys.items() if key not in top_levels})
        in_force = self._in_force(raw_criteria)
        columns = level_columns(in_force)
        reading = CriterionReading(self.options, levels or self._scale(), self.notes, self.unread, columns)
        criteria = [reading.read(raw, index) for index, raw in enumerate(in_force, start=1)]
        _share_out(criteria, in_force, self.notes)
        if not columns:
            _weigh_by_points(criteria, in_force, self.notes)
        top |= self._mark_of_levels(other_keys, criteria)
        if reading.is_yes_no:
            self.notes["criteria without levels are yes/no (`--scale 1..5` makes them a scale)"] = None
        return self._published([(raw.path, fields) for raw, fields in zip(in_force, criteria, strict=True)], top)

    def _in_force(self, raws: Sequence[RawCriterion]) -> list[RawCriterion]:
        """Return the criteria that are enabled, and note those that are switched off."""
        counted = []
        for index, raw in enumerate(raws, start=1):
            if not isinstance(raw.data, Mapping) or is_in_force(raw.data):
                counted.append(raw)
                continue
            name = next((str(raw.data[key]) for key in NAMES if raw.data.get(key)), raw.name or f"c{index}")
            self.notes[f"{name} is switched off, so it is left out"] = None
        return counted

    def _published(self, criteria: Iterable[tuple[Place, dict[str, Any]]], top: dict[str, Any]) -> PublishedRubric:
        listed = list(criteria)
        if len(listed) > MOST_CRITERIA:
            raise RubricError(f"has {len(listed):,} criteria; the most that are read are {MOST_CRITERIA:,}")
        unread = [f"not read: {', '.join(sorted(self.unread))}"] if self.unread else []
        data = {**top, "criteria": [fields for _, fields in listed]}
        return PublishedRubric(data, tuple(path for path, _ in listed), (*self.notes, *unread))

    def _scale(self) -> list[dict[str, Any]] | None:
        for text in self.options.ends:
            ends = ends_of(text)
            if ends is None:
                raise RubricError(f"`--scale` must be LOW..HIGH in whole numbers, got {text!r}")
            return numbered_levels(*ends)
        return None

    def _without_criteria(self) -> PublishedRubric | None:
        keys = list(self.data) if isinstance(self.data, Mapping) else []
        if (
            not 0 < len(keys) <= FEW_KEYS
            or NATIVE_RUBRIC & set(keys) - {"name", "description"}
            or set(keys) <= NATIVE_RUBRIC
        ):
            return None
        raise open_to_option(f"no criteria found (keys {', '.join(map(str, keys))}): --criteria KEY", "criteria")

    def _note_groups(self, inner: Any) -> None:
        """Record the keys of groups of criteria that aren't read, to report them to the user.

        Args:
            inner: A list of groups, or a mapping whose values are lists of groups or mappings of names to groups.
        """
        values = inner.values() if isinstance(inner, Mapping) else [inner]
        for value in values:
            for fields in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
                key = group_key(fields)
                if key is not None:
                    self.unread.update(
                        dict.fromkeys(fields.keys() - {key, *GROUP_NAMES, *WEIGHTS, *TAG_KEYS, "criterion"})
                    )

    def _top(self, top: Mapping[str, Any]) -> dict[str, Any]:
        """Return the top-level keys, other than the criteria, that can be converted; note all other keys."""
        native_keys = (key for key in top if key in NATIVE_RUBRIC and key not in ("name", "criteria", *MARKS))
        read = {key: top[key] for key in native_keys}
        mark = next((key for key in MARKS if number_of(top.get(key)) is not None), None)
        total = next((key for key in TOTALS if number_of(top.get(key)) is not None), None)
        taken = {*read, *IDENTITY_KEYS, *KEYS_OF_TASKS, *((total,) if total else ())}
        if mark is not None:
            value = _part_of(number_of(top[mark]), None if total is None else number_of(top[total]))
            if value is not None:
                read["passingThreshold"] = value
                taken.add(mark)
        for key, value in top.items():
            if key not in taken and is_criteria(key, value):
                self.notes[f"{key!r} holds criteria too, and isn't read"] = None
        unread_keys = [key for key, value in top.items() if key not in taken and value not in _EMPTY]
        self.unread.update(dict.fromkeys(map(str, unread_keys)))
        return read

    def _mark_of_levels(self, top: Mapping[str, Any], criteria: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """Convert a pass mark on the scale that all criteria share to a score; {} if there is no such mark."""
        key = next((key for key in MARKS if key in self.unread), None)
        mark = None if key is None else number_of(top.get(key))
        shared = {_ends(fields) for fields in criteria}
        if key is None or mark is None or len(shared) != 1:
            return {}
        low, high = shared.pop()
        if not low < mark <= high:
            return {}
        del self.unread[key]
        self.notes[f"{key} {mark:g} is a mark on the criteria's scale, {low:g} to {high:g}"] = None
        return {"passingThreshold": round((mark - low) / (high - low), DECIMALS_OF_MARK)}

    def _of_tree(self, data: Mapping[str, Any], path: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
        self._note_inner(data)
        for leaf in leaves(data, path):
            self.unread.update(
                dict.fromkeys(key for key, v in leaf.data.items() if key not in _OF_TREES and v not in _EMPTY)
            )
            if leaf.weight == 0:
                called = text_in(leaf.data.get("id")) or text_in(leaf.data.get("requirements")) or "a leaf"
                self.notes[f"{called} weighs nothing, so it is left out"] = None
                continue
            tags = [tag for key in (*TAG_KEYS, *FINER_TAGS) if (tag := text_in(leaf.data.get(key))) is not None]
            name = text_in(leaf.data.get("id"))
            fields = {"name": name} if name else {}
            tagged = {"tags": tags} if tags else {}
            yield leaf.path, {**fields, "requirement": leaf.words, "weight": leaf.weight, **tagged}

    def _note_inner(self, part: Mapping[str, Any]) -> None:
        """Record the keys that aren't read in those parts of a rubric's tree that have parts below them.

        Args:
            part: A part of the tree; the parts below it are searched too.
        """
        children = next((part[key] for key in CHILDREN if part.get(key)), None)
        if children is None:
            return
        known = {*_OF_TREES, *IDENTITY_KEYS, *KEYS_OF_TASKS, *NATIVE_RUBRIC}
        self.unread.update({str(key): None for key, value in part.items() if key not in known and value not in _EMPTY})
        for child in children:
            if isinstance(child, Mapping):
                self._note_inner(child)


def _traits(data: Mapping[str, Any], path: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    for key, (letter, weight) in _TRAITS.items():
        for position, text in enumerate(data.get(key) or ()):
            yield (*path, key, position), {"name": f"{letter}{position + 1}", "requirement": text, "weight": weight}


def _ends(fields: Mapping[str, Any]) -> tuple[float, float]:
    """Return the lowest and highest level of a converted criterion; 0 and 0 if it has no levels."""
    values = [float(level["value"]) for level in fields.get("levels", ())]
    return (min(values), max(values)) if values else (0.0, 0.0)


def _part_of(mark: float | None, total: float | None) -> float | None:
    """Convert a pass mark to a score from 0 to 1; None if impossible. A mark above 1 is divided by the total."""
    if mark is None or 0 <= mark <= 1:
        return mark
    return mark / total if total and mark <= total else None


def _weigh_by_points(criteria: list[dict[str, Any]], raws: Iterable[RawCriterion], notes: dict[str, None]) -> None:
    """Weigh criteria by the points of their best levels, if the names of all levels have points and no weight is given.

    Args:
        criteria: The converted criteria, whose weights are replaced.
        raws: The criteria as published, in the same order.
        notes: Remarks on the conversion, to which one is added if weights change.
    """
    listed = [[points_behind(column) for column in level_columns([raw])] for raw in raws]
    best = [max((amount for amount in points if amount is not None), default=0.0) for points in listed]
    have_points = all(None not in points for points in listed) and min(best, default=0.0) > 0
    if have_points and {fields["weight"] for fields in criteria} == {1}:
        notes["the points of a criterion's best level are its weight"] = None
        for fields, points in zip(criteria, best, strict=True):
            fields["weight"] = points


def _share_out(criteria: list[dict[str, Any]], raws: Iterable[RawCriterion], notes: dict[str, None]) -> None:
    """Divide each group's weight among its criteria, in proportion to their own weights.

    Args:
        criteria: The converted criteria, whose weights are replaced.
        raws: The criteria as published, in the same order, with their groups.
        notes: Remarks on the conversion, to which one is added if a weight changes.
    """
    listed = list(raws)
    for index in {raw.index for raw in listed if raw.share is not None}:
        members = [fields for fields, raw in zip(criteria, listed, strict=True) if raw.index == index]
        share = next(raw.share for raw in listed if raw.index == index and raw.share is not None)
        total = sum(abs(fields["weight"]) for fields in members)
        for fields in members:
            weight = fields["weight"] * share / total if total else fields["weight"]
            if abs(weight - fields["weight"]) > 1e-12:
                notes["a group's weight is shared out among its criteria"] = None
                fields["weight"] = weight
