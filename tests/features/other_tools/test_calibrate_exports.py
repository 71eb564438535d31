"""`calibrate EXPORT…`: each judge in another tool's export against the annotators in it, without a rubric."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from markscheme.report.views.calibration import MARK_UNKNOWN
from tests.commands.console import run
from tests.commands.pasted import printed_commands
from tests.readers import exports
from tests.readers.exports import SAMPLES

EXTRA = {
    "inspect": ("--map", "human=place", "--map", "judge-1=place"),
    "deepeval": ("--map", "metadata.ann=place", "--kind", "human", "--rater", "ann"),
    "braintrust": ("--map", "judge-1=place", "--map", "ann=place", "--map", "ben=place", "--kind", "human"),
}


def calibrated(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = run("calibrate", *arguments, "--json", "-", cwd=folder)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report


@pytest.mark.parametrize("tool", SAMPLES)
def test_the_same_ratings_in_every_tool_s_export_give_the_same_calibration(tool: str, tmp_path: Path) -> None:
    paths = exports.written(tmp_path, SAMPLES[tool].files())
    _, report = calibrated(tmp_path, *(path.name for path in paths), *EXTRA.get(tool, ()))
    (place,) = report["metrics"]
    one = place["calibration"]
    has_two = len(SAMPLES[tool].people) == 2  # they split evenly over p5, which is then no miss and no hit
    assert (place["metric"], place["judge"], report["worth_a_rubric"]) == ("place", "judge-1", "place")
    assert one["agreement"]["value"] == pytest.approx(3 / 5 if has_two else 4 / 6)
    assert (one["agreement_person"] or {}).get("value") == (pytest.approx(5 / 6) if has_two else None)
    assert one["agreement_constant"]["value"] == pytest.approx(3 / 5 if has_two else 4 / 6)
    assert (one["false_passes"], one["raters"]["kinds"]) == (["p3"], {"human": len(SAMPLES[tool].people)})
    assert (report["lost"], report["not_compared"]) == ({}, [])


@pytest.mark.parametrize("tool", SAMPLES)
def test_the_import_command_that_the_report_on_an_export_suggests_reads_that_export(tool: str, tmp_path: Path) -> None:
    paths = exports.written(tmp_path, SAMPLES[tool].files())
    (tmp_path / "place.yaml").write_text("criteria:\n- {name: place, requirement: It names the place}\n")
    arguments = [*(path.name for path in paths), *EXTRA.get(tool, ())]
    shown = run("calibrate", *arguments, cwd=tmp_path, env={"COLUMNS": "1000"}).stdout
    (command,) = (command for command in printed_commands(shown) if command.startswith("markscheme import"))
    done = run(*shlex.split(command.replace("RUBRIC", "place.yaml")), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "ratings.jsonl").is_file()


def test_the_report_on_an_export_is_also_written_to_the_summary_of_a_github_actions_step(tmp_path: Path) -> None:
    paths = exports.written(tmp_path, exports.langfuse())
    summary = tmp_path / "summary.md"
    shown = run("calibrate", *(path.name for path in paths), cwd=tmp_path, env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert "place is worth a rubric." in shown.stdout
    assert "place is worth a rubric." in summary.read_text()


def test_pass_rates_and_accuracy_of_a_metric_with_numeric_levels_are_undefined_without_a_pass_mark(
    tmp_path: Path,
) -> None:
    files = exports.langfuse()
    for row, score in enumerate(files["scores.json"]):
        score |= {"dataType": "NUMERIC", "value": 1 + row % 5}
        del score["stringValue"]
    exports.written(tmp_path, files)
    _, report = calibrated(tmp_path, "scores.json", "traces.json")
    (place,) = report["metrics"]
    one = place["calibration"]
    figures = one["overall"], one["criteria"]["place"]
    of_passes = [figures[0]["pass_kappa"], *(of[name] for of in figures for name in ("accuracy", "prevalence_gold"))]
    assert {(figure["value"], figure["undefined"]) for figure in of_passes} == {(None, MARK_UNKNOWN)}
    assert one["criteria"]["place"]["mae"]["value"] is not None


def test_the_report_on_an_export_begins_with_the_metric_that_can_become_a_rubric(tmp_path: Path) -> None:
    files = exports.langfuse()
    files["scores.json"] += [{**score, "name": "tone"} for score in files["scores.json"] if score["source"] == "EVAL"]
    exports.written(tmp_path, files)
    done = run("calibrate", "scores.json", "traces.json", "--html", "report.html", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert lines[0] == "scores.json · scores and traces of Langfuse · 1 judged metric"
    assert lines[2].endswith("place is worth a rubric.")
    assert "judge-1 agrees with the labels on 60% of 5; always giving one level would reach 60%." in " ".join(
        done.stdout.split()
    )
    assert "markscheme import scores.json traces.json --rubric RUBRIC" in done.stdout
    assert "Not compared: tone: rated by no annotator." in done.stdout
    assert "place is worth a rubric" in (tmp_path / "report.html").read_text()
    assert done.returncode == 4  # five labels are too few


def test_the_import_command_in_the_report_on_an_export_repeats_the_options_about_metrics_and_raters(
    tmp_path: Path,
) -> None:
    exports.written(tmp_path, exports.deepeval())
    options = ("--map", "metadata.ann=place", "--kind", "human", "--rater", "ann")
    done = run("calibrate", "test_run.json", *options, cwd=tmp_path)
    (printed,) = [line.strip() for line in done.stdout.splitlines() if "markscheme import" in line]
    assert printed.startswith(f"markscheme import test_run.json {' '.join(options)} --rubric RUBRIC")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "one.yaml").write_text("criteria:\n- {name: place, requirement: It names the place}\n")
    pasted = run(*printed.replace("RUBRIC", "one").split(), cwd=tmp_path)
    assert pasted.returncode == 0, pasted.stderr
    assert "ann (human): 6 ratings" in pasted.stdout


def test_an_export_without_annotators_ratings_cannot_be_calibrated(tmp_path: Path) -> None:
    exports.written(tmp_path, exports.deepeval())
    done = run("calibrate", "test_run.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no metric that both an annotator and a judge rated (place: rated by no annotator)" in done.stderr


def test_options_that_concern_exports_are_refused_if_calibrate_is_given_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("criteria:\n- {name: good, requirement: It is good}\n")
    done = run("calibrate", "one.yaml", "--kind", "human", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--kind is for exports of other tools; one.yaml is none" in done.stderr


@pytest.mark.parametrize("option", [("--judge", "anthropic"), ("--ratings", "r.jsonl"), ("--accept",)])
def test_options_that_need_a_rubric_are_refused_if_calibrate_is_given_an_export(
    option: tuple[str, ...], tmp_path: Path
) -> None:
    exports.written(tmp_path, exports.phoenix())
    done = run("calibrate", "annotations.json", *option, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{option[0]} needs a rubric; an export contains its own ratings" in done.stderr


def test_a_judge_on_another_scale_than_people_is_refused_unless_both_scales_are_named(tmp_path: Path) -> None:
    labels = [1, 2, 3, 4, 5, 1, 5, 3]
    rows = ["id,traceId,timestamp,source,name,dataType,value,stringValue,comment,authorUserName"]
    for n, label in enumerate(labels):
        rows.append(f"j{n},t{n},2026-11-01T09:00:00Z,EVAL,tone,NUMERIC,{(label - 1) / 4},,,")
        rows.append(f"h{n},t{n},2026-11-01T09:01:00Z,ANNOTATION,tone,NUMERIC,{label},,,ann")
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    scales = ("--scale", "judge=0..1", "--scale", "human=1..5")
    for command in (("calibrate", "scores.csv"), ("markscheme", "import", "scores.csv")):
        refused = run(*command, cwd=tmp_path)
        assert refused.returncode == 2
        assert " ".join(scales) in refused.stderr
        assert run(*command, *scales, cwd=tmp_path).returncode != 2
    _, report = calibrated(tmp_path, "scores.csv", *scales)
    assert report["metrics"][0]["calibration"]["agreement"]["value"] == 1.0
