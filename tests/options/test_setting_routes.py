"""Every setting, through each of its routes: typed, in a file, in Promptfoo, in pytest and from Python."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from inspect import BoundArguments
from pathlib import Path
from typing import Any, Final

import pytest

from markscheme.assert_grade import pytest_source
from markscheme.calibration.run import CALIBRATING
from markscheme.commands.call import described, parse
from markscheme.commands.table import RARE_GROUP, all_commands, command_names
from markscheme.errors import UsageError
from markscheme.grading.grader import ask_options
from markscheme.judges.options import ASK_OPTIONS, AskOptions
from markscheme.options.settings import SettingsFile, find_settings
from markscheme.options.table import (
    OPTIONS,
    AddedOptions,
    DeclaredOption,
    options_in,
    options_of,
    read_options,
    settings_declared,
)
from markscheme.promptfoo.assertion import asking_options
from markscheme.promptfoo.engine import Engine
from tests.commands.console import run

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


def test_every_setting_is_tried() -> None:
    assert set(DECLARED) <= set(VALUES)


def value_among(values: object, key: str) -> Any:
    """Return the value of a setting among the arguments of a command, or the options of a call."""
    for value in values if isinstance(values, tuple | list) else (values,):
        if isinstance(value, AddedOptions):
            return value_among(value.values, key)
        if is_dataclass(value) and hasattr(value, key) and getattr(value, key) != getattr(type(value)(), key):  # type: ignore[misc]
            return getattr(value, key)
    return None


def value_of(bound: BoundArguments, key: str) -> Any:
    """Return what a command is called with for a setting."""
    own = bound.arguments.get(key)
    return value_among(list(bound.arguments.values()), key) if own is None else own


def in_toml(value: Any, text: str) -> str:
    """Return a value as the configuration file has it."""
    if isinstance(value, tuple):
        column, _, field = text.partition("=")
        return f'{{{column} = "{field}"}}'
    return f'"{text}"' if isinstance(value, str) or text == "off" else text


@pytest.mark.parametrize("key", sorted(DECLARED))
def test_a_setting_reads_the_same_by_every_route(key: str, tmp_path: Path) -> None:
    value, text = VALUES[key]
    tried = set[str]()
    for command, operands in OPERANDS.items():
        if tried or command not in command_names() or key not in described(command).settings:
            continue
        _, bound = parse(command, [*operands, "-o", f"{key}={text}"], SettingsFile())
        as_typed = value_of(bound, key)
        assert as_typed in (value, (value,)), command  # `calibrate` takes several judges
        tried.add("command line")
        if DECLARED[key].is_setting:
            (tmp_path / "markscheme.toml").write_text(f"{key} = {in_toml(value, text)}\n")
            _, bound = parse(command, operands, find_settings(tmp_path))
            assert value_of(bound, key) == as_typed, command
    if DECLARED[key].is_setting:
        tried.add("file")
        (tmp_path / "markscheme.toml").write_text(f"{key} = {in_toml(value, text)}\n")
        file = find_settings(tmp_path)
        families = [family.load() for family in OPTIONS]
        holders = [family for family in families if key in options_of(family) and options_of(family)[key].is_setting]
        assert {getattr(read_options(family, file.source_of(family)), key) for family in holders} == {value}
    if key in ASK_OPTIONS:
        tried.add("judge")
        assert getattr(asking_options({key: value}, Engine([])), key) == value
        assert getattr(read_options(AskOptions, pytest_source(None, [f"{key}={text}"], "-o")), key) == value
        assert getattr(ask_options(None, {key: value}), key) == value
        if ASK_OPTIONS[key].variable is not None:
            in_environment = "1" if key == "cache" else text
            assert options_in(AskOptions, {str(ASK_OPTIONS[key].variable): in_environment})[key] == value
    added, asking = CALIBRATING.read({key: value}, SettingsFile())
    if key not in asking:
        tried.add("call")
        assert value_among(added, key) == value
    is_read_where_used = not any(option.is_typed for option in _declared_as(key)) and key != "judge"
    assert tried >= ({"file"} if is_read_where_used else {"command line"})


def _declared_as(key: str) -> list[DeclaredOption]:
    families = [family.load() for family in OPTIONS]
    return [options_of(family)[key] for family in families if key in options_of(family)]


@pytest.mark.parametrize("command", [row.name for row in all_commands() if row.group != RARE_GROUP])
def test_a_setting_that_is_typed_by_name_is_refused_by_what_is_typed_instead(command: str) -> None:
    for option in described(command).keyed:
        for name in option.names:
            with pytest.raises(UsageError) as refused:
                parse(command, [name, *([VALUES[option.setting][1]] if option.value else [])], SettingsFile())
            assert str(refused.value).startswith(f"`{name}` is a setting: type `-o ")
            assert f"{option.setting}=" in str(refused.value)


def test_an_option_typed_by_name_counts_before_a_setting_and_a_setting_before_the_file(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "markscheme.toml", {"target": 0.5})
    _, bound = parse("calibrate", ["r", "-o", "target=0.6"], file)
    assert bound.arguments["labels"].target == 0.6
    _, bound = parse("calibrate", ["r", "-otarget=0.6", "--target", "0.7"], file)
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
def test_a_wrong_setting_names_those_of_the_command(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse("calibrate", ["r", *words], SettingsFile())
    assert message in str(refused.value)


@pytest.mark.parametrize(("key", "named"), [("run_number", "one run"), ("accepted", "a file to write")])
def test_a_file_of_a_folder_says_neither_what_is_written_nor_what_is_true_of_one_run(
    key: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / "markscheme.toml").write_text(f"{key} = '{VALUES[key][1]}'\n")
    with pytest.raises(UsageError, match=f"`{key}` must not name {named} here"):
        find_settings(tmp_path)


def test_help_lists_all_settings_and_those_of_a_command() -> None:
    listed = run("markscheme", "help", "settings").stdout
    assert all(f"\n  {key}" in listed for key in DECLARED)
    of_command = run("markscheme", "grade", "--help-all").stdout
    assert "settings, by -o KEY=VALUE" in of_command
    assert all(key in of_command for key in described("grade").settings)
