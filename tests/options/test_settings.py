"""Defaults from markscheme.toml or pyproject.toml."""

import re
from pathlib import Path

import pytest

from markscheme.commands.call import parse
from markscheme.commands.table import command_names
from markscheme.errors import UsageError
from markscheme.judges.options import AskOptions
from markscheme.options.settings import SettingsFile, find_settings, typed_options
from markscheme.options.table import read_options
from tests.commands.console import run
from tests.commands.judged_project import make_project


def test_the_nearest_settings_file_between_the_working_folder_and_the_repository_s_folder_is_used(
    tmp_path: Path,
) -> None:
    inner = tmp_path / "repository" / "part"
    inner.mkdir(parents=True)
    (tmp_path / "markscheme.toml").write_text("target = 0.5\n")
    assert find_settings(inner).values == {"target": 0.5}
    (tmp_path / "repository" / ".git").mkdir()
    assert find_settings(inner).path is None
    (tmp_path / "repository" / "pyproject.toml").write_text("[tool.markscheme]\ntarget = 0.7\n")
    assert find_settings(inner).values == {"target": 0.7}
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_settings(inner).values == {"target": 0.7}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ntolerence = 0.1\n", "markscheme.toml:2: unknown key `tolerence`; did you mean `tolerance`?"),
        ("target = 'high'\n", "markscheme.toml:1: `target` must be a number, got 'high'"),
        ("target = '80%'\n", "markscheme.toml:1: `target` must be a number, got '80%'; did you mean 0.8?"),
        ("target = true\n", "`target` must be a number, got True"),
        ("target = 80\n", "markscheme.toml:1: `target` must be above 0 and at most 1, got 80; did you mean 0.8?"),
        ("\nport = 0\n", "markscheme.toml:2: `port` must be a port from 1 to 65535, got 0"),
        ("seed = -1\n", "markscheme.toml:1: `seed` must be a whole number from 1, got -1"),
        ("max_false_pass = nan\n", "markscheme.toml:1: `max_false_pass` must be from 0 to 1, got nan"),
        ("judge = 'function:os:system'\n", "must not name code or an address"),
        ("judge = 'openai:http://example.com'\n", "must not name code or an address"),
        ("scorers = ['checks']\n", "markscheme.toml:1: `scorers` must not name code here"),
        ("sampels = 3\n", "unknown key `sampels`; did you mean `samples`?"),
        ("target = \n", "markscheme.toml cannot be read"),
    ],
)
def test_a_settings_file_with_an_unknown_key_or_a_wrong_value_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "markscheme.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        find_settings(tmp_path)
    assert message in str(refused.value)


def test_a_pyproject_file_whose_markscheme_entry_is_not_a_table_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "pyproject.toml").write_text('tool = "markscheme"\n')
    assert find_settings(tmp_path).path is None
    (tmp_path / "pyproject.toml").write_text('[tool]\nmarkscheme = "x"\n')
    with pytest.raises(UsageError, match="must be a table of settings"):
        find_settings(tmp_path)


