"""Files of criteria that the readers weren't written for, by `lint` and `grade`: what they say of each."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run


def loaves(*, best: str = "Dense, airy and sour in turn.") -> dict[str, Any]:
    """Make a row with one criterion whose levels each have a key; one level has no words."""
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


def test_rows_with_criteria_of_their_own_in_a_json_list_are_linted_and_graded(tmp_path: Path) -> None:
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
    unseen = " ".join(graded.stderr.split())
    assert "the judge sees the responses alone, not input," in unseen
    assert "--map input=query shows one" in unseen


def test_lint_names_the_option_that_maps_an_unusual_json_key_to_the_criteria_of_a_row(
    tmp_path: Path,
) -> None:
    groups = {"depth": [{"criterion": "Names the cause"}], "form": [{"criterion": "Is short"}]}
    row = {"response": "Rye.", "criterions": groups, "share": {"depth": 0.75, "form": 0.25}}
    (tmp_path / "my rows.jsonl").write_text(f"{json.dumps(row)}\n")
    refused = " ".join(run("markscheme", "lint", "my rows.jsonl", cwd=tmp_path).stdout.split())
    assert "`criterions` may hold criteria: --map criterions=rubric" in refused
    assert "`--map` is an option of `markscheme grade 'my rows.jsonl'`" in refused
    (tmp_path / "judging.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    said = {'quote': 'nothing to quote', 'reason': 'Seen.'}\n"
        "    return {'verdicts': {'c1': {**said, 'level': 'MET'}, 'c2': {**said, 'level': 'UNMET'}}}\n"
    )
    mapped = ("--map", "criterions=rubric", "--judge", "function:judging:judge", "--json")
    graded = run("markscheme", "grade", "my rows.jsonl", *mapped, cwd=tmp_path)
    assert [json.loads(line)["score"] for line in graded.stdout.splitlines()] == [0.75]


def test_lint_refuses_criteria_under_an_unusual_json_key_and_suggests_the_map_option(
    tmp_path: Path,
) -> None:
    rows = [{"id": n, "response": "Rye.", "checks_asked": ["Is it about rye?", "Is it short?"]} for n in range(2)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    refused = run("markscheme", "lint", "rows.jsonl", cwd=tmp_path)
    assert refused.returncode == 2
    assert "`checks_asked` may hold criteria: --map checks_asked=rubric" in " ".join(refused.stdout.split())
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
def test_rubrics_in_an_unreadable_form_are_refused_with_advice_on_what_to_do(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    refused = run("markscheme", "lint", name, cwd=tmp_path)
    way_out = "without it, what follows is" if name == "loaf.yaml" else "a rubric is YAML or JSON: a list of criteria"
    assert (refused.returncode, way_out in " ".join(refused.stdout.split())) == (2, True), refused.stdout
