"""Rubrics that come with the row: added to that of the run, instead of it, ignored or refused."""

import asyncio
import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme import Grader, Rubric, ScriptedJudge
from markscheme.errors import RubricError, UsageError
from markscheme.grading import Grading
from markscheme.grading.by_row import rubric_for
from markscheme.grading.checks import SHIPPED_CHECKS
from markscheme.grading.graded_table import GradedTable
from markscheme.grading.receipt import Receipt, receipt_json, why_no_gate
from markscheme.grading.strategies import strategy_of
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission, submission_of
from markscheme.rubrics.keys import RowRule
from markscheme.rubrics.of_rows import ROWS_ALONE, RowRubric, rubric_of
from tests.worked_cases import cases_under

CASES = Path(__file__).parents[3] / "shared/statistics/rows.yaml"
CORE = Rubric.from_dict([{"name": "polite", "requirement": "Is polite", "weight": 2}])
PARIS = [{"requirement": "Names Paris", "weight": 3, "tags": ["fact"]}, {"requirement": "Is rude", "weight": -1}]


def cases(section: str) -> list[Any]:
    return cases_under(CASES, section)


def judging(*met: str, calls: list[str] | None = None) -> ScriptedJudge:
    """Return a judge that answers MET on criteria with one of these words, and records in `calls` what it was asked."""

    def answers(prompt: Prompt, _: int) -> dict[str, str]:
        if calls is not None:
            calls.extend(question.instructions.partition("\n")[0] for question in prompt.questions)
        return {q.name: "MET" if any(word in q.instructions for word in met) else "UNMET" for q in prompt.questions}

    return ScriptedJudge(answers)


def own(text: Any, core: Rubric | None = None, rule: RowRule = "add") -> RowRubric:
    row = rubric_of(text if isinstance(text, str) else json.dumps(text), core, rule)
    assert isinstance(row, RowRubric), row
    return row


@pytest.mark.parametrize("case", cases("score"), ids=lambda case: str(case["name"]))
def test_the_score_of_a_row_with_its_own_criteria_equals_the_score_calculated_by_hand(case: dict[str, Any]) -> None:
    from markscheme.grading.score import unclipped_score, weigh
    from markscheme.grading.verdict import Verdict

    levels = [{"value": value} for value in (0, 0.25, 0.5, 0.75, 1)]
    criteria = [
        {"requirement": f"Item {i}", "weight": weight, "levels": levels}
        for i, (weight, _) in enumerate(case["criteria"])
    ]
    rubric = own(criteria).rubric
    outcomes = {f"c{i}": Verdict(f"c{i}", float(position)) for i, (_, position) in enumerate(case["criteria"], start=1)}
    score = weigh(outcomes, rubric)
    expected = case["expect"]
    assert (score.score, score.raw_score) == pytest.approx((expected["score"], expected["raw_score"]), abs=1e-6)  # type: ignore[union-attr]
    assert unclipped_score(outcomes, rubric) == pytest.approx(expected["unclipped"], abs=1e-6)


@pytest.mark.parametrize("case", cases("core"), ids=lambda case: f"core_share {case['core_share']}")
def test_the_core_share_key_sets_how_much_the_run_s_own_criteria_count_next_to_a_row_s_criteria(
    case: dict[str, Any],
) -> None:
    from markscheme.grading.score import unclipped_score, weigh
    from markscheme.grading.verdict import Verdict

    share = {} if case["core_share"] is None else {"core_share": case["core_share"]}
    core = [{"name": f"core{i}", "requirement": f"Core {i}", "weight": w} for i, (w, _) in enumerate(case["core"])]
    own_criteria = [{"name": f"own{i}", "requirement": f"Own {i}", "weight": w} for i, (w, _) in enumerate(case["own"])]
    rubric = own(own_criteria, Rubric.from_dict({**share, "criteria": core})).rubric
    positions = [*case["core"], *case["own"]]
    outcomes = {c.name: Verdict(c.name, float(met)) for c, (_, met) in zip(rubric.criteria, positions, strict=True)}
    score = weigh(outcomes, rubric)
    expected = case["expect"]
    assert score.score == pytest.approx(expected["score"], abs=1e-6)  # type: ignore[union-attr]
    assert unclipped_score(outcomes, rubric) == pytest.approx(expected["unclipped"], abs=1e-6)
    if "raw_score" in expected:
        assert score.raw_score == pytest.approx(expected["raw_score"], abs=1e-6)  # type: ignore[union-attr]


