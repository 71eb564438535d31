"""What an assertion answers, called as Promptfoo calls it: by a script that stands elsewhere."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from markscheme.errors import UsageError
from markscheme.promptfoo.assertion import assess, check_config, read_call
from markscheme.promptfoo.engine import Engine
from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, environment

CALLING = """
import json, sys
sys.path[0] = sys.argv[1]
from rubric_grader import get_assert
print(json.dumps(get_assert("answer 7: tone=3 facts=4", {"config": json.loads(sys.argv[2])})))
"""


def _assert(here: Path, grader: Path, **config: Any) -> dict[str, Any]:
    """The grading result that the grader in a folder gives, where nothing but its own folder is on the path."""
    script = here.parent / "elsewhere" / "calling.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(CALLING, encoding="utf-8")
    config = {"rubric": "clear", "judge": setting.JUDGE, "session": "off", **config}
    done = subprocess.run(
        [sys.executable, str(script), str(grader), json.dumps(config)],
        cwd=here,
        env=environment({**setting.environment(here), "PYTHONPATH": str(ROOT / "src")}),
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_judge_function_in_the_folder_of_the_configuration_is_found(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    assert _assert(here, ROOT / "graders")["pass"]
    (here / "rubrics" / "clear.yaml").rename(tmp_path / "clear.yaml")
    graders = here / "graders"
    graders.mkdir()
    (graders / "rubric_grader.py").write_bytes((ROOT / "graders" / "rubric_grader.py").read_bytes())
    below = here / "below"
    below.mkdir()
    assert _assert(below, graders, rubric=str(tmp_path / "clear.yaml"))["pass"]


def test_in_a_promptfoo_result_the_reasons_of_criteria_are_separated_by_full_stops(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    reason = _assert(here, ROOT / "graders")["reason"]
    assert reason.startswith("0.62 passes (pass mark 0.5). tone 3 of 5: so. facts 4 of 5: so. Calibration: ")


def test_an_assertion_finds_checks_by_code_in_the_modules_that_its_scorers_key_names(
    tmp_path: Path,
) -> None:
    here = setting.make_setting(tmp_path / "here")
    checks = "from markscheme.scorers import scorer\n\n@scorer\ndef has_seven(prediction, expected):\n    return 1.0\n"
    (here / "checks.py").write_text(checks)
    (here / "seven.yaml").write_text("criteria: [{name: seven, requirement: Has a 7, check: has_seven}]\n")
    by_code = {"rubric": str(here / "seven.yaml"), "judge": None}
    assert _assert(here, ROOT / "graders", scorers="checks", **by_code)["score"] == 1.0
    reason = _assert(here, ROOT / "graders", **by_code)["reason"]
    assert "there is no check 'has_seven'" in reason
    assert "config.scorers" in reason


def test_a_misspelt_rubric_in_a_promptfoo_assertion_is_reported_with_the_names_of_known_rubrics(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    reason = _assert(here, ROOT / "graders", rubric="claer")["reason"]
    assert "did you mean 'clear'? There are clear, " in reason
    assert "code-quality" in reason


def test_an_assertion_may_name_the_file_of_its_rubric_as_promptfoo_names_files(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    by_name, by_file = (
        _assert(here, ROOT / "graders", rubric=rubric, judge="oracle")["reason"]
        for rubric in ("clear", "file://rubrics/clear.yaml")
    )
    assert by_file == by_name
    assert "unknown judge 'oracle'" in by_file


def test_a_whole_number_in_the_config_of_an_assertion_may_be_text_as_promptfoo_fills_it_from_the_environment() -> None:
    check_config({"rubric": "clear", "samples": "3"})
    for written in ("three", "3.5", "0", "-3", ""):
        with pytest.raises(UsageError, match=r"config\.samples must be a whole number from 1"):
            check_config({"rubric": "clear", "samples": written})


def test_the_config_of_an_assertion_refuses_the_key_provider_and_suggests_the_key_judge() -> None:
    with pytest.raises(UsageError, match=r"unknown key 'provider' in the assertion's config; did you mean 'judge'\?"):
        check_config({"rubric": "clear", "provider": "openai:gpt-5"})


@pytest.mark.parametrize(
    "output",
    [
        [{"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"parcel": 7}'}}],
        {"place": "Leeds", "sure": True},
        [],
        None,
        7,
    ],
    ids=str,
)
def test_an_agent_s_output_of_any_type_is_graded_as_json(output: Any, tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "form.yaml").write_text("criteria: [{name: f, requirement: JSON, check: json_valid}]\n")
    context = {"config": {"rubric": str(tmp_path / "rubrics" / "form.yaml"), "calibration": "off"}, "vars": {}}
    engine = Engine()
    assert json.loads(read_call(output, context, tmp_path, engine).submission.response) == output
    assessment = asyncio.run(assess(output, context, near=tmp_path, engine=engine))
    assert (assessment["pass"], assessment["score"]) == (True, 1.0)


@pytest.mark.parametrize(
    "steps", [{"trace": {"spans": [{"spanId": "a", "name": "pay"}]}}, {"vars": {"messages": "[]"}}]
)
def test_a_rubric_with_the_inputs_named_messages_and_trace_needs_only_one_of_the_two(
    tmp_path: Path, steps: dict[str, Any]
) -> None:
    rubric = "inputs: [messages, trace]\ncriteria: [{name: safe, requirement: Is it safe?}]\n"
    (tmp_path / "agent.yaml").write_text(rubric)
    judged = {"rubric": str(tmp_path / "agent.yaml"), "judge": "scripted:MET"}
    context = {"config": judged, "vars": {}}
    call = read_call("Done.", {**context, **steps}, tmp_path, Engine())
    assert len(call.submission.inputs) == 1
    with pytest.raises(UsageError, match="needs the input 'messages'"):
        read_call("Done.", context, tmp_path, Engine())


def test_the_language_and_provider_of_a_promptfoo_test_are_kept_as_metadata_of_the_output(tmp_path: Path) -> None:
    (tmp_path / "form.yaml").write_text("criteria: [{name: f, requirement: JSON, check: json_valid}]\n")
    context = {
        "config": {"rubric": str(tmp_path / "form.yaml")},
        "vars": {},
        "provider": {"id": "echo", "label": "prompt-a"},
        "test": {"metadata": {"language": "de", "tags": ["long"]}},
    }
    call = read_call("{}", context, tmp_path, Engine())
    assert call.facts == {"language": "de", "system": "prompt-a"}
    assert read_call("{}", {**context, "test": None, "provider": None}, tmp_path, Engine()).facts == {}


@pytest.mark.parametrize("own", ["Names the capital", {"requirement": "Names the capital", "weight": 2}])
def test_a_var_that_holds_a_single_criterion_because_promptfoo_splits_lists_into_tests_is_refused(
    own: Any, tmp_path: Path
) -> None:
    context = {"config": {"rubric_var": "own"}, "vars": {"own": own}}
    with pytest.raises(UsageError, match="makes a test of each text of a list in a var; give the list as JSON text"):
        read_call("Paris.", context, tmp_path, Engine())
