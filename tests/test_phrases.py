"""Only the module `phrases` rounds numbers for readers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from markscheme.phrases import brief, commonest, number, percent, signed, thousands
from tests.syntax import nodes_in

SOURCE = Path(__file__).parents[1] / "src" / "markscheme"
DATA = {
    "report/json.py": "numbers for programs, to 12 digits",
    "report/drawing.py": "coordinates of drawings",
    "rubrics/edit.py": "a number as the author would write it in the file",
}
"""Modules that write rounded numbers which are no words, and why."""
ROUNDS = re.compile(r"\.(\d+|\{\})[efg%]|%$")


def roundings(path: Path) -> Iterator[int]:
    """Yield the lines of a module in which a number is formatted with a fixed count of digits."""
    for node in nodes_in(path):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            spec = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
            if ROUNDS.search(spec):
                yield node.lineno


def test_numbers_are_rounded_only_in_the_phrases_module_and_the_modules_listed_here() -> None:
    rounding = {path.relative_to(SOURCE).as_posix(): list(roundings(path)) for path in SOURCE.rglob("*.py")}
    rounds = {name: lines for name, lines in rounding.items() if lines}
    assert {*rounds} == {"phrases.py", *DATA}, f"use markscheme.phrases, or name why not in DATA: {rounds}"


def test_numbers_are_written_with_a_true_minus_and_never_as_minus_zero() -> None:
    assert (number(-0.5), number(-0.001), signed(-0.25), signed(0.25)) == ("−0.50", "0.00", "−0.25", "+0.25")
    assert (number(None), signed(None), brief(None)) == ("–", "–", "–")


def test_shares_are_printed_as_whole_percents_and_numbers_with_significant_digits() -> None:
    assert (percent(0.004), percent(0.996), percent(1)) == ("0%", "100%", "100%")
    assert (brief(0.000123), brief(12.3456, 3)) == ("0.00012", "12.3")
    assert (thousands(1234567), thousands(0.5, 2)) == ("1,234,567", "0.50")


def test_reasons_that_begin_with_the_same_words_are_shortened_when_the_commonest_are_listed() -> None:
    begin = "polite: the reply isn't one JSON object alone, though the prompt and the second try both asked for one; "
    reasons = [*[f"{begin}facts: no level"] * 3, *[f"{begin}tone: no level"] * 2, *"abc", "d " * 200]
    assert commonest(reasons) == (
        "3 × polite: the reply isn't one JSON object alone, though the prompt and the second… facts: no level; "
        "2 × polite: the reply isn't one JSON object alone, though the prompt and the second… tone: no level; "
        "1 × a; and 3 more"
    )
    assert commonest(["unreadable " * 20]) == f"1 × {'unreadable ' * 14}".rstrip() + "…"
