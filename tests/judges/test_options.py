"""The table of options, read alike from the command line, configuration files, Promptfoo, pytest and Grader."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader, Rubric, ScriptedJudge
from markscheme.errors import UsageError
from markscheme.judges.options import ASK_OPTIONS, AskOptions
from markscheme.options.settings import find_settings
from markscheme.options.table import options_in, read_options
from markscheme.promptfoo.assertion import check_config
from tests.commands.console import ROOT, environment
from tests.judges.echoing import ONE, RECIPE, install_echo
from tests.recipes import PACKAGE, copy_of_package, follow

PLACES = """
import contextlib, io, json, sys
from pathlib import Path
import pytest
from markscheme import Grader
from markscheme.cli import main
from markscheme.promptfoo.assertion import get_assert

def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert main(list(arguments)) == 0
    return json.loads(text.getvalue())

GRADE = ("grade", "one.json", "response.txt", "--judge", "echo:m", "--json")
config = {"rubric": "one.json", "judge": "echo:m", "calibration": "off"}
with Grader("one.json", "echo:m", top_p=0.5) as grader:
    by_program = grader.grade_sync("Hi").reason
reasons = {
    "command line": printed(*GRADE, "-o", "top_p=0.5")["criteria"]["good"]["reason"],
    "Promptfoo": get_assert("Hi", {"config": {**config, "top_p": 0.5}, "vars": {}}, near=Path.cwd())["reason"],
    "Grader": by_program,
    "pytest": str(pytest.main(["-q", "-p", "no:cacheprovider", "--markscheme-option", "top_p=0.5", "check.py"])),
    "call in pytest": str(pytest.main(["-q", "-p", "no:cacheprovider", "check_call.py"])),
    "nowhere": printed(*GRADE)["criteria"]["good"]["reason"],
}
Path("markscheme.toml").write_text("top_p = 0.5")
reasons["configuration file"] = printed(*GRADE)["criteria"]["good"]["reason"]
reasons["configuration file, Promptfoo"] = get_assert("Hi", {"config": config, "vars": {}}, near=Path.cwd())["reason"]
with Grader("one.json", "echo:m") as grader:
    reasons["configuration file, Grader"] = grader.grade_sync("Hi").reason
