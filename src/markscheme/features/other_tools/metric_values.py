"""The values of each metric of an export, read for all raters either as numbers or as words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markscheme.numerals import finite
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.kinds import JUDGES, PEOPLE, Kind
from markscheme.readers.tabular.columns import SideColumn, TableColumn
from markscheme.readers.tabular.read_values import read_values
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import ReadValues
from markscheme.readers.tabular.words import MISSING_OF_A_JUDGE, NOT_APPLICABLE, folded
from markscheme.rubrics.rubric import YES_NO, Scale

NOT_COMPARABLE: Final = frozenset(["text", "one-value", "no-value", "several-values", "dates"])
"""Codes of reasons why a metric can't be compared, with any options."""
TWO_SIDES: Final = 2
"""Fewest raters, or sides (people and judges), for a comparison."""


@dataclass(frozen=True, slots=True)
class RawRating:
    """A value that one rater gave to one response for one metric.

    Attributes:
        unit: The response's id.
        metric: Name of the metric.
        value: The value as it is in the file; None if the rater gave none.
        rater: Name of the rater; "" if the file doesn't say it.
        kind: The kind of rater that the file states; None if it doesn't.
        reason: The rater's comment, or the reason why there is no value; None without either.
        at: Time at which it was given, as written; None if the file doesn't say it.
        blind: False if it corrected another rater's verdict.
        note: Further comments of the rater; None without any.
        word: The word that the tool stores with a number; None if it stores none.
    """

    unit: str
    metric: str
    value: Any
    rater: str
    kind: Kind | None
    reason: str | None = None
    at: str | None = None
    blind: bool = True
    note: str | None = None
    word: str | None = None

    @property
    def written(self) -> Any:
        """The rating as written in the tool: the word stored with the value or, without a word, the value."""
        return self.value if self.word is None else self.word

    @property
    def comment(self) -> str:
        """The rating's reason, else its note; "" if it has neither."""
        return self.reason if self.reason and self.reason.strip() else self.note or ""

    @property
    def is_by_judge(self) -> bool:
        """True if a judge gave the value."""
        return self.kind in JUDGES


def of_number_and_word(value: Any, word: Any) -> tuple[Any, str | None]:
    """Return a rating's value, and the word stored with it or None; a word without a value becomes the value.

    >>> of_number_and_word(1, "yes"), of_number_and_word(None, "yes"), of_number_and_word(1, None)
    ((1, 'yes'), ('yes', None), (1, None))
    """
    if word in (None, ""):
        return value, None
    return (word, None) if value in (None, "") else (value, str(word))


def with_one_form(metric: Sequence[RawRating], meant: Iterable[str]) -> list[RawRating]:
    """Convert one metric's ratings to one form, all numbers or all words; a judge's failures lose their value.

    Numbers are used if each word has one number over all raters, and different words have different numbers. Else words
    are used, since the number of a word is a setting of the tool, which may differ between raters.

    Args:
        metric: The ratings, in which a number may come with a word.
        meant: Words to which the user's options give a meaning. If the metric has one of these words with a number,
            words are used.

    Example:
        >>> yes, no = (RawRating("a", "ok", n, "ann", "human", word=w) for w, n in (("yes", 0), ("no", 1)))
        >>> alone = RawRating("a", "ok", 1, "judge", "model")
        >>> [rating.value for rating in with_one_form([yes, no, alone], ())]
        [0, 1, 1]
        >>> [rating.value for rating in with_one_form([yes, no, replace(yes, value=1), alone], ())]
        ['yes', 'no', 'yes', 1]
    """
    metric = list(_without_failures(metric))
    numbers: dict[str, set[float]] = {}
    for rating in metric:
        value = finite(rating.value)
        if rating.word is not None and value is not None:
            numbers.setdefault(folded(rating.word), set()).add(value)
    by_word = {word: min(of_word) for word, of_word in numbers.items()}
    is_one_each = all(len(of_word) == 1 for of_word in numbers.values())
    tells_apart = len(by_word) < 2 or len(set(by_word.values())) > 1
    if is_one_each and tells_apart and numbers.keys().isdisjoint(map(folded, meant)):
        return [replace(rating, value=_numbered(rating, by_word), word=None) for rating in metric]
    return [replace(rating, value=rating.written, word=None) for rating in metric]


def _numbered(rating: RawRating, by_word: Mapping[str, float]) -> Any:
    """Return a rating's value as a number; a word becomes the number that other ratings give with that word.

    A word that no rating states with a number is returned unchanged.

    Args:
        rating: The rating.
        by_word: The number that ratings state with a word, by the word.
    """
    if rating.word is not None and rating.value in (None, ""):
        return by_word.get(folded(rating.word), rating.word)
    if isinstance(rating.value, str) and finite(rating.value) is None:
        return by_word.get(folded(rating.value), rating.value)
    return rating.value


def _without_failures(metric: Sequence[RawRating]) -> Iterator[RawRating]:
    """Yield the ratings; a judge's word for a failure, such as "error", becomes None unless people use it too."""
    of_people = {folded(str(rating.written)) for rating in metric if not rating.is_by_judge}
    failures = MISSING_OF_A_JUDGE - of_people
    for rating in metric:
        written = rating.written
        is_failure = rating.is_by_judge and isinstance(written, str) and folded(written) in failures
        reason = f"{written}: {rating.reason}" if rating.reason else str(written)
        yield replace(rating, value=None, word=None, reason=reason) if is_failure else rating


