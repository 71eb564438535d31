"""Faults in the words that follow `label`."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from tests.commands.console import run


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("label", ["r", "--rater"], "`--rater` needs a value: NAME"),
        ("label", [], "RUBRIC is missing, as in: markscheme label code-quality"),
    ],
)
def test_an_error_about_a_wrong_option_or_value_of_label_says_what_is_allowed(
    command: str, words: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, SettingsFile())
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--progress", "--ratings", "there.jsonl"], "leave it out, or type --plan in place of --progress"),
        (
            ["--disputed", "--sheet", "d.html"],
            "serves its page and writes no sheet; leave --sheet d.html out",
        ),
        (["--plan", "--sheet", "d.html"], "--plan opens no page and writes no sheet; leave --sheet d.html out"),
        (["--progress", "--sheet", "d.html"], "--progress opens no page and writes no sheet"),
        (["--plan", "--same-meaning", "clarity"], "--plan and --same-meaning are two steps: run one after the other"),
        (["--progress", "--disputed"], "--progress and --disputed are two steps"),
        (["--plan", "--audits"], "--plan and --audits are two steps"),
    ],
)
def test_the_label_command_refuses_an_option_that_would_have_no_effect(
    tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "there.jsonl").write_text("")
    done = run("markscheme", "label", "code-quality", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["r", "--json"], "-"),
        (["--json", "r"], "-"),
        (["r", "--json", "plan.json"], "plan.json"),
        (["r", "--json=out.txt"], "out.txt"),
        (["r"], None),
    ],
)
def test_the_json_option_of_label_takes_an_optional_file(words: list[str], target: str | None) -> None:
    bound = parse("label", words, SettingsFile()).bound
    assert (bound.arguments["rubric"], bound.arguments.get("json")) == ("r", target)


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("code-quality", "--ratter", "ann"), "did you mean `--rater`?"),
        (("code-qualty",), "did you mean 'code-quality'?"),
    ],
)
def test_an_unknown_option_or_rubric_exits_2_with_a_line_that_suggests_the_most_similar_name(
    words: tuple[str, ...], nearest: str
) -> None:
    done = run("markscheme", "label", *words)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert nearest in done.stderr


def test_the_progress_of_a_rubric_without_examples_names_the_command_that_labels_outputs(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "r.yaml").write_text("criteria: [{requirement: It is right.}]\n")
    done = run("markscheme", "label", "r", "--progress", cwd=tmp_path)
    assert done.returncode == 2
    assert "holds no examples.jsonl; `markscheme label RUBRIC --pool FILE` adds what is labelled" in done.stderr


@pytest.mark.parametrize("option", ["--plan", "--progress"])
def test_the_label_command_shows_a_plan_and_the_progress_also_for_promptfoo_s_results(
    option: str, rated_results: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(rated_results))
    done = run("markscheme", "label", "results.json", option, cwd=tmp_path)
    assert (done.returncode, "made of results.json" in done.stderr) == (0, True), done.stderr
