"""Reads numbers in an `llm-rubric` text, written in digits or in words."""

import re

NUMERAL = r"\d{1,4}(?:\.\d{1,3})?"
DIGITS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eins": 1,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "zehn": 10,
    "trois": 3,
    "quatre": 4,
    "cinq": 5,
    "sept": 7,
    "huit": 8,
    "dix": 10,
    "uno": 1,
    "tres": 3,
    "cuatro": 4,
    "cinco": 5,
    "siete": 7,
    "ocho": 8,
    "diez": 10,
}
NUMBER_WORDS = "|".join(DIGITS)
_HUNDRED = re.compile(r"\b(?:one|an?) hundred\b", re.IGNORECASE)
_AND_A_HALF = re.compile(r"(\d{1,3}) and a half\b", re.IGNORECASE)
_WORD = re.compile(rf"\b(?:{NUMBER_WORDS})\b", re.IGNORECASE)


def in_digits(text: str) -> str:
    """Replace words for small numbers in a text by digits."""
    return _AND_A_HALF.sub(r"\1.5", _WORD.sub(lambda word: str(DIGITS[word[0].lower()]), _HUNDRED.sub("100", text)))


def number_named(words: str) -> float:
    """Return the value of a number that is written in digits or as a word."""
    return float(in_digits(words))
