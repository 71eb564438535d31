"""The keys and words that publishers of rubrics use, and how texts and numbers under them are read."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from markscheme.numerals import finite
from markscheme.readers.tabular.words import ORDERS
from markscheme.rubrics.format import CRITERION, RUBRIC

CONTAINERS: Final = (
    "criteria",
    "dimensions",
    "axes",
    "rubric",
    "rubrics",
    "criterion",
    "items",
    "checks",
    "checklist",
    "metrics",
)
"""Keys whose names show that their values contain criteria."""
INSIDE: Final = ("rubric", "rubrics")
"""Keys that a whole rubric may be under."""
WORD_KEYS: Final = (
    "requirement",
    "requirements",
    "criterion",
    "criterion_description",
    "criteria_description",
    "criterionDescription",
    "asks",
    "question",
    "principle",
    "recommended",
    "statement",
    "guideline",
    "guidance",
    "rule",
    "text",
    "textProperty",
    "rubricContent",
    "description",
    "desc",
    "descripcion",
    "beschreibung",
    "criteria",
)
"""Keys of the text by which a criterion is judged, in order of preference."""
NAMES: Final = (
    "name",
    "title",
    "label",
    "id",
    "rubricId",
    "rubric_id",
    "criterion_id",
    "number",
    "key",
    "dimension",
    "aspect",
)
"""Keys of a criterion's name."""
GROUP_NAMES: Final = (*NAMES, "group", "section")
"""Keys of a group's name."""
WEIGHTS: Final = (
    "weight",
    "points",
    "criterion_weight",
    "score",
    "max_score",
    "max_points",
    "importance",
    "severity",
    "peso",
)
"""Keys of a criterion's weight; a number under one of them is preferred to a word."""
WORTH: Final[Mapping[str, float]] = {
    **dict.fromkeys(("critical", "blocker", "must", "must have", "essential", "required"), 4.0),
    **dict.fromkeys(("major", "important", "high", "should", "should have"), 3.0),
    **dict.fromkeys(("minor", "medium", "moderate", "nice to have"), 2.0),
    **dict.fromkeys(("low", "optional", "additional", "could", "could have"), 1.0),
}
"""The weight that each word for importance means."""
TAG_KEYS: Final = (
    "tags",
    "tag",
    "axis",
    "category",
    "criterion_type",
    "type",
    "task_category",
    "theme",
    "criteria_category",
    "weight_class",
)
"""Keys whose values say what a criterion is about; they become tags."""
FINER_TAGS: Final = ("finegrained_task_category",)
DIRECTION_KEYS: Final = ("is_positive", "polarity", "direction")
"""Keys of whether meeting a criterion earns points or costs them."""
DIRECTIONS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("include", "positive", "desirable", "desired", "good", "reward", "higher_is_better"), True),
    **dict.fromkeys(("avoid", "exclude", "negative", "undesirable", "undesired", "bad", "penalty"), False),
    "lower_is_better": False,
}
"""Words under these keys, with True where meeting the criterion earns points."""
REQUIRED_KEYS: Final = ("required", "hard_gate", "gate", "blocking")
"""Keys of which the value `true` means that a response fails as a whole if it fails the criterion."""
MARKS: Final = (
    "pass_threshold",
    "minimumScore",
    "minimum_score",
    "threshold",
    "passing_score",
    "pass_mark_percent",
    "pass_mark",
)
"""Keys of a rubric's pass mark."""
TOTALS: Final = ("total_weight", "total_points", "max_score", "total_score", "total")
"""Keys of the total by which a pass mark above 1 is divided."""
IDENTITY_KEYS: Final = (
    "name", "title", "version", "id", "rubric_name", "rubric_id", "rubric_metadata", "metadata", "rubric_version",
    "type", "$schema", "schema", "author", "date",
)  # fmt: skip
"""Keys that identify a rubric or describe its file, and that neither a judge nor a score needs."""
TASKS: Final = ("sample_id", "task_id", "prompt_id")
"""Keys of the id of the task that a criterion belongs to."""
KEYS_OF_TASKS: Final = (*TASKS, "prompt", "query", "input", "messages")
"""Keys of a task that are next to its criteria, such as its prompt, which a rubric doesn't need."""
CHILDREN: Final = ("sub_tasks", "subtasks")
"""Keys of the parts of a tree."""
LEVEL_LISTS: Final = ("levels", "ratings", "anchors", "bands", "grades", "score_levels", "rating_scale")
LEVEL_VALUES: Final = ("value", "score", "points", "level", "rating")
LEVEL_TEXTS: Final = (
    "description", "long_description", "text", "criteria", "descriptor", "anchor", "desc", "expected_outcome",
)  # fmt: skip
LEVEL_SPANS: Final = ("score_range", "range")
"""Keys of the range of scores of a level."""
LEVEL_LABELS: Final = ("label", "title", "name")
MAXIMA: Final = ("max_score", "max_points", "max")
SCALES: Final = ("scale", "score_range", "range", "rating_scale")
CREDITS: Final[Mapping[str, float]] = {
    "full_credit": 1.0,
    "full": 1.0,
    "partial_credit": 0.5,
    "partial": 0.5,
    "no_credit": 0.0,
}
"""Keys of descriptions of what earns all, half and none of the points, with the share that each earns."""
LEVEL_ORDERS: Final = (
    *ORDERS,
    (
        *("unacceptable", "unsatisfactory", "inadequate", "insufficient", "very poor", "poor", "weak"),
        *("needs improvement", "needs work", "limited", "fair", "average", "adequate", "acceptable", "satisfactory"),
        *("good", "strong", "very good", "excellent", "outstanding", "exceptional", "exemplary"),
    ),
    (
        *("novice", "beginning", "beginner", "emerging", "below basic", "basic", "developing", "intermediate"),
        *("approaching", "competent", "proficient", "accomplished", "advanced", "distinguished", "expert", "mastery"),
        "exemplary",
    ),
    (
        *("does not meet", "does not meet expectations", "below expectations", "partially meets"),
        *("partially meets expectations", "approaching expectations", "meets", "meets expectations", "exceeds"),
        "exceeds expectations",
    ),
)
"""Names of levels in orders that are well known, each worst first."""
FEWEST_NAMED: Final = 3
"""Smallest number of names of one order that show that they name levels."""
OF_MESSAGES: Final = ("role", "content", "output", "response", "completion", "answer", "input", "prompt", "query")
"""Keys of rows and messages, which aren't criteria."""
NATIVE_CRITERION: Final = frozenset(CRITERION.keys)
NATIVE_RUBRIC: Final = frozenset(name for name in RUBRIC.keys) | {"passingThreshold"}
FOREIGN: Final = frozenset({
    *WORD_KEYS, *NAMES, *WEIGHTS, *TAG_KEYS, *FINER_TAGS, *REQUIRED_KEYS, *MAXIMA, *LEVEL_LISTS, *CREDITS,
    "scores", "tiers", *DIRECTION_KEYS, "always_applicable", "grader_spec", *CHILDREN,
}) - NATIVE_CRITERION  # fmt: skip
"""Keys of criteria in other people's formats that markscheme's own format doesn't have."""

