"""What the values of judges and people in a table are: decisions, levels, scores or categories; never half guessed.

The rules are tried in order, on all columns together, and the first that fits decides. Values that could mean two
things are refused, with the option that says which.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

from markscheme.errors import UsageError
from markscheme.plain_data import shown
from markscheme.readers.imported import number
from markscheme.readers.recoding import Recoding
from markscheme.readers.table_meaning import Span, ValueOptions
from markscheme.rubrics.rubric import DEFAULT_TOLERANCE, LEVEL_ROUNDING, Level, Scale

ValueKind: TypeAlias = Literal["decision", "levels", "score", "categories"]

NO_VALUE = frozenset(["", "na", "n/a", "null", "none", "nan", "-"])
PASS_WORDS = frozenset(
    ["pass", "passed", "yes", "y", "true", "t", "1", "met", "good", "correct", "ok", "accept", "accepted", "valid"]
)
FAIL_WORDS = frozenset(
    [
        *("fail", "failed", "no", "n", "false", "f", "0", "unmet", "not met", "bad", "incorrect", "wrong"),
        *("reject", "rejected", "invalid"),
    ]
)
ORDERS = (
    ("low", "medium", "high"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
)
"""Words whose order everybody knows, worst first."""
FEWEST_LEVELS = 3
"""Different values from which numbers are a scale: of two it isn't known which of them passes."""
WIDEST_LEVELS = 10
"""The greatest distance between numbers that are levels; numbers further apart are a score."""
PERCENT = 100.0
"""The highest score where scores go beyond 1: people write shares as percentages."""
MOST_WORDS_OF_A_COLUMN = 20
"""Different words that can be categories; more are texts."""
FEWEST_FOR_REPEATS = 20
"""Rows from which categories must repeat: of fewer, each may well be seen once."""
CLASH = 2.0
"""How many times one column's greatest value must be the other's for them to have different scales."""


@dataclass(frozen=True)
class ReadValues:
    """How the values of all columns are read.

    Attributes:
        kind: Decisions, levels, scores or categories.
        scale: What they are levels of.
        tolerance: How far two may be apart as positions on the scale and still agree.
        by_column: For each column, the value on the scale by the text of a cell.
        words: How each column is read, for a sentence.
        notes: What the caller may want to say otherwise.
    """

    kind: ValueKind
    scale: Scale
    tolerance: float
    by_column: Mapping[str, Mapping[str, float]]
    words: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def level(self, column: str, cell: str) -> float | None:
        """The value of a cell; None where it is missing."""
        return self.by_column[column].get(folded(cell))


def folded(cell: object) -> str:
    """A cell's value, trimmed and without case; "" where it is missing, which NaN is too."""
    text = " ".join(str("" if cell is None else cell).split()).casefold()
    return "" if text in NO_VALUE else text


def scale_span(text: str) -> Span | None:
    """The ends in `LOW..HIGH` or `LOW-HIGH`; None for anything else.

    >>> scale_span("1..5"), scale_span("-1..1"), scale_span("0-100"), scale_span("good,bad")
    ((1.0, 5.0), (-1.0, 1.0), (0.0, 100.0), None)
    """
    left, dots, right = text.partition("..")
    if not dots:
        left, _, right = text.rpartition("-")
    low = number(left)
    high = number(right)
    return (low, high) if low is not None and high is not None and low < high else None


def read_values(columns: Mapping[str, Sequence[object]], judges: Collection[str], options: ValueOptions) -> ReadValues:
    """How the values of columns are read.

    Args:
        columns: The cells by column, judges' and people's.
        judges: The columns that are judges'; the others are people's.
        options: What the caller says of them.

    Raises:
        UsageError: They may mean several things, or can't be on one scale; it names the option that says what they are.
    """
    recoding = Recoding.parse(options.levels) if options.levels and scale_span(options.levels) is None else None
    cells = {column: [folded(cell) for cell in written] for column, written in columns.items()}
    left_out = {folded(cell) for cell, level in recoding.cells.items() if not level} if recoding else set()
    values = {column: [cell for cell in written if cell and cell not in left_out] for column, written in cells.items()}
    empty = [column for column, present in values.items() if not present]
    if empty:
        raise UsageError(f"column {empty[0]!r} has no value")
    spelling = {folded(cell): " ".join(str(cell).split()) for written in columns.values() for cell in written}
    read = _Values(values, frozenset(judges), options, spelling)
    if options.scales:
        return read.on_scales_given()
    if options.passes:
        return read.passing(folded(options.passes))
    if options.pass_mark is not None:
        return read.marked(options.pass_mark)
    span = scale_span(options.levels) if options.levels else None
    if span is not None:
        return read.between(*span)
    if recoding is not None and recoding.levels != ("",):
        return read.named_levels(recoding)
    return read.inferred()


