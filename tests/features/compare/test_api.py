"""Judges compared by one call from Python."""

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from markscheme import calibrate, compare
from markscheme.errors import UsageError
from tests.calibration.test_api import RUBRIC, judge, rows, verdicts
from tests.commands.console import run
from tests.commands.judged_project import make_project


@pytest.fixture
def elsewhere(tmp_path: Path) -> Any:
    """A folder with nothing in it as the working directory."""
    with chdir(tmp_path):
        yield tmp_path


@pytest.mark.usefixtures("elsewhere")
def test_two_calibrations_can_be_compared_by_one_criterion_and_an_unknown_criterion_is_refused() -> None:
    first = calibrate(RUBRIC, rows(), ratings=verdicts())
    second = calibrate(RUBRIC, rows(), ratings=verdicts(wrong=2))
    assert compare(first, second, of="polite").choice.measure.of == RUBRIC.criterion("polite")
    with pytest.raises(UsageError, match="`of` must be one of score, decision, polite, got 'polit'"):
        compare(first, second, of="polit")


@pytest.mark.proof
def test_compare_gives_the_same_result_whether_it_is_given_files_of_ratings_or_lists_or_calibrations(
    elsewhere: Path,
) -> None:
    project = make_project(elsewhere)
    files = [project / "gpt.jsonl", project / "claude.jsonl"]
    by_files = compare(*files, rubric="manners")
    lists = [list(map(json.loads, file.read_text().splitlines())) for file in files]
    in_memory = compare(*lists, rubric="manners")
    by_calibrations = compare(*(calibrate("manners", ratings=file) for file in files))
    assert by_files.best == in_memory.best == by_calibrations.best == "claude"
    assert by_files.to_json() == in_memory.to_json() == by_calibrations.to_json()
    done = run("markscheme", "compare", *map(str, files), "--rubric", "manners", "--json", cwd=elsewhere)
    assert by_files.to_json() == json.loads(done.stdout)


@pytest.mark.proof
def test_compare_in_python_compares_judges_by_score_or_by_decision_or_by_a_named_criterion(
    elsewhere: Path,
) -> None:
    project = make_project(elsewhere)
    files = [project / "gpt.jsonl", project / "claude.jsonl"]
    compared = [compare(*files, rubric="manners", of=of) for of in ("score", "decision", "polite")]
    shares = [comparison.choice.standings[0].agreement for comparison in compared]
    assert len({share.value for share in shares if share is not None}) > 1
    with pytest.raises(UsageError, match="`of` must be one of score, decision, polite, short"):
        compare(*files, rubric="manners", of="colour")


@pytest.mark.usefixtures("elsewhere")
def test_compare_can_compare_a_judge_that_is_asked_now_with_a_judge_whose_ratings_are_in_a_file() -> None:
    compared = compare(judge(), verdicts(wrong=9), rubric=RUBRIC, examples=rows())
    assert [contender.name for contender in compared.contenders] == ["kind", "side 2"]
    assert compared.best == "kind"


@pytest.mark.usefixtures("elsewhere")
def test_without_labels_only_differences_between_the_judges_are_shown() -> None:
    compared = compare(verdicts(), verdicts(wrong=2))
    assert compared.best is None
    assert [flip.id for flip in compared.choice.pairs[0].flips] == ["e0", "e1"]
    assert "without labels" in compared.because


@pytest.mark.usefixtures("elsewhere")
def test_a_comparison_with_only_one_judge_s_verdicts_is_refused() -> None:
    with pytest.raises(UsageError, match="two sides"):
        compare(verdicts())


@pytest.mark.usefixtures("elsewhere")
def test_compare_in_python_chooses_the_same_judge_of_a_table_as_the_compare_command(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "judge_a": ["pass", "fail"] * 20,
            "judge_b": ["pass", "fail", "pass", "pass"] * 10,
            "human": ["pass", "fail"] * 20,
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = run("markscheme", "compare", "t.csv", "--json", cwd=tmp_path)
    best = json.loads(done.stdout)["best"]
    assert best == "judge_a"
    assert compare(frame).best == compare(frame.to_dict("records")).best == compare(tmp_path / "t.csv").best == best
    with pytest.raises(UsageError, match=r"'judge_a' is one judge, .* each named by `judge`;") as error:
        compare(frame[["judge_a", "human"]])
    assert "calibrate(TABLE)" in str(error.value)


@pytest.mark.usefixtures("elsewhere")
def test_the_python_call_suggested_for_a_table_with_unknown_judges_compares_the_judges_of_the_table() -> None:
    frame = pd.DataFrame({
        "claude": ["pass", "fail"] * 20, "gpt4": ["pass", "fail", "pass", "pass"] * 10, "human": ["pass", "fail"] * 20,
    })  # fmt: skip
    suggestions: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "judge=['claude', 'gpt4']"),
        ({"human": "human"}, "human='human', judge=['claude', 'gpt4']"),
    )
    for stated, suggested in suggestions:
        with pytest.raises(UsageError) as error:
            compare(frame, **stated)
        assert error.value.commands == (f"compare(TABLE, {suggested})",)
    assert compare(frame, judge=["claude", "gpt4"]).best == "claude"


@pytest.mark.usefixtures("elsewhere")
def test_an_error_about_a_table_in_memory_suggests_a_python_call() -> None:
    rows = [{"verdict": "yes" if row % 2 else "no"} for row in range(20)]
    with pytest.raises(UsageError) as error:
        compare(rows)
    assert error.value.commands == ("compare(TABLE, human='COLUMN')",)


@pytest.mark.parametrize("side", [None, 3, RUBRIC])
def test_compare_refuses_an_argument_that_is_neither_ratings_nor_a_judge_and_says_what_it_takes(side: Any) -> None:
    with pytest.raises(UsageError, match=r"`compare` takes files of ratings, .*, judges and their names, got"):
        compare(side, "anthropic", rubric="code-quality")
