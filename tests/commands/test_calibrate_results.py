"""`calibrate results.json`: Promptfoo's results without a rubric, a key or a call."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.promptfoo.rated_run import WORDS, rate, rows_of, unlabelled, written

GRADED = ["hello", "world", "plain"]


@pytest.fixture
def results(rated_results: dict[str, Any]) -> dict[str, Any]:
    """Return unlabelled results with ten tests per word: hello and plain pass, world fails, others are ungraded."""
    return unlabelled(rated_results, each=10)


@pytest.fixture
def enough_results(rated_results: dict[str, Any]) -> dict[str, Any]:
    """Return unlabelled results with twelve tests per word, enough to show that a judge stops 70% of fails."""
    return unlabelled(rated_results, each=12)


def thumbs(results: dict[str, Any], words: list[str], *, wrong: int = 0) -> None:
    """Add a thumb to each output of some words; it contradicts the graders on the first `wrong` of each word."""
    for word in words:
        for n, row in enumerate(rows_of(results, word)):
            rate(row, passes=(word != "world") != (n < wrong))


def report_of(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = run("calibrate", path.name, "--json", "-", *options, cwd=path.parent)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report


def test_thumbs_given_to_outputs_in_promptfoo_s_results_are_read_as_gold_labels(
    enough_results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(enough_results, GRADED)
    status, report = report_of(written(enough_results, tmp_path / "results.json"))
    assert list(report["criteria"]) == ["python", "readability", "correctness", "polite", "short"]
    assert report["agreement"]["value"] == report["overall"]["accuracy"]["value"] == 1.0
    assert report["overall"]["pass_kappa"]["value"] == 1.0
    assert (report["counts"]["examples"], report["counts"]["graded"], status) == (36, 36, 0)


def test_ids_that_contain_a_prompt_s_text_are_shortened_on_screen_and_kept_whole_in_json(
    enough_results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(enough_results, GRADED, wrong=6)
    for index, row in enumerate(row for word in GRADED for row in rows_of(enough_results, word)):
        row["prompt"]["label"] = f"prompts/v{index % 2}.txt: You are a patient agent of a large company."
        row["testCase"] = {**row["testCase"], "metadata": {"id": f"case-{index // 2}"}}
    file = written(enough_results, tmp_path / "results.json")
    wrong = report_of(file)[1]["false_passes"]
    assert "prompts/v0.txt: You are a patient agent of a" in "".join(wrong)
    screen = run("calibrate", file.name, cwd=tmp_path).stdout
    assert ("You are a patient" in screen, "@ v0.txt" in screen) == (False, True)


def only(results: dict[str, Any], metric: str) -> None:
    """Remove all graded metrics but one from every row."""
    for row in (row for word in GRADED for row in rows_of(results, word)):
        listed = row["gradingResult"]["componentResults"]
        row["gradingResult"]["componentResults"] = [
            component
            for component in listed
            if component["assertion"].get("metric") == metric or component["assertion"]["type"] == "human"
        ]


def test_a_thumb_on_an_output_with_several_metrics_is_not_a_label_of_any_single_metric(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED, wrong=4)
    _, report = report_of(written(results, tmp_path / "results.json"))
    assert {name: figures["accuracy"]["n"] for name, figures in report["criteria"].items()} == dict.fromkeys(
        ["python", "readability", "correctness", "polite", "short"], 0
    )
    assert not [finding for finding in report["findings"] if finding["criterion"]]
    assert len(report["false_passes"]) == 8  # the overall outcome is compared


def test_a_thumb_on_an_output_with_a_single_metric_is_a_label_of_that_metric(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    only(results, "polite")
    _, report = report_of(written(results, tmp_path / "results.json"))
    polite = report["criteria"]["polite"]
    assert (polite["accuracy"]["value"], polite["recall"]["value"], polite["specificity"]["value"]) == (
        pytest.approx(20 / 30), 1.0, 0.0
    )  # fmt: skip
    assert "polite" in {finding["criterion"] for finding in report["findings"]}


def test_labels_that_were_not_given_blind_are_reported_and_allow_a_judge_at_most_to_show_trends(
    enough_results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(enough_results, GRADED)
    _, report = report_of(written(enough_results, tmp_path / "results.json"))
    assert (report["verdict"], report["use"]) == ("ok", "trend")
    assert report["raters"]["not_blind"] == 36
    shown = run("calibrate", "results.json", cwd=tmp_path)
    assert "36 labels not blind" in " ".join(shown.stdout.split())


def test_the_judge_s_verdict_in_promptfoo_s_results_is_read_even_if_a_person_s_thumb_overrides_it(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED, wrong=4)
    status, report = report_of(written(results, tmp_path / "results.json"))
    assert report["agreement"]["value"] == pytest.approx(18 / 30)
    assert len(report["false_passes"]) == 8
    assert len(report["false_fails"]) == 4
    assert status == 1


@pytest.mark.proof
def test_calibrate_can_be_limited_to_a_split_that_the_metadata_of_promptfoo_tests_state(
    results: dict[str, Any], tmp_path: Path
) -> None:
    for word in GRADED:
        for n, row in enumerate(rows_of(results, word)):
            split = "golden" if n < 6 else "holdout"
            row["testCase"]["metadata"] = {"expected_label": "fail" if word == "world" else "pass", "split": split}
    path = written(results, tmp_path / "results.json")
    sizes = {split: report_of(path, "--split", split)[1]["counts"]["examples"] for split in ("dev", "test", "all")}
    assert sizes == {"dev": 18, "test": 12, "all": 30}
    _, report = report_of(path)
    assert report["counts"]["examples"] == 30, "all labels count unless a part is named"
    assert report["raters"] == {
        "kinds": {"human": 1}, "reference": "one-person", "not_blind": 0, "ceiling": None
    }  # fmt: skip


def test_a_score_typed_by_a_person_in_promptfoo_s_viewer_is_compared_with_the_judge_s_score(
    results: dict[str, Any], tmp_path: Path
) -> None:
    scores = {row["testIdx"]: row["score"] for word in GRADED for row in rows_of(results, word)}
    for word in GRADED:
        for n, row in enumerate(rows_of(results, word)):
            rate(row, score=round(min(1.0, row["score"] + (0.05 if n < 5 else 0.2)), 3))
    _, report = report_of(written(results, tmp_path / "results.json"))
    assert report["agreement"]["value"] == pytest.approx(0.5)
    assert report["overall"]["signed_error"]["value"] == pytest.approx(-0.125, abs=0.03)
    assert all(0 < score < 1 for score in scores.values())


def test_an_output_that_was_not_graded_counts_as_ungraded_and_not_as_a_fail(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, WORDS)
    status, report = report_of(written(results, tmp_path / "results.json"))
    assert (report["counts"]["examples"], report["counts"]["not_graded"], status) == (60, 30, 5)
    assert report["drift"].count(None) == 30
    assert report["false_fails"] == []


def test_an_output_graded_in_two_files_of_promptfoo_s_results_counts_as_one_example(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    written(results, tmp_path / "one.json")
    for row in results["results"]["results"]:
        if row["vars"]["word"] == "plain":
            row["response"] = {"output": f"another {row['vars']['n']}"}
    written(results, tmp_path / "two.json")
    done = run("calibrate", "one.json", "two.json", "--json", "-", cwd=tmp_path)
    assert json.loads(done.stdout)["counts"]["examples"] == 40


def test_labels_of_whole_outputs_lead_to_no_finding_on_redundant_metrics_or_a_halo_effect(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    _, report = report_of(written(results, tmp_path / "results.json"))
    assert not {finding["code"] for finding in report["findings"]} & {"redundant", "halo"}


# --- what cannot be calibrated --------------------------------------------------------------------------------------


def refused(folder: Path, *arguments: str) -> str:
    done = run("calibrate", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    return done.stderr


def test_promptfoo_s_results_without_a_label_are_refused_with_advice_on_how_to_label_them(
    results: dict[str, Any], tmp_path: Path
) -> None:
    written(results, tmp_path / "results.json")
    assert "promptfoo view" in refused(tmp_path, "results.json")


def test_promptfoo_s_results_in_which_no_assertion_is_graded_by_a_model_are_refused(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    for row in results["results"]["results"]:
        for component in (row["gradingResult"] or {}).get("componentResults", []):
            component.pop("componentResults", None)
            if component["assertion"]["type"] != "human":
                component["assertion"] = {"type": "contains", "value": " "}
    written(results, tmp_path / "results.json")
    assert "has no llm-rubric, g-eval or python assertion" in refused(tmp_path, "results.json")


@pytest.mark.parametrize("option", [("--judge", "anthropic"), ("--ratings", "r.jsonl"), ("--samples", "3")])
def test_options_on_how_a_judge_is_asked_are_refused_for_a_file_of_promptfoo_s_results(
    results: dict[str, Any], tmp_path: Path, option: tuple[str, str]
) -> None:
    written(results, tmp_path / "results.json")
    assert f"{option[0]} needs a rubric" in refused(tmp_path, "results.json", *option)


def test_accepting_a_run_on_promptfoo_s_results_needs_a_file_to_write_it_to(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    written(results, tmp_path / "results.json")
    assert "-o accepted=FILE" in refused(tmp_path, "results.json", "--accept")


def test_promptfoo_s_results_given_together_with_a_rubric_are_refused(results: dict[str, Any], tmp_path: Path) -> None:
    written(results, tmp_path / "results.json")
    why = refused(tmp_path, "results.json", "code-quality")
    assert "code-quality contains no results of Promptfoo" in why
    assert "name results alone, or a rubric and --ratings FILE" in why


def test_a_missing_file_among_several_files_is_named_in_the_error(results: dict[str, Any], tmp_path: Path) -> None:
    written(results, tmp_path / "results.json")
    for names in (("results.json", "result.json"), ("result.json", "results.json"), ("code-quality", "result.json")):
        assert "result.json: there is no such file; did you mean results.json?" in refused(tmp_path, *names)


def test_an_expected_label_in_promptfoo_s_results_that_is_neither_pass_nor_fail_causes_a_warning(
    results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(results, GRADED)
    rows_of(results, "hello")[0]["testCase"]["metadata"] = {"expected_label": "so-so"}
    written(results, tmp_path / "results.json")
    done = run("calibrate", "results.json", cwd=tmp_path)
    assert "metadata.expected_label 'so-so', which is neither pass nor fail: 1 of " in done.stderr


def test_the_next_command_after_calibrating_promptfoo_s_results_repeats_the_map_option_that_renames_a_metric(
    enough_results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(enough_results, WORDS)
    path = written(enough_results, tmp_path / "results.json")
    options = ("--map", "tone=kindness", "--target", "0.9")
    done = run("calibrate", path.name, *options, cwd=tmp_path, env={"COLUMNS": "200"})
    assert f"calibrate {path.name} {' '.join(options)} --details" in done.stdout, done.stderr
