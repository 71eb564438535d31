"""docs/ci.md: its commands are commands, and its workflows are YAML."""

import re
import shlex
from collections.abc import Iterator

import pytest
import yaml

from markscheme.commands import calibrate, status
from tests.commands.console import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
PARSERS = {"calibrate": calibrate.parser, "markscheme status": status.parser}


def _commands() -> Iterator[tuple[str, list[str]]]:
    for line in re.findall(r"^(?:    |\s+- run: )((?:calibrate|markscheme status)\b.*)$", PAGE, re.MULTILINE):
        name = "calibrate" if line.startswith("calibrate") else "markscheme status"
        yield name, shlex.split(line.removeprefix(name), comments=True)


@pytest.mark.parametrize(("name", "arguments"), list(_commands()), ids=str)
def test_every_command_on_the_page_is_understood(name: str, arguments: list[str]) -> None:
    PARSERS[name]().parse_args(arguments)


def test_the_page_shows_accepting_a_gate_a_weekly_run_and_the_status() -> None:
    told = [(name, " ".join(arguments)) for name, arguments in _commands()]
    assert any("--accept" in arguments for _, arguments in told)
    assert any("--junit" in arguments for _, arguments in told)
    assert any("--no-cache --planned-runs" in arguments for _, arguments in told)
    assert ("markscheme status", "") in told


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_every_yaml_on_the_page_can_be_read(block: str) -> None:
    assert isinstance(yaml.safe_load(block), dict)


def test_every_exit_status_is_explained() -> None:
    assert [int(found) for found in re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE)] == [0, 1, 2, 3, 4, 5]