_NUMBERED: Final = re.compile(r"(?:score|scoring_rule|level|rating|grade)_?(\d+)(?:_description|_desc)?")
_RANGE: Final = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|to|\.\.)\s*(-?\d+(?:\.\d+)?)\s*")
_BRACKETS: Final = re.compile(r"[(\[](-?\d+(?:\.\d+)?) ?(?:%|points?|pts?\.?)?[)\]]$")
_ENDS: Final = re.compile(r"(-?\d+) ?(?:\([^)]*\) ?)?(?:-|–|to|\.\.) ?(-?\d+)\b.*", re.DOTALL)
OFF: Final[Mapping[str, bool]] = {"enabled": False, "active": False, "disabled": True, "retired": True}
"""Keys that disable a criterion, each with the value that does so."""
INNER_MAPPINGS: Final = ("annotations",)
"""Keys of mappings inside a criterion that hold further keys of the criterion."""
WEIGHT_CLASSES: Final = ("weight_class",)
"""Keys of a criterion's weight class, whose weight is under another key, such as `important_weight`."""
_AGAINST: Final = "detrimental"
"""Word in the name of a weight class whose criteria deduct points."""
_GOOD: Final = re.compile(r"(?:avoids|refrains from)\b", re.IGNORECASE)
_SCORE_LINE: Final = re.compile(r"^[ \t]*Score (\d+):([^\n]*)$", re.MULTILINE)
_PREFIX: Final = re.compile(r"(?:Essential|Important|Optional|Pitfall|Additional) Criteria:\s*")
"""Pattern of a prefix that repeats the criterion's weight in words."""
SENTENCE: Final = 4
"""Fewest words of a text that a response can be judged by; fewer words are a name or a mark."""


