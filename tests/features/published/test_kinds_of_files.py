"""Kinds of rubric files that the readers weren't written for: read right, or refused with a way out, never misread."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import RubricError
from markscheme.features.published.reader import read_published
from markscheme.rubrics.of_rows import RowRubric, rubric_of
from markscheme.rubrics.shapes import NOTHING_SAID, PublishedRubric
from tests.commands.console import run


def read(data: Any) -> PublishedRubric:
    published = read_published(data, NOTHING_SAID)
    assert published is not None
    return published


def own(data: Any) -> RowRubric:
    row = rubric_of(data if isinstance(data, str) else json.dumps(data), None)
    assert isinstance(row, RowRubric), row
    return row


def loaves(*, best: str = "Dense, airy and sour in turn.") -> dict[str, Any]:
    """A row with one criterion whose levels have a key each; one of them has no words."""
    return {
        "id": "bake-1",
        "input": "Describe a rye loaf.",
        "score_rubric": {
            "criteria": "Does the text describe crust, crumb and taste?",
            "score1_description": "None of the three.",
            "score2_description": "",
            "score3_description": best,
        },
        "response": "A dark crust.",
        "human_score": 2,
    }


def annotated(title: str, classes: dict[str, float | None], named: str) -> dict[str, Any]:
    """A criterion whose words and weight are in a mapping inside it; the weight is under its class's name."""
    weights = {f"{'_'.join(name.split())}_weight": weight for name, weight in classes.items()}
    notes = {"criteria_category": "Baking", "criteria_description": title, "weight_class": named}
    return {"id": f"k-{named[:4]}", "title": f"{title[:20]}...", "annotations": {**notes, **weights}}


def test_a_list_of_rows_is_no_rubric_of_them() -> None:
    with pytest.raises(RubricError, match="2 tasks: pass the file to grade"):
        read([loaves(), loaves(best="All three in one sentence.")])


def test_rows_in_a_list_are_linted_and_graded_as_rows(tmp_path: Path) -> None:
    rows = [loaves(), {**loaves(best="All three in one sentence."), "id": "bake-2"}]
    (tmp_path / "bakery.json").write_text(json.dumps(rows))
    linted = " ".join(run("markscheme", "lint", "bakery.json", cwd=tmp_path).stdout.split())
    assert "criteria are those under 'score_rubric' (2 rows, first 1)" in linted
    assert "overall: no words for level 2 (2 rows, first 1)" in linted
    assert "2 rows, 2 different criteria: no issues" in linted
    (tmp_path / "judging.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    return {'verdicts': {'overall': {'quote': 'nothing to quote', 'reason': 'Seen.', 'level': 3}}}\n"
    )
    graded = run("markscheme", "grade", "bakery.json", "--judge", "function:judging:judge", "--json", cwd=tmp_path)
    assert [json.loads(line)["score"] for line in graded.stdout.splitlines()] == [1.0, 1.0]
    assert "criteria are those under 'score_rubric' (2 rows, first bake-1)" in " ".join(graded.stderr.split())
    assert "the judge sees the responses alone, not input," in " ".join(graded.stderr.split())


def test_a_text_with_a_line_for_each_score_is_one_criterion() -> None:
    row = own("[Is the crust described?]\nScore 1: Not at all.\nScore 2: In a word.\nScore 3: So that one hears it.")
    (criterion,) = row.rubric.criteria
    assert criterion.requirement == "Is the crust described?"
    assert [(level.value, level.description) for level in criterion.scale.levels] == [
        (1.0, "Not at all."),
        (2.0, "In a word."),
        (3.0, "So that one hears it."),
    ]


def test_a_weight_is_that_of_the_class_that_is_named() -> None:
    fair = annotated("Names the flour and where it is from", {"vital": 7, "minor": None}, "vital")
    stale = annotated("Says how long the dough has to rest", {"vital": 7, "minor": 2}, "minor")
    harm = annotated("Tells the baker to leave out the salt", {"badly detrimental": 5}, "badly detrimental")
    row = own([fair, stale, harm])
    assert [criterion.weight for criterion in row.rubric.criteria] == [7.0, 2.0, -5.0]
    assert row.rubric.criteria[1].tags == ("Baking", "minor")
    assert row.rubric.criteria[0].requirement == "Names the flour and where it is from"
    assert any("weight_class 'minor' counts, next to vital_weight 7" in note for note in row.notes)
    assert any("weight 5 of the class 'badly detrimental' is read as -5" in note for note in row.notes)


