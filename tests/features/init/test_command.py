"""`markscheme init`: what it puts into a project runs there, and what was there stays."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric
from tests.commands.console import run
from tests.promptfoo.answering import judging
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import PromptfooInstall, run_eval

FILES = [
    "calibration/support-reply/README.md",
    "calibration/support-reply/examples.jsonl",
    "graders/rubric_grader.mjs",
    "graders/rubric_grader.py",
    "graders/rubric_provider.mjs",
    "graders/rubric_provider.py",
    "graders/session.py",
    "graders/warm_session.mjs",
    "promptfooconfig.yaml",
    "rubrics/support-reply.yaml",
    "stand_in_judge.py",
]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_init_writes_a_rubric_with_examples_and_graders_and_a_promptfoo_configuration(tmp_path: Path) -> None:
    done = run("markscheme", "init", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"schema": 1, "created": FILES, "kept": []}
    assert list(files(tmp_path)) == FILES


def test_init_leaves_existing_files_as_they_are_and_lists_them(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text("mine\n")
    (tmp_path / "graders").mkdir()
    (tmp_path / "graders" / "rubric_grader.py").write_text("mine too\n")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "support-reply.yaml").symlink_to("nowhere")
    done = run("markscheme", "init", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "promptfooconfig.yaml                      left as it is" in done.stdout
    assert "rubrics/support-reply.yaml                left as it is: a link that leads nowhere, nowhere" in done.stdout
    assert "file://graders/rubric_grader.mjs" in done.stdout
    assert (tmp_path / "promptfooconfig.yaml").read_text() == "mine\n"
    assert (tmp_path / "graders" / "rubric_grader.py").read_text() == "mine too\n"
    assert not (tmp_path / "rubrics" / "nowhere").exists()
    once = files(tmp_path)
    assert run("markscheme", "init", cwd=tmp_path).returncode == 0
    assert files(tmp_path) == once


def test_a_full_disk_leaves_no_partial_file_that_the_next_init_would_keep(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    run("markscheme", "init", str(whole))
    sizes = sorted(len(content) for content in files(whole).values())
    project = tmp_path / "project"
    code = f"""if True:
        from markscheme.cli import main
        from tests.full_disk import disk_of
        with disk_of({sizes[-1] - 1}):
            raise SystemExit(main(["init", {str(project)!r}]))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be written: File too large" in done.stderr) == (2, True), done.stderr
    assert all(files(whole)[name] == content for name, content in files(project).items())
    assert run("markscheme", "init", str(project)).returncode == 0
    assert files(project) == files(whole)


def test_init_reports_a_file_where_a_folder_is_needed(tmp_path: Path) -> None:
    (tmp_path / "graders").write_text("a file")
    done = run("markscheme", "init", cwd=tmp_path)
    assert done.returncode == 2
    assert "graders" in done.stderr
    assert run("markscheme", "init", str(tmp_path / "graders")).returncode == 2


def test_the_calibrate_command_that_init_prints_runs_without_an_api_key(tmp_path: Path) -> None:
    made = run("markscheme", "init", cwd=tmp_path)
    (command,) = re.findall(r"markscheme (calibrate support-reply .+)", made.stdout)
    done = run("markscheme", *command.split(), "--quiet", "--json", "-", cwd=tmp_path, env={"ANTHROPIC_API_KEY": ""})
    assert done.returncode == 4, done.stderr
    counts = json.loads(done.stdout)["counts"]
    assert (counts["examples"], counts["graded"]) == (10, 10)


