"""Warnings about labels that let a judge decide although they may not be what they seem to be."""

from typing import Any

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.report.views.calibration import view
from tests.report.reading import text_of

PASSED = [row % 5 != 0 for row in range(200)]
"""Decisions of careful annotators."""
BY_BEN = [passed != (row % 41 == 3) for row, passed in enumerate(PASSED)]
"""Decisions that differ from these on five examples."""
JUDGED = [passed != (row % 37 == 2) for row, passed in enumerate(PASSED)]
WORDS = {True: "pass", False: "fail"}


def of_table(judge: list[bool], *people: list[bool], **columns: list[str]) -> str:
    """Return the text of the report on a table's judge, with a column for each annotator and further columns."""
    rows = [
        {"id": f"t{row}", "judge": WORDS[passed]}
        | {f"human{number}": WORDS[labels[row]] for number, labels in enumerate(people, 1)}
        | {name: cells[row] for name, cells in columns.items()}
        for row, passed in enumerate(judge)
    ]
    calibration = calibrate(rows)
    assert isinstance(calibration, Calibration)
    return " ".join(text_of(view(calibration)).split())


def test_two_annotators_who_never_differ_are_named_since_one_may_be_a_copy() -> None:
    warning = "Warning: human1 and human2 never differ on 200 examples;"
    assert warning in of_table(JUDGED, PASSED, PASSED)
    assert "Warning" not in of_table(JUDGED, PASSED, BY_BEN)


def test_annotators_who_never_differ_cause_no_caveat_if_nearly_all_examples_pass_or_few_are_labelled() -> None:
    passes = [True] * 196 + [False] * 4
    assert "never differ" not in of_table(passes, passes, passes)
    assert "never differ" not in of_table(JUDGED[:74], PASSED[:74], PASSED[:74])


def test_a_warning_names_an_annotator_from_whom_the_judge_never_differs() -> None:
    text = of_table(PASSED, PASSED, BY_BEN)
    assert "Warning: the judge never differs from human1 on 200 examples;" in text


def test_a_warning_counts_rows_that_repeat_a_query_or_response_unless_a_column_of_groups_is_named() -> None:
    queries = [f"Question {row % 8}" for row in range(200)]
    responses = [f"The parcel is in town {row % 25}." for row in range(200)]
    warning = "Warning: {} of 200 rows repeat the {} of an earlier row"
    assert warning.format(192, "query") in of_table(JUDGED, PASSED, BY_BEN, query=queries, response=responses)
    assert warning.format(175, "response") in of_table(JUDGED, PASSED, BY_BEN, response=responses)
    assert "`--group response`" in of_table(JUDGED, PASSED, BY_BEN, response=responses)
    assert "Warning" not in of_table(JUDGED, PASSED, BY_BEN, query=queries, group=queries)
    assert "Warning" not in of_table(JUDGED, PASSED, BY_BEN, answer=["Leeds", "Hull"] * 100)


def test_a_warning_suggests_the_group_option_for_a_column_of_ids_that_repeat() -> None:
    tasks = [f"t{row % 8}" for row in range(200)]
    warning = "192 of 200 rows repeat the id of an earlier row; `--group task_id` counts them as related."
    assert warning in of_table(JUDGED, PASSED, BY_BEN, task_id=tasks)
    assert warning in of_table(BY_BEN[::-1], PASSED, BY_BEN, task_id=tasks)
    assert "repeat the id" not in of_table(JUDGED, PASSED, BY_BEN, judge_id=tasks)


def test_labels_by_a_rater_with_the_judge_s_name_cause_a_warning() -> None:
    level = {True: "MET", False: "UNMET"}
    rubric = Rubric.from_dict({"name": "kind", "criteria": [{"name": "it", "requirement": "Is it kind?"}]})
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{row}",
            "response": f"Output {row}",
            "labels": [
                {"rater": "ana", "criteria": {"it": level[ana]}},
                {"rater": "j", "criteria": {"it": level[ben]}},
            ],
        }
        for row, (ana, ben) in enumerate(zip(PASSED, BY_BEN, strict=True))
    ]
    ratings = [{"id": f"e{row}", "rater": "j", "criteria": {"it": level[passed]}} for row, passed in enumerate(JUDGED)]
    text = " ".join(text_of(view(calibrate(rubric, examples, ratings=ratings))).split())
    assert "Warning: labels of j count as an annotator's, but that is the judge's name." in text


