"""Figures that the makers of three public data sets printed come out of their data, to the printed digits.

Every entry of each `published.yaml` is tested; a test counts them. What comes out by design otherwise is in
`NOT_REPRODUCED` with the reason, and tested for being near.
"""

import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtr

from markscheme.stats.coefficients import agreement
from markscheme.stats.intervals import Floats
from markscheme.stats.severity import confusion, macro_family, pair_statistic
from tests.stats.test_association import limits, value
from tests.worked_cases import cases_in

FOLDER = Path(__file__).parents[3] / "shared" / "data"
SETS = ("hanna", "llm_rubric", "pandalm")
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=f"runs where {FOLDER} is there")

NOT_REPRODUCED = {
    "ci95": "Gwet's large-sample variance with n - 1 degrees of freedom on the coefficient's own scale, cut off at 1; "
    "intervals here are by leaving one example out on a transformed scale, which covers what it says near 1",
}
"""Parts of printed entries that have no counterpart here, and why."""


def student_p(r: float, n: int) -> float:
    """Compute the two-sided p of a correlation by Student's t, as printed."""
    return float(2 * stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / (1 - r * r))))


def exact_p(tau: float, n: int) -> float:
    """Compute the exact two-sided p of Kendall's tau among all orders of n values without ties, as printed."""
    pairs = n * (n - 1) // 2
    chances = np.ones(1)
    for places in range(2, n + 1):
        chances = np.convolve(chances, np.full(places, 1 / places))
    return float(2 * chances[: round((1 - abs(tau)) / 2 * pairs) + 1].sum())


NAMES = {"pearson": "pearson", "spearman": "spearman", "kendall_tau_b": "kendall", "rmse": "rmse"}
"""What the printed figures call `PAIR_STATISTICS`; a p-value adds `_p`."""