def text_in(value: Any) -> str | None:
    """Return a text that isn't blank, or such a text under a mapping's `textProperty`; None for any other value.

    >>> text_in("Is kind."), text_in({"textProperty": "Is kind."}), text_in(" "), text_in(3)
    ('Is kind.', 'Is kind.', None, None)
    """
    if isinstance(value, Mapping) and set(value) <= {"textProperty", "text"}:
        value = value.get("textProperty", value.get("text"))
    return value.strip() if isinstance(value, str) and value.strip() else None


def words_in(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


def is_in_force(fields: Mapping[str, Any]) -> bool:
    """Return True unless a key such as `enabled` or `retired` says that the criterion isn't used.

    >>> is_in_force({"enabled": False}), is_in_force({"enabled": True}), is_in_force({"retired": "never"})
    (False, True, True)
    """
    return not any(isinstance(fields.get(key), bool) and fields[key] == off for key, off in OFF.items())


def names_good(text: str) -> bool:
    """Return True if a text says what a good response avoids, such as jargon, so that meeting it is good.

    >>> names_good("Avoids jargon."), names_good("Omits the dose.")
    (True, False)
    """
    return _GOOD.match(text) is not None


def weight_of_class(fields: Mapping[str, Any]) -> tuple[str, float, bool] | None:
    """Return a criterion's weight class, such as "Essential", its weight, and True if it deducts; None without any.

    >>> weight_of_class({"weight_class": "very important", "very_important_weight": 8, "important_weight": None})
    ('very important', 8.0, False)
    """
    named = next((text for key in WEIGHT_CLASSES if (text := text_in(fields.get(key)))), None)
    amount = None if named is None else number_of(fields.get(f"{'_'.join(named.split())}_weight"))
    return None if named is None or amount is None else (named, amount, _AGAINST in named.split())


def direction_of(fields: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Return the key that says whether meeting a criterion earns points, and whether it does; None if no key says so.

    >>> direction_of({"polarity": "Avoid"}), direction_of({"is_positive": True}), direction_of({"polarity": "round"})
    (('polarity', False), ('is_positive', True), None)
    """
    for key in DIRECTION_KEYS:
        value = fields.get(key)
        earns = DIRECTIONS.get("_".join(value.casefold().split())) if isinstance(value, str) else value
        if isinstance(earns, bool):
            return key, earns
    return None


def scored_lines(text: str) -> dict[str, str] | None:
    """Parse a text with a question and a line for each score as a criterion; None for any other text.

    >>> scored_lines("[Is it kind?]\\nScore 1: No.\\nScore 2: Yes.")
    {'criteria': 'Is it kind?', 'score1_description': 'No.', 'score2_description': 'Yes.'}
    """
    lines = [*_SCORE_LINE.finditer(text)]
    question = text[: lines[0].start()].strip().removeprefix("[").removesuffix("]").strip() if lines else ""
    if len(lines) < 2 or not question:
        return None
    return {"criteria": question, **{f"score{line[1]}_description": line[2].strip() for line in lines}}


def without_prefix(text: str) -> str:
    """Remove from a criterion's text a prefix such as "Essential Criteria:", which the weight expresses.

    >>> without_prefix("Essential Criteria: names the cause.")
    'names the cause.'
    """
    return _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text


def number_of(value: Any) -> float | None:
    """Convert a number, text or percentage to a number; None for any other value.

    >>> number_of("2.5"), number_of("30%"), number_of(True), number_of("high")
    (2.5, 0.3, None, None)
    """
    if isinstance(value, str):
        text = value.strip()
        try:
            return float(text[:-1]) / 100 if text.endswith("%") else finite(float(text))
        except ValueError:
            return None
    return finite(value)


def level_of(key: Any) -> float | None:
    """Convert a key to the number of a level, or to the middle of a range of levels; None for any other key.

    >>> level_of("6-9"), level_of("3"), level_of("good")
    (7.5, 3.0, None)
    """
    span = _RANGE.fullmatch(str(key))
    if span:
        return (float(span[1]) + float(span[2])) / 2
    return number_of(key if isinstance(key, str) and not key.endswith("%") else finite(key))


def value_of_level(level: Mapping[str, Any]) -> float | None:
    """Return the score of a published level: its number, or the middle of its range of scores; None without either.

    >>> value_of_level({"score": 3}), value_of_level({"score_range": [7, 10]}), value_of_level({"range": [10, 10]})
    (3.0, 8.5, 10.0)
    """
    span = next((level[key] for key in LEVEL_SPANS if key in level), None)
    if isinstance(span, list) and len(span) == 2 and number_of(span[0]) == number_of(span[1]):
        return number_of(span[0])
    ends = ends_of(span)
    if ends is not None:
        return (ends[0] + ends[1]) / 2
    return next((amount for key in LEVEL_VALUES if (amount := number_of(level.get(key))) is not None), None)


def level_keys(fields: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of a criterion that name levels, such as "1-2", and have the levels' descriptions as values.

    A single such key isn't a scale; then [] is returned.

    >>> level_keys({"name": "Form", "1-2": "None.", "3-4": "Some."}), level_keys({"name": "Form", "1": "None."})
    (['1-2', '3-4'], [])
    """
    named = [key for key, value in fields.items() if text_in(value) is not None and level_of(key) is not None]
    return named if len(named) > 1 else []


def levels_named(keys: Iterable[Any]) -> list[Any]:
    """Return the keys that name the levels of one scale, such as Poor, Fair and Good, worst first; [] without any.

    Such keys have to be given in one of the orders of `LEVEL_ORDERS`, best or worst first; points in brackets behind a
    name don't matter.

    >>> levels_named(["criterion", "Excellent (4)", "Good (3)", "Poor (1)"]), levels_named(["Good", "Poor", "Fair"])
    (['Poor (1)', 'Good (3)', 'Excellent (4)'], [])
    """
    names = {key: " ".join(without_points(key).casefold().replace("_", " ").split()) for key in keys}
    for order in LEVEL_ORDERS if len(names) >= FEWEST_NAMED else ():
        ranks = {key: order.index(name) for key, name in names.items() if name in order}
        worst_first = sorted({*ranks.values()})
        if len(ranks) >= FEWEST_NAMED and [*ranks.values()] in (worst_first, worst_first[::-1]):
            return sorted(ranks, key=lambda key: ranks[key])
    return []


def points_behind(name: Any) -> float | None:
    """Return the points in brackets behind the name of a level, such as 4 in "Excellent (4)"; None without any."""
    match = _BRACKETS.search(str(name).rstrip())
    return None if match is None else float(match[1])


def without_points(name: Any) -> str:
    """Return the name of a level without the points in brackets behind it.

    >>> without_points("Excellent (4 points)"), without_points("Good")
    ('Excellent', 'Good')
    """
    match = _BRACKETS.search(str(name).rstrip())
    return str(name) if match is None else str(name)[: match.start()].rstrip()


def is_range(key: Any) -> bool:
    """Return True if a key is a range of levels, such as "1-2"."""
    return _RANGE.fullmatch(str(key)) is not None


def ends_of(value: Any) -> tuple[int, int] | None:
    """Return the lowest and the highest score of a scale, in any notation; None if the value doesn't give a scale.

    >>> ends_of([0, 3]), ends_of("1 (poor) to 5"), ends_of({"min": 1, "max": 7}), ends_of("stars")
    ((0, 3), (1, 5), (1, 7), None)
    """
    if isinstance(value, Mapping):
        value = [value.get("min"), value.get("max")]
    if isinstance(value, str):
        match = _ENDS.fullmatch(value)
        value = [int(match[1]), int(match[2])] if match else None
    if not isinstance(value, list) or len(value) != 2:
        return None
    low, high = (number_of(end) for end in value)
    if low is None or high is None or low != int(low) or high != int(high) or low >= high:
        return None
    return int(low), int(high)


def numbered(key: Any) -> int | None:
    """Parse the level from a key such as `score3_description`; return None for any other key."""
    match = _NUMBERED.fullmatch(str(key))
    return int(match[1]) if match else None


def worth_of(word: str, worth_by_word: Mapping[str, float]) -> float | None:
    """Convert a word such as "nice-to-have" to its weight, by the caller's or the usual weights; None for other words.

    >>> worth_of("Nice-to-have", {}), worth_of("spicy", {"spicy": 7.0}), worth_of("spicy", {})
    (2.0, 7.0, None)
    """
    folded = word.strip().casefold()
    return worth_by_word.get(folded, WORTH.get(folded.replace("-", " ").replace("_", " ")))
