"""The forms that numbers have in the cells of a column, and which cells are missing."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from markscheme.numerals import number_in
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.words import VALUE_WORDS

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez)[a-z]*\.?"
_DATE: Final = re.compile(
    rf"\d{{1,2}}[-. ]+{_MONTH}(?:[-. ]+\d{{2,4}})?|{_MONTH}[-. ]+\d{{1,4}}|\d{{4}}-\d\d-\d\d(?:[ t].*)?|"
    r"\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{2,4}"
)
_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")
_RATIO: Final = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|of|out of)\s*(\d+)")
_STARS: Final = re.compile(r"([★⭐]+)(☆*)")
_SIGNS: Final = "-–—:=.)( "
"""What stands between a number and its word, as in `4 - good` and `4) good`."""
_LABELLED: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)(\s*[-–—:=.)(][^\d]*)")
_TOKENS: Final = re.compile(r"[^\W\d]+|[+-]?\d+(?:\.\d+)?")
_BESIDE_NUMBERS: Final = VALUE_WORDS | {"point", "points", "star", "stars", "pts"}


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How the numbers of a column are written.

    Attributes:
        numbers: By folded cell.
        top: The highest number, where each cell names it: 5 of `4/5`.
        is_percent: Whether each cell is a percentage.
        may_be_thousands: Whether commas may separate thousands as well as decimals.
    """

    numbers: Mapping[str, float]
    top: float | None = None
    is_percent: bool = False
    may_be_thousands: bool = False


def number_form(column: str, values: Mapping[str, int]) -> NumberForm | None:
    """Return the numbers of a column; None where its cells are words.

    Args:
        column: Its name, for a refusal.
        values: Its folded cells with their counts, without missing ones.

    Raises:
        UsageError: Dates are among them, or numbers among other cells (`dates`, `mixed-form`).

    >>> number_form("a", {"4/5": 1, "3/5": 2}).numbers, number_form("a", {"score: 4": 1}).numbers
    ({'4/5': 4.0, '3/5': 3.0}, {'score: 4': 4.0})
    """
    dates = [value for value in values if _DATE.fullmatch(value)]
    others = [value for value in values if value not in dates]
    if dates and all(_number_in_any_form(value, others) is not None for value in others):
        raise refusal("dates", columns=[column], values={value: values[value] for value in dates})
    for form in (_plain, _percent, _ratio, _stars, _phrase, _labelled):
        numbers = form(values)
        if numbers is not None:
            return numbers
    written = {value: _number_in_any_form(value, values) for value in values}
    if any(read not in (None, 0, 1) for read in written.values()):
        words = {value: values[value] for value, read in written.items() if read is None}
        choices = [("--same", f"{value}=NUMBER") for value in words]
        raise refusal("mixed-form", columns=[column], values=words or values, choices=choices)
    return None


def _number_in_any_form(value: str, among: Iterable[str]) -> float | None:
    counted = dict.fromkeys([value, *among], 1) if value[:1].isdigit() else {value: 1}
    for form in (_plain, _percent, _ratio, _stars, _phrase):
        read = form({value: 1})
        if read is not None:
            return read.numbers[value]
    read = _labelled({value: 1}) if len(counted) > 1 else None
    return None if read is None else read.numbers[value]


def _plain(values: Collection[str]) -> NumberForm | None:
    """Return numbers with points or decimal commas."""
    with_comma = [value for value in values if _COMMA.fullmatch(value)]
    numbers = {value: number_in(value.replace(",", ".") if value in with_comma else value) for value in values}
    read_numbers = {value: read for value, read in numbers.items() if read is not None}
    if len(read_numbers) < len(numbers):
        return None
    may_be_thousands = bool(with_comma) and all(map(_THOUSANDS.fullmatch, with_comma))
    return NumberForm(read_numbers, may_be_thousands=may_be_thousands)


def _percent(values: Collection[str]) -> NumberForm | None:
    bare = {value: value.removesuffix("%").strip() for value in values if value.endswith("%")}
    read = _plain(bare.values()) if len(bare) == len(values) else None
    if read is None:
        return None
    return NumberForm({value: read.numbers[text] for value, text in bare.items()}, is_percent=True)


def _ratio(values: Collection[str]) -> NumberForm | None:
    matches = {value: match for value in values if (match := _RATIO.fullmatch(value))}
    tops = {float(match[2]) for match in matches.values()}
    if len(matches) < len(values) or len(tops) != 1:
        return None
    return NumberForm({value: float(match[1].replace(",", ".")) for value, match in matches.items()}, top=tops.pop())


def _stars(values: Collection[str]) -> NumberForm | None:
    matches = {value: match for value in values if (match := _STARS.fullmatch(value))}
    if len(matches) < len(values):
        return None
    tops = {float(len(value)) for value in values}
    has_top = len(tops) == 1 and any(match[2] for match in matches.values())
    numbers = {value: float(len(match[1])) for value, match in matches.items()}
    return NumberForm(numbers, top=tops.pop() if has_top else None)


def _phrase(values: Collection[str]) -> NumberForm | None:
    """Return the number in each value that has exactly one, with words around it, such as `score: 4 points`."""
    numbers: dict[str, float] = {}
    for value in values:
        tokens = _TOKENS.findall(value)
        digits = [token for token in tokens if number_in(token) is not None]
        words = [token for token in tokens if token not in digits]
        if len(digits) != 1 or not words or not _BESIDE_NUMBERS.issuperset(words):
            return None
        numbers[value] = float(digits[0])
    return NumberForm(numbers)


def _labelled(values: Collection[str]) -> NumberForm | None:
    """Return numbers before a word of their own, such as `4 - good`."""
    matches = {value: match for value in values if (match := _LABELLED.fullmatch(value))}
    numbers = {value: float(match[1]) for value, match in matches.items()}
    words = {match[2].strip(_SIGNS) for match in matches.values()} - {""}
    is_one_each = len(words) == len(set(numbers.values())) == len(values)
    return NumberForm(numbers) if len(matches) == len(values) and is_one_each else None


_BETWEEN_VALUES: Final = re.compile(r"[;,|+&]")


def listed_in(value: str) -> list[str]:
    """Return what a cell lists, apart by commas, semicolons or the like; the whole where it lists nothing.

    >>> listed_in("tone; facts"), listed_in("tone")
    (['tone', 'facts'], ['tone'])
    """
    return [listed for text in _BETWEEN_VALUES.split(value) if (listed := text.strip())]


def lists_values(cell: str) -> bool:
    """Return whether a cell lists several values, as JSON and Python write lists.

    >>> lists_values('["a", "b"]'), lists_values('["a"]'), lists_values("[[A]]")
    (True, False, False)
    """
    text = cell.strip()
    return text[:1] == "[" and text[-1:] == "]" and re.search(r"""["'\w]\s*,\s*["'\w]""", text) is not None
