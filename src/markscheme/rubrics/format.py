"""Format of a rubric file: its keys, the values that they take, and the messages for invalid values.

Each kind of value can read a value and describe itself as JSON Schema, from which `rubrics/schema.json` is generated.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from markscheme.errors import nearest
from markscheme.numerals import finite
from markscheme.plain_data import Place, shown
from markscheme.rubrics.gray_zone import ALL, NONE, GrayZone, distance_in_file
from markscheme.rubrics.keys import (
    DEFAULT_TARGET,
    DEFAULT_TOLERANCE,
    MOST_PER_CALL,
    MOST_SAMPLES,
    ROW_RULES,
    SUBJECT_KINDS,
    TREND_SUBJECTS,
    Strategy,
)
from markscheme.text import encodable
from markscheme.user_code import names_function

Problems = list[tuple[Place, str]]
"""Pairs of the place of an invalid value and a message."""
_QUOTES = " without a value; a text with a comma inside { } needs quotes"
MISSING = object()
"""Mark of a key without a default, which is therefore required."""

Change = Literal[
    "whitespace",
    "indent",
    "layout",
    "criteria-order",
    "padding",
    "question",
    "closing-sentence",
    "echo",
    "praise",
    "authority",
    "model-name",
    "instruction",
    "comment-style",
]
"""Changes that `stress` makes to a response."""


class KeyValueKind(NamedTuple):
    """A kind of value that a key of a rubric file can take, such as a text or a list of numbers.

    Attributes:
        schema: JSON Schema of the values.
        read: Function that returns a value in the form in which the rubric stores it. Its further arguments are the
            value's place in the file and a list of problems. For an invalid value, it adds a problem to this list and
            returns None.
    """

    schema: dict[str, Any]
    read: Callable[[Any, Place, Problems], Any]


def as_shown(value: Any) -> str:
    """Write a value from a rubric's file for an error message."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else shown(value)


class Key(NamedTuple):
    """A key that a mapping in a rubric file can have, with its kind of value, default and description."""

    kind: "KeyValueKind | Keys"
    description: str | None = None
    default: Any = None
    spelled: str | None = None
    """The key's spelling in files, if it differs from its name; the name is read too."""

    @property
    def schema(self) -> dict[str, Any]:
        kind = self.kind.schema
        if self.default is None:
            kind = {"anyOf": [*kind.get("anyOf", [kind]), {"type": "null"}]}
        default = {} if self.default is MISSING else {"default": self.default}
        return kind | default | ({"description": self.description} if self.description else {})


class Keys(NamedTuple):
    """The set of keys that a mapping in a rubric file can have."""

    name: str
    description: str
    keys: Mapping[str, Key]
    foreign: tuple[str, ...] = ()
    """Further keys to suggest, which other dialects have in this place."""

    @property
    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}

    @property
    def definition(self) -> dict[str, Any]:
        """JSON Schema of a mapping with these keys."""
        required = [name for name, key in self.keys.items() if key.default is MISSING]
        return {
            "additionalProperties": False,
            "description": self.description,
            "properties": {key.spelled or name: key.schema for name, key in self.keys.items()},
            **({"required": required} if required else {}),
            "title": self.name,
            "type": "object",
        }

    def read(self, data: Any, path: Place, problems: Problems) -> Any:
        if not isinstance(data, Mapping):
            problems.append((path, f"{_key(path)} must be a mapping of keys, found {as_shown(data)}"))
            return None
        read = {}
        entries = dict(data)
        for name, key in self.keys.items():
            spelled = name if key.spelled is None or key.spelled not in entries else key.spelled
            read[name] = self._value(key, entries.pop(spelled, MISSING), (*path, spelled), problems)
        for name, value in entries.items():
            problems.append(((*path, name), f"unknown key {str(name)!r}{self._instead(name, value)}"))
        return read

    @staticmethod
    def _value(key: Key, value: Any, path: Place, problems: Problems) -> Any:
        if value is MISSING and key.default is MISSING:
            problems.append((path, f"`{path[-1]}` is missing"))
        if value is MISSING or (value is None and key.default is None):
            return key.default
        before = len(problems)
        read = key.kind.read(value, path, problems)
        return read if len(problems) == before else key.default

    def _instead(self, name: Any, value: Any) -> str:
        names = [*(key.spelled or name for name, key in self.keys.items()), *self.foreign]
        near = nearest(str(name), names)
        if near is not None:
            return f" (did you mean {near!r}?)"
        return _QUOTES if value is None else f"; known here: {', '.join(names)}"


