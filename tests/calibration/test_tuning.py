"""What labels support changing in a rubric, from examples and ratings in memory."""

from typing import Any

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.calibration.tuning import Promised, Proposal, TunedBand, propose
from markscheme.errors import ComparisonError
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.weights import weighted_scores
from markscheme.submission import Submission

NAMES = ("a", "b", "c")
approx = pytest.approx


def rubric(**more: Any) -> Rubric:
    criteria = [{"name": name, "description": f"{name}?", "weight": 1.0} for name in NAMES]
    criteria[0] |= more.pop("first", {})
    return Rubric.from_dict({"criteria": criteria, **more})


def world(
    n: int, *, lenient: float = 0.0, noise: float = 0.4, true: tuple[float, ...] = (1, 1, 1), seed: int = 3
) -> tuple[Any, Any, Any]:
    """People's levels, the judge's, and people's marks."""
    draw = np.random.default_rng(seed)
    levels = draw.integers(1, 6, (n, 3)).astype(float)
    judge = np.clip(np.rint(levels + draw.normal(lenient, noise, (n, 3))), 1, 5)
    marks = weighted_scores((levels - 1) / 4, true) + draw.normal(0, 0.05, n)
    return levels, judge, np.clip(np.rint(10 * marks), 0, 10) / 10


def rated(row: Any) -> dict[str, Rated]:
    return {name: Rated(float(level)) for name, level in zip(NAMES, row, strict=True)}


def labelled(levels: Any, marks: Any, **more: Any) -> ExampleSet:
    examples = []
    for i, (row, mark) in enumerate(zip(levels, marks, strict=True)):
        said = rated(row) if row is not None else {}
        label = Rating(f"e{i}", "person", "human", said, overall=float(mark))
        examples.append(Example(Submission(f"r{i}", {}, f"e{i}"), (label,), **more))
    return ExampleSet(tuple(examples))


def ratings(judge: Any) -> list[Rating]:
    return [Rating(f"e{i}", "judge", "model", rated(row)) for i, row in enumerate(judge)]


def made(n: int, of: Rubric | None = None, **more: Any) -> Proposal:
    levels, judge, marks = world(n, **more)
    return propose(of or rubric(), labelled(levels, marks), ratings=ratings(judge))


def test_the_same_labels_give_the_same_proposal() -> None:
    assert made(80).chosen.weights == made(80).chosen.weights


def test_people_s_levels_tell_the_weights_and_the_judge_s_the_judge() -> None:
    proposal = made(150, lenient=1.0)
    human, judge = proposal.tuned["human"], proposal.tuned["judge"]
    assert not human.mark.supported
    assert judge.mark.supported
    assert judge.mark.after > 0.6
    assert proposal.source == "judge"
    assert proposal.changes().pass_mark == judge.mark.after


def test_levels_alone_say_nothing_of_the_mark_they_are_held_to() -> None:
    levels, judge, _ = world(120, lenient=1.2)
    examples = tuple(
        Example(Submission("", {}, f"e{i}"), (Rating(f"e{i}", "p", "human", rated(row)),))
        for i, row in enumerate(levels)
    )
    proposal = propose(rubric(), ExampleSet(examples), ratings=ratings(judge))
    assert proposal.tuned["human"].mark.p is None
    assert "no example has a score and labels that decide whether it passes" in proposal.tuned["human"].mark.reason
    assert proposal.tuned["judge"].mark.after > 0.5
    assert proposal.tuned["judge"].weights.p is None
    assert not proposal.too_few


def test_a_criterion_the_judge_is_lenient_on_gets_a_higher_threshold_of_its_own() -> None:
    levels, judge, marks = world(150, noise=0.3)
    judge[:, 0] = np.clip(judge[:, 0] + 1, 1, 5)
    proposal = propose(rubric(), labelled(levels, marks), ratings=ratings(judge))
    moved = proposal.changes().thresholds
    assert set(moved) == {"a"}
    assert moved["a"] > 0.5
    assert proposal.tuned["human"].thresholds == {}


def test_a_fault_s_threshold_is_held_to_its_absence() -> None:
    levels, judge, marks = world(150, noise=0.3)
    judge[:, 0] = np.clip(judge[:, 0] + 1, 1, 5)
    of = rubric(first={"weight": -1.0})
    proposal = propose(of, labelled(levels, marks), ratings=ratings(judge))
    assert proposal.changes().thresholds["a"] < 0.5


def test_a_required_criterion_keeps_its_weight() -> None:
    levels, judge, marks = world(150, true=(0.2, 2, 1))
    proposal = propose(rubric(first={"required": True}), labelled(levels, marks), ratings=ratings(judge))
    assert proposal.chosen.weights.supported
    assert "a" not in proposal.changes().weights


