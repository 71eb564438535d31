"""Reads one published criterion: name, text, weight, levels and tags, with remarks on keys that aren't read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import RubricError
from markscheme.features.published.finding import RawCriterion, is_level_mapping
from markscheme.features.published.levels import levels_in, levels_to, named_level, numbered_levels
from markscheme.features.published.refusals import open_to_option
from markscheme.features.published.vocabulary import (
    FINER_TAGS,
    INNER_MAPPINGS,
    LEVEL_LISTS,
    NAMES,
    NATIVE_CRITERION,
    REQUIRED_KEYS,
    SENTENCE,
    TAG_KEYS,
    TASKS,
    WEIGHT_CLASSES,
    WEIGHTS,
    WORD_KEYS,
    direction_of,
    levels_named,
    names_good,
    number_of,
    points_behind,
    text_in,
    weight_of_class,
    without_prefix,
    words_in,
    worth_of,
)
from markscheme.rubrics.format import CRITERION, Problems
from markscheme.rubrics.shape_hints import ShapeOptions

_LOWEST_FAILS = 0.25
"""Position of the second of five levels, used as the pass level of a required dimension, so that it fails only at the
first."""
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_SCALE_KEYS = {"scale", "scale_min", "scale_max", "options", "binary"}
"""Keys of markscheme's own format that define the scale."""


_POINTS_BEHIND = re.compile(
    r"(?P<name>.{1,200}?) {0,3}[(\[](?P<points>-?\d{1,6}(?:\.\d{1,6})?) ?(?:%|points?|pts?\.?)[)\]]", re.IGNORECASE
)
"""Pattern of a name followed by its points or percentage: `Clarity (2 points)`, `Tone [30%]`."""