def _key(path: Place) -> str:
    """Return how an error message names a place in a rubric: by the last key on the path to it."""
    key = next((str(step) for step in reversed(path) if isinstance(step, str)), "rubric")
    return f"each of {key}" if path and isinstance(path[-1], int) else key


def _single(schema: dict[str, Any], convert: Callable[[Any], Any]) -> KeyValueKind:
    """Make a kind of value of a rubric's key: a single value of the type that a JSON Schema states.

    Args:
        schema: JSON Schema of the value.
        convert: Function that converts a value to the form in which the rubric stores it. For an invalid value, it
            raises a ValueError whose text says what is wrong and follows the key's name.
    """

    def read(data: Any, path: Place, problems: Problems) -> Any:
        try:
            return convert(data)
        except ValueError as fault:
            problems.append((path, f"{_key(path)} {fault}"))
            return None

    return KeyValueKind(schema, read)


def _list_of(kind: KeyValueKind | Keys, at_least_one: str | None = None) -> KeyValueKind:
    """Make the kind of value that is a list of values, all of one kind.

    Args:
        kind: The kind of each value.
        at_least_one: The message for an empty list; None if the list may be empty.
    """

    def read(data: Any, path: Place, problems: Problems) -> Any:
        if not isinstance(data, list):
            problems.append((path, f"{_key(path)} must be a list, found {as_shown(data)}"))
            return None
        if at_least_one and not data:
            problems.append((path, at_least_one))
        return [kind.read(element, (*path, index), problems) for index, element in enumerate(data)]

    return KeyValueKind({"items": kind.schema} | ({"minItems": 1} if at_least_one else {}) | {"type": "array"}, read)


# --- texts and numbers ----------------------------------------------------------------------------------------------


def _string(value: Any) -> str:
    if not isinstance(value, str):
        quote_it = "; put it in quotes" if isinstance(value, bool | int | float) else ""
        raise ValueError(f"must be text, found {as_shown(value)}{quote_it}")
    return value


def _written_text(value: Any) -> str:
    text = _string(value)
    if not text.strip():
        raise ValueError("is given but empty" + (f", found {as_shown(text)}" if text else ""))
    if encodable(text) != text:
        raise ValueError(f"holds half a character, which nothing can send or store, found {as_shown(text)}")
    return text


def _runs_nothing(value: Any) -> str:
    name = _written_text(value)
    if names_function(name):
        says = "can't be a judge of code, since a rubric runs none: name it where the rubric is used"
        raise ValueError(f"{says}, found {as_shown(name)}")
    return name


def _finite(value: Any, wanted: str = "a finite number") -> float:
    converted = finite(value)
    if converted is None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        raise ValueError(f"must be {wanted if is_number else 'a number'}, found {as_shown(value)}")
    return converted


def _weight(value: Any) -> float:
    weight = _finite(value, "a finite number other than 0")
    if weight == 0:
        raise ValueError(f"must be a finite number other than 0, found {as_shown(value)}")
    return weight


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"must be a whole number, found {as_shown(value)}")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, found {as_shown(value)}")
    return value


_BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": ("at least", lambda number, bound: number >= bound),
    "exclusiveMinimum": ("above", lambda number, bound: number > bound),
    "maximum": ("at most", lambda number, bound: number <= bound),
    "exclusiveMaximum": ("below", lambda number, bound: number < bound),
}


