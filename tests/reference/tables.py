"""Figures of made-up tables, worked apart from this package with pandas and scikit-learn, to four digits.

A cell is a word; `-` is empty. Wrong decisions are false passes of fails, then false fails of passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class TableCase:
    """A worked table: its columns, the options by which they are read, and its figures.

    Attributes:
        name: What it shows.
        columns: The cells of each column, apart by spaces.
        agreement: Share of rows on which judge and people agree.
        n: Rows that both rated.
        kappa: Cohen's; None where the values are scores.
        wrong: False passes, fails, false fails and passes; None where nothing says what passes.
        options: What the caller says.
    """

    name: str
    columns: Mapping[str, str]
    agreement: float
    n: int
    kappa: float | None = None
    wrong: tuple[int, int, int, int] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


VERDICT = "fail pass pass pass fail pass pass pass pass fail pass pass pass fail fail pass pass pass fail fail"
HUMAN = "1 1 1 0 0 " * 4
HUMAN1 = "pass pass pass fail fail " * 4
HUMAN2 = "pass fail pass fail fail fail pass pass fail pass pass pass pass pass fail pass pass pass fail fail"
HUMAN3 = "pass pass fail fail fail pass fail pass fail fail pass pass pass fail fail pass pass pass fail fail"
HUMAN_FINAL = "fail fail pass fail fail pass pass pass fail fail pass pass pass fail fail pass pass pass fail fail"
VERDICT_2 = "4 4 4 4 4 3 3 3 3 3 5 5 5 5 5 4 4 4 2 4"
HUMAN_2 = "3 3 3 3 3 3 3 3 3 3 5 5 5 5 5 4 4 4 2 2"
VERDICT_3 = "4.0 3.33 3.33 3.33 3.33 3.67 4.33 2.0 3.33 2.67 1.67 4.0 4.0 3.67 1.67 2.67 3.33 4.33 4.33 4.67"
HUMAN_3 = "2.0 3.33 4.33 2.67 3.67 2.0 2.67 2.33 2.67 2.0 3.67 4.0 4.33 2.0 1.0 3.67 3.0 3.33 2.33 3.0"
VERDICT_4 = "4.8 8.5 4.9 8.5 7.1 2.8 9.3 8.1 4.0 6.8 7.4 9.0 5.3 3.9 4.3 4.5 7.9 9.4 4.4 4.8"
HUMAN_4 = "4.8 8.5 4.9 8.5 7.1 2.8 9.3 8.1 5.7 6.4 9.2 2.2 4.8 6.7 4.2 6.5 3.3 3.4 7.7 8.3"
VERDICT_5 = "12 12 20 14 9 20 8 17 18 19 10 12 16 11 18 20 12 11 13 10"
HUMAN_5 = "18 14 18 19 9 9 17 13 13 18 11 15 20 10 9 13 19 18 11 17"
VERDICT_6 = "0.86 0.97 0.12 0.24 0.04 0.8 0.51 0.2 0.88 0.43 0.05 0.48 0.12 0.5 0.24 0.02 0.54 0.05 0.91 0.11"
HUMAN_6 = "0.13 0.97 0.54 0.81 0.06 0.22 0.12 0.89 0.12 0.24 0.27 0.89 0.13 0.92 0.49 0.57 0.4 0.76 0.25 0.62"
VERDICT_7 = "96 84 36 90 71 30 37 46 35 45 36 38 91 34 41 95 94 92 70 95"
HUMAN_7 = "50 70 39 74 79 79 68 76 63 54 72 84 45 46 30 78 40 52 35 90"
VERDICT_8 = "0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 1.0 1.0 1.0 1.0 1.0 0.75 0.75 0.75 0.25 0.25"
VERDICT_9 = "2 3 4 5 6 7 8 9 2 3 4 5 6 7 8 9 2 3 4 5"
HUMAN_8 = "1 2 3 4 5 " * 4
HUMAN_9 = "fail fail fail fail fail fail fail fail fail fail pass pass pass pass pass pass pass pass fail fail"
VERDICT_10 = (
    "False False False True True False False True True False True True True False False True True False False True"
)
HUMAN_10 = "Correct Incorrect Dangerous Correct " * 5
VERDICT_11 = "correct partial incorrect correct " * 5
HUMAN_11 = "correct partial incorrect partial " * 5
VERDICT_12 = "refund delivery login other " * 5
HUMAN_12 = "refund shipping login other " * 5
VERDICT_13 = "2 9 2 9 1 9 6 10 3 2 4 3 10 5 2 1 10 9 9 4"
HUMAN_13 = "2 9 2 9 1 9 6 10 3 2 4 3 4 8 10 7 5 6 10 7"
VERDICT_14 = "3.5 4.0 2.0 5.0 4.5 " * 4
HUMAN_14 = "3.5 3.0 2.0 5.0 4.0 " * 4

TABLES = (
    TableCase("words against 1 and 0", {"verdict": VERDICT, "human": HUMAN}, 0.85, 20, 0.6809, (2, 8, 1, 12)),
    TableCase(
        "numbered annotators",
        {"verdict": VERDICT, "human1": HUMAN1, "human2": HUMAN2},
        0.8125,
        16,
        0.5862,
        (2, 6, 1, 10),
    ),
    TableCase(
        "a majority of three",
        {"verdict": VERDICT, "human1": HUMAN1, "human2": HUMAN2, "human3": HUMAN3, "human_majority": HUMAN1},
        0.85,
        20,
        0.6809,
        (2, 8, 1, 12),
    ),
    TableCase(
        "a final label that differs",
        {"verdict": VERDICT, "human1": HUMAN1, "human2": HUMAN2, "human3": HUMAN3, "human_final": HUMAN_FINAL},
        0.85,
        20,
        0.7,
        (3, 10, 0, 10),
        {"human": "human_final"},
    ),
    TableCase("an end that no row has", {"verdict": VERDICT_2, "human": HUMAN_2}, 0.7, 20, 0.5946),
    TableCase(
        "the same with ends and a mark",
        {"verdict": VERDICT_2, "human": HUMAN_2},
        0.7,
        20,
        0.5946,
        (1, 2, 0, 18),
        {"levels": "1-5", "pass_mark": 3.0},
    ),
    TableCase(
        "a higher mark",
        {"verdict": VERDICT_2, "human": HUMAN_2},
        0.7,
        20,
        0.5946,
        (6, 12, 0, 8),
        {"levels": "1-5", "pass_mark": 4.0},
    ),
    TableCase("means of ratings", {"verdict": VERDICT_3, "human": HUMAN_3}, 0.3, 20, None, None, {"scale": "1-5"}),
    TableCase(
        "decimals from 0 to 10", {"verdict": VERDICT_4, "human": HUMAN_4}, 0.55, 20, None, None, {"scale": "0-10"}
    ),
    TableCase("points of 20", {"verdict": VERDICT_5, "human": HUMAN_5}, 0.2, 20, None, None, {"scale": "0-20"}),
    TableCase("shares", {"verdict": VERDICT_6, "human": HUMAN_6}, 0.15, 20),
    TableCase("points of 100", {"verdict": VERDICT_7, "human": HUMAN_7}, 0.2, 20),
    TableCase(
        "shares against five points",
        {"verdict": VERDICT_8, "human": VERDICT_2},
        0.7,
        20,
        None,
        None,
        {"scale": ("judge=0..1", "human=1..5")},
    ),
    TableCase(
        "ten points against five",
        {"verdict": VERDICT_9, "human": HUMAN_8},
        0.15,
        20,
        None,
        None,
        {"scale": ("judge=1..10", "human=1..5")},
    ),
    TableCase(
        "five points against pass and fail",
        {"verdict": VERDICT_2, "human": HUMAN_9},
        0.7,
        20,
        0.4444,
        (6, 12, 0, 8),
        {"pass_mark": 4.0},
    ),
    TableCase(
        "three words against booleans",
        {"verdict": VERDICT_10, "human": HUMAN_10},
        0.9,
        20,
        0.8,
        (1, 10, 1, 10),
        {"same": "dangerous=incorrect"},
    ),
    TableCase("a third value on both sides", {"verdict": VERDICT_11, "human": HUMAN_11}, 0.75, 20, 0.6364),
    TableCase(
        "two names of a category", {"verdict": VERDICT_12, "human": HUMAN_12}, 0.75, 20, 0.6923, None, {"same": "none"}
    ),
    TableCase("whole numbers to 10", {"verdict": VERDICT_13, "human": HUMAN_13}, 0.6, 20, 0.5442),
    TableCase("halves", {"verdict": VERDICT_14, "human": HUMAN_14}, 0.6, 20, 0.5238),
)
