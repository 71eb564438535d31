"""What a database counts gives the figures of the rows themselves."""

import random
import sqlite3
from typing import Any

import pytest

from markscheme import Rubric, calibrate
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql
from markscheme.features.counts.counting import counts_of
from tests.features.counts.made import differing, random_examples, random_rubric


def wide_cells(example: dict[str, Any], judged: dict[str, Any], people: list[str], rubric: Rubric) -> list[Any]:
    """The row of an example in a wide table."""
    by_rater = {label["rater"]: label["criteria"] for label in example["labels"]}
    rated = [*(by_rater.get(person, {}) for person in people), judged]
    levels = (levels.get(criterion.name) for levels in rated for criterion in rubric.criteria)
    return [example.get("group"), *(-2 if isinstance(level, dict) else level for level in levels)]


def shares_in(rows: list[dict[str, Any]], part: str) -> list[tuple[Any, ...]]:
    """The rows of a part that has three shares."""
    return sorted(
        tuple(row[key] for key in ("set_no", "gold", "judge", "p1", "n")) for row in rows if row["part"] == part
    )


@pytest.mark.parametrize(("seed", "groups"), [(0, 0), (1, 8), (2, 30), (3, 12)])
def test_counting_by_sql_and_counting_in_memory_give_equal_counts_and_equal_calibrations(
    seed: int, groups: int
) -> None:
    draw = random.Random(seed)
    rubric = random_rubric(draw)
    people = ["p0", "p1", "p2"][: 1 + seed % 3]
    examples, ratings = random_examples(rubric, draw, n=100, groups=groups, people=len(people))
    judged = {rating["id"]: rating["criteria"] for rating in ratings}
    columns = ["group_id", *(f"{rater}__{c.name}" for rater in (*people, "judge") for c in rubric.criteria)]
    rows = [wide_cells(example, judged.get(example["id"], {}), people, rubric) for example in examples]
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE wide ({', '.join(columns)})")
    database.executemany(f"INSERT INTO wide VALUES ({', '.join('?' * len(columns))})", rows)
    found = database.execute(counts_sql(CountQuery(rubric, tuple(people), "judge"), "wide", DIALECTS["standard"]))
    names = [column[0] for column in found.description]
    counts = [dict(zip(names, row, strict=True)) for row in found]
    database.close()
    of_rows = calibrate(rubric, examples, ratings=ratings)
    for part in ("people", "people:decision") if groups else ():  # without groups, sets have no order to sort by
        assert shares_in(counts, part) == shares_in(counts_of(of_rows.comparison), part)
    assert differing(of_rows, calibrate(rubric, counts=counts), without="repairs findings") == []


def test_a_criterion_may_be_called_format_or_rubric_although_counts_files_use_these_words_themselves() -> None:
    rubric = Rubric.from_dict(
        [{"name": n, "requirement": f"Its {n} is good", "weight": 1} for n in ("format", "rubric")]
    )
    raters = {"labels": [{"rater": "ana", "criteria": {"format": True, "rubric": False}}]}
    examples = [{"id": f"e{place}", "response": f"reply {place}", **raters} for place in range(5)]
    ratings = [{"id": f"e{place}", "criteria": {"format": True, "rubric": True}} for place in range(5)]
    of_rows = calibrate(rubric, examples, ratings=ratings)
    assert differing(of_rows, calibrate(rubric, counts=counts_of(of_rows.comparison))) == []
