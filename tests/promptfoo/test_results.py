"""Promptfoo's results, made by the real Promptfoo: verdicts of graders and ratings of people, told apart."""

import copy
import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from markscheme.errors import RatingError, RatingWarning
from markscheme.promptfoo.results import Manual, Results, Row, read_results
from markscheme.readers.rated import open_rated
from tests.promptfoo.rated_run import WORDS, numbered, rate, rows_of, take_back, written

RESULTS_FILE = read_results.__code__.co_filename


@pytest.fixture
def results(rated_results: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(rated_results)


@pytest.fixture
def read(results: dict[str, Any], tmp_path: Path) -> Results:
    return read_results(written(results, tmp_path / "results.json"))


def row_of(results: dict[str, Any], word: str, folder: Path) -> Row:
    """Write results to a file, read them, and return the first row of a word."""
    read = read_results(written(results, folder / "results.json"))
    return next(row for row in read.rows if row.inputs["word"] == word)


def test_in_promptfoo_s_sample_results_the_two_rows_of_one_output_differ_only_in_their_row_numbers(
    results: dict[str, Any],
) -> None:
    """Other tests rely on this to make as many rows as they need."""
    for word in WORDS:
        first, second = (_without_chance(row) for row in rows_of(results, word))
        assert _without_chance(numbered(first, 1)) == second


def _without_chance(row: dict[str, Any]) -> dict[str, Any]:
    """A row without id, duration, the reason of the whole, which is that of the grader that failed first, and stacks of
    Node, which depend on what ended first as well."""
    fields = {key: value for key, value in row.items() if key not in ("id", "latencyMs", "error")} | {"id": ""}
    grading = fields.get("gradingResult")
    if not grading:
        return fields
    parts = [{**part, "reason": part["reason"].partition("\n")[0]} for part in grading["componentResults"]]
    return fields | {"gradingResult": {**grading, "reason": "", "componentResults": parts}}


def test_each_graded_metric_in_promptfoo_s_results_is_read_as_a_judge_with_its_verdict(read: Results) -> None:
    assert list(read.metrics) == ["python", "readability", "correctness", "polite", "short"]
    hello = read.rows[0]
    by_name = {verdict.metric: verdict.passed for verdict in hello.verdicts if verdict.is_graded}
    assert by_name == {"python": True, "readability": False, "correctness": True, "polite": True, "short": True}


def test_assertions_that_check_facts_by_code_such_as_contains_are_counted_and_not_read_as_judges(read: Results) -> None:
    assert read.aside["assertions of type contains, which state a fact and no judgement"] == 10


def test_the_components_of_an_assertion_are_read_once_although_promptfoo_s_results_list_them_twice(
    read: Results,
) -> None:
    parts = [verdict.metric for verdict in read.rows[0].verdicts if verdict.is_part]
    assert parts == ["readability", "correctness"]


def test_without_a_manual_rating_the_verdict_on_an_output_is_promptfoo_s_own_verdict(
    read: Results, results: dict[str, Any]
) -> None:
    for row in read.rows:
        raw = next(r for r in rows_of(results, row.inputs["word"]) if r["testIdx"] == row.test)
        if row.ungraded is None:
            assert (row.passed, row.score) == (raw["success"], raw["score"])


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("ungraded", "python: nobody to ask"),
        ("broken", "polite: Error running Python script: ValueError: the grader broke"),
        ("error", "no answer today"),
    ],
)
def test_an_output_that_could_not_be_graded_is_read_as_ungraded_rather_than_failed(
    read: Results, word: str, why: str
) -> None:
    rows = [row for row in read.rows if row.inputs["word"] == word]
    assert [(row.passed, row.score) for row in rows] == [(None, None)] * 2
    assert all(row.ungraded is not None and why in row.ungraded for row in rows)


def test_a_verdict_with_a_grader_s_error_is_read_as_ungraded(read: Results) -> None:
    row = next(row for row in read.rows if row.inputs["word"] == "ungraded")
    short = next(verdict for verdict in row.verdicts if verdict.metric == "short")
    assert (short.passed, short.score, short.ungraded) == (None, None, "API error: 500")


def test_expected_labels_and_splits_in_the_metadata_of_tests_are_read(read: Results) -> None:
    by_name = {row.inputs["word"]: (row.expected, row.split) for row in read.rows}
    assert by_name["hello"] == (True, "dev")
    assert by_name["world"] == (False, "test")
    assert by_name["broken"] == (None, None)