reasons["configuration file, pytest"] = str(pytest.main(["-q", "-p", "no:cacheprovider", "check.py"]))
json.dump(reasons, open("reasons.json", "w"))
"""
CHECK = """
def test_it(assert_grade):
    assert '"top_p": 0.5' in assert_grade("Hi", "one.json", judge="echo:m").reason
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with one rubric, and an installed kind of judge that takes `top_p`."""
    home = tmp_path / "project"
    (home / ".git").mkdir(parents=True)
    files = {
        "one.json": ONE,
        "response.txt": "Hi",
        "check.py": CHECK,
        "check_call.py": CHECK.replace('"echo:m")', '"echo:m", top_p=0.5)'),
    }
    for name, text in files.items():
        (home / name).write_text(text)
    return install_echo(home)


@pytest.mark.proof
def test_an_option_for_judges_added_by_the_documented_recipe_can_be_set_from_every_source(
    project: Path, tmp_path: Path
) -> None:
    package = copy_of_package(tmp_path / "package")
    assert follow(RECIPE, package) == [f"{PACKAGE}judges/options.py"]
    env = environment({"PYTHONPATH": f"{package / 'src'}:{project}", "MARKSCHEME_CACHE": str(tmp_path / "cache")})
    done = subprocess.run(
        [sys.executable, "-c", PLACES], cwd=project, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    reasons = json.loads((project / "reasons.json").read_text())
    statuses = {place: reasons.pop(place) for place in list(reasons) if "pytest" in place}
    assert statuses == dict.fromkeys(("pytest", "call in pytest", "configuration file, pytest"), "0"), done.stdout
    assert reasons.pop("nowhere") == "{}"
    assert {place: '"top_p": 0.5' in reason for place, reason in reasons.items()} == dict.fromkeys(reasons, True)


def test_the_page_about_configuration_has_every_option() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    table = page.partition("## How a judge is asked\n")[2].partition("\n\n| where")[0]
    keys = re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `")))
    assert sorted(keys) == sorted(ASK_OPTIONS)


FAULTS: dict[str, tuple[Any, str]] = {
    "samples": (0, "a whole number from 1"),
    "budget": (-1, "a number above 0"),
    "temperature": (-0.5, "a number from 0"),
    "strategy": ("guess", "one of one_shot, per_criterion, double_pass, holistic"),
    "cache": ("sometimes", "auto or off"),
    "price": ("cheap", "IN:OUT"),
    "judge": ("", "a judge's name"),
}


@pytest.mark.parametrize("key", FAULTS)
def test_an_invalid_value_gets_the_same_error_from_a_settings_file_and_promptfoo_s_config_and_python(
    key: str, tmp_path: Path
) -> None:
    value, allowed = FAULTS[key]
    refusal = f"must be {allowed}"
    (tmp_path / "markscheme.toml").write_text(f"{key} = {json.dumps(value)}\n")
    with pytest.raises(UsageError, match=rf"markscheme\.toml:1: `{key}` {refusal}"):
        find_settings(tmp_path)
    with pytest.raises(UsageError, match=rf"config\.{key} {refusal}"):
        check_config({key: value})
    if key != "judge":
        with pytest.raises(UsageError, match=rf"{key} {refusal}"):
            Grader(Rubric.from_dict(json.loads(ONE)), "anthropic", **{key: value})


def test_an_option_takes_its_value_from_the_first_source_that_sets_it() -> None:
    options = read_options(AskOptions, ({"samples": 5}, "{}"), ({"samples": 3, "cache": "off", "strategy": None}, "{}"))
    assert options == AskOptions(samples=5, cache=False)


def test_the_model_in_a_settings_file_is_used_only_with_the_judge_in_the_file() -> None:
    file = ({"judge": "openai", "model": "gpt-5-mini"}, "{}")
    assert read_options(AskOptions, ({"judge": "anthropic"}, "{}"), file).model is None
    assert read_options(AskOptions, ({"model": "gpt-5"}, "{}"), file) == AskOptions(judge="openai", model="gpt-5")
    assert read_options(AskOptions, ({}, "{}"), file) == AskOptions(judge="openai", model="gpt-5-mini")


def test_environment_variables_can_limit_calls_and_switch_the_cache_on_or_off() -> None:
    assert options_in(
        AskOptions, {"MARKSCHEME_CONCURRENCY": "3", "MARKSCHEME_NO_CACHE": "1", "MARKSCHEME_BUDGET": ""}
    ) == {
        "concurrency": 3,
        "cache": False,
    }
    assert options_in(AskOptions, {"MARKSCHEME_NO_CACHE": "0"}) == {"cache": True}
    with pytest.raises(UsageError, match="MARKSCHEME_PRICE must be IN:OUT"):
        options_in(AskOptions, {"MARKSCHEME_PRICE": "3"})


def test_an_unknown_option_is_refused_with_the_nearest_name_of_a_known_option() -> None:
    with pytest.raises(UsageError, match=r"unknown option `sampels`; did you mean `samples`\?"):
        Grader(Rubric.from_dict(json.loads(ONE)), ScriptedJudge(()), sampels=3)


def test_a_grader_with_an_open_judge_accepts_options_on_grading_and_refuses_options_on_opening_a_judge() -> None:
    rubric = Rubric.from_dict(json.loads(ONE))
    with pytest.raises(UsageError, match="`budget` says how a judge is opened"):
        Grader(rubric, ScriptedJudge(()), budget=2)
    with Grader(rubric, ScriptedJudge([{"good": "MET"}] * 3), samples=3, concurrency=2) as grader:
        assert grader.grade_sync("Hi").usage.calls == 3
        assert (grader.rubric.samples, grader.concurrency) == (3, 2)
