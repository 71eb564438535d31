"""Rows that bring criteria of their own: each response is asked its own, and the labels calibrate the file."""

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.label.label_session import LabelSession, ResponseAnswers
from markscheme.features.label.next_steps import onward_steps
from markscheme.features.label.page import sheet_of
from markscheme.features.label.setup import open_work
from tests.commands.console import run
from tests.features.label.labelled_project import Server
from tests.features.label.rows_to_label import TOWNS, write_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_rows(tmp_path)
    return tmp_path


def labelled(folder: Path, rater: str, **options: Any) -> LabelSession:
    """Open a rater's work on the rows, and answer all questions by what each response says."""
    work = open_work("rows.jsonl", folder, rater=rater, **options)
    for step in work.steps:
        response = work.examples[step.id].submission.response
        requirement_of = {
            question.criterion.name: question.criterion.requirement for question in work.questions_at(step)
        }
        work.give(
            step,
            ResponseAnswers({name: str(int(text.split()[1] in response)) for name, text in requirement_of.items()}),
        )
    return work


def test_each_row_s_response_is_labelled_on_the_row_s_own_criteria(folder: Path) -> None:
    work = open_work("rows.jsonl", folder, rater="ann")
    requirements = {id: [q.criterion.requirement for q in work.questions[id]] for id in TOWNS}
    work.file.close()
    assert requirements["r1"] == ["Names Leeds on route r1", "Names York on route r1"]
    assert [len(requirements[id]) for id in TOWNS] == [len(towns.split()) for towns in TOWNS.values()]
    assert work.notes[-1] == "11 criteria to label in 6 tasks"