def test_unknown_expected_labels_and_unknown_splits_in_promptfoo_s_results_are_left_out_and_counted(
    read: Results,
) -> None:
    assert read.aside["metadata.expected_label 'maybe', which is neither pass nor fail"] == 2
    assert read.aside["metadata.split 'train', which isn't one of golden, dev, holdout, test"] == 2


@pytest.mark.parametrize("word", ["hello", "world", "plain"])
@pytest.mark.parametrize("passes", [True, False])
def test_a_thumb_in_promptfoo_s_viewer_is_read_as_a_label_and_leaves_the_graders_verdict_as_it_was(
    results: dict[str, Any], tmp_path: Path, word: str, passes: bool
) -> None:
    before = copy.deepcopy(rows_of(results, word)[0])
    rate(rows_of(results, word)[0], passes=passes, comment="!highlight I see")
    row = row_of(results, word, tmp_path)
    assert row.manual == Manual(passes, None, "I see")
    assert row.passed is before["success"]
    assert row.score == pytest.approx(before["score"])
    assert rows_of(results, word)[0]["success"] is passes


def test_a_thumb_and_a_score_typed_after_it_are_both_read_from_promptfoo_s_results(
    results: dict[str, Any], tmp_path: Path
) -> None:
    before = rows_of(results, "hello")[0]["score"]
    rate(rows_of(results, "hello")[0], passes=True)
    rate(rows_of(results, "hello")[0], score=0.4)
    row = row_of(results, "hello", tmp_path)
    assert row.manual == Manual(True, 0.4)
    assert row.score == pytest.approx(before)


def test_a_score_typed_in_the_viewer_without_a_thumb_is_read_as_a_label(
    results: dict[str, Any], tmp_path: Path
) -> None:
    before = rows_of(results, "world")[0]["score"]
    rate(rows_of(results, "world")[0], score=0.9)
    components = rows_of(results, "world")[0]["gradingResult"]["componentResults"]
    assert all(component["assertion"]["type"] != "human" for component in components)
    row = row_of(results, "world", tmp_path)
    assert row.manual == Manual(None, 0.9)
    assert row.passed is False
    assert row.score == pytest.approx(before)


def test_a_thumb_on_an_ungraded_output_does_not_make_the_output_graded(results: dict[str, Any], tmp_path: Path) -> None:
    rate(rows_of(results, "error")[0], passes=False)
    row = row_of(results, "error", tmp_path)
    assert row.manual == Manual(False, None)
    assert row.passed is None
    assert row.ungraded is not None


def test_once_a_manual_rating_is_removed_the_verdict_of_the_graders_counts_again(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "hello")[0]
    before = raw["success"], raw["score"]
    rate(raw, passes=True)
    take_back(raw)
    assert (raw["success"], raw["score"]) != before
    row = row_of(results, "hello", tmp_path)
    assert row.manual is None
    assert row.passed is before[0]
    assert row.score == pytest.approx(before[1])


def test_the_verdict_that_newer_versions_of_promptfoo_keep_next_to_a_manual_rating_is_used(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "hello")[0]
    rate(raw, passes=False)
    raw["gradingResult"]["metadata"] = {"manualRating": {"original": {"pass": True, "score": 0.123}}}
    row = row_of(results, "hello", tmp_path)
    assert (row.passed, row.score) == (True, 0.123)


def test_a_verdict_by_a_scoring_function_is_unknown_once_a_manual_rating_has_overwritten_it(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "hello")[0]
    raw["testCase"]["assertScoringFunction"] = "file://scoring.js"
    rate(raw, passes=True)
    row = row_of(results, "hello", tmp_path)
    assert row.passed is None
    assert row.ungraded is not None
    assert "scoring function" in row.ungraded


def test_promptfoo_s_own_verdict_under_a_manual_rating_is_recomputed_by_the_test_s_threshold(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "world")[0]
    raw["testCase"]["threshold"] = 0.1
    rate(raw, passes=False)
    row = row_of(results, "world", tmp_path)
    assert (row.passed, row.manual) == (True, Manual(False, None))