def test_a_warning_names_a_criterion_that_annotators_left_out_and_the_command_that_asks_for_it() -> None:
    rubric = Rubric.from_dict(
        {
            "name": "kind",
            "criteria": [
                {"name": "it", "requirement": "Is it kind?"},
                {"name": "refund", "requirement": "Names a refund.", "not_applicable": True},
            ],
        }
    )

    def answers(row: int) -> dict[str, Any]:
        refund = {} if row < 30 else {"refund": {"not_applicable": "nothing to refund"} if row < 50 else "MET"}
        return {"it": "MET" if row % 3 else "UNMET", **refund}

    examples: list[dict[str, Any]] = [
        {"id": f"e{row}", "response": f"Output {row}", "labels": [{"rater": "ana", "criteria": answers(row)}]}
        for row in range(60)
    ]
    ratings = [{"id": f"e{row}", "criteria": {"it": "MET", "refund": "MET"}} for row in range(60)]
    text = " ".join(text_of(view(calibrate(rubric, examples, ratings=ratings))).split())
    line = "30 of 60 labelled examples have no level on refund (e0, e1, e2, e3, e4, …), and so no score and no decision"
    assert f"{line}; markscheme label kind --rater YOUR-NAME asks for what is left out." in text
    assert "no level on it" not in text


def test_criteria_that_people_left_out_on_the_same_examples_are_named_in_one_line() -> None:
    rubric = Rubric.from_dict([{"name": name, "requirement": f"Is it {name}?"} for name in ("kind", "short", "true")])
    examples = [
        {"id": f"e{row}", "response": f"Output {row}", "labels": [{"rater": "ana", "criteria": {"kind": "MET"}}]}
        for row in range(30)
    ]
    ratings = [{"id": f"e{row}", "criteria": {"kind": "MET", "short": "MET", "true": "MET"}} for row in range(30)]
    text = " ".join(text_of(view(calibrate(rubric, examples, ratings=ratings))).split())
    assert text.count("have no level on") == 1
    assert "30 of 30 labelled examples have no level on short and true (e0," in text


def test_a_caveat_counts_false_fails_in_which_the_judge_passes_every_criterion() -> None:
    rubric = Rubric.from_dict({"name": "kind", "criteria": [{"name": "it", "requirement": "Is it kind?"}]})
    level = {True: "MET", False: "UNMET"}
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{row}",
            "response": f"Output {row}",
            "labels": [{"rater": "ana", "criteria": {"it": level[row < 40]}}],
        }
        for row in range(60)
    ]
    ratings = [{"id": f"e{row}", "criteria": {"it": level[5 < row < 40]}, "pass": 19 < row < 40} for row in range(60)]
    text = " ".join(text_of(view(calibrate(rubric, examples, ratings=ratings))).split())
    assert "On 14 of 20 false fails the judge passes every criterion: the file's own pass or fail also counts" in text


def test_a_false_fail_whose_score_is_below_the_pass_mark_is_not_called_a_pass_on_every_criterion() -> None:
    criterion = {"name": "it", "description": "How kind is it?", "scale": {"min": 1, "max": 5}}
    rubric = Rubric.from_dict({"name": "kind", "passingThreshold": 0.75, "criteria": [criterion]})
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{row}",
            "response": f"Output {row}",
            "labels": [{"rater": "ana", "criteria": {"it": 4 if row < 40 else 2}}],
        }
        for row in range(60)
    ]
    levels = [3 if row < 10 else 4 if row < 40 else 2 for row in range(60)]
    ratings = [{"id": f"e{row}", "criteria": {"it": level}, "pass": level >= 4} for row, level in enumerate(levels)]
    calibration = calibrate(rubric, examples, ratings=ratings)
    assert len(calibration.false_fails) == 10
    assert "passes every criterion" not in text_of(view(calibration))
