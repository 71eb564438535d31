"""Rubric by which a row of data is graded: the run's, the row's own, or both together."""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from markscheme.errors import RubricError, RubricWarning, UsageError
from markscheme.json_text import json_or, parse_json
from markscheme.phrases import counted
from markscheme.plain_data import MAX_DEPTH
from markscheme.rubrics.criterion import YES_NO, Criterion
from markscheme.rubrics.keys import RowRule
from markscheme.rubrics.reading import MAX_RUBRIC_BYTES, RubricReading, read_file
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, find_rubric
from markscheme.rubrics.shapes import RUBRIC_SHAPES

MOST_CRITERIA_OF_ROW = 2000
"""Largest number of criteria of a row; the largest published rubric has 1,963."""
INTERNED: Final = 4096
"""Number of rows' rubrics that are cached, so that many responses to one task share one rubric."""
KEYS_OF_RUN: Final = (
    "judge", "model", "samples", "strategy", "criteria_per_call", "target", "tolerance", "trend_on", "max_false_pass",
    "max_false_fail", "max_false_credit", "max_missed_credit", "ask_within", "rows", "core_share",
)  # fmt: skip
"""Keys on how a judge is asked and on the requirements that it must meet, which a row's own rubric can't set."""
PAIRS_IN_ROW: Final = "compares pairs of responses; a row's own rubric judges its one response"
PER_CALL: Final = 20
"""Default of the largest number of criteria in one question about a row with its own rubric."""
ROW_RUBRIC_KEYS: Final = ("rubric", "rubrics")
"""Keys under which a row brings its own rubric, whatever their value."""
_AT_CRITERION: Final = re.compile(r"^(?:rubrics?\.?|criteria)*\[(\d+)\](?:\.[\w.\[\]]+)?: ")
_SCORE_LINE: Final = re.compile(r"^[ \t]*Score \d+:", re.MULTILINE)
_BEFORE: Final = "row-"
"""Prefix of the name of a row's criterion if a core criterion has the same name."""


ROWS_ALONE: Final = Rubric((Criterion(1.0, "Each row is graded by the criteria that it brings."),), name="rows")
"""Rubric that names a run, and for which its judge is opened, if each row brings its criteria; it grades nothing."""


class RowRubric(NamedTuple):
    """Rubric by which a row is graded if the row brings criteria of its own.

    Attributes:
        rubric: The row's criteria, preceded by the run's if both count.
        source: Source of its criteria: the row, the run's core rubric, or both.
        brought: Names of the row's criteria in `rubric`.
        notes: Sentences on what was assumed about the row's rubric, and which of its content was ignored.
    """

    rubric: Rubric
    source: Literal["row", "core", "core+row"]
    brought: tuple[str, ...]
    notes: tuple[str, ...] = ()


class _RubricText(str):
    """A text that carries a Rubric object, since a row's inputs are texts; different rubrics have different texts.

    Attributes:
        rubric: The Rubric object.
    """

    rubric: Rubric


def as_row_text(rubric: Rubric) -> str:
    """Wrap a Rubric object in a text, since a row's inputs are texts; the object is its attribute.

    The text doesn't hold the rubric's content: it only differs from the texts of other rubrics.
    """
    text = _RubricText(f"{rubric.name} {rubric.fingerprint} {[c.tags for c in rubric.criteria]}")
    text.rubric = rubric
    return text


def row_rubric_in(inputs: Mapping[str, Any], core: Rubric | None) -> str | None:
    """Return the text of a row's own rubric, from the row's inputs; None if the row brings none.

    >>> row_rubric_in({"rubric": '["It names the town."]'}, None), row_rubric_in({"query": "Where?"}, None)
    ('["It names the town."]', None)

    Args:
        inputs: The row's inputs by name, one of which may be a rubric.
        core: The rubric of the run, whose declared inputs are never read as a rubric; None without one.
    """
    key = rubric_key_in(inputs, core)
    if key is None or not inputs[key]:
        return None
    raw = inputs[key] if isinstance(inputs[key], str) else str(inputs[key])
    return raw if isinstance(raw, _RubricText) else next((shape.text_in(inputs, key) for shape in RUBRIC_SHAPES), raw)


