"""The errors of `calibrate` on faulty arguments and files, before any judge is asked."""

import json
from pathlib import Path

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run

CHECKS = """
from markscheme.scorers import scorer

@scorer
def says_tone(prediction, _expected):
    return 1.0 if "tone=" in prediction else 0.0
"""
CHECKED = setting.RUBRIC + "  - {name: named, requirement: Says its tone, weight: 1, check: says_tone}\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric, labelled examples and a judge."""
    return setting.make_setting(tmp_path / "here")


def error_of(here: Path, *arguments: str) -> str:
    """Run a faulty command, check that no judge was asked, and return its error message."""
    done = run("calibrate", *arguments, cwd=here, env=setting.environment(here))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert setting.calls(here) == 0
    return done.stderr


def add_check(here: Path) -> None:
    """Give the rubric a check by code, and its examples labels of it."""
    (here / "rubrics" / "clear.yaml").write_text(CHECKED, encoding="utf-8")
    (here / "checks.py").write_text(CHECKS, encoding="utf-8")
    assert "there is no check 'says_tone'" in error_of(here, "clear", "--judge", setting.JUDGE)
    assert "no_such: cannot be imported" in error_of(here, "clear", "--judge", setting.JUDGE, "-o", "scorers=no_such")


def test_checks_from_a_module_of_the_user_are_calibrated_together_with_the_judge_s_criteria(here: Path) -> None:
    (here / "rubrics" / "clear.yaml").write_text(CHECKED, encoding="utf-8")
    (here / "checks.py").write_text(CHECKS, encoding="utf-8")
    examples = here / "calibration" / "clear" / "examples.jsonl"
    text = examples.read_text(encoding="utf-8").replace('"criteria": {', '"criteria": {"named": "MET", ')
    examples.write_text(text, encoding="utf-8")


def split_examples(here: Path) -> Path:
    """Put every other example into the test split, and return the file of examples."""
    examples = here / "calibration" / "clear" / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text(encoding="utf-8").splitlines()]
    lines = [{**line, "split": "test" if place % 2 else "dev"} for place, line in enumerate(lines)]
    examples.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return examples


def write_report(here: Path) -> None:
    """Write a calibration's report.json, and remove the record that the judge was asked."""
    command = ("clear", "--judge", setting.JUDGE, "--quiet", "--json", "report.json")
    done = run("calibrate", *command, cwd=here, env=setting.environment(here))
    assert done.returncode == 0, done.stderr
    (here / "calls.txt").unlink()


@pytest.mark.parametrize("option", ["--json", "--markdown", "--html", "--junit"])
def test_a_report_file_that_cannot_be_written_is_refused_with_the_reason(here: Path, option: str) -> None:
    stderr = error_of(here, "clear", "--judge", setting.JUDGE, option, "nowhere/x.out")
    assert stderr == "error: nowhere/x.out cannot be written: there is no folder nowhere; make it first\n"
    stderr = error_of(here, "clear", "--judge", setting.JUDGE, option, "rubrics")
    assert stderr == "error: rubrics cannot be written: it is a folder; name a file in it\n"


@pytest.mark.parametrize("option", ["--json", "--markdown", "--html", "--junit"])
@pytest.mark.parametrize("name", ["rubrics/clear.yaml", "labels.csv", "judge.jsonl"])
def test_calibrate_refuses_to_write_a_report_over_a_file_that_it_reads(here: Path, option: str, name: str) -> None:
    (here / "labels.csv").write_text("id,response,clear\na,It is.,1\n")
    (here / "judge.jsonl").write_text('{"id": "a", "criteria": {"clear": 1}}\n')
    content = (here / name).read_bytes()
    stderr = error_of(here, "clear", "--examples", "labels.csv", "--ratings", "judge.jsonl", option, name)
    assert stderr == f"error: {name} cannot be written: it is read, and would be lost; name another file\n"
    table = error_of(here, "labels.csv", option, "labels.csv")
    assert "labels.csv cannot be written: it is read, and would be lost" in table
    assert (here / name).read_bytes() == content


def test_a_report_given_in_place_of_a_rubric_is_recognized_as_a_report(here: Path) -> None:
    write_report(here)
    stderr = error_of(here, "report.json")
    assert stderr == (
        "error: report.json is a report that `calibrate --json` wrote, not a rubric; to calibrate again: "
        "markscheme calibrate clear; to compare it with another: markscheme compare report.json OTHER.json\n"
    )
    (here / "several.json").write_text(json.dumps({"schema": 1, "judges": [], "comparison": {}}), encoding="utf-8")
    assert "several.json is a report on several judges" in error_of(here, "several.json")


def test_an_error_about_examples_or_ratings_given_in_place_of_a_rubric_names_the_right_option_for_the_file(
    here: Path,
) -> None:
    lines = (here / "calibration/clear/examples.jsonl").read_text(encoding="utf-8").splitlines()
    examples = list(map(json.loads, lines))
    by_one = [{**example, "labels": example["labels"][:1]} for example in examples]
    rated = [
        {"id": example["id"], "rater": "j", "kind": "model", "criteria": example["labels"][0]["criteria"]}
        for example in examples
    ]
    for file, contents, option in (("by-one.jsonl", by_one, "examples"), ("rated.jsonl", rated, "ratings")):
        (here / file).write_text("".join(json.dumps(line) + "\n" for line in contents), encoding="utf-8")
        assert error_of(here, file) == (
            f"error: {file} contains lines of JSON, not a rubric; examples go with --examples, ratings with "
            f"--ratings: markscheme calibrate RUBRIC --{option} {file}\n"
        )