@pytest.mark.proof
def test_the_promptfoo_configuration_that_init_writes_runs_and_the_new_rubric_s_examples_can_be_calibrated(
    promptfoo: PromptfooInstall, runtime: Path, tmp_path: Path
) -> None:
    run("markscheme", "init", str(tmp_path))
    with MessagesFront(judging()) as front:
        env = {
            "ANTHROPIC_API_KEY": "key-of-a-test",
            "ANTHROPIC_BASE_URL": front.url,
            "MARKSCHEME_CACHE": str(tmp_path / "cache"),
        }
        done = run_eval(tmp_path / "promptfooconfig.yaml", cwd=tmp_path, env=env)
        rows = done.results["results"]["results"]
        assert len(rows) == 2
        for row in rows:
            assert set(row["namedScores"]) >= {"answers", "next-step", "notices", "promises"}
        calibrated = run("calibrate", "support-reply", "--json", "-", cwd=tmp_path, env=env)
    assert calibrated.returncode in (1, 4), calibrated.stderr
    assert json.loads(calibrated.stdout)["counts"]["examples"] == 10


@pytest.mark.proof  # a wheel is built; `tests/package` installs one
def test_the_wheel_contains_all_files_that_init_copies(unpacked_wheel: Path, tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(unpacked_wheel)!r})
from markscheme.cli import main
from markscheme.rubrics.search import find_rubric
main(["init"])
print(find_rubric("api-design").relative_to({str(unpacked_wheel)!r}))
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == str(Path("markscheme", "shipped", "rubrics", "api-design.yaml"))
    assert list(files(tmp_path)) == FILES


# --- from a table -----------------------------------------------------------------------------------------------------

VERDICTS = {
    "decisions": ("verdict,human", ["pass,1", "fail,0", "pass,0", ",1"], ()),
    "levels": ("verdict,human", ["1,1", "4,5", "3,3", "5,5"], ()),
    "half levels": ("verdict,human", ["2.5,2.5", "3,3.5", "4.5,4.5"], ()),
    "scores": ("verdict,human", ["0.11,0.15", "0.8,0.5", "0.4,0.45"], ()),
    "percentages": ("verdict,human", ["12,20", "90,50", "40,45"], ()),
    "words in order": ("verdict,human", ["bad,bad", "ok,good", "good,good"], ("--levels", "bad,ok,good")),
    "sides on two scales": (
        "v,h",
        ["0,1", "0.5,5", "1,5"],
        ("--judge", "v", "--human", "h", "--scale", "judge=0..1", "--scale", "human=1..5"),
    ),
}