def rubric_key_in(inputs: Mapping[str, Any], core: Rubric | None) -> str | None:
    """Return the key under which a row brings its own rubric, such as `rubric`; None if the row brings none.

    Args:
        inputs: The row's values, by key.
        core: The rubric that all rows share, whose inputs aren't rubrics; None if there is none.

    Example:
        >>> rubric_key_in({"score_rubric": '{"criteria": "Is it kind?"}', "my_rubric": "kindness"}, None)
        'score_rubric'
    """
    shown = () if core is None else core.known_inputs
    named = next((key for key in ROW_RUBRIC_KEYS if key in inputs and key not in shown), None)
    if named is not None:
        return named
    text = inputs.get("criteria")
    if isinstance(text, str) and "criteria" not in shown and _lists_criteria(text):
        return "criteria"
    others = (key for key in inputs if key.endswith(("_rubric", "_rubrics")) and key not in shown)
    return next((key for key in others if _shows_rubric(str(inputs[key]))), None)


def notes_on_key(key: str | None) -> tuple[str, ...]:
    """Return a note on the key of a row that holds its rubric, such as `score_rubric`; () for the usual keys.

    >>> notes_on_key("score_rubric"), notes_on_key("rubric")
    (("criteria are those under 'score_rubric'",), ())
    """
    return () if key in (None, "criteria", *ROW_RUBRIC_KEYS) else (f"criteria are those under {key!r}",)


def _shows_rubric(text: str) -> bool:
    return text.startswith(("[", "{")) or _SCORE_LINE.search(text) is not None


def _lists_criteria(text: str) -> bool:
    """Return True if a text is a JSON list of criteria; a list of items with a level holds grades and doesn't count."""
    if not text.startswith("["):
        return False
    criteria = json_or(text, None)
    return bool(criteria) and all(
        isinstance(criterion, dict) and "level" not in criterion and any(map(_is_sentence, criterion.values()))
        for criterion in criteria
    )


def _is_sentence(value: Any) -> bool:
    return isinstance(value, str) and " " in value.strip()


@lru_cache(maxsize=INTERNED)
def rubric_of(text: str, core: Rubric | None, rule: RowRule = "add", of_run: Rubric = ROWS_ALONE) -> RowRubric | str:
    """Return the rubric that a row is graded by, or an error message if its own rubric can't be used.

    Args:
        text: The row's own rubric: JSON, or the name of a rubric.
        core: The rubric of the run; None if it has none.
        rule: How the row's own rubric is combined with the run's.
        of_run: Rubric that states how the run asks judges, if it has no core rubric.

    Example:
        >>> core = Rubric.from_dict([{"requirement": "Is polite", "weight": 2}])
        >>> row = rubric_of('[{"requirement": "Names Paris", "weight": 3}]', core)
        >>> [(criterion.name, criterion.weight) for criterion in row.rubric.criteria], row.brought
        ([('c1', 2.0), ('row-c1', 3.0)], ('row-c1',))
        >>> rubric_of('[{"requirement": "Names Paris", "weight": 0}]', None)
        'its rubric, criterion 1: weight must be a finite number other than 0, found 0'
    """
    run = of_run if core is None else core
    if run.judges_by_one_rubric:
        how = "pairs" if run.is_of_pairs else "a response as a whole"
        return f"its rubric: the run judges {how}, which goes by one rubric alone"
    try:
        own, notes = _own_of(text, run.pass_mark)
        if own.is_of_pairs:
            raise RubricError(PAIRS_IN_ROW)
        if core is None or rule == "instead":
            rubric = replace(own, **_way_of(of_run)) if core is None else _asked_as(core, own.criteria, own)
            return RowRubric(rubric, "row", tuple(criterion.name for criterion in own.criteria), notes)
        taken = {criterion.name for criterion in core.criteria}
        criteria = [c if c.name not in taken else replace(c, name=f"{_BEFORE}{c.name}") for c in own.criteria]
        shared = (core.criteria, criteria) if core.core_share is None else _by_shares(core, criteria)
        once, merged = _once(tuple(chain.from_iterable(shared)))
        brought = tuple(criterion.name for criterion in once if criterion.name not in taken)
        return RowRubric(_asked_as(core, once, own), "core+row", brought, notes + merged)
    except RubricError as error:
        return f"its rubric{_without_place(error.faults[0].problem)}"
    except UsageError as error:
        return f"its rubric: {error}" + (
            "; to grade by the other rubric alone: --rows ignore" if core is not None else ""
        )


