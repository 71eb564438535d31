"""Recognition of how the numbers in a column are written, such as "4/5" or "80%", and of missing cells."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markscheme.errors import UsageError
from markscheme.numerals import number_in, stars_in
from markscheme.readers.tabular.refusals import refusal, same_as
from markscheme.readers.tabular.words import VALUE_WORDS

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez)[a-z]*\.?"
_DATE: Final = re.compile(
    rf"\d{{1,2}}[-. ]+{_MONTH}(?:[-. ]+\d{{2,4}})?|{_MONTH}[-. ]+\d{{1,4}}|\d{{4}}-\d\d-\d\d(?:[ t].*)?|"
    r"\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{2,4}"
)
_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")
_BESIDE_NUMBERS: Final = VALUE_WORDS | {"point", "points", "star", "stars", "pts"}
_WORD: Final = f"(?:{'|'.join(sorted(_BESIDE_NUMBERS, reverse=True))})"
_RATIO: Final = re.compile(rf"(?:{_WORD}[ :=]+)?(\d+(?:[.,]\d+)?)\s*(?:/|of|out of)\s*(\d+)(?: {_WORD})?")
_SIGNS: Final = "-–—:=.)( "
"""Characters between a number and its word, as in `4 - good` and `4) good`."""
_LABELLED: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)(\s*[-–—:=.)(][^\d]*)")
_BEGINNING: Final = re.compile(r"([+-]?\d+(?:[.,]\d+)?)(?!\s*[-–—]\s*\d)(?![\w%]|[.,]\d)")
_TOKENS: Final = re.compile(r"[^\W\d]+|[+-]?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class NumberForm:
    """The numbers in a column, with the way in which cells write them, such as "4/5" or "80%".

    Attributes:
        numbers: The number that each cell states, by the cell's text without upper case, brackets and the like.
        top: The highest possible number, such as 5 in `4/5`; None if not each cell names it.
        is_percent: True if each cell is a percentage.
        may_be_thousands: True if commas may separate thousands as well as decimals.
    """

    numbers: Mapping[str, float]
    top: float | None = None
    is_percent: bool = False
    may_be_thousands: bool = False


def number_forms(columns: Mapping[str, Mapping[str, int]], spelling: Mapping[str, str]) -> dict[str, NumberForm | None]:
    """Recognize how each column writes its numbers, such as "4/5" or "80%"; None for a column of words.

    Args:
        columns: For each column, its values without missing ones, with the number of times each occurs. Values that
            differ only in case and the like are one "folded" value.
        spelling: Text of each folded value as it is in the table, by folded value, for an error message.

    Raises:
        UsageError: Some cells are dates, or only some are numbers (codes `dates` and `mixed-form`).

    >>> forms = number_forms({"a": {"4/5": 1, "3/5": 2}, "b": {"score: 4": 1}}, {})
    >>> forms["a"].numbers, forms["b"].numbers
    ({'4/5': 4.0, '3/5': 3.0}, {'score: 4': 4.0})
    """
    for name, values in columns.items():
        _refuse_dates(name, values)
    forms = {name: _form_of(values) for name, values in columns.items()}
    mixed = [name for name, form in forms.items() if form is None and _has_numbers(columns[name])]
    if mixed:
        raise _mixed_form(mixed, columns, spelling)
    return forms


def _refuse_dates(column: str, values: Mapping[str, int]) -> None:
    dates = [value for value in values if _DATE.fullmatch(value)]
    others = [value for value in values if value not in dates]
    if dates and all(number_in_any_form(value, others) is not None for value in others):
        raise refusal("dates", columns=[column], values={value: values[value] for value in dates})


def _form_of(values: Collection[str]) -> NumberForm | None:
    """Return the NumberForm of numbers that are all written in one way, such as percentages or stars; else None."""
    return _plain(values) or written_form(values)


def written_form(values: Collection[str]) -> NumberForm | None:
    """Return the form of numbers such as "80%" or stars if all cells are written in it; None for digits alone."""
    forms = (form(values) for form in (_percent, _ratio, _stars, _phrase, _labelled))
    return next((read for read in forms if read is not None), None)


def _has_numbers(values: Collection[str]) -> bool:
    """Return True if any value is a number other than 0 and 1; these two may also mean fail and pass."""
    return any(number_in_any_form(value, values) not in (None, 0, 1) for value in values)


def _mixed_form(
    mixed: Sequence[str], columns: Mapping[str, Mapping[str, int]], spelling: Mapping[str, str]
) -> UsageError:
    """Make the error for columns that mix numbers and words; it offers choices of options that say what the words mean.

    If any of the words begins with a number, the first choice reads each such cell as the number at its beginning. The
    other choices are to state a number for each word, or that each word is a missing rating.

    Args:
        mixed: Names of the columns that mix numbers and words.
        columns: For each column, its values, with the number of times each occurs; values that differ only in case and
            the like are one "folded" value.
        spelling: Text of each folded value as it is in the table, by folded value, for the message.
    """
    values = {value: count for counted in columns.values() for value, count in counted.items()}
    read = {value: number_in_any_form(value, values) for value in values}
    words = [value for name in mixed for value in columns[name] if read[value] is None]
    rests = [[value for value in counted if value not in words] for counted in columns.values()]
    not_plain = {value: number for value, number in read.items() if number_in(value) is None}
    are_plain = all(number_in(value) is not None for rest in rests for value in rest)
    have_form = all(_form_of(rest) is not None for rest in rests if rest)
    others = {} if are_plain else {value: f"{number:g}" for value, number in not_plain.items() if number is not None}
    named = others | dict.fromkeys(words, "NUMBER")
    missing = ({} if have_form else others) | dict.fromkeys(words, "")
    begun = {value: begun_with(value) for value in not_plain}
    as_begun = {value: "" if number is None else f"{number:g}" for value, number in begun.items()} | others
    choices = [as_begun, named, missing] if any(begun[value] is not None for value in words) else [named, missing]
    spelt = {value: spelling.get(value, value) for value in values}
    of_mixed = {v: count for name in mixed for v, count in columns[name].items() if v in (words or not_plain)}
    return refusal(
        "mixed-form",
        columns=mixed,
        values={spelt[value]: count for value, count in of_mixed.items()},
        choices=[same_as((spelt[value], new) for value, new in choice.items()) for choice in choices if choice],
    )


def begun_with(value: str) -> float | None:
    """Return the number that a cell begins with, such as 4 in "4, too long" or "4/5"; None for a range such as `3-4`.

    >>> begun_with("2 - says 14 days"), begun_with("5/5"), begun_with("4, cut it"), begun_with("3-4"), begun_with("4x")
    (2.0, 5.0, 4.0, None, None)
    """
    match = _BEGINNING.match(value)
    return None if match is None else number_in(match[1].replace(",", "."))


def number_in_any_form(value: str, among: Iterable[str] = ()) -> float | None:
    """Return the number that a cell means, however it is written; None for any other cell.

    Args:
        value: The cell, folded (without case, brackets and the like).
        among: Cells of the column. A number with a word of its own, such as "4 - good", is read only if the column has
            a second, different cell.

    >>> number_in_any_form("85 %"), number_in_any_form("4/5"), number_in_any_form("good")
    (85.0, 4.0, None)
    """
    counted = dict.fromkeys([value, *among], 1) if value[:1].isdigit() else {value: 1}
    for form in (_plain, _percent, _ratio, _stars, _phrase):
        read = form({value: 1})
        if read is not None:
            return read.numbers[value]
    read = _labelled({value: 1}) if len(counted) > 1 else None
    return None if read is None else read.numbers[value]


def _plain(values: Collection[str]) -> NumberForm | None:
    """Read values as plain numbers, with decimal points or decimal commas; None unless all are such numbers."""
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
    stars = {value: stars_in(value) for value in values}
    if not all(filled for filled, _ in stars.values()):
        return None
    tops = {float(total) for _, total in stars.values()}
    has_top = len(tops) == 1 and any(filled < total for filled, total in stars.values())
    return NumberForm({value: float(filled) for value, (filled, _) in stars.items()}, tops.pop() if has_top else None)


def _phrase(values: Collection[str]) -> NumberForm | None:
    """Read the number in phrases such as `score: 4 points`; None if any value isn't such a phrase."""
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
    """Read numbers that each have a word of their own, such as `4 - good`; None unless all values are such."""
    matches = {value: match for value in values if (match := _LABELLED.fullmatch(value))}
    numbers = {value: float(match[1]) for value, match in matches.items()}
    words = {match[2].strip(_SIGNS) for match in matches.values()} - {""}
    is_one_each = len(words) == len(set(numbers.values())) == len(values)
    return NumberForm(numbers) if len(matches) == len(values) and is_one_each else None


_BETWEEN_VALUES: Final = re.compile(r"[;,|+&]")


def listed_in(value: str) -> list[str]:
    """Split a cell into the values that it lists, separated by commas or semicolons.

    >>> listed_in("tone; facts"), listed_in("tone")
    (['tone', 'facts'], ['tone'])
    """
    return [listed for text in _BETWEEN_VALUES.split(value) if (listed := text.strip())]


def lists_values(cell: str) -> bool:
    """Return True if a cell holds a list of several values, written in JSON or Python.

    >>> lists_values('["a", "b"]'), lists_values('["a"]'), lists_values("[[A]]")
    (True, False, False)
    """
    text = cell.strip()
    return text[:1] == "[" and text[-1:] == "]" and re.search(r"""["'\w]\s*,\s*["'\w]""", text) is not None
