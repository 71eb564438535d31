"""Pass, fail or "ask a person", as `grade` and the Promptfoo assertion report it."""

import json
from pathlib import Path

import pytest

from markscheme.promptfoo.assertion import get_assert
from tests.commands.console import run

RUBRIC = """\
passingThreshold: 0.5
ask_within: 0.2
criteria:
- {name: kind, description: Is it kind?, weight: 1}
"""
JUDGE = """\
import json

def judge(system_prompt, user_prompt):
    level = next(word[6:] for word in user_prompt.split() if word.startswith("LEVEL="))
    return json.dumps({"verdicts": {"kind": {"quote": "nothing to quote", "reason": "It is.", "level": level}}})
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a rubric with a gray zone, and a judge that gives the level a response asks for."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "kind.yaml").write_text(RUBRIC)
    (tmp_path / "levels.py").write_text(JUDGE)
    lines = [json.dumps({"id": f"r{level}", "response": f"LEVEL={level} "}) for level in range(1, 6)]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def graded(project: Path, *options: str) -> str:
    where = {"PYTHONPATH": str(project), "MARKSCHEME_CACHE": str(project / "cache")}
    done = run(
        "markscheme", "grade", "kind", "replies.jsonl", "--judge", "function:levels:judge", *options,
        cwd=project, env=where,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return done.stdout


def test_a_grade_that_asks_a_person_to_decide_does_not_count_as_passed_in_the_json(
    project: Path,
) -> None:
    lines = [json.loads(line) for line in graded(project, "--json").splitlines()]
    assert [line["decision"] for line in lines] == ["fail", "fail", "ask", "pass", "pass"]
    assert [line["pass"] for line in lines] == [False, False, False, True, True]


def test_the_printed_grade_says_if_a_person_should_decide_on_the_response(project: Path) -> None:
    lines = [line for line in graded(project).splitlines() if not line.startswith(" ")]
    assert ["ask a person" in line for line in lines[:5]] == [False, False, True, False, False]


@pytest.mark.parametrize(("level", "decision"), [(2, "fail"), (3, "ask"), (4, "pass")])
def test_promptfoo_s_result_says_in_metadata_and_reason_whether_a_person_should_decide_on_the_output(
    project: Path, monkeypatch: pytest.MonkeyPatch, level: int, decision: str
) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.setenv("MARKSCHEME_CACHE", str(project / "cache"))
    config = {"rubric": "kind", "judge": "function:levels:judge"}
    result = get_assert(f"LEVEL={level} ", {"config": config, "vars": {}}, near=project)
    assert result["metadata"]["decision"] == decision, result
    assert ("ask a person" in result["reason"]) is (decision == "ask")
    assert result["pass"] is (level >= 4)
    assert result["reason"].startswith("ask a person: within") is (decision == "ask")
