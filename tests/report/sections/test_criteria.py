"""The notes under the table of criteria."""

import math

import numpy as np

from markscheme.report.document import Notes, in_text
from markscheme.report.sections.criteria import criteria_blocks
from markscheme.report.terminal import inline
from markscheme.rubrics.rubric import YES_NO, Rubric, Scale
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
