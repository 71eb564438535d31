"""`calibrate` on rows that bring criteria of their own."""

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import markscheme
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.file_answers import JUDGES_IN_FILES
from markscheme.calibration.options import LabelOptions
from markscheme.errors import UsageError
from markscheme.features.rows.calibration import RowsCalibration
from tests.commands.console import run

REALSUMM = Path(__file__).parents[4] / "shared/data/realsumm_units"
JUDGE = """
import re


def judge(system_prompt, user_prompt):
    response = re.search(r"<response-[^>]+>(.*?)</response-", user_prompt, re.DOTALL)[1]
    return {
        "verdicts": {
            name: {"quote": "nothing to quote", "reason": "Seen.", "level": "MET" if town in response else "UNMET"}
            for name, town in re.findall(r'Criterion "(c[0-9]+)": Names ([A-Za-z]+)', system_prompt)
        }
    }
"""
TOWNS = ("Leeds", "York", "Hull", "Bath", "Derby")


def row(number: int, *, wrong: int = 0) -> dict[str, Any]:
    """A response that names two of its task's three towns, with two people's labels and a judge's verdicts."""
    first, second, third = (TOWNS[(number + step) % 5] for step in range(3))
    met = {"c1": "MET", "c2": "MET", "c3": "UNMET"}
    judged = met | {"c3": "MET"} if number < wrong else met
    people = [{"rater": rater, "kind": "human", "criteria": met} for rater in ("ann", "ben")]
    return {
        "id": f"r{number}",
        "query": f"Which towns does route {number} pass?",
        "response": f"It passes {first} and {second}.",
        "rubric": [
            {"requirement": f"Names {town} on route {number}", "weight": weight, "tags": ["town", f"w{weight}"]}
            for town, weight in ((first, 1), (second, 2), (third, 3))
        ],
        "labels": [*people, {"rater": "gpt", "kind": "model", "criteria": judged}],
    }


