"""Texts on which decisions flip, with both judges' reasons next to each other."""

from markscheme.calibration.choice import Contender, choose
from markscheme.calibration.contenders import Compared
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.report.document import JudgeAnswer
from markscheme.report.sections.flips import flipped_texts
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.submission import Submission

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


def test_a_flip_is_its_text_with_both_decisions_and_reasons() -> None:
    texts = flipped_texts(_compared({"x": (1.0, 1.0, 0.0), "y": (0.0, 0.0, 0.0), "z": (0.0, 0.0, 1.0)}))
    assert texts is not None
    assert texts.judges == ("a", "b")
    assert [(row.id, row.query, row.response, row.gold) for row in texts.rows] == [
        ("x", "Ask x?", "Reply x", "pass"),
        ("z", "Ask z?", "Reply z", "fail"),
    ]
    assert texts.rows[0].answers == (
        JudgeAnswer("pass 1.00", (("right: MET", "a on x"),)),
        JudgeAnswer("fail 0.00", (("right: UNMET", "b on x"),)),
    )


def test_without_a_flip_there_is_no_table() -> None:
    assert flipped_texts(_compared({"x": (1.0, 1.0, 1.0), "y": (0.0, 1.0, 1.0)})) is None
