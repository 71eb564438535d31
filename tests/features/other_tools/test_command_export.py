"""Examples that go to the real Promptfoo and come home as they were."""

import json
from pathlib import Path

import pytest
import yaml

from markscheme.promptfoo.results import read_results
from tests.commands.console import run
from tests.commands.judged_project import make_project
from tests.promptfoo.answering import exported_configuration, project_to_rate
from tests.real.promptfoo import PromptfooInstall, run_eval

JUDGE = """
import pathlib

def judge(system_prompt, user_prompt):
    with pathlib.Path(__file__).with_name("asked").open("a") as asked:
        asked.write("x")
    verdict = {"quote": "nothing to quote", "reason": "The material says so."}
    return {"verdicts": {"right": {**verdict, "level": "MET"}, "rude": {**verdict, "level": "UNMET"}}}

judge.environment = ()
"""
STRANGE = [
    "Paris.",
    "",
    "Dear {{ name }}, {% if x %}yes{% endif %} {# a comment #}",
    "{% raw %}{{ a }}{% endraw %}{{ b }}{%- endraw -%}{% raw %}'\\'",
    "file:///etc/hostname",
    "  file://rubrics/capital.yaml",
    "| a | *table* |\n\n\t\"quoted\" 'text' é \U0001f600 \\n",
    "[1, 2]",
    "true",
]


def export(folder: Path, texts: list[str], judge: str = "function:counting_judge:judge") -> Path:
    """Export a project whose examples have these texts as queries and responses; return the configuration."""
    project_to_rate(folder, texts)
    (folder / "counting_judge.py").write_text(JUDGE)
    done = run("markscheme", "export", "capital", "--promptfoo", "rate.yaml", "--judge", judge, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "rate.yaml"


@pytest.mark.proof
def test_exported_examples_are_imported_again_unchanged_under_their_ids(
    promptfoo: PromptfooInstall, runtime: Path, tmp_path: Path
) -> None:
    config = export(tmp_path, STRANGE)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache")}
    evaluated = run_eval(config, cwd=tmp_path, env=env)
    judge = ("--judge", "function:counting_judge:judge")
    direct = run("markscheme", "grade", "capital", "examples.jsonl", "--json", *judge, cwd=_copied(tmp_path), env=env)
    asked = (tmp_path / "asked").stat().st_size
    out = tmp_path / "rated.json"
    out.write_text(json.dumps(evaluated.results))
    rows = {row.id: row for row in read_results(out).rows}
    assert {f"ex-{n}": text for n, text in enumerate(STRANGE)} == {id: row.response for id, row in rows.items()}
    assert all(row.split == "dev" for row in rows.values())
    assert direct.returncode in (0, 1), direct.stderr
    assert asked == len(STRANGE), "the judge was asked something else than about the examples themselves"


def _copied(folder: Path) -> Path:
    source = folder / "calibration" / "capital" / "examples.jsonl"
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    kept = [{key: line[key] for key in ("id", "query", "response")} for line in lines]
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, kept)))
    return folder


def test_for_a_rubric_found_by_name_an_exported_promptfoo_configuration_contains_no_path_of_this_machine(
    tmp_path: Path,
) -> None:
    config = export(tmp_path, ["Paris."])
    assert "      rubric: capital\n" in config.read_text()
    assert str(tmp_path) not in config.read_text()
    (tmp_path / "elsewhere.yaml").write_bytes((tmp_path / "rubrics" / "capital.yaml").read_bytes())
    examples = str(tmp_path / "calibration" / "capital" / "examples.jsonl")
    words = ("export", "elsewhere.yaml", "--examples", examples, "--promptfoo", "other.yaml")
    assert run("markscheme", *words, cwd=tmp_path).returncode == 0
    assert f"rubric: {tmp_path / 'elsewhere.yaml'}" in (tmp_path / "other.yaml").read_text()


def test_an_exported_promptfoo_configuration_shows_responses_unchanged_and_grades_them(tmp_path: Path) -> None:
    texts = ["Paris it is.", "Rome."]
    written = yaml.safe_load(export(tmp_path, texts, judge="anthropic").read_text())
    assert written == exported_configuration(texts, "anthropic")


def test_exported_examples_for_promptfoo_contain_no_labels(tmp_path: Path) -> None:
    text = export(tmp_path, ["Paris."]).read_text()
    assert "ana" not in text
    assert "expected_label" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["capital", "capital", "--promptfoo", "f.yaml"], "unexpected 'capital'"),
        (["capital", "--promptfoo", "nowhere/f.yaml"], "cannot be written"),
    ],
)
def test_the_export_command_refuses_examples_that_cannot_be_exported_and_says_why(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    export(tmp_path, ["Paris."])
    done = run("markscheme", "export", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_examples_are_exported_one_per_line_with_their_labels(tmp_path: Path) -> None:
    done = run("markscheme", "export", "manners", "--split", "all", cwd=make_project(tmp_path, n=5))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 5
    assert '"labels"' in done.stdout


def test_the_help_of_export_offers_no_judge_to_ask_since_it_makes_no_calls(tmp_path: Path) -> None:
    done = run("markscheme", "export", "--help", cwd=tmp_path)
    assert "Makes no calls" in done.stdout
    assert "the judge that its configuration names" in " ".join(done.stdout.split())
    assert "judge to ask" not in done.stdout
