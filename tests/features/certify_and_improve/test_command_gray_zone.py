"""Bands of scores around the pass mark within which a person decides, as `tune` promises them."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.gray_zone import GrayZone
from tests.commands.console import ROOT, run
from tests.features.improve.test_tune import AUTHOR, OTHERS, asks_of, label, tuned


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a copy of the shipped rubric and no labels."""
    (tmp_path / "rubrics").mkdir()
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", tmp_path / "rubrics")
    (tmp_path / "calibration" / "code-quality").mkdir(parents=True)
    return tmp_path


def test_a_band_is_promised_on_labels_that_moved_nothing(project: Path) -> None:
    label(project, 300, AUTHOR, lenient=0.0)
    _, report = tuned(project, "--ratings", "judge.jsonl", "--write", "--band")
    band = report["ask_within"]
    assert band["supported"], band["reason"]
    assert (band["promise"]["of"], band["promise"]["error"], band["promise"]["confidence"]) == ("automatic", 0.05, 0.9)
    assert band["promise"]["upper"] <= 0.05
    assert 0 < band["promise"]["automatic"]["value"] < 1
    assert load_rubric(project / "rubrics" / "code-quality.yaml").ask_within == band["after"] > 0


def test_a_band_is_refused_where_labels_do_not_suffice(project: Path) -> None:
    label(project, 40, AUTHOR, lenient=0.0)
    _, few = tuned(project, "--ratings", "judge.jsonl", "--band")
    assert not few["ask_within"]["supported"]
    assert few["ask_within"]["after"] == few["ask_within"]["before"] == 0
    assert few["ask_within"]["promise"]["of"] == "all"
    assert "of 40 wrong" in few["ask_within"]["reason"]
    assert "ask_within" not in few["diff"]


def test_labels_that_move_the_numbers_can_not_promise_anything_of_them(project: Path) -> None:
    label(project, 200, OTHERS, lenient=0.0)
    _, moved = tuned(project, "--ratings", "judge.jsonl", "--write")
    assert "these labels already change the numbers" in moved["ask_within"]["reason"]
    record = project / "calibration" / "code-quality" / "tuned.jsonl"
    assert len(json.loads(record.read_text())["ids"]) == 200
    label(project, 300, AUTHOR, lenient=0.0)
    shutil.copy(ROOT / "rubrics" / "code-quality.yaml", project / "rubrics")
    _, later = tuned(project, "--ratings", "judge.jsonl")
    assert not later["supported"]
    assert "200 labels left out" in later["ask_within"]["reason"]
    assert later["ask_within"]["promise"]["n_automatic"] <= 100


def test_labels_chosen_by_hand_carry_no_promise(project: Path) -> None:
    label(project, 60, AUTHOR, lenient=0.0, drawn="chosen")
    _, report = tuned(project, "--ratings", "judge.jsonl")
    assert not report["ask_within"]["supported"]
    assert "60 labels left out" in report["ask_within"]["reason"]


def test_fails_alone_may_be_automatic_and_every_pass_goes_to_a_person(project: Path) -> None:
    """Nearly all of this judge's errors are among its passes, of which no promise is possible."""
    label(project, 300, AUTHOR, lenient=0.0)
    options = ("--ratings", "judge.jsonl", "--for", "fails")
    _, report = tuned(project, *options, "--write", "--band")
    zone = report["ask_within"]
    assert zone["supported"], zone["reason"]
    assert zone["after"]["passes"] == "all"
    assert 0 < zone["after"]["fails"] < 0.3
    assert list(zone["promises"]) == ["fails"]
    assert "at most 5% of the automatic fails" in zone["reason"]
    promise = zone["promises"]["fails"]
    assert promise["upper"] <= 0.05
    assert promise["automatic"]["value"] == pytest.approx(promise["n_automatic"] / 300)
    rubric = load_rubric(project / "rubrics" / "code-quality.yaml")
    assert rubric.gray_zone == GrayZone(math.inf, zone["after"]["fails"])
    text = run("markscheme", "tune", "rubrics/code-quality.yaml", *options, cwd=project).stdout
    words = " ".join(text.split())
    assert "A person decides all passes and fails within" in words
    assert "Automatic fails:" in words


def test_a_side_without_a_promise_goes_to_people_and_the_report_says_why(project: Path) -> None:
    label(project, 300, AUTHOR, lenient=0.0)
    _, report = tuned(project, "--ratings", "judge.jsonl", "--for", "passes")
    assert not report["ask_within"]["supported"]
    assert "passes all go to a person: the judge isn't that good" in report["ask_within"]["reason"]


def test_each_side_has_a_promise_at_half_the_level(project: Path) -> None:
    label(project, 60, AUTHOR, lenient=0.0)
    _, report = tuned(project, "--ratings", "judge.jsonl", "--for", "each")
    promises = report["ask_within"]["promises"]
    assert list(promises) == ["passes", "fails"]
    assert [promise["confidence"] for promise in promises.values()] == pytest.approx([0.95, 0.95])


def test_a_further_promise_on_the_same_labels_has_half_the_level_of_the_one_before(project: Path) -> None:
    label(project, 60, AUTHOR, lenient=0.0)

    def gray_zone(*options: str) -> dict[str, Any]:
        figures: dict[str, Any] = tuned(project, "--ratings", "judge.jsonl", *options)[1]["ask_within"]
        return figures

    first = gray_zone()
    assert first["promise"]["confidence"] == pytest.approx(0.9)
    assert len(asks_of(project)) == 1
    assert gray_zone() == first
    assert len(asks_of(project)) == 1
    second = gray_zone("--for", "passes")
    assert second["promise"]["confidence"] == pytest.approx(0.95)
    assert "1 other promise asked of these labels before: tested at 1/2 of the level" in second["reason"]
    third = gray_zone("--error", "0.1")
    assert third["promise"]["confidence"] == pytest.approx(0.975)
    assert gray_zone("--for", "passes") == second
    assert [(ask["side"], ask["error"]) for ask in asks_of(project)] == [
        ("both", 0.05), ("passes", 0.05), ("both", 0.1),
    ]  # fmt: skip
    assert asks_of(project)[0].keys() >= {"at", "labels", "judge", "signal"}
    label(project, 61, AUTHOR, lenient=0.0, seed=6)
    assert gray_zone("--error", "0.1")["promise"]["confidence"] == pytest.approx(0.9), "other labels"


def test_a_damaged_record_of_promises_is_named_with_its_line(project: Path) -> None:
    label(project, 60, AUTHOR, lenient=0.0)
    (project / "calibration" / "code-quality" / "asks.jsonl").write_text('{"at": "2026-11-02"}\n')
    done = run("markscheme", "tune", "rubrics/code-quality.yaml", "--ratings", "judge.jsonl", cwd=project)
    assert done.returncode == 2
    assert "asks.jsonl:1: a line of this record has labels, judge" in done.stderr
