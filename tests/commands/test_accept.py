"""`calibrate --accept` and the runs that follow it, as a user runs them."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.accepting import accepted_in, accepted_runs, calibrate, first_line, grade
from tests.commands.console import environment, run, scripts


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


@pytest.fixture
def accepted(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A working directory with an accepted run."""
    return accepted_in(tmp_path / "here", 1, tmp_path_factory)


@pytest.fixture
def accepted_twice(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A working directory with two accepted runs."""
    return accepted_in(tmp_path / "here", 2, tmp_path_factory)


@pytest.mark.proof
def test_once_a_run_of_a_good_judge_is_accepted_its_grades_say_that_it_can_gate(here: Path) -> None:
    before = grade(here)
    assert first_line(before).endswith("0.62, no accepted run")
    done = calibrate(here, "--accept")
    assert done.returncode == 0, done.stderr
    assert "accepted.json" in done.stderr
    graded = grade(here)
    assert "0.62 ± <0.01 (60 human labels, " in graded.stdout
    assert first_line(graded).endswith("; can gate)")
    receipt = json.loads(grade(here, "--json").stdout)["receipt"]
    assert (receipt["holds"], receipt["use"], receipt["labels"]) == (True, "gate", {"n": 60, "kind": "human"})
    assert first_line(grade(here, "--samples", "2")).endswith("calibrated for another pass mark or way of asking")
    setting.ask_strictly(here)
    assert first_line(grade(here)).endswith("calibrated for an older rubric")


@pytest.mark.proof
def test_no_judge_is_asked_if_the_run_could_not_be_accepted(here: Path) -> None:
    (here / "taken").write_text("a file")
    done = calibrate(here, "--accept", "-o", "accepted=taken/below/accepted.json")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert not (here / "calls.txt").exists()
    assert calibrate(here, "--accept", "-o", "accepted=new/below/accepted.json").returncode == 0


@pytest.mark.proof
def test_three_processes_that_accept_at_once_wait_for_each_other_and_all_runs_are_kept(here: Path) -> None:
    command = [str(scripts() / "markscheme"), "calibrate", "clear", "--judge", setting.JUDGE, "--accept"]
    env = {**environment(), **setting.environment(here)}
    running = [subprocess.Popen(command, cwd=here, env=env, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate(timeout=300)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], printed
    accepted = json.loads((here / "calibration" / "clear" / "accepted.json").read_text())
    assert accepted["ratings"]["samples"] == 3
    assert setting.calls(here) == 3 * 2 * setting.N, "each run was asked for samples of its own"
    home = here / "calibration" / "clear"
    own = {accepted["ratings"]["file"], "accepted.json", "accepted_runs.jsonl", "next_labels.json", "settings.jsonl"}
    assert own | {"examples.jsonl"} <= {path.name for path in home.iterdir()}
    before = sorted(path.name for path in home.iterdir())
    assert calibrate(here, "--accept", "--quiet").returncode == 0
    after = sorted(path.name for path in home.iterdir() if not path.name.startswith("accepted-"))
    assert [name for name in before if not name.startswith("accepted-")] == after, "nothing is left behind"
    assert len([name for name in before if name.startswith("accepted-")]) == 1
    assert sum("waiting: another process is accepting a run" in text for text in printed) >= 1


def test_a_rubric_whose_name_is_a_path_is_refused_when_a_run_is_accepted(here: Path) -> None:
    rubric, examples = here / "rubrics" / "clear.yaml", here / "calibration" / "clear" / "examples.jsonl"
    rubric.write_text(rubric.read_text().replace("name: clear", "name: ../../victim/pwn"))
    done = calibrate(here, "--accept", "--examples", str(examples))
    assert done.returncode == 2
    assert "the rubric's name can't name a file" in done.stderr
    assert not (here / "calls.txt").exists()


def test_accepting_a_calibration_of_three_samples_keeps_them_as_three_runs(here: Path) -> None:
    done = calibrate(here, "--accept", "--samples", "3", "--quiet")
    assert done.returncode == 0, done.stderr
    assert setting.calls(here) == 3 * 2 * setting.N
    accepted = json.loads((here / "calibration" / "clear" / "accepted.json").read_text(encoding="utf-8"))
    assert accepted["ratings"]["samples"] == 3
    ratings_file = here / "calibration" / "clear" / accepted["ratings"]["file"]
    lines = [json.loads(line) for line in ratings_file.read_text(encoding="utf-8").splitlines()]
    assert [line["sample"] for line in lines] == [0] * 60 + [1] * 60 + [2] * 60
    assert first_line(grade(here)).endswith("; can gate)")


def test_a_report_on_several_samples_says_that_accepting_keeps_each_sample_as_a_run(here: Path) -> None:
    whole = " ".join(calibrate(here, "--details").stdout.split())
    assert "Next, accept this run as it is," in whole
    several = " ".join(calibrate(here, "--samples", "3", "--details").stdout.split())
    assert "Next, accept the 3 samples as runs," in several


@pytest.mark.proof
def test_accepting_again_asks_the_judge_again_and_keeps_up_to_five_runs(here: Path) -> None:
    first = calibrate(here, "--accept", "--quiet")
    assert "1 run accepted" in first.stderr
    assert "accept 4 more runs" in first.stderr
    before = setting.calls(here)
    calibrate(here, "--accept", "--quiet")
    assert setting.calls(here) - before == 2 * setting.N
    assert accepted_runs(here) == 2
    calibrate(here, "--accept", "--samples", "3", "--quiet")
    assert accepted_runs(here) == 5
    calls = setting.calls(here)
    full = calibrate(here, "--accept")
    assert full.returncode == 2
    assert "--replace starts over" in full.stderr
    assert setting.calls(here) == calls
    assert calibrate(here, "--accept", "--replace", "--quiet").returncode == 0
    assert accepted_runs(here) == 1


@pytest.mark.proof
def test_accepting_after_an_edit_of_the_rubric_replaces_the_accepted_runs_and_says_why(accepted_twice: Path) -> None:
    here = accepted_twice
    setting.ask_strictly(here)
    refused = calibrate(here, "--accept", "--quiet")
    assert "not accepted: function:judging:judge can't be used for decisions yet; --force accepts it" in refused.stderr
    assert accepted_runs(here) == 2
    done = calibrate(here, "--accept", "--force", "--quiet")
    assert "1 run accepted" in done.stderr
    assert "the text of criterion 'tone'" in done.stderr
    assert accepted_runs(here) == 1


def test_calibrate_refuses_the_replace_option_without_the_accept_option(here: Path) -> None:
    done = calibrate(here, "--replace")
    assert done.returncode == 2
    assert "--replace goes with --accept" in done.stderr


def test_accepting_a_run_without_labels_is_refused_and_the_error_suggests_the_compare_command(here: Path) -> None:
    examples = here / "calibration" / "clear" / "examples.jsonl"
    lines = [json.loads(line) | {"labels": []} for line in examples.read_text(encoding="utf-8").splitlines()]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (here / "then.jsonl").write_text(json.dumps({"id": "e0", "rater": "j", "overall": 0.5}) + "\n", encoding="utf-8")
    of_file = run("calibrate", "clear", "--ratings", "then.jsonl", "--accept", cwd=here)
    for done in (calibrate(here, "--accept"), of_file):
        assert done.returncode == 2
        assert "markscheme compare" in done.stderr


def test_a_grade_says_that_a_judge_accepted_on_labels_by_one_person_can_show_trends_only(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here", raters=1)
    assert calibrate(here, "--accept", "--quiet").returncode == 0
    assert first_line(grade(here)).endswith("; can show trends)")


def test_the_o_option_with_accepted_as_its_key_names_the_file_that_keeps_the_accepted_run(here: Path) -> None:
    elsewhere = here / "kept" / "mine.json"
    missing = calibrate(here, "-o", f"accepted={elsewhere}")
    assert missing.returncode == 2
    assert "there is no accepted run" in missing.stderr
    calibrate(here, "--accept", "-o", f"accepted={elsewhere}", "--quiet")
    (ratings,) = elsewhere.parent.glob("mine-*.jsonl")
    kept = {path.name for path in elsewhere.parent.iterdir()}
    assert {"mine.json", ratings.name} <= kept
    assert all(name.startswith("mine") for name in kept)
    assert not (here / "calibration" / "clear" / "accepted.json").exists()
    assert calibrate(here, "-o", f"accepted={elsewhere}", "--quiet").returncode == 0


@pytest.mark.proof
def test_a_set_that_shares_no_example_with_the_accepted_run_is_refused_unless_the_examples_option_is_given(
    accepted: Path,
) -> None:
    here = accepted
    examples = here / "calibration" / "clear" / "examples.jsonl"
    renamed = examples.read_text(encoding="utf-8").replace('"id": "x', '"id": "y')
    others = here / "others.jsonl"
    others.write_text(renamed, encoding="utf-8")
    asked_for = calibrate(here, "--examples", str(others))
    assert asked_for.returncode == 0
    assert "not compared with the accepted run" in asked_for.stderr
    examples.write_text(renamed, encoding="utf-8")
    done = calibrate(here)
    assert done.returncode == 2
    assert "no example has an id it knows" in done.stderr
    assert calibrate(here, "--accept").returncode == 0
    assert calibrate(here).returncode == 0


def test_calibrate_refuses_the_force_option_without_the_accept_option(here: Path) -> None:
    done = calibrate(here, "--force")
    assert done.returncode == 2
    assert "--force goes with --accept" in done.stderr


def test_a_github_step_summary_that_cannot_be_written_causes_a_warning_and_no_error(here: Path) -> None:
    done = calibrate(here, "--quiet", env={"GITHUB_STEP_SUMMARY": str(here)})
    assert done.returncode == 0
    assert "the step summary cannot be written" in done.stderr


def test_calibrate_refuses_to_write_two_reports_to_standard_output(here: Path) -> None:
    done = calibrate(here, "--json", "-", "--junit", "-")
    assert done.returncode == 2
    assert "--json and --junit cannot share" in done.stderr
    alone = calibrate(here, "--junit", "-")
    assert Xml.fromstring(alone.stdout).tag == "testsuites"
    assert "Can gate." in alone.stderr


def test_a_run_of_several_judges_cannot_be_accepted(here: Path) -> None:
    done = calibrate(here, "--judge", "function:judging:other", "--accept")
    assert done.returncode == 2
    assert "one judge; 2 are named" in done.stderr
    assert setting.calls(here) == 0


def test_an_unreadable_accepted_run_is_an_error_until_a_new_run_is_accepted(accepted: Path) -> None:
    here = accepted
    (here / "calibration" / "clear" / "accepted.json").write_text("{}", encoding="utf-8")
    assert calibrate(here).returncode == 2
    assert grade(here).returncode == 2
    assert calibrate(here, "--accept", "--quiet").returncode == 0
    assert grade(here).returncode == 0


def test_a_run_with_too_few_graded_examples_is_not_accepted(here: Path) -> None:
    judging = (here / "judging.py").read_text(encoding="utf-8")
    (here / "judging.py").write_text(
        judging.replace("levels = {", "assert place % 5\n    levels = {"), encoding="utf-8"
    )
    done = calibrate(here, "--accept")
    assert done.returncode == 5
    assert "not accepted: 12 examples not graded" in done.stderr
    assert not (here / "calibration" / "clear" / "accepted.json").exists()
