"""Forms of options' values: which values are allowed, and how they are read from files and from typed text."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from markscheme.numerals import finite, number_in


class ValueForm(NamedTuple):
    """Rule for the values of an option: which are allowed, and how they are read.

    Attributes:
        allowed: The allowed values in words, as the end of "must be …".
        read: Function that converts a value from a data file or a program, and raises ValueError if it isn't allowed.
        typed: Function that converts a typed text to a value for `read`.
        by_type: True if the parser of the command line converts the text by the option's type, without `typed`.
        choices: The allowed words, if the value is one of a few.
        suggested: Function that, given a value that isn't allowed, returns the value that was probably meant, or None.
        is_written: True if the value is a file that the command writes; False if it is a file that the command reads,
            or no file.
    """

    allowed: str
    read: Callable[[Any], Any]
    typed: Callable[[str], Any] = str
    by_type: bool = False
    choices: tuple[str, ...] = ()
    suggested: Callable[[Any], str | None] | None = None
    is_written: bool = False

    def refusal(self, written: Any) -> tuple[str, str]:
        """Return why a value is refused, and a "did you mean" question, which is "" if no allowed value is near."""
        meant = None if self.suggested is None else self.suggested(written)
        return f"must be {self.allowed}", "" if meant is None else f"; did you mean {meant}?"


def _text(written: Any) -> str:
    if not isinstance(written, str) or not written.strip():
        raise ValueError
    return written


def _finite(written: Any) -> float:
    value = finite(written)
    if value is None:
        raise ValueError
    return value


def _finite_where(holds: Callable[[float], bool]) -> Callable[[Any], float]:
    def read(written: Any) -> float:
        value = _finite(written)
        if not holds(value):
            raise ValueError
        return value

    return read


def _share_in_percent(written: Any) -> str | None:
    """Return the share that a percentage, such as 80 or "80%", means; None for anything else."""
    digits = str(written).removesuffix("%").rstrip()
    percentage = number_in(digits)
    least = 0 if digits != str(written) else 1
    return f"{percentage / 100:g}" if percentage is not None and least < percentage <= 100 else None


def _share(allowed: str, holds: Callable[[float], bool]) -> ValueForm:
    """Make the rule for an option whose value is a share; a percentage is refused, with the share probably meant.

    Args:
        allowed: Words for an error message that say which shares are allowed.
        holds: Function that returns True for a number that is allowed.
    """
    return ValueForm(allowed, _finite_where(holds), float, suggested=_share_in_percent)


def _whole_number(written: Any) -> int:
    value = _finite(int(written) if isinstance(written, str) and written.isdecimal() else written)
    if value < 1 or value != int(value):
        raise ValueError
    return int(written) if isinstance(written, int | str) else int(value)  # a seed has more digits than a float


def _whole_numbers(written: Any) -> int | tuple[int, ...]:
    values = written if isinstance(written, tuple | list) else [written]
    if not values or len(set(values)) < len(values):
        raise ValueError
    return _whole_number(values[0]) if len(values) == 1 else tuple(map(_whole_number, values))


def _digits_apart(text: str) -> int | tuple[int, ...]:
    numbers = tuple(map(_digits, text.split(",")))
    return numbers[0] if len(numbers) == 1 else numbers


def _one_or_two(written: Any) -> int:
    value = _whole_number(written)
    if value > 2:
        raise ValueError
    return value


def _digits(text: str) -> int:
    if not text.isdecimal():
        raise ValueError
    return int(text)


def _price(written: Any) -> str:
    prices = _text(written).split(":")
    if len(prices) != 2 or any(_finite(float(price)) < 0 for price in prices):
        raise ValueError
    return str(written)


def _switch(written: Any) -> bool:
    if isinstance(written, bool):
        return written
    return _SWITCHES[_text(written).casefold()]


def _names(written: Any) -> tuple[str, ...]:
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, list | tuple):
        raise ValueError
    return tuple(map(_text, names))


def _value_texts(written: Any) -> tuple[str, ...]:
    """Return an option's value as a user would type it: a mapping as several LEFT=RIGHT, a pair as LOW..HIGH."""
    if isinstance(written, str):
        return (written,)
    if isinstance(written, Mapping):
        return tuple(f"{name}={_value_text(value)}" for name, value in written.items())
    return tuple(map(_value_text, written)) if isinstance(written, Iterable) else (_value_text(written),)


