"""Counts give the figures of the rows that were counted."""

import random
from pathlib import Path
from typing import Any

import pytest

from markscheme import Rubric, calibrate
from markscheme.features.counts.counting import counts_of
from tests.features.counts.made import differing, random_examples, random_rubric
from tests.worked_cases import cases_in

CASES = Path(__file__).parents[4] / "shared" / "statistics" / "counts.yaml"
SIZES = ((5, 0), (80, 0), (200, 8), (120, 40), (150, 0), (2500, 2000))
"""Examples, and groups to draw theirs from; 0 for none."""


@pytest.mark.parametrize("seed", [*range(5), pytest.param(5, marks=pytest.mark.proof)])
def test_calibrate_writes_equal_json_for_ratings_and_for_their_counts_whatever_the_order_or_split_of_rows(
    seed: int,
) -> None:
    draw = random.Random(seed)
    n, groups = SIZES[seed]
    rubric = random_rubric(draw)
    examples, ratings = random_examples(rubric, draw, n=n, groups=groups, people=draw.choice((1, 2, 3)))
    of_rows = calibrate(rubric, examples, ratings=ratings)
    rows = counts_of(of_rows.comparison)
    shuffled = (draw.sample(examples, len(examples)), draw.sample(ratings, len(ratings)))
    assert differing(of_rows, calibrate(rubric, shuffled[0], ratings=shuffled[1])) == []
    by_counts = calibrate(rubric, counts=rows)
    assert differing(of_rows, by_counts) == []
    assert (by_counts.verdict, by_counts.use, by_counts.counts.graded) == (
        of_rows.verdict,
        of_rows.use,
        of_rows.counts.graded,
    )
    parts = [shard for row in rows for shard in _in_three(row, draw)]
    assert differing(of_rows, calibrate(rubric, counts=draw.sample(parts, len(parts)))) == []


def test_counts_and_ratings_give_the_same_findings_even_if_fewer_examples_have_levels_than_scores() -> None:
    """More of these have a score than a level on any criterion, of gold and judge both."""
    draw = random.Random(122)
    n, groups = draw.choice((5, 40, 90, 150)), draw.choice((0, 0, 4, 12, 60, 130))
    rubric = random_rubric(draw)
    examples, ratings = random_examples(rubric, draw, n=n, groups=groups, people=draw.choice((1, 2, 3)))
    of_rows = calibrate(rubric, examples, ratings=ratings)
    comparison = of_rows.comparison
    rated = max(criterion.statistics["exact_agreement"].n for criterion in comparison.criteria.values())
    assert rated < 30 <= comparison.agreement.n
    assert "too-few-labels" not in [finding.code for finding in of_rows.findings]
    assert differing(of_rows, calibrate(rubric, counts=counts_of(comparison))) == []


def test_the_verdict_on_counts_gives_the_number_of_groups_that_the_file_has_even_if_it_is_over_1000() -> None:
    rubric = Rubric.from_dict({"pass_mark": 0.5, "criteria": [{"name": "right", "requirement": "It is right."}]})
    labels = [{"rater": rater, "criteria": {"right": "MET"}} for rater in ("ana", "ben")]
    unmet = [{**label, "criteria": {"right": "UNMET"}} for label in labels]
    examples = [
        {"id": f"e{i}", "response": f"r{i}", "labels": labels if i % 3 else unmet, "group": f"g{i // 2}"}
        for i in range(2400)
    ]
    ratings = [{"id": f"e{i}", "criteria": {"right": "MET" if i % 3 or not i % 30 else "UNMET"}} for i in range(2400)]
    of_rows = calibrate(rubric, examples, ratings=ratings)
    of_counts = calibrate(rubric, counts=counts_of(of_rows.comparison))
    assert "The 2400 examples in 1200 groups carry" in of_rows.decision.because
    assert of_counts.decision.because == of_rows.decision.because


def _in_three(row: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    """Return the row three times, with its number split."""
    first = draw.randint(0, row["n"])
    second = draw.randint(0, row["n"] - first)
    return [{**row, "n": n} for n in (first, second, row["n"] - first - second)]


def test_calibration_from_counts_finds_the_same_faults_as_from_ratings() -> None:
    draw = random.Random(3)
    rubric = Rubric.from_dict(
        [{"name": "clear", "requirement": "It is clear", "weight": 1, "scale": {"min": 1, "max": 5}}]
    )
    examples, ratings = random_examples(rubric, draw, n=150, groups=0, people=2)
    for rating in ratings:
        level = rating["criteria"].get("clear")
        rating["criteria"] = {"clear": draw.choice((4, 5, 5)) if level is None else min(5, level + 1)}
    of_rows = calibrate(rubric, examples, ratings=ratings)
    of_counts = calibrate(rubric, counts=counts_of(of_rows.comparison))
    costs = {finding.kind.code: finding.cost for finding in of_rows.findings}
    assert "lenient" in costs
    assert {finding.kind.code: finding.cost for finding in of_counts.findings} == pytest.approx(costs, abs=1e-9)


@pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/counts.yaml is there")
@pytest.mark.parametrize("section", ["sql", "sql_yes_no"])
def test_the_counts_of_a_wide_table_equal_those_in_the_file_of_reference_values(section: str) -> None:
    case = cases_in(CASES)[section]
    rubric = _rubric(section)
    raters = sorted({name.partition("__")[0] for name in case["columns"][1:]})
    examples, ratings = [], []
    for place, cells in enumerate(case["rows"]):
        row = dict(zip(case["columns"], cells, strict=True))
        rated = {rater: _criteria(row, rater, rubric) for rater in raters}
        ratings.append({"id": str(place), "criteria": rated.pop("judge")})
        labels = [{"rater": rater, "criteria": levels} for rater, levels in rated.items()]
        examples.append({"id": str(place), "response": f"reply {place}", "group": row["group_id"], "labels": labels})
    comparison = calibrate(rubric, examples, ratings=ratings).comparison
    columns = ["set_no", "gold", "judge", *raters[1:], "n"]
    rows = {
        (row["part"], *_rounded([row.get(column) for column in columns]))
        for row in counts_of(comparison)
        if not row["part"].startswith(("rubric:", "people:", "repair:"))
    }
    assert rows == {(part, *_rounded(numbers)) for part, *numbers in case["counts"]}


def _rounded(cells: list[float | None]) -> list[float | None]:
    return [None if cell is None else round(float(cell), 9) for cell in cells]


def _criteria(row: dict[str, Any], rater: str, rubric: Rubric) -> dict[str, Any]:
    levels = {c.name: row[f"{rater}__{c.name}"] for c in rubric.criteria}
    yes_no = {c.name for c in rubric.criteria if c.scale.is_yes_no}
    return {name: bool(level) if name in yes_no else level for name, level in levels.items() if level is not None}


def _rubric(section: str) -> Rubric:
    if section == "sql":
        scale = {"min": 1, "max": 5}
        names = ("clear", "right")
        criteria = [{"name": name, "requirement": name, "weight": 1, "scale": scale} for name in names]
    else:
        criteria = [{"name": name, "requirement": name, "weight": 1} for name in ("kind", "says")]
    return Rubric.from_dict({"criteria": criteria, "tolerance": 0.1, "pass_mark": 0.5})