def test_a_class_before_the_words_is_named_and_a_good_deed_that_costs_points() -> None:
    row = own([
        {"title": "Oven", "description": "Essential Criteria: Gives the heat of the oven.", "weight": 5},
        {"title": "Claims", "description": "Pitfall Criteria: Avoids claims on health.", "weight": -1},
    ])  # fmt: skip
    assert [criterion.requirement for criterion in row.rubric.criteria] == [
        "Gives the heat of the oven.",
        "Avoids claims on health.",
    ]
    assert any("the class before a criterion's words is left out" in note for note in row.notes)
    assert any("Claims costs points where it is met, and says what a good response does" in note for note in row.notes)


def test_groups_are_read_with_shares_and_what_is_switched_off_is_named() -> None:
    levels = {0: "burnt", 2: "golden"}
    published = read({
        "batch": "oct",
        "pass_mark": "60%",
        "rubric": [
            {"group": "Crust", "weight": "75%", "items": [
                {"id": "CR-1", "requirement": "The crust is of one colour.", "weight": "80%", "levels": levels},
                {"id": "CR-2", "requirement": "The crust has a pattern.", "weight": "20%", "levels": levels},
                {"id": "CR-9", "enabled": False, "requirement": "The crust sings.", "weight": "10%"},
            ]},
            {"group": "Crumb", "weight": "25%", "items": [
                {"id": "CB-1", "requirement": "The crumb is moist throughout.", "weight": "100%", "levels": levels},
            ]},
        ],
        "penalties": [{"id": "P-1", "requirement": "The loaf was cut while hot.", "deduct": 3}],
    })  # fmt: skip
    criteria = published.data["criteria"]
    assert [(c["name"], round(c["weight"], 6), c["tags"]) for c in criteria] == [
        ("CR-1", 0.6, ["Crust"]),
        ("CR-2", 0.15, ["Crust"]),
        ("CB-1", 0.25, ["Crumb"]),
    ]
    assert published.data["passingThreshold"] == 0.6
    assert {
        "'penalties' holds criteria too, and isn't read",
        "CR-9 is switched off, so it is left out",
        "CR-1: no words for level 1",
        "not read: batch, penalties",
    } <= set(published.notes)


def test_what_a_tree_loses_is_named() -> None:
    published = read({
        "requirements": "The loaf is right.", "weight": 1, "recipe_id": "rye",
        "sub_tasks": [
            {"id": "a", "requirements": "It rests for a night.", "weight": 2, "sub_tasks": []},
            {"id": "b", "requirements": "It has seeds on top.", "weight": 0, "notes": "out of stock", "sub_tasks": []},
        ],
    })  # fmt: skip
    assert [(c["name"], c["weight"]) for c in published.data["criteria"]] == [("a", 1.0)]
    assert {"b weighs nothing, so it is left out", "not read: notes, recipe_id"} <= set(published.notes)


def test_rows_with_their_criteria_under_another_key_say_how_to_name_it(tmp_path: Path) -> None:
    rows = [{"id": n, "response": "Rye.", "checks_asked": ["Is it about rye?", "Is it short?"]} for n in range(2)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    refused = run("markscheme", "lint", "rows.jsonl", cwd=tmp_path)
    assert refused.returncode == 2
    assert "`checks_asked` holds a list: --map checks_asked=rubric" in " ".join(refused.stdout.split())
    (tmp_path / "judging.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    said = {'quote': 'nothing to quote', 'reason': 'Seen.'}\n"
        "    return {'verdicts': {'c1': {**said, 'level': 'MET'}, 'c2': {**said, 'level': 'UNMET'}}}\n"
    )
    mapped = ("--map", "checks_asked=rubric", "--judge", "function:judging:judge", "--json")
    graded = run("markscheme", "grade", "rows.jsonl", *mapped, cwd=tmp_path)
    assert [json.loads(line)["score"] for line in graded.stdout.splitlines()] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("loaf.md", "# Loaves\n\n| # | Criterion | Weight |\n|---|---|---|\n| 1 | Is brown: all of it | x3 |\n"),
        ("loaf.csv", "Criterion;Weight\nIs brown: all of it;25 %\nTotal;100 %\n"),
        ("loaf.yaml", "judge_with: !run bake.score\nrubric:\n- {requirement: Is brown., weight: 2}\n"),
    ],
)
def test_what_isnt_read_is_refused_with_a_way_out(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    refused = run("markscheme", "lint", name, cwd=tmp_path)
    way_out = "without it, what follows is" if name == "loaf.yaml" else "a rubric is YAML or JSON: a list of criteria"
    assert (refused.returncode, way_out in " ".join(refused.stdout.split())) == (2, True), refused.stdout