def scales_that_differ(first: Iterable[float], second: Iterable[float]) -> bool:
    """Whether two raters' numbers can't be on one scale: fractions within 0 to 1 against numbers beyond, or, with at
    least three different values each, one reaches at least twice as far as the other, or counts from 0 what the other
    counts from 1.

    >>> scales_that_differ([0.3, 0.9, 0.6], [1, 4, 5]), scales_that_differ([2, 3, 5], [1, 4, 4])
    (True, False)
    >>> scales_that_differ([0, 2, 4], [1, 3, 5])
    True
    """
    for values, other_values in permutations((set(first), set(second))):
        if not values or not other_values:
            return False
        if (
            min(values) >= 0
            and max(values) <= 1 < max(other_values)
            and any(not value.is_integer() for value in values)
        ):
            return True
        if min(len(values), len(other_values)) >= FEWEST_LEVELS and max(other_values) >= CLASH * max(values) > 0:
            return True
        if counts_from_0(values, other_values):
            return True
    return False


def counts_from_0(values: Collection[float], other_values: Collection[float]) -> bool:
    """Whether values begin at 0 and end one below others that begin at 1, as 0 to 4 and 1 to 5 do.

    >>> counts_from_0([0, 2, 4], [1, 3, 5]), counts_from_0([0, 2, 5], [1, 3, 5]), counts_from_0([0, 4], [1, 5])
    (True, False, False)
    """
    if min(len(set(values)), len(set(other_values))) < FEWEST_LEVELS:
        return False
    return (min(values), max(values)) == (0, max(other_values) - 1) and min(other_values) == 1


def scale_options(numbers: Mapping[str, Iterable[float]]) -> str:
    """`--scale` for each side, with the ends that its numbers suggest.

    >>> scale_options({"judge": [0.3, 0.9], "human": [1, 4, 5]})
    '--scale judge=0..1 --scale human=1..5'
    """
    return " ".join(f"--scale {side}={_likely_ends(list(values))}" for side, values in numbers.items())


def _likely_ends(values: Sequence[float]) -> str:
    low = min(values)
    high = max(values)
    if low >= 0 and high <= 1:
        return "0..1"
    if high > WIDEST_LEVELS:
        return f"{min(low, 0.0):g}..{PERCENT if high <= PERCENT else high:g}"
    return f"{min(low, 1.0):g}..{5.0 if low >= 1 and high <= 5 else WIDEST_LEVELS if high > 5 else high:g}"


