"""`calibrate TABLE`: a column of verdicts against a column of labels, without a rubric."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.commands.console import run


def table(folder: Path, header: str, rows: Iterable[str]) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def calibrated(folder: Path, *options: str) -> tuple[int, dict[str, Any], str]:
    done = run("calibrate", "table.csv", *options, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report, done.stderr


def refused(folder: Path, *options: str) -> str:
    done = run("calibrate", "table.csv", *options, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    return done.stderr


LABELS = [1, 2, 3, 4, 5] * 12


def test_a_perfect_judge_on_another_scale_than_people_is_calibrated_once_both_scales_are_stated(tmp_path: Path) -> None:
    table(tmp_path, "id,judge,human", (f"e{n},{(label - 1) / 4},{label}" for n, label in enumerate(LABELS)))
    error = refused(tmp_path)
    assert "different scales" in error
    assert "--scale judge=0-1 --scale human=1-5" in error
    status, report, _ = calibrated(tmp_path, "--scale", "judge=0..1", "--scale", "human=1..5")
    assert (report["agreement"]["value"], report["verdict"], report["use"], status) == (1.0, "ok", "trend", 0)


def test_a_perfect_judge_on_levels_0_to_4_against_labels_1_to_5_is_refused_until_options_state_the_scales(
    tmp_path: Path,
) -> None:
    table(tmp_path, "id,judge,human", (f"e{n},{label - 1},{label}" for n, label in enumerate(LABELS)))
    assert "0 to 4 against 1 to 5; --scale names both\n  markscheme calibrate table.csv --scale judge=0-4" in refused(
        tmp_path
    )
    report = calibrated(tmp_path, "--scale", "judge=0..4", "--scale", "human=1..5")[1]
    assert report["agreement"]["value"] == 1.0
    severe = calibrated(tmp_path, "--levels", "0-5")[1]
    assert severe["agreement"]["value"] == 0.0


def test_a_judge_s_words_pass_and_fail_are_compared_with_annotators_who_write_1_and_0(tmp_path: Path) -> None:
    rows = [f"{'pass' if n % 2 else 'fail'},{int(n % 2 == 1) if n else 1}" for n in range(20)]
    table(tmp_path, "verdict,human", rows)
    _, report, _ = calibrated(tmp_path, "--judge", "verdict", "--human", "human")
    assert (report["agreement"]["value"], report["false_fails"], report["false_passes"]) == (19 / 20, ["row 1"], [])
    assert report["judge"]["table_read_as"] == "verdict: pass/fail · human: 1/0 (1 passes) · 20 rows, 20 with both"


def test_a_judge_s_nan_in_a_table_is_reported_as_not_graded_and_not_as_a_disagreement(tmp_path: Path) -> None:
    verdicts = ["nan" if n in (3, 7) else str(n % 2) for n in range(40)]
    table(tmp_path, "id,verdict,human", (f"e{n},{verdict},{n % 2}" for n, verdict in enumerate(verdicts)))
    _, report, notes = calibrated(tmp_path)
    assert (report["agreement"]["value"], report["agreement"]["n"], report["counts"]["not_graded"]) == (1.0, 38, 2)
    assert "verdict: no value in 2 of 40 rows (e3, e7)" in notes
    shown = run("calibrate", "table.csv", cwd=tmp_path)
    assert "2 of 40 examples not graded, in no score: 2 × nan in column 'verdict'" in " ".join(shown.stdout.split())


def test_words_without_a_known_order_are_read_as_categories_without_scores_or_decisions(tmp_path: Path) -> None:
    words = ["good", "ok", "bad"] * 10
    verdicts = ["ok", *words[1:]]
    table(tmp_path, "verdict,human", (f"{verdict},{word}" for verdict, word in zip(verdicts, words, strict=True)))
    _, report, notes = calibrated(tmp_path)
    assert report["agreement"]["value"] == pytest.approx(29 / 30)
    assert (report["false_passes"], report["false_fails"], report["overall"]["mae"]["value"]) == (None, None, None)
    assert "--levels worst,…,best" in notes
    shown = run("calibrate", "table.csv", cwd=tmp_path, env={"COLUMNS": "200"}).stdout
    assert "always answering bad reaches" in shown
    assert "- row 1: human: judge ok, gold good" in shown
    _, ordered, _ = calibrated(tmp_path, "--levels", "bad,ok,good")
    assert ordered["overall"]["mae"]["value"] == pytest.approx(0.5 / 30)


def test_agreement_on_numbers_from_1_to_5_in_a_table_is_the_share_of_rows_with_equal_numbers(tmp_path: Path) -> None:
    table(tmp_path, "verdict,human", (f"{max(label, 2)},{label}" for label in LABELS))
    _, report, _ = calibrated(tmp_path)
    assert report["agreement"]["value"] == pytest.approx(48 / 60)
    assert report["criteria"]["human"]["confusion"]["levels"] == [1, 2, 3, 4, 5]


def test_several_annotators_in_a_table_are_compared_with_each_other(tmp_path: Path) -> None:
    rows = (f"{n % 2},{n % 2},{n % 2 if n else 1},{n // 4}" for n in range(20))
    table(tmp_path, "judge,human_a,human_b,task", rows)
    _, report, _ = calibrated(tmp_path, "--group", "task")
    assert (report["raters"]["kinds"], report["agreement_person"]["value"]) == ({"human": 2}, pytest.approx(19 / 20))


@pytest.mark.parametrize(
    ("header", "options", "why"),
    [
        ("a,b", (), "which columns are a judge's and people's? 'a' and 'b' may be"),
        (
            "verdict,label",
            ("--judge", "score"),
            "`--judge score` names nothing that is there; there are 'verdict' and 'label'",
        ),
        (
            "verdict,label",
            ("--judge", "Verdict"),
            "`--judge Verdict` names nothing that is there; did you mean 'verdict'?",
        ),
        (
            "verdict,label",
            ("--judge", "anthropic"),
            "a judge is asked by a rubric, `markscheme calibrate RUBRIC --judge NAME`",
        ),
        ("verdict,label", ("--scale", "judge"), "`--scale` must be LOW-HIGH or SIDE=LOW-HIGH"),
        ("verdict,label", ("--ratings", "x.jsonl"), "--ratings needs a rubric"),
    ],
)
def test_an_error_about_a_table_s_columns_or_options_names_what_to_change(
    header: str, options: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    cells = ",".join("1" for _ in header.split(","))
    table(tmp_path, header, [cells, ",".join("0" for _ in header.split(",")), cells])
    assert why in refused(tmp_path, *options)


@pytest.mark.parametrize("option", ["--levels", "--scale"])
def test_the_error_on_the_ends_of_a_scale_for_a_column_of_words_names_the_option_that_was_typed(
    option: str, tmp_path: Path
) -> None:
    table(tmp_path, "verdict,label", ["good,bad", "bad,bad", "good,good"])
    assert f"`{option}` names nothing that is there" in refused(tmp_path, option, "1-5")


@pytest.mark.parametrize(
    ("known", "commands"),
    [
        ("x", ["--judge COLUMN --human COLUMN"]),
        ("judge", ["--human COLUMN"]),
        ("human", ["--judge COLUMN", "--human human --human COLUMN"]),
    ],
)
def test_the_error_and_its_commands_on_a_table_of_dozens_of_columns_name_only_a_few_of_the_columns(
    known: str, commands: list[str], tmp_path: Path
) -> None:
    names = [known, *(f"q{number}" for number in range(50))]
    table(tmp_path, ",".join(names), (",".join(str(1 + (row * place) % 5) for place in range(51)) for row in range(60)))
    sentence, *printed = refused(tmp_path).splitlines()
    assert "more" in sentence
    assert len(sentence) < 300
    assert [line.partition(".csv ")[2] for line in printed] == commands


def test_options_of_tables_are_refused_for_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("criteria: [{requirement: It is right.}]\n", encoding="utf-8")
    done = run("calibrate", "one.yaml", "--human", "label", cwd=tmp_path)
    assert done.returncode == 2
    assert "--human is for tables that need no rubric" in done.stderr


@pytest.mark.parametrize("words", [("results.json",), ("results.csv", "--human", "label"), ("./results.csv",)])
def test_a_file_that_does_not_exist_is_reported_as_missing_and_not_as_an_unknown_rubric(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    done = run("calibrate", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, f"error: {words[0]}: there is no such file\n")


def test_the_error_on_examples_without_labels_names_the_command_that_labels_them(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "r.yaml").write_text("criteria: [{requirement: It is right.}]\n", encoding="utf-8")
    (tmp_path / "calibration" / "r").mkdir(parents=True)
    (tmp_path / "calibration" / "r" / "examples.jsonl").write_text('{"id": "a", "response": "Yes."}\n')
    done = run("calibrate", "r", "--judge", "function:nothing:nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert "; to label them: markscheme label r; " in done.stderr


@pytest.mark.parametrize(
    ("header", "cells", "why"),
    [
        ("verdict,human", ("4,good", "2,poor", "3,fine"), "'verdict' has numbers, and 'human' words"),
        ("verdict,human", ("good,4", "poor,2", "fine,3"), "'human' has numbers, and 'verdict' words"),
        ("verdict,human", ("4,1", "2,0", "3,1"), "'verdict' has numbers, and 'human' only 0 and 1"),
    ],
)
def test_the_error_about_a_missing_pass_mark_says_which_column_has_numbers(
    header: str, cells: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    table(tmp_path, header, cells)
    assert f"{why}; --pass-mark says from which number a response passes" in refused(tmp_path)


def test_the_command_for_the_full_report_repeats_the_given_options(tmp_path: Path) -> None:
    table(tmp_path, "v,h", (f"{(label - 1) / 4},{label}" for label in LABELS))
    options = ("--judge", "v", "--human", "h", "--scale", "judge=0..1", "--scale", "human=1..5")
    shown = " ".join(run("calibrate", "table.csv", *options, cwd=tmp_path).stdout.split())
    assert f"markscheme calibrate table.csv {' '.join(options)} --details" in shown
    assert "--accept" not in shown


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_with_two_different_columns_of_one_name_is_refused_and_neither_is_read(
    tmp_path: Path, ending: str
) -> None:
    rows = [(f"e{n}", "pass", "pass", "fail") for n in range(20)]
    names = ["id", "judge", "human", "human"]
    if ending == "csv":
        table(tmp_path, ",".join(names), map(",".join, rows))
    else:
        columns = [pa.array(column) for column in zip(*rows, strict=True)]
        parquet.write_table(pa.Table.from_arrays(columns, names=names), tmp_path / "table.parquet")
    done = run("calibrate", f"table.{ending}", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has several columns named 'human', which differ; rename all but one" in done.stderr


def test_the_baseline_is_named_by_the_level_as_raters_write_it_and_not_by_the_level_s_position(tmp_path: Path) -> None:
    """A fifth of the labels is 5, all others are fewer; as a position it would be 1, which is another level."""
    labels = [*LABELS, 5]
    table(tmp_path, "id,judge,human", (f"e{n},{label},{label}" for n, label in enumerate(labels)))
    shown = run("calibrate", "table.csv", cwd=tmp_path).stdout
    assert "always answering 5 reaches" in " ".join(shown.split())


def test_a_column_of_a_table_without_any_value_is_named_in_the_error(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("verdict,human\npass,\nfail,\n")
    done = run("calibrate", "table.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "no column is people's ('human' has no value)" in done.stderr
    assert "\n  markscheme calibrate table.csv LABELS\n" in done.stderr


def test_calibrate_suggests_the_init_command_for_a_table_without_labels_only_if_it_has_responses(
    tmp_path: Path,
) -> None:
    judged = "".join(f"T-{n},{'pass' if n % 3 else 'fail'}\n" for n in range(12))
    (tmp_path / "judged.csv").write_text(f"id,verdict\n{judged}")
    (tmp_path / "texts.csv").write_text("id,verdict,response\n" + judged.replace("\n", ",The reply is polite.\n"))
    (tmp_path / "labels.csv").write_text(f"id,human\n{judged}")
    without_texts = run("calibrate", "judged.csv", cwd=tmp_path).stderr
    assert "init" not in without_texts
    assert "\n  markscheme calibrate judged.csv LABELS\n" in without_texts
    assert "12 with both" in run("calibrate", "judged.csv", "labels.csv", cwd=tmp_path).stdout
    with_texts = run("calibrate", "texts.csv", cwd=tmp_path).stderr
    assert "without labels, `markscheme init --from texts.csv` makes a rubric to label by" in with_texts


def test_a_report_on_a_table_counts_examples_in_its_title_and_all_rows_of_the_file_in_the_next_line(
    tmp_path: Path,
) -> None:
    rows = ["id,ann,ben,gpt"]
    for n in range(120):
        ann = "yes" if n % 3 else "no"
        ben = ann if n % 20 else "yes" if ann == "no" else "no"
        rows.append(f"t{n},{ann},{ben},{'' if n in (7, 9) else ann}")
    (tmp_path / "replies.csv").write_text("\n".join(rows) + "\n")
    words = ("calibrate", "replies.csv", "--judge", "gpt", "--human", "ann", "ben", "--pass", "yes")
    shown = run("markscheme", *words, cwd=tmp_path, env={"COLUMNS": "200"}).stdout
    assert "replies · gpt · 112 examples, 2 annotators" in shown
    assert "120 rows, 118 with both, 6 split evenly" in shown


@pytest.mark.parametrize("judge", [(), ("--judge", "anthropic")])
def test_a_single_row_with_its_own_criteria_and_no_label_is_refused_with_the_command_that_labels_the_row(
    judge: tuple[str, ...], tmp_path: Path
) -> None:
    row = {"id": "r1", "response": "It passes York.", "rubric": [{"requirement": "Names York", "weight": 2}]}
    (tmp_path / "tasks.jsonl").write_text(f"{json.dumps(row)}\n", encoding="utf-8")
    done = run("calibrate", "tasks.jsonl", *judge, cwd=tmp_path)
    to_label = (
        "no row of tasks.jsonl has a label of people to compare with; to label them: markscheme label tasks.jsonl"
    )
    assert (done.returncode, done.stderr) == (2, f"error: {to_label}\n")


def test_unlabelled_rows_with_their_own_criteria_are_refused_with_advice_to_label_and_not_to_name_a_column(
    tmp_path: Path,
) -> None:
    row = {"id": "r1", "response": "It passes York.", "rubric": [{"requirement": "Names York"}]}
    (tmp_path / "tasks.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(row | {'id': 'r2'})}\n", encoding="utf-8")
    done = run("calibrate", "tasks.jsonl", cwd=tmp_path)
    assert (done.returncode, "`markscheme label tasks.jsonl` asks about each row's own criteria" in done.stderr) == (
        2,
        True,
    )
    assert "--human COLUMN" not in done.stderr