class CriterionReading:
    """Reader of the criteria of one published rubric, one after the other.

    Attributes:
        is_yes_no: True if a criterion without any mention of levels was read.
    """

    def __init__(
        self,
        options: ShapeOptions,
        levels: list[dict[str, Any]] | None,
        notes: dict[str, None],
        unread: dict[str, None],
        columns: Sequence[str] = (),
    ) -> None:
        """Prepare to read the criteria of a file.

        Args:
            options: Options on how the file is read.
            levels: The levels for criteria that state none; None if the file has no such levels.
            notes: A dict to whose keys remarks are added, each once.
            unread: A dict to whose keys the names of keys that aren't read are added.
            columns: Keys of the criteria that name the levels of all, such as Poor, Fair and Good, worst first.
        """
        self.levels = levels
        self.columns = columns
        self.notes = notes
        self.unread = unread
        self.is_yes_no = False
        self._worth = {word.casefold(): amount for word, amount in _pairs("weights", options.weights)}
        self._leave = {key.strip() for text in options.leave for key in text.split(",")}
        self._renamed = dict(text.split("=", 1) for text in options.other_names if "=" in text)

    def read(self, raw: RawCriterion, index: int) -> dict[str, Any]:
        """Return a published criterion in markscheme's own format.

        Raises:
            RubricError: The criterion has no words, an unknown word as weight, or parts that aren't understood.
        """
        if isinstance(raw.data, str):
            self.is_yes_no |= self.levels is None
            name, weight = self._name_and_weight(raw.name or "")
            named = {"name": name} if name else {}
            return {**named, "requirement": raw.data, "weight": weight, **self._given_levels(), **_tagged([raw.group])}
        if not isinstance(raw.data, Mapping):
            raise RubricError(f"criterion {raw.name or index}: has keys and values, found {type(raw.data).__name__}")
        data = {"levels": raw.data} if is_level_mapping(raw.data) else _hoisted(raw.data)
        fields = {self._renamed.get(key, key): value for key, value in data.items() if value not in _EMPTY}
        left_out = [key for key in fields if key in self._leave]
        self.unread.update(dict.fromkeys(left_out))
        fields = {key: value for key, value in fields.items() if key not in self._leave}
        return self._criterion(fields, raw, index)

    def _criterion(self, fields: Mapping[str, Any], raw: RawCriterion, index: int) -> dict[str, Any]:
        taken = {key for key in TASKS if key in fields}
        native = _native(fields, taken)
        tags = [raw.group, *_tags(fields, taken)]
        scale_levels = self._named_levels(fields, raw, taken) or _levels(fields, taken, native)
        weight = self._weight(fields, taken)
        name, has_name_from_words = _name(fields, raw, taken)
        required = self._required(fields, taken)
        has_words = any("description" in level for level in scale_levels or ())
        self._note_gaps(scale_levels or (), name or f"c{index}")
        scale_levels = scale_levels or levels_to(fields, taken)
        of_dimension = _of_dimension(fields, taken)
        if scale_levels is None and not of_dimension and not native.keys() & _SCALE_KEYS:
            _refuse_marks(fields)
            scale_levels = self.levels
            self.is_yes_no |= scale_levels is None and "check" not in native
        text = _words(fields, taken, skip="criterion" if has_name_from_words else None)
        self._note_words(text, weight, name or f"c{index}")
        if text is None:
            text = name if has_words or _has_sentence(fields, taken) else None
        if text is None:
            has = "has a name, but no words" if name else "has no words"
            keys = ", ".join(map(str, raw.data))
            raise open_to_option(
                f"criterion {name or f'c{index}'!r} {has} to judge by: --map KEY=requirement (keys {keys})", "map"
            )
        threshold = _threshold(fields, scale_levels, taken)
        further = [*self._further(fields, taken, name or f"c{index}")]
        named = {"name": name} if name else {}
        read = {**named, "requirement": "\n".join([without_prefix(text), *further]), "weight": weight}
        levels = {"levels": scale_levels} if scale_levels else {}
        return {
            **native,
            **read,
            **levels,
            **of_dimension,
            **required,
            **threshold,
            **_tagged(tags),
        }

    def _name_and_weight(self, written: str) -> tuple[str, float]:
        """Split a name such as "Tone (5 points)" into the name and its weight; the weight is 1 without points."""
        match = _POINTS_BEHIND.fullmatch(written)
        if match is None:
            return written, 1.0
        self.notes["points in brackets behind a name are its weight"] = None
        return match["name"], float(match["points"])

    def _named_levels(
        self, fields: Mapping[str, Any], raw: RawCriterion, taken: set[str]
    ) -> list[dict[str, Any]] | None:
        """Return the levels that the criterion's keys name, such as Poor, Fair and Good, worst first; None without any.

        Args:
            fields: The criterion's keys and values.
            raw: The criterion. Its keys, such as Good (10), count if `columns` doesn't name the levels of all criteria.
            taken: The keys read so far, to which those of the levels are added.
        """
        own_columns = level_columns([raw])
        columns = self.columns if {*own_columns} <= {*self.columns} else own_columns
        if len({*columns} & fields.keys()) < 2:
            return None
        taken.update(columns)
        points = [points_behind(key) for key in columns]
        worth = [amount for amount in points if amount is not None]
        if len(worth) < len(points) or worth != sorted({*worth}):
            worth = [float(index) for index in range(1, len(points) + 1)]
            listed = ", ".join(f"{key} = {value:g}" for key, value in zip(columns, worth, strict=True))
            self.notes[f"levels are numbered by their names: {listed}"] = None
        return [named_level(value, key, fields.get(key)) for key, value in zip(columns, worth, strict=True)]

    def _given_levels(self) -> dict[str, Any]:
        return {"levels": self.levels} if self.levels else {}

    def _weight(self, fields: Mapping[str, Any], taken: set[str]) -> float:
        amount = next(((key, n) for key in WEIGHTS if (n := number_of(fields.get(key))) is not None), None)
        of_class = weight_of_class(fields)
        if of_class is not None:
            weight = self._class_weight(fields, of_class, taken)
        elif amount is not None:
            taken.add(amount[0])
            weight = amount[1]
        else:
            weight = self._word_weight(fields, taken)
        direction = direction_of(fields)
        return weight if direction is None else self._directed(weight, fields, direction, taken)

    def _directed(
        self, weight: float, fields: Mapping[str, Any], direction: tuple[str, bool], taken: set[str]
    ) -> float:
        """Return a weight, negative if a key such as `polarity` says that the criterion is a fault.

        Args:
            weight: The weight as read from other keys.
            fields: The criterion's keys and values.
            direction: A key such as `polarity`; and True if its value says that the criterion earns credit, False for a
                fault.
            taken: The keys read so far, to which the key in `direction` is added.
        """
        key, earns = direction
        taken.add(key)
        if not earns and isinstance(fields[key], str) and weight > 0:
            self.notes[f"{key} {fields[key].strip()}: the weight is read as negative, for a fault"] = None
        return abs(weight) if earns else -abs(weight)

    def _word_weight(self, fields: Mapping[str, Any], taken: set[str]) -> float:
        key = next(
            (key for key in WEIGHTS if isinstance(fields.get(key), str) and words_in(fields[key]) < SENTENCE), None
        )
        if key is None:
            return 1.0
        word = fields[key].strip()
        worth = worth_of(word, self._worth)
        if worth is None:
            raise open_to_option(f"{key} {word!r} isn't a number: --weights {word}=…", "weights")
        taken.add(key)
        self.notes[f"{key} {word} = {worth:g}"] = None
        return worth

    def _class_weight(self, fields: Mapping[str, Any], of_class: tuple[str, float, bool], taken: set[str]) -> float:
        """Return the weight of a criterion's class, such as "Essential"; note the weights of other classes as unused.

        Args:
            fields: The criterion's keys and values.
            of_class: Name of the class, its weight, and True if the class deducts points.
            taken: The keys that were read, to which the weights of all classes are added.
        """
        named, amount, costs = of_class
        taken.update(key for key in fields if key.endswith("_weight"))
        others = [
            f"{key} {value:g}"
            for key in fields
            if key.endswith("_weight")
            and key != f"{'_'.join(named.split())}_weight"
            and (value := number_of(fields[key])) is not None
        ]
        if others:
            self.notes[f"weight_class {named!r} counts, next to {', '.join(others)}"] = None
        if costs and amount > 0:
            self.notes[f"weight {amount:g} of the class {named!r} is read as -{amount:g}"] = None
            return -amount
        return amount

    def _note_words(self, text: str | None, weight: float, name: str) -> None:
        """Add a remark that a word such as "Essential" was removed from the text, or that weight and text disagree.

        Args:
            text: The text; None without one.
            weight: The criterion's weight; below 0 contradicts a text that says what a good response does.
            name: The criterion's name, for the note.
        """
        words = without_prefix(text or "")
        if words != (text or ""):
            self.notes["the class before a criterion's words is left out: its weight says it"] = None
        if weight < 0 and names_good(words):
            self.notes[f"{name} costs points where it is met, and says what a good response does"] = None

    def _note_gaps(self, levels: Sequence[Mapping[str, Any]], name: str) -> None:
        """Add a remark that some levels have neither description nor label, although other levels have one."""
        gaps = [f"{level['value']:g}" for level in levels if "description" not in level and "label" not in level]
        if gaps and len(gaps) < len(levels):
            self.notes[f"{name}: no words for level {', '.join(gaps)}"] = None

    def _required(self, fields: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
        keys = [key for key in REQUIRED_KEYS if isinstance(fields.get(key), bool)]
        taken.update(keys)
        return {"required": True} if any(fields[key] for key in keys) else {}

    def _further(self, fields: Mapping[str, Any], taken: set[str], name: str) -> Iterator[str]:
        """Yield "KEY: TEXT" for each key of a criterion that isn't in `taken` and has text; refuse nested values.

        Args:
            fields: The criterion's keys and values.
            taken: The keys read so far.
            name: Name of the criterion, for the error.
        """
        for key, value in fields.items():
            if key in taken:
                continue
            words = str(key).replace("_", " ")
            if isinstance(value, str) and words_in(value) >= SENTENCE:
                yield f"{words}: {value.strip()}"
            elif isinstance(value, list) and all(isinstance(text, str) for text in value):
                yield f"{words}: {'; '.join(text.strip() for text in value)}"
            elif isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()):
                yield from self._of_mapping(key, value)
            elif isinstance(value, Mapping | list) and not _is_plain_list(value):
                raise open_to_option(
                    f"criterion {name!r}: {key} holds more than is understood: --leave {key}, or import and edit",
                    "leave",
                )
            else:
                self.unread[str(key)] = None

    def _of_mapping(self, key: str, texts: Mapping[str, str]) -> Iterator[str]:
        for inner, text in texts.items():
            if inner == "type":
                self.notes[f"{str(key).removesuffix('_spec')} {text}: asked of the judge all the same"] = None
            elif text.strip():
                yield f"{str(inner).replace('_', ' ')}: {text.strip()}"


