"""Ratings by someone who also gave the labels that `calibrate` compares with: an annotator's, or a judge's."""

import json
from pathlib import Path
from typing import Any

from tests.commands.console import run
from tests.own_labels import (
    ANA,
    refuses_own_labels,
    takes_own_labels_if_adjudicated_ones_count,
    write_models_labels,
)

BOTH = ("--ratings", "gpt.jsonl", "--ratings", "haiku.jsonl")


def test_calibrate_refuses_to_compare_an_annotator_s_labels_with_gold_to_which_they_contributed(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "calibrate", "desk", "--ratings", ANA)


def test_calibrate_compares_an_annotator_s_labels_with_gold_if_gold_is_made_of_adjudicated_labels_alone(
    tmp_path: Path,
) -> None:
    takes_own_labels_if_adjudicated_ones_count(tmp_path, "calibrate", "desk", "--ratings", ANA)


def calibrated(folder: Path, *options: str) -> dict[str, Any]:
    """Return the report of `calibrate desk` as JSON, with its messages under "said"."""
    done = run("calibrate", "desk", *options, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report | {"said": done.stderr}


def test_of_two_judges_the_one_that_gave_all_labels_is_left_out_and_the_other_is_compared(tmp_path: Path) -> None:
    write_models_labels(tmp_path, "gpt")
    report = calibrated(tmp_path, *BOTH)
    assert report["judge"]["name"] == "haiku"
    assert report["agreement"]["value"] == 0.75
    assert "gpt left out: a judge isn't compared with its own labels" in report["said"]
    alone = run("calibrate", "desk", "--ratings", "gpt.jsonl", cwd=tmp_path)
    assert (alone.returncode, "the only labels are gpt's own" in alone.stderr) == (2, True)


def test_judges_that_gave_all_labels_together_are_not_compared_with_each_other(tmp_path: Path) -> None:
    write_models_labels(tmp_path, "gpt", "haiku")
    done = run("calibrate", "desk", *BOTH, cwd=tmp_path)
    assert (done.returncode, "the only labels are gpt and haiku's own" in done.stderr) == (2, True)


def test_a_judge_compared_with_labels_by_models_is_compared_only_with_those_of_other_models(tmp_path: Path) -> None:
    write_models_labels(tmp_path, "gpt", "third")
    report = calibrated(tmp_path, "--ratings", "gpt.jsonl")
    assert (report["agreement"]["value"], report["agreement"]["n"]) == (0.0, 60)


def test_a_judge_that_calibrate_asks_is_not_compared_with_labels_that_the_same_judge_gave(tmp_path: Path) -> None:
    write_models_labels(tmp_path, "gpt")
    labels = tmp_path / "calibration" / "desk" / "ratings" / "gpt.jsonl"
    labels.write_text(labels.read_text().replace('"gpt"', '"function:judges:reply"'))
    (tmp_path / "judges.py").write_text("def reply(system_prompt, user_prompt): raise SystemExit('it spoke')\n")
    done = run("calibrate", "desk", "--judge", "function:judges:reply", cwd=tmp_path)
    assert (done.returncode, "it spoke" in done.stderr) == (2, False)
    assert "the only labels are function:judges:reply's own" in done.stderr