def label(rater: str, kind: str, criteria: dict[str, Any]) -> dict[str, Any]:
    return {"rater": rater, "kind": kind, "criteria": criteria}


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    lines = "".join(f"{json.dumps(line)}\n" for line in rows)
    path.write_text(json.dumps(rows, indent=1) if path.suffix == ".json" else lines)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_verdicts_and_labels_in_rows_are_compared_by_criterion_and_by_response(name: str, tmp_path: Path) -> None:
    write_rows(tmp_path / name, [row(number, wrong=10) for number in range(40)])
    done = run("calibrate", name, "--json", "report.json", cwd=tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    verdicts = report["verdicts"]
    assert (verdicts["n"], verdicts["tasks"], verdicts["criteria"], verdicts["unseen"]) == (120, 40, 120, True)
    assert verdicts["agreement"]["value"] == pytest.approx(110 / 120)
    assert verdicts["false_met"]["value"] == pytest.approx(10 / 40)
    assert verdicts["false_unmet"]["value"] == 0
    assert verdicts["by_tag"]["w3"]["agreement"]["value"] == pytest.approx(30 / 40)
    assert verdicts["by_tag"].keys() == {"town", "w1", "w2", "w3"}
    assert verdicts["close_scores"]["value"] == pytest.approx(30 / 40)
    assert "Right on 92%" in done.stdout
    assert "120 verdicts on 120 criteria of 40 tasks" in " ".join(done.stdout.split())
    assert "Weakest: w3 75%" in done.stdout


def test_the_judge_is_asked_with_each_row_s_own_rubric(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    rows = [row(number) | {"labels": row(number)["labels"][:2]} for number in range(12)]
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run(
        *("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "--json", "report.json", "-o", "cache=off"),
        cwd=tmp_path,
    )
    assert done.returncode in (0, 1, 4), done.stderr
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert (verdicts["n"], verdicts["agreement"]["value"], verdicts["lost"]) == (36, 1.0, {})


def test_a_file_with_a_single_row_is_read_as_a_row_and_not_as_a_rubric(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [row(1)])
    done = run("calibrate", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["verdicts"]["n"] == 3


def test_calibrate_on_rows_counts_the_criteria_of_a_common_rubric_in_addition_to_each_row_s_own(tmp_path: Path) -> None:
    (tmp_path / "core.yaml").write_text("criteria: [{name: short, requirement: The reply is short., weight: 1}]\n")
    rows = [row(number) for number in range(12)]
    for line in rows:
        for rating in line["labels"]:
            rating["criteria"] = rating["criteria"] | {"short": "MET"}
    write_rows(tmp_path / "rows.jsonl", rows)
    run("calibrate", "core.yaml", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert (verdicts["n"], verdicts["criteria"]) == (48, 37)


def test_calibrate_reports_faulty_rows_by_line(tmp_path: Path) -> None:
    rows = [row(number) for number in range(3)]
    rows[1]["rubric"][0]["weight"] = 0
    rows[2]["id"] = "r0"
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "its rubric, criterion 1: weight must be a finite number other than 0" in done.stderr
    assert "id 'r0' is on line 1 already" in done.stderr


def test_if_several_judges_rated_the_rows_the_judge_option_must_name_one_judge(tmp_path: Path) -> None:
    rows = [row(number) for number in range(12)]
    for line in rows:
        line["labels"].append(line["labels"][2] | {"rater": "claude"})
    write_rows(tmp_path / "rows.jsonl", rows)
    unnamed = run("calibrate", "rows.jsonl", cwd=tmp_path)
    assert (unnamed.returncode, "2 judges rated these rows (gpt, claude)" in unnamed.stderr) == (2, True)
    assert "rows.jsonl · claude" in run("calibrate", "rows.jsonl", "--judge", "claude", cwd=tmp_path).stdout


def judges_in_file(path: Path) -> Sequence[Calibration]:
    """Return the calibrations of all judges in a file whose kind a feature knows."""
    answers = (calibrate(path, LabelOptions()) for calibrate in JUDGES_IN_FILES)
    return next(calibrations for calibrations in answers if calibrations is not None)


def test_each_judge_with_verdicts_in_the_rows_can_be_calibrated_and_compared_with_the_other_judges(
    tmp_path: Path,
) -> None:
    rows = [row(number) for number in range(40)]
    for number, rated in enumerate(rows):
        worse = {"c1": "UNMET", "c2": "UNMET" if number % 4 == 0 else "MET", "c3": "UNMET"}
        rated["labels"].append(label("claude", "model", worse))
    gpt, claude = judges_in_file(write_rows(tmp_path / "rows.jsonl", rows))
    assert (gpt.rater.name, claude.rater.name) == ("gpt", "claude")
    assert gpt.comparison.agreement.value == 1.0
    assert (claude.comparison.agreement.value or 0.0) < 0.5
    of_one_judge = write_rows(tmp_path / "one.jsonl", [row(number) for number in range(40)])
    with pytest.raises(UsageError, match="a comparison needs two judges, and 1 judge rated these rows"):
        judges_in_file(of_one_judge)


def test_calibrate_called_from_python_with_rows_gives_their_agreement_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_rows(tmp_path / "rows.jsonl", [row(number, wrong=10) for number in range(40)])
    result: Any = markscheme.calibrate(str(path))
    assert isinstance(result, RowsCalibration)
    assert result.to_json()["verdicts"]["agreement"]["value"] == pytest.approx(110 / 120)
    assert "Right on 92%" in result.to_markdown()


@pytest.mark.skipif(not REALSUMM.is_dir(), reason="runs where ../shared has the published judges of REALSumm")
def test_published_figures_of_judges_on_realsumm_are_reproduced_from_rows_with_their_own_criteria(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def table(name: str) -> list[dict[str, str]]:
        with gzip.open(REALSUMM / name, "rt") as file:
            return list(csv.DictReader(file))

    criteria = defaultdict(list)
    for line in table("criteria.csv.gz"):
        criteria[line["task"]].append(line)
    verdicts: dict[tuple[str, str], dict[str, dict[str, str]]] = defaultdict(dict)
    for line in table("verdicts.csv.gz"):
        verdicts[line["task"], line["system"]][line["criterion"]] = line
    rows = []
    for task, brought in criteria.items():
        system = min(system for of_task, system in verdicts if of_task == task)
        marks = {f"c{place}": verdicts[task, system][c["criterion"]] for place, c in enumerate(brought, start=1)}
        people = [
            {
                "rater": f"p{person}",
                "kind": "human",
                "criteria": {n: int(m["people"][person]) for n, m in marks.items()},
            }
            for person in range(3)
        ]
        judge = label("recall", "model", {name: int(mark["recall"]) for name, mark in marks.items()})
        rubric = [{"requirement": criterion["requirement"]} for criterion in brought]
        rows.append({"id": task, "response": "A summary.", "rubric": rubric, "labels": [*people, judge]})
    result: Any = markscheme.calibrate(str(write_rows(tmp_path / "realsumm.jsonl", rows)))
    assert (result.verdicts.n, result.verdicts.tasks, result.verdicts.criteria) == (537, 50, 537)
    assert 0.6 < result.verdicts.agreement.value < 0.9
    assert result.verdicts.unseen


def test_an_accepted_calibration_on_rows_with_criteria_of_their_own_is_compared_with_a_later_calibration(
    tmp_path: Path,
) -> None:
    rows = [row(number) for number in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    accepted = run("calibrate", "rows.jsonl", "--accept", "--force", cwd=tmp_path)
    assert "1 run accepted" in accepted.stderr
    kept = json.loads((tmp_path / "calibration/rows.jsonl/accepted.json").read_text())
    assert (kept["judge"]["name"], kept["ratings"]["examples"], kept["measurements"]["agreement"]["value"]) == (
        "gpt",
        40,
        1,
    )
    for one in rows:
        one["labels"][2]["criteria"] = {"c1": "UNMET", "c2": "UNMET", "c3": "UNMET"}
    write_rows(tmp_path / "rows.jsonl", rows)
    run("calibrate", "rows.jsonl", "--json", "later.json", cwd=tmp_path)
    since = json.loads((tmp_path / "later.json").read_text())["baseline"]
    assert since["accepted"]["runs"] == 1
    assert since["score"]["shift"]["value"] == pytest.approx(-0.5)


def test_accepting_a_judge_s_calibration_on_rows_again_replaces_the_accepted_run(
    tmp_path: Path,
) -> None:
    rows = [row(number) for number in range(20)]
    for one in rows:
        one["labels"].pop()
    write_rows(tmp_path / "rows.jsonl", rows)
    (tmp_path / "judging.py").write_text(JUDGE)
    command = ("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "--accept", "--force")
    for _ in range(2):
        assert "1 run accepted" in run(*command, cwd=tmp_path).stderr


def in_form(name: str, rows: list[dict[str, Any]], folder: Path) -> None:
    """Write rows as a table whose cells hold JSON, as lines with their rubric as text, or with it under `criteria`."""
    if name.endswith(".csv"):
        with (folder / name).open("w", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(
                {key: json.dumps(cell) if isinstance(cell, list) else cell for key, cell in line.items()}
                for line in rows
            )
    elif name == "text.jsonl":
        write_rows(folder / name, [{**line, "rubric": json.dumps(line["rubric"])} for line in rows])
    else:
        write_rows(folder / name, [{"criteria": line.pop("rubric"), **line} for line in rows])


@pytest.mark.parametrize("name", ["rows.csv", "text.jsonl", "criteria.jsonl"])
def test_calibrate_reads_rows_that_have_criteria_in_a_csv_cell_or_as_json_text_or_under_the_key_criteria(
    name: str, tmp_path: Path
) -> None:
    in_form(name, [row(number, wrong=10) for number in range(40)], tmp_path)
    done = run("calibrate", name, "--json", "report.json", cwd=tmp_path)
    assert done.returncode in (0, 1, 4), done.stderr
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert (verdicts["n"], verdicts["tasks"], verdicts["criteria"]) == (120, 40, 120)
    assert verdicts["agreement"]["value"] == pytest.approx(110 / 120)


def test_labels_on_criteria_that_a_row_lacks_are_left_out_and_reported(tmp_path: Path) -> None:
    rows = [row(number) for number in range(12)]
    for line in rows[:2]:
        line["labels"][0]["criteria"] = line["labels"][0]["criteria"] | {"c9": "MET"}
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    said = " ".join(done.stderr.split())
    assert "rows.jsonl: 2 labels are on criteria that the row lacks, and left out: c9 (r0, r1)" in said
    assert json.loads((tmp_path / "report.json").read_text())["verdicts"]["n"] == 36


def test_a_task_with_rows_in_both_dev_and_test_is_refused(tmp_path: Path) -> None:
    rows = [{**row(number), "task": f"t{number // 2}", "split": ("dev", "test")[number % 2]} for number in range(12)]
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, "6 tasks with rows in dev and in test" in done.stderr) == (2, True)


def test_only_rows_of_the_chosen_split_are_compared(tmp_path: Path) -> None:
    rows = [{**row(number), "split": ("dev", "test")[number % 2]} for number in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    run("calibrate", "rows.jsonl", "--split", "dev", "--json", "report.json", cwd=tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["verdicts"]["n"], report["counts"]["graded"]) == (60, 20)


def test_the_examples_option_is_refused_if_calibrate_is_given_rows_with_rubrics_of_their_own(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [row(number) for number in range(12)])
    done = run("calibrate", "rows.jsonl", "--examples", "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, "--examples needs a rubric; rows.jsonl contains its own" in done.stderr) == (2, True)


def test_the_report_on_rows_counts_the_judge_s_calls_and_prints_the_command_for_the_full_report(
    tmp_path: Path,
) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    rows = [row(number) | {"labels": row(number)["labels"][:2]} for number in range(12)]
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "-o", "cache=off", cwd=tmp_path)
    assert "Live: 12 calls, 0 replies from the cache." in done.stdout
    assert "markscheme calibrate rows.jsonl --judge function:judging:judge --details" in done.stdout


def test_commands_printed_for_rows_with_own_rubrics_repeat_the_options_that_change_figures(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    (tmp_path / "core.yaml").write_text("criteria: [{name: short, requirement: The reply is short., weight: 1}]\n")
    rows = [{**row(number), "split": ("dev", "test")[number % 2]} for number in range(40)]
    for rated in (rated for line in rows for rated in line["labels"]):
        rated["criteria"] = rated["criteria"] | {"short": "MET"}
    write_rows(tmp_path / "rows.jsonl", rows)
    read = run("calibrate", "core.yaml", "rows.jsonl", "--split", "dev", "--only", "split=dev", cwd=tmp_path)
    assert "markscheme calibrate core.yaml rows.jsonl --split dev --only split=dev --details" in printed(read.stdout)
    asked = ("--judge", "function:judging:judge", "-o", "criteria_per_call=2")
    compared = ("--split", "dev", "-o", "tolerance=0.3")
    live = run("calibrate", "rows.jsonl", *asked, *compared, "-o", "cache=off", cwd=tmp_path)
    assert f"markscheme calibrate rows.jsonl {' '.join((*asked, *compared))} --details" in printed(live.stdout)


def test_a_row_may_name_a_rubric_file_of_the_project_as_its_rubric(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    criteria = [{"name": f"c{n}", "requirement": f"Names {town}", "weight": n} for n, town in enumerate(TOWNS[:3], 1)]
    (tmp_path / "rubrics" / "towns.yaml").write_text(json.dumps({"criteria": criteria}))
    rows = [{**row(number, wrong=10), "rubric": "towns", "task": f"t{number}"} for number in range(40)]
    write_rows(tmp_path / "rows.jsonl", rows)
    run("calibrate", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert (verdicts["n"], verdicts["criteria"], verdicts["agreement"]["value"]) == (120, 3, pytest.approx(110 / 120))


def printed(screen: str) -> str:
    """A screen's text as one line, as a command that was wrapped is pasted."""
    return " ".join(screen.split())


def test_agreement_of_scores_is_the_same_figure_wherever_the_report_on_rows_states_it(tmp_path: Path) -> None:
    rows = [row(number, wrong=10) for number in range(40)]
    for line in rows[::3]:  # two annotators differ, so that their mean score isn't their median score
        third = line["labels"][0]["criteria"] | {"c1": "UNMET", "c2": "UNMET"}
        line["labels"] += [label("cid", "human", third), label("dan", "human", third | {"c3": "MET"})]
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["verdicts"]["close_scores"] == report["agreement"]
    within = re.search(r"Scores within 0\.1: (\S+ \(\S+\))", done.stdout)
    agree = re.search(r"Scores agree on (\S+ \(\S+\))", done.stdout)
    assert within is not None
    assert agree is not None
    assert within[1] == agree[1]


@pytest.mark.parametrize("lacking", ["labels", "rubric"])
def test_calibrate_recognizes_rows_even_if_the_first_row_lacks_labels_or_criteria(lacking: str, tmp_path: Path) -> None:
    rows = [row(number) for number in range(12)]
    del rows[0][lacking]
    write_rows(tmp_path / "rows.jsonl", rows)
    done = run("calibrate", "rows.jsonl", cwd=tmp_path)
    if lacking == "labels":
        assert "rows.jsonl · gpt · 33 verdicts in 11 tasks" in done.stdout
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert "rows.jsonl:1: the row has no rubric" in done.stderr


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_rows_without_any_label_are_refused_with_the_command_that_labels_them(name: str, tmp_path: Path) -> None:
    unlabelled = [{key: value for key, value in row(number).items() if key != "labels"} for number in range(3)]
    write_rows(tmp_path / name, unlabelled)
    for options in ((), ("--judge", "anthropic")):
        refused = run("calibrate", name, *options, cwd=tmp_path)
        assert (refused.returncode, f"`markscheme label {name}`" in refused.stderr) == (2, True)
    (tmp_path / "calibration" / name / "ratings").mkdir(parents=True)
    refused = run("calibrate", name, cwd=tmp_path)
    assert (refused.returncode, f"to label them: markscheme label {name}" in refused.stderr) == (2, True)


def test_the_detailed_report_on_rows_gives_annotators_agreement_and_no_empty_table_of_criteria(
    tmp_path: Path,
) -> None:
    write_rows(tmp_path / "rows.jsonl", [row(number, wrong=10) for number in range(40)])
    done = run("calibrate", "rows.jsonl", "--details", cwd=tmp_path)
    words = " ".join(done.stdout.split())
    assert "Two annotators give the same decision on 100% (91–100) of 40 examples." in words
    assert "the judge gave no level" not in words
    assert "Too few examples have labels" not in words


def test_the_report_on_rows_states_the_pass_mark_that_decides_them_and_says_if_some_rows_have_another(
    tmp_path: Path,
) -> None:
    rows = [row(number) for number in range(6)]
    for line in rows:
        line["rubric"] = {"criteria": line["rubric"], "passingThreshold": 0.4}
    write_rows(tmp_path / "rows.jsonl", rows)
    report = run("calibrate", "rows.jsonl", cwd=tmp_path).stdout
    assert "Pass mark 0.4." in report
    assert "its own pass mark" not in report
    rows[0]["rubric"]["passingThreshold"] = 0.9
    write_rows(tmp_path / "rows.jsonl", rows)
    mixed = " ".join(run("calibrate", "rows.jsonl", cwd=tmp_path).stdout.split())
    assert "Each row is decided by its own pass mark: 1 response has another than 0.4." in mixed


def test_a_report_on_four_verdicts_counts_right_verdicts_instead_of_giving_a_percentage(
    tmp_path: Path,
) -> None:
    rows = [row(number, wrong=1) for number in range(2)]
    rows[1]["rubric"] = rows[1]["rubric"][:1]
    for rating in rows[1]["labels"]:
        rating["criteria"] = {"c1": "MET"}
    write_rows(tmp_path / "rows.jsonl", rows)
    report = " ".join(run("calibrate", "rows.jsonl", cwd=tmp_path).stdout.split())
    assert "Where all tasks weigh alike: right on 83%." in report
    assert "Right on 3 of 4" in report
    assert "Scores within 0.1: 1 of 2 responses." in report


def test_an_adjudicated_level_replaces_annotators_labels_and_their_agreed_levels_count_on_other_criteria(
    tmp_path: Path,
) -> None:
    rows = [row(number) for number in range(6)]
    ann, ben, gpt = rows[0]["labels"]
    unlike_ann = [label(rater, "human", {**ann["criteria"], "c3": "MET"}) for rater in ("cat", "dan")]
    decided = label("eve", "adjudicated", {"c3": "UNMET"})
    rows[0]["labels"] = [ann, ben, *unlike_ann, label("fay", "human", unlike_ann[0]["criteria"]), decided, gpt]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in rows))
    done = run("calibrate", "rows.jsonl", "--json", "report.json", cwd=tmp_path)
    assert done.returncode in (0, 1, 4), done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["verdicts"]["n"], report["verdicts"]["agreement"]["value"]) == (18, 1.0)
    assert report["agreement"]["value"] == 1.0
    assert report["raters"]["kinds"]["adjudicated"] == 1


def test_a_judge_that_grades_no_row_is_reported_with_the_reason_why(tmp_path: Path) -> None:
    rows = [row(number) for number in range(3)]
    for line in rows:
        line["labels"] = line["labels"][:2]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in rows))
    (tmp_path / "silent.py").write_text("def judge(system_prompt, user_prompt):\n    return {'verdicts': {}}\n")
    done = run("calibrate", "rows.jsonl", "--judge", "function:silent:judge", cwd=tmp_path)
    assert "nothing was graded: all 3 examples failed" in done.stderr
    assert "no rating has the id" not in done.stderr


@pytest.mark.parametrize(
    ("n_left", "sentence"), [(8, "Begin with the 8 rows"), (0, "All rows of rows.jsonl are labelled")]
)
def test_if_labels_are_missing_the_report_on_rows_prints_the_command_that_labels_the_file(
    n_left: int, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "core.yaml").write_text("criteria: [{name: short, requirement: The reply is short., weight: 1}]\n")
    rows = [row(index) for index in range(12)]
    for line in rows[: 12 - n_left]:
        line["labels"] = [rated | {"criteria": rated["criteria"] | {"short": "MET"}} for rated in line["labels"]]
    for line in rows[12 - n_left :]:
        line["labels"] = []
    write_rows(tmp_path / "rows.jsonl", rows)
    for named in (("rows.jsonl",), ("core.yaml", "rows.jsonl")):
        screen = printed(run("calibrate", *named, cwd=tmp_path).stdout)
        assert sentence in screen
        assert f"markscheme label {' '.join(named)} --rater YOUR-NAME" in screen


def test_the_report_on_rows_whose_judge_is_good_enough_prints_the_command_that_accepts_its_run(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGE)
    write_rows(tmp_path / "rows.jsonl", varied_rows())
    command = ("calibrate", "rows.jsonl", "--judge", "function:judging:judge")
    screen = printed(run(*command, cwd=tmp_path).stdout)
    assert "Next, accept this run as it is, so that later ones show drift: markscheme" in screen
    assert f"markscheme {' '.join(command)} --accept" in screen
    accepted = run(*command, "--accept", cwd=tmp_path)
    assert ("1 run accepted" in accepted.stderr, "--accept" in accepted.stdout) == (True, False)


def varied_rows() -> list[dict[str, Any]]:
    """Rows whose responses pass or fail, each with two people's labels, who see what the scripted judge sees."""
    rows = []
    for index in range(150):
        line = row(index)
        if index % 3 == 0:
            line["response"] = "It passes none of them."
            line["labels"] = [label(rater, "human", dict.fromkeys(("c1", "c2", "c3"), "UNMET")) for rater in "ab"]
        else:
            line["labels"] = line["labels"][:2]
        rows.append(line)
    return rows


def test_the_number_of_labels_needed_for_rows_is_stored_unless_only_one_split_was_compared(
    tmp_path: Path,
) -> None:
    rows = [{**row(index), "split": ("dev", "test")[index % 2]} for index in range(12)]
    write_rows(tmp_path / "rows.jsonl", rows)
    record_file = tmp_path / "calibration/rows.jsonl/next_labels.json"
    run("calibrate", "rows.jsonl", "--split", "dev", cwd=tmp_path)
    assert not record_file.exists()
    report = run("calibrate", "rows.jsonl", "--json", "-", "--quiet", cwd=tmp_path)
    record = json.loads(record_file.read_text())
    assert (record["judge"], record["labelled"]) == ("gpt", 12)
    assert record["labels_needed"] == json.loads(report.stdout)["labels_needed"] > 0
    assert "more tasks" in record["next_step"]
