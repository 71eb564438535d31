"""`markscheme improve --numbers`, run as a user runs it, on a rubric whose weights are right or wrong."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands.console import run
from tests.test_git import git

RUBRIC = """\
name: plate
passingThreshold: 0.5
criteria:
  - {name: warm, weight: WARM, requirement: The reply is warm.}
  - {name: short, weight: 1, requirement: The reply is short.}
  - {name: exact, weight: 1, requirement: The reply is exact.}
  - {name: safe, weight: 1, required: true, requirement: The reply is safe.}
"""
NAMES = ("warm", "short", "exact", "safe")
PEOPLES = np.array([4.0, 1.0, 1.0, 1.0])
"""Weights by which people decide."""


class Plate:
    """A rubric with annotators' decisions in a folder of its own."""

    def __init__(self, folder: Path, warm: float, n: int = 120, **label: Any) -> None:
        self.folder = folder
        self.rubric = folder / "rubrics" / "plate.yaml"
        self.rubric.parent.mkdir(parents=True)
        self.rubric.write_text(RUBRIC.replace("WARM", f"{warm:g}"))
        self.home = folder / "calibration" / "plate"
        self.home.mkdir(parents=True)
        draws = np.random.default_rng(7)
        levels = np.column_stack([draws.integers(0, 2, (n, 3)), np.ones(n, dtype=int)])
        passed = levels @ PEOPLES / PEOPLES.sum() >= 0.5
        lines = [self._line(f"o{index}", row.tolist(), bool(passed[index]), label) for index, row in enumerate(levels)]
        (self.home / "examples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")

    @staticmethod
    def _line(id: str, levels: Sequence[int], passed: bool, label: dict[str, Any]) -> dict[str, Any]:
        given = {"rater": "ann", "kind": "human", "pass": passed, "criteria": dict(zip(NAMES, levels, strict=True))}
        return {"id": id, "query": f"Question {id}", "response": f"Reply {id}", "labels": [{**given, **label}]}

    def improve(self, *options: str) -> tuple[int, dict[str, Any], str]:
        """Run `improve` on the rubric, and return exit status, JSON and standard error."""
        done = run("markscheme", "improve", "plate", *options, "--json", cwd=self.folder)
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr

    def shown(self, *options: str) -> str:
        """Run `improve` on the rubric, and return what the terminal shows."""
        return run("markscheme", "improve", "plate", *options, cwd=self.folder).stdout

    def looks(self) -> list[dict[str, Any]]:
        """Return the recorded looks at the labels."""
        path = self.home / "opened.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_improve_finds_better_weights_from_pass_fail_decisions_alone_and_writes_them(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    status, report, _ = plate.improve("--numbers", "--open")
    assert status == 0
    numbers = report["numbers"]
    assert (numbers["adopted"], numbers["answer"], numbers["opening"]) == ("weights", "better", 1)
    after = numbers["weights"]["after"]
    assert set(after) == {"warm", "short", "exact"}
    assert after["warm"] > 2 * max(after["short"], after["exact"])
    assert "weight: 1," in plate.rubric.read_text()
    shown = plate.shown("--numbers", "--open")
    assert "speak against yours" in shown
    assert "markscheme improve plate --numbers --write" in shown
    status, report, _ = plate.improve("--numbers", "--write")
    assert (status, report["numbers"]["written"], report["numbers"]["opening"]) == (0, True, 1)
    assert f"name: warm, weight: {after['warm']:g}" in plate.rubric.read_text()
    moved = json.loads((plate.home / "tuned.jsonl").read_text())
    assert moved["changed"]["weights"]["warm"] == after["warm"]
    assert len(moved["ids"]) == 120


