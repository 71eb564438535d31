"""A run held against the accepted one, as a user of `calibrate` runs it."""

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.accepting import accepted_in, calibrate, first_line, grade, report_of
from tests.commands.console import run


def one_line(shown: str) -> str:
    return " ".join(shown.split())


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


def test_calibrating_the_same_judge_again_after_acceptance_finds_no_drift(accepted_twice: Path) -> None:
    here = accepted_twice
    report, status = report_of(here)
    assert status == 0
    baseline = report["baseline"]
    assert (baseline["alarm"], baseline["changes"]) == (False, [])
    assert {found["verdict"] for found in baseline["criteria"].values()} == {"no drift"}
    text = calibrate(here, "--details").stdout
    assert "No drift found since the accepted run of" in " ".join(text.split())
    assert "Accepted run of" in text
    assert "Changed since: nothing on record" in text
    assert text.count("no drift") == 2


def test_if_an_edit_of_rubric_or_labels_changed_no_level_calibrate_suggests_to_accept_the_run(
    accepted: Path,
) -> None:
    command = ("calibrate", "clear", "--judge", setting.JUDGE)
    environment = setting.environment(accepted)
    file = accepted / "calibration" / "clear" / "examples.jsonl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"criteria": {"tone": 1,', '"criteria": {"tone": 2,', 2), encoding="utf-8")
    shown = run(*command, cwd=accepted, env=environment).stdout
    assert "Next, accept this run, since the accepted one has other labels: markscheme calibrate" in one_line(shown)
    rubric = accepted / "rubrics" / "clear.yaml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("How kind", "How very kind"), encoding="utf-8")
    shown = run(*command, cwd=accepted, env=environment).stdout
    assert "Next, accept this run, since the accepted one has another rubric: markscheme" in one_line(shown)
    assert run(*command, "--accept", "--quiet", cwd=accepted, env=environment).returncode == 0
    assert "Next, accept" not in run(*command, cwd=accepted, env=environment).stdout


def test_a_judge_whose_levels_moved_without_any_recorded_change_may_not_be_used_and_calibrate_exits_1(
    accepted_twice: Path,
) -> None:
    here = accepted_twice
    setting.set_judge(here, tone=1)
    report, status = report_of(here, "-o", "cache=off")
    assert status == 1
    assert (report["verdict"], report["use"]) == ("adjust", "none")
    (finding,) = [finding for finding in report["findings"] if finding["code"] == "drift"]
    assert finding["criterion"] == "tone"
    assert finding["message"].startswith("Nothing on record changed")
    assert report["baseline"]["criteria"]["facts"]["verdict"] == "no drift"


def test_a_shift_is_attributed_to_a_changed_judge_or_to_changed_words_if_only_one_of_these_changed(
    accepted_twice: Path,
) -> None:
    here = accepted_twice
    setting.write_judge(here, facts=1)
    by_judge, status = report_of(here)
    assert status == 1
    assert by_judge["baseline"]["criteria"]["facts"]["causes"]["changes"] == ["judge:parameter:source"]
    setting.write_judge(here)
    setting.ask_strictly(here)
    by_text, status = report_of(here)
    assert status == 1
    assert by_text["baseline"]["criteria"]["tone"]["causes"] == {
        "changes": ["text:tone"],
        "separable": True,
        "replay": [],
    }
    assert by_text["baseline"]["criteria"]["facts"]["verdict"] == "no drift"


@pytest.mark.proof
def test_only_the_replay_option_separates_the_effect_of_a_rewording_from_that_of_a_changed_judge(
    accepted: Path,
) -> None:
    here = accepted
    setting.write_judge(here, facts=1)
    setting.ask_strictly(here)
    together, _ = report_of(here)
    criteria = together["baseline"]["criteria"]
    assert criteria["tone"]["causes"]["changes"] == ["text:tone", "judge:parameter:source"]
    assert not criteria["tone"]["causes"]["separable"]
    assert criteria["facts"]["causes"]["changes"] == ["judge:parameter:source"]
    (tone,) = [f for f in together["findings"] if (f["code"], f["criterion"]) == ("drift", "tone")]
    assert "not separable" in tone["message"]
    assert "--replay" in tone["suggestion"]
    replayed, _ = report_of(here, "--replay")
    causes = replayed["baseline"]["criteria"]["tone"]["causes"]
    assert (causes["changes"], causes["separable"]) == (["text:tone"], True)
    assert [part["shift"]["value"] for part in causes["replay"]] == [0.0, pytest.approx(-0.8)]


@pytest.mark.proof
def test_cached_replies_to_the_old_wording_are_used_to_separate_the_causes_of_a_shift_without_new_calls(
    accepted: Path,
) -> None:
    here = accepted
    setting.write_judge(here, facts=1)
    calibrate(here, "--quiet")
    setting.ask_strictly(here)
    before = setting.calls(here)
    report, _ = report_of(here)
    assert setting.calls(here) - before == setting.N  # the new question on tone; facts and the replay were kept
    assert report["baseline"]["criteria"]["tone"]["causes"]["changes"] == ["text:tone"]


