"""Texts on which decisions flip, with both judges' reasons next to each other."""

from dataclasses import replace

from markscheme.features.compare.choice import Contender, choose
from markscheme.features.compare.contenders import Compared
from markscheme.features.compare.section import flipped_texts
from markscheme.features.compare.side_by_side import JudgeAnswer
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric

RUBRIC = Rubric((Criterion(1.0, "It is right.", "right"),), inputs=("query",))


def _rating(unit: str, level: float, why: str = "", kind: Kind = "model") -> Rating:
    return Rating(unit, "r", kind, {"right": Rated(level, why)})


def _compared(levels: dict[str, tuple[float, float, float]]) -> Compared:
    """Gold, the first judge and the second, by example."""
    examples = tuple(
        Example(Submission(f"**Reply** {unit}", {"query": f"Ask {unit}?"}, unit), (_rating(unit, gold, kind="human"),))
        for unit, (gold, _, _) in levels.items()
    )
    truth = gold_of(ExampleSet(examples), RUBRIC)
    contenders = (
        Contender("a", tuple(_rating(unit, first, f"a on {unit}") for unit, (_, first, _) in levels.items())),
        Contender("b", tuple(_rating(unit, second, f"b on {unit}") for unit, (_, _, second) in levels.items())),
    )
    return Compared(choose(RUBRIC, contenders, truth), contenders, truth, examples)


def test_a_flipped_decision_is_shown_with_the_response_s_text_and_each_judge_s_decision_and_reason() -> None:
    texts = flipped_texts(_compared({"x": (1.0, 1.0, 0.0), "y": (0.0, 0.0, 0.0), "z": (0.0, 0.0, 1.0)}))
    assert texts is not None
    assert texts.judges == ("a", "b")
    assert [(row.id, row.query, row.response, row.gold) for row in texts.rows] == [
        ("x", "Ask x?", "Reply x", "pass"),
        ("z", "Ask z?", "Reply z", "fail"),
    ]
    assert texts.rows[0].answers == (
        JudgeAnswer("pass 1.00", (("right: MET", "a on x"),)),
        JudgeAnswer("fail 0.00", (("right: UNMET", "b on x"),), is_off=True),
    )


def test_a_judge_without_a_grade_is_not_marked_as_differing_from_gold_among_the_flipped_decisions() -> None:
    compared = _compared({"x": (1.0, 1.0, 0.0)})
    third = Contender("c", (replace(_rating("x", 1.0), criteria={}, error="too long"),))
    texts = flipped_texts(replace(compared, contenders=(*compared.contenders, third)))
    assert texts is not None
    assert [(answer.head, answer.is_off) for answer in texts.rows[0].answers] == [
        ("pass 1.00", False),
        ("fail 0.00", True),
        ("not graded", False),
    ]


def test_in_the_table_of_flipped_decisions_an_unmet_required_criterion_means_fail_whatever_the_score() -> None:
    required = Criterion(1.0, "It is safe.", "safe", required=True)
    rubric = replace(RUBRIC, criteria=(replace(RUBRIC.criteria[0], weight=9.0), required))
    unsafe = Rating("x", "r", "model", {"right": Rated(1.0), "safe": Rated(0.0)})
    safe = Rating("x", "r", "model", {"right": Rated(1.0), "safe": Rated(1.0)})
    example = Example(Submission("Reply", {"query": "Ask?"}, "x"))
    contenders = (Contender("a", (safe,)), Contender("b", (unsafe,)))
    texts = flipped_texts(Compared(choose(rubric, contenders, None), contenders, None, (example,)))
    assert texts is not None
    assert [answer.head for answer in texts.rows[0].answers] == ["pass 1.00", "fail 0.90"]


def test_without_flipped_decisions_a_comparison_has_no_table_of_flipped_decisions() -> None:
    assert flipped_texts(_compared({"x": (1.0, 1.0, 1.0), "y": (0.0, 1.0, 1.0)})) is None