def calibrated(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run("calibrate", *arguments, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("values", VERDICTS)
def test_a_rubric_made_from_a_table_gives_the_same_figures_as_the_table(values: str, tmp_path: Path) -> None:
    header, rows, options = VERDICTS[values]
    table = [header, *(row for _ in range(5) for row in rows)]
    (tmp_path / "first try.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    before = calibrated(tmp_path, "first try.csv", *options)
    done = run("markscheme", "init", "--from", "first try.csv", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    judge = before["judge"]["name"]
    command = f"calibrate first-try --ratings calibration/first-try/ratings/{judge}.jsonl"
    assert f"`markscheme {command}`" in done.stdout
    after = calibrated(tmp_path, *command.split()[1:])
    assert after["agreement"]["value"] == pytest.approx(before["agreement"]["value"])
    assert (after["agreement"]["n"], after["counts"]["not_graded"]) == (
        before["agreement"]["n"],
        before["counts"]["not_graded"],
    )
    assert after["agreement"]["method"] == before["agreement"]["method"]
    again = run("markscheme", "init", "--from", "first try.csv", *options, "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["created"] == []


def test_the_init_command_that_calibrate_prints_for_two_joined_tables_makes_one_rubric_of_both_tables(
    tmp_path: Path,
) -> None:
    answers = {
        "labels": ("label", "good", "bad"),
        "mini": ("verdict", "PASS", "FAIL"),
        "max": ("verdict", "PASS", "FAIL"),
    }
    for row, (name, (column, high, low)) in enumerate(answers.items(), start=2):
        cells = (high if case % row else low for case in range(40))
        lines = [f"case_id,{column}", *(f"{case},{cell}" for case, cell in enumerate(cells))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = run("markscheme", "calibrate", "labels.csv", "mini.csv", "max.csv", cwd=tmp_path, env={"COLUMNS": "200"})
    (command,) = re.findall(r"Next, .*: markscheme (init .*)", shown.stdout)
    assert command == "init --from labels.csv --from mini.csv --from max.csv"
    done = run("markscheme", *command.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ratings = sorted((tmp_path / "calibration" / "labels-mini-max" / "ratings").glob("*.jsonl"))
    assert [path.stem for path in ratings] == ["label", "max", "mini"]
    refused = run("markscheme", "init", "--from", "labels.csv", "mini.csv", cwd=tmp_path)
    assert "give each table its own --from" in refused.stderr


def test_init_refuses_a_second_column_after_its_human_option_and_says_to_repeat_the_option(
    tmp_path: Path,
) -> None:
    lines = ["id,answer,judge,ana,ben", *(f"r{n},It is {n}.,yes,yes,no" for n in range(3))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    done = run("markscheme", "init", "--from", "t.csv", "--human", "ana", "ben", cwd=tmp_path)
    assert done.returncode == 2
    assert "ben is a column, not a folder: give each column its own --human or --judge" in done.stderr
    assert files(tmp_path).keys() == {"t.csv"}


def test_init_from_a_table_keeps_questions_and_responses_so_that_a_judge_can_be_asked(tmp_path: Path) -> None:
    rows = ["e1,How?,Like this.,pass,pass", "e2,When?,Now.,fail,pass"]
    (tmp_path / "t.csv").write_text("\n".join(["id,question,answer,verdict,human", *rows]) + "\n", encoding="utf-8")
    done = run("markscheme", "init", "project", "--from", "t.csv", cwd=tmp_path)
    assert "ask a judge: `cd project && markscheme calibrate t --judge anthropic`" in done.stdout
    rubric = load_rubric(tmp_path / "project/rubrics/t.yaml")
    examples = load_examples(tmp_path / "project/calibration/t/examples.jsonl", rubric).examples
    submissions = [example.submission for example in examples]
    assert [(s.id, s.inputs, s.response) for s in submissions] == [
        ("e1", {"query": "How?"}, "Like this."),
        ("e2", {"query": "When?"}, "Now."),
    ]


def test_init_names_columns_of_texts_that_judges_are_not_shown_and_the_option_that_shows_these_columns(
    tmp_path: Path,
) -> None:
    rows = ["e1,How do I cancel my order?,Like this.,pass,pass", "e2,When will my parcel come?,Now.,fail,pass"]
    (tmp_path / "t.csv").write_text("\n".join(["id,customer,reply,verdict,human", *rows]) + "\n", encoding="utf-8")
    done = run("markscheme", "init", "project", "--from", "t.csv", cwd=tmp_path)
    assert "without customer; to show" in done.stdout
    assert "`--map customer=query`" in done.stdout
    again = run("markscheme", "init", "again", "--from", "t.csv", "--map", "customer=query", cwd=tmp_path)
    assert "without customer" not in again.stdout
    rubric = load_rubric(tmp_path / "again/rubrics/t.yaml")
    examples = load_examples(tmp_path / "again/calibration/t/examples.jsonl", rubric).examples
    assert examples[0].submission.inputs == {"query": "How do I cancel my order?"}


def test_commands_that_init_prints_for_a_project_in_another_folder_change_to_that_folder_first(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("response,judge,human\na,pass,pass\nb,fail,fail\n", encoding="utf-8")
    done = run("markscheme", "init", "my project", "--from", "t.csv", cwd=tmp_path)
    commands = [line.split("`")[1] for line in done.stdout.splitlines() if "`" in line]
    assert commands
    assert all(command.startswith("cd 'my project' && markscheme calibrate t ") for command in commands)


def test_a_judge_s_column_with_slashes_in_its_name_gets_a_file_of_ratings_inside_the_project(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("judge/../../x,human\npass,pass\nfail,fail\n", encoding="utf-8")
    done = run("markscheme", "init", "p", "--from", "t.csv", "--judge", "judge/../../x", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "p/calibration/t/ratings").iterdir()) == [
        "human.jsonl",
        "judge-..-..-x.jsonl",
    ]


def test_init_refuses_table_options_without_a_table(tmp_path: Path) -> None:
    without = run("markscheme", "init", "--human", "label", cwd=tmp_path)
    assert (
        without.returncode,
        "--human has no effect here: it names columns of a table; add --from TABLE" in without.stderr,
    ) == (2, True)
    (tmp_path / "r.yaml").write_text("criteria: [{requirement: It is right.}]\n", encoding="utf-8")
    no_table = run("markscheme", "init", "--from", "r.yaml", cwd=tmp_path)
    assert (no_table.returncode, "isn't a table" in no_table.stderr) == (2, True)
    assert files(tmp_path).keys() == {"r.yaml"}


@pytest.mark.proof
def test_init_from_an_installed_package_copies_no_compiled_python_files(unpacked_wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(unpacked_wheel, site)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(site / "markscheme" / "shipped")], check=True)
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); from markscheme.cli import main; sys.exit(main(['init', 'p']))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "p").rglob("*.pyc"))


def test_init_refuses_a_file_of_prose_and_advises_to_write_its_points_as_criteria(tmp_path: Path) -> None:
    (tmp_path / "desk.md").write_text("# Help desk rubric\n\nThe reply should be kind.\n")
    done = run("markscheme", "init", "--from", "desk.md", cwd=tmp_path)
    assert done.returncode == 2
    assert "desk.md is prose, not a table: write each of its points as a criterion" in done.stderr
    assert "rubrics/desk.yaml" in done.stderr


def test_init_refuses_rows_with_their_own_criteria_and_names_the_command_that_labels_the_rows(tmp_path: Path) -> None:
    row = {"id": "r1", "response": "It passes York.", "rubric": [{"requirement": "Names York"}]}
    labelled = row | {"labels": [{"rater": "ann", "kind": "human", "criteria": {"c1": "MET"}}]}
    for name, line in (("tasks.jsonl", row), ("labelled rows.jsonl", labelled)):
        (tmp_path / name).write_text(f"{json.dumps(line)}\n{json.dumps(line | {'id': 'r2'})}\n", encoding="utf-8")
        done = run("markscheme", "init", "--from", name, cwd=tmp_path)
        assert (done.returncode, "there is no rubric to make" in done.stderr) == (2, True)
        assert f"`markscheme label {shlex.quote(name)}`" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["labelled rows.jsonl", "tasks.jsonl"]


def test_init_names_a_file_of_rows_with_their_own_criteria_unless_an_option_is_the_actual_mistake(
    tmp_path: Path,
) -> None:
    rows = [{"id": name, "response": "It passes York.", "rubric": [{"requirement": "Names York"}]} for name in "ab"]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "outs.csv").write_text("id,output\na,It passes York.\nb,It passes Leeds.\n")
    tasks = "".join(
        f'{row["id"]},{row["response"]},"{json.dumps(row["rubric"]).replace(chr(34), chr(34) * 2)}"\n' for row in rows
    )
    (tmp_path / "tasks.csv").write_text(f"id,response,rubric\n{tasks}")
    own = {
        ("outs.csv", "--from", "rows.jsonl"): "each row of rows.jsonl brings criteria of its own",
        ("tasks.csv",): "each row of tasks.csv brings criteria of its own",
        ("rows.jsonl", "--map", "x"): "`--map` must be COLUMN=FIELD, got 'x'",
        ("rows.jsonl", "--response", "text"): "`--response text` names nothing that is there",
    }
    for arguments, message in own.items():
        done = run("markscheme", "init", "--from", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr.startswith(f"error: {message}")) == (2, True), done.stderr