def _bounded_number(schema: dict[str, Any], convert: Callable[[Any], Any], **bounds: float) -> KeyValueKind:
    """Make the kind of value that is a number within bounds.

    Args:
        schema: Further keys of the value's JSON Schema.
        convert: Function that converts a value to a number, and raises ValueError for any other value.
        bounds: The bounds by their names in JSON Schema, such as `minimum`.
    """

    def value(data: Any) -> Any:
        converted = convert(data)
        for name, bound in bounds.items():
            words, holds = _BOUNDS[name]
            if not holds(converted, bound):
                raise ValueError(f"is {words} {bound:g}, found {as_shown(data)}")
        return converted

    return _single(bounds | schema, value)


def _one_of(choices: tuple[str, ...]) -> KeyValueKind:
    *others, last = map(repr, choices)

    def value(data: Any) -> str:
        if not isinstance(data, str) or data not in choices:
            raise ValueError(f"is {', '.join(others)} or {last}; found {as_shown(data)}")
        return data

    return _single({"enum": list(choices), "type": "string"}, value)


STRING = _single({"type": "string"}, _string)
TEXT = _single({"type": "string"}, _written_text)
NUMBER = _single({"type": "number"}, _finite)
_WHOLE = _single({"type": "integer"}, _whole)
TRUTH = _single({"type": "boolean"}, _truth)
_SHARE = _bounded_number({"type": "number"}, _finite, minimum=0, maximum=1)
_PART = _bounded_number({"type": "number"}, _finite, exclusiveMinimum=0, exclusiveMaximum=1)
SHARE_ABOVE_0 = _bounded_number({"type": "number"}, _finite, exclusiveMinimum=0, maximum=1)


_SIDES = ("passes", "fails")
_SIDE_SCHEMA = {"anyOf": [_SHARE.schema, {"enum": [ALL, NONE], "type": "string"}]}
_SIDES_SCHEMA = {
    "properties": dict.fromkeys(_SIDES, _SIDE_SCHEMA),
    "required": list(_SIDES),
    "additionalProperties": False,
    "type": "object",
}


def _gray_zone(data: Any, path: Place, problems: Problems) -> Any:
    if not isinstance(data, Mapping):
        return _SHARE.read(data, path, problems)
    wrong = [*(key for key in data if key not in _SIDES), *(side for side in _SIDES if side not in data)]
    if wrong:
        keys = ", ".join(map(str, data)) or "nothing"
        problems.append((path, f"{_key(path)} has a value for passes and one for fails, found {keys}"))
        return None
    sides = {side: _single({}, distance_in_file).read(data[side], (*path, side), problems) for side in _SIDES}
    return None if None in sides.values() else GrayZone(**sides)


_GRAY_ZONE = KeyValueKind({"anyOf": [_SHARE.schema, _SIDES_SCHEMA]}, _gray_zone)
"""Kind of value for a gray zone: one distance for passes and fails, or one for each."""


def _check(data: Any, path: Place, problems: Problems) -> Any:
    if isinstance(data, str):
        return data, ""
    if isinstance(data, dict) and len(data) == 1 and isinstance(name := next(iter(data)), str):
        return name, json.dumps(data[name], ensure_ascii=False, sort_keys=True, default=str)
    problems.append((path, f"{_key(path)} must be a check's name, or {{NAME: its value}}; found {as_shown(data)}"))
    return None


_CHECK = KeyValueKind(
    {"anyOf": [{"type": "string"}, {"type": "object", "minProperties": 1, "maxProperties": 1}]}, _check
)
"""Kind of value for a check: its name, or an object with its name as the only key.

It is read as the name and the JSON of its value, which is "" if there is none.
"""


# --- the format -----------------------------------------------------------------------------------------------------

