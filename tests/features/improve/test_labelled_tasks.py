"""`improve` is suggested exactly where it has enough labelled tasks in its dev part and its held-out part."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.features.improve.labelled_tasks import LEAST_DEV, LEAST_SEALED, can_try_words
from markscheme.features.improve.setting import ImprovableSet
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Rubric
from tests.commands.console import run
from tests.commands.pasted import printed_commands

RUBRIC = Rubric.from_yaml("""
name: polite
criteria:
  - {name: polite, requirement: The reply is polite, weight: 1}
""")
JUDGES = """
import re

def lenient(system_prompt, user_prompt):
    number = int(re.search(r"reply (\\d+)", user_prompt)[1])
    level = "MET" if number % 2 == 0 or number % 10 < 6 else "UNMET"
    return {"verdicts": {"polite": {"quote": "nothing to quote", "reason": "so", "level": level}}}


def writer(system_prompt, user_prompt):
    return {"candidates": []}


lenient.environment = writer.environment = ()
"""
JUDGE, WRITER = "function:judges:lenient", "function:judges:writer"
LEAST = LEAST_DEV + LEAST_SEALED


def made_set(seed: int) -> list[dict[str, Any]]:
    """Return lines of examples near the least number of tasks, some tied, unlabelled, in groups or in parts."""
    rng = random.Random(seed)
    in_groups, in_parts = rng.random() < 0.5, rng.random() < 0.4
    lines = []
    for number in range(rng.randint(25, 90 if in_groups or in_parts else 50)):
        answers = [rng.random() < 0.5] * 2
        labels = [{"rater": rater, "criteria": {"polite": answer}} for rater, answer in zip("ab", answers, strict=True)]
        kind = rng.random()
        if kind < 0.1:
            labels[1]["criteria"] = {"polite": not answers[0]}  # a tie: no score
        elif kind < 0.2:
            labels = []
        elif kind < 0.25:
            labels = [{"rater": "maker", "kind": "constructed", "criteria": {"polite": True}}]
        line = {"id": f"e{number}", "response": f"reply {number}", "labels": labels}
        if in_groups and rng.random() < 0.8:
            line["group"] = f"g{rng.randint(0, 30)}"
        if in_parts and rng.random() < 0.9:
            line["split"] = rng.choice(["dev", "test", "test"])
        lines.append(line)
    return lines


def write_set(folder: Path, lines: Sequence[Mapping[str, Any]], name: str = "examples.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore::markscheme.errors.RatingWarning")
def test_the_quick_check_for_enough_labels_to_try_a_wording_agrees_with_improve_on_120_random_sets(
    tmp_path: Path,
) -> None:
    outcomes = []
    for seed in range(120):
        path = write_set(tmp_path, made_set(seed), f"{seed}.jsonl")
        improvable = ImprovableSet.of(RUBRIC, path, gold=None, outside=False, opens=False, day="2026-11-29")
        examples, _ = labelled_examples(RUBRIC, path)
        can_try = can_try_words(RUBRIC, examples, gold_of(examples, RUBRIC))
        assert can_try == can_try_words(RUBRIC, examples)
        assert can_try == (not improvable.lacks), (seed, improvable.lacks)
        outcomes.append(can_try)
    assert 20 < sum(outcomes) < 100


@pytest.mark.filterwarnings("ignore::markscheme.errors.RatingWarning")
def test_labels_of_both_splits_count_towards_those_that_improve_needs_even_if_one_split_is_calibrated(
    tmp_path: Path,
) -> None:
    lines = [
        {"id": f"e{n}", "response": f"reply {n}", "labels": [{"rater": "a", "criteria": {"polite": n % 2 == 0}}]}
        for n in range(LEAST)
    ]
    path = write_set(tmp_path, [{**line, "split": "dev" if n < LEAST_DEV else "test"} for n, line in enumerate(lines)])
    examples, _ = labelled_examples(RUBRIC, path)
    for part in ("dev", "test"):
        assert can_try_words(RUBRIC, examples, gold_of(examples.part(part), RUBRIC))
        assert not can_try_words(RUBRIC, examples.part(part))


def make_project(folder: Path, n: int, *, suffix: str = ".jsonl") -> Path:
    """Write a rubric, a lenient judge, and examples that two people labelled, half of them as fails."""
    home = folder / "calibration" / "polite"
    home.mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "polite.yaml").write_text(
        "criteria:\n  - {name: polite, requirement: The reply is polite, weight: 1}\n", encoding="utf-8"
    )
    (folder / "judges.py").write_text(JUDGES, encoding="utf-8")
    lines = [
        {
            "id": f"e{number}",
            "response": f"reply {number}",
            "labels": [{"rater": rater, "criteria": {"polite": number % 2 == 0}} for rater in "ab"],
        }
        for number in range(n)
    ]
    if suffix == ".jsonl":
        write_set(home, lines)
    else:
        (home / "examples.json").write_text(json.dumps(lines), encoding="utf-8")
    return folder


def reported(folder: Path, *options: str) -> str:
    """Return the whole report on the lenient judge."""
    env = {"MARKSCHEME_CACHE": str(folder / "cache"), "COLUMNS": "1000"}
    return run("markscheme", "calibrate", "polite", "--judge", JUDGE, "--details", *options, cwd=folder, env=env).stdout


def test_with_enough_labelled_tasks_calibrate_suggests_an_improve_command_that_runs(tmp_path: Path) -> None:
    report = reported(make_project(tmp_path, LEAST))
    (command,) = (command for command in printed_commands(report) if command.startswith("markscheme improve"))
    assert command == f"markscheme improve polite --proposer anthropic --judge {JUDGE}"
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache")}
    done = run(*command.replace("anthropic", WRITER).split(), cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    assert "wording" in done.stdout


def test_calibrate_with_too_few_labelled_tasks_says_how_many_examples_a_test_of_new_words_needs(
    tmp_path: Path,
) -> None:
    report = reported(make_project(tmp_path, LEAST - 1))
    assert re.search(r"1 polite · the judge .*\n", report)
    assert "markscheme improve" not in report
    assert (
        "To have the wording of polite rewritten and tested, label more: it takes 10 dev and 20 held-out examples."
        in report
    )


def test_calibrate_on_dev_examples_suggests_improve_if_dev_and_test_together_have_enough_labels(
    tmp_path: Path,
) -> None:
    folder = make_project(tmp_path, 90)
    path = folder / "calibration" / "polite" / "examples.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_set(path.parent, [{**line, "split": "dev" if n < 45 else "test"} for n, line in enumerate(lines)])
    assert "markscheme improve polite" in reported(folder, "--split", "dev")


def test_the_report_has_a_section_on_new_wordings_only_if_a_new_wording_could_fix_an_error(tmp_path: Path) -> None:
    folder = make_project(tmp_path, LEAST)
    worded, plain = folder / "worded.html", folder / "plain.html"
    reported(folder, "--html", str(worded))
    (folder / "perfect.jsonl").write_text(
        "".join(
            json.dumps({"id": f"e{n}", "rater": "judge", "kind": "model", "criteria": {"polite": n % 2 == 0}}) + "\n"
            for n in range(LEAST)
        )
    )
    run("calibrate", "polite", "--ratings", "perfect.jsonl", "--html", str(plain), cwd=folder)
    assert ["Other words" in page.read_text(encoding="utf-8") for page in (worded, plain)] == [True, False]


def test_if_a_file_of_examples_is_in_json_calibrate_asks_the_user_to_write_dev_or_test_into_it_by_hand(
    tmp_path: Path,
) -> None:
    report = reported(make_project(tmp_path, 60, suffix=".json"))
    assert "markscheme improve" not in report
    assert "To have the wording of polite rewritten and tested, write dev or test next to each example" in report


@pytest.mark.parametrize(
    ("unlabelled", "command"),
    [
        (0, "markscheme label polite --next 50 --pool YOUR-OUTPUTS.jsonl"),
        (3, "markscheme label polite --rater YOUR-NAME"),
    ],
)
def test_improve_with_too_few_labels_says_to_label_outputs_only_if_no_unlabelled_example_is_left(
    tmp_path: Path, unlabelled: int, command: str
) -> None:
    folder = make_project(tmp_path, 20)
    with (folder / "calibration" / "polite" / "examples.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"id": f"new{n}", "response": f"new {n}"}) + "\n" for n in range(unlabelled))
    overview = run("markscheme", "improve", "polite", "--json", cwd=folder)
    assert json.loads(overview.stdout)["next"] == [command]
    refused = run("markscheme", "improve", "polite", "--proposer", WRITER, "--judge", JUDGE, cwd=folder)
    assert refused.returncode == 4
    assert refused.stderr.endswith(f"label more: {command}\n")


def test_if_few_outputs_have_different_inputs_improve_says_to_label_responses_to_other_inputs(
    tmp_path: Path,
) -> None:
    folder = make_project(tmp_path, 60)
    path = folder / "calibration" / "polite" / "examples.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_set(path.parent, [{**line, "query": f"question {row % 4}", "split": "dev"} for row, line in enumerate(lines)])
    done = run("markscheme", "improve", "polite", cwd=folder)
    text = " ".join(done.stdout.split())
    assert "60 dev and 0 held-out outputs" in text
    few = "outputs for the first 40 different inputs are dev, and these 60 outputs have 4"
    assert f"({few}: label responses to other inputs)" in text
    write_set(path.parent, [{**line, "query": f"question {row}", "split": "dev"} for row, line in enumerate(lines)])
    distinct = run("markscheme", "improve", "polite", cwd=folder)
    assert "label responses to other inputs" not in " ".join(distinct.stdout.split())


def test_improve_counts_tasks_and_says_what_a_task_is_if_outputs_belong_to_groups(tmp_path: Path) -> None:
    folder = make_project(tmp_path, 60)
    path = folder / "calibration" / "polite" / "examples.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_set(path.parent, [{**line, "group": f"g{row % 4}", "split": "dev"} for row, line in enumerate(lines)])
    text = " ".join(run("markscheme", "improve", "polite", cwd=folder).stdout.split())
    assert "no: 4 dev and 0 held-out tasks" in text
    assert "(the outputs of a group are one task), and 10 and 20 are needed" in text
    few = "outputs for the first 40 different groups or inputs are dev, and these 60 outputs have 4"
    assert f"({few}: label responses to other inputs)" in text
