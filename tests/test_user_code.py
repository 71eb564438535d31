"""Commands run no code of a stranger's folder, and code that the user names can import from its own folder."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from markscheme.commands.table import command_names
from tests.commands.console import SECONDS, environment, run_installed
from tests.commands.judged_project import make_project

SEEN = {
    *("brotli", "brotlicffi", "charset_normalizer", "chardet", "cchardet", "h2", "ipywidgets", "msvcrt", "orjson"),
    *("pandas", "polars", "pyarrow", "pygments", "simplejson", "socks", "socksio", "ujson", "uvloop", "winreg"),
    *("xllamacpp", "zstandard"),
}
"""Modules that libraries have been seen to try; those that a run here tries are added."""
JUDGE = ("--judge", "function:scripted_judges:careful")
COMMANDS: Sequence[Sequence[str]] = (
    ("--help",),
    ("status",),
    ("lint", "rubrics/manners.yaml"),
    ("grade", "manners", "reply.txt"),
    ("grade", "manners", "reply.txt", *JUDGE),
    ("grade", "manners", "rows.jsonl", "--out", "grades.parquet", *JUDGE),
    ("grade", "manners", "rows.jsonl", "--out", "grades.csv", *JUDGE),
    ("calibrate", "manners", *JUDGE, "--html", "report.html", "--junit", "report.xml", "--quiet"),
    ("calibrate", "judges.jsonl"),
    ("label", "manners", "--plan", *JUDGE),
    ("improve", "manners", "--numbers", "--open", *JUDGE),
    ("certify", "manners", *JUDGE),
    ("stress", "manners", *JUDGE),
    ("compare", "function:scripted_judges:careful", "function:scripted_judges:hasty", "--rubric", "manners"),
    ("label", "manners", "--sheet", "sheet.html"),
    ("import", "rows.jsonl", "--rubric", "manners"),
    ("experiment", "support.experiment.yaml", *JUDGE),
    ("label", "manners", "--disputed", "--rater", "c"),
    ("improve", "manners", *JUDGE, "--plan"),
    ("pass-rate", "passes.jsonl", "--calibration", "decided.jsonl"),
    ("pass-rate", "passes.jsonl", "passes.jsonl", "--at-least", "0.5", "--of", "pass"),
    ("session", "status"),
    ("batches",),
    ("init", "new"),
    ("export", "manners"),
    ("prompts", "manners"),
    ("discover", "modes", "--pool", "rows.jsonl", "--sheet", "notes.html", "--rater", "reader"),
    ("compare", "manners@HEAD", "manners"),
    ("verify", "calibration/manners"),
)
DEMO = ("demo", "--plant", "nothing", "-n", "30", "-o", "seed=1")
"""Has a folder of its own."""


def offered(commands: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the commands that exist; those of deleted features don't."""
    return [command for command in commands if command[0] in ("--help", *command_names())]


HARNESS = """
import contextlib, json, sys
tried = set()

class Watch:
    def find_spec(self, name, path=None, target=None):
        tried.add(name.partition(".")[0])

sys.meta_path.append(Watch())
from markscheme.cli import main

statuses = []
with open("printed.txt", "w") as printed, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
    for command in json.loads(sys.argv[1]):
        statuses.append(main(command))
print(json.dumps([statuses, sorted(tried)]))
"""
PLANTED = "from pathlib import Path\nPath({marks!r}, __name__).touch()\n"


