"""What people often type wrong, and the message that names the way out."""

import shlex
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.reply_project import make_project

RUBRIC_WITH_COMMA = "criteria:\n- {name: kind, requirement: It is kind, and short}\n"
EXPERIMENT_WITH_BRACES = "rubric: support-reply\nvariants: [{name: a, prompt: Answer, {{query}}}]\ncases: [{id: x}]\n"
EXPERIMENT_WITHOUT_INPUT = (
    "rubric: support-reply\nmodel: function:reply_judges:careful\n"
    "variants: [{name: warm, prompt: 'Be warm: {{qury}}'}]\ncases: [{id: x, inputs: {query: Where is it?}}]\n"
)
FILES = {
    "list.yaml": "- short\n- warm\n",
    "braces.yaml": EXPERIMENT_WITH_BRACES,
    "input.yaml": EXPERIMENT_WITHOUT_INPUT,
    "rubrics/comma.yaml": RUBRIC_WITH_COMMA,
    "answer.txt": "Your order is on its way.",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a few files as people write them by mistake."""
    folder = make_project(tmp_path_factory.mktemp("mistakes"), n=10)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


MISTAKES = [
    ("calibrat support-reply", "unknown command `calibrat`; did you mean `calibrate`?"),
    ("calibrate support-reply --jugde anthropic", "unknown option `--jugde`; did you mean `--judge`?"),
    ("calibrate suport-reply", "there is no rubric named 'suport-reply'; did you mean 'support-reply'?"),
    ("calibrate rubrics", "rubrics is a folder; there is no rubric named 'rubrics'; there are"),
    ("calibrate", "RUBRIC|RESULTS|TABLE is missing, as in: calibrate rubrics/code-quality.yaml --judge anthropic"),
    ("calibrate support-reply --judge gpt-4o", "unknown judge 'gpt-4o'; did you mean 'openai:gpt-4o'?"),
    ("calibrate support-reply --judge claude-haiku-4-5", "did you mean 'anthropic:claude-haiku-4-5'?"),
    ("calibrate support-reply --judge reply_judges.py:careful", "did you mean 'function:reply_judges:careful'?"),
    ("calibrate support-reply --judge openai", "'openai' doesn't name the model; expected openai:MODEL"),
    ("calibrate support-reply --judge function:reply_judges:carefull", "did you mean careful?"),
    ("calibrate support-reply --judge anthropic", "set ANTHROPIC_API_KEY"),
    ("calibrate support-reply --target 80", "`--target` must be above 0 and at most 1, got 80; did you mean 0.8?"),
    ("calibrate support-reply --split tset", "must be one of dev, test, all, got 'tset'; did you mean `test`?"),
    ("calibrate support-reply --ratings nothere.jsonl", "there is no file of ratings nothere.jsonl"),
    ("calibrate hasty.jsonl", "ratings with --ratings: markscheme calibrate RUBRIC"),
    ("calibrate support-reply --ratings hasty.jsonl --html no/page.html", "there is no folder no; make it first"),
    ("calibrate support-reply --ratings hasty.jsonl --anyway", "--anyway goes with --accept"),
    ("compare hasty.jsonl", "a comparison needs two sides: markscheme compare A B"),
    (
        "grade support-reply answr.txt --judge function:reply_judges:careful",
        "there is no such file; did you mean answer.txt?",
    ),
    ("lint comma", "unknown key 'and short' without a value; a text with a comma inside { } needs quotes"),
    ("experiment list.yaml", "expected a mapping with name, rubric, model, variants, cases, outputs, got ['short', 'w"),
    ("experiment list.yml", "list.yml: there is no such file; did you mean list.yaml?"),
    ("experiment braces.yaml", "braces.yaml:2: a key must be a word; a text with {{…}} or a comma inside { } needs"),
    ("experiment input.yaml", "variant 'warm' asks for {{qury}}, but case 'x' has no such input; its inputs: query;"),
    ("pass-rate hasty.jsonl", "`--calibration FILE` is missing: what annotators and the judge both decided on"),
    ("gate-risk hasty.jsonl --threshold 80", "got 80; did you mean 0.8?"),
    ("tune support-reply --cost 5", "`--cost` must be two numbers above 0, for example 1:5, got '5'"),
    ("plan support-reply --next 10", "--next [N] is how many to label and --pool FILE out of what: give both"),
    (
        "agreement hasty.jsonl",
        "agreement is on one: name it by --criterion",
    ),
    ("demo --plant lenint", "got lenint; did you mean lenient?"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_message_names_the_way_out_and_is_no_traceback(project: Path, typed: str, way_out: str) -> None:
    done = run("markscheme", *shlex.split(typed), cwd=project)
    output = " ".join((done.stderr + done.stdout).split())
    assert done.returncode in (1, 2, 3)
    assert way_out in output
    assert "Traceback" not in output
