"""What the README and the list of commands in the documentation show is true."""

import contextlib
import io
import json
import re
from pathlib import Path

import yaml

from markscheme import Rubric, load_rubric
from markscheme.ratings.examples import load_examples
from markscheme.rubrics.lint import advice
from tests.commands.console import ROOT
from tests.docs.checks import options_exist, understood, words

README = (ROOT / "README.md").read_text(encoding="utf-8")
HOW_TO = (ROOT / "docs" / "howto" / "index.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def rubric() -> Rubric:
    return Rubric.from_yaml(next(block for block in blocks("yaml") if "criteria:" in block))


def test_the_rubric_loads_and_there_is_nothing_to_advise() -> None:
    shown = rubric()
    assert [criterion.name for criterion in shown.criteria] == ["answers", "tone", "promises"]
    assert advice(shown) == []


def test_the_python_programs_run_and_print(tmp_path: Path) -> None:
    for program in blocks("python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(tmp_path):
            exec(compile(program, "README.md", "exec"), {})
        assert printed.getvalue().strip()


def test_a_judge_is_calibrated_in_six_lines(tmp_path: Path) -> None:
    (program,) = (block for block in blocks("python") if "calibrate(" in block)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.chdir(tmp_path):
        exec(compile(program, "README.md", "exec"), {})
    assert len([line for line in program.splitlines() if line]) <= 6
    assert printed.getvalue().startswith("explore ")
    assert "<!doctype html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_labelled_example_fits_the_rubric(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text(blocks("json")[0])
    (example,) = load_examples(tmp_path / "examples.jsonl", rubric()).examples
    assert example.labels[0].rater == "ana"
    assert json.loads(blocks("json")[0])["id"] == "sr-1"


def test_the_promptfoo_assertion_is_that_of_the_shipped_config() -> None:
    shown = yaml.safe_load(next(block for block in blocks("yaml") if "rubric_grader" in block))
    shipped = yaml.safe_load((ROOT / "promptfooconfig.yaml").read_text())
    assert shown["assert"] == shipped["defaultTest"]["assert"]


def test_it_can_be_read_in_five_minutes() -> None:
    assert len(README.split()) <= 1320


def test_every_linked_file_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_command_is_one_that_the_parsers_understand() -> None:
    lines = re.findall(r"^    ((?:calibrate|markscheme) .*)$", README, re.MULTILINE)
    cells = re.findall(r"^\| `((?:calibrate|markscheme) [^`]*)` \|", HOW_TO, re.MULTILINE)
    assert len(lines) >= 2
    assert len(cells) >= 8
    for line in lines + cells:
        for part in words(line):
            understood(part)
    for span in re.findall(r"`((?:calibrate|markscheme) [^`]+)`", README):
        options_exist(span)


def test_the_shipped_rubrics_are_those_the_readme_lists() -> None:
    for path in (ROOT / "rubrics").glob("*.yaml"):
        assert load_rubric(path).name == path.stem
        assert f"calibration/{path.stem}/README.md" in README
        assert advice(load_rubric(path)) == []
