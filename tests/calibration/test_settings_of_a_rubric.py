"""A tried setting is recorded and counts, whether tried on the command line or from Python."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.grading.receipt import load_receipt
from markscheme.report.views.calibration import json_of, view
from tests.report.reading import text_of

N = 60
WORDS = ("The reply is polite.", "the reply is POLITE", "The reply is kind.", "The reply thanks.", "The reply greets.")


def wrong(place: int, judge: int) -> bool:
    """Return True for the three examples on which a judge is wrong."""
    return place in (judge, judge + 10, judge + 20)


def make_project(tmp_path: Path) -> Path:
    """Write a project with a rubric, examples that two people labelled, and the ratings of three judges."""
    folder = tmp_path / "calibration" / "reply"
    folder.mkdir(parents=True)
    (tmp_path / "rubrics").mkdir()
    write_rubric(tmp_path, WORDS[0])
    level = ["UNMET", "MET"]
    rows = [
        {
            "id": f"e{place}",
            "response": f"reply {place}",
            "drawn": "random",
            "labels": [{"rater": rater, "kind": "human", "criteria": {"polite": level[place % 2]}} for rater in "ab"],
        }
        for place in range(N)
    ]
    (folder / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for judge in range(3):
        ratings = [
            {"id": f"e{place}", "rater": f"j{judge}", "criteria": {"polite": level[(place + wrong(place, judge)) % 2]}}
            for place in range(N)
        ]
        (tmp_path / f"j{judge}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ratings))
    return tmp_path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as the working directory."""
    monkeypatch.chdir(tmp_path)
    return make_project(tmp_path)


def write_rubric(project: Path, words: str, **keys: Any) -> None:
    """Reword the rubric."""
    data = {"name": "reply", "criteria": [{"name": "polite", "requirement": words}]} | keys
    (project / "rubrics" / "reply.yaml").write_text(json.dumps(data))


def lines(project: Path) -> list[dict[str, Any]]:
    """Read the record of settings in the project."""
    text = (project / "calibration" / "reply" / "settings.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def calibrated(judge: int = 0, **options: Any) -> Calibration:
    """Calibrate with one judge's ratings from Python."""
    return calibrate("reply", ratings=f"j{judge}.jsonl", **options)


def test_each_further_wording_tried_on_the_labels_widens_the_interval_of_every_wording(project: Path) -> None:
    counts = []
    for words in WORDS:
        write_rubric(project, words)
        counts.append(calibrated().decision.settings)
    assert counts == [1, 1, 2, 3, 4]
    assert len(lines(project)) == 4
    write_rubric(project, WORDS[0])
    again = calibrated()
    assert again.decision.settings == 4
    assert again.comparison.agreement.level == pytest.approx(1 - 0.05 / 4)
    assert json_of(again)["gain"].level == pytest.approx(1 - 0.05 / 4)
    assert json_of(again)["decision"]["settings"] == 4
    assert again.comparison.criteria["polite"].statistics["exact_agreement"].level == 0.95
    assert "CI: 95% for the 4 settings tried on these labels together." in text_of(view(again))


def test_a_judge_that_can_gate_with_one_tried_wording_may_only_show_trends_after_ten_tried_wordings(
    project: Path,
) -> None:
    first = calibrated()
    assert (first.comparison.agreement.value, first.verdict, first.use) == (0.95, "ok", "gate")
    for number in range(9):
        write_rubric(project, f"The reply is polite, version {number}.")
        last = calibrated()
    assert last.decision.settings == 10
    assert (last.verdict, last.use, last.decision.because_code) == ("not-enough-labels", "trend", "side-open")


def test_only_settings_that_were_compared_on_test_examples_count_as_tried_on_the_test_split(project: Path) -> None:
    path = project / "calibration" / "reply" / "examples.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for place, row in enumerate(rows):
        row["split"] = "dev" if place % 3 == 0 else "test"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for words in WORDS[2:]:
        write_rubric(project, words)
        calibrated(split="dev")
    assert calibrated(split="test").decision.settings == 1
    assert calibrated().decision.settings == 3
    write_rubric(project, WORDS[0])
    calibrated()
    assert calibrated(split="test").decision.settings == 2
    assert {line["split"] for line in lines(project)} == {"dev", "test", "all"}


def test_another_pass_mark_makes_a_further_tried_setting_and_another_target_does_not(
    project: Path,
) -> None:
    assert [calibrated(target=target).decision.settings for target in (0.8, 0.9)] == [1, 1]
    write_rubric(project, WORDS[0], passingThreshold=0.7)
    assert calibrated().decision.settings == 2
    assert calibrated(max_false_pass=0.2).decision.settings == 2


def test_a_run_on_constructed_labels_is_not_recorded_among_the_settings_tried_on_the_labels(project: Path) -> None:
    path = project / "calibration" / "reply" / "examples.jsonl"
    path.write_text(path.read_text().replace('"human"', '"constructed"'))
    calibration = calibrated()
    assert (calibration.decision.settings, calibration.settings_kept) == (1, None)
    assert not path.with_name("settings.jsonl").exists()


def test_a_run_goes_on_and_warns_if_the_record_of_tried_settings_cannot_be_written(project: Path) -> None:
    (project / "calibration" / "reply" / "settings.jsonl").mkdir()
    calibration = calibrated(accept=True)
    assert (calibration.decision.settings, calibration.settings_kept) == (1, False)
    assert "Settings not recorded" in text_of(view(calibration))
    assert load_receipt(project / "calibration" / "reply" / "accepted.json").settings is None


def test_the_accepted_run_says_how_many_settings_were_tried(project: Path) -> None:
    calibrated(1)
    calibrated(0, accept=True)
    receipt = load_receipt(project / "calibration" / "reply" / "accepted.json")
    assert (receipt.settings, receipt.measure, receipt.excepted) == (2, "score", ())


@pytest.mark.proof
def test_a_copy_of_a_rubric_under_another_name_counts_as_a_further_setting_tried_on_the_labels(project: Path) -> None:
    first = calibrated(target=0.85)
    assert first.decision.settings == 1
    assert (first.comparison.agreement.low or 0) > 0.85
    for version in range(2, 11):
        data = {"name": f"reply-v{version}", "criteria": [{"name": "polite", "requirement": f"Polite, {version}."}]}
        (project / "rubrics" / f"reply-v{version}.yaml").write_text(json.dumps(data))
        folder = project / "calibration" / f"reply-v{version}"
        if version % 2:
            shutil.copytree(project / "calibration" / "reply", folder)
        last = calibrate(
            f"reply-v{version}",
            None if version % 2 else "calibration/reply/examples.jsonl",
            ratings="j0.jsonl",
            target=0.85,
        )
        assert last.decision.settings == version
    assert (last.comparison.agreement.low or 1) < 0.85
    assert last.verdict != "ok"
    assert calibrated(target=0.85).decision.settings == 10