def level_columns(criteria: Sequence[RawCriterion]) -> list[str]:
    """Return the keys that name levels in all the criteria, such as Poor, Fair and Good, worst first."""
    fields = [_hoisted(raw.data) for raw in criteria if isinstance(raw.data, Mapping)]
    texts = {key: None for of_one in fields for key, value in of_one.items() if value in _EMPTY or text_in(value)}
    return levels_named(texts)


def _hoisted(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a criterion with the entries of a mapping nested in it, if these are its text, weight or levels."""
    named = next((key for key in LEVEL_LISTS if isinstance(data.get(key), Mapping) and levels_named(data[key])), None)
    if named is not None:
        return {**{key: value for key, value in data.items() if key != named}, **data[named]}
    inner = next((data[key] for key in INNER_MAPPINGS if isinstance(data.get(key), Mapping)), None)
    if inner is None or not (inner.keys() & {*WORD_KEYS, *WEIGHTS, *WEIGHT_CLASSES}):
        return data
    words = next((text for key in WORD_KEYS if (text := text_in(inner.get(key)))), None)
    outer = {key: value for key, value in data.items() if key not in INNER_MAPPINGS and not _repeats(key, value, words)}
    return {**inner, **outer}


def _repeats(key: str, value: Any, words: str | None) -> bool:
    """Return True if a key's value is a long title that only repeats the beginning of the criterion's text.

    Args:
        key: The key.
        value: Its value.
        words: The criterion's text; None if it has none.
    """
    text = text_in(value)
    if key not in NAMES or text is None or words is None or words_in(text) < SENTENCE:
        return False
    return words.startswith(text.removesuffix("...").removesuffix("…").strip())


def _has_sentence(fields: Mapping[str, Any], taken: set[str]) -> bool:
    return any(isinstance(text, str) and words_in(text) >= SENTENCE for key, text in fields.items() if key not in taken)


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(element, Mapping | list) for element in value)


def _pairs(option: str, texts: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    for text in texts:
        word, equals, amount = text.rpartition("=")
        value = number_of(amount)
        if not equals or value is None:
            raise RubricError(f"`--{option}` must be WORD=NUMBER, got {text!r}")
        yield word.strip(), value


def _native(fields: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    """Return a criterion's keys that markscheme's own format has too, with their values; add them to `taken`.

    Args:
        fields: The criterion's keys and values.
        taken: The keys that have been read; those returned are added.
    """
    read = {}
    for key in NATIVE_CRITERION - {
        *NAMES,
        *WORD_KEYS,
        *WEIGHTS,
        *TAG_KEYS,
        *REQUIRED_KEYS,
        "levels",
        "threshold",
        "scale",
    }:
        problems: Problems = []
        if key in fields:
            CRITERION.keys[key].kind.read(fields[key], (), problems)
        if key in fields and not problems:
            read[key] = fields[key]
            taken.add(key)
    if fields.get("scale") == "binary":
        read["scale"] = "binary"
        taken.add("scale")
    return read


def _tags(fields: Mapping[str, Any], taken: set[str]) -> Iterator[str]:
    for key in (*TAG_KEYS, *FINER_TAGS):
        value = fields.get(key)
        listed = value if isinstance(value, list) else [value]
        texts = [text for text in listed if isinstance(text, str)]
        if key in fields and len(texts) == len(listed):
            taken.add(key)
            yield from texts


def _tagged(tags: list[str | None]) -> dict[str, Any]:
    named = [tag.strip() for tag in tags if tag and tag.strip()]
    return {"tags": [*dict.fromkeys(named)]} if named else {}


def _levels(fields: Mapping[str, Any], taken: set[str], native: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    if native.keys() & {"options", "scale_min", "scale_max", "binary", "scale", "prefer"}:
        return None
    return levels_in(fields, taken)


def _name(fields: Mapping[str, Any], raw: RawCriterion, taken: set[str]) -> tuple[str | None, bool]:
    """Return a criterion's name, and True if the name is the value of the key `criterion`.

    Args:
        fields: The criterion's keys and values.
        raw: The criterion as published. Its `name` is the key under which the file lists it, which is returned if the
            criterion states no name.
        taken: A set of the keys that have been read, to which the key of the name is added.
    """
    name_keys = [key for key in NAMES if isinstance(fields.get(key), str | int) and str(fields[key]).strip()]
    short = text_in(fields.get("criterion"))
    others = [key for key in WORD_KEYS if key not in ("criterion", "criteria") and text_in(fields.get(key))]
    is_name = short is not None and words_in(short) <= SENTENCE and bool(others) and "criterion" not in taken
    taken.update(key for key in name_keys if not (isinstance(fields[key], str) and words_in(fields[key]) >= SENTENCE))
    if name_keys:
        taken.add(name_keys[0])
        return str(fields[name_keys[0]]).strip(), False
    if is_name:
        taken.add("criterion")
        return short, True
    return raw.name, False


def _words(fields: Mapping[str, Any], taken: set[str], *, skip: str | None) -> str | None:
    for key in WORD_KEYS:
        text = text_in(fields.get(key))
        if text is not None and key not in taken and key != skip:
            taken.add(key)
            return text
    return None


def _of_dimension(fields: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    """Return the settings that the key `always_applicable` implies: levels 1 to 5, of which 1 fails the response.

    For a criterion without that key, {} is returned. The key is added to `taken`, the keys read so far.
    """
    if not isinstance(fields.get("always_applicable"), bool):
        return {}
    taken.add("always_applicable")
    return {
        "levels": numbered_levels(1, 5),
        "required": True,
        "threshold": _LOWEST_FAILS,
        "not_applicable": not fields["always_applicable"],
    }


def _refuse_marks(fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        amount = number_of(value)
        if "threshold" in str(key) and amount is not None and amount > 1:
            raise open_to_option("thresholds beyond 1 and no scale: --scale LOW..HIGH", "scale")


def _threshold(fields: Mapping[str, Any], levels: list[dict[str, Any]] | None, taken: set[str]) -> dict[str, Any]:
    amount = number_of(fields.get("threshold"))
    if amount is None:
        return {}
    taken.add("threshold")
    if amount > 1 and levels:
        low = levels[0]["value"]
        amount = (amount - low) / (levels[-1]["value"] - low)
    return {"threshold": amount}
