"""The notes under the table of criteria."""

import math
from dataclasses import replace

import numpy as np

from markscheme.report.document import Notes, Table, in_text
from markscheme.report.sections.criteria import criteria_blocks, criteria_in_brief
from markscheme.report.terminal import inline
from markscheme.rubrics.rubric import YES_NO, Level, Rubric, Scale
from tests.calibration import made


def notes(rubric: Rubric, gold: made.Floats, judge: made.Floats) -> list[str]:
    """The notes on the criteria; the levels of gold and of the judge have the shape (n_examples, n_criteria)."""
    labelled = made.examples(rubric, {"ana": gold})
    blocks = in_text(criteria_blocks(made.compared(rubric, labelled, made.judged(rubric, judge))))
    return [inline(line) for block in blocks if isinstance(block, Notes) for line in block.lines]


def test_the_report_names_the_criteria_that_the_judge_never_rated_in_the_order_of_the_rubric() -> None:
    names = tuple(f"c{place}" for place in range(12))
    gold = np.tile([[1.0], [3.0], [5.0]], (4, len(names)))
    judge = np.where(np.arange(len(names)) == 0, gold, math.nan)
    silent = [note for note in notes(made.rubric(*names), gold, judge) if note.startswith("– ")]
    assert [note.removeprefix("– ").partition(":")[0] for note in silent] == list(names[1:])


def test_the_sentence_on_a_judge_that_always_gives_one_level_names_the_level_even_if_it_is_negative() -> None:
    gold = np.tile([[-2.0], [0.0], [2.0]], (4, 1))
    for level in (-2.0, 2.0):
        reasons = notes(made.rubric("tone", scale=Scale.numbered(-2, 2)), gold, np.full_like(gold, level))
        assert any(f"level {level:g}" in reason for reason in reasons)


def test_ac1_is_shown_below_a_confusion_matrix_if_one_common_level_makes_kappa_small() -> None:
    def captions(gold: list[float], judge: list[float]) -> str:
        rubric = made.rubric("short", scale=YES_NO)
        labelled = made.examples(rubric, {"ana": np.array(gold)[:, None]})
        compared = made.compared(rubric, labelled, made.judged(rubric, np.array(judge)[:, None]))
        return repr(list(criteria_blocks(compared)))

    skewed = [0.0] * 5 + [1.0] * 95
    assert "AC1 .91 (.81–.96); kappa is small where one level is common." in captions(
        skewed, [0.0] * 2 + [1.0] * 3 + [0.0] * 5 + [1.0] * 90
    )
    even = [0.0, 1.0] * 50
    assert "AC1" not in captions(even, even)


def in_brief(rubric: Rubric, gold: made.Floats, judge: made.Floats) -> tuple[Table, str]:
    """The table of criteria on the first screen, and the line below it."""
    compared = made.compared(rubric, made.examples(rubric, {"ana": gold}), made.judged(rubric, judge))
    table, below = criteria_in_brief(compared)
    assert isinstance(table, Table)
    assert isinstance(below, Notes)
    return table, inline(below.lines[0])


SCORES = np.linspace(3.0, 99.0, 40).round()[:, None]


def test_scores_with_many_values_are_shown_with_their_mean_error_and_not_with_a_share_of_equal_scores() -> None:
    for scale in (Scale.numbered(0, 100), Scale((Level(0.0), Level(100.0)))):
        table, below = in_brief(made.rubric("tone", scale=scale), SCORES, SCORES - 2)
        assert table.headings[:4] == ("Criterion", "MAE", "kappa", "bias")
        assert inline(table.rows[0][1]) == "2.00"
        assert below.startswith("MAE: mean absolute error; kappa: beyond chance")


def test_a_criterion_with_many_values_has_a_dash_in_the_column_for_the_share_of_equal_levels() -> None:
    rubric = made.rubric("tone", "short", scale=Scale.numbered(0, 100))
    tone, short = rubric.criteria
    rubric = replace(rubric, criteria=(tone, replace(short, scale=YES_NO)))
    gold = np.hstack([SCORES, np.tile([[0.0], [1.0]], (20, 1))])
    table, _ = in_brief(rubric, gold, gold)
    assert table.headings[1] == "same level"
    assert [inline(row[1])[:4] for row in table.rows] == ["–", "100%"]
    assert any(note.startswith("– tone, same level: it has many values") for note in notes(rubric, gold, gold))


def test_levels_and_half_levels_from_0_to_10_are_not_treated_as_scores_with_many_values() -> None:
    gold = np.tile(np.linspace(0, 10, 21)[:, None], (2, 1))
    table, below = in_brief(made.rubric("tone", scale=Scale.numbered(0, 10)), gold, gold)
    assert table.headings[1] == "same level"
    assert below.startswith("Kappa: ")
