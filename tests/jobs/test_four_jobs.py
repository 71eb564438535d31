"""Four people's jobs, each from an empty folder to its answer, by what they type and by commands that are printed."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from markscheme import calibrate
from tests.features.discover_and_improve_and_label import test_authors_loop as outputs
from tests.features.discover_and_improve_and_label.test_authors_loop import ServedPage
from tests.jobs.journal import UNLABELLED, Journal
from tests.jobs.material import is_good, write_promptfoo_results, write_rubric_project, write_table

pytestmark = pytest.mark.proof
BOT, ROWS, LABELLED = 60, 80, 120


def label_bot(page: ServedPage) -> None:
    """Answer every question on the page by what the reply says."""
    data = page.data
    for step in data["steps"]:
        text = json.dumps(page.get(f"unit/{step['unit']}"))
        number = re.search(r"\(Case (\d+)\)", text)
        assert number
        names = [data["criteria"][index] for index in step["criteria"]]
        page.post("give", {"unit": step["unit"], "answers": dict.fromkeys(names, str(int(is_good(int(number[1])))))})


def test_a_user_with_a_promptfoo_bot_and_an_llm_rubric_reaches_a_result_by_the_printed_commands(tmp_path: Path) -> None:
    write_promptfoo_results(tmp_path / "results.json", BOT)
    job = Journal(tmp_path)
    assert "no output in the results is labelled" in job.type("markscheme calibrate results.json", ends=(UNLABELLED,))
    choices = job.shown
    job.work_on("markscheme label results.json", label_bot)
    job.shown = choices
    verdict = job.paste("markscheme calibrate results --ratings results.json")
    passed_fails = re.search(r"(\d+) of (?:the )?(\d+)", verdict)
    assert passed_fails
    job.shown = choices
    answer = job.paste("markscheme pass-rate results.json --calibration verdict.json")
    share = re.search(r"(\d+)%", answer)
    assert share
    assert 45 <= int(share[1]) <= 75, answer  # people pass three of five, the grader more
    assert job.counts()[2:] == (3, 0)


def test_a_user_with_a_table_of_two_annotators_reaches_a_result_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "replies.csv", ROWS)
    monkeypatch.chdir(tmp_path)
    calibration = calibrate("replies.csv", judge="gpt", human=["ann", "ben"])
    assert (calibration.verdict, calibration.use) == ("not-enough-labels", "explore")
    frame = calibration.to_frame()
    assert len(frame) == ROWS
    assert len(calibration.to_html()) > 0
    assert {"id", "gold", "judge"} <= {str(column) for column in frame.columns}
    job = Journal(tmp_path)
    refused = job.type("markscheme calibrate replies.csv", ends=(UNLABELLED,))
    assert "which columns are a judge's and people's?" in refused
    shown = job.paste("markscheme calibrate replies.csv --judge gpt")
    assert "Not enough labels to tell whether it can gate." in shown
    job.paste("markscheme init --from replies.csv")
    assert (tmp_path / "rubrics").is_dir()
    assert job.counts()[2:] == (2, 0)


def test_a_user_with_80_raw_outputs_and_no_rubric_gets_a_rubric_with_fitted_weights(tmp_path: Path) -> None:
    rows = [{"id": f"o{n}", "query": f"Question {n}", "response": outputs.reply(n)} for n in range(outputs.N)]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    job = Journal(tmp_path)
    job.typed.append("markscheme discover reply --pool outputs.jsonl")
    page = ServedPage(job.typed[0], tmp_path)
    outputs.read_all(page)
    job.shown = page.stop()
    job.paste("markscheme discover reply --write")
    job.work_on("markscheme label", outputs.label_all)
    job.paste("markscheme improve")
    job.paste("markscheme improve reply --numbers")
    job.paste("markscheme improve reply --numbers --write")
    weights = dict(
        re.findall(r'name: "(\w+)".*?weight: (-[\d.]+)', (tmp_path / "rubrics/reply.yaml").read_text(), re.S)
    )
    assert min(weights, key=lambda name: float(weights[name])) == "rude"  # the fault that people mind
    assert job.counts()[2:] == (5, 0)


def test_a_user_who_improves_weights_and_words_of_a_rubric_ends_with_no_false_pass_and_no_false_fail(
    tmp_path: Path,
) -> None:
    write_rubric_project(tmp_path, LABELLED)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "1"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    judge = "--judge function:seeing:judge"
    job = Journal(tmp_path)
    assert "Don't let it decide yet" in job.type(f"markscheme calibrate plate {judge}")
    job.type("markscheme improve plate")
    job.paste("markscheme improve plate --numbers --open")
    assert "Written to the file" in job.paste("markscheme improve plate --numbers --write")
    before = (tmp_path / "rubrics" / "plate.yaml").read_text()
    assert "name: warm, weight: 2" in before
    warmer = before.replace("The reply is warm.", "The reply names the person it is for.")
    (tmp_path / "warmer.yaml").write_text(warmer)
    job.type(f"markscheme improve plate {judge} --candidates warmer.yaml")
    assert "lower" in job.paste(f"markscheme improve plate {judge} --candidates warmer.yaml --open")
    job.paste(f"markscheme improve plate {judge} --candidates warmer.yaml --open --write", more=" --force")
    assert (tmp_path / "rubrics" / "plate.yaml").read_text() == warmer
    answer = job.type("markscheme compare plate@HEAD plate")
    assert "weight 2" in answer
    last = job.type(f"markscheme calibrate plate {judge} --json report.json")
    assert last is not None
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["false_passes"] == report["false_fails"] == []
    assert job.counts()[2:] == (4, 0)