def test_a_judge_that_gives_one_number_has_a_mark_and_no_weights() -> None:
    levels, _, marks = world(150)
    numbers = np.clip(weighted_scores((levels - 1) / 4, (1, 1, 1)) + 0.2, 0, 1)
    whole = [Rating(f"e{i}", "judge", "model", overall=float(number)) for i, number in enumerate(numbers)]
    proposal = propose(rubric(), labelled(levels, marks), ratings=whole)
    assert proposal.chosen.weights.p is None
    assert proposal.chosen.mark.after > 0.6


def test_what_does_not_apply_is_left_out_of_the_score_and_of_the_fit() -> None:
    levels, judge, marks = world(150)
    said = ratings(judge)
    for i in range(30):
        criteria = {**said[i].criteria, "a": Rated(None, declined="not applicable")}
        said[i] = Rating(f"e{i}", "judge", "model", criteria)
    for i in range(30, 50):
        said[i] = Rating(f"e{i}", "judge", "model", {**said[i].criteria, "a": Rated(None, declined="abstained")})
    proposal = propose(rubric(), labelled(levels, marks), ratings=said)
    assert proposal.chosen.n == 130
    assert proposal.chosen.weights.held_out["mae"].before.n == 100


def test_contradictory_decisions_count_nowhere() -> None:
    levels, judge, marks = world(100)
    examples = labelled(levels, marks)
    twice = [
        Example(e.submission, (*e.labels, Rating(e.id, "person", "human", overall=1 - (e.labels[0].overall or 0))))
        for e in examples.examples[:20]
    ]
    whole = ExampleSet((*twice, *examples.examples[20:]))
    proposal = propose(rubric(), whole, ratings=ratings(judge))
    clash = [e.id for e in twice if (e.labels[0].overall or 0) != 0.5]
    assert list(proposal.contradictory) == clash
    assert proposal.chosen.marks == 100 - len(clash)


def test_no_labels_are_a_fault() -> None:
    with pytest.raises(ComparisonError):
        propose(rubric(), ExampleSet((Example(Submission("", {}, "e"), ()),)))


# --- the test split and the band ------------------------------------------------------------------------------------


def test_the_test_split_measures_a_proposal_made_without_it() -> None:
    levels, judge, marks = world(240, true=(3, 1, 1))
    whole = labelled(levels, marks).examples
    dev, test = ExampleSet(whole[:160]), ExampleSet(whole[160:])
    alone = propose(rubric(), dev, ratings=ratings(judge))
    both = propose(rubric(), dev, ratings=ratings(judge), test=test)
    assert both.chosen.weights == alone.chosen.weights
    assert alone.final is None
    assert both.final is not None
    mae = both.final["mae"]
    positions = (judge[160:] - 1) / 4
    before, after = (
        np.abs(weighted_scores(positions, w) - marks[160:]).mean() for w in ((1, 1, 1), alone.chosen.weights.after)
    )
    assert (mae.before.value, mae.after.value) == approx((before, after))
    assert mae.difference.value == approx(after - before)
    assert mae.difference.high is not None
    assert mae.difference.high < 0


def test_a_band_promises_of_what_it_was_asked_to() -> None:
    levels, judge, marks = world(300, noise=0.25)
    for of, out_of in (("automatic", None), ("all", 300)):
        promised = Promised(of, 0.1, 0.9)  # type: ignore[arg-type]
        band = propose(rubric(), labelled(levels, marks), ratings=ratings(judge), promised=promised).band
        assert band is not None
        assert band.supported
        assert band.band is not None
        assert (band.band.promise, band.band.alpha) == (of, 0.1)
        assert band.band.automatic.n == (out_of or 300)
        assert band.after > 0


def test_labels_that_moved_numbers_before_promise_nothing() -> None:
    levels, judge, marks = world(300, noise=0.25)
    ids = [f"e{i}" for i in range(280)]
    band = propose(rubric(), labelled(levels, marks), ratings=ratings(judge), used=ids).band
    assert band is not None
    assert not band.supported
    assert "280 labels left out" in band.reason


def test_a_band_that_is_not_supported_can_not_be_proposed() -> None:
    with pytest.raises(ValueError, match="not proposed"):
        TunedBand(0.0, 0.1, supported=False, reason="", band=None, split="dev")


def test_a_rubric_with_more_scores_than_can_be_listed_is_tuned_by_those_that_occur() -> None:
    names = [f"c{i}" for i in range(9)]
    of = Rubric.from_dict({"criteria": [{"name": name, "description": "?"} for name in names]})
    draw = np.random.default_rng(2)
    levels = draw.integers(1, 6, (100, 9))
    marks = np.clip(np.rint(10 * (levels - 1).mean(axis=1) / 4), 0, 10) / 10
    examples, said = [], []
    for i, (row, mark) in enumerate(zip(levels.tolist(), marks.tolist(), strict=True)):
        label = Rating(f"e{i}", "p", "human", overall=mark)
        examples.append(Example(Submission("", {}, f"e{i}"), (label,)))
        said.append(Rating(f"e{i}", "j", "model", dict(zip(names, (Rated(float(x)) for x in row), strict=True))))
    assert propose(of, ExampleSet(tuple(examples)), ratings=said).chosen.mark.p is not None