def test_the_core_share_key_is_refused_for_a_row_without_a_criterion_of_positive_weight() -> None:
    core = Rubric.from_dict({"core_share": 0.3, "criteria": [{"requirement": "Is polite"}]})
    fault = rubric_of(json.dumps([{"requirement": "Is rude", "weight": -1}]), core)
    assert fault == "its rubric: with core_share the row needs a criterion with a weight above 0"
    assert own(PARIS, core, "instead").rubric == replace(own(PARIS, core, "instead").rubric, core_share=None)


@pytest.mark.parametrize("value", [0, 1, 1.5, "much"])
def test_the_core_share_key_of_a_rubric_is_refused_unless_it_lies_between_0_and_1(value: Any) -> None:
    with pytest.raises(RubricError, match="core_share"):
        Rubric.from_dict({"core_share": value, "criteria": [{"requirement": "Is polite"}]})


def test_the_rows_argument_of_a_grader_overrides_the_rows_key_of_its_rubric() -> None:
    core = Rubric.from_dict({"rows": "ignore", "criteria": [{"requirement": "Is polite"}]})
    with Grader(core, judging("polite")) as by_rubric, Grader(core, judging("polite"), rows="add") as by_run:
        assert list(by_rubric.grade_rows(ROWS[:1])[0]["criteria"]) == ["c1"]  # type: ignore[arg-type]
        assert list(by_run.grade_rows(ROWS[:1])[0]["criteria"]) == ["c1", "row-c1", "c2"]  # type: ignore[arg-type]


def test_criteria_of_the_run_s_rubric_come_before_those_of_a_row_and_keep_their_weights() -> None:
    row = own(PARIS, CORE)
    assert [(c.name, c.weight) for c in row.rubric.criteria] == [("polite", 2.0), ("c1", 3.0), ("c2", -1.0)]
    assert (row.source, row.brought) == ("core+row", ("c1", "c2"))
    assert own(PARIS, CORE, "instead").rubric.criteria == own(PARIS).rubric.criteria
    assert own([{"name": "polite", "requirement": "Bows"}], CORE).brought == ("row-polite",)


def test_two_criteria_of_a_row_with_the_same_words_become_one_with_the_sum_of_their_weights() -> None:
    row = own([{"requirement": "Names Paris.", "weight": 3}, {"requirement": "names  Paris", "weight": 2}])
    assert [(c.requirement, c.weight) for c in row.rubric.criteria] == [("Names Paris.", 5.0)]


def test_a_row_s_pass_mark_is_stated_in_the_row_or_else_in_the_run_s_rubric() -> None:
    core = Rubric.from_dict({"passingThreshold": 0.7, "criteria": [{"requirement": "Is polite"}]})
    assert own(PARIS, core).rubric.pass_mark == 0.7
    assert own({"criteria": PARIS, "passingThreshold": 0.9}, core).rubric.pass_mark == 0.9


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ([{"requirement": "A"}, {"requirement": "B", "weight": 0}], "its rubric, criterion 2: weight must be a finite"),
        ([{"weight": 1}], "its rubric"),
        ([{"name": "a", "requirement": "A"}, {"name": "a", "requirement": "B"}], "2 criteria are named 'a'"),
        ([{"requirement": "A b"}, {"requirement": "a b!", "weight": -1}], "equal words, and another sign"),
        ({"criteria": PARIS, "judge": {"name": "x"}}, "judge is for the run, not for a row"),
        ('[{"requirement": "A"', "is not readable JSON"),
        ("rubrics/other.yaml", "is a path"),
        ("any column of text", "--rows ignore"),
        (
            "- requirement: Names Paris and/or Rome\n  weight: 2",
            "is text that isn't JSON; a row brings criteria as JSON, or names",
        ),
        ([], "its rubric"),
        ("[" * 60 + "]" * 60, "is nested more than 50 deep"),
        ([{"requirement": f"Names {i}"} for i in range(2001)], "the most are 2,000"),
    ],
)
def test_the_error_on_a_row_whose_own_rubric_cannot_be_used_says_what_is_wrong_with_that_rubric(
    text: Any, fault: str
) -> None:
    problem = rubric_of(text if isinstance(text, str) else json.dumps(text), CORE)
    assert isinstance(problem, str)
    assert fault in problem


