"""Every setting, through each of its routes: typed, in a file, in Promptfoo, in pytest and from Python."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from inspect import BoundArguments
from pathlib import Path
from typing import Any, Final

import pytest

from markscheme.assert_grade import pytest_source
from markscheme.calibration.api import CALIBRATING
from markscheme.commands.call import described, parse
from markscheme.commands.table import RARE_GROUP, all_commands, command_names
from markscheme.errors import UsageError
from markscheme.grading.grader import ask_options
from markscheme.judges.options import ASK_OPTIONS, AskOptions
from markscheme.options.in_force import reading_options, split_reading, typed_reading
from markscheme.options.settings import SettingsFile, find_settings
from markscheme.options.table import (
    OPTIONS,
    AddedOptions,
    families_of,
    options_in,
    options_of,
    read_options,
    settings_declared,
)
from markscheme.pages.options import PageOptions
from markscheme.promptfoo.assertion import asking_options, check_config, reading_of
from markscheme.promptfoo.engine import Engine
from tests.commands.console import run

NEEDS: Final[dict[str, list[str]]] = {"demo": [], "session": ["status"], "batches": ["list"], "status": [], "init": []}
"""Operands of commands that need none; others need a rubric, which isn't opened to read a command line."""
OPERANDS: Final = {"calibrate": ["r"], "grade": ["r", "f"], "label": ["r"], "discover": ["r"], "demo": []}
"""Commands by which settings are typed, with what each needs: the first one that has the setting is tried."""
VALUES: Final[Mapping[str, tuple[Any, str]]] = {
    "accepted": (Path("then.json"), "then.json"),
    "agreement_weights": ("linear", "linear"),
    "annotators": (3, "3"),
    "ask_whole": ("always", "always"),
    "all_criteria": ("yes", "yes"),
    "batch": (True, "true"),
    "batch_reasks": ("live", "live"),
    "budget": (2.5, "2.5"),
    "cache": (False, "off"),
    "concurrency": (3, "3"),
    "drift_margin": (0.1, "0.1"),
    "encoding": ("latin-1", "latin-1"),
    "expected": (True, "true"),
    "host": ("0.0.0.0", "0.0.0.0"),
    "gold": ("adjudicated", "adjudicated"),
    "gold_by": ("mean", "mean"),
    "judge": ("openai:gpt-5-mini", "openai:gpt-5-mini"),
    "map": (("answer=response",), "answer=response"),
    "max_false_fail": (0.2, "0.2"),
    "max_false_pass": (0.1, "0.1"),
    "max_false_credit": (0.1, "0.1"),
    "max_missed_credit": (0.1, "0.1"),
    "trend_on": ("criteria", "criteria"),
    "max_tokens": (900, "900"),
    "max_image_mb": (2.5, "2.5"),
    "max_media": (3, "3"),
    "max_megapixels": (9.5, "9.5"),
    "max_pdf_mb": (7.5, "7.5"),
    "media_hosts": ("cdn.example.com", "cdn.example.com"),
    "metric": ("ordinal", "ordinal"),
    "model": ("gpt-5-mini", "gpt-5-mini"),
    "orders": (1, "1"),
    "planned_runs": (13, "13"),
    "port": (9000, "9000"),
    "public_url": ("https://label.example.org/", "https://label.example.org/"),
    "probe": (False, "off"),
    "price": ("3:15", "3:15"),
    "requests_per_minute": (40, "40"),
    "run_number": (2, "2"),
    "samples": (3, "3"),
    "seed": (5, "5"),
    "skip_damaged": (True, "true"),
    "scorers": (("checks", "more.checks"), "checks,more.checks"),
    "strategy": ("holistic", "holistic"),
    "criteria_per_call": (7, "7"),
    "target": (0.85, "0.85"),
    "temperature": (0.7, "0.7"),
    "tokens_per_minute": (4000, "4000"),
    "tolerance": (0.2, "0.2"),
    "untimed": (True, "true"),
}
"""By key, a value other than the default, and how it is typed."""
DECLARED: Final = dict(settings_declared())
OFFERED: Final = [command for command in OPERANDS if command in command_names()]
TYPED: Final = {key: command for command in reversed(OFFERED) for key in described(command).settings}
"""By key, the command by which a setting is typed."""