@dataclass(frozen=True)
class _Values:
    """The values of all columns, folded, without missing ones."""

    columns: Mapping[str, Sequence[str]]
    judges: frozenset[str]
    options: ValueOptions
    spelling: Mapping[str, str]

    @property
    def different(self) -> list[str]:
        """The different values, in the order in which they first occur; numbers that are equal count once."""
        by_value: dict[float | str, str] = {}
        for values in self.columns.values():
            for value in values:
                as_number = number(value)
                by_value.setdefault(value if as_number is None else as_number, value)
        return list(by_value.values())

    def numbers(self, column: str) -> list[float] | None:
        """A column's numbers; None if it has a word."""
        values = [number(value) for value in self.columns[column]]
        numbers = [value for value in values if value is not None]
        return numbers if len(numbers) == len(values) else None

    # what the caller says

    def on_scales_given(self) -> ReadValues:
        spans = {column: self._span_of(column) for column in self.columns}
        missing = [column for column, span in spans.items() if span is None]
        if missing:
            raise UsageError(f"no scale is named for column {missing[0]!r}: --scale {missing[0]}=LOW..HIGH")
        known_spans = {column: span for column, span in spans.items() if span is not None}
        if len(set(known_spans.values())) == 1:
            return self.between(*next(iter(known_spans.values())))
        by_column: dict[str, dict[str, float]] = {}
        for column, (low, high) in known_spans.items():
            positions = {}
            for value, level in self._numbers_within(column, low, high).items():
                positions[value] = (level - low) / (high - low)
            by_column[column] = positions
        words = {column: f"{low:g} to {high:g}, read as 0 to 1" for column, (low, high) in known_spans.items()}
        return ReadValues("score", _ends(0.0, 1.0), DEFAULT_TOLERANCE, by_column, words)

    def _span_of(self, column: str) -> Span | None:
        side = "judge" if column in self.judges else "human"
        return self.options.scales.get(column, self.options.scales.get(side))

    def _numbers_within(self, column: str, low: float, high: float) -> dict[str, float]:
        """A column's numbers by value.

        Raises:
            UsageError: One isn't a number, or is off the scale.
        """
        levels = {}
        for value in self.columns[column]:
            level = number(value)
            if level is None or not low <= level <= high:
                raise UsageError(f"column {column!r}: {shown(value)} isn't a number from {low:g} to {high:g}")
            levels[value] = level
        return levels

    def passing(self, word: str) -> ReadValues:
        if not any(word in values for values in self.columns.values()):
            raise UsageError(f"no column has the value {word!r} that passes; there are {_listed(self.different)}")
        by_column = {column: {value: float(value == word) for value in v} for column, v in self.columns.items()}
        return self._decisions(by_column, dict.fromkeys(self.columns, word))

    def marked(self, pass_mark: float) -> ReadValues:
        by_column: dict[str, dict[str, float]] = {}
        words = {}
        for column, values in self.columns.items():
            numbers = self.numbers(column)
            if numbers is not None and set(numbers) != {0.0, 1.0}:
                by_column[column] = {v: float(n >= pass_mark) for v, n in zip(values, numbers, strict=True)}
                words[column] = f"from {pass_mark:g}"
                continue
            if not _are_decisions(values):
                raise UsageError(f"column {column!r} is neither numbers nor pass and fail: {_listed(values)}")
            by_column[column] = {value: float(_canonical(value) in PASS_WORDS) for value in values}
            words[column] = _pass_word(values)
        return self._decisions(by_column, words)

    def between(self, low: float, high: float) -> ReadValues:
        by_column = {column: self._numbers_within(column, low, high) for column in self.columns}
        numbers = [level for levels in by_column.values() for level in levels.values()]
        if high - low <= WIDEST_LEVELS and all(_is_half(value) for value in [*numbers, low, high]):
            return self._levels(by_column, low, high)
        return self._scores(by_column, low, high)

    def named_levels(self, recoding: Recoding) -> ReadValues:
        names = [folded(level) for level in recoding.levels]
        place = {name: index for index, name in enumerate(names)}
        counts_as = {folded(cell): folded(level) for cell, level in recoding.cells.items()}
        unknown = [value for value in self.different if counts_as.get(value, value) not in place]
        if unknown and recoding.cells and not any(name in self.different for name in names):
            return _Values(self.columns, self.judges, ValueOptions(), self.spelling).inferred()
        if unknown:
            raise UsageError(f"{_listed(unknown)}: not among the levels {', '.join(recoding.levels)} of --levels")
        codes = {value: place[counts_as.get(value, value)] for value in self.different}
        return self._words(names, codes)

    # what the values say

    def inferred(self) -> ReadValues:
        different = self.different
        if all(map(_are_decisions, self.columns.values())):
            by_column = {
                column: {value: float(_canonical(value) in PASS_WORDS) for value in values}
                for column, values in self.columns.items()
            }
            return self._decisions(by_column, {column: _pass_word(values) for column, values in self.columns.items()})
        if len(different) < FEWEST_LEVELS:
            if len(different) == 1:
                raise UsageError(f"all values are {different[0]!r}: nothing can be compared")
            first, second = (self.spelling[value] for value in different)
            raise UsageError(f"which of {first!r} and {second!r} passes? --pass {first} or --pass {second}")
        numbers = {column: self.numbers(column) for column in self.columns}
        numeric = {column: values for column, values in numbers.items() if values is not None}
        if numeric:
            return self._of_numbers(numeric)
        return self._of_words(different)

    def _of_numbers(self, numeric: Mapping[str, list[float]]) -> ReadValues:
        words = [column for column in self.columns if column not in numeric]
        yes_no = [column for column, values in numeric.items() if set(values) == {0.0, 1.0}]
        graded = [column for column, values in numeric.items() if not set(values) <= {0.0, 1.0}]
        if words or (yes_no and graded):
            apart = words[0] if words else yes_no[0]
            has_numbers = next((column for column in graded if column != apart), next(iter(numeric)))
            raise UsageError(
                f"{has_numbers!r} has numbers, and {apart!r} {_listed(self.columns[apart])}: say from which number on "
                "a response passes, --pass-mark M"
            )
        self._refuse_clash(numeric)
        low = min(value for values in numeric.values() for value in values)
        high = max(value for values in numeric.values() for value in values)
        by_column = {column: self._numbers_within(column, low, high) for column in self.columns}
        if high - low <= WIDEST_LEVELS and all(_is_half(v) for values in numeric.values() for v in values):
            return self._levels(by_column, low, high)
        if low < 0 or high > PERCENT:
            raise UsageError(f"numbers from {low:g} to {high:g} are on no scale known here: --levels LOW-HIGH")
        return self._scores(by_column, 0.0, 1.0 if high <= 1 else PERCENT)

    def _refuse_clash(self, numeric: Mapping[str, list[float]]) -> None:
        for first, second in permutations(numeric, 2):
            if scales_that_differ(numeric[first], numeric[second]):
                sides = {
                    ("judge" if column in self.judges else "human"): numeric[column]
                    for column in sorted(numeric, key=lambda column: column not in self.judges)
                }
                both = {first, second}
                if both <= self.judges or not both & self.judges:
                    sides = {column: numeric[column] for column in numeric}
                raise UsageError(
                    f"{first!r} and {second!r} are on different scales: {_range(numeric[first])} against "
                    f"{_range(numeric[second])}; name both: {scale_options(sides)}"
                )

    def _of_words(self, different: Sequence[str]) -> ReadValues:
        order = next((order for order in ORDERS if set(different) <= set(order)), None)
        if order is not None:
            return self._words(order, {value: order.index(value) for value in different})
        rows = max(map(len, self.columns.values()))
        if len(different) > MOST_WORDS_OF_A_COLUMN or (rows >= FEWEST_FOR_REPEATS and len(different) > rows / 2):
            raise UsageError(
                f"{len(different)} different values, such as {shown(different[0])}: that looks like text, not like "
                "verdicts; name other columns with --judge and --human"
            )
        codes = {value: index for index, value in enumerate(different)}
        scale = Scale.of_categories([self.spelling[value] for value in codes])
        steps = len(codes) - 1
        by_column = {column: {v: codes[v] / steps for v in values} for column, values in self.columns.items()}
        words = dict.fromkeys(self.columns, f"{len(codes)} categories")
        return ReadValues("categories", scale, _below_step(steps), by_column, words, self._about_words())

    def _about_words(self) -> tuple[str, ...]:
        counts = Counter(value for values in self.columns.values() for value in set(values))
        odd = [value for value in counts if _canonical(value) not in PASS_WORDS | FAIL_WORDS]
        without = [[value for value in values if value not in odd] for values in self.columns.values()]
        if len(odd) == 1 and all(values and _are_decisions(values) for values in without):
            return (f"{odd[0]} is no decision: --levels {odd[0]}= leaves it out",)
        return (
            "words in no known order are compared as categories; --levels worst,…,best gives them one, --pass VALUE "
            "makes them pass and fail",
        )

    # results

    def _decisions(self, by_column: Mapping[str, Mapping[str, float]], passing: Mapping[str, str]) -> ReadValues:
        words = {}
        for column, values in self.columns.items():
            written = list(dict.fromkeys(values))
            is_plain = set(written) <= {"pass", "fail"}
            fits = len(written) <= 2 and passing[column] in written
            words[column] = "/".join(sorted(written, key=lambda value: value != passing[column])) if fits else ""
            words[column] += "" if is_plain else f" ({passing[column]} passes)"
        scale = Scale.yes_no(*self._words_of_decisions(by_column))
        return ReadValues("decision", scale, DEFAULT_TOLERANCE, by_column, {c: w.strip() for c, w in words.items()})

    def _words_of_decisions(self, by_column: Mapping[str, Mapping[str, float]]) -> tuple[str, str]:
        """The words for fail and pass as cells have them; "fail" and "pass" where columns differ or have numbers."""
        written = {
            decision: {value for levels in by_column.values() for value, level in levels.items() if level == decision}
            for decision in (0.0, 1.0)
        }
        words = tuple(self.spelling[next(iter(values))] for values in written.values() if len(values) == 1)
        is_plain = len(words) == 2 and all(map(str.isalpha, (word.replace(" ", "") for word in words)))
        return (words[0], words[1]) if is_plain else ("fail", "pass")

    def _levels(self, by_column: Mapping[str, Mapping[str, float]], low: float, high: float) -> ReadValues:
        values = [low, high, *(value for levels in by_column.values() for value in levels.values())]
        step = 1.0 if all(float(value - low).is_integer() for value in values) else 0.5
        steps = round((high - low) / step)
        scale = Scale(tuple(Level(low + place * step) for place in range(steps + 1)))
        words = dict.fromkeys(by_column, f"levels {low:g} to {high:g}")
        return ReadValues("levels", scale, _below_step(steps), by_column, words)

    def _scores(self, by_column: Mapping[str, Mapping[str, float]], low: float, high: float) -> ReadValues:
        words = dict.fromkeys(by_column, f"read as {low:g} to {high:g}")
        return ReadValues("score", _ends(low, high), DEFAULT_TOLERANCE, by_column, words)

    def _words(self, names: Sequence[str], codes: Mapping[str, int]) -> ReadValues:
        steps = len(names) - 1
        scale = Scale(tuple(Level(place / steps, name) for place, name in enumerate(names)), by_label=True)
        by_column = {column: {v: codes[v] / steps for v in values} for column, values in self.columns.items()}
        words = dict.fromkeys(self.columns, f"levels {', '.join(names)}")
        return ReadValues("levels", scale, _below_step(steps), by_column, words)