def test_the_error_on_a_row_s_unknown_rubric_suggests_to_ignore_it_only_if_the_run_has_a_rubric() -> None:
    with_core, alone = (rubric_of("nowhere", core) for core in (CORE, None))
    assert ("--rows ignore" in str(with_core), "--rows" in str(alone)) == (True, False)


@pytest.mark.parametrize(
    "rubric",
    [
        {"compare": "pairs", "criteria": [{"requirement": "Is kind"}]},
        {"compare": "pairs", "criteria": [{"prefer": "The kinder one"}]},
        [{"prefer": "The kinder one"}],
    ],
)
def test_a_row_s_own_rubric_that_compares_pairs_is_refused_because_a_row_has_only_one_response(rubric: Any) -> None:
    fault = "its rubric: compares pairs of responses; a row's own rubric judges its one response"
    assert rubric_of(json.dumps(rubric), None) == fault


def test_a_row_s_criteria_may_be_plain_texts() -> None:
    criteria = own(["It is kind.", "It names the town."]).rubric.criteria
    assert [(one.requirement, one.weight) for one in criteria] == [("It is kind.", 1), ("It names the town.", 1)]


def test_a_row_s_own_criteria_may_name_only_checks_that_come_with_markscheme() -> None:
    unknown = rubric_for({"rubric": json.dumps([{"requirement": "Is kind", "check": "mine"}])}, None, "add")
    assert isinstance(unknown, str)
    assert "its rubric, criterion 'c1': there is no check 'mine' that comes with markscheme" in unknown
    assert "a row may name" in unknown
    assert ", ".join(sorted(SHIPPED_CHECKS)) in unknown
    assert "scorers" not in unknown
    core = Rubric.from_dict([{"requirement": "Is mine", "check": "mine"}])
    shipped = rubric_for({"rubric": json.dumps([{"requirement": "Is JSON", "check": "json_valid"}])}, core, "add")
    assert isinstance(shipped, RowRubric)


def test_a_run_that_judges_responses_as_a_whole_refuses_rows_with_criteria_of_their_own() -> None:
    problem = rubric_of(json.dumps(PARIS), None, of_run=replace(ROWS_ALONE, strategy="holistic"))
    assert problem == "its rubric: the run judges a response as a whole, which goes by one rubric alone"


def test_up_to_4096_rubrics_that_come_with_rows_are_cached() -> None:
    assert rubric_of.cache_parameters()["maxsize"] == 4096


def test_rows_with_the_same_rubric_text_share_one_rubric_object() -> None:
    text = json.dumps(PARIS)
    assert rubric_of(text, CORE) is rubric_of(str(text), CORE)


ROWS = [
    {"id": "a", "response": "Paris.", "rubric": PARIS},
    {"id": "b", "response": "Lyon."},
    {"id": "c", "response": "Rome.", "rubric": [{"requirement": "Names Rome", "weight": 0}]},
]


def test_a_run_grades_rows_with_and_without_their_own_rubric_next_to_a_row_with_a_faulty_rubric() -> None:
    with Grader(CORE, judging("Paris", "polite")) as grader:
        both, core, faulty = grader.grade_rows(ROWS)  # type: ignore[arg-type]
    assert (both["score"], both["rubric"]["source"], both["rubric"]["criteria"]) == (1.0, "core+row", 3)
    assert both["tags"] == {"fact": {"score": 1.0, "n": 1}}
    assert (core["score"], core["rubric"]["source"], list(core["criteria"])) == (1.0, "core", ["polite"])
    assert core["unclipped"] == 1.0
    assert (faulty["score"], "rubric" in faulty) == (None, False)
    assert faulty["error"].startswith("its rubric, criterion 1: weight must be")


