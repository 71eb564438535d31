"""Counts next to other counts: two files, and counts that were accepted."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.calibration.file_answers import SIDES_ANSWERS
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported, reporter_of
from markscheme.commands.output import rendered
from markscheme.errors import UsageError
from markscheme.features.counts.contrast import difference_of
from markscheme.report.json import dumps
from markscheme.stats import Estimate
from markscheme.stats.intervals import wilson
from tests.features.counts.two_judges import answer, counted_judges


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a rubric, and counts of two judges of the same labels: one is right nine times in ten."""
    return counted_judges(tmp_path)


def answer_of_sides(sides: list[str], rubric: str | None, options: LabelOptions) -> Reported | None:
    """Return what `compare` answers about files of a kind that a feature reads; None if no feature reads them."""
    answers = (compared(sides, rubric, options) for compared in SIDES_ANSWERS)
    return next((answer for answer in answers if answer is not None), None)


def accepted(project: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((project / "calibration/answers/accepted.json").read_text())
    return data


def test_the_first_screen_says_if_the_judge_s_name_comes_from_the_user_and_not_from_the_counts_file(
    project: Path,
) -> None:
    screen = " ".join(answer(project, "calibrate", "answers", "--counts", "old.csv", "--judge", "mini").stdout.split())
    assert "215 examples. They don't name the judge: mini is your word." in screen
    assert "is your word" not in answer(project, "calibrate", "answers", "--counts", "old.csv").stdout


def test_a_counts_file_can_be_accepted_as_a_run_with_which_a_later_counts_file_is_compared(project: Path) -> None:
    first = answer(project, "calibrate", "answers", "--counts", "old.csv", "--judge", "mini", "--accept")
    kept = accepted(project)
    assert "in accepted-" in first.stderr
    assert (project / "calibration/answers" / kept["ratings"]["file"]).read_bytes() == (
        project / "old.csv"
    ).read_bytes()
    assert kept["ratings"]["samples"] == 0
    assert kept["judge"]["name"] == "mini"
    assert kept["counts"]["judge"] == "stated"
    assert "false_passes" not in kept["measurements"]
    status = json.loads(answer(project, "status", "--json").stdout)["rubrics"][0]
    assert (status["fault"], status["judge"], status["false_passes"]) == (None, "mini", None)
    assert [point["false_passes"] for point in status["history"]] == [None]
    listed = answer(project, "status").stdout
    assert "cannot be read" not in listed
    answer(project, "status", "--html", "status.html")
    assert kept["counts"]["examples"] == kept["ratings"]["examples"] > 200
    command = ("calibrate", "answers", "--counts", "new.csv", "--judge", "mini")
    later = json.loads(answer(project, *command, "--json", "-").stdout)
    agreement = later["since_counts"]["agreement"]
    assert agreement["second"] == later["agreement"]
    assert agreement["first"]["value"] == pytest.approx(kept["measurements"]["agreement"]["value"], abs=1e-9)
    assert agreement["difference"]["high"] < -0.2
    shown = answer(project, *command, "--details").stdout
    assert "Since the accepted counts" in shown
    assert "No accepted run yet" not in shown
    answer(project, *command, "--accept", "--force")
    names = sorted(
        path.name for path in (project / "calibration/answers").iterdir() if path.suffix in (".csv", ".json")
    )
    assert names == [accepted(project)["ratings"]["file"], "accepted.json", "next_labels.json"]
    assert len((project / "calibration/answers/accepted_runs.jsonl").read_text().splitlines()) == 2


def test_an_accepted_counts_file_is_stored_with_its_digest_and_its_judge_and_its_verdict(
    project: Path,
) -> None:
    command = ("calibrate", "answers", "--counts", "old.csv", "--judge", "mini")
    printed = json.loads(answer(project, *command, "--accept", "--json", "-").stdout)
    kept = accepted(project)
    digest = hashlib.sha256((project / "old.csv").read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    assert kept["ratings"] == {
        "file": f"accepted-{digest[:8]}.csv",
        "sha256": digest,
        "judge": "mini",
        "samples": 0,
        "examples": printed["counts_file"]["examples"],
    }
    assert kept["counts"] == {**printed["counts_file"], "judge": "stated"}
    assert (kept["rubric"]["name"], kept["verdict"], kept["use"]) == ("answers", printed["verdict"], printed["use"])
    for question in ("gate", "trend"):
        ruling = printed["decision"][question]
        assert kept["decision"][question] == {"state": ruling["state"], "because": ruling["because"]}
    assert kept["judge"] == {
        "name": "mini",
        "source": "ratings",
        "provenance": "old.csv",
        "identity": None,
        "answered_by": [],
    }
    for name in ("agreement", "agreement_constant", "tolerance", "target"):
        assert json.loads(dumps(kept["measurements"][name])) == printed[name]


def test_counts_cannot_be_accepted_if_the_judge_must_not_be_used(project: Path) -> None:
    refused = answer(project, "calibrate", "answers", "--counts", "new.csv", "--judge", "mini", "--accept")
    assert "not accepted: mini " in refused.stderr
    assert not (project / "calibration/answers/accepted.json").exists()


def test_a_calibration_of_ratings_is_not_compared_with_an_accepted_calibration_of_counts(project: Path) -> None:
    answer(project, "calibrate", "answers", "--counts", "old.csv", "--accept")
    rows: list[dict[str, Any]] = [
        {"id": f"e{n}", "response": "r", "labels": [{"rater": "a", "criteria": {"clear": n % 5 + 1}}]} for n in range(9)
    ]
    (project / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    lines = [{"id": row["id"], "rater": "j", "criteria": row["labels"][0]["criteria"]} for row in rows]
    (project / "j.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    of_rows = answer(project, "calibrate", "answers", "--examples", "rows.jsonl", "--ratings", "j.jsonl")
    assert "it has counts, and no rating of an example" in of_rows.stderr


def test_calibrate_warns_if_the_stored_counts_of_the_accepted_run_were_changed_afterwards(project: Path) -> None:
    answer(project, "calibrate", "answers", "--counts", "old.csv", "--accept")
    kept = project / "calibration/answers" / accepted(project)["ratings"]["file"]
    kept.write_bytes((project / "new.csv").read_bytes())
    later = answer(project, "calibrate", "answers", "--counts", "old.csv")
    assert "has other counts than were accepted" in later.stderr


def test_calibrate_given_only_a_counts_file_finds_the_rubric_that_the_counts_were_made_with(project: Path) -> None:
    by_name = answer(project, "calibrate", "answers", "--counts", "old.csv", "--json", "-").stdout
    alone = answer(project, "calibrate", "old.csv", "--json", "-").stdout
    assert json.loads(alone) == json.loads(by_name)
    (project / "parts.csv").write_text("part,verdict,label,n\na,pass,pass,30\na,fail,fail,30\n")
    table = answer(project, "calibrate", "parts.csv").stdout
    assert "60 examples" in table


def test_confidence_limits_of_a_difference_of_shares_equal_those_published_by_newcombe() -> None:
    """56 of 70 and 48 of 80: Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10."""
    larger, smaller = (Estimate(hits / n, *wilson(hits, n), n=n) for hits, n in ((56, 70), (48, 80)))
    difference = difference_of(smaller, larger)
    assert difference.low == pytest.approx(0.0524, abs=5e-5)
    assert difference.high == pytest.approx(0.3339, abs=5e-5)


def test_if_a_share_is_undefined_its_difference_from_another_share_is_undefined_for_the_same_reason() -> None:
    nothing = Estimate.without_value("no fails", n=0, method="share")
    assert difference_of(nothing, Estimate(0.5, 0.4, 0.6, n=9)).undefined == "no fails"
    assert difference_of(Estimate(0.25, n=4), Estimate(0.5, 0.4, 0.6, n=9)).low is None


def test_in_a_comparison_of_two_counts_files_each_file_has_the_figures_of_its_own_calibration(project: Path) -> None:
    sides = ["old.csv", "new.csv"]
    compared = answer_of_sides(sides, None, LabelOptions())
    assert compared is not None
    report = json.loads(dumps(compared.to_json()))
    assert report["rubric"]["name"] == "answers"
    for side, key in (("old", "first"), ("new", "second")):
        words = ("calibrate", "answers", "--counts", f"{side}.csv", "--json", "-")
        alone = json.loads(answer(project, *words).stdout)
        assert report["figures"]["agreement"][key] == alone["agreement"]
        level = alone["criteria"]["clear"]["exact_agreement"]
        assert report["figures"]["clear: same level"][key] == level
    by_name = answer_of_sides(sides, "answers", LabelOptions())
    assert by_name is not None
    shown = "".join(rendered(reporter_of(by_name).view(by_name), "markdown"))
    assert "old.csv" in shown
    assert "separate samples" in shown


def test_counts_can_be_compared_only_with_counts_and_only_if_their_rubric_is_known(project: Path) -> None:
    (project / "lines.jsonl").write_text('{"id": "e1"}\n')
    with pytest.raises(UsageError, match="is compared with one other file of counts"):
        answer_of_sides(["old.csv", "lines.jsonl"], None, LabelOptions())
    (project / "rubrics" / "answers.yaml").rename(project / "answers.yaml")
    with pytest.raises(UsageError, match="name it with --rubric"):
        answer_of_sides(["old.csv", "new.csv"], None, LabelOptions())
    assert answer_of_sides(["old.csv", "new.csv"], "answers.yaml", LabelOptions()) is not None


def test_compare_does_not_read_files_without_counts_as_counts_files(project: Path) -> None:
    (project / "lines.jsonl").write_text('{"id": "e1"}\n')
    assert answer_of_sides(["lines.jsonl", "answers"], None, LabelOptions()) is None
