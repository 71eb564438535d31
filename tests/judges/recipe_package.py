"""The judge of CONTRIBUTING.md as an installed package, and commands where it is installed."""

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
    """The recipe's first code in that language: the judge's module, and the package's entry point."""
    code, *_ = re.findall(rf"^```{language}\n(.*?)^```$", RECIPE, re.M | re.S)
    return str(code)


def install(site: Path, code: str) -> None:
    """Unpack the recipe's package there, as an installer unpacks a wheel."""
    ((group, points),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    (name, reference), *_ = points.items()
    (site / f"{reference.partition(':')[0]}.py").write_text(code, encoding="utf-8")
    about = site / "markscheme_always-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: markscheme-always\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {reference}\n")


def environment_with_package(folder: Path) -> Path:
    """Make the interpreter of an environment of its own, which has markscheme, and the recipe's package installed."""
    home = folder / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "here.pth").write_text("\n".join([str(ROOT / "src"), *(path for path in sys.path if "-packages" in path)]))
    install(site, block("python"))
    return home / "bin" / "python"


def replace_module(python: Path, code: str) -> None:
    """Put other code in the place of the package's module."""
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
    """A command of markscheme, what it reads from its standard input, and variables that stay for those after it."""

    arguments: tuple[str, ...]
    answer: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """What a command ended with."""

    returncode: int
    stdout: str
    stderr: str


def in_turn(python: Path, cwd: Path, *commands: Command) -> list[Done]:
    """What the commands end with, all run by one fresh interpreter."""
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
