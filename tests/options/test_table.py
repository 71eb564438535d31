"""Families of options: each is declared once, and every source fills the same object."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path

import pytest

from markscheme.commands.call import command_line, described, parse
from markscheme.commands.help import command_help
from markscheme.errors import UsageError
from markscheme.options.calls import CallOptions
from markscheme.options.forms import SHARE, WHOLE
from markscheme.options.settings import SettingsFile, find_settings
from markscheme.options.table import (
    KEYS_SET_FOR_ALL,
    NUMBER_IN_FILES,
    OPTIONS,
    AddedOptions,
    Family,
    option,
    options_of,
    read_options,
    setting,
    settings_declared,
)
from markscheme.seam import Feature, features, offer


@dataclass(frozen=True, kw_only=True)
class TideOptions:
    """Options of an invented feature."""

    tides: int | None = option(None, "tides to wait for", WHOLE, value="N")
    tide_margin: float | None = setting(
        None, "share of a tide that counts as still", SHARE, value="P", written=NUMBER_IN_FILES
    )


@pytest.fixture
def tide() -> Iterator[None]:
    """Offer a feature that adds a family of options to `calibrate`."""
    before = features()
    added = Feature("tide", OPTIONS(Family(lambda: TideOptions, commands=("calibrate",))))
    command_line.cache_clear()
    described.cache_clear()
    offer(lambda: before, lambda: (added,))
    yield
    offer(lambda: before)
    command_line.cache_clear()
    described.cache_clear()


@pytest.mark.usefixtures("tide")
def test_options_that_an_optional_feature_declares_for_a_command_can_be_typed_after_that_command_only() -> None:
    bound = parse("calibrate", ["r", "--tides", "3", "-o", "tide_margin=0.5"], SettingsFile()).bound
    assert bound.arguments["added"].of(TideOptions) == TideOptions(tides=3, tide_margin=0.5)
    shown = command_help(described("calibrate"), SettingsFile(), everything=True)
    assert "--tides N" in shown
    assert "\n  tide_margin " in shown
    assert "tide_margin" not in command_help(described("grade"), SettingsFile(), everything=True)


@pytest.mark.usefixtures("tide")
def test_of_a_feature_s_options_a_settings_file_can_set_only_those_that_the_feature_declares_as_settings(
    tmp_path: Path,
) -> None:
    (tmp_path / "markscheme.toml").write_text("tide_margin = 0.25\n")
    bound = parse("calibrate", ["r"], find_settings(tmp_path)).bound
    assert bound.arguments["added"].of(TideOptions).tide_margin == 0.25
    (tmp_path / "markscheme.toml").write_text("tides = 3\n")
    with pytest.raises(UsageError, match="unknown key `tides`"):
        find_settings(tmp_path)


@pytest.mark.usefixtures("tide")
def test_the_options_of_a_python_call_are_separated_into_a_feature_s_options_and_all_other_options() -> None:
    file = SettingsFile(Path("markscheme.toml"), {"tide_margin": 0.25, "samples": 3})
    added, rest = CallOptions("calibrate").read({"tides": 2, "samples": 5}, file)
    assert added.of(TideOptions) == TideOptions(tides=2, tide_margin=0.25)
    assert rest == {"samples": 5}


@pytest.mark.usefixtures("tide")
def test_a_wrong_value_of_an_option_is_refused_in_the_same_words_on_the_command_line_and_in_python() -> None:
    refusal = "must be above 0 and at most 1, got 80; did you mean 0.8?"
    with pytest.raises(UsageError) as typed:
        parse("calibrate", ["r", "-o", "tide_margin=80"], SettingsFile())
    assert str(typed.value) == f"-o: `tide_margin` {refusal}"
    with pytest.raises(UsageError) as called:
        read_options(TideOptions, ({"tide_margin": 80}, "`{}`"))
    assert str(called.value) == f"`tide_margin` {refusal}"


def test_a_feature_s_options_have_their_default_values_unless_other_values_are_passed() -> None:
    assert AddedOptions().of(TideOptions) == TideOptions()
    assert AddedOptions((TideOptions(tides=1),)).of(TideOptions).tides == 1


@dataclass(frozen=True, kw_only=True)
class _FordOptions:
    depth: int = option(1, "depth of the water", WHOLE)
    in_project: frozenset[str] = field(default=frozenset(), metadata=KEYS_SET_FOR_ALL)


def test_a_family_of_options_records_which_keys_were_set_for_the_whole_project() -> None:
    source = ({"depth": 2}, "{}")
    assert read_options(_FordOptions, source, for_all=["depth"]) == _FordOptions(
        depth=2, in_project=frozenset(["depth"])
    )
    assert read_options(_FordOptions, source) == _FordOptions(depth=2)
    assert options_of(_FordOptions).keys() == {"depth"}


def test_no_key_of_a_settings_file_is_declared_twice() -> None:
    keys = [key for key, _ in settings_declared()]
    assert sorted(keys) == sorted(set(keys))


def test_looking_up_a_settings_key_of_the_core_loads_no_optional_feature() -> None:
    before = features()
    loaded: list[str] = []

    def load() -> tuple[Feature, ...]:
        loaded.append("once")
        return before

    offer(lambda: before[:1], load)
    assert next(key for key, _ in settings_declared() if key == "target") == "target"
    assert loaded == []
    offer(lambda: before)


def test_the_signature_and_docstring_of_a_python_call_list_the_options_that_are_declared_for_it() -> None:
    taken = CallOptions("nothing", TideOptions, without=("tides",))

    @taken.describe
    def swim(where: str, **options: object) -> tuple[str, tuple[AddedOptions, dict[str, object]]]:
        """Swim.

        Args:
            where: Which sea.
            options: How fast.
        """
        return where, taken.read(options, SettingsFile())

    assert list(signature(swim).parameters) == ["where", "tide_margin", "options"]
    assert "    tide_margin: Share of a tide that counts as still.\n" in str(swim.__doc__)
    where, (options, rest) = swim("sea", tide_margin=0.5, tides=3)
    assert (where, options.of(TideOptions), rest) == ("sea", TideOptions(tide_margin=0.5), {"tides": 3})