@pytest.mark.parametrize(("rule", "names"), [("instead", ["c1", "c2"]), ("ignore", ["polite"]), ("refuse", [])])
def test_the_rows_argument_decides_if_a_row_s_rubric_replaces_the_run_s_rubric_or_is_ignored_or_refused(
    rule: RowRule, names: list[str]
) -> None:
    with Grader(CORE, judging("Paris"), rows=rule) as grader:
        (row,) = grader.grade_rows(ROWS[:1])  # type: ignore[arg-type]
    assert list(row["criteria"]) == names
    assert (row["error"] is None) == bool(names)


def test_if_a_run_has_no_rubric_each_response_must_come_with_its_own_rubric() -> None:
    with Grader(None, judging("Paris")) as grader:
        assert grader.grade_sync("Paris.", rubric=PARIS).raw_score == 3.0
        without = grader.grade_sync("Paris.")
    assert (without.score, "no rubric" in (without.error or "")) == (None, True)


def test_a_row_s_grade_depends_neither_on_the_order_of_rows_nor_on_a_faulty_rubric_in_another_row() -> None:
    with Grader(CORE, judging("Paris", "polite")) as grader:
        there = {row["id"]: row["score"] for row in grader.grade_rows(ROWS)}  # type: ignore[arg-type]
        back = {row["id"]: row["score"] for row in grader.grade_rows(ROWS[::-1])}  # type: ignore[arg-type]
        alone = {row["id"]: row["score"] for row in grader.grade_rows(ROWS[:2])}  # type: ignore[arg-type]
    assert there == back
    assert {name: there[name] for name in alone} == alone


def test_a_column_named_rubric_is_an_ordinary_input_if_the_run_s_own_rubric_declares_an_input_of_that_name() -> None:
    core = Rubric.from_dict({"inputs": ["rubric"], "criteria": [{"requirement": "Follows the rubric"}]})
    with Grader(core, judging("Follows")) as grader:
        (row,) = grader.grade_rows(ROWS[:1])  # type: ignore[arg-type]
    assert list(row["criteria"]) == ["c1"]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_run_that_continues_a_graded_table_grades_a_row_again_if_the_row_s_rubric_changed(
    ending: str, tmp_path: Path
) -> None:
    calls: list[str] = []
    out = tmp_path / f"graded.{ending}"

    def graded(rows: list[dict[str, Any]], total: int) -> None:
        grading = Grading(CORE, judging("Paris", "polite", calls=calls))
        submissions = [submission_of(row, number) for number, row in enumerate(rows, start=1)]
        asyncio.run(GradedTable(grading, out, has_rows=True).grade(submissions, total, 2))

    with pytest.raises(UsageError):  # a run that stopped: something took a row out of the count
        graded(ROWS[:2], 3)  # type: ignore[arg-type]
    assert calls == ["Is polite", "Names Paris", "Is rude", "Is polite"]
    calls.clear()
    graded([{**ROWS[0], "rubric": [{"requirement": "Names Paris"}]}, ROWS[1]], 2)  # type: ignore[dict-item, list-item]
    assert calls == ["Is polite", "Names Paris"]
    lines = out.read_text().splitlines()
    rows = [*csv.DictReader(lines)] if ending == "csv" else [json.loads(line) for line in lines]
    verdicts = json.loads(rows[0]["verdicts"]) if ending == "csv" else rows[0]["verdicts"]
    assert [(verdict["requirement"], verdict["level"]) for verdict in verdicts] == [("Names Paris", "MET")]  # type: ignore[index]
    assert "polite" in rows[0]
    assert "row_rubric" not in rows[0]