@pytest.mark.proof
def test_a_comparison_with_the_accepted_run_gets_a_new_number_only_if_the_ratings_are_new(
    accepted: Path,
) -> None:
    here = accepted
    runs = [report_of(here, "--check")[0]["baseline"]["run"] for _ in range(2)]
    setting.set_judge(here, facts=1)
    runs.append(report_of(here, "-o", "cache=off", "--check")[0]["baseline"]["run"])
    runs.append(report_of(here, "-o", "run_number=9")[0]["baseline"]["run"])
    assert runs == [1, 1, 2, 9]
    planned, _ = report_of(here, "-o", "planned_runs=10")
    assert planned["baseline"]["level"] == pytest.approx(0.005)
    over = calibrate(here, "-o", "run_number=11", "-o", "planned_runs=10")
    assert over.returncode == 0
    assert "this is comparison 11" in over.stderr
    assert "accept a new run" in over.stderr


@pytest.mark.proof
def test_only_runs_with_the_check_option_count_as_planned_comparisons_with_the_accepted_run(
    accepted: Path,
) -> None:
    here = accepted
    casual = [report_of(here)[0]["baseline"] for _ in range(2)]
    checked = report_of(here, "--check")[0]["baseline"]
    setting.set_judge(here, facts=1)
    after = report_of(here, "-o", "cache=off")[0]["baseline"]
    assert [baseline["run"] for baseline in (*casual, checked, after)] == [1, 1, 1, 2]
    assert casual[0]["level"] == checked["level"] > after["level"]


def test_junit_and_the_step_summary_report_the_drift(accepted: Path) -> None:
    here = accepted
    setting.set_judge(here, tone=1)
    summary = here / "summary.md"
    done = calibrate(
        here, "-o", "cache=off", "--quiet", "--junit", "junit.xml", env={"GITHUB_STEP_SUMMARY": str(summary)}
    )
    assert done.returncode == 1
    cases = {case.get("name"): case for case in Xml.parse(here / "junit.xml").getroot().iter("testcase")}
    assert cases.keys() == {"verdict", "tone", "facts"}
    assert cases["verdict"].find("failure") is not None
    failure = cases["tone"].find("failure")
    assert failure is not None
    assert "tone now scores 0.80 levels higher" in (failure.get("message") or "")
    assert "tone now scores 0.80 levels higher" in summary.read_text(encoding="utf-8").replace("\\", "")


def test_ratings_in_a_file_can_be_accepted_and_ratings_in_a_later_file_compared_with_them(here: Path) -> None:
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
    assert first_line(grade(here)).endswith("calibrated for another judge")


@pytest.mark.proof
def test_the_drift_report_says_how_many_runs_were_accepted_and_which_file_keeps_them(here: Path) -> None:
    elsewhere = here / "kept" / "mine.json"
    calibrate(here, "--accept", "--samples", "3", "-o", f"accepted={elsewhere}", "--quiet")
    assert "(3 runs)" in calibrate(here, "-o", f"accepted={elsewhere}", "--details").stdout
    report, status = report_of(here, "-o", f"accepted={elsewhere}")
    assert status == 0
    assert report["baseline"]["accepted"]["file"] == str(elsewhere)


def test_calibrate_with_the_accept_option_says_that_the_run_is_added_to_the_accepted_runs(accepted: Path) -> None:
    assert "This run is added to the accepted ones." in calibrate(accepted, "--accept", "--details").stdout


def test_criteria_that_are_faults_or_categories_without_values_are_compared_with_the_accepted_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "kind.yaml").write_text(
        "criteria: [{name: rude, requirement: It is rude, weight: -1}, {name: kind, requirement: What it is, "
        "scale_type: nominal, options: [{label: answer}, {label: refusal}]}]"
    )
    folder = tmp_path / "calibration" / "kind"
    folder.mkdir(parents=True)
    levels = [{"rude": "MET" if n % 3 else "UNMET", "kind": "answer" if n % 2 else "refusal"} for n in range(12)]
    labelled = [
        {"id": f"e{n}", "response": f"reply {n}", "labels": [{"rater": "ann", "kind": "human", "criteria": given}]}
        for n, given in enumerate(levels)
    ]
    (folder / "examples.jsonl").write_text("\n".join(map(json.dumps, labelled)))
    judged = [{"id": f"e{n}", "rater": "gpt", "kind": "model", "criteria": given} for n, given in enumerate(levels)]
    (tmp_path / "gpt.jsonl").write_text("\n".join(map(json.dumps, judged)))
    rate = ("calibrate", "kind", "--ratings", "gpt.jsonl")
    assert run(*rate, "--accept", "--force", "--quiet", cwd=tmp_path).returncode == 4
    done = run(*rate, "--details", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (4, "")
    assert "Since the accepted run" in done.stdout
