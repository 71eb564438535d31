"""The labelled set for documentation: labels follow from its fault table, and its code examples run as labelled."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.labelled_sets.fault_table import load_set
from tests.real.promptfoo import NODE

LABELLED = load_set("documentation")
CODE_FAILS, OUTPUT_DIFFERS = "broken-example", "wrong-output"
A_DAY_IN_2020 = 1_600_000_000


def test_texts_in_the_labelled_set_on_documentation_have_between_8_and_45_lines() -> None:
    lengths = {example["id"]: len(example["response"].splitlines()) for example in LABELLED.examples}
    assert {key: length for key, length in lengths.items() if not 8 <= length <= 45} == {}


def of_task(group: str) -> list[Any]:
    """Return the examples of a task that contain a code example, as test parameters named by id."""
    return [
        pytest.param(example, id=example["id"])
        for example in LABELLED.examples
        if example["group"] == group and "no-example" not in example["faults"]
    ]


def fenced(text: str, language: str) -> str:
    """Return the first block of `language` in `text`, without its fence and without the stars of a comment."""
    plain = re.sub(r"(?m)^ \* ?", "", text)
    match = re.search(rf"```{language}\n(.*?)```", plain, re.DOTALL)
    assert match, f"no {language} block in {text[:60]!r}"
    return match[1]


def run(*command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `command` in `folder` with Node on the path and only `environment` as variables; return its output."""
    settings = {"PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}", **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("example", of_task("retry-docstring"))
def test_python_examples_in_the_labelled_documentation_texts_print_what_they_show(
    example: dict[str, Any], tmp_path: Path
) -> None:
    package = tmp_path / "httpkit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "retrying.py").write_text(fenced(example["query"], "python"), encoding="utf-8")
    docstring = textwrap.dedent(example["response"].strip().strip('"'))
    (tmp_path / "docstring.txt").write_text(docstring, encoding="utf-8")
    done = run(sys.executable, "-m", "doctest", "docstring.txt", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("example", of_task("map-limit-tsdoc"))
def test_typescript_examples_in_the_labelled_documentation_texts_print_what_they_show(
    example: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "map-limit.ts").write_text(fenced(example["query"], "ts"), encoding="utf-8")
    snippet = fenced(example["response"], "ts")
    (tmp_path / "snippet.ts").write_text(snippet, encoding="utf-8")
    done = run("node", "--no-warnings", "snippet.ts", folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()) == (0, re.findall(r"// (.*)", snippet)), done.stderr


@pytest.mark.parametrize("example", of_task("config-readme"))
def test_a_readme_example_s_command_works_as_shown_unless_its_listed_faults_say_otherwise(
    example: dict[str, Any], tmp_path: Path
) -> None:
    config, main = fenced(example["query"], "js").split("// main.js\n")
    (tmp_path / "config.js").write_text(config, encoding="utf-8")
    (tmp_path / "main.js").write_text(main, encoding="utf-8")
    (tmp_path / "server.js").write_text("export async function startServer() {}\n", encoding="utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    command, shown = fenced(example["response"], "console").removeprefix("$ ").split("\n", 1)
    done = run("bash", "-c", command, folder=tmp_path)
    assert (done.returncode != 0) == (CODE_FAILS in example["faults"])
    assert (done.stdout != shown) == bool({CODE_FAILS, OUTPUT_DIFFERS} & set(example["faults"]))


@pytest.mark.parametrize("example", of_task("prune-logs-help"))
def test_commands_in_the_labelled_set_of_help_texts_fail_if_and_only_if_their_text_is_listed_as_wrong(
    example: dict[str, Any], tmp_path: Path
) -> None:
    script = tmp_path / "prune-logs"
    script.write_text(fenced(example["query"], "bash"), encoding="utf-8")
    script.chmod(0o755)
    commands = re.findall(r"^ *(?:\$ )?(prune-logs [-/]\S.*)$", example["response"], re.MULTILINE)
    assert commands
    for command in commands:
        here = re.sub(r"(?<= )/", f"{tmp_path}/", command)
        for folder in re.findall(rf"{re.escape(str(tmp_path))}\S+", here):
            Path(folder).mkdir(parents=True, exist_ok=True)
        *_, pruned = re.findall(rf"{re.escape(str(tmp_path))}\S+", here)
        log = Path(pruned, "old.log")
        log.touch()
        os.utime(log, (A_DAY_IN_2020, A_DAY_IN_2020))
        done = run("bash", "-c", f"./{here}", folder=tmp_path)
        fails = CODE_FAILS in example["faults"]
        assert (done.returncode != 0, log.exists()) == (fails, fails), done.stderr
