"""`markscheme compare`, and `calibrate` with several judges, as a user runs them."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from markscheme import compare
from markscheme.errors import UsageError
from tests.commands.console import run
from tests.commands.judged_project import make_project, write_lines
from tests.promptfoo.rated_run import rate, rows_of, unlabelled, written
from tests.readers import exports

CAREFUL, FRUGAL, HASTY = (f"function:scripted_judges:{name}" for name in ("careful", "frugal", "hasty"))
HEADINGS = ("Fix first", "Worth fixing", "To fix")
"""Of what to do about a judge, by whether it can gate and whether anything is wrong."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"MARKSCHEME_CACHE": str(tmp_path / "cache")}


def compared(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    done = run("markscheme", "compare", *arguments, "--json", cwd=folder, env=env)
    assert done.returncode == 0, done.stderr

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} in the JSON")

    comparison: dict[str, Any] = json.loads(done.stdout, parse_constant=refuse)
    return comparison


def refused(folder: Path, *arguments: str) -> str:
    done = run("markscheme", "compare", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    return done.stderr


# --- ratings --------------------------------------------------------------------------------------------------------


def test_compare_reads_two_files_of_ratings_and_compares_both_with_the_labels_of_their_rubric(project: Path) -> None:
    comparison = compared(project, "gpt.jsonl", "claude.jsonl", "--rubric", "manners")
    pair = comparison["pairs"][0]
    assert (comparison["reference"], comparison["examples"], pair["n"]) == ("people", 60, 60)
    assert [judge["name"] for judge in comparison["judges"]] == ["gpt", "claude"]
    assert (comparison["best"], comparison["recommended"]) == ("claude", "claude")
    first, second = pair["agreement"]["first"]["value"], pair["agreement"]["second"]["value"]
    assert pair["agreement"]["difference"]["value"] == pytest.approx(second - first)
    assert pair["agreement"]["difference"]["low"] < second - first < pair["agreement"]["difference"]["high"]
    assert {"mae", "signed_error", "accuracy", "false_passes", "flips", "switch"} <= pair.keys()
    assert pair["criteria"]["short"]["exact_agreement"]["difference"]["value"] == 0.0
    single = pair["switch"]["points"][0]["single"]
    assert 0 <= single["low"] <= single["high"] <= 1


@pytest.mark.proof
def test_each_judge_s_figures_in_a_comparison_equal_those_of_that_judge_s_calibration(project: Path) -> None:
    comparison = compared(project, "gpt.jsonl", "claude.jsonl", "--rubric", "manners")
    for name, place in (("gpt", "first"), ("claude", "second")):
        done = run("calibrate", "manners", "--ratings", f"{name}.jsonl", "--json", "-", cwd=project)
        alone = json.loads(done.stdout)
        assert comparison["pairs"][0]["agreement"][place]["value"] == alone["agreement"]["value"]
        assert comparison["pairs"][0]["mae"][place] == alone["overall"]["mae"]
        assert comparison["pairs"][0]["false_passes"][place] == alone["false_passes"]


def test_the_number_of_further_labels_in_compare_s_verdict_equals_that_in_the_printed_next_command(
    project: Path,
) -> None:
    few = (project / "claude.jsonl").read_text().splitlines()[:25]
    (project / "claude.jsonl").write_text("\n".join(few) + "\n")
    done = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners", cwd=project)
    (in_words,) = re.findall(r"Label about (\d+) more", done.stdout)
    (in_command,) = re.findall(r"label manners --next (\d+)", done.stdout)
    assert in_words == in_command


def test_ratings_in_a_rubric_s_folder_are_compared_without_naming_the_rubric(project: Path) -> None:
    ratings = project / "calibration" / "manners" / "ratings"
    (project / "elsewhere").mkdir()
    ratings.mkdir()
    for name in ("gpt", "claude"):
        (ratings / f"{name}.jsonl").write_text((project / f"{name}.jsonl").read_text())
    comparison = compared(project, "calibration/manners/ratings/gpt.jsonl", "calibration/manners/ratings/claude.jsonl")
    assert (comparison["rubric"]["name"], comparison["reference"]) == ("manners", "people")


def test_compare_refuses_to_write_its_page_over_a_file_that_it_compares(project: Path) -> None:
    content = (project / "gpt.jsonl").read_text()
    done = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--html", "gpt.jsonl", cwd=project)
    assert (done.returncode, (project / "gpt.jsonl").read_text()) == (2, content)


def test_without_a_rubric_only_differences_between_the_judges_are_shown(project: Path) -> None:
    done = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", cwd=project)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "No judge can be preferred." in text
    assert "No rubric is given: scales are inferred from the ratings" in text
    assert "same pass/fail decision as gold" not in text
    comparison = compared(project, "gpt.jsonl", "claude.jsonl")
    assert (comparison["reference"], comparison["pairs"][0]["criteria"]["polite"]["exact_agreement"]) == (None, None)
    assert 0 < comparison["pairs"][0]["criteria"]["polite"]["between"]["value"] < 1


def test_each_rater_in_a_file_of_ratings_is_compared_as_a_separate_judge(project: Path) -> None:
    comparison = compared(project, "judges.jsonl", "gpt.jsonl", "--rubric", "manners")
    assert [judge["name"] for judge in comparison["judges"]] == ["gpt (1)", "claude", "lenient", "gpt (2)"]
    assert len(comparison["pairs"]) == 6


def leave_ungraded(file: Path, n: int) -> None:
    """Make a judge's last `n` ratings replies that can't be read."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines[len(lines) - n :]:
        line |= {"criteria": {}, "error": "the reply isn't JSON"}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_if_a_judge_left_many_examples_ungraded_compare_names_the_reason_and_asks_for_no_labels(project: Path) -> None:
    leave_ungraded(project / "gpt.jsonl", 57)
    sides = ("gpt.jsonl", "claude.jsonl", "--rubric", "manners")
    shown = " ".join(run("markscheme", "compare", *sides, cwd=project).stdout.split())
    assert "✗ Too many examples are not graded to choose a judge." in shown
    assert "gpt left 57 of 60 examples without a grade: 57 × the reply isn't JSON." in shown
    assert not re.search(r"Label about|markscheme label|telling them apart|Next", shown)
    report = compared(project, *sides)
    assert (report["recommended"], report["because"][:30]) == (None, "gpt left 57 of 60 examples wit")


def test_if_a_judge_graded_nothing_compare_ends_with_the_reason_and_exit_status_5(project: Path) -> None:
    leave_ungraded(project / "gpt.jsonl", 60)
    done = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners", cwd=project)
    why = "nothing was graded: all 60 examples failed; gpt: the reply isn't JSON"
    assert (done.returncode, done.stderr) == (5, f"error: gpt.jsonl, claude.jsonl: {why}\n")


def test_the_markdown_of_a_comparison_names_the_judge_to_choose_and_has_a_table_of_figures(project: Path) -> None:
    done = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners", "--markdown", cwd=project)
    assert done.stdout.startswith("## gpt or claude\n")
    assert "**✓ Choose claude.**" in done.stdout
    assert "| same pass/fail decision as gold |" in done.stdout


# --- calibrations ---------------------------------------------------------------------------------------------------


def calibrated(project: Path, name: str) -> None:
    done = run("calibrate", "manners", "--ratings", f"{name}.jsonl", "--json", f"{name}.json", "--quiet", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr


@pytest.mark.proof
def test_comparing_two_calibrations_gives_the_same_as_comparing_their_ratings(project: Path) -> None:
    for name in ("gpt", "claude"):
        calibrated(project, name)
    ratings = compared(project, "gpt.jsonl", "claude.jsonl", "--rubric", "manners")
    (project / "rubrics" / "manners.yaml").unlink()
    (project / "calibration").rename(project / "gone")
    written_down = compared(project, "gpt.json", "claude.json")
    for key in ("agreement", "mae", "signed_error", "accuracy", "flips", "false_passes"):
        assert written_down["pairs"][0][key] == ratings["pairs"][0][key]
    assert written_down["reference"] == "people"


@pytest.mark.proof
def test_comparing_two_reports_groups_examples_by_task_as_comparing_their_ratings_does(
    project: Path,
) -> None:
    examples = project / "calibration" / "manners" / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    write_lines(examples, [{**line, "group": f"task {place // 4}"} for place, line in enumerate(lines)])
    for judge in ("gpt", "claude"):
        run("calibrate", "manners", "--ratings", f"{judge}.jsonl", "--quiet", "--json", f"{judge}.json", cwd=project)
    written = json.loads((project / "gpt.json").read_text())["rated"]["groups"]
    assert written[:5] == ["task 0"] * 4 + ["task 1"]
    live = run("markscheme", "compare", "gpt.jsonl", "claude.jsonl", "--rubric", "manners", "--json", cwd=project)
    kept = run("markscheme", "compare", "gpt.json", "claude.json", "--json", cwd=project)
    (by_ratings,), (by_reports,) = json.loads(live.stdout)["pairs"], json.loads(kept.stdout)["pairs"]
    assert by_ratings["agreement"]["difference"]["n"] == 15
    for figure in ("agreement", "mae", "signed_error", "accuracy"):
        told, wanted = by_reports[figure]["difference"], by_ratings[figure]["difference"]
        assert (told["low"], told["high"], told["n"]) == pytest.approx((wanted["low"], wanted["high"], 15), abs=1e-9)
    assert by_reports["criteria"]["polite"]["shift"] == by_ratings["criteria"]["polite"]["shift"]


@pytest.mark.proof
def test_comparing_a_report_with_ratings_is_refused_if_the_rubric_changed_since_the_report_was_made(
    project: Path,
) -> None:
    calibrated(project, "gpt")
    assert compared(project, "gpt.json", "claude.jsonl")["best"] == "claude"
    text = (project / "rubrics" / "manners.yaml").read_text()
    (project / "rubrics" / "manners.yaml").write_text(text.replace("0.5", "0.7"))
    assert "name its rubric with --rubric" in refused(project, "gpt.json", "claude.jsonl")


@pytest.mark.proof
def test_comparing_two_reports_leaves_out_examples_whose_response_differs_between_them(
    project: Path,
) -> None:
    calibrated(project, "gpt")
    file = project / "calibration" / "manners" / "examples.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines[:10]:
        line["response"] += ", edited"
    write_lines(file, lines)
    calibrated(project, "claude")
    comparison = compared(project, "gpt.json", "claude.json")
    assert comparison["pairs"][0]["n"] == 50
    excluded, counted_by_all = comparison["notes"]
    assert excluded == "10 examples excluded: the same id has different responses"
    assert "false passes are of the 50 examples that every judge graded" in counted_by_all
    write_lines(file, lines[10:])
    (project / "gpt.json").rename(project / "all.json")
    calibrated(project, "gpt")
    comparison = compared(project, "gpt.json", "all.json", "claude.json")  # the first has none of the ten
    assert [pair["n"] for pair in comparison["pairs"]] == [50, 50, 50]
    assert "10 examples excluded: the same id has different responses" in comparison["notes"]


# --- judges ---------------------------------------------------------------------------------------------------------


def test_compare_asks_the_named_judges_and_recommends_the_cheapest_that_is_no_worse_than_the_best(
    project: Path, env: dict[str, str]
) -> None:
    comparison = compared(project, CAREFUL, FRUGAL, HASTY, "--rubric", "manners", env=env)
    assert [judge["usd_per_1000"] for judge in comparison["judges"]] == pytest.approx([20.0, 1.0, 0.1])
    careful, frugal, hasty = comparison["judges"]
    assert (careful["not_worse"], hasty["not_worse"]) == (True, False)
    assert comparison["recommended"] == (FRUGAL if frugal["not_worse"] else CAREFUL)
    assert hasty["behind_best"]["value"] == pytest.approx(-0.1)
    of_hasty = comparison["pairs"][1]
    assert (of_hasty["first"], of_hasty["second"]) == (CAREFUL, HASTY)
    assert of_hasty["accuracy"]["difference"]["value"] == pytest.approx(-0.1)
    assert of_hasty["agreement"]["difference"]["value"] == pytest.approx(-0.5)
    again = compared(project, CAREFUL, FRUGAL, "--rubric", "manners", env=env)
    assert [judge["usd_per_1000"] for judge in again["judges"]] == [None, None]


def test_a_hundred_examples_are_enough_to_recommend_the_cheap_judge_as_no_worse_than_the_best(
    tmp_path: Path, env: dict[str, str]
) -> None:
    project = make_project(tmp_path, n=100)
    comparison = compared(project, CAREFUL, FRUGAL, HASTY, "--rubric", "manners", env=env)
    assert (comparison["best"], comparison["recommended"]) == (CAREFUL, FRUGAL)
    assert "cheapest" in comparison["because"]


def test_judges_may_be_compared_on_examples_that_nobody_labelled(tmp_path: Path, env: dict[str, str]) -> None:
    project = make_project(tmp_path, n=20, labelled=False)
    comparison = compared(project, CAREFUL, HASTY, "--rubric", "manners", env=env)
    assert (comparison["reference"], comparison["pairs"][0]["n"]) == (None, 20)
    assert comparison["pairs"][0]["criteria"]["polite"]["between"]["value"] == 0.5


# --- Promptfoo ------------------------------------------------------------------------------------------------------


@pytest.fixture
def evaluation(rated_results: dict[str, Any]) -> dict[str, Any]:
    return unlabelled(rated_results, each=6)


def test_the_graders_of_two_files_of_promptfoo_s_results_are_compared_on_outputs_that_are_in_both_files(
    evaluation: dict[str, Any], tmp_path: Path
) -> None:
    old, new = copy.deepcopy(evaluation), copy.deepcopy(evaluation)
    for word in ("hello", "world", "plain"):
        for row in rows_of(old, word):
            rate(row, passes=word != "world")
        for row in rows_of(new, word)[:2]:
            short = next(c for c in row["gradingResult"]["componentResults"] if c["assertion"].get("metric") == "short")
            short["pass"], row["success"], row["gradingResult"]["pass"] = False, False, False
    for row in rows_of(new, "plain"):
        row["response"]["output"] += " otherwise"
    written(old, tmp_path / "old.json")
    written(new, tmp_path / "new.json")
    comparison = compared(tmp_path, "old.json", "new.json")
    pair = comparison["pairs"][0]
    assert (comparison["reference"], comparison["best"], pair["n"]) == ("one-person", "old", 12)
    assert [flip["pass"] for flip in pair["flips"]] == [False, False]
    assert pair["criteria"]["short"]["between"]["value"] == pytest.approx(10 / 12)
    assert comparison["notes"] == ["6 outputs of old not in every file", "6 outputs of new not in every file"]
    screen = run("markscheme", "compare", "old.json", "new.json", cwd=tmp_path).stdout
    assert "Next, see whether it can gate: markscheme calibrate old.json" in screen
    assert "markscheme label" not in screen, "results have no rubric whose examples can be labelled"
    assert run("calibrate", "old.json", "--quiet", cwd=tmp_path).returncode in (0, 1, 4)


def test_two_files_of_promptfoo_s_results_that_share_no_output_cannot_be_compared(
    evaluation: dict[str, Any], tmp_path: Path
) -> None:
    other = copy.deepcopy(evaluation)
    for row in other["results"]["results"]:
        row["vars"]["word"] += "!"
    written(evaluation, tmp_path / "a.json")
    written(other, tmp_path / "b.json")
    assert "have no output in common" in refused(tmp_path, "a.json", "b.json")


# --- several judges of one calibration ------------------------------------------------------------------------------


def test_calibrate_with_several_judges_gives_a_verdict_on_each_and_a_comparison_of_the_judges(
    project: Path, env: dict[str, str]
) -> None:
    judges = ("--judge", CAREFUL, "--judge", HASTY)
    done = run("calibrate", "manners", *judges, "--json", "both.json", "--details", cwd=project, env=env)
    both = json.loads((project / "both.json").read_text())
    assert [(judge["verdict"], judge["use"]) for judge in both["judges"]] == [
        ("ok", "gate"), ("not-enough-labels", "explore")
    ]  # fmt: skip
    assert both["judges"][1]["decision"]["gate"]["because"] == "side-open, target-open"
    assert both["judges"][1]["decision"]["trend"]["state"] == "refused"
    assert both["comparison"]["recommended"] == CAREFUL
    assert sum(done.stdout.count(heading) for heading in HEADINGS) == 2
    assert f"{CAREFUL} or {HASTY}" in " ".join(done.stdout.split())
    assert done.returncode == 0


@pytest.mark.proof
def test_calibrating_a_file_of_several_judges_gives_each_judge_the_figures_of_its_own_file(
    project: Path,
) -> None:
    done = run("calibrate", "manners", "--ratings", "judges.jsonl", "--json", "-", cwd=project)
    comparison = json.loads(done.stdout)
    assert [judge["judge"]["name"] for judge in comparison["judges"]] == ["gpt", "claude", "lenient"]
    for judge in comparison["judges"]:
        name = judge["judge"]["name"]
        alone = json.loads(run("calibrate", "manners", "--ratings", f"{name}.jsonl", "--json", "-", cwd=project).stdout)
        assert {k: v for k, v in judge.items() if k != "judge"} == {k: v for k, v in alone.items() if k != "judge"}
    best = next(j for j in comparison["judges"] if j["judge"]["name"] == comparison["comparison"]["best"])
    assert done.returncode == {"adjust": 1, "not-enough-labels": 4, "ok": 0}[best["verdict"]]


@pytest.mark.proof
def test_a_calibration_of_several_judges_at_once_cannot_be_accepted(project: Path) -> None:
    done = run("calibrate", "manners", "--ratings", "judges.jsonl", "--accept", cwd=project)
    assert done.returncode == 2
    assert not list(project.rglob("accepted.json"))


@pytest.mark.proof
def test_the_markdown_report_on_several_judges_begins_with_the_recommended_judge(project: Path) -> None:
    done = run("calibrate", "manners", "--ratings", "judges.jsonl", "--markdown", "-", cwd=project)
    assert done.stdout.startswith("## gpt, claude or lenient\n")
    assert sum(done.stdout.count(f"{heading}\n") for heading in HEADINGS) == 3


# --- what cannot be compared ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gpt.jsonl",), "a comparison needs two sides"),
        (("gpt.jsonl", "nobody"), "nobody is not a file, and does not name a judge: anthropic[:MODEL]"),
        (("gpt.jsonl", "manners"), "manners is a rubric: compare two versions of it, as in manners@HEAD~1 manners"),
        (("gpt.jsonl", "accepted.json"), "compare the ratings next to it, accepted-….jsonl"),
        (("gpt.jsonl", "rubrics/manners.yaml"), "contains neither ratings nor a calibration"),
        ((CAREFUL, "gpt.jsonl"), "to ask judges, name the rubric with --rubric"),
        ((CAREFUL, HASTY, "--rubric", "polit"), "there is no rubric named 'polit'"),
        (("gpt.jsonl", "other.jsonl", "--rubric", "manners"), "rated no example in common"),
        (("gpt.jsonl", "bad.jsonl", "--rubric", "manners"), "bad.jsonl:1: polite: 9 isn't a level of its scale"),
        (("gpt.jsonl", "claude.jsonl", "--json", "--markdown"), "cannot share standard output"),
    ],
)
def test_compare_refuses_arguments_that_it_cannot_compare_with_the_reason_and_exit_status_2(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_lines(project / "other.jsonl", [{"id": "x1", "judge": "j", "criteria": {"polite": 3, "short": True}}])
    write_lines(project / "bad.jsonl", [{"id": "e1", "judge": "j", "criteria": {"polite": 9}}])
    assert message in refused(project, *arguments)


def test_the_help_of_compare_shows_an_example_even_in_an_empty_folder(tmp_path: Path) -> None:
    done = run("markscheme", "compare", "--help", cwd=tmp_path)
    assert "Example:" in done.stdout
    assert done.returncode == 0


# --- files of other tools -------------------------------------------------------------------------------------------


def test_labels_in_a_tool_s_export_are_also_used_for_a_judge_whose_ratings_are_in_another_file(
    tmp_path: Path,
) -> None:
    (traces,) = exports.written(tmp_path, exports.mlflow())
    ratings = [{"id": unit, "judge": "later", "criteria": {"place": True}} for unit in exports.UNITS]
    write_lines(tmp_path / "later.jsonl", ratings)
    comparison = compared(tmp_path, traces.name, "later.jsonl")
    assert [judge["name"] for judge in comparison["judges"]] == ["judge-1", "later"]
    assert (comparison["reference"], comparison["examples"]) == ("people", 6)


def test_promptfoo_s_results_can_be_compared_with_ratings_on_the_same_outputs(
    evaluation: dict[str, Any], tmp_path: Path
) -> None:
    for word in ("hello", "world"):
        for row in rows_of(evaluation, word):
            rate(row, passes=word == "hello")
    written(evaluation, tmp_path / "results.json")
    done = run("markscheme", "import", "results.json", "--rubric", "short.yaml", "--json", cwd=_with_rubric(tmp_path))
    lines = [line for line in json.loads(done.stdout)["lines"] if line["kind"] == "model"]
    write_lines(tmp_path / "other.jsonl", [{**line, "rater": "other"} for line in lines])
    comparison = compared(tmp_path, "results.json", "other.jsonl", "--rubric", "short.yaml")
    assert [judge["name"] for judge in comparison["judges"]] == ["results", "other"]
    assert comparison["pairs"][0]["criteria"]["short"]["between"]["value"] == 1.0
    assert comparison["reference"] == "one-person"


def _with_rubric(folder: Path) -> Path:
    (folder / "short.yaml").write_text("criteria: [{name: short, requirement: It is short}]\n")
    return folder


def test_the_error_on_an_unknown_option_of_compare_in_python_suggests_the_most_similar_option() -> None:
    with pytest.raises(UsageError, match=r"unknown option `levls`; did you mean `levels`\?"):
        compare("a.jsonl", "b.jsonl", levls="1-5")
