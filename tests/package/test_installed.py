"""The wheel and the sdist as users get them: installed into an empty environment, and used outside the repository."""

import functools
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.real.promptfoo import run_eval

pytestmark = pytest.mark.proof

SECONDS = 900
"""What an installation may take: it compiles nothing, but fetches a hundred megabytes."""


def interpreters() -> dict[str, str]:
    """Return an interpreter of each supported Python version that is installed here, by version."""
    installed: dict[str, str] = {}
    for version in ("3.11", "3.12", "3.13"):
        of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        candidates = (*map(str, of_pyenv), shutil.which(f"python{version}"), sys.executable)
        fitting = (candidate for candidate in candidates if candidate and _version(candidate) == version)
        first = next(fitting, None)
        if first is not None:
            installed[version] = first
    return installed


@functools.cache  # every process of a test run asks while it collects
def _version(python: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def made(kind: str, folder: Path) -> Path:
    """Build the wheel or sdist from a copy of the files that git tracks."""
    source = folder / "source"
    source.mkdir()
    archive = subprocess.run(["git", "stash", "create"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tree = archive.strip() or "HEAD"
    tar = subprocess.run(["git", "archive", tree], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x"], cwd=source, input=tar, check=True)
    hatch = ("hatchling", "build", "--target", kind, "--directory", str(folder))
    subprocess.run([sys.executable, "-m", *hatch], cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def environment_with(package: Path, python: str, folder: Path) -> Path:
    """Make an environment with only the package and its dependencies; return its interpreter."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    own = folder / "bin" / "python"
    install(own, str(package))
    return own


def install(python: Path, *package: str) -> None:
    """Install a package into the environment of an interpreter, which needs no pip of its own."""
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    pip += ["install", "--quiet", "--no-compile", "--disable-pip-version-check", *package]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def with_wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Make an environment with only the wheel, once for each Python version; return its interpreter."""

    @functools.cache
    def make(version: str) -> Path:
        folder = tmp_path_factory.mktemp("wheel")
        return environment_with(made("wheel", folder), interpreters()[version], folder / "env")

    return make


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder with a short path, since a socket's path may not be long, outside any repository."""
    with tempfile.TemporaryDirectory(prefix="ms-", dir="/tmp") as name:
        yield Path(name)


def used(python: Path, folder: Path) -> str:
    """Run a user's commands; return their output."""
    folder.mkdir()
    command = [str(python), "-I", str(ROOT / ".ci" / "as_user.py"), str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("version", interpreters())
@pytest.mark.usefixtures("promptfoo")
def test_the_wheel_works_in_an_empty_environment(version: str, folder: Path, with_wheel: Callable[[str], Path]) -> None:
    python = with_wheel(version)
    printed = used(python, folder / "work")
    assert printed.startswith("markscheme 0.")
    assert printed.splitlines()[-1] == "status, lint"
    config = folder / "work" / "promptfooconfig.yaml"
    config.write_text(
        "prompts: ['{{reply}}']\nproviders: [echo]\ntests:\n- vars: {reply: '[1]'}\n  assert:\n"
        "  - {type: python, value: 'file://graders/rubric_grader.mjs', config: {rubric: form}}\n"
    )
    done = run_eval(config, cwd=folder / "work", env={"PROMPTFOO_PYTHON": str(python), "XDG_RUNTIME_DIR": str(folder)})
    (row,) = done.results["results"]["results"]
    assert row["namedScores"] == {"form": 1}, row


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel, except the list of its files."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith(".dist-info/RECORD")}


def test_the_sdist_builds_a_wheel_with_the_same_content(tmp_path: Path) -> None:
    for kind in ("wheel", "sdist", "again"):
        (tmp_path / kind).mkdir()
    wheel, sdist = (made(kind, tmp_path / kind) for kind in ("wheel", "sdist"))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path / "again")]
    done = subprocess.run([*pip, str(sdist)], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    (again,) = (tmp_path / "again").glob("*.whl")
    assert contents(again) == contents(wheel)
