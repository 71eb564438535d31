"""Mapping of columns and the ImportedFile to which readers of files add examples and ratings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from markscheme.numerals import finite, stars_in
from markscheme.plain_data import elements, shown
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions, Span
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating, level_on
from markscheme.readers.peek import Peek
from markscheme.readers.reported import JudgeCost, WrittenCalibration
from markscheme.readers.tabular.cells import written_form
from markscheme.readers.tabular.words import NOT_APPLICABLE, decision_of, folded
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.text import folded_word

LEVEL_DIGITS = 9
"""Number of digits to which a level computed from a position is rounded, so that 0.29 of 0 to 100 is 29, not
28.999999999999996."""
ITEMS = ".*"
"""Part of a column's path that means "each item of this list", which becomes a row of its own."""
OF_JUDGE = ("verdict", "judge")
"""Fields for a judge's answer and for the judge's name."""
TEXTS = ("response", "query", "reference")
"""Names of fields that are read as text, even if the value is a list."""
Expected = Literal["ratings", "examples", "decisions", "anything"]
"""Contents that a caller expects of plain lines and tables, which may be of either kind."""
Whole = tuple[dict[str, Rated], float | None, bool | None]
"""An overall verdict: levels by criterion, score and decision."""


@dataclass(frozen=True)
class Columns:
    """Settings for reading files of ratings: the field of each column, the meaning of words, and the raters.

    Attributes:
        fields: The field of `tables.FIELDS`, or the criterion, that each column holds, by column. A value inside an
            object is named by its path, `outer.inner`, and one in each item of a list by `list.*.inner`.
        rater: Name of the rater of ratings that name none.
        kind: Kind of the rater of ratings that state none; None refuses such ratings.
        judges: Names of raters that are judges, whatever kind the file states.
        scales: Lowest and highest value of each scale, if an export has several scales; by the rater who uses the
            scale, or by "judge" or "human".
        meaning: Meaning of the values of an export: which pass, which are equal, and from which number on they pass.
        words: Meaning of words in addition to the known ones, by word in lower case: a level, "pass" or "fail".
        joined: True if several files of a tool are one export.
        by_metrics: True if the rubric's criteria are the metrics of the files, not those of the user's rubric.
        keep_unread: True if a judge's answer off the scale is kept as an unreadable verdict, to be counted.
        expected: What plain lines and tables should hold, such as "ratings"; if it is "decisions", a line needs no
            rating of a criterion.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    rater: str | None = None
    kind: Kind | None = None
    judges: frozenset[str] = frozenset()
    scales: Mapping[str, Span] = field(default_factory=dict)
    meaning: ColumnOptions = ColumnOptions()
    words: Mapping[str, str] = field(default_factory=dict)
    joined: bool = False
    by_metrics: bool = False
    keep_unread: bool = False
    expected: Expected = "ratings"

    def reading(self, peek: Peek, rubric: Rubric) -> "ImportedFile":
        """Make an empty ImportedFile of a file, to which examples and ratings can be added."""
        return ImportedFile(peek.path, rubric, data=peek.data, columns=self, options=peek.options)

    def rows(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a record as rows, with its columns renamed to fields.

        A record is one row, unless `fields` maps the items of a list in the record: then each item is a row, which also
        has the values next to the list. Only the first of these rows has a judge's verdict that is next to the list.
        """
        if not self.fields:
            return [{str(name): value for name, value in row.items()}]
        lists = dict.fromkeys(column.partition(ITEMS)[0] for column in self.fields if ITEMS in column)
        rows: list[dict[str, Any]] = []
        without = dict(row)
        for path in lists:
            without = taken_out(without, path)[0]
        for path in lists:
            items = elements(taken_out(dict(row), path)[1])
            rows += [_put_in(without, f"{path}{ITEMS}", element) for element in items]
        first, *others = rows or [without if lists else dict(row)]
        for path in (column for column, meaning in self.fields.items() if meaning in OF_JUDGE):
            others = [taken_out(other_row, path)[0] for other_row in others]
        return [self.renamed(split_row) for split_row in (first, *others)]

    def renamed(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row with its columns renamed to the fields they are mapped to.

        In a renamed column, a list of one plain value is replaced by the value, since exports write a single choice as
        such a list. Lists under response, query and reference stay as they are.
        """
        by_column = {plain(column): name for column, name in self.fields.items()}
        lifted: dict[str, Any] = {}
        remaining = dict(row)
        for column in self.fields:
            if "." in column and column not in remaining:
                remaining, value = taken_out(remaining, column)
                lifted |= {} if value is None else {column: value}
        flat = {**remaining, **lifted}
        named = {by_column.get(plain(str(column)), str(column)): value for column, value in flat.items()}
        choices = {*by_column.values()} - {*TEXTS}
        return {name: value[0] if name in choices and _is_choice(value) else value for name, value in named.items()}


def taken_out(nested: dict[str, Any], path: str) -> tuple[dict[str, Any], Any]:
    """Take the value at a path such as `outer.inner` out of an object; return the rest and the value (None if missing).

    >>> taken_out({"info": {"id": 7, "a.b": 1}, "tags": []}, "info.a.b")
    ({'info': {'id': 7}, 'tags': []}, 1)
    """
    if path in nested:
        return {key: value for key, value in nested.items() if key != path}, nested[path]
    outer, dot, rest = path.partition(".")
    inner = nested.get(outer)
    if not dot or not isinstance(inner, dict):
        return nested, None
    left, value = taken_out(inner, rest)
    return {
        key: left if key == outer else value_of_key for key, value_of_key in nested.items() if key != outer or left
    }, value


def _put_in(nested: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of an object in which a path such as `outer.inner` has a new value.

    >>> _put_in({"info": {"id": 7}}, "info.at", 1)
    {'info': {'id': 7, 'at': 1}}
    """
    outer, dot, rest = path.partition(".")
    inner = nested.get(outer)
    return {**nested, outer: _put_in(inner if isinstance(inner, Mapping) else {}, rest, value) if dot else value}


def _is_choice(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list | dict)


@dataclass
class Import:
    """State of an import: the file, the meaning of its columns, and counts of what can't be imported.

    Attributes:
        path: The file, or the first of several.
        columns: Meaning of the columns, where the files don't state it.
        lost: Counts of what could not be imported.
        notes: Sentences on how the files were interpreted, where they are ambiguous.
    """

    path: Path
    columns: Columns = field(default=Columns(), kw_only=True)
    lost: Counter[str] = field(default_factory=Counter, kw_only=True)
    notes: list[str] = field(default_factory=list, kw_only=True)

    def lose(self, name: str, times: int = 1) -> None:
        """Count content of the file that no rating can hold, so that its loss can be reported.

        Args:
            name: Description of the lost content, under which it is counted.
            times: How often it occurs.
        """
        self.lost[name] += times

    def note(self, remark: str) -> None:
        """Add a note on how the files were interpreted, unless it was added before."""
        if remark not in self.notes:
            self.notes.append(remark)

    def decision(self, value: Any) -> bool | None:
        """Return True for a value that means pass, False for one that means fail, None for any other."""
        return value if isinstance(value, bool) else _decision_in(str(self.meant(value)))

    def meant(self, value: Any) -> Any:
        """Return what a value means by the words that the user defined; text that is a number becomes a number.

        A decimal comma is read as a point, unless three digits follow it, which may be thousands.
        """
        words = self.columns.words
        if isinstance(value, str):
            meant: Any = words.get(folded_word(value), value.strip())
            decimals = meant.partition(",")[2]
            as_number = number(meant.replace(",", ".") if decimals.isdigit() and len(decimals) != 3 else meant)
            return meant if as_number is None else as_number
        return words.get(folded_word(str(value)), value) if not isinstance(value, bool) else value


MOST_REMEMBERED = 4096
"""Largest number of different answers that a reading caches: more than the ways to write the levels of a scale."""


RESPONSES_ALONE = Columns(kind="human")
"""Columns for callers who only want the responses in files, so that it doesn't matter who rated them."""


@dataclass
class ImportedFile(Import):
    """The content of one file of ratings, which must fit a rubric; readers add examples and ratings.

    Attributes:
        rubric: The rubric whose criteria and scales the ratings must fit.
        by_id: Submissions by id, without labels, where the file includes their responses.
        example_rows: All submissions in place of `by_id`, for readers that make them as rows.
        ratings: The ratings of all raters.
        data: The content of a .json file; None for any other file.
        judge_cost: Number of questions to the judge in the file, and their cost.
        calibration: The report of `calibrate` that the file contains; None for any other file.
        day: The day of the evaluation, as written; None if the file doesn't say.
        cases: Each example's test case, by example id, where several responses or repeated runs answer one case.
        written_ids: Each example's id in the file, by example id, where several systems share one id.
        examples_read: The example set that the file contains; None for any other file.
        options: The user's options on how to read the file, if it is a table.
    """

    rubric: Rubric
    by_id: dict[str, Example] = field(default_factory=dict)
    example_rows: Sequence[Example] = ()
    ratings: RatingCodes = field(default_factory=RatingCodes)
    data: Any = None
    judge_cost: JudgeCost = JudgeCost()
    calibration: WrittenCalibration | None = None
    day: str | None = None
    cases: dict[str, str] = field(default_factory=dict)
    written_ids: dict[str, str] = field(default_factory=dict)
    examples_read: ExampleSet | None = None
    options: ColumnOptions = ColumnOptions()

    # content of the file

    @property
    def examples(self) -> Sequence[Example]:
        """The submissions of all examples read so far, in the order of the file."""
        if self.examples_read is not None:
            return self.examples_read.examples
        return self.example_rows or tuple(self.by_id.values())

    def add_example(self, example: Example) -> None:
        """Add an example, unless there is one with the same id."""
        self.by_id.setdefault(example.id, example)

    def add(self, rating: Rating) -> None:
        """Add a rating if it has a level, a score or a decision; ignore it otherwise."""
        if said_anything(rating):
            self.ratings.append(rating)

    # meaning of its values

    @cached_property
    def _by_name(self) -> dict[str, Criterion]:
        return {plain(criterion.name): criterion for criterion in self.rubric.criteria}

    def criterion(self, name: str) -> Criterion | None:
        """Return the criterion with this name, ignoring case and separators; None if the rubric has none."""
        return self._by_name.get(plain(name))

    @property
    def only(self) -> Criterion | None:
        """The rubric's criterion if it has a single one; else None."""
        return self.rubric.criteria[0] if len(self.rubric.criteria) == 1 else None

    def level(self, criterion: Criterion, value: Any, *, reason: str | None = None) -> Rated | None:
        """Return the level that a value in the file means; None for a value off the scale, which is counted as lost.

        Args:
            criterion: The criterion that is rated.
            value: The value as it is in the file.
            reason: The rater's reason, which is stored with the level; None without one.
        """
        written = (criterion.name, type(value), value) if isinstance(value, str | int | float) and not reason else None
        if (rated := self._read_before.get(written)) is not None:
            return rated
        if (level := self._level(criterion, value)) is not None:
            rated = Rated(level, reason or "", label=criterion.scale.label_of(level))
            if written is not None and len(self._read_before) < MOST_REMEMBERED:
                self._read_before[written] = rated
            return rated
        if criterion.not_applicable and folded(str(self.meant(value))) in NOT_APPLICABLE:
            return Rated(None, reason or "", declined="not applicable")
        self.lose(f"levels {shown(value)} of {criterion.name!r}, which aren't among {criterion.scale.listed}")
        return None

    @cached_property
    def _read_before(self) -> "dict[tuple[str, type, Any] | None, Rated]":
        """Cache of answers without a reason text, by the criterion's name, and the type and value in the file."""
        return {}

    def whole(self, value: Any) -> Whole:
        """Return levels, score and decision that a verdict on a whole response means, each None if not stated.

        If the rubric has a single criterion, the value is its level. Otherwise pass or fail is a decision, and a number
        from 0 to 1 is a score.
        """
        only = self.only
        level = None if only is None else self._level(only, value)
        if only is not None and level is not None:
            return {only.name: Rated(level)}, None, bool(level) if only.scale.is_yes_no else None
        decision = self.decision(value)
        score = number(self.meant(value))
        if decision is not None and not _is_fraction(value):
            return {}, None, decision
        if only is not None:
            self.level(only, value)  # counts it as lost
        elif score is not None and 0 <= score <= 1:
            return {}, score, None
        else:
            self.lose(f"verdicts {shown(value)}, which are neither pass, fail nor a score from 0 to 1")
        return {}, None, None

    def is_verdict(self, value: Any) -> bool:
        """Return True if a value is a level of at least one criterion, or means pass or fail."""
        are_levels = (self._level(criterion, value) is not None for criterion in self.rubric.criteria)
        return self.decision(value) is not None or any(are_levels)

    def _level(self, criterion: Criterion, value: Any) -> float | None:
        try:
            return level_on(criterion.scale, self.meant(value), criterion.name)
        except ValueError:
            decision = self.decision(value) if criterion.scale.is_yes_no else None
            return _level_in_words(criterion.scale, value) if decision is None else float(decision)


def _level_in_words(scale: Scale, cell: Any) -> float | None:
    """Return the level that a cell writes with words around it, such as "Score: 4/5"; None for any other cell.

    `4/5` counts on a scale that ends at 5, and on no yes/no scale, which has no levels in between.
    """
    is_other = isinstance(cell, str) and scale.has_degrees and not stars_in(cell)[0]
    form = written_form([folded(cell)]) if is_other else None
    low, top = scale.ends
    if form is None or form.is_percent or form.top not in (None, top):
        return None
    (level,) = form.numbers.values()
    return level if low <= level <= top else None


@lru_cache(maxsize=MOST_REMEMBERED)
def _decision_in(word: str) -> bool | None:
    return decision_of(folded(word))


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Fold a name to compare it without case and separators, so that "Code Quality" equals "code_quality"."""
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name.casefold()


def number(raw: Any) -> float | None:
    """Return a value as a finite number, converting text; None for anything else."""
    if isinstance(raw, bool):
        return None
    try:
        return finite(float(raw))
    except (TypeError, ValueError, OverflowError):
        return None


def at_position(criterion: Criterion, merit: float) -> float:
    """Return the level of a criterion that is as good as `merit`, 0 to 1, says."""
    return round(criterion.scale.at(criterion.merit(merit)), LEVEL_DIGITS)


def said_anything(rating: Rating) -> bool:
    """Return True if a rating has anything in it: an answer to a criterion, a score, a decision or an error."""
    return bool(rating.criteria) or rating.overall is not None or rating.passed is not None or rating.error is not None


def _is_fraction(raw: Any) -> bool:
    value = number(raw)
    return value is not None and not value.is_integer()