def test_every_key_of_the_settings_file_has_a_sample_value_and_a_command_line_in_these_tests() -> None:
    assert set(DECLARED) <= set(VALUES)
    assert set(DECLARED) - set(TYPED) <= (set() if len(OFFERED) == len(OPERANDS) else set(options_of(PageOptions)))


def value_among(values: object, key: str) -> Any:
    """Return the value of a setting among the arguments of a command, or the options of a call."""
    for value in values if isinstance(values, tuple | list) else (values,):
        if isinstance(value, AddedOptions):
            return value_among(value.values, key)
        if is_dataclass(value) and hasattr(value, key) and getattr(value, key) != getattr(type(value)(), key):  # type: ignore[misc]
            return getattr(value, key)
    return None


def value_of(bound: BoundArguments, key: str) -> Any:
    """Return the value of a setting among the arguments that a command's function gets."""
    argument = bound.arguments.get(key)
    return value_among(list(bound.arguments.values()), key) if argument is None else argument


def routes_of(key: str) -> set[str]:
    """Return the routes, such as "file", by which a setting must be settable.

    `-o` sets all. A file doesn't say what is true of one run, what is written, or what code is run. Asking and reading
    are the same in every framework and in Python; what `calibrate` compares is an argument of it there too.
    """
    routes = {"command line"} | ({"file"} if DECLARED[key].is_setting else set())
    if key in ASK_OPTIONS or key in reading_options():
        routes |= {"Promptfoo", "pytest", "Grader", "calibrate()"}
    compared = (*CALIBRATING.families, *families_of("calibrate"))
    if any(key in options_of(family) for family in compared) and key not in CALIBRATING.without:
        routes.add("calibrate()")
    return routes


def in_toml(value: Any, text: str) -> str:
    """Write a value as it stands in the settings file."""
    if isinstance(value, tuple):
        column, _, field = text.partition("=")
        return f'{{{column} = "{field}"}}'
    return f'"{text}"' if isinstance(value, str) or text == "off" else text


@pytest.mark.parametrize("key", sorted(TYPED))
def test_a_setting_has_the_same_value_whether_set_by_command_line_or_settings_file_or_environment_or_python(
    key: str, tmp_path: Path
) -> None:
    value, text = VALUES[key]
    read: dict[str, Any] = {}
    command, operands = TYPED[key], OPERANDS[TYPED[key]]
    typed = [*operands, "-o", f"{key}={text}"]
    read["command line"] = set_by_words(command, typed, SettingsFile(), key)[key]
    if DECLARED[key].is_setting:
        (tmp_path / "markscheme.toml").write_text(f"{key} = {in_toml(value, text)}\n")
        file = find_settings(tmp_path)
        holders = [family for family in _families_with(key) if options_of(family)[key].is_setting]
        (read["file"],) = {getattr(read_options(family, file.source_of(family)), key) for family in holders}
        if key not in reading_options():
            assert set_by_words(command, operands, file, key)[key] == read["command line"]
    if key in ASK_OPTIONS:
        read["Promptfoo"] = getattr(asking_options({key: value}, Engine([])), key)
        read["pytest"] = getattr(read_options(AskOptions, pytest_source(None, [f"{key}={text}"], "-o")), key)
        read["Grader"] = getattr(ask_options(None, {key: value}), key)
        if ASK_OPTIONS[key].variable is not None:
            in_environment = "1" if key == "cache" else text
            assert options_in(AskOptions, {str(ASK_OPTIONS[key].variable): in_environment})[key] == value
    if key in reading_options():
        check_config({key: value})
        read["Promptfoo"] = value_among(reading_of({key: value}), key)
        read["pytest"] = value_among(split_reading([pytest_source(None, [f"{key}={text}"], "-o")], ASK_OPTIONS)[0], key)
        read["Grader"] = value_among(split_reading([({key: value}, "{}")], ASK_OPTIONS)[0], key)
    added, asking = CALIBRATING.read({key: value}, SettingsFile())
    if key not in asking:
        read["calibrate()"] = value_among(added, key)
    elif key in ASK_OPTIONS:
        read["calibrate()"] = getattr(ask_options(None, asking), key)
    assert {route: read_value for route, read_value in read.items() if read_value != value} == {}
    assert set(read) == routes_of(key)