def _ends(written: Any) -> tuple[str, ...]:
    """Write a pair of numbers as the text LOW..HIGH, and any other value as it would be typed."""
    is_listed = isinstance(written, list | tuple) and len(written) == len(("worst", "best"))
    if is_listed and all(finite(end) is not None for end in written):
        return (_value_text(written),)
    return _value_texts(written)


def _value_text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "..".join(f"{_finite(end):g}" for end in value)
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def _column_names(written: Any) -> tuple[str, ...]:
    return tuple(name.strip() for text in _value_texts(written) for name in text.split(",") if name.strip())


def text_form(allowed: str) -> ValueForm:
    """Make the rule for an option whose value is any text but an empty one.

    Args:
        allowed: What the text is, for error messages, such as "a model's name".
    """
    return ValueForm(allowed, _text)


def one_of(*choices: str) -> ValueForm:
    """Make the rule for an option whose value must be one of a few given words."""

    def read(written: Any) -> str:
        if written not in choices:
            raise ValueError
        return str(written)

    return ValueForm(f"one of {', '.join(choices)}", read, by_type=True, choices=choices)


_SWITCHES: Final = {"on": True, "true": True, "off": False, "false": False}
WHOLE: Final = ValueForm("a whole number from 1", _whole_number, _digits)
WHOLES: Final = ValueForm(
    "a whole number from 1, or for `compare` several, such as 1,8,20", _whole_numbers, _digits_apart
)
ONE_OR_TWO: Final = ValueForm("1 or 2", _one_or_two, _digits)
ABOVE_ZERO: Final = ValueForm("a number above 0", _finite_where(lambda value: value > 0), float)
POSITIVE: Final = ABOVE_ZERO._replace(suggested=_share_in_percent)
SHARE: Final = _share("above 0 and at most 1", lambda value: 0 < value <= 1)
BELOW_1: Final = _share("above 0 and below 1", lambda value: 0 < value < 1)
LIMIT: Final = _share("from 0 to 1", lambda value: 0 <= value <= 1)
WIDTH: Final = _share("from 0.001 to 1", lambda value: 0.001 <= value <= 1)
FROM_ZERO: Final = ValueForm("a number from 0", _finite_where(lambda value: value >= 0), float)
PRICE: Final = ValueForm("IN:OUT, dollars for a million tokens read and written, such as 3:15", _price)
SWITCH: Final = ValueForm("true or false", _switch)
ANY_NUMBER: Final = ValueForm("a number", _finite, float)
ENDS: Final = ValueForm("levels, or the two ends of a scale, the worst first", _ends)
VALUE_TEXTS: Final = ValueForm("a text, several, or a table of them", _value_texts)
COLUMN_NAMES: Final = ValueForm("names, apart by commas", _column_names)
FLAG: Final = SWITCH._replace(by_type=True)
"""A switch that is off unless its name is typed."""
PATH: Final = ValueForm("a file", Path, by_type=True)
ON_SCREEN: Final = "- for standard output"
"""Text of help for a FILE option that also takes "-"."""
TARGET: Final = ValueForm(f"a file, or {ON_SCREEN}", str, by_type=True, is_written=True)
WRITTEN: Final = PATH._replace(is_written=True)
"""A file that the command writes."""
AUTO_OR_OFF: Final = ValueForm("auto or off", lambda written: written == "auto" or _switch(written))
MODULES: Final = ValueForm("names of modules", _names, lambda text: text.replace(",", " ").split())