def test_values_in_the_settings_file_count_like_options_unless_the_command_line_overrides_them(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    (project / "markscheme.toml").write_text("target = 0.3\ntolerance = 0.3\n")
    arguments = ("calibrate", "manners", "--ratings", "gpt.jsonl")
    by_file = run(*arguments, "--json", "by-file.json", cwd=project)
    by_hand = run(*arguments, "--target", "0.3", "-o", "tolerance=0.3", "--json", "by-hand.json", cwd=project)
    assert by_file.returncode == by_hand.returncode
    assert (project / "by-file.json").read_text() == (project / "by-hand.json").read_text()
    run(*arguments, "-o", "tolerance=0.1", "--json", "other.json", cwd=project)
    assert (project / "other.json").read_text() != (project / "by-file.json").read_text()
    assert "[markscheme.toml: 0.3]" in run("calibrate", "--help-all", cwd=project).stdout


def test_a_switch_in_the_settings_file_can_be_turned_on_or_off_on_the_command_line(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "markscheme.toml", {"batch": True, "cache": "off"})
    by_file = parse("grade", ["r", "f"], settings).bound
    by_hand = parse("grade", ["r", "f", "--batch=false", "-o", "cache=auto"], settings).bound
    assert [(bound.arguments["ask"].batch, bound.arguments["ask"].cache) for bound in (by_file, by_hand)] == [
        (True, False),
        (False, True),
    ]


def test_a_model_in_the_settings_file_is_used_only_with_the_judge_in_the_settings_file(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "markscheme.toml", {"judge": "openai", "model": "gpt-5-mini"})
    commands = {"grade": ["r", "f"], "improve": ["r"], "experiment": ["e.yaml", "--model", "anthropic"]}
    for command, words in commands.items():
        if command not in command_names():
            continue  # a feature may have been deleted
        bound = parse(command, words, settings).bound
        assert (bound.arguments["judge"], bound.arguments["ask"].model) == ("openai", "gpt-5-mini")
        bound = parse(command, [*words, "--judge", "anthropic"], settings).bound
        assert bound.arguments["judge"] == "anthropic"
        assert "ask" not in bound.arguments


@pytest.mark.parametrize(("words", "kept"), [([], True), (["-o", "cache=off"], False), (["-o", "cache=auto"], True)])
def test_replies_are_cached_unless_an_option_switches_the_cache_off(words: list[str], kept: bool) -> None:
    bound = parse("grade", ["r", "f", "--samples", "1", *words], SettingsFile()).bound
    assert bound.arguments["ask"].cache is kept


def test_the_error_on_an_out_of_range_value_in_a_settings_file_names_the_file_and_line(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (project / "markscheme.toml").write_text("target = 80\n")
    done = run("calibrate", "manners", "--ratings", "gpt.jsonl", cwd=project)
    assert done.returncode == 2
    assert "markscheme.toml:1: target must be above 0 and at most 1, got 80; did you mean 0.8?" in done.stderr.replace(
        "`", ""
    )


def test_settings_are_read_in_a_folder_whose_name_has_braces(tmp_path: Path) -> None:
    folder = tmp_path / "{tone} {}"
    folder.mkdir()
    (folder / "markscheme.toml").write_text("samples = 3\n")
    settings = find_settings(folder)
    assert read_options(AskOptions, settings.source_of(AskOptions)).samples == 3
    with pytest.raises(UsageError, match=re.escape(f"{folder}/markscheme.toml: `samples` must be")):
        read_options(AskOptions, ({**settings.values, "samples": "x"}, settings.source_of(AskOptions)[1]))


def test_the_error_on_a_parameter_that_a_judge_refuses_names_the_settings_file_that_sets_it(
    tmp_path: Path,
) -> None:
    project = make_project(tmp_path)
    calibrate = ("calibrate", "manners", "--judge", "function:scripted_judges:careful", "--quiet")
    refusal = "this kind of model takes no temperature; leave it out"
    typed = run(*calibrate, "-o", "temperature=0.5", cwd=project)
    assert (typed.returncode, typed.stderr) == (2, f"error: {refusal}\n")
    (project / "markscheme.toml").write_text("temperature = 0.5\n")
    from_file = run(*calibrate, cwd=project)
    assert (from_file.returncode, from_file.stderr) == (2, f"error: {project}/markscheme.toml: {refusal}\n")


def test_printed_commands_leave_out_options_without_a_value_or_with_the_settings_file_s_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "markscheme.toml").write_text("samples = 3\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert typed_options({"samples"}, AskOptions(samples=None)) == {}
    assert typed_options({"samples"}, AskOptions(samples=3)) == {}
    assert typed_options({"samples"}, AskOptions(samples=2)) == {"samples": "--samples 2"}
    (tmp_path / "markscheme.toml").write_text("samples = \n", encoding="utf-8")
    assert typed_options({"samples"}, AskOptions(samples=3)) == {"samples": "--samples 3"}


def test_printed_commands_give_the_value_off_to_options_that_are_switched_off() -> None:
    assert typed_options({"probe", "cache"}, AskOptions(probe=False, cache=False)) == {
        "cache": "-o cache=off",
        "probe": "-o probe=off",
    }


def test_a_whole_number_may_be_written_with_a_decimal_point(tmp_path: Path) -> None:
    here = make_project(tmp_path)
    (here / "markscheme.toml").write_text("samples = 3.0\n", encoding="utf-8")
    judge = ("--judge", "function:scripted_judges:careful", "-o", "cache=off")  # other tests may have asked it already
    done = run("calibrate", "manners", *judge, cwd=here)
    assert "180 calls" in done.stdout, done.stderr
