"""What people often type wrong, and the message that names the way out."""

from pathlib import Path

import pytest

from tests.commands.mistakes import make_project, names_the_way_out


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with ratings, and an answer to grade."""
    return make_project(tmp_path_factory.mktemp("mistakes"))


MISTAKES = [
    ("calibrat support-reply", "unknown command `calibrat`; did you mean `calibrate`?"),
    ("help calibrat", "unknown command `calibrat`; did you mean `calibrate`?"),
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
    ("calibrate support-reply --target ''", "`--target` must be above 0 and at most 1, got ''"),
    ("calibrate support-reply --split tset", "must be one of dev, test, all, got 'tset'; did you mean `test`?"),
    ("calibrate support-reply --ratings nothere.jsonl", "there is no file of ratings nothere.jsonl"),
    ("calibrate hasti.jsonl", "hasti.jsonl: there is no such file; did you mean hasty.jsonl?"),
    ("calibrate support-reply --ratings hasty.jsonl --json", "`--json` needs a value: FILE; - for standard output"),
    ("calibrate hasty.jsonl", "ratings with --ratings: markscheme calibrate RUBRIC"),
    ("calibrate support-reply --ratings hasty.jsonl --html no/page.html", "there is no folder no; make it first"),
    ("calibrate support-reply --ratings hasty.jsonl --force", "--force goes with --accept"),
    (
        "grade support-reply answr.txt --judge function:reply_judges:careful",
        "there is no such file; did you mean answer.txt?",
    ),
    ("calibrate --version", "`markscheme --version` prints the version"),
    ("agreement hasty.jsonl", "`agreement` is part of `calibrate`: markscheme calibrate hasty.jsonl"),
]


@pytest.mark.parametrize(("typed", "way_out"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_the_error_message_on_a_typical_mistake_says_what_to_do_and_is_no_traceback(
    project: Path, typed: str, way_out: str
) -> None:
    names_the_way_out(project, typed, way_out)
