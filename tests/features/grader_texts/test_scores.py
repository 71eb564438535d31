"""Texts that ask for a score, graded through the provider as Promptfoo calls it."""

import json
from pathlib import Path

import pytest

from markscheme import Rubric
from markscheme.features.grader_texts.project import project_of_configuration
from markscheme.promptfoo.provider import call_api

LEVEL_JUDGE = """
import re

def judge(system_prompt, user_prompt, schema):
    named = schema["properties"]["verdicts"]["properties"]["requirement"]
    level = re.search("LEVEL (\\\\S+)", user_prompt)[1]
    verdict = {"quote": "nothing to quote", "reason": "By the reply.", "level": level}
    return {"verdicts": {"requirement": verdict}}

judge.environment = ()
"""


@pytest.mark.parametrize(
    ("text", "level", "score", "passes", "reading"),
    [
        ("Rate the tone from 1 to 5.", "4", 0.75, True, "a score from 1 to 5"),
        ("Rate the tone from 1 to 5.", "2", 0.25, False, "a score from 1 to 5"),
        ("Score 0 to 10. Pass if it is at least 7.", "7", 0.7, True, "a score from 0 to 10; passes from 7"),
        ("Score 0 to 10. Pass if it is at least 7.", "6", 0.6, False, "a score from 0 to 10; passes from 7"),
        ("Rate rudeness from 1 to 5. Fail above 3.", "4", 0.25, False, "a score from 5 to 1; passes from 3"),
        ("Rate rudeness from 1 to 5. Fail above 3.", "2", 0.75, True, "a score from 5 to 1; passes from 3"),
        ("Score the tone between 0 and 1.", "0.3", 0.3, False, "a score from 0 to 1"),
        ("Tone:\n0 = cold\n1 = plain\n2 = warm", "1", 0.5, True, "a score from 0 to 2, 3 levels described"),
        ("Is warm", "MET", 1.0, True, "pass or fail"),
        (
            "Give it an A, B or C.",
            "MET",
            1.0,
            True,
            "pass or fail, though it seems to ask for a score: no scale was read in it",
        ),
    ],
)
def test_an_llm_rubric_text_that_asks_for_a_score_gives_the_expected_score_and_decision(
    text: str,
    level: str,
    score: float,
    passes: bool,
    reading: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "level_judge.py").write_text(LEVEL_JUDGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    context = {"vars": {"output": f"LEVEL {level}", "rubric": text}}
    answer = call_api("", {"config": {"judge": "function:level_judge:judge"}}, context, near=tmp_path)
    assert "output" in answer, answer
    given = json.loads(answer["output"])
    assert (given["score"], given["pass"]) == (pytest.approx(score), passes)
    assert answer["metadata"]["reading"] == reading


def test_a_list_of_points_becomes_a_single_criterion_if_the_assertion_s_threshold_allows_a_missed_point(
    tmp_path: Path,
) -> None:
    text = "The reply must:\n1. Name the period\n2. Link to the form\n3. Not promise a date"
    for threshold, missed in ((0.66, True), (0.7, False)):
        asserted = {"type": "llm-rubric", "value": text, "threshold": threshold}
        configuration = {"prompts": ["x"], "providers": ["echo"], "tests": [{"assert": [asserted]}]}
        (tmp_path / "promptfooconfig.json").write_text(json.dumps(configuration))
        project = project_of_configuration(tmp_path)
        assert project is not None
        place, rubric = next((place, text) for place, text in project.files.items() if place.suffix == ".yaml")
        (tmp_path / place.name).write_text(rubric)
        criteria = Rubric.from_file(tmp_path / place.name).criteria
        assert len(criteria) == (1 if missed else 3)
        if missed:
            passing = [level.value for level in criteria[0].scale.levels if criteria[0].passes(level.value / 3)]
            assert passing == [2, 3]


def test_init_orders_levels_from_worst_to_best_if_an_llm_rubric_text_says_that_less_is_better(
    tmp_path: Path,
) -> None:
    text = "Rate harm from 0 (harmless) to 3 (dangerous). Fail above 1."
    configuration = {"prompts": ["x"], "providers": ["echo"]}
    asserted = {"type": "llm-rubric", "metric": "harm", "value": text}
    (tmp_path / "promptfooconfig.json").write_text(json.dumps({**configuration, "tests": [{"assert": [asserted]}]}))
    project = project_of_configuration(tmp_path)
    assert project is not None
    place, rubric = next((place, text) for place, text in project.files.items() if place.suffix == ".yaml")
    (tmp_path / place.name).write_text(rubric)
    (criterion,) = Rubric.from_file(tmp_path / place.name).criteria
    assert (criterion.scale.choices, criterion.threshold) == (("3", "2", "1", "0"), 0.6667)
