"""`markscheme pass-rate FILE --calibration TABLE`: labels in a table correct the verdicts of another file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from markscheme.stats.shares import share
from tests.commands.console import run
from tests.features.pass_rate.test_command import labels, limits, pool, rated

WORDS = {True: "Pass", False: "fail"}


def write_tables(folder: Path) -> None:
    """Write as tables what `labels` and `pool` write as lines."""
    lines = labels(folder / "labels.jsonl")
    rows = [f"{line['id']},{WORDS[line['judge']]},{WORDS[line['gold']]}" for line in lines]
    (folder / "labels.csv").write_text("\n".join(["id,verdict,human", *rows]) + "\n")
    written = [dict(zip(("id", "verdict", "human"), row.split(","), strict=True)) for row in rows]
    (folder / "words.jsonl").write_text("".join(json.dumps(line) + "\n" for line in written))
    pool(folder / "pool.jsonl", 700, 1000)
    graded = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
    cells = [f"{line['id']},{'PASS' if line['pass'] else 'FAIL'}" for line in graded]
    (folder / "pool.csv").write_text("\n".join(["id,verdict", *cells]) + "\n")


def rates(folder: Path, file: str, by: str, *options: str) -> dict[str, Any]:
    done = run("markscheme", "pass-rate", file, "--calibration", by, "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("options", [(), ("--judge", "verdict", "--human", "human")])
@pytest.mark.parametrize(
    ("file", "by"), [("pool.csv", "labels.csv"), ("pool.jsonl", "labels.csv"), ("pool.csv", "words.jsonl")]
)
def test_labels_in_a_table_correct_a_pass_rate_as_the_same_labels_in_json_lines_do(
    file: str, by: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    write_tables(tmp_path)
    by_lines = rated(tmp_path)
    by_table = rates(tmp_path, file, by, *options)
    assert limits(by_table["corrected"]) == pytest.approx(limits(by_lines["corrected"]))
    assert [by_table[key] for key in ("drawn", "method", "labels")] == [
        by_lines[key] for key in ("drawn", "method", "labels")
    ]


@pytest.mark.parametrize("options", [(), ("--judge", "verdict", "--human", "human")])
def test_lines_of_decisions_with_and_without_responses_give_the_same_corrected_pass_rate(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    write_tables(tmp_path)
    bare = rates(tmp_path, "pool.jsonl", "labels.csv", *options)
    lines = [json.loads(line) for line in (tmp_path / "pool.jsonl").read_text().splitlines()]
    with_responses = [json.dumps({**line, "response": f"Reply {line['id']}."}) + "\n" for line in lines]
    (tmp_path / "pool.jsonl").write_text("".join(with_responses))
    assert rates(tmp_path, "pool.jsonl", "labels.csv", *options) == bare


def test_a_file_with_decisions_and_some_labels_gives_a_corrected_pass_rate_once_the_drawn_option_is_given(
    tmp_path: Path,
) -> None:
    lines = [{"id": f"r{i}", "response": f"Reply {i}.", "pass": i % 4 != 0} for i in range(60)]
    lines[:30] = [{**line, "gold": i % 5 != 0} for i, line in enumerate(lines[:30])]
    (tmp_path / "graded.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    refused = run("markscheme", "pass-rate", "graded.jsonl", cwd=tmp_path)
    command = next(line for line in refused.stderr.splitlines() if line.endswith("--drawn random")).split()
    done = run(*command, "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["labels"], report["raw"]["value"]) == (0, 30, 0.75)
    stated = run(*command, "--judge", "pass", "--human", "gold", "--json", cwd=tmp_path)
    assert json.loads(stated.stdout) == report


def test_a_table_of_verdicts_without_labels_is_refused_with_the_option_that_names_a_table_of_labels(
    tmp_path: Path,
) -> None:
    write_tables(tmp_path)
    done = run("markscheme", "pass-rate", "pool.csv", "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "no-labels")
    assert "markscheme pass-rate pool.csv --calibration TABLE" in error["commands"]


def test_the_pass_rate_command_refuses_a_table_without_the_judge_s_column_that_the_table_of_labels_has(
    tmp_path: Path,
) -> None:
    write_tables(tmp_path)
    (tmp_path / "other.csv").write_text("id,score_of_it\na,pass\nb,fail\n")
    done = run("markscheme", "pass-rate", "other.csv", "--calibration", "labels.csv", "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "option-unused")


def labelled_rows(folder: Path, *columns: str, n: int = 40) -> Path:
    """Write a table of `n` rows, of which each column passes three in four, every second column others."""
    words = [["yes" if (i + shift % 2) % 4 else "no" for shift in range(len(columns))] for i in range(n)]
    rows = [",".join([f"a{i}", f"text {i}", *labels]) for i, labels in enumerate(words)]
    (folder / "labels.csv").write_text("\n".join([",".join(["id", "response", *columns]), *rows]) + "\n")
    return folder


def rate_of_people(folder: Path, *options: str, file: str = "labels.csv", status: int = 0) -> dict[str, Any]:
    done = run("markscheme", "pass-rate", file, "--json", *options, cwd=folder)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_table_with_labels_but_no_judge_gives_the_pass_rate_of_people_with_an_interval(tmp_path: Path) -> None:
    report = rate_of_people(labelled_rows(tmp_path, "human"))
    expected = share([1] * 30 + [0] * 10)
    assert limits(report["corrected"]) == pytest.approx((expected.value, expected.low, expected.high))
    assert (report["raw"]["value"], report["raw"]["undefined"]) == (None, "no judge graded these responses")
    assert (report["reference"], report["labels"], report["assumed"]) == (
        "one-person",
        40,
        "every response is labelled",
    )
    screen = run("markscheme", "pass-rate", "labels.csv", cwd=tmp_path).stdout
    assert "People pass 75% (95% CI 59–87)." in screen
    assert "no judge graded here, so nothing is corrected" in screen


def test_responses_on_which_two_annotators_split_evenly_count_in_no_pass_rate_of_people(tmp_path: Path) -> None:
    labelled_rows(tmp_path, "human_1", "human_2")
    report = rate_of_people(tmp_path)
    assert (report["labels"], report["reference"], report["corrected"]["value"]) == (20, "people", 1.0)
    assert (
        "20 responses on which annotators split evenly"
        in run("markscheme", "pass-rate", "labels.csv", cwd=tmp_path).stdout
    )


def test_the_pass_rate_of_people_covers_only_labelled_rows_and_unlabelled_rows_are_counted(tmp_path: Path) -> None:
    table = (labelled_rows(tmp_path, "human") / "labels.csv").read_text()
    (tmp_path / "labels.csv").write_text(table + "b0,text,\nb1,text,\n")
    report = rate_of_people(tmp_path)
    assert (report["corrected"]["n"], report["assumed"]) == (40, "the rate is of the labelled responses")
    assert "2 responses not labelled, in no rate" in run("markscheme", "pass-rate", "labels.csv", cwd=tmp_path).stdout
    assert rate_of_people(tmp_path, "--drawn", "random")["drawn"] == "random"


def ratings_by_people(folder: Path, **levels: Sequence[object]) -> Path:
    """Write ratings.jsonl: 40 ratings by one person, 30 of which are MET, or with levels that repeat in turn."""
    answers = levels or {"polite": ["MET", "MET", "MET", "UNMET"]}
    criteria = [{name: cells[i % len(cells)] for name, cells in answers.items()} for i in range(40)]
    lines = [{"id": f"a{i}", "rater": "ann", "kind": "human", "criteria": rated} for i, rated in enumerate(criteria)]
    (folder / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.mark.parametrize("how", ["by-verdict", "by-stratum", "elsewhere"])
@pytest.mark.parametrize("least", [(), ("--at-least", ".5")])
@pytest.mark.parametrize("file", ["labels.csv", "ratings.jsonl"])
def test_without_verdicts_by_a_judge_the_pass_rate_command_refuses_every_value_of_the_drawn_option_but_random(
    file: str, least: tuple[str, ...], how: str, tmp_path: Path
) -> None:
    ratings_by_people(labelled_rows(tmp_path, "human"))
    refused = run("markscheme", "pass-rate", file, "--drawn", how, *least, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    sentence = f"--drawn {how} says how a judge's rate is corrected, and no judge graded these responses; leave it out"
    assert sentence in refused.stderr


@pytest.mark.parametrize("file", ["labels.csv", "ratings.jsonl"])
def test_the_interval_of_people_s_pass_rate_decides_if_the_rate_is_above_or_below_the_required_least_rate(
    file: str, tmp_path: Path
) -> None:
    ratings_by_people(labelled_rows(tmp_path, "human"))
    assert rate_of_people(tmp_path, "--at-least", ".5", file=file)["answer"] == "above"
    assert rate_of_people(tmp_path, "--at-least", ".9", file=file, status=1)["answer"] == "below"
    assert rate_of_people(tmp_path, "--at-least", ".8", file=file, status=4)["answer"] == "open"


@pytest.mark.parametrize(
    "levels", [{"polite": [1, 2, 3, 4, 5]}, {"polite": ["MET", "UNMET"], "short": ["MET", "MET", "UNMET"]}]
)
@pytest.mark.parametrize("options", [(), ("--drawn", "random"), ("--at-least", ".5")])
def test_levels_by_people_or_labels_on_several_criteria_give_a_pass_rate_only_if_a_rubric_is_named(
    options: tuple[str, ...], levels: dict[str, Sequence[object]], tmp_path: Path
) -> None:
    ratings_by_people(tmp_path, **levels)
    refused = run("markscheme", "pass-rate", "ratings.jsonl", *options, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "which labels pass is a rubric's to say: --rubric NAME names it" in refused.stderr
    (tmp_path / "rubrics").mkdir()
    criteria = [{"name": name, "requirement": f"It is {name}."} for name in levels]
    scale = {} if len(levels) > 1 else {"scale": {"min": 1, "max": 5}}
    (tmp_path / "rubrics/tone.yaml").write_text(json.dumps({"criteria": [criterion | scale for criterion in criteria]}))
    report = rate_of_people(tmp_path, "--rubric", "tone", file="ratings.jsonl")
    assert (report["labels"], report["corrected"]["n"]) == (40, 40)


def test_labels_on_a_scale_give_a_pass_rate_only_once_an_option_says_which_levels_pass(tmp_path: Path) -> None:
    rows = [f"a{i},text {i},{i % 5 + 1}" for i in range(40)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,response,human_score", *rows]) + "\n")
    error = rate_of_people(tmp_path, status=2)["error"]
    assert (error["code"], error["commands"][0]) == ("pass-value", "markscheme pass-rate labels.csv --pass-mark MARK")
    assert rate_of_people(tmp_path, "--pass-mark", "4")["corrected"]["value"] == 0.4


def test_labels_drawn_by_a_judge_s_verdict_give_no_pass_rate_if_the_verdicts_are_missing(tmp_path: Path) -> None:
    rows = [f"a{i},{'yes' if i % 3 else 'no'},by-verdict" for i in range(40)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,human,drawn", *rows]) + "\n")
    report = rate_of_people(tmp_path, status=4)
    assert report["corrected"]["value"] is None
    assert "weren't drawn at random" in report["corrected"]["undefined"]


def test_people_s_pass_rate_is_given_for_each_system_of_a_table(tmp_path: Path) -> None:
    rows = [f"a{i},{'yes' if i % 4 else 'no'},{'old' if i % 2 else 'new'}" for i in range(40)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,human,system", *rows]) + "\n")
    groups = rate_of_people(tmp_path)["groups"]
    assert {name: (group["corrected"]["value"], group["own_labels"]) for name, group in groups.items()} == {
        "new": (0.5, 20),
        "old": (1.0, 20),
    }


@pytest.mark.parametrize("judges", [True, False])
def test_a_table_that_rates_several_criteria_has_no_single_pass_rate(judges: bool, tmp_path: Path) -> None:
    people = ("human_tone", "human_clear")
    labelled_rows(tmp_path, *people, *(("judge_tone", "judge_clear") if judges else ()))
    error = rate_of_people(tmp_path, status=2)["error"]
    assert error["code"] == "rater-or-criterion"
    named = [
        sorted(word for word in command.split() if word.endswith(("_tone", "_clear"))) for command in error["commands"]
    ]
    by_criterion = [["human_tone", "judge_tone"], ["human_clear", "judge_clear"]]
    assert named == (by_criterion if judges else [["human_clear", "human_tone"]])


def test_criteria_in_one_column_of_a_table_have_no_single_pass_rate_without_a_rubric(tmp_path: Path) -> None:
    rows = [f"a{i // 2},{'tone' if i % 2 else 'clear'},{i % 3 and 1},{i % 5 and 1}" for i in range(40)]
    (tmp_path / "labels.csv").write_text("\n".join(["example_id,metric,judge,human", *rows]) + "\n")
    assert rate_of_people(tmp_path, status=2)["error"]["code"] == "needs-rubric"


def test_people_s_labels_in_json_lines_give_a_pass_rate_if_the_rubric_option_names_a_rubric(tmp_path: Path) -> None:
    (tmp_path / "tone.yaml").write_text("criteria: [{name: tone, description: Is kind., scale: {min: 1, max: 5}}]")
    lines = [
        {
            "id": f"a{i}",
            "response": "text",
            "labels": [{"rater": "ann", "kind": "human", "criteria": {"tone": i % 5 + 1}}],
        }
        for i in range(40)
    ]
    (tmp_path / "examples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = rate_of_people(tmp_path, "--rubric", "tone.yaml", file="examples.jsonl")
    assert (report["corrected"]["value"], report["labels"]) == (0.6, 40)
    refused = run("markscheme", "pass-rate", "examples.jsonl", cwd=tmp_path)
    assert (refused.returncode, "--rubric NAME" in refused.stderr) == (2, True)
