"""A table without a rubric: the plan for it, and its responses on the page, whatever its form."""

import json
import shlex
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.test_one_table_in_every_command import FORMS, JUDGE, OPTIONS, RUBRIC, TABLE, printed
from tests.readers.tabular.forms import write


@pytest.mark.parametrize(("options", "needed"), [(JUDGE, 40), ((*OPTIONS, "--human", "second"), 20)])
def test_the_labelling_plan_for_a_table_is_the_same_in_every_file_format(
    tmp_path: Path, options: tuple[str, ...], needed: int
) -> None:
    results = [printed(tmp_path, form, "label", "TABLE", "--plan", *options, "--json", "-") for form in FORMS]
    assert results[0][0] == 0
    assert f'"labels_needed": {needed}' in results[0][1]
    assert results[1] == results[2] == results[0]


def test_the_labelling_plan_for_a_table_asks_for_as_many_labels_as_calibrate_does_for_that_table(
    tmp_path: Path,
) -> None:
    write(TABLE, "csv", tmp_path)
    calibrated = run("calibrate", "t.csv", *JUDGE, "--json", "-", "--quiet", cwd=tmp_path)
    planned = run("markscheme", "label", "t.csv", "--plan", *JUDGE, "--json", "-", "--quiet", cwd=tmp_path)
    assert json.loads(planned.stdout)["labels_needed"] == json.loads(calibrated.stdout)["labels_needed"]


def test_a_labelling_plan_for_a_table_prints_the_init_command_with_the_options_given_for_the_table(
    tmp_path: Path,
) -> None:
    write(TABLE, "csv", tmp_path)
    planned = run("markscheme", "label", "t.csv", "--plan", *JUDGE, cwd=tmp_path, env={"COLUMNS": "200"})
    (command,) = (line for line in planned.stdout.splitlines() if "markscheme init" in line)
    assert sorted(shlex.split(command)[-len(JUDGE) - 2 :]) == sorted(["--from", "t.csv", *JUDGE])


@pytest.mark.parametrize("name", ["graded", "text"])
def test_the_labelling_plan_for_an_unlabelled_table_asks_for_the_same_number_of_labels_in_every_file_format(
    tmp_path: Path, name: str
) -> None:
    table = {"id": TABLE["run_id"], "response": TABLE["text"], "verdict" if name == "graded" else "x": TABLE[name]}
    results = []
    for form in FORMS:
        write(table, form, tmp_path)
        done = run("markscheme", "label", f"t.{form}", "--plan", "--json", "-", "--quiet", cwd=tmp_path)
        results.append(json.loads(done.stdout))
    assert results[0]["labelled"] == 0
    assert results[0]["labels_needed"] > 0
    assert results[1] == results[2] == results[0]


def test_the_labelling_page_for_a_table_shows_responses_without_the_column_of_verdicts(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "reply.yaml").write_text(RUBRIC, encoding="utf-8")
    pages = []
    for form in FORMS:
        named = ("--rater", "me", "--sheet", "page.html", *OPTIONS[: OPTIONS.index("--pass")])
        assert printed(tmp_path, form, "label", "reply", "--pool", "TABLE", *named)[0] == 0
        pages.append((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "Answer 59." in pages[0]
    assert "graded" not in pages[0]
    assert pages[1] == pages[2] == pages[0]


def test_the_plan_for_a_table_without_labels_prints_a_command_that_takes_the_table_as_it_is(tmp_path: Path) -> None:
    rows = "".join(f"{n},reply {n},{'pass' if n % 3 else 'fail'}\n" for n in range(40))
    (tmp_path / "replies.csv").write_text(f"id,said,verdict\n{rows}")
    planned = run("markscheme", "label", "replies.csv", "--plan", "--response", "said", cwd=tmp_path)
    command = planned.stdout.partition("markscheme ")[2].splitlines()[0]
    assert command == "discover replies --pool replies.csv --response said"
    assert run("markscheme", *command.split(), "--report", cwd=tmp_path).returncode in (0, 4)


@pytest.mark.parametrize("words", [("--pass", "good"), ("--same", "a=b"), ("--levels", "1-5"), ("--adjudicated",)])
def test_the_plan_for_a_table_of_outputs_alone_refuses_options_on_what_ratings_mean(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    rows = [f"r{row},q{row},the text of answer {row}" for row in range(40)]
    (tmp_path / "outputs.csv").write_text("\n".join(["id,question,response", *rows]), encoding="utf-8")
    plan = ("markscheme", "label", "outputs.csv", "--plan")
    assert run(*plan, "--response", "response", cwd=tmp_path).returncode == 0
    done = run(*plan, *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{words[0]} has no effect here: outputs.csv has outputs alone" in done.stderr
