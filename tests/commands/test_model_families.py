"""Every command warns of a judge from the same model family as the model that wrote the responses."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.promptfoo.assertion import get_assert
from tests.commands.console import run

JUDGE = """
import json

def ask_claude(system_prompt, user_prompt):
    verdict = {"quote": "nothing to quote", "reason": "It is.", "level": "MET"}
    return json.dumps({"verdicts": {"polite": verdict}})
"""
RUBRIC = "criteria:\n- {name: polite, requirement: The reply is polite, weight: 1}\n"
KIN = "is of the same family (Claude) as 'claude-haiku-5-5', which wrote 2 of 3 responses"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a rubric, a function to judge by and three labelled responses; replies are kept in it too."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC)
    (tmp_path / "my_judge.py").write_text(JUDGE)
    labels = [{"rater": "ana", "kind": "human", "criteria": {"polite": "MET"}}]
    systems = ["claude-haiku-5-5", "claude-haiku-5-5", "prompt-b"]
    examples = [
        {"id": f"e{n}", "response": f"reply {n}", "system": system, "labels": labels}
        for n, system in enumerate(systems)
    ]
    folder = tmp_path / "calibration" / "polite"
    folder.mkdir(parents=True)
    (folder / "examples.jsonl").write_text("".join(json.dumps(example) + "\n" for example in examples))
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_calibrate_warns_if_a_judge_grades_responses_of_its_own_model_family(project: Path) -> None:
    done = run("calibrate", "polite", "--judge", "function:my_judge:ask_claude", cwd=project)
    assert f"warning: the judge function:my_judge:ask_claude {KIN}" in done.stderr


def test_calibrate_warns_if_the_rater_in_a_file_of_ratings_is_of_the_model_family_that_wrote_the_responses(
    project: Path,
) -> None:
    ratings = project / "ratings.jsonl"
    for rater, warned in (("claude-opus-5-5", True), ("gpt-5", False)):
        lines = [{"id": f"e{n}", "rater": rater, "criteria": {"polite": "MET"}} for n in range(3)]
        ratings.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = run("calibrate", "polite", "--ratings", str(ratings), cwd=project)
        assert (f"the judge {rater} {KIN}" in done.stderr) is warned


def test_the_grade_command_warns_if_a_submission_was_written_by_the_judge_s_model_family(project: Path) -> None:
    file = project / "calibration" / "polite" / "examples.jsonl"
    done = run("markscheme", "grade", "polite", str(file), "--judge", "function:my_judge:ask_claude", cwd=project)
    assert (done.returncode, done.stderr.count(KIN)) == (0, 1)


def test_an_input_called_system_is_not_confused_with_the_system_that_wrote_the_response(project: Path) -> None:
    (project / "rubrics" / "polite.yaml").write_text("inputs: [system]\n" + RUBRIC)
    file = project / "calibration" / "polite" / "examples.jsonl"
    done = run("markscheme", "grade", "polite", str(file), "--judge", "function:my_judge:ask_claude", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("provider", "shared"),
    [
        ({"id": "anthropic:messages:claude-haiku-5-5", "config": {"apiKey": "k"}}, "Claude"),
        ({"id": "file://provider.py", "label": "our claude"}, "Claude"),
        ("anthropic:messages:claude-haiku-5-5", "Claude"),
        ({"id": "openai:chat:gpt-5"}, None),
        (None, None),
    ],
)
def test_promptfoo_s_metadata_has_the_warning_that_judge_and_responses_are_of_one_model_family(
    project: Path, monkeypatch: pytest.MonkeyPatch, provider: Any, shared: str | None
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(project)
    config = {"rubric": "polite", "judge": "function:my_judge:ask_claude", "session": "off"}
    result = get_assert("Hello.", {"config": config, "vars": {}, "provider": provider}, near=project)
    assert result["pass"], result["reason"]
    assert result["metadata"]["sameFamily"] == shared