def test_an_assertion_with_weight_0_is_read_as_passed_or_failed_by_its_score(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "hello")[0]
    polite = next(
        c for c in raw["gradingResult"]["componentResults"] if c.get("assertion", {}).get("metric") == "polite"
    )
    polite["assertion"]["weight"], polite["score"], polite["pass"] = 0, 0.2, True
    row = row_of(results, "hello", tmp_path)
    assert next(verdict.passed for verdict in row.verdicts if verdict.metric == "polite") is False


def test_an_empty_reason_for_a_verdict_does_not_turn_a_fail_into_a_pass(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "world")[0]
    for component in raw["gradingResult"]["componentResults"]:
        component["reason"] = ""
    rate(raw, passes=True)
    assert row_of(results, "world", tmp_path).passed is False


def test_each_assertion_in_promptfoo_s_assert_set_is_read_as_a_judge(results: dict[str, Any], tmp_path: Path) -> None:
    raw = rows_of(results, "plain")[0]
    member = {"pass": False, "score": 0.0, "reason": "no", "assertion": {"type": "llm-rubric", "metric": "inner"}}
    whole = {"pass": False, "score": 0.0, "reason": "no", "componentResults": [member],
             "metadata": {"assertionSet": {"type": "assert-set", "weight": 3}}}  # fmt: skip
    raw["gradingResult"]["componentResults"] += [whole, member]
    rate(raw, passes=True)
    row = row_of(results, "plain", tmp_path)
    assert [(v.metric, v.is_part) for v in row.verdicts if v.kind == "llm-rubric"] == [
        ("short", False),
        ("inner", False),
    ]
    assert row.passed is False
    assert row.score == pytest.approx((0.75 + 2 * 0.5 + 1 + 1 + 3 * 0) / 8)


def test_an_unnamed_assertion_inside_an_assert_set_is_read_once_from_results_of_promptfoo_0_118(
    results: dict[str, Any], tmp_path: Path
) -> None:
    raw = rows_of(results, "plain")[0]
    member = {"pass": False, "score": 0.0, "reason": "no", "assertion": {"type": "llm-rubric", "value": "Is calm"}}
    whole = {"pass": False, "score": 0.0, "reason": "no", "assertion": None, "componentResults": [member]}
    raw["gradingResult"]["componentResults"] += [whole, member]
    verdicts = [verdict for verdict in row_of(results, "plain", tmp_path).verdicts if verdict.text == "Is calm"]
    assert [(verdict.passed, verdict.is_part) for verdict in verdicts] == [(False, False)]


def test_two_assertions_of_one_type_without_a_metric_are_distinguished(results: dict[str, Any], tmp_path: Path) -> None:
    for raw in results["results"]["results"]:
        for component in (raw["gradingResult"] or {}).get("componentResults", []):
            if component.get("assertion", {}).get("metric") == "polite":
                del component["assertion"]["metric"]
    assert list(read_results(written(results, tmp_path / "r.json")).metrics)[:4] == [
        "python", "readability", "correctness", "python: file://polite.py",
    ]  # fmt: skip


# --- ids and files --------------------------------------------------------------------------------------------------


def test_ids_of_rows_in_promptfoo_s_results_are_unique_and_in_the_order_of_the_tests(read: Results) -> None:
    ids = [row.id for row in read.rows]
    assert ids == [f"Row #{n}" for n in range(1, 13)]


def test_in_promptfoo_s_results_a_test_without_a_name_is_named_by_its_index(
    results: dict[str, Any], tmp_path: Path
) -> None:
    for row in results["results"]["results"]:
        del row["testCase"]["description"]
    assert read_results(written(results, tmp_path / "results.json")).rows[3].id == "test-3"


def test_the_name_that_a_test_s_author_gave_becomes_the_row_s_id(results: dict[str, Any], tmp_path: Path) -> None:
    results["results"]["results"][0]["testCase"]["metadata"]["id"] = "mine"
    read = read_results(written(results, tmp_path / "results.json"))
    assert "mine" in {row.id for row in read.rows}


def test_rows_of_one_test_with_two_prompts_share_a_task(results: dict[str, Any], tmp_path: Path) -> None:
    again = copy.deepcopy(rows_of(results, "hello")[0])
    again["promptIdx"], again["prompt"]["label"], again["response"]["output"] = 1, "other", "another answer"
    results["results"]["results"].append(again)
    read = read_results(written(results, tmp_path / "results.json"))
    rows = [row for row in read.rows if row.test == 0]
    assert len({row.id for row in rows}) == 2
    assert len({row.task for row in rows}) == 1
    assert rows[0].task != ""