def rubric_of_all(rubrics: Iterable[Rubric], name: str) -> tuple[Rubric, dict[str, str]]:
    """Merge several rows' rubrics into one; also return each merged criterion's name by the digest of its wording.

    Names of rows' criteria are unique only within their row; in the merged rubric they differ, so that labels of all
    rows fit it.

    Example:
        >>> rubrics = [Rubric.from_dict([{"requirement": f"Names {town}"}]) for town in ("Bonn", "Rome")]
        >>> of_all, names = rubric_of_all(rubrics, "rows")
        >>> [criterion.requirement for criterion in of_all.criteria], len(set(names.values()))
        (['Names Bonn', 'Names Rome'], 2)
    """
    by_words: dict[str, Criterion] = {}
    for rubric in rubrics:
        for criterion in rubric.criteria:
            unique = f"{criterion.name.removeprefix(_BEFORE)}-{criterion.wording[:8]}"
            by_words.setdefault(criterion.wording, replace(criterion, name=unique, required=False))
    return Rubric(tuple(by_words.values()), name=name), {words: criterion.name for words, criterion in by_words.items()}


def row_rule(rule: RowRule | None, core: Rubric | None) -> RowRule:
    """Return how rows' own rubrics are used, as the run's option says, or else the run's rubric.

    The rule says whether the row's criteria are added to the run's rubric (`core`), replace it, are ignored or refused.
    The run's rubric states it under the key `rows`.

    >>> core = Rubric.from_dict({"rows": "ignore", "criteria": [{"requirement": "Is polite"}]})
    >>> row_rule(None, core), row_rule("add", core), row_rule(None, None)
    ('ignore', 'add', 'add')
    """
    return rule or ("add" if core is None else core.rows)


def _without_place(problem: str) -> str:
    match = _AT_CRITERION.match(problem)
    return f", criterion {int(match[1]) + 1}: {problem[match.end() :]}" if match else f": {problem}"


def _asked_as(core: Rubric, criteria: Iterable[Criterion], rubric_of_row: Rubric) -> Rubric:
    """Return the run's rubric with other criteria, and with the guidelines and pass mark of a row's rubric.

    The row's guidelines are put after the run's; the row's pass mark counts.

    Args:
        core: The rubric of the run.
        criteria: The criteria to ask about.
        rubric_of_row: The rubric that the row brings.
    """
    guidelines = "\n\n".join(dict.fromkeys(filter(None, (core.guidelines, rubric_of_row.guidelines))))
    description = core.description or rubric_of_row.description
    return replace(
        core,
        criteria=tuple(criteria),
        guidelines=guidelines,
        description=description,
        pass_mark=rubric_of_row.pass_mark,
        core_share=None,
        source=None,
        **_way_of(core),
    )


def _by_shares(core: Rubric, row_criteria: Sequence[Criterion]) -> tuple[Sequence[Criterion], Sequence[Criterion]]:
    """Return the run's and the row's criteria, weighted so that the run's can earn `core_share` of the score.

    Raises:
        RubricError: The run's criteria, or the row's, have no weight above 0, so that they can't earn a share.
    """
    assert core.core_share is not None
    shares = (core.core_share, 1 - core.core_share)
    return _worth(core.criteria, shares[0], "the rubric of the run"), _worth(row_criteria, shares[1], "the row")


def _worth(criteria: Sequence[Criterion], share: float, whose: str) -> Sequence[Criterion]:
    best = sum(criterion.weight for criterion in criteria if criterion.weight > 0 and criterion.has_worth)
    if best <= 0:
        raise RubricError(f"with core_share {whose} needs a criterion with a weight above 0")
    return [replace(criterion, weight=criterion.weight * share / best) for criterion in criteria]


def _way_of(run: Rubric) -> dict[str, Any]:
    """Return the run's settings for asking judges, to apply them to rows with rubrics of their own.

    Args:
        run: The rubric with the run's settings: strategy, samples and criteria per call.
    """
    per_call = run.criteria_per_call or PER_CALL
    return {"strategy": run.strategy, "samples": run.samples, "criteria_per_call": per_call}