def test_improve_warns_that_held_out_texts_may_have_been_read_until_examples_are_marked_as_dev_or_test(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    assert "those held out may have been read" in re.sub(r"\s+", " ", plate.shown())
    path = plate.home / "examples.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    parted = [{**row, "split": "dev" if index % 3 == 0 else "test"} for index, row in enumerate(rows)]
    path.write_text("".join(json.dumps(row) + "\n" for row in parted))
    assert "may have been read" not in re.sub(r"\s+", " ", plate.shown())


def test_improve_leaves_weights_that_already_fit_the_labels_as_they_are(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=4)
    status, report, _ = plate.improve("--numbers", "--open")
    assert (status, report["numbers"]["adopted"]) == (1, None)
    assert report["numbers"]["weights"]["after"] == report["numbers"]["weights"]["before"]
    shown = plate.shown("--numbers", "--open")
    assert "Yours stay." in shown
    assert "To find smaller gains, label fresh outputs: markscheme label plate --pool FILE" in shown


@pytest.mark.parametrize("warm", [1, 4])
def test_improve_says_how_many_decisions_a_failed_required_criterion_leaves_out_of_a_share_or_gain(
    warm: int, tmp_path: Path
) -> None:
    plate = Plate(tmp_path, warm=warm)
    lines = [json.loads(line) for line in (plate.home / "examples.jsonl").read_text().splitlines()]
    unsafe = [{**line, "id": f"u{index}", "query": f"Unsafe {index}"} for index, line in enumerate(lines[:30])]
    for line in unsafe:
        (label,) = line["labels"]
        line["labels"] = [{**label, "pass": False, "criteria": {**label["criteria"], "safe": 0}}]
    (plate.home / "examples.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines + unsafe))
    shown = re.sub(r"\s+", " ", plate.shown("--numbers", "--open"))
    assert ("Yours stay." in shown) == (warm == 4)
    assert (
        "30 other decisions, on responses that fail a required criterion, stay as they are and don't count in this."
        in shown
    )


def test_improve_keeps_the_pass_mark_if_no_other_mark_is_better_on_decisions_that_were_left_out_of_the_fit(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    plate.rubric.write_text(plate.rubric.read_text().replace("passingThreshold: 0.5", "passingThreshold: 0.74"))
    lines = [json.loads(line) for line in (plate.home / "examples.jsonl").read_text().splitlines()]
    for line in lines:
        (label,) = line["labels"]
        label["pass"] = sum(label["criteria"].values()) >= 3  # no score lies between this and the mark
    (plate.home / "examples.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    status, report, _ = plate.improve("--numbers", "--open")
    assert (status, report["numbers"]["adopted"]) == (1, None)
    assert report["numbers"]["mark_p"] <= 0.01
    shown = " ".join(plate.shown("--numbers", "--open").split())
    assert "They speak against the mark (p " in shown
    assert "but no other mark gains on decisions left out of the fit." in shown


@pytest.mark.proof
def test_improve_without_options_says_what_can_be_tried_and_uses_no_held_out_label(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    status, report, _ = plate.improve()
    assert status == 0
    assert report["can_try"] == {"words": True, "weights": True, "pass_mark": True}
    assert report["numbers"] is None
    evidence = report["evidence"]
    assert (evidence["decisions"], evidence["raters"], evidence["not_blind"]) == (120, ["ann"], 0)
    assert evidence["passes"] + evidence["fails"] == 120
    assert report["next"][0] == "markscheme improve plate --numbers --open"
    assert plate.improve("--numbers")[1]["numbers"] is None
    assert not plate.looks()
    of_words = [command for command in plate.improve("--judge", "openai:m")[1]["next"] if "--proposer" in command]
    assert [command.partition("--proposer")[2].split()[1:] for command in of_words] == [["--judge", "openai:m"]]
    assert "9 in 10" in plate.shown()


def test_fitting_weights_twice_to_the_same_decisions_is_recorded_as_one_use_of_held_out_labels(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=4)
    for _ in range(2):
        assert plate.improve("--numbers", "--open")[1]["numbers"]["opening"] == 1
    assert [look["by"] for look in plate.looks()] == ["improve --numbers"]
    examples = plate.home / "examples.jsonl"
    lines = examples.read_text().splitlines()
    examples.write_text("\n".join(lines[:-1]) + "\n")
    assert plate.improve("--numbers", "--open")[1]["numbers"]["opening"] == 2
    assert len(plate.looks()) == 2


def test_after_a_fit_of_weights_improve_suggests_fresh_labels_before_it_suggests_the_same_fit_again(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=4)
    fit = "markscheme improve plate --numbers --open"
    assert plate.improve()[1]["next"][0] == fit
    plate.improve("--numbers", "--open")
    first, second, *_ = plate.improve()[1]["next"]
    assert (first.startswith("markscheme label plate --next"), second) == (True, fit)


def test_decisions_that_were_not_given_blind_change_no_weights(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1, blind=False)
    status, report, error = plate.improve("--numbers", "--open")
    assert (status, report) == (4, {})
    assert "120 decisions were given next to a verdict" in error
    assert plate.improve()[1]["evidence"]["not_blind"] == 120
    assert not plate.looks()


@pytest.mark.parametrize("n", [30])
def test_with_too_few_decisions_improve_says_how_many_are_needed(tmp_path: Path, n: int) -> None:
    status, _, error = Plate(tmp_path, warm=1, n=n).improve("--numbers", "--open")
    assert status == 4
    assert f"{n} pass/fail decisions" in error
    assert "40 are needed" in error


def test_improve_counts_decisions_that_no_weights_can_change_because_a_required_criterion_fails(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    lines = [json.loads(line) for line in (plate.home / "examples.jsonl").read_text().splitlines()]
    fails = 0
    for line in lines:
        if not line["labels"][0]["pass"] and (fails := fails + 1) > 2:
            line["labels"][0]["criteria"]["safe"] = 0
    (plate.home / "examples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    shown = " ".join(plate.shown().split())
    assert "and 2 fails;" in shown
    assert f"; {fails - 2} others" in shown
    assert "required criterion; 10 of each are needed" in shown


def test_improve_counts_decisions_given_with_and_without_sight_of_the_judge_s_verdict(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1, n=60)
    examples = plate.home / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    for index, line in enumerate(lines):
        line["group"] = f"task {index % 30}"
        for label in line["labels"]:
            label["blind"] = index < 50
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, _, error = plate.improve("--numbers", "--open")
    assert status == 4
    assert "50 pass/fail decisions on 30 tasks" in error
    assert "; 10 given next to a verdict; 40 tasks are needed" in error


def levels_to_a_judge(plate: Plate, *files: str) -> None:
    """Remove annotators' levels from their labels, and write them as judges' ratings, with a file for each judge."""
    examples = plate.home / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    for file in files:
        rated = [{"id": line["id"], "judge": file[:-6], "criteria": line["labels"][0]["criteria"]} for line in lines]
        (plate.folder / file).write_text("\n".join(map(json.dumps, rated)) + "\n")
    for line in lines:
        del line["labels"][0]["criteria"]
    examples.write_text("\n".join(map(json.dumps, lines)) + "\n")


def test_improve_with_the_numbers_option_can_try_new_weights_with_levels_from_a_file_of_ratings(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    levels_to_a_judge(plate, "careful.jsonl")
    assert plate.improve("--numbers")[1]["can_try"]["weights"] is False
    status, report, error = plate.improve("--numbers", "--ratings", "careful.jsonl")
    assert (status, report["can_try"]["weights"], report["evidence"]["judge"]) == (0, True, "careful"), error
    shown = " ".join(plate.shown("--numbers", "--ratings", "careful.jsonl").split())
    assert "markscheme improve plate --numbers --open --ratings careful.jsonl" in shown
    assert plate.looks() == []
    status, _, error = plate.improve("--numbers", "--ratings", "nowhere.jsonl")
    assert (status, "there is no file of ratings nowhere.jsonl" in error) == (2, True)


def test_improve_with_the_numbers_option_warns_of_a_file_of_ratings_that_it_does_not_need(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    lines = (plate.home / "examples.jsonl").read_text()
    levels_to_a_judge(plate, "careful.jsonl")
    (plate.home / "examples.jsonl").write_text(lines)
    status, report, error = plate.improve("--numbers", "--ratings", "careful.jsonl")
    assert (status, "--ratings isn't used: annotators gave enough levels" in error) == (0, True)
    assert report["evidence"]["judge"] is None


@pytest.mark.proof
def test_improve_fits_weights_to_a_judge_s_levels_if_annotators_gave_only_decisions(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    levels_to_a_judge(plate, "careful.jsonl", "hasty.jsonl")
    assert plate.improve("--numbers", "--open")[0] == 4
    status, report, error = plate.improve("--numbers", "--open", "--ratings", "careful.jsonl")
    assert (status, report["numbers"]["adopted"]) == (0, "weights"), error
    assert (report["evidence"]["judge"], report["evidence"]["raters"]) == ("careful", ["ann"])
    assert [look["by"] for look in plate.looks()] == ["improve --numbers --judge careful"]
    shown = plate.shown("--numbers", "--open", "--ratings", "careful.jsonl")
    assert "Fitted to the levels of careful: for another judge, fit again." in " ".join(shown.split())
    assert "improve plate --numbers --ratings careful.jsonl --write" in " ".join(shown.split())
    _, panel, _ = plate.improve("--numbers", "--open", "--ratings", "careful.jsonl", "hasty.jsonl")
    assert panel["numbers"]["weights"] == report["numbers"]["weights"]
    assert panel["numbers"]["opening"] == 2
    both = (tmp_path / "careful.jsonl").read_text() + (tmp_path / "hasty.jsonl").read_text()
    (tmp_path / "both.jsonl").write_text(both)
    status, _, error = plate.improve("--numbers", "--open", "--ratings", "both.jsonl")
    assert (status, "use one file for each" in error) == (2, True)


@pytest.mark.proof
def test_a_higher_cost_of_false_passes_is_counted_as_another_test_on_the_labels_and_raises_the_pass_mark(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=4)
    examples = plate.home / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    draw = np.random.default_rng(3)
    for line in lines:
        share = PEOPLES @ list(line["labels"][0]["criteria"].values()) / PEOPLES.sum()
        line["labels"][0]["pass"] = bool(draw.random() < share)
    examples.write_text("\n".join(map(json.dumps, lines)) + "\n")
    assert plate.improve("--numbers", "--open")[1]["numbers"]["pass_mark"]["after"] == 0.5
    _, report, error = plate.improve("--numbers", "--open", "--cost", "5:1")
    assert report["numbers"]["opening"] == 2, error
    assert report["numbers"]["pass_mark"]["after"] > 0.5
    assert "a false pass counts 5 times a false fail" in " ".join(
        plate.shown("--numbers", "--open", "--cost", "5:1").split()
    )


@pytest.mark.parametrize("cost", ["5", "0:1", "a:b", "1:inf"])
def test_invalid_costs_of_false_passes_and_false_fails_are_refused(tmp_path: Path, cost: str) -> None:
    status, _, error = Plate(tmp_path, warm=1, n=3).improve("--numbers", "--open", "--cost", cost)
    assert (status, "`--cost` must be two numbers above 0" in error) == (2, True)


@pytest.mark.parametrize("options", [("--cost", "5:1"), ("--ratings", "careful.jsonl")])
def test_improve_refuses_options_about_weights_and_pass_mark_without_its_numbers_option(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    status, _, error = Plate(tmp_path, warm=1, n=40).improve(*options)
    assert (status, f"{options[0]} goes with --numbers" in error) == (2, True)


@pytest.mark.proof
@pytest.mark.parametrize("warm", [1.0, 4.0])
def test_weights_are_fitted_to_annotators_overall_scores_if_there_are_no_pass_fail_decisions(
    tmp_path: Path, warm: float
) -> None:
    plate = Plate(tmp_path, warm=warm, n=160)
    examples = plate.home / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    draw = np.random.default_rng(11)
    for line in lines:
        label = line["labels"][0]
        del label["pass"]
        share = PEOPLES @ list(label["criteria"].values()) / PEOPLES.sum() + draw.normal(0, 0.05)
        label["overall"] = round(float(np.clip(share, 0, 1)), 2)
    examples.write_text("\n".join(map(json.dumps, lines)) + "\n")
    overview = plate.improve()[1]
    assert overview["can_try"]["weights"]
    assert overview["next"][0] == "markscheme improve plate --numbers --open"
    status, report, error = plate.improve("--numbers", "--open")
    numbers = report["numbers"]
    assert (status, numbers["from"]) == (0 if warm == 1 else 1, "scores"), error
    assert not any("--open" in command for command in report["next"])
    assert numbers["adopted"] == ("weights" if warm == 1 else None)
    assert [look["by"] for look in plate.looks()] == ["improve --numbers (scores)"]
    shown = plate.shown("--numbers", "--open")
    assert ("Other weights fit" if warm == 1 else "Yours stay") in shown
    if warm == 1:
        assert plate.improve("--numbers", "--write")[1]["numbers"]["written"]
        assert f"name: warm, weight: {numbers['weights']['after']['warm']:g}" in plate.rubric.read_text()


def test_improve_with_too_few_decisions_names_the_label_command_that_asks_for_decisions(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    examples = plate.home / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text().splitlines()]
    for line in lines:
        del line["labels"][0]["pass"]
    examples.write_text("\n".join(map(json.dumps, lines)) + "\n")
    refused = run("markscheme", "improve", "plate", "--numbers", "--open", cwd=tmp_path)
    assert refused.returncode == 4
    assert refused.stderr.endswith(": markscheme label plate -o ask_whole=always\n")


def test_improve_does_not_write_over_uncommitted_changes_without_the_force_option(tmp_path: Path) -> None:
    plate = Plate(tmp_path, warm=1)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "rubrics")
    git(tmp_path, "commit", "-q", "-m", "rubric")
    plate.rubric.write_text(plate.rubric.read_text() + "# mine\n")
    status, _, error = plate.improve("--numbers", "--write")
    assert (status, "--force" in error) == (2, True)
    assert plate.improve("--numbers", "--write", "--force")[0] == 0
    assert plate.rubric.read_text().endswith("# mine\n")


@pytest.mark.parametrize(
    ("typed", "improve", "certify"),
    [
        ("tune plate", "improve plate --numbers --open", "certify plate"),
        (
            "tune plate --ratings a.jsonl --cost 5:1 --source judge --final --write",
            "improve plate --ratings a.jsonl --cost 5:1 --open --write --numbers",
            "certify plate --ratings a.jsonl --write",
        ),
        (
            "tune plate --cascade a,b --error 0.1",
            "improve plate --numbers --open",
            "certify plate --judge a,b --error 0.1",
        ),
    ],
)
def test_the_removed_tune_command_prints_the_improve_and_certify_commands_that_replace_it(
    typed: str, improve: str, certify: str
) -> None:
    done = run("markscheme", *typed.split())
    assert done.returncode == 2
    assert done.stderr == (
        "error: `tune` is part of `improve` (weights and pass mark) and `certify` (who decides what):\n"
        f"  markscheme {improve}\n  markscheme {certify}\n"
    )


@pytest.mark.proof
def test_calibrate_warns_if_the_judge_is_not_the_one_that_the_rubric_s_weights_were_fitted_to(
    tmp_path: Path,
) -> None:
    plate = Plate(tmp_path, warm=1)
    examples = plate.home / "examples.jsonl"
    by_people = examples.read_text()
    levels_to_a_judge(plate, "careful.jsonl", "hasty.jsonl")
    status, report, error = plate.improve("--numbers", "--open", "--ratings", "careful.jsonl", "--write")
    assert (status, report["numbers"]["adopted"]) == (0, "weights"), error
    assert plate.rubric.read_text().splitlines()[0] == "# fitted to careful"
    codes = {}
    for judge in ("careful", "hasty"):
        run("calibrate", "plate", "--ratings", f"{judge}.jsonl", "--json", "report.json", "--quiet", cwd=tmp_path)
        findings = json.loads((tmp_path / "report.json").read_text())["findings"]
        codes[judge] = [found for found in findings if found["code"] == "fitted-to-another-judge"]
    assert codes["careful"] == []
    assert [found["evidence"]["fitted_to"] for found in codes["hasty"]] == ["careful"]
    examples.write_text(by_people)
    plate.rubric.write_text(re.sub(r"weight: [0-9.]+", "weight: 1", plate.rubric.read_text()))
    status, report, error = plate.improve("--numbers", "--open", "--write")
    assert (status, report["numbers"]["adopted"]) == (0, "weights"), error
    assert "fitted to" not in plate.rubric.read_text()
