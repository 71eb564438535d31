"""The package's metadata: licence, address, versions and contents."""

import re
import subprocess
import tomllib
from email import message_from_string
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.house import SOURCE, STUBS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PLACEHOLDER = "example.invalid"


@pytest.fixture(scope="session")
def metadata(unpacked_wheel: Path) -> dict[str, list[str]]:
    (file,) = unpacked_wheel.glob("*.dist-info/METADATA")
    message = message_from_string(file.read_text(encoding="utf-8"))
    return {name: [str(value) for value in message.get_all(name, [])] for name in set(message)}


def tracked() -> list[Path]:
    """Return the files of the repository that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_the_package_states_its_licence_as_an_expression_and_includes_the_text(metadata: dict[str, list[str]]) -> None:
    assert metadata["License-Expression"] == ["MIT"]
    assert metadata["License-File"] == ["LICENSE"]
    assert metadata["Author"] == ["The markscheme authors"]
    assert not any("License ::" in classifier for classifier in metadata["Classifier"])


def test_the_repository_s_address_is_a_placeholder_that_is_written_once() -> None:
    (url,) = PROJECT["urls"].values()
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert PLACEHOLDER in url
    assert re.search(rf"^# A placeholder: .*\nRepository = \"{re.escape(url)}\"$", text, re.MULTILINE)
    assert text.count(PLACEHOLDER) == 1
    places = [path for path in tracked() if PLACEHOLDER.encode() in path.read_bytes()]
    assert [path.relative_to(ROOT).as_posix() for path in places if "tests" not in path.parts] == ["pyproject.toml"]


def test_the_declared_python_versions_equal_those_that_ci_tests() -> None:
    stated = {classifier.rpartition(" ")[2] for classifier in PROJECT["classifiers"] if ":: 3." in classifier}
    lowest = PROJECT["requires-python"].removeprefix(">=")
    tried = re.search(r"^for version in ([\d. ]+); do$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.M)
    assert tried is not None
    assert stated == {lowest, *tried[1].split()}


def test_every_dependency_is_written_in_the_form_that_the_test_run_with_lowest_versions_can_read() -> None:
    for requirement in PROJECT["dependencies"]:
        assert re.fullmatch(r"[\w.-]+>=[\d.]+(,<\d+)?", requirement), requirement


def test_the_wheel_contains_all_files_that_init_and_calibrate_need(unpacked_wheel: Path) -> None:
    shipped = unpacked_wheel / "markscheme" / "shipped"
    for folder in ("graders", "rubrics", "skills"):
        here = {path.relative_to(ROOT / folder) for path in tracked() if path.is_relative_to(ROOT / folder)}
        files = {path.relative_to(shipped / folder) for path in (shipped / folder).rglob("*") if path.is_file()}
        assert here == files, folder
    assert (shipped / "calibration" / "code-quality" / "examples.jsonl").is_file()


def test_the_wheel_contains_type_information_for_all_public_modules(unpacked_wheel: Path) -> None:
    installed = unpacked_wheel / "markscheme"
    assert (installed / "py.typed").is_file()
    stubs = {path.relative_to(SOURCE) for path in SOURCE.rglob(STUBS)}
    assert stubs == {path.relative_to(installed) for path in installed.rglob(STUBS)}
    assert all((installed / stub).with_suffix(".py").is_file() for stub in stubs)


def test_the_top_of_the_repository_holds_no_data_that_a_trial_run_left_there() -> None:
    top = {path.suffix for path in tracked() if path.parent == ROOT}
    assert top == {"", ".cff", ".md", ".toml", ".yml", ".yaml", ".json"}
    assert [path.name for path in tracked() if path.parent == ROOT and path.suffix == ".json"] == ["renovate.json"]


def test_every_dependency_has_a_lower_bound_and_an_upper_bound_at_its_next_major_version() -> None:
    for requirement in PROJECT["dependencies"]:
        match = re.fullmatch(r"([\w.-]+)>=(\d+)[\d.]*,<(\d+)", requirement)
        assert match, requirement
        name, lowest, below = match[1], int(match[2]), int(match[3])
        assert lowest < below, requirement
        assert int(version(name).partition(".")[0]) < below, requirement
    assert len(PROJECT["dependencies"]) == 19
