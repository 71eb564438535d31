"""What all sockets share; `proofs/test_sockets.py` runs each in its framework."""

import ast
import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from markscheme import Criterion, Grader, Rubric, ScriptedJudge
from markscheme.grading import Grade
from markscheme.sockets import inputs_for, last_text, named_scores, tag_scores
from markscheme.sockets.trl import rubric_reward

ROOT = Path(__file__).parents[1]
SOCKETS = sorted((ROOT / "src/markscheme/sockets").glob("[a-z]*.py"))


def test_the_score_of_a_rubric_with_a_criterion_of_the_same_name_is_logged_under_a_longer_name() -> None:
    rubric = Rubric((Criterion(1.0, "A", "tone"), Criterion(1.0, "B", "place")), name="tone")
    grade = Grade("", {}, "why", None, by_criterion={"tone": 0.5, "place": None})
    assert named_scores(grade, rubric) == {"tone-score": None, "tone": 0.5, "place": None}
    assert list(named_scores(grade, Rubric(rubric.criteria, "reply"))) == ["reply", "tone", "place"]


def test_scores_of_rows_are_logged_by_tag_for_at_most_twenty_tags() -> None:
    row = [{"requirement": f"Says {i}", "tags": [f"t{i:02}", "all"]} for i in range(25)]
    logged: dict[str, float] = {}
    extra: dict[str, list[Any]] = {}
    judge = ScriptedJudge(lambda prompt, _: dict.fromkeys(prompt.criteria, "MET" if "yes" in prompt.user else "UNMET"))
    with Grader(None, judge) as grader:
        grade = grader.grade_sync("yes", rubric=row)

        async def rewarded() -> list[float | None]:
            return await rubric_reward(grader)(
                ["?"] * 3,
                ["yes", "no", "yes"],
                rubric=[row, row, [{"requirement": "A", "weight": 0}]],
                log_metric=logged.__setitem__,
                log_extra=extra.__setitem__,
            )

        rewards = asyncio.run(rewarded())
    assert named_scores(grade, grader.rubric) == {"rows": 1.0}
    assert tag_scores(grade)["tag/t03"] == 1.0
    assert rewards == [25.0, 0.0, None]
    assert logged["rows/ungraded"] == pytest.approx(1 / 3)
    assert (len(logged), logged["rows/tag/all"]) == (21, 0.5)
    verdicts = [json.loads(text) for text in extra["verdicts"]]
    assert [len(row) if row else row for row in verdicts] == [25, 25, None]


def test_the_lowest_versions_of_frameworks_leave_ungraded_responses_out_of_their_means() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lowest = {
        "inspect": "inspect-ai>=0.3.261",  # the first whose Score.unscored takes a reason
        "mlflow": "mlflow>=3.8",  # the first whose Feedback takes the text of an error
        "trl": "trl>=1.6",  # the first that leaves out a completion whose only reward is None
    }
    assert {extra: extras[extra][0] for extra in lowest} == lowest


def test_only_values_of_a_row_that_the_rubric_uses_and_that_are_not_empty_become_inputs() -> None:
    rubric = Rubric((Criterion(1.0, "A"),), inputs=("query", "context", "reference"))
    assert inputs_for(rubric, {"query": "q", "context": None, "more": 1}) == {"query": "q"}
    assert inputs_for(Rubric((Criterion(1.0, "A"),)), {"query": "q", "reference": "r"}) == {"query": "q"}


def test_the_messages_of_an_agent_become_the_one_input_that_the_rubric_declares_for_steps() -> None:
    messages = [{"role": "user", "content": "Where?"}]
    for declared in ("trace", "messages", "tool_calls"):
        rubric = Rubric((Criterion(1.0, "A"),), inputs=("query", declared))
        assert inputs_for(rubric, {"query": "q", "messages": messages}) == {"query": "q", declared: messages}
    both = Rubric((Criterion(1.0, "A"),), inputs=("trace", "messages"))
    assert inputs_for(both, {"messages": messages, "trace": []}) == {"messages": messages, "trace": []}


def test_the_text_of_the_last_message_is_read_from_a_list_of_messages() -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where?"}]
    assert (last_text(messages), last_text("Where?"), last_text([])) == ("Where?", "Where?", [])
    calls = [{"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}]
    assert last_text(calls) == calls


@pytest.mark.parametrize("path", SOCKETS, ids=lambda path: path.stem)
def test_each_module_for_a_framework_has_an_installable_extra_and_a_section_in_the_docs(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    docs = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    lines = {at for node in ours for at in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines -= {at for node in docs for at in range(node.lineno, (node.end_lineno or 0) + 1)}
    code = [line for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if at in lines if line]
    assert len(code) <= 30
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert path.stem in extras
    assert f"markscheme.sockets.{path.stem} import" in (ROOT / "docs/howto/frameworks.md").read_text(encoding="utf-8")
