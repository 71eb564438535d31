"""Examples and commands in the README work as shown."""

import contextlib
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from markscheme import Rubric, load_rubric
from markscheme.ratings.examples import load_examples
from markscheme.rubrics.advice import advice
from tests.commands.console import ROOT, run
from tests.docs.checks import options_exist, understood, words

README = (ROOT / "README.md").read_text(encoding="utf-8")
HOW_TO = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "howto").glob("*.md")))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def rubric() -> Rubric:
    return Rubric.from_yaml(next(block for block in blocks("yaml") if "criteria:" in block))


def test_the_readme_s_rubric_loads_without_any_advice() -> None:
    shown = rubric()
    assert [criterion.name for criterion in shown.criteria] == ["answers", "tone", "promises"]
    assert advice(shown) == []


def test_the_readme_s_python_programs_run_and_print_their_results(tmp_path: Path) -> None:
    for program in blocks("python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(tmp_path):
            exec(compile(program, "README.md", "exec"), {})
        assert printed.getvalue().strip()


def test_the_readme_calibrates_a_judge_in_six_lines_of_python(tmp_path: Path) -> None:
    (program,) = (block for block in blocks("python") if "calibrate(" in block)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.chdir(tmp_path):
        exec(compile(program, "README.md", "exec"), {})
    assert len([line for line in program.splitlines() if line]) <= 6
    assert printed.getvalue().startswith("explore ")
    assert "<!doctype html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_readme_s_labelled_example_fits_its_rubric(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text(blocks("json")[0])
    (example,) = load_examples(tmp_path / "examples.jsonl", rubric()).examples
    assert example.labels[0].rater == "ana"
    assert json.loads(blocks("json")[0])["id"] == "sr-1"


def test_the_readme_s_promptfoo_assertion_is_the_one_in_the_shipped_config() -> None:
    shown = yaml.safe_load(next(block for block in blocks("yaml") if "rubric_grader" in block))
    shipped = yaml.safe_load((ROOT / "promptfooconfig.yaml").read_text())
    assert shown["assert"] == shipped["defaultTest"]["assert"]


def test_the_readme_can_be_read_in_five_minutes() -> None:
    assert len(README.split()) <= 1320


def test_every_file_that_the_readme_links_to_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_command_in_the_readme_is_understood_by_the_parser() -> None:
    lines = re.findall(r"^    ((?:calibrate|markscheme) .*)$", README, re.MULTILINE)
    cells = re.findall(r"^\| `((?:calibrate|markscheme) [^`]*)` \|", HOW_TO, re.MULTILINE)
    assert len(lines) >= 2
    for line in lines + cells:
        for part in words(line):
            understood(part)
    for span in re.findall(r"`((?:calibrate|markscheme) [^`]+)`", README):
        options_exist(span)


RUN = {
    "calibrate rubrics/code-quality.yaml": 4,
    "calibrate rubrics/code-quality.yaml --html report.html --json report.json": 4,
    "markscheme demo": 0,
    "markscheme init": 0,
    "markscheme init --skill": 0,
    "markscheme status": 0,
    "calibrate verdicts.csv --judge verdict --human label": 0,
    'markscheme grade rubrics/code-quality.yaml answer.md --input query="Parse a date" --judge anthropic': 3,
}
"""The README's commands with their exit statuses, in a clone and without a key."""
NOT_RUN = {
    "markscheme calibrate": "the long form of `calibrate`",
    "calibrate results.json": "tests/promptfoo runs it on Promptfoo's results",
    "markscheme discover NAME --pool FILE": "tests/features/discover serves the page",
    "markscheme certify RUBRIC --judge JUDGE": "tests/features/certify runs it by the names of a project",
    "markscheme improve RUBRIC": "tests/features/improve runs it",
    "markscheme compare A B": "tests/features/compare runs it",
    "markscheme experiment FILE": "tests/features/experiment runs it",
    "markscheme stress RUBRIC": "tests/features/stress runs it",
    "markscheme pass-rate FILE": "tests/features/pass_rate runs it",
    "markscheme label RUBRIC --pool FILE": "tests/features/label serves the page",
}


def test_every_command_in_the_readme_is_either_run_by_a_test_or_listed_as_not_runnable() -> None:
    lines = re.findall(r"^    (?:pip install -e \. && )?((?:calibrate|markscheme) .*)$", README, re.MULTILINE)
    spans = re.findall(r"`((?:calibrate|markscheme) [^`]+)`", README)
    assert {*lines, *spans} == {*RUN, *NOT_RUN}


@pytest.mark.parametrize(("command", "status"), RUN.items(), ids=RUN)
def test_commands_in_the_readme_run_as_printed(command: str, status: int, tmp_path: Path) -> None:
    for folder in ("rubrics", "calibration"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    rows = [f"{n},{'pass' if n % 3 else 'fail'},{int(n % 3 > 0)}" for n in range(40)]
    (tmp_path / "verdicts.csv").write_text("\n".join(["id,verdict,label", *rows]) + "\n")
    (tmp_path / "answer.md").write_text("datetime.fromisoformat(text)")
    done = run(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == status, done.stdout + done.stderr
    assert "set ANTHROPIC_API_KEY" in done.stderr or status != 3
    for name in re.findall(r"report\.\w+", command):
        assert (tmp_path / name).stat().st_size


def test_the_shipped_rubrics_are_those_the_readme_lists() -> None:
    for path in (ROOT / "rubrics").glob("*.yaml"):
        assert load_rubric(path).name == path.stem
        assert f"calibration/{path.stem}/README.md" in README
        assert advice(load_rubric(path)) == []