def test_an_output_that_is_graded_again_becomes_a_second_sample(results: dict[str, Any], tmp_path: Path) -> None:
    again = copy.deepcopy(rows_of(results, "hello")[0])
    again["testIdx"] = 99
    results["results"]["results"].append(again)
    read = read_results(written(results, tmp_path / "results.json"))
    rows = [row for row in read.rows if row.inputs == again["vars"]]
    assert [(row.id, row.sample) for row in rows] == [("Row #1", 0), ("Row #1", 1)]


def test_identical_outputs_in_two_files_have_the_same_id(results: dict[str, Any], tmp_path: Path) -> None:
    path = written(results, tmp_path / "one.json")
    for row in results["results"]["results"]:
        row["testIdx"] += 5
    rows_of(results, "plain")[0]["response"]["output"] = "something else"
    with pytest.warns(RatingWarning, match=r"metadata\."):
        rated = open_rated([path, written(results, tmp_path / "two.json")])
    first, second = ({example.id for example in file.examples} for file in rated.files)
    assert len(first & second) == 11
    assert len([unit for unit in second - first if unit.endswith("(two)")]) == 1
    assert max(rating.sample for rating in rated.ratings if rating.kind == "model") == 1


def test_rows_of_promptfoo_s_results_are_also_read_from_a_jsonl_file(results: dict[str, Any], tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in results["results"]["results"])
    (tmp_path / "out.jsonl").write_text(lines, encoding="utf-8")
    assert len(read_results(tmp_path / "out.jsonl").rows) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{not json", "is not readable JSON"),
        ('{"results": {"results": [{"score": NaN}]}}', "NaN is not a JSON number"),
        ('{"results": 3}', "holds no results of Promptfoo"),
        ('{"results": {"results": []}}', "holds no graded output"),
    ],
)
def test_a_file_that_is_not_promptfoo_s_results_is_refused_with_an_error_that_says_what_it_lacks(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(RatingError, match=message):
        read_results(tmp_path / "results.json")


def test_hostile_rows_of_results_are_read_or_left_out_and_never_crash_the_reader(
    results: dict[str, Any], tmp_path: Path
) -> None:
    rows = results["results"]["results"]
    strange: list[Any] = [None, 3, "x", [], {}, {"gradingResult": {"componentResults": [None, 3, {"assertion": 5}]}}]
    strange += [{"gradingResult": {"pass": "yes", "componentResults": [{"pass": 1, "assertion": {"type": ["a"]}}]}}]
    strange += [{"testIdx": "a", "vars": [1], "response": "text", "metadata": "m", "testCase": 5, "gradingResult": []}]
    rows += strange
    assert len(read_results(written(results, tmp_path / "results.json")).rows) >= 12


@pytest.mark.proof
def test_giving_unique_ids_to_rows_of_one_name_takes_time_in_proportion_to_their_number(
    results: dict[str, Any], tmp_path: Path
) -> None:
    template = json.dumps(rows_of(results, "hello")[0])
    steps: dict[int, int] = {}

    def count(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != RESULTS_FILE:
            return None
        steps[n] = steps.get(n, 0) + (event == "line")
        return count

    for n in (150, 300):
        rows = [json.loads(template) for _ in range(n)]
        for number, row in enumerate(rows):
            row["testIdx"], row["response"]["output"] = number, f"answer {number}"
        results["results"]["results"] = rows
        path = written(results, tmp_path / f"{n}.json")
        before = sys.gettrace()
        sys.settrace(count)
        try:
            read = read_results(path)
        finally:
            sys.settrace(before)
        assert len({row.id for row in read.rows}) == n
    assert steps[300] < 2.1 * steps[150]


@pytest.mark.proof
def test_a_file_of_many_megabytes_is_read_row_by_row(results: dict[str, Any], tmp_path: Path) -> None:
    template = json.dumps(rows_of(results, "hello")[0])
    rows = []
    for n in range(500):
        row = json.loads(template)
        row["testIdx"], row["vars"] = n, {"word": "hello", "n": str(n), "context": "lorem ipsum " * 2400}
        row["response"]["output"] = f"answer {n} " + "words " * 4000
        rows.append(row)
    results["results"]["results"] = rows
    path = written(results, tmp_path / "large.json")
    assert path.stat().st_size > 25_000_000
    read = read_results(path)
    assert len({row.id for row in read.rows}) == 500
