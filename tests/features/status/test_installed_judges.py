"""What the status says of a kind of judge that an installed package adds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.judges.recipe_package import Command, Done, block, environment_with_package, in_turn, replace_module
from tests.judges.test_kinds import OF_OLD

STATUS = ("status", "--json")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of an environment of its own, which has markscheme, and the recipe's package installed."""
    return environment_with_package(tmp_path)


def listed(status: Done) -> dict[str, Any]:
    """What `status` said of the recipe's judge."""
    assert status.returncode == 0, status.stderr
    judges = {judge["name"]: judge for judge in json.loads(status.stdout)["judges"]}
    return dict(judges["always:…"])


@pytest.mark.proof
def test_status_lists_the_judge_of_the_package_that_a_documented_recipe_installs(python: Path, tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here")
    unset, with_it = in_turn(python, here, Command(STATUS), Command(STATUS, variables={"ALWAYS_ALLOWED": "1"}))
    assert listed(unset) == {"name": "always:…", "usable": False, "why": "set ALWAYS_ALLOWED"}
    assert listed(with_it)["why"] == "ALWAYS_ALLOWED is set"


def test_status_lists_an_installed_judge_that_is_an_object_with_a_name_and_an_opener(
    python: Path, tmp_path: Path
) -> None:
    replace_module(python, block("python").partition("KIND = ")[0] + OF_OLD)
    (status,) = in_turn(python, setting.make_setting(tmp_path / "here"), Command(STATUS))
    assert listed(status) == {"name": "always:…", "usable": True, "why": ""}


def test_status_lists_an_installed_judge_that_cannot_be_loaded_with_the_reason(python: Path, tmp_path: Path) -> None:
    replace_module(python, "import no_such_module\n")
    (status,) = in_turn(python, setting.make_setting(tmp_path / "here"), Command(STATUS))
    always = listed(status)
    assert not always["usable"]
    assert "package markscheme-always cannot be loaded" in always["why"]