def test_the_grade_command_also_prints_the_mean_score_that_is_clipped_after_averaging_if_this_mean_differs(
    tmp_path: Path,
) -> None:
    from tests.commands.console import run

    (tmp_path / "judging.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    met = {'quote': 'nothing to quote', 'reason': 'Seen.', 'level': 'MET'}\n"
        "    return {'verdicts': {'c1': met, 'c2': met}}\n"
    )
    bad = [{"requirement": "Names Rome", "weight": 5}, {"requirement": "Is rude", "weight": -8}]
    good = [{"requirement": "Names Rome", "weight": 5}, {"requirement": "Is kind", "weight": 3}]
    rows = [{"id": "a", "response": "Rome.", "rubric": bad}, {"id": "b", "response": "Rome.", "rubric": good}]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    sentence = "Mean score 0.50; 0.20 if the mean is cut to 0 to 1 rather than each row."
    for extra in ((), ("--out", "graded.csv")):
        done = run("markscheme", "grade", "rows.jsonl", "--judge", "function:judging:judge", *extra, cwd=tmp_path)
        assert sentence in " ".join(done.stderr.split())
    (tmp_path / "good.jsonl").write_text("".join(f"{json.dumps({**rows[1], 'id': name})}\n" for name in "cd"))
    alike = run("markscheme", "grade", "good.jsonl", "--judge", "function:judging:judge", cwd=tmp_path)
    assert "Mean score" not in alike.stderr


def test_the_calibration_receipt_of_a_grade_lists_the_row_s_criteria_and_tags_that_were_not_calibrated() -> None:
    receipt = Receipt("gate", 0.9, None, 84, "human", "2026-11-02", CORE.fingerprint, "p", "j")
    grading = Grading(CORE, judging("Paris", "polite"), receipt=receipt)
    core, both = (
        asyncio.run(grading.grade(Submission("Paris.", inputs))) for inputs in ({}, {"rubric": json.dumps(PARIS)})
    )
    assert core.receipt is not None
    assert core.receipt.outside == ()
    assert both.receipt is not None
    assert both.receipt.outside == ("2 criteria of the row", "tag fact")
    assert (both.receipt.holds, both.receipt.may_gate, both.receipt.may_trend) == (False, False, False)
    text = receipt_json(both.receipt, both.score)["text"]
    assert text.endswith("outside what was calibrated: 2 criteria of the row; tag fact")
    assert "doesn't hold here: outside what was calibrated" in why_no_gate(both.receipt)


# --- criteria a call -------------------------------------------------------------------------------------------------


def many(count: int) -> list[dict[str, Any]]:
    return [{"requirement": f"Names item {number} of the list", "weight": number} for number in range(1, count + 1)]


def sizes_of_calls(row: RowRubric) -> list[int]:
    return [len(prompt.questions) for prompt in strategy_of(row.rubric).prompts(row.rubric, Submission("Text."))]


@pytest.mark.parametrize("case", cases("calls"), ids=lambda case: f"{case['criteria']} by {case['per_call']}")
def test_a_row_s_criteria_are_divided_among_judge_calls_of_nearly_equal_size(case: dict[str, Any]) -> None:
    calls = replace(ROWS_ALONE, criteria_per_call=case["per_call"])
    row = rubric_of(json.dumps(many(case["criteria"])), None, "add", calls)
    assert isinstance(row, RowRubric)
    sizes = sizes_of_calls(row)
    expected = case["expect"]
    if isinstance(expected, list):
        assert sizes == expected
    else:
        assert (len(sizes), max(sizes), min(sizes)) == (expected["calls"], expected["most"], expected["least"])


def test_criteria_of_a_row_are_asked_in_prompts_of_at_most_20_and_criteria_of_a_rubric_file_in_one_prompt() -> None:
    assert sizes_of_calls(own(many(45))) == [15, 15, 15]
    rubric = Rubric.from_dict(many(45))
    assert [len(prompt.questions) for prompt in strategy_of(rubric).prompts(rubric, Submission("Text."))] == [45]
    limited = Rubric.from_dict({"criteria": many(45), "criteria_per_call": 30})
    assert limited.fingerprint != rubric.fingerprint
    assert sizes_of_calls(own(PARIS, limited)) == [24, 23]