def test_calibrate_on_a_file_of_examples_alone_compares_its_annotators_and_asks_no_judge(
    here: Path,
) -> None:
    file = "calibration/clear/examples.jsonl"
    done = run("calibrate", file, "--json", "-", "--quiet", cwd=here, env=setting.environment(here))
    assert done.returncode == 0, done.stderr
    criteria = json.loads(done.stdout)["criteria"]
    assert {name: figures["annotators"] for name, figures in criteria.items()} == {
        "tone": ["r0", "r1"],
        "facts": ["r0", "r1"],
    }
    assert setting.calls(here) == 0


def test_ratings_from_a_missing_file_or_from_a_report_are_refused_with_the_reason(here: Path) -> None:
    assert "there is no file of ratings none.jsonl" in error_of(here, "clear", "--ratings", "none.jsonl")
    write_report(here)
    assert "`compare` reads reports" in error_of(here, "clear", "--ratings", "report.json")


def test_a_split_that_no_example_belongs_to_is_reported(here: Path) -> None:
    stderr = error_of(here, "clear", "--judge", setting.JUDGE, "--split", "test")
    assert 'calibration/clear/examples.jsonl: no example has "split": "test"' in stderr.replace(f"{here}/", "")
    assert "leave --split out" in stderr


def test_the_scorers_option_of_calibrate_lets_code_grade_one_criterion_next_to_the_judge(
    here: Path,
) -> None:
    add_check(here)
    by = ("--judge", setting.JUDGE, "-o", "scorers=checks")
    done = run("calibrate", "clear", *by, "--quiet", "--json", "-", cwd=here, env=setting.environment(here))
    report = json.loads(done.stdout)
    assert report["rated"]["judge"]["criteria"]["named"] == [1.0] * setting.N
    assert report["counts"]["graded"] == setting.N


def test_calibrating_on_the_held_out_split_is_not_counted_as_a_test_of_a_change_of_the_rubric(here: Path) -> None:
    examples = split_examples(here)
    ask = ("calibrate", "clear", "--judge", setting.JUDGE)
    untouched = run(*ask, cwd=here, env=setting.environment(here)).stdout
    assert "30 test examples are held out; no change of the rubric was tested on them yet." in untouched
    opened = run(*ask, "--split", "test", "--json", "report.json", cwd=here, env=setting.environment(here))
    assert "30 of 60 examples (test)" in opened.stdout
    assert "30 test examples are held out; no change of the rubric was tested on them yet." in opened.stdout
    assert not (examples.parent / "opened.jsonl").exists()
    assert json.loads((here / "report.json").read_text(encoding="utf-8"))["test_labels"]["opened"] == 0


def test_ratings_of_ids_that_no_example_has_are_reported(here: Path) -> None:
    rated = [json.loads(line) for line in (here / "calibration/clear/examples.jsonl").read_text().splitlines()]
    names = [example["id"] for example in rated] + ["typo"]
    lines = [{"id": name, "rater": "j", "kind": "model", "overall": 0.5} for name in names]
    (here / "j.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("calibrate", "clear", "--ratings", "j.jsonl", cwd=here, env=setting.environment(here))
    assert "warning: j.jsonl: 1 rating belongs to no labelled example and is ignored: typo\n" in done.stderr


def test_if_nothing_was_graded_the_error_does_not_claim_that_labels_are_missing(here: Path) -> None:
    (here / "judging.py").write_text("def judge(system_prompt, user_prompt): raise RuntimeError('out of order')\n")
    done = run("calibrate", "clear", "--judge", setting.JUDGE, cwd=here, env=setting.environment(here))
    assert done.returncode == 5
    assert done.stderr.splitlines()[-1].startswith("error: nothing was graded: all 60 examples failed; ")
    assert "RuntimeError: out of order" in done.stderr
    assert "not-enough-labels" not in done.stdout


@pytest.mark.parametrize(
    ("mapped", "reason"),
    [
        ("hint=reason", "`--map hint=reason`: no row has this column; there are id, tone, note"),
        ("ton=tone", "`--map ton=tone`: no row has this column; did you mean `tone`?"),
    ],
)
def test_the_map_option_refuses_an_unknown_column_and_names_the_most_similar_column_or_all_columns(
    here: Path, mapped: str, reason: str
) -> None:
    (here / "judged.csv").write_text("id,tone,note\n1,2,calm\n2,1,curt\n", encoding="utf-8")
    options = ("--ratings", "judged.csv", "--kind", "model", "--map", mapped)
    assert f"judged.csv: {reason}" in error_of(here, "clear", *options)


def test_the_map_option_may_name_a_column_that_is_empty_and_that_only_one_of_several_tables_has(
    here: Path,
) -> None:
    (here / "first.csv").write_text("id,tone,note\ne0,2,\ne1,1,\n", encoding="utf-8")
    (here / "second.csv").write_text("id,tone\ne0,2\ne1,1\n", encoding="utf-8")
    files = ("--ratings", "first.csv", "second.csv", "--kind", "model")
    done = run("calibrate", "clear", *files, "--map", "note=reason", cwd=here, env=setting.environment(here))
    assert "no row has this column" not in done.stderr
    assert "`--map nots=reason`" in error_of(here, "clear", *files, "--map", "nots=reason")


def test_calibrate_exits_5_and_says_that_nothing_was_graded_if_no_reply_of_the_judge_can_be_read(
    here: Path,
) -> None:
    (here / "judging.py").write_text("def judge(system_prompt, user_prompt): return 'Nice weather today.'\n")
    done = run("calibrate", "clear", "--judge", setting.JUDGE, cwd=here, env=setting.environment(here))
    assert done.returncode == 5
    assert done.stderr.splitlines()[-1].startswith("error: nothing was graded: all 60 examples failed; ")