def _ends(low: float, high: float) -> Scale:
    return Scale((Level(low), Level(high)))


def _below_step(steps: int) -> float:
    """A tolerance with which only the same level agrees, also where a scale has many."""
    return min(DEFAULT_TOLERANCE, 0.5 / steps)


def _is_half(value: float) -> bool:
    return abs(2 * value - round(2 * value)) <= LEVEL_ROUNDING


def _canonical(value: str) -> str:
    """A value as the lists of words have it: 1.0 is 1."""
    as_number = number(value)
    return f"{as_number:g}" if as_number is not None else value


def _are_decisions(values: Iterable[str]) -> bool:
    """Whether all values are pass or fail words, at most one of each."""
    words = {_canonical(value) for value in values}
    return words <= PASS_WORDS | FAIL_WORDS and len(words & PASS_WORDS) <= 1 and len(words & FAIL_WORDS) <= 1


def _pass_word(values: Iterable[str]) -> str:
    """The word that passes in a column of decisions; where nothing passes, what isn't the word that fails."""
    written = list(dict.fromkeys(values))
    return next((value for value in written if _canonical(value) in PASS_WORDS), f"not {written[0]}")


def _listed(values: Iterable[str]) -> str:
    return ", ".join(shown(value) for value in list(dict.fromkeys(values))[:5])


def _range(values: Sequence[float]) -> str:
    return f"{min(values):g} to {max(values):g}"