@cache
def rows(name: str, file: str = "items.jsonl.gz") -> list[dict[str, Any]]:
    with gzip.open(FOLDER / name / file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def published(name: str) -> list[dict[str, Any]]:
    if not FOLDER.exists():
        return []
    entries: list[dict[str, Any]] = cases_in(FOLDER / name / "published.yaml")["published"]
    return entries


FIGURES = [
    pytest.param(name, entry, id=f"{name} {number} {entry['statistic']}")
    for name in SETS
    for number, entry in enumerate(published(name))
]


def numbers(values: list[float | None]) -> Floats:
    return np.array([math.nan if v is None else v for v in values], dtype=np.float64)


# -- hanna: stories rated by three people, explanations rated yes or no ------------------------------------------------


def explanations(issue: str) -> Floats:
    """Return 1 where a rater marked the issue in an explanation, else 0, shape (100 explanations, 3 raters)."""
    study = rows("hanna", "user_study.jsonl.gz")
    return np.array([numbers([labels[issue] for labels in row["labels"].values()]) for row in study])


def stories(metric: str, criterion: str, level: str) -> tuple[Floats, Floats]:
    """Return people's mean marks and an automatic metric, for each story of a system or as means per system."""
    matching = [row for row in rows("hanna") if row["system"] != "Human"]
    marks = numbers([float(np.mean([rater[criterion] for rater in row["labels"].values()])) for row in matching])
    scores = numbers([row["metrics"][metric] for row in matching])
    if level == "overall":
        return marks, scores
    systems = np.array([row["system"] for row in matching])
    names = np.unique(systems)
    return (
        numbers([float(marks[systems == name].mean()) for name in names]),
        numbers([float(scores[systems == name].mean()) for name in names]),
    )


def of_hanna(entry: dict[str, Any]) -> float:
    if entry["statistic"] == "gwet_ac1":
        return value(agreement(explanations(entry["criterion"]), "gwet_ac1", levels=[0, 1]))
    marks, scores = stories(entry["metric"], entry["criterion"], entry["level"])
    name, is_p = entry["statistic"].removesuffix("_p"), entry["statistic"].endswith("_p")
    figure = value(pair_statistic(marks, scores, NAMES[name]))
    if not is_p:
        return figure
    return exact_p(figure, len(marks)) if name == "kendall_tau_b" else student_p(figure, len(marks))


# -- llm_rubric: dialogues, one person each, four judges ---------------------------------------------------------------


def dialogues(judge: str, criterion: str) -> tuple[Floats, Floats]:
    matching = [row for row in rows("llm_rubric") if judge in row["judge"]]
    gold = numbers([next(iter(row["labels"].values()))[criterion] for row in matching])
    return gold, numbers([row["judge"][judge][criterion] for row in matching])


def of_llm_rubric(entry: dict[str, Any]) -> float:
    gold, judge = dialogues(entry["judge"], entry["criterion"])
    if entry["statistic"] in NAMES:
        return value(pair_statistic(gold, judge, NAMES[entry["statistic"]]))
    if entry["statistic"] == "n":
        return float(pair_statistic(gold, judge, "rmse").n)
    rated = judge[~np.isnan(gold)]
    return float(rated.mean() if entry["statistic"] == "mean" else rated.std())


# -- pandalm: which of two answers is better, three people, two judges -------------------------------------------------


def preferences(who: str) -> Floats:
    """Return 1 or 2 for the better answer, 0 for a tie; as published, an unreadable reply counts as a tie."""
    if who == "expected":
        return numbers([row["expected"]["preference"] for row in rows("pandalm")])
    if who.startswith("annotator"):
        return numbers([row["labels"][who]["preference"] for row in rows("pandalm")])
    return np.nan_to_num(numbers([row["judge"][who]["preference"] for row in rows("pandalm")]))


def of_pandalm(entry: dict[str, Any]) -> float:
    if entry["statistic"] == "count":
        gold = preferences("expected")
        return float(confusion(gold, gold, levels=[0, 1, 2])[entry["label"], entry["label"]])
    if entry["statistic"] == "cohen_kappa":
        return value(
            agreement(np.stack([preferences(who) for who in entry["raters"]], axis=1), "cohen_kappa", levels=[0, 1, 2])
        )
    statistics = macro_family(preferences("expected"), preferences(entry["judge"]), levels=[0, 1, 2])
    return 100 * value(statistics[entry["statistic"].removesuffix("_pct")])


OF = {"hanna": of_hanna, "llm_rubric": of_llm_rubric, "pandalm": of_pandalm}


@pytest.mark.parametrize(("name", "entry"), FIGURES)
def test_every_figure_published_with_the_three_data_sets_is_reproduced_to_its_printed_decimals(
    name: str, entry: dict[str, Any]
) -> None:
    assert OF[name](entry) == pytest.approx(entry["value"], abs=0.5 * 10.0 ** -entry["decimals"] * 1.000001)


def test_every_figure_that_was_published_with_three_data_sets_is_tested_or_listed_with_a_reason() -> None:
    assert {name: len(published(name)) for name in SETS} == {"hanna": 11, "llm_rubric": 28, "pandalm": 14}
    keys = {"statistic", "criterion", "value", "decimals", "file", "metric", "level", "judge", "raters", "label", "of"}
    parts = {part for name in SETS for entry in published(name) for part in entry} - keys
    assert parts == set(NOT_REPRODUCED)


@pytest.mark.parametrize("entry", [e for e in published("hanna") if "ci95" in e], ids=lambda e: str(e["criterion"]))
def test_confidence_limits_of_gwet_s_ac1_are_within_0_045_of_published_limits_by_another_method(
    entry: dict[str, Any],
) -> None:
    low, high = limits(agreement(explanations(entry["criterion"]), "gwet_ac1", levels=[0, 1]))
    assert (low, high) == pytest.approx(entry["ci95"], abs=0.045)
    assert low < entry["value"] < high <= 1
    assert low <= entry["ci95"][0] + 0.005


def test_gwet_s_ac1_is_1_on_an_issue_that_no_rater_marked_in_any_response() -> None:
    ac1 = agreement(explanations("incorrectness"), "gwet_ac1", levels=[0, 1])
    assert ac1.value == 1
    assert limits(ac1) == pytest.approx((1 - (1 - 0.025**0.01), 1))