def outcomes_of(commands: Sequence[Sequence[str]], folder: Path) -> tuple[list[int], set[str]]:
    """Run commands in a folder; return their exit statuses, and the modules that imports looked for in vain."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", HARNESS, json.dumps(commands)],
        cwd=folder,
        env=environment({"MARKSCHEME_CACHE": str(folder.parent / "cache"), "MARKSCHEME_SESSION": "off"}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    statuses, tried = json.loads(done.stdout.splitlines()[-1])
    return statuses, set(tried)


def test_every_command_is_among_those_tested_not_to_import_a_module_left_in_the_working_folder() -> None:
    assert {*command_names()} <= {command[0] for command in (*COMMANDS, DEMO)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a stranger's project."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    make_project(folder, n=12)
    (folder / "reply.txt").write_text("reply 7 of many")
    (folder / "rows.jsonl").write_text('{"id": "r1", "response": "reply 7 of many"}\n')
    cases = [{"id": unit, "pass": decision} for unit, decision in (("a", True), ("b", False), ("c", True))]
    (folder / "passes.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    decided = [{"id": case["id"], "gold": case["pass"], "judge": case["pass"]} for case in cases]
    (folder / "decided.jsonl").write_text("".join(json.dumps(case) + "\n" for case in decided))
    (folder / "support.experiment.yaml").write_text(
        "rubric: manners\nmodel: function:scripted_judges:careful\n"
        "variants: [{name: a, system: Be good.}]\ncases: [{id: c, inputs: {query: reply 7 of many}}]\n"
    )
    return folder


@pytest.mark.proof
def test_no_command_imports_a_python_module_left_in_the_working_folder(folder: Path, tmp_path: Path) -> None:
    commands, later = offered(COMMANDS), offered([DEMO])
    statuses, tried = outcomes_of(commands, folder)
    assert 70 not in statuses, (folder / "printed.txt").read_text()
    assert "msvcrt" in tried, "the hook sees what isn't installed"
    marks = tmp_path / "marks"
    marks.mkdir()
    own = {"scripted_judges"}
    names = {name for name in tried | SEEN if re.fullmatch(r"\w+", name)} - own
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED.format(marks=str(marks)))
    package = folder / "evil-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[markscheme.judges]\nevil = brotli:KIND\n")
    assert outcomes_of([*commands, *later], folder)[0] == [*statuses, *(0 for _ in later)]
    assert sorted(path.name for path in marks.iterdir()) == []
    for command in (
        ("markscheme", "--help"),
        (sys.executable, "-m", "markscheme", "grade", "manners", "--show-prompt"),
    ):
        assert run_installed(*command, cwd=folder).returncode == 0
    assert sorted(path.name for path in marks.iterdir()) == []


PANEL = "openai:small+function:scripted_judges:careful"
NAMED = {
    "markscheme.toml": f"judge = '{PANEL}'\n",
    "rubrics/panel.yaml": f"judge: {{name: '{PANEL}'}}\ncriteria: [{{name: polite, requirement: Is it polite?}}]\n",
}
CALLS = {
    "markscheme.toml": ("grade", "manners", "reply.txt"),
    "rubrics/panel.yaml": ("grade", "panel", "reply.txt"),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_file_that_names_python_code_as_one_of_several_judges_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text(NAMED[name])
    refuses_code(folder, *CALLS[name])


def refuses_code(folder: Path, *command: str) -> None:
    """Run a command in a folder whose files name code, and check that it is refused and runs none of it."""
    judges = folder / "scripted_judges.py"
    judges.write_text(f"open('was-run', 'w').close()\n{judges.read_text()}")
    env = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "MARKSCHEME_SESSION": "off"}
    done = run_installed("markscheme", *command, cwd=folder, env=env)
    assert (done.returncode, (folder / "was-run").exists()) == (2, False), done.stderr
    assert "code" in done.stderr


def test_a_user_s_module_can_import_modules_of_its_folder_but_libraries_cannot_import_these_modules(
    tmp_path: Path,
) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "judging.py").write_text(
        "from importlib import import_module\n"
        "from desk import words\n"
        "def judge(system_prompt, user_prompt):\n"
        "    import late\n"
        "    import importlib.util, json.decoder, pkgutil\n"
        "    try:\n        pkgutil.resolve_name('private:value')\n        raise SystemExit('a library found it')\n"
        "    except ModuleNotFoundError:\n        pass\n"
        "    level = import_module('later').level\n"
        "    return {'verdicts': {'c1': {'quote': 'nothing to quote', 'reason': words.so + late.so, 'level': level}}}\n"
    )
    (tmp_path / "desk" / "words.py").write_text("so = 'As '\n")
    (tmp_path / "late.py").write_text("import later\nso = 'always.'\n")
    (tmp_path / "later.py").write_text("level = 'MET'\n")
    (tmp_path / "private.py").write_text("value = 1\n")
    (tmp_path / "rubric.yaml").write_text("criteria: [{requirement: Is kind}]\n")
    (tmp_path / "reply.txt").write_text("Of course.")
    command = (
        "grade",
        "rubric.yaml",
        "reply.txt",
        "--judge",
        "function:desk.judging:judge",
        "-o",
        "cache=off",
        "--json",
    )
    done = run_installed("markscheme", *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == 1.0
    assert "As always." in done.stdout