_LEVEL_KEYS = Keys(
    "LevelEntry",
    "One level of a scale and the words that anchor it.",
    {
        "value": Key(NUMBER, "What the level is worth; levels are listed worst first. Categories may have none."),
        "label": Key(TEXT, "A word for the level."),
        "description": Key(TEXT, "What a response at this level is like."),
        "example": Key(TEXT, "A short example of a response at this level."),
    },
)
OPTION = Keys(
    "OptionEntry",
    "One labelled option; values from 0 to 1 are positions.",
    {
        "label": Key(TEXT, default=MISSING),
        "value": Key(NUMBER, "What the option is worth; categories may have none."),
        "na": Key(TRUTH, "True where this option says that the criterion does not apply.", default=False),
    },
)
SCALE = Keys(
    "ScaleEntry",
    "A scale of whole numbers, given by its ends.",
    {"min": Key(_WHOLE, default=MISSING), "max": Key(_WHOLE, default=MISSING)},
)


def _ends(data: Any, path: Place, problems: Problems) -> Any:
    if data == "binary":
        return data
    if isinstance(data, Mapping):
        return SCALE.read(data, path, problems)
    problems.append((path, f"scale is {{min: …, max: …}} in whole numbers, or binary; found {as_shown(data)}"))
    return None


_ENDS = KeyValueKind({"anyOf": [SCALE.schema, {"const": "binary", "type": "string"}]}, _ends)
"""Kind of value for a scale: the ends of whole numbers, or the word binary."""
EXAMPLES = Keys("ExamplesEntry", "What a good and a bad response show.", {"good": Key(TEXT), "bad": Key(TEXT)})
CRITERION = Keys(
    "CriterionEntry",
    "One thing judged about a response.",
    {
        "name": Key(TEXT, "Unique in the rubric; c1, c2, … by place where none is given."),
        "description": Key(TEXT, "What is judged; rated 1 to 5 where no scale is given."),
        "requirement": Key(TEXT, "The same as description; yes/no where no scale is given."),
        "prefer": Key(TEXT, "Of pairs: what makes one response the better one; rated first, tie or second."),
        "ties": Key(TRUTH, "Of pairs: whether a rater may answer tie.", default=True),
        "weight": Key(
            _single({"type": "number"}, _weight), "Relative weight; below 0 for a fault that costs when present.", 1.0
        ),
        "scale": Key(_ENDS, "{min, max} in whole numbers, or binary."),
        "scale_min": Key(_WHOLE, "The same as scale's min."),
        "scale_max": Key(_WHOLE, "The same as scale's max."),
        "binary": Key(TRUTH, "True for yes/no."),
        "levels": Key(_list_of(_LEVEL_KEYS), "The levels with their anchors, worst first."),
        "options": Key(_list_of(OPTION), "Labelled options with values from 0 to 1."),
        "scale_type": Key(_one_of(("ordinal", "nominal")), "Of options and levels: worst first, or categories."),
        "passes": Key(
            _list_of(TEXT), "Of categories (scale_type nominal): the labels that pass; every other one fails."
        ),
        "aggregation": Key(STRING, "Read from foreign files and not used."),
        "examples": Key(EXAMPLES, "What a good and a bad response show."),
        "sees": Key(_list_of(TEXT), "Inputs shown for this criterion; all where not given."),
        "required": Key(TRUTH, "True: if this fails, the whole grade fails.", default=False),
        "threshold": Key(_SHARE, "Position from which the criterion passes.", 0.5),
        "not_applicable": Key(TRUTH, "Whether a rater may answer that it does not apply.", default=False),
        "check": Key(
            _CHECK,
            "Name of a shipped or registered check that decides instead of a judge, or the name with its value.",
        ),
        "preserves": Key(
            _list_of(_one_of(get_args(Change))), "Changes of `stress` that keep a response's level on this criterion."
        ),
        "steps": Key(
            _list_of(TEXT), "Tools or roles (with *) whose steps are shown before others of a long trajectory."
        ),
        "tags": Key(_list_of(TEXT), "What it is about, for scores and figures by tag; a judge doesn't see them."),
    },
)
_JUDGE_KEYS = Keys(
    "JudgeEntry",
    "The default judge; never a key, an address or a function.",
    {"name": Key(_single({"type": "string"}, _runs_nothing)), "model": Key(TEXT)},
)
RUBRIC = Keys(
    "markscheme rubric",
    "A rubric: weighted criteria, the mark from which a response passes, and how a judge is asked.",
    {
        "name": Key(TEXT, "The file's stem where not given."),
        "description": Key(TEXT, "What is judged, in a sentence."),
        "compare": Key(_one_of(SUBJECT_KINDS), "What is judged: single responses, or pairs of them.", "responses"),
        "tie_within": Key(_SHARE, "Of pairs: a score this close to 0, from -1 to 1, is a tie.", 0.0),
        "pass_mark": Key(_SHARE, "Least score that passes, 0 to 1.", 0.5, spelled="passingThreshold"),
        "inputs": Key(_list_of(TEXT), "Inputs that every submission has besides the response."),
        "optional_inputs": Key(_list_of(TEXT), "Further inputs, shown where a submission has them."),
        "guidelines": Key(TEXT, "General advice to the judge."),
        "strategy": Key(
            _one_of(get_args(Strategy)),
            "All criteria in one question, one question each, both ways round, or one score from 0 to 100.",
            "one_shot",
        ),
        "samples": Key(
            _bounded_number({"type": "integer"}, _whole, minimum=1, maximum=MOST_SAMPLES),
            "How many times the judge is asked; the median level counts.",
            1,
        ),
        "criteria_per_call": Key(
            _bounded_number({"type": "integer"}, _whole, minimum=1, maximum=MOST_PER_CALL),
            "The most criteria in one question; more are asked in several of nearly equal size.",
        ),
        "judge": Key(_JUDGE_KEYS, "The default judge."),
        "tolerance": Key(SHARE_ABOVE_0, "How far a score may miss gold and still agree.", DEFAULT_TOLERANCE),
        "target": Key(
            SHARE_ABOVE_0,
            "Share of examples on which the judge has to agree.",
            DEFAULT_TARGET,
        ),
        "max_false_pass": Key(_SHARE, "Share of gold's fails that the judge may pass; 1.1 - target if not given."),
        "max_false_fail": Key(_SHARE, "Share of gold's passes that the judge may fail; 1.1 - target if not given."),
        "trend_on": Key(_one_of(TREND_SUBJECTS), "What a trend is asked of: scores, or verdicts on criteria.", "score"),
        "max_false_credit": Key(
            _SHARE, "With trend_on criteria: share of what earns nothing by gold that the judge may give credit for."
        ),
        "max_missed_credit": Key(
            _SHARE, "With trend_on criteria: share of what earns credit by gold that the judge may give none for."
        ),
        "rows": Key(_one_of(ROW_RULES), "What becomes of criteria that a row brings.", "add"),
        "core_share": Key(
            _PART,
            "Share of the score that these criteria are worth next to a row's own; all weights add up if not given.",
        ),
        "ask_within": Key(
            _GRAY_ZONE,
            "Gray zone: scores this close to the pass mark go to a person; one distance, or one for passes and one for "
            "fails, where `all` and `none` are possible.",
            0.0,
        ),
        "criteria": Key(
            _list_of(CRITERION, "a rubric needs at least one criterion"),
            "What is judged, each with its weight.",
            MISSING,
        ),
    },
    foreign=("rubric", "sections"),
)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the native rubric format, for editors."""
    parts = (CRITERION, EXAMPLES, _JUDGE_KEYS, _LEVEL_KEYS, OPTION, SCALE)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {part.name: part.definition for part in parts},
        **RUBRIC.definition,
    }
