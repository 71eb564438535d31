"""The section of examples: which ratings are flagged as differing from gold, and how a difference is described."""

from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.sections.examples import examples_of
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.calibration.made import compared

RUBRIC = Rubric((Criterion(1.0, "How good is it?", "good", Scale.numbered(1, 5)),), inputs=("query",))


def _rating(unit: str, rater: str, level: float, kind: Kind = "human") -> Rating:
    return Rating(unit, rater, kind, {"good": Rated(level)})


def _labelled(unit: str, levels: tuple[float, ...]) -> Example:
    labels = tuple(_rating(unit, f"annotator {place}", level) for place, level in enumerate(levels))
    inputs = {"notes": "more", "query": f"Ask {unit}?"}
    return Example(Submission(f"Reply {unit}", inputs, unit), (*labels, _rating(unit, "reader", 1.0, "model")))


def test_levels_that_differ_from_gold_are_flagged_for_the_judge_and_not_for_annotators() -> None:
    labelled = ExampleSet((_labelled("x", (2.0, 4.0)), _labelled("y", (5.0, 5.0))))
    judged = [_rating("x", "judge", 5.0, "model"), _rating("y", "judge", 5.0, "model")]
    cases = {case.id: case for case in examples_of(compared(RUBRIC, labelled, judged)).cases}
    (name, cells), *_ = cases["x"].rows
    assert name == "good"
    assert [cell.apart for cell in cells] == [False, True, False, False, True]
    assert cases["x"].differs == ("good: judge 5, gold 3 (labels 2 and 4)",)
    assert cases["y"].differs == ()


def test_an_example_s_inputs_are_shown_in_the_order_of_the_rubric_and_undeclared_inputs_come_last() -> None:
    labelled = ExampleSet((_labelled("x", (2.0, 4.0)),))
    (case,) = examples_of(compared(RUBRIC, labelled, [_rating("x", "judge", 5.0, "model")])).cases
    assert [name for name, _ in case.inputs] == ["query", "notes"]