@pytest.mark.parametrize("per_call", [1, 2, 3, 7, 50])
def test_if_criteria_are_divided_among_several_calls_a_retry_asks_only_about_the_unread_criterion(
    per_call: int,
) -> None:
    calls: list[list[str]] = []

    def answers(prompt: Prompt, _: int) -> dict[str, str]:
        names = [question.name for question in prompt.questions]
        calls.append(names)
        is_first = sum("c5" in earlier for earlier in calls) == 1
        return {name: "MET" if int(name[1:]) % 3 else "UNMET" for name in names if not (is_first and name == "c5")}

    rubric = Rubric.from_dict({"criteria": many(7), "criteria_per_call": per_call})
    grade = asyncio.run(Grading(rubric, ScriptedJudge(answers)).grade(Submission("Text.")))
    assert grade.score == pytest.approx((1 + 2 + 4 + 5 + 7) / 28)
    assert calls[-1] == ["c5"]
    assert len(calls) == -(-7 // per_call) + 1


def test_a_grader_s_samples_option_and_criteria_per_call_option_apply_to_the_rubric_of_a_row() -> None:
    calls: list[str] = []
    with Grader(None, judging("Paris", calls=calls), samples=3, criteria_per_call=1) as grader:
        grade = grader.grade_sync("Paris.", rubric=PARIS)
    assert (grade.score, len(calls)) == (1.0, 6)
    assert grade.row_rubric is not None
    assert (grade.row_rubric.rubric.samples, grade.row_rubric.rubric.criteria_per_call) == (3, 1)


def test_a_row_s_stated_pass_mark_overrides_the_run_s_even_if_it_equals_the_default() -> None:
    strict = Rubric.from_dict({"criteria": [{"requirement": "Is polite", "weight": 2}], "passingThreshold": 0.7})
    for stated, mark in (({}, 0.7), ({"passingThreshold": 0.5}, 0.5), ({"passingThreshold": 0.9}, 0.9)):
        row = rubric_of(json.dumps({"criteria": PARIS, **stated}), strict)
        assert not isinstance(row, str)
        assert row.rubric.pass_mark == mark


def test_the_rubric_given_with_a_response_to_grade_may_be_an_object_of_the_class_rubric() -> None:
    own = Rubric.from_dict(PARIS)
    with Grader(CORE, judging("Paris", "polite")) as grader:
        grade = grader.grade_sync("Paris.", rubric=own)
        (row,) = grader.grade_rows([{"id": "a", "response": "Paris.", "rubric": own}])
    assert (grade.score, row["score"], row["rubric"]["source"]) == (1.0, 1.0, "core+row")
    assert row["tags"] == {"fact": {"score": 1.0, "n": 1}}
    with Grader(None, judging("Paris")) as grader:
        assert grader.grade_sync("Paris.", rubric=own).rubric is not None


def test_a_weight_that_is_nan_in_one_row_s_rubric_is_an_error_of_this_row_only() -> None:
    faulty = [{"requirement": "Names Paris", "weight": float("nan")}]
    with Grader(None, judging("Paris")) as grader:
        nan_row, paris_row = grader.grade_rows(
            [{"id": "a", "response": "Paris.", "rubric": faulty}, {"id": "b", "response": "Paris.", "rubric": PARIS}]
        )
    assert nan_row["error"] == "its rubric, criterion 1: weight must be a finite number other than 0, found NaN"
    assert paris_row["error"] is None


def test_a_row_s_criterion_with_the_words_of_a_core_criterion_is_asked_once_and_their_weights_add_up() -> None:
    text = json.dumps([{"requirement": "is  Polite.", "weight": 3}, {"requirement": "Names Paris", "weight": 1}])
    row = rubric_of(text, CORE)
    assert not isinstance(row, str)
    assert [(criterion.name, criterion.weight) for criterion in row.rubric.criteria] == [("polite", 5.0), ("c2", 1.0)]
    assert (row.brought, row.notes[-1][:39]) == (("c2",), "1 criterion has the words of another: a")
    shared = rubric_of(text, replace(CORE, core_share=0.3))
    assert not isinstance(shared, str)
    assert [criterion.weight for criterion in shared.rubric.criteria] == pytest.approx([0.3 + 0.7 * 0.75, 0.7 * 0.25])
    opposite = rubric_of(json.dumps([{"requirement": "Is polite", "weight": -3}]), CORE)
    assert opposite == "its rubric: polite and c1 have equal words, and another sign or other levels"
