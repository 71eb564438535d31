"""`calibrate --accept` and the runs that follow it, as a user runs them."""

import functools
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import environment, run, scripts

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


@pytest.fixture(scope="module")
def accepting(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A working directory in which so many runs were accepted at once; each is made once, and copied."""

    @functools.cache
    def made(samples: int) -> Path:
        folder = setting.make_setting(tmp_path_factory.mktemp("accepted") / "here")
        done = _calibrate(folder, "--accept", "--samples", str(samples), "--quiet")
        assert done.returncode == 0, done.stderr
        return folder

    return made


@pytest.fixture
def accepted(accepting: Callable[[int], Path], tmp_path: Path) -> Path:
    """A working directory with an accepted run."""
    return shutil.copytree(accepting(1), tmp_path / "here")


@pytest.fixture
def accepted_twice(accepting: Callable[[int], Path], tmp_path: Path) -> Path:
    """A working directory with two accepted runs."""
    return shutil.copytree(accepting(2), tmp_path / "here")


def _calibrate(here: Path, *options: str, env: dict[str, str] | None = None) -> Done:
    command = ("calibrate", "clear", "--judge", setting.JUDGE, *options)
    return run(*command, cwd=here, env={**setting.environment(here), **(env or {})})


def _json(here: Path, *options: str) -> tuple[dict[str, Any], int]:
    done = _calibrate(here, "--quiet", "--json", "-", *options)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def _first_line(done: Done) -> str:
    return done.stdout.splitlines()[0]


def _grade(here: Path, *options: str) -> Done:
    (here / "answer.txt").write_text("answer 7: tone=3 facts=4", encoding="utf-8")
    command = ("markscheme", "grade", "clear", "answer.txt", "--judge", setting.JUDGE, *options)
    return run(*command, cwd=here, env=setting.environment(here))


def test_an_accepted_run_gates_and_its_grades_say_so(here: Path) -> None:
    before = _grade(here)
    assert _first_line(before).endswith("0.62, not calibrated")
    done = _calibrate(here, "--accept")
    assert done.returncode == 0, done.stderr
    assert "accepted.json" in done.stderr
    grade = _grade(here)
    assert "0.62 ± <0.01 (60 human labels, " in grade.stdout
    assert _first_line(grade).endswith("; can gate)")
    receipt = json.loads(_grade(here, "--json").stdout)["receipt"]
    assert (receipt["holds"], receipt["use"], receipt["labels"]) == (True, "gate", {"n": 60, "kind": "human"})
    assert _first_line(_grade(here, "--samples", "2")).endswith("calibrated for another pass mark or way of asking")
    setting.ask_strictly(here)
    assert _first_line(_grade(here)).endswith("calibrated for an older rubric")


def test_nobody_is_ever_asked_for_a_run_that_can_not_be_kept(here: Path) -> None:
    (here / "taken").write_text("a file")
    done = _calibrate(here, "--accept", "--accepted", "taken/below/accepted.json")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert not (here / "calls.txt").exists()
    assert _calibrate(here, "--accept", "--accepted", "new/below/accepted.json").returncode == 0


def test_three_that_accept_at_once_wait_for_each_other_and_all_are_kept(here: Path) -> None:
    command = [str(scripts() / "markscheme"), "calibrate", "clear", "--judge", setting.JUDGE, "--accept"]
    env = {**environment(), **setting.environment(here)}
    running = [subprocess.Popen(command, cwd=here, env=env, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate(timeout=300)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], printed
    accepted = json.loads((here / "calibration" / "clear" / "accepted.json").read_text())
    assert accepted["ratings"]["samples"] == 3
    assert setting.calls(here) == 3 * 2 * setting.N, "each run was asked for samples of its own"
    assert sorted(path.name for path in (here / "calibration" / "clear").iterdir()) == [
        accepted["ratings"]["file"],
        "accepted.json",
        "accepted_runs.jsonl",
        "card.json",
        "card.md",
        "examples.jsonl",
        "next_labels.json",
        "settings.jsonl",
    ]
    assert sum("waiting: another process is accepting a run" in text for text in printed) >= 1


def test_no_rubric_s_name_makes_an_accepted_run_land_elsewhere(here: Path) -> None:
    rubric, examples = here / "rubrics" / "clear.yaml", here / "calibration" / "clear" / "examples.jsonl"
    rubric.write_text(rubric.read_text().replace("name: clear", "name: ../../victim/pwn"))
    done = _calibrate(here, "--accept", "--examples", str(examples))
    assert done.returncode == 2
    assert "the rubric's name can't name a file" in done.stderr
    assert not (here / "calls.txt").exists()


def test_the_same_judge_again_has_not_drifted(accepted_twice: Path) -> None:
    here = accepted_twice
    report, status = _json(here)
    assert status == 0
    baseline = report["baseline"]
    assert (baseline["alarm"], baseline["changes"]) == (False, [])
    assert {found["verdict"] for found in baseline["criteria"].values()} == {"no drift"}
    text = _calibrate(here, "--details").stdout
    assert "No drift found since the accepted run of" in " ".join(text.split())
    assert "Accepted run of" in text
    assert "Changed since: nothing on record" in text
    assert text.count("no drift") == 2


def test_a_judge_that_moved_under_the_same_name_fails_the_gate(accepted_twice: Path) -> None:
    here = accepted_twice
    setting.set_judge(here, tone=1)
    report, status = _json(here, "--no-cache")
    assert status == 1
    assert (report["verdict"], report["use"]) == ("adjust", "none")
    (finding,) = [finding for finding in report["findings"] if finding["code"] == "drift"]
    assert finding["criterion"] == "tone"
    assert finding["message"].startswith("Nothing on record changed")
    assert report["baseline"]["criteria"]["facts"]["verdict"] == "no drift"


def test_a_shift_is_put_down_to_the_text_or_the_judge_that_changed(accepted_twice: Path) -> None:
    here = accepted_twice
    setting.write_judge(here, facts=1)
    by_judge, status = _json(here)
    assert status == 1
    assert by_judge["baseline"]["criteria"]["facts"]["causes"]["changes"] == ["judge:parameter:source"]
    setting.write_judge(here)
    setting.ask_strictly(here)
    by_text, status = _json(here)
    assert status == 1
    assert by_text["baseline"]["criteria"]["tone"]["causes"] == {
        "changes": ["text:tone"],
        "separable": True,
        "replay": [],
    }
    assert by_text["baseline"]["criteria"]["facts"]["verdict"] == "no drift"


def test_text_and_judge_at_once_are_separated_by_a_replay_only(accepted: Path) -> None:
    here = accepted
    setting.write_judge(here, facts=1)
    setting.ask_strictly(here)
    together, _ = _json(here)
    criteria = together["baseline"]["criteria"]
    assert criteria["tone"]["causes"]["changes"] == ["text:tone", "judge:parameter:source"]
    assert not criteria["tone"]["causes"]["separable"]
    assert criteria["facts"]["causes"]["changes"] == ["judge:parameter:source"]
    (tone,) = [f for f in together["findings"] if (f["code"], f["criterion"]) == ("drift", "tone")]
    assert "not separable" in tone["message"]
    assert "--replay" in tone["suggestion"]
    replayed, _ = _json(here, "--replay")
    causes = replayed["baseline"]["criteria"]["tone"]["causes"]
    assert (causes["changes"], causes["separable"]) == (["text:tone"], True)
    assert [part["shift"]["value"] for part in causes["replay"]] == [0.0, pytest.approx(-0.8)]


def test_replies_that_were_kept_separate_causes_without_asking(accepted: Path) -> None:
    here = accepted
    setting.write_judge(here, facts=1)
    _calibrate(here, "--quiet")
    setting.ask_strictly(here)
    before = setting.calls(here)
    report, _ = _json(here)
    assert setting.calls(here) - before == setting.N  # the new question on tone; facts and the replay were kept
    assert report["baseline"]["criteria"]["tone"]["causes"]["changes"] == ["text:tone"]


def test_accepting_three_samples_keeps_three_runs_and_measures_one(here: Path) -> None:
    done = _calibrate(here, "--accept", "--samples", "3", "--quiet")
    assert done.returncode == 0, done.stderr
    assert setting.calls(here) == 3 * 2 * setting.N
    accepted = json.loads((here / "calibration" / "clear" / "accepted.json").read_text(encoding="utf-8"))
    assert accepted["ratings"]["samples"] == 3
    ratings_file = here / "calibration" / "clear" / accepted["ratings"]["file"]
    lines = [json.loads(line) for line in ratings_file.read_text(encoding="utf-8").splitlines()]
    assert [line["sample"] for line in lines] == [0] * 60 + [1] * 60 + [2] * 60
    assert _first_line(_grade(here)).endswith("; can gate)")
    assert "(3 runs)" in _calibrate(here, "--details").stdout


def _accepted_runs(here: Path) -> int:
    data = json.loads((here / "calibration" / "clear" / "accepted.json").read_text(encoding="utf-8"))
    return int(data["ratings"]["samples"])


def test_accepting_again_asks_again_and_adds_a_run_up_to_five(here: Path) -> None:
    first = _calibrate(here, "--accept", "--quiet")
    assert "1 run accepted" in first.stderr
    assert "accept 4 more runs" in first.stderr
    before = setting.calls(here)
    second = _calibrate(here, "--accept", "--details")
    assert setting.calls(here) - before == 2 * setting.N
    assert "This run is added to the accepted ones." in second.stdout
    assert _accepted_runs(here) == 2
    _calibrate(here, "--accept", "--samples", "3", "--quiet")
    assert _accepted_runs(here) == 5
    calls = setting.calls(here)
    full = _calibrate(here, "--accept")
    assert full.returncode == 2
    assert "--replace starts over" in full.stderr
    assert setting.calls(here) == calls
    assert _calibrate(here, "--accept", "--replace", "--quiet").returncode == 0
    assert _accepted_runs(here) == 1


def test_accepting_after_an_edit_starts_over_and_says_why(accepted_twice: Path) -> None:
    here = accepted_twice
    setting.ask_strictly(here)
    refused = _calibrate(here, "--accept", "--quiet")
    assert "not accepted: function:judging:judge can't be used for decisions yet; --anyway accepts it" in refused.stderr
    assert _accepted_runs(here) == 2
    done = _calibrate(here, "--accept", "--anyway", "--quiet")
    assert "1 run accepted" in done.stderr
    assert "the text of criterion 'tone'" in done.stderr
    assert _accepted_runs(here) == 1


def test_replace_needs_accept(here: Path) -> None:
    done = _calibrate(here, "--replace")
    assert done.returncode == 2
    assert "--replace goes with --accept" in done.stderr


def test_accepting_without_labels_points_to_compare(here: Path) -> None:
    examples = here / "calibration" / "clear" / "examples.jsonl"
    lines = [json.loads(line) | {"labels": []} for line in examples.read_text(encoding="utf-8").splitlines()]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (here / "then.jsonl").write_text(json.dumps({"id": "e0", "rater": "j", "overall": 0.5}) + "\n", encoding="utf-8")
    of_file = run("calibrate", "clear", "--ratings", "then.jsonl", "--accept", cwd=here)
    for done in (_calibrate(here, "--accept"), of_file):
        assert done.returncode == 2
        assert "markscheme compare" in done.stderr


def test_one_persons_labels_never_gate(tmp_path: Path) -> None:
    here = setting.make_setting(tmp_path / "here", raters=1)
    assert _calibrate(here, "--accept", "--quiet").returncode == 0
    assert _first_line(_grade(here)).endswith("; can show trends)")


def test_another_file_can_be_named_and_must_be_there(here: Path) -> None:
    elsewhere = here / "kept" / "mine.json"
    missing = _calibrate(here, "--accepted", str(elsewhere))
    assert missing.returncode == 2
    assert "there is no accepted run" in missing.stderr
    _calibrate(here, "--accept", "--accepted", str(elsewhere), "--quiet")
    (ratings,) = elsewhere.parent.glob("mine-*.jsonl")
    names = {"mine.json", "mine.card.json", "mine.card.md", ratings.name}
    assert {path.name for path in elsewhere.parent.iterdir()} == names
    assert run("markscheme", "verify", "kept/mine.card.json", cwd=here).returncode == 0
    assert not (here / "calibration" / "clear" / "accepted.json").exists()
    report, status = _json(here, "--accepted", str(elsewhere))
    assert status == 0
    assert report["baseline"]["accepted"]["file"] == str(elsewhere)


def test_nothing_in_common_is_a_fault_unless_other_examples_were_asked_for(accepted: Path) -> None:
    here = accepted
    examples = here / "calibration" / "clear" / "examples.jsonl"
    renamed = examples.read_text(encoding="utf-8").replace('"id": "x', '"id": "y')
    others = here / "others.jsonl"
    others.write_text(renamed, encoding="utf-8")
    asked_for = _calibrate(here, "--examples", str(others))
    assert asked_for.returncode == 0
    assert "not compared with the accepted run" in asked_for.stderr
    examples.write_text(renamed, encoding="utf-8")
    done = _calibrate(here)
    assert done.returncode == 2
    assert "no example has an id it knows" in done.stderr
    assert _calibrate(here, "--accept").returncode == 0
    assert _calibrate(here).returncode == 0


def test_comparisons_are_counted_and_the_same_ratings_count_once(accepted: Path) -> None:
    here = accepted
    runs = [_json(here, "--check")[0]["baseline"]["run"] for _ in range(2)]
    setting.set_judge(here, facts=1)
    runs.append(_json(here, "--no-cache", "--check")[0]["baseline"]["run"])
    runs.append(_json(here, "--run-number", "9")[0]["baseline"]["run"])
    assert runs == [1, 1, 2, 9]
    planned, _ = _json(here, "--planned-runs", "10")
    assert planned["baseline"]["level"] == pytest.approx(0.005)
    over = _calibrate(here, "--run-number", "11", "--planned-runs", "10")
    assert over.returncode == 0
    assert "this is comparison 11" in over.stderr
    assert "accept a new run" in over.stderr


def test_a_casual_run_is_tested_at_the_level_of_the_next_check_and_does_not_use_it_up(accepted: Path) -> None:
    here = accepted
    casual = [_json(here)[0]["baseline"] for _ in range(2)]
    checked = _json(here, "--check")[0]["baseline"]
    setting.set_judge(here, facts=1)
    after = _json(here, "--no-cache")[0]["baseline"]
    assert [baseline["run"] for baseline in (*casual, checked, after)] == [1, 1, 1, 2]
    assert casual[0]["level"] == checked["level"] > after["level"]


def test_anyway_needs_accept(here: Path) -> None:
    done = _calibrate(here, "--anyway")
    assert done.returncode == 2
    assert "--anyway goes with --accept" in done.stderr


def test_junit_and_the_step_summary_tell_the_drift(accepted: Path) -> None:
    here = accepted
    setting.set_judge(here, tone=1)
    summary = here / "summary.md"
    done = _calibrate(here, "--no-cache", "--quiet", "--junit", "junit.xml", env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert done.returncode == 1
    cases = {case.get("name"): case for case in Xml.parse(here / "junit.xml").getroot().iter("testcase")}
    assert cases.keys() == {"verdict", "tone", "facts"}
    assert cases["verdict"].find("failure") is not None
    failure = cases["tone"].find("failure")
    assert failure is not None
    assert "tone now scores 0.80 levels higher" in (failure.get("message") or "")
    assert "tone now scores 0.80 levels higher" in summary.read_text(encoding="utf-8").replace("\\", "")


def test_a_summary_that_cannot_be_written_is_a_warning(here: Path) -> None:
    done = _calibrate(here, "--quiet", env={"GITHUB_STEP_SUMMARY": str(here)})
    assert done.returncode == 0
    assert "the step summary cannot be written" in done.stderr


def test_only_one_thing_goes_to_standard_output(here: Path) -> None:
    done = _calibrate(here, "--json", "-", "--junit", "-")
    assert done.returncode == 2
    assert "--json and --junit cannot share" in done.stderr
    alone = _calibrate(here, "--junit", "-")
    assert Xml.fromstring(alone.stdout).tag == "testsuites"
    assert "Can gate." in alone.stderr


def test_the_run_of_several_judges_cannot_be_accepted(here: Path) -> None:
    done = _calibrate(here, "--judge", "function:judging:other", "--accept")
    assert done.returncode == 2
    assert "one judge; 2 are named" in done.stderr
    assert setting.calls(here) == 0


def test_an_accepted_run_that_cannot_be_read_is_a_fault_until_one_is_accepted_again(accepted: Path) -> None:
    here = accepted
    (here / "calibration" / "clear" / "accepted.json").write_text("{}", encoding="utf-8")
    assert _calibrate(here).returncode == 2
    assert _grade(here).returncode == 2
    assert _calibrate(here, "--accept", "--quiet").returncode == 0
    assert _grade(here).returncode == 0


def test_a_run_with_too_few_graded_is_not_kept(here: Path) -> None:
    judging = (here / "judging.py").read_text(encoding="utf-8")
    (here / "judging.py").write_text(
        judging.replace("levels = {", "assert place % 5\n    levels = {"), encoding="utf-8"
    )
    done = _calibrate(here, "--accept")
    assert done.returncode == 5
    assert "not accepted: 12 examples are not graded" in done.stderr
    assert not (here / "calibration" / "clear" / "accepted.json").exists()


def test_ratings_of_a_file_can_be_accepted_and_held_against(here: Path) -> None:
    text = (here / "calibration" / "clear" / "examples.jsonl").read_text(encoding="utf-8")
    labelled = [json.loads(line) for line in text.splitlines()]
    then = {example["id"]: example["labels"][0]["criteria"] for example in labelled}
    now = {name: {**levels, "tone": min(5, levels["tone"] + 1)} for name, levels in then.items()}
    for file, levels in (("then.jsonl", then), ("now.jsonl", now)):
        lines = [{"id": name, "rater": "another judge", "criteria": level} for name, level in levels.items()]
        (here / file).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    accepting = run(
        "calibrate", "clear", "--ratings", "then.jsonl", "--accept", cwd=here, env=setting.environment(here)
    )
    assert accepting.returncode == 0, accepting.stderr
    done = run("calibrate", "clear", "--ratings", "now.jsonl", cwd=here, env=setting.environment(here))
    assert done.returncode == 1
    assert "What asked the judge is not on record" in " ".join(done.stdout.split())
    assert _first_line(_grade(here)).endswith("calibrated for another judge")