def refuse_unnamed(ratings: Iterable[RawRating]) -> None:
    """Refuse ratings by people without names if two such ratings of one response differ.

    Raises:
        UsageError: Several such ratings differ on one response; the message names `--rater`, which says that one person
            gave them.
    """
    by_unit: dict[tuple[str, str], list[RawRating]] = {}
    for rating in ratings:
        if rating.kind in PEOPLE and not rating.rater:
            by_unit.setdefault((rating.metric, rating.unit), []).append(rating)
    twice = [
        ratings_of_unit
        for ratings_of_unit in by_unit.values()
        if len({str(rating.written) for rating in ratings_of_unit}) > 1
    ]
    if twice:
        first = twice[0]
        values = {f"{rating.written} of {rating.unit}": 1 for rating in first}
        metrics = list(dict.fromkeys(ratings_of_unit[0].metric for ratings_of_unit in twice))
        choices = [("--rater", "NAME")]
        raise refusal("rated-twice", columns=metrics, values=values, choices=choices, unnamed=len(twice))


def has_words(values: Iterable[Any]) -> bool:
    """Return True if any value is a word, apart from words that mean no value, such as "nan"."""
    return any(
        isinstance(value, str) and finite(value) is None and folded(value) not in ("", *NOT_APPLICABLE)
        for value in values
    )


def has_marks_against_numbers(metric: Iterable[RawRating]) -> bool:
    """Return True if judges gave only 0 and 1 where people gave other numbers too, or the reverse."""
    sides: dict[bool, set[float]] = {}
    for rating in metric:
        value = finite(rating.value)
        if value is not None:
            sides.setdefault(rating.is_by_judge, set()).add(value)
    if len(sides) < TWO_SIDES:
        return False
    marks = [numbers <= {0.0, 1.0} for numbers in sides.values()]
    return any(marks) and not all(marks)


def has_two_sides(metric: Iterable[RawRating]) -> bool:
    """Return True if a person and at least one other rater, a person or a judge, gave values for a metric."""
    raters = {(rating.rater, rating.is_by_judge) for rating in metric if rating.value is not None}
    return len(raters) >= TWO_SIDES and not all(is_judge for _, is_judge in raters)


def scale_and_levels(metric: Sequence[RawRating], options: ColumnOptions) -> tuple[Scale, list[RawRating]]:
    """Return the scale that the words of one metric imply, and its ratings as levels on it.

    The values are read by the rules for tables, with each rater as a column.

    Args:
        metric: The ratings of one metric, with words among their values.
        options: What the columns and values mean.

    Raises:
        UsageError: The words may mean several things; the message names the options that say which.
    """
    units = list(dict.fromkeys(rating.unit for rating in metric))
    first: dict[tuple[str, bool], dict[str, str]] = {}
    again: list[tuple[tuple[str, bool], str]] = []
    for rating in metric:
        column = first.setdefault((rating.rater, rating.is_by_judge), {})
        cell = _cell(rating)
        if column.setdefault(rating.unit, cell) != cell:
            again.append(((rating.rater, rating.is_by_judge), cell))
    names = {
        (rater, is_judge): f"{rater} ({'judge' if is_judge else 'human'})" if (rater, not is_judge) in first else rater
        for (rater, is_judge), cells in first.items()
        if any(cells.values())
    }
    columns = [
        SideColumn(
            TableColumn(
                name,
                [
                    *(first[side].get(unit, "") for unit in units),
                    *(cell if of == side else "" for of, cell in again),
                ],
            ),
            is_judge=side[1],
            words=(),
            rater=side[0],
        )
        for side, name in names.items()
    ]
    read = read_values(columns, metric[0].metric, _about(options, columns))
    scale = _scale_of(read)
    return scale, [_levelled(rating, read, names.get((rating.rater, rating.is_by_judge))) for rating in metric]


def _scale_of(read: ReadValues) -> Scale:
    """Return a metric's scale: yes/no for pass and fail, unless it isn't known which word passes.

    If it isn't known, the words are categories. Values other than pass and fail have the scale that was read.
    """
    if read.kind != "decision":
        return read.scale
    return YES_NO if read.knows_pass else Scale.of_categories(read.scale.choices)


def _cell(rating: RawRating) -> str:
    return "" if rating.value is None else str(rating.value)


def _levelled(rating: RawRating, read: ReadValues, column: str | None) -> RawRating:
    """Replace a rating's value by its level on the scale.

    If the value isn't a level, the rating gets None, with the value's text as the reason. "Does not apply" stays.

    Args:
        rating: The rating.
        read: What the metric's values mean.
        column: Name of the column under which `read` has the levels of the rater's values; None if there is none.
    """
    if folded(_cell(rating)) in NOT_APPLICABLE:
        return rating
    level = None if column is None else read.levels[column].get(_cell(rating))
    reason = rating.reason or _cell(rating)
    return replace(rating, value=None, reason=reason) if level is None else replace(rating, value=level)


def _about(options: ColumnOptions, columns: Sequence[SideColumn]) -> ColumnOptions:
    """Return only those of a user's options that say what values in certain columns mean.

    They are `--pass` and `--same` for values that a column has, and `--pass-mark`; all other options are left out.

    Args:
        options: The user's options.
        columns: The columns.
    """
    names = {column.name for column in columns}
    values = {folded(cell) for column in columns for cell in column.cells}
    passing = tuple(option for option in options.pass_ if folded(option) in values or option.partition("=")[0] in names)
    same = tuple(option for option in options.same if option == "none" or folded(option.partition("=")[0]) in values)
    return replace(ColumnOptions(), pass_=passing, same=same, pass_mark=options.pass_mark)