def set_by_words(command: str, words: list[str], settings: SettingsFile, *keys: str) -> dict[str, Any]:
    """Return the values that a command line gives to some settings."""
    _, bound, typed, _ = parse(command, words, settings)
    of_reading = typed_reading(typed)
    values_by_key = {
        key: value_among(of_reading, key) if key in reading_options() else value_of(bound, key) for key in keys
    }
    if "judge" in values_by_key and isinstance(values_by_key["judge"], tuple):
        (values_by_key["judge"],) = values_by_key["judge"]
    return values_by_key


def _families_with(key: str) -> list[type]:
    return [family for family in (row.load() for row in OPTIONS) if key in options_of(family)]


@pytest.mark.parametrize("command", command_names())
def test_every_setting_of_a_command_may_be_typed_as_key_and_value_with_the_o_option(command: str) -> None:
    keys = described(command).settings
    words = ["r", "s"] if command == "compare" else NEEDS.get(command, ["r"])
    typed = [*words, *(word for key in keys for word in ("-o", f"{key}={VALUES[key][1]}"))]
    read = set_by_words(command, typed, SettingsFile(), *keys)
    assert read == {key: VALUES[key][0] for key in keys}


@pytest.mark.parametrize("command", [row.name for row in all_commands() if row.group != RARE_GROUP])
def test_a_settings_key_typed_as_a_long_option_is_refused_with_the_o_option_to_type_instead(
    command: str,
) -> None:
    for option in described(command).keyed:
        for name in option.names:
            with pytest.raises(UsageError) as refused:
                parse(command, [name, *([VALUES[option.setting][1]] if option.value else [])], SettingsFile())
            assert str(refused.value).startswith(f"`{name}` is a setting: type `-o ")
            assert f"{option.setting}=" in str(refused.value)


def test_the_target_option_overrides_a_target_given_with_the_o_option_or_in_the_settings_file(
    tmp_path: Path,
) -> None:
    file = SettingsFile(tmp_path / "markscheme.toml", {"target": 0.5})
    bound = parse("calibrate", ["r", "-o", "target=0.6"], file).bound
    assert bound.arguments["labels"].target == 0.6
    bound = parse("calibrate", ["r", "-otarget=0.6", "--target", "0.7"], file).bound
    assert bound.arguments["labels"].target == 0.7


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "tolerence=0.1"], "`markscheme calibrate` has no setting `tolerence`; did you mean `tolerance`?"),
        (["-o", "annotators=3"], "has no setting `annotators`; known are judge, "),
        (["-o", "target=80"], "-o: `target` must be above 0 and at most 1, got 80; did you mean 0.8?"),
        (["-o", "target"], "`-o` needs KEY=VALUE, got 'target'"),
        (["-o"], "`-o` needs KEY=VALUE"),
    ],
)
def test_the_error_on_a_wrong_key_for_the_o_option_names_the_command_s_keys_or_the_allowed_values(
    words: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        parse("calibrate", ["r", *words], SettingsFile())
    assert message in str(refused.value)


@pytest.mark.parametrize(("key", "named"), [("run_number", "one run"), ("accepted", "a file to write")])
def test_a_settings_file_cannot_set_output_files_or_values_that_belong_to_a_single_run(
    key: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / "markscheme.toml").write_text(f"{key} = '{VALUES[key][1]}'\n")
    with pytest.raises(UsageError, match=f"`{key}` must not name {named} here"):
        find_settings(tmp_path)


def test_the_help_on_settings_lists_all_keys_and_the_full_help_of_a_command_lists_its_keys() -> None:
    listed = run("markscheme", "help", "settings").stdout
    assert all(f"\n  {key}" in listed for key in DECLARED)
    of_command = run("markscheme", "grade", "--help-all").stdout
    assert "settings, by -o KEY=VALUE" in of_command
    assert all(key in of_command for key in described("grade").settings)
