"""Command lines: the order of words, values of options, and completion."""

import shlex
from pathlib import Path

import pytest

from markscheme.commands.call import parse
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from tests.commands.console import run
from tests.commands.judged_project import make_project
from tests.commands.pasted import printed_commands

NONE = SettingsFile()


def test_file_names_may_be_typed_before_and_after_the_options_of_a_command() -> None:
    bound = parse("calibrate", ["a.json", "--quiet", "b.json", "--target", "0.7", "--target", "0.9"], NONE).bound
    assert bound.arguments["rubric"] == ("a.json", "b.json")
    assert (bound.arguments["report"].quiet, bound.arguments["labels"].target) == (True, 0.9)


def test_a_parsed_command_line_names_the_options_that_were_typed_and_the_values_of_typed_settings() -> None:
    words = ["r", "--judge=x", "-o", "cache=off", "-ocache=auto", "--", "--samples"]
    parsed = parse("grade", words, NONE)
    assert parsed.options == {"--judge", "-o cache"}
    assert parsed.typed == {"cache": ["off", "auto"]}


@pytest.mark.parametrize(
    ("words", "files", "rubrics"),
    [
        (["r", "--ratings", "a", "b"], ["a", "b"], ["r"]),
        (["r", "--ratings", "a", "--quiet", "--ratings", "b", "c"], ["a", "b", "c"], ["r"]),
        (["--ratings", "a", "b", "--", "r"], ["a", "b"], ["r"]),
        (["--ratings", "a", "b", "r"], ["a", "b"], ["r"]),
        (["--ratings", "a", "r", "--quiet"], ["a"], ["r"]),
        (["--ratings=a", "r"], ["a"], ["r"]),
        (["r", "--ratings", "-", "--target", "0.7"], ["-"], ["r"]),
    ],
)
def test_an_option_that_takes_several_files_may_be_typed_once_or_repeated(
    words: list[str], files: list[str], rubrics: list[str]
) -> None:
    bound = parse("calibrate", words, NONE).bound
    assert [str(path) for path in bound.arguments["ratings"]] == files
    assert list(bound.arguments["rubric"]) == rubrics


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("calibrate", ["r", "--target", "80"], "`--target` must be above 0 and at most 1, got 80; did you mean 0.8?"),
        ("calibrate", ["r", "--target", "80%"], "`--target` must be above 0 and at most 1, got 80%; did you mean 0.8?"),
        ("calibrate", ["r", "-o", "max_false_pass=5%"], "must be from 0 to 1, got 5%; did you mean 0.05?"),
        ("calibrate", ["r", "-o", "tolerance=10%"], "must be a number above 0, got 10%; did you mean 0.1?"),
        ("calibrate", ["r", "--samples", "1.5"], "`--samples` must be a whole number from 1, got 1.5"),
        (
            "calibrate",
            ["r", "--split", "deb"],
            "`--split` must be one of dev, test, all, got 'deb'; did you mean `dev`?",
        ),
        ("calibrate", ["r", "--tolerence", "1"], "unknown option `--tolerence`; did you mean `-o tolerance=D`?"),
        ("calibrate", ["r", "--no-cach"], "unknown option `--no-cach`; did you mean `-o cache=off`?"),
        ("calibrate", ["r", "--ratings", "a", "b", "--quite"], "unknown option `--quite`; did you mean `--quiet`?"),
        ("calibrate", ["r", "--rating", "a", "b"], "unknown option `--rating`; did you mean `--ratings`?"),
        ("label", ["r", "--no-browser"], "unknown option `--no-browser`; `markscheme label --help-all` lists all"),
        ("label", ["r", "--output", "f"], "unknown option `--output`; `markscheme label --help-all` lists all"),
        ("calibrate", ["r", "--ratings", "--quiet"], "`--ratings` needs a value: FILE..."),
        ("grade", ["r", "--no-json"], "unknown option `--no-json`"),
        ("session", ["status", "more"], "unexpected 'more'"),
    ],
)
def test_an_error_about_a_wrong_option_or_value_says_what_is_allowed(
    command: str, words: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse(command, words, NONE)
    assert message in str(refused.value)


def test_calibrate_s_help_fits_45_lines_and_shows_the_common_options_only() -> None:
    shown = run("calibrate", "--help", env={"COLUMNS": "80"}).stdout.splitlines()
    assert len(shown) <= 45
    names = [line.split()[0] for line in shown if line.startswith("  --")]
    assert names == [
        "--judge", "--ratings", "--examples", "--require", "--samples", "--budget", "--accept", "--human", "--details",
        "--json", "--markdown", "--html", "--help-all",
    ]  # fmt: skip


def test_printed_commands_repeat_the_options_without_which_the_files_could_not_be_read(
    tmp_path: Path,
) -> None:
    examples = make_project(tmp_path, n=12) / "calibration" / "manners" / "examples.jsonl"
    examples.write_text(examples.read_text() + "{broken\n")
    typed = "-o skip_damaged=true"
    line = ("calibrate", "manners", "--ratings", "gpt.jsonl", *typed.split(), "--details")
    shown = run("markscheme", *line, cwd=tmp_path, env={"COLUMNS": "1000"}).stdout
    commands = [command for command in printed_commands(shown) if command.startswith("markscheme")]
    assert commands
    assert [command for command in commands if command.count(typed) != 1] == []
    again = next(command for command in commands if "calibrate" in command)
    assert run(*shlex.split(again), cwd=tmp_path).stdout.startswith(shown.splitlines()[0])


def test_printed_commands_can_name_a_file_whose_name_begins_with_a_dash(
    tmp_path: Path,
) -> None:
    rows = "".join(f"r{i},{'pass' if i % 3 else 'fail'},{'pass' if i % 4 else 'fail'}\n" for i in range(40))
    (tmp_path / "-v.csv").write_text(f"id,judge,human\n{rows}", encoding="utf-8")
    done = run("markscheme", "calibrate", "./-v.csv", cwd=tmp_path)
    commands = [line for line in printed_commands(done.stdout) if "-v.csv" in line and "calibrate" in line]
    assert commands
    for command in commands:
        assert "error: " not in run(*shlex.split(command), cwd=tmp_path).stderr, command
    missing = run("markscheme", "calibrate", "-w.csv", cwd=tmp_path)
    assert (missing.returncode, "unknown option `-w.csv`" in missing.stderr) == (2, True)