def _own_of(text: str, pass_mark: float) -> tuple[Rubric, tuple[str, ...]]:
    """Read a row's own rubric, with criteria of equal wording merged; also return notes on how it was read.

    Args:
        text: The row's own rubric: JSON, the name of a rubric, or what `as_row_text` returns.
        pass_mark: The pass mark for a rubric that states none, such as a Rubric object whose pass mark is the default.

    Raises:
        RubricError: The rubric is faulty.
        UsageError: The text is a name, and there is no rubric of that name.
    """
    if isinstance(text, _RubricText):
        criteria, merged = _once(text.rubric.criteria)
        mark = pass_mark if text.rubric.pass_mark == Rubric.pass_mark else text.rubric.pass_mark
        return replace(text.rubric, criteria=criteria, pass_mark=mark), merged
    text = text.strip()
    if _SCORE_LINE.search(text) and not text.startswith("{"):
        return _noted(RubricReading(text), pass_mark)
    if not text.startswith(("[", "{")):
        return _noted(_named(text), pass_mark)
    if len(text) > MAX_RUBRIC_BYTES:
        raise RubricError(f"has more than {MAX_RUBRIC_BYTES:,} bytes")
    try:
        data = parse_json(text)
    except ValueError as error:
        raise RubricError(f"is not readable JSON: {error}") from None
    if _depth(data) > MAX_DEPTH:
        raise RubricError(f"is nested more than {MAX_DEPTH} deep")
    of_run = [key for key in KEYS_OF_RUN if isinstance(data, dict) and key in data]
    if of_run:
        raise RubricError(f"{of_run[0]} is for the run, not for a row")
    if _is_of_pairs(data):
        raise RubricError(PAIRS_IN_ROW)
    return _noted(RubricReading(data), pass_mark)


def _is_of_pairs(data: Any) -> bool:
    criteria = data.get("criteria") if isinstance(data, dict) else data
    prefers = isinstance(criteria, list) and any(isinstance(row, dict) and "prefer" in row for row in criteria)
    return prefers or (isinstance(data, dict) and data.get("compare") == "pairs")


def _noted(reading: RubricReading, pass_mark: float) -> tuple[Rubric, tuple[str, ...]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RubricWarning)
        rubric = reading.rubric(Rubric)
    notes = [str(warning.message) for warning in caught]
    criteria, merged = _once(rubric.criteria)
    mark = rubric.pass_mark if reading.states_pass_mark else pass_mark
    return replace(rubric, criteria=criteria, pass_mark=mark), (*notes, *merged)


def _named(name: str) -> RubricReading:
    if "\n" in name:
        raise UsageError("is text that isn't JSON; a row brings criteria as JSON, or names a rubric")
    if "/" in name or "\\" in name or name.endswith(RUBRIC_SUFFIXES):
        raise RubricError("is a path; a row brings criteria, or names a rubric")
    return read_file(find_rubric(name))


def _depth(data: Any) -> int:
    depth = 0
    level = [data]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for value in level
            for inner in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
            if isinstance(inner, dict | list)
        ]
    return depth


def _once(criteria: tuple[Criterion, ...]) -> tuple[tuple[Criterion, ...], tuple[str, ...]]:
    """Merge criteria of equal wording into one, adding up their weights; also return a note if any were merged.

    Raises:
        RubricError: Criteria of equal wording differ in the weight's sign or in levels, or there are too many criteria.
    """
    if len(criteria) > MOST_CRITERIA_OF_ROW:
        raise RubricError(f"has {len(criteria):,} criteria; the most are {MOST_CRITERIA_OF_ROW:,}")
    by_words: dict[str, Criterion] = {}
    for criterion in criteria:
        words = replace(criterion, scale=YES_NO, passing=(), required=False).wording
        earlier = by_words.get(words)
        if earlier is None:
            by_words[words] = criterion
        elif earlier.wording != criterion.wording or (earlier.weight > 0) != (criterion.weight > 0):
            raise RubricError(f"{earlier.name} and {criterion.name} have equal words, and another sign or other levels")
        else:
            by_words[words] = replace(earlier, weight=earlier.weight + criterion.weight)
    merged = counted(len(criteria) - len(by_words), "criterion has", "criteria have")
    note = f"{merged} the words of another: asked once, and the weights add up"
    return tuple(by_words.values()), (note,) if len(by_words) < len(criteria) else ()
