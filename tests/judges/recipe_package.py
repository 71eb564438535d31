"""The judge from the recipe in CONTRIBUTING.md as an installed package, and commands run with it."""

import json
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, environment

RECIPE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Add a judge")[2].partition("\n### ")[0]


def block(language: str) -> str:
    """Return the recipe's first code block in a language: the judge's module, or the package's entry point."""
    code, *_ = re.findall(rf"^```{language}\n(.*?)^```$", RECIPE, re.M | re.S)
    return str(code)


def install(site: Path, code: str) -> None:
    """Unpack the recipe's package into a folder, as an installer unpacks a wheel."""
    ((group, points),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    (name, reference), *_ = points.items()
    (site / f"{reference.partition(':')[0]}.py").write_text(code, encoding="utf-8")
    about = site / "markscheme_always-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: markscheme-always\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {reference}\n")


def environment_with_package(folder: Path) -> Path:
    """Make an environment with markscheme and the recipe's package; return its interpreter."""
    home = folder / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "here.pth").write_text("\n".join([str(ROOT / "src"), *(path for path in sys.path if "-packages" in path)]))
    install(site, block("python"))
    return home / "bin" / "python"


def replace_module(python: Path, code: str) -> None:
    """Replace the code of the package's module."""
    (module,) = python.parents[1].glob("lib/python*/site-packages/markscheme_always.py")
    module.write_text(code)


COMMANDS = """
import contextlib, io, json, os, sys
from markscheme.cli import main

done = []
for arguments, answer, variables in json.load(sys.stdin):
    os.environ |= variables
    sys.stdin = io.TextIOWrapper(io.BytesIO(answer.encode()))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main(arguments)
    done.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(done))
"""


@dataclass(frozen=True)
class Command:
    """A markscheme command with its standard input, and variables that stay set for later commands."""

    arguments: tuple[str, ...]
    answer: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """The result of a command."""

    returncode: int
    stdout: str
    stderr: str


def in_turn(python: Path, cwd: Path, *commands: Command) -> list[Done]:
    """Run commands one after another in one fresh interpreter; return their results."""
    asked = [(command.arguments, command.answer, command.variables) for command in commands]
    done = subprocess.run(
        [str(python), "-c", COMMANDS],
        cwd=cwd,
        env=environment(setting.environment(cwd)),
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Done(*ended) for ended in json.loads(done.stdout)]