def test_rows_in_a_json_list_are_labelled_like_rows_in_a_json_lines_file(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    (folder / "rows.json").write_text(json.dumps(rows, indent=1))
    work = open_work("rows.json", folder, rater="ann")
    work.file.close()
    assert work.notes[-1] == "11 criteria to label in 6 tasks"
    assert [q.criterion.requirement for q in work.questions["r1"]] == [
        "Names Leeds on route r1", "Names York on route r1",
    ]  # fmt: skip


def test_an_annotator_is_always_asked_about_the_same_8_of_a_row_s_13_criteria(
    tmp_path: Path,
) -> None:
    write_rows(tmp_path, more=11)
    criteria = []
    for every in (False, False, True):
        work = open_work("rows.jsonl", tmp_path, rater="ann", all_criteria=every)
        criteria.append([question.criterion.name for question in work.questions["r6"]])
        work.file.close()
    assert [len(names) for names in criteria] == [8, 8, 13]
    assert criteria[0] == criteria[1]


def test_labelled_rows_are_not_shown_again_when_the_page_is_reopened(folder: Path) -> None:
    work = labelled(folder, "ann")
    work.file.close()
    again = open_work("rows.jsonl", folder, rater="ann")
    again.file.close()
    assert (work.done, again.done, again.current) == (6, 6, None)
    assert all(again.answered(step) for step in again.steps)


def test_stopping_the_labelling_page_for_rows_prints_the_next_commands_and_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    labelled(folder, "ann").file.close()
    with Server(folder, rubric="rows.jsonl") as server:
        ended = server.end()
    assert "markscheme label rows.jsonl --rater SECOND" in ended
    assert (server.process.returncode, "error" in ended) == (0, False)


def test_calibrate_uses_the_labels_that_annotators_gave_to_rows_on_the_labelling_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for rater in ("ann", "ben"):
        labelled(folder, rater).file.close()
    run("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "--json", "report.json", cwd=folder)
    verdicts = json.loads((folder / "report.json").read_text())["verdicts"]
    assert (verdicts["n"], verdicts["tasks"], verdicts["responses"]) == (11, 6, 6)
    assert verdicts["agreement"]["value"] == 1.0


def test_rows_are_labelled_on_their_own_criteria_and_on_those_of_a_rubric_that_they_share(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "core.yaml").write_text("criteria: [{name: c1, requirement: Names any town}]\n")
    judge = (folder / "judging.py").read_text().replace('"(c[0-9]+)"', '"((?:row-)?c[0-9]+)"')
    (folder / "judging.py").write_text(judge.replace("town in said", "town in said or town == 'any'"))
    work = labelled(folder, "ann", core="core.yaml")
    work.file.close()
    assert {len(work.questions_at(step)) for step in work.steps} == {2, 3, 4}
    second = next(command for _, command in onward_steps(work))
    assert second == "markscheme label core.yaml rows.jsonl --rater SECOND"
    progress = run("markscheme", "label", "core.yaml", "rows.jsonl", "--progress", cwd=folder).stdout
    assert "17 of 17 criteria, in 6 of 6 tasks" in " ".join(progress.split())
    assert "Next: markscheme calibrate core.yaml rows.jsonl" in progress
    judged = ("--judge", "function:judging:judge", "--json", "report.json")
    done = run("calibrate", "core.yaml", "rows.jsonl", *judged, cwd=folder)
    assert "that the row lacks" not in done.stderr
    assert json.loads((folder / "report.json").read_text())["verdicts"]["n"] == 17


def test_the_label_command_refuses_a_rubric_next_to_a_file_without_rubrics(folder: Path) -> None:
    (folder / "core.yaml").write_text("criteria: [{name: c1, requirement: Names any town}]\n")
    (folder / "plain.jsonl").write_text('{"id": "a", "response": "It passes Leeds."}\n')
    plain = run("markscheme", "label", "core.yaml", "plain.jsonl", cwd=folder)
    assert (plain.returncode, "markscheme label core.yaml --pool plain.jsonl" in plain.stderr) == (2, True)


def answer_sheet(page: Path, answers: Path, **changed: str) -> None:
    """Answer all questions of an offline page with "met", as a browser saves them, with changed entries of its head."""
    script = re.search(r'id="data">(.*)</script>', page.read_text())
    assert script
    sheet = json.loads(script[1])["sheet"]
    met = dict(zip(sheet["head"]["criteria"], [rated["1"] for rated in sheet["rated"]], strict=True))
    ratings = [
        {"id": id, "rater": "ann", "kind": "human", "sample": sample, "under": sheet["head"]["under"], "blind": True,
         "criteria": {name: met[name] for name in sheet["head"]["asks"][id]}}
        for id, sample in sheet["head"]["steps"]
    ]  # fmt: skip
    answers.write_text(json.dumps({**sheet["head"], **changed, "ratings": ratings}))


def test_the_printed_command_imports_an_offline_page_s_answers_about_rows_with_a_shared_rubric(
    folder: Path,
) -> None:
    (folder / "core.yaml").write_text("criteria: [{name: c1, requirement: Names any town}]\n")
    (folder / "other.yaml").write_text("criteria: [{name: c1, requirement: Names a river}]\n")
    sheet = ("core.yaml", "rows.jsonl", "--rater", "ann", "--sheet", "ann.html")
    printed = run("markscheme", "label", *sheet, cwd=folder).stdout
    command = shlex.split(printed.splitlines()[-1])
    answer_sheet(folder / "ann.html", folder / "rows.jsonl-ann.json", core="other.yaml")
    forged = run(*command, cwd=folder)
    assert (forged.returncode, "its head isn't the one that was written" in forged.stderr) == (2, True)
    answer_sheet(folder / "ann.html", folder / "rows.jsonl-ann.json")
    taken_in = run(*command, cwd=folder)
    assert taken_in.returncode == 0, taken_in.stderr
    assert "Next: markscheme calibrate core.yaml rows.jsonl" in taken_in.stdout
    progress = run("markscheme", "label", "core.yaml", "rows.jsonl", "--progress", cwd=folder).stdout
    assert "17 of 17 criteria, in 6 of 6 tasks" in " ".join(progress.split())
    again = run("markscheme", "label", *sheet, cwd=folder).stdout
    assert "ann.html: 0 of 6 to label by ann" in again


def test_commands_about_rows_in_another_folder_name_the_file_by_its_path(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "rows.jsonl").rename(folder / "data/rows.jsonl")
    rows = ("markscheme", "label", "data/rows.jsonl")
    printed = run(*rows, "--rater", "ann", "--sheet", "ann.html", cwd=folder).stdout
    assert "Next: markscheme label data/rows.jsonl --rater" in run(*rows, "--progress", cwd=folder).stdout
    assert "Next: markscheme label data/rows.jsonl --rater" in run(*rows, "--plan", cwd=folder).stdout
    answer_sheet(folder / "ann.html", folder / "rows.jsonl-ann.json")
    taken_in = run(*shlex.split(printed.splitlines()[-1]), cwd=folder)
    assert "Next: markscheme calibrate data/rows.jsonl" in taken_in.stdout, taken_in.stderr


def test_the_plan_for_rows_names_the_labels_left_and_the_calls_of_a_calibration_and_the_next_command(
    folder: Path,
) -> None:
    (folder / "core.yaml").write_text("criteria: [{name: c1, requirement: Names any town}]\n")
    plan = ("markscheme", "label", "rows.jsonl", "--plan")
    before = run(*plan, cwd=folder).stdout
    assert "rows.jsonl · 0 labelled examples" in before
    assert "? Label all 6 that are left in rows.jsonl." in before
    assert "Calibrating a judge takes 6 calls" in before
    assert "Next: markscheme label rows.jsonl --rater YOUR-NAME" in before
    with_core = ("markscheme", "label", "core.yaml", "rows.jsonl", "--plan", "-o", "criteria_per_call=1")
    one_by_one = run(*with_core, "-o", "annotators=2", cwd=folder).stdout
    assert "Calibrating a judge takes 17 calls" in one_by_one
    assert "Labels to give: 12." in one_by_one
    assert "Next: markscheme label core.yaml rows.jsonl --rater YOUR-NAME" in one_by_one
    work = open_work("rows.jsonl", folder, rater="ann")
    first = work.steps[0]
    work.give(first, ResponseAnswers({question.criterion.name: "1" for question in work.questions_at(first)}))
    work.file.close()
    one = " ".join(run(*plan, cwd=folder).stdout.split())
    said = ("1 labelled example", "Label all 5 that are left", "takes 1 call:")
    assert [sentence in one for sentence in said] == [True] * 3
    labelled(folder, "ben").file.close()
    after = run(*plan, "--judge", "function:judging:judge", cwd=folder).stdout
    assert "Calibrate a judge: it says how many more tasks decide." in after
    assert "Next: markscheme calibrate rows.jsonl --judge function:judging:judge" in after
    assert json.loads(run(*plan, "--json", cwd=folder).stdout)["labelled"] == 6


def test_an_offline_labelling_page_asks_about_each_row_s_own_criteria(folder: Path) -> None:
    work = open_work("rows.jsonl", folder, rater="ann")
    page = sheet_of(work, timed=False)
    work.file.close()
    assert "Names Bath on route r3" in page
    assert {len(work.questions_at(step)) for step in work.steps} == {1, 2, 3}


def test_labels_of_rows_on_an_offline_page_are_imported_by_the_printed_command_and_used_by_calibrate(
    folder: Path,
) -> None:
    printed = run("markscheme", "label", "rows.jsonl", "--rater", "ann", "--sheet", "ann.html", cwd=folder).stdout
    answer_sheet(folder / "ann.html", folder / "rows.jsonl-ann.json")
    taken_in = run(*shlex.split(printed.splitlines()[-1]), cwd=folder)
    assert taken_in.returncode == 0, taken_in.stderr
    run("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "--json", "report.json", cwd=folder)
    assert json.loads((folder / "report.json").read_text())["verdicts"]["n"] == 11


def test_the_label_command_refuses_rows_whose_own_criteria_are_faulty_and_names_the_line(folder: Path) -> None:
    text = (folder / "rows.jsonl").read_text().replace('"weight": 2', '"weight": 0', 1)
    (folder / "rows.jsonl").write_text(text)
    faulty = run("markscheme", "label", "rows.jsonl", cwd=folder)
    assert (faulty.returncode, "rows.jsonl:1: its rubric, criterion 1: weight" in faulty.stderr) == (2, True)


def test_rows_in_a_csv_file_can_be_labelled_like_rows_in_a_json_lines_file(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    with (folder / "rows.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows({**row, "rubric": json.dumps(row["rubric"])} for row in rows)
    work = open_work("rows.csv", folder, rater="ann")
    work.file.close()
    assert work.notes[-1] == "11 criteria to label in 6 tasks"


def test_the_progress_of_labelling_rows_counts_criteria_and_tasks_and_names_the_next_command(folder: Path) -> None:
    before = run("markscheme", "label", "rows.jsonl", "--progress", cwd=folder).stdout
    assert "labelled: none yet; 0 of 11 criteria, in 0 of 6 tasks" in before
    assert "markscheme label rows.jsonl --rater YOUR-NAME" in before
    labelled(folder, "ann").file.close()
    after = run("markscheme", "label", "rows.jsonl", "--progress", cwd=folder).stdout
    assert "labelled: 6 by 1 annotator; 11 of 11 criteria, in 6 of 6 tasks" in " ".join(after.split())
    assert "markscheme calibrate rows.jsonl" in after
    labelled(folder, "ben").file.close()
    progress = json.loads(run("markscheme", "label", "rows.jsonl", "--progress", "--json", cwd=folder).stdout)
    assert [(person["shared"], person["agreed"]) for person in progress["annotators"]] == [(11, 11), (11, 11)]


def test_the_progress_of_labelling_counts_labels_by_people_inside_the_file_of_rows(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    people = {"rater": "ann", "kind": "human", "criteria": {"c1": "MET", "reworded": "MET"}}
    judge = {"rater": "gpt", "kind": "model", "criteria": {"c1": "MET"}}
    rows[1]["labels"] = [people, judge]
    rows[2]["labels"] = [judge]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    progress = " ".join(run("markscheme", "label", "rows.jsonl", "--progress", cwd=folder).stdout.split())
    assert "labelled: 1 by 1 annotator; 1 of 11 criteria, in 1 of 6 tasks" in progress


def test_a_row_counts_as_unlabelled_until_all_of_its_criteria_are_labelled(folder: Path) -> None:
    labelled(folder, "ann").file.close()
    ratings = folder / "calibration/rows.jsonl/ratings/ann.jsonl"
    lines = [json.loads(line) for line in ratings.read_text().splitlines()]
    longest = max(lines, key=lambda line: len(line["criteria"]))
    longest["criteria"].popitem()
    ratings.write_text("".join(json.dumps(line) + "\n" for line in lines))
    progress = " ".join(run("markscheme", "label", "rows.jsonl", "--progress", cwd=folder).stdout.split())
    assert "labelled: 5 by 1 annotator; 10 of 11 criteria" in progress
    assert "1 of 6 is left to label" in progress


def test_after_the_criterion_of_a_row_is_reworded_annotators_are_asked_about_that_row_again(
    folder: Path,
) -> None:
    labelled(folder, "ann").file.close()
    rows = folder / "rows.jsonl"
    rows.write_text(rows.read_text().replace("Names Hull on route r2", "Mentions Hull on route r2"))
    work = open_work("rows.jsonl", folder, rater="ann")
    work.file.close()
    assert [step.id for step in work.steps if not work.answered(step)] == ["r2"]
    after = run("markscheme", "label", "rows.jsonl", "--progress", cwd=folder).stdout
    assert "labelled: 5 by 1 annotator; 10 of 11 criteria, in 5 of 6 tasks" in " ".join(after.split())
    done = run("calibrate", "rows.jsonl", "--judge", "function:judging:judge", cwd=folder)
    assert "1 label is on a criterion that the row lacks, and left out" in " ".join(done.stderr.split())
    assert done.returncode in (0, 1, 4)


def test_disputed_labels_of_rows_with_a_shared_rubric_are_adjudicated_by_the_printed_command_and_then_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "core.yaml").write_text("criteria: [{name: c1, requirement: Names any town}]\n")
    judge = (folder / "judging.py").read_text().replace('"(c[0-9]+)"', '"((?:row-)?c[0-9]+)"')
    (folder / "judging.py").write_text(judge)
    for rater in ("ann", "ben"):
        work = labelled(folder, rater, core="core.yaml")
        if rater == "ben":
            step = work.steps[0]
            work.give(step, ResponseAnswers({question.criterion.name: "0" for question in work.questions_at(step)}))
        work.file.close()
    (decide, command), _ = onward_steps(work)
    assert (decide.startswith("Annotators differ on"), command) == (
        True,
        "markscheme label core.yaml rows.jsonl --disputed",
    )
    decided = open_work("rows.jsonl", folder, rater="cara", adjudicate=True, core="core.yaml")
    for step in decided.steps:
        decided.give(step, ResponseAnswers({question.criterion.name: "1" for question in decided.questions_at(step)}))
    decided.file.close()
    after = run(*shlex.split(command), cwd=folder)
    assert (after.returncode, "nothing left to adjudicate" in after.stderr) == (0, True)
    assert "Next: markscheme calibrate core.yaml rows.jsonl" in after.stderr
    judged = ("--judge", "function:judging:judge", "--json", "report.json")
    done = run("calibrate", "core.yaml", "rows.jsonl", *judged, cwd=folder)
    assert done.returncode in (0, 1, 4), done.stderr
    report = json.loads((folder / "report.json").read_text())
    assert report["raters"]["kinds"]["adjudicated"] == 1
