"""What labels support changing in a rubric, from examples and ratings in memory."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.calibration.decided_labels import DecisionOrigins, decided_labels
from markscheme.errors import ComparisonError
from markscheme.features.improve.numbers import Proposal, propose
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.weighted_scores import weighted_scores
from markscheme.submission import Submission
from tests.calibration.weighed_examples import NAMES, labelled, ratings, rubric, undecided, world

approx = pytest.approx


def made(n: int, of: Rubric | None = None, **more: Any) -> Proposal:
    levels, judge, marks = world(n, **more)
    return propose(of or rubric(), labelled(levels, marks), ratings=ratings(judge))


def test_the_same_labels_give_the_same_proposal() -> None:
    assert made(80).chosen.weights == made(80).chosen.weights


# --- the pass mark: the rules that worked cases state, on made data ---------------------------------------------------


def decided(n: int, *, passes_from: float, seed: int = 1, blur: float = 0.06) -> tuple[Any, Any]:
    """People's own scores and their explicit decisions, which turn at `passes_from`."""
    draw = np.random.default_rng(seed)
    scores = draw.uniform(0.05, 0.95, n)
    return scores, scores + draw.normal(0, blur, n) >= passes_from


def whole(scores: Any, passed: Any, *, own: bool) -> ExampleSet:
    """Examples with explicit decisions, and with people's own scores where `own`."""
    return ExampleSet(
        tuple(
            Example(
                Submission(f"r{i}", {}, f"e{i}"),
                (Rating(f"e{i}", "p", "human", overall=float(score) if own else None, passed=bool(ok)),),
            )
            for i, (score, ok) in enumerate(zip(scores, passed, strict=True))
        )
    )


def numbers(scores: Any) -> list[Rating]:
    """A judge that gives one score."""
    return [Rating(f"e{i}", "judge", "model", overall=float(score)) for i, score in enumerate(scores)]


def test_without_explicit_decisions_there_is_no_test_of_the_mark_however_low_the_judge() -> None:
    scores, _ = decided(200, passes_from=0.5)
    examples = ExampleSet(
        tuple(
            Example(Submission("", {}, f"e{i}"), (Rating(f"e{i}", "p", "human", overall=float(score)),))
            for i, score in enumerate(scores)
        )
    )
    for source in ("human", "judge"):
        tuned = propose(rubric(), examples, ratings=numbers(np.clip(scores - 0.15, 0, 1))).tuned[source]
        assert (tuned.mark.supported, tuned.mark.p, tuned.pass_mark.through) == (False, None, None)
        assert "no annotator decided pass or fail" in tuned.mark.reason


def test_where_decisions_fit_people_s_own_scores_the_mark_stays_and_the_judge_is_called_biased() -> None:
    scores, passed = decided(60, passes_from=0.5)
    proposal = propose(rubric(), whole(scores, passed, own=True), ratings=numbers(np.clip(scores - 0.25, 0, 1)))
    mark = proposal.tuned["judge"].pass_mark
    assert (mark.mark.supported, mark.through) == (False, "people")
    assert mark.bias == approx(np.mean(np.clip(scores - 0.25, 0, 1) - scores))
    assert "biased" in mark.mark.reason
    assert proposal.changes().pass_mark is None


def test_without_people_s_own_scores_the_mark_is_one_for_this_judge() -> None:
    scores, passed = decided(60, passes_from=0.5)
    proposal = propose(rubric(), whole(scores, passed, own=False), ratings=numbers(np.clip(scores - 0.2, 0, 1)))
    mark = proposal.chosen.pass_mark
    assert (mark.mark.supported, mark.through, mark.bias) == (True, "judge", None)
    assert 0.2 < mark.mark.after < 0.4


def test_where_decisions_turn_elsewhere_on_people_s_own_scores_the_rubric_s_mark_moves() -> None:
    scores, passed = decided(120, passes_from=0.65)
    proposal = propose(rubric(), whole(scores, passed, own=True), ratings=numbers(scores))
    for tuned in proposal.tuned.values():
        assert (tuned.mark.supported, tuned.pass_mark.through) == (True, "people")
        assert 0.58 < tuned.mark.after < 0.72


def test_decisions_of_a_model_or_by_construction_move_no_mark() -> None:
    scores, passed = decided(120, passes_from=0.8)
    examples = ExampleSet(
        tuple(
            replace(example, labels=tuple(replace(label, kind="constructed") for label in example.labels))
            for example in whole(scores, passed, own=True).examples
        )
    )
    assert propose(rubric(), examples, ratings=numbers(scores)).chosen.mark.p is None


# --- thresholds -------------------------------------------------------------------------------------------------------


def test_levels_of_a_longer_scale_move_no_threshold() -> None:
    levels, judge, marks = world(150, noise=0.3)
    judge[:, 0] = np.clip(judge[:, 0] + 1, 1, 5)
    proposal = propose(rubric(), labelled(levels, marks), ratings=ratings(judge))
    assert proposal.changes().thresholds == {}
    assert {threshold.p for threshold in proposal.tuned["judge"].thresholds.values()} == {None}
    assert proposal.tuned["human"].thresholds == {}


@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_met_and_not_met_by_people_move_the_threshold_on_a_judge_s_finer_scale(weight: float) -> None:
    of = Rubric.from_dict({"criteria": [{"name": "a", "requirement": "a?", "weight": weight}, {"requirement": "b?"}]})
    draw = np.random.default_rng(4)
    merit = draw.integers(0, 11, 200) / 10
    met = (merit + draw.normal(0, 0.05, 200) >= 0.75) == (weight > 0)
    examples = ExampleSet(
        tuple(
            Example(Submission("", {}, f"e{i}"), (Rating(f"e{i}", "p", "human", {"a": Rated(float(ok))}),))
            for i, ok in enumerate(met)
        )
    )
    judge = merit if weight > 0 else 1 - merit
    rows = [Rating(f"e{i}", "j", "model", {"a": Rated(float(level))}) for i, level in enumerate(judge)]
    assert 0.65 < propose(of, examples, ratings=rows).changes().thresholds["a"] < 0.85


# --- weights ----------------------------------------------------------------------------------------------------------


def test_marks_computed_with_the_author_s_weights_are_left_out_and_said_to_be() -> None:
    levels, judge, _ = world(120)
    marks = weighted_scores((levels - 1) / 4, (1, 1, 1))
    marks[:6] = np.clip(marks[:6] + 0.2, 0, 1)
    proposal = propose(rubric(), labelled(levels, marks.round(3)), ratings=ratings(judge))
    assert proposal.computed >= 114
    assert proposal.chosen.marks <= 6
    assert proposal.chosen.weights.reason.startswith("these marks were computed with your weights")


def test_examples_that_the_prompt_quotes_leave_every_fit() -> None:
    levels, judge, marks = world(80)
    of = Rubric.from_dict(
        {
            "guidelines": "Say: 'the parcel left Leeds on Monday and arrives today'.",
            "criteria": [{"name": name, "description": f"{name}?", "examples": {"good": "r7"}} for name in NAMES],
        }
    )
    examples = labelled(levels, marks).examples
    shown = replace(examples[3], submission=Submission("the parcel left Leeds on Monday and arrives today", {}, "e3"))
    whole_set = ExampleSet((*examples[:3], shown, *examples[4:]))
    proposal = propose(of, whole_set, ratings=ratings(judge))
    assert proposal.quoted == ("e3", "e7")
    assert proposal.chosen.n == 78


def test_a_required_criterion_keeps_its_weight() -> None:
    levels, judge, marks = world(150, true=(0.2, 2, 1))
    proposal = propose(rubric(first={"required": True}), labelled(levels, marks), ratings=ratings(judge))
    assert proposal.chosen.weights.supported
    assert "a" not in proposal.changes().weights


def test_a_judge_that_gives_one_number_has_a_mark_and_no_weights() -> None:
    scores, passed = decided(150, passes_from=0.7)
    proposal = propose(rubric(), whole(scores, passed, own=False), ratings=numbers(scores))
    assert proposal.chosen.weights.p is None
    assert proposal.chosen.mark.after > 0.6


def test_what_does_not_apply_is_left_out_of_the_score_and_of_the_fit() -> None:
    levels, judge, marks = world(150)
    verdicts = ratings(judge)
    for i in range(30):
        criteria = {**verdicts[i].criteria, "a": Rated(None, declined="not applicable")}
        verdicts[i] = Rating(f"e{i}", "judge", "model", criteria)
    for i in range(30, 50):
        verdicts[i] = Rating(
            f"e{i}", "judge", "model", {**verdicts[i].criteria, "a": Rated(None, declined="abstained")}
        )
    proposal = propose(rubric(), labelled(levels, marks), ratings=verdicts)
    assert proposal.chosen.n == 130
    assert proposal.chosen.weights.held_out["mae"].before.n == 100


def test_contradictory_decisions_count_nowhere() -> None:
    levels, judge, marks = world(100)
    examples = labelled(levels, marks)
    twice = [
        Example(e.submission, (*e.labels, Rating(e.id, "person", "human", passed=not e.labels[0].passed)))
        for e in examples.examples[:20]
    ]
    proposal = propose(rubric(), ExampleSet((*twice, *examples.examples[20:])), ratings=ratings(judge))
    assert list(proposal.contradictory) == [e.id for e in twice]
    assert (proposal.chosen.marks, proposal.chosen.passes + proposal.chosen.fails) == (80, 80)


def test_no_labels_are_a_fault() -> None:
    with pytest.raises(ComparisonError):
        propose(rubric(), ExampleSet((Example(Submission("", {}, "e"), ()),)))


# --- the test split ---------------------------------------------------------------------------------------------------


def test_the_test_split_measures_a_proposal_made_without_it() -> None:
    levels, judge, marks = world(240, true=(3, 1, 1))
    every = labelled(levels, marks).examples
    dev, test = ExampleSet(every[:160]), ExampleSet(every[160:])
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


def test_without_explicit_decisions_pass_agreement_is_withheld() -> None:
    levels, judge, marks = world(240)
    every = undecided(labelled(levels, marks)).examples
    proposal = propose(
        rubric(), ExampleSet(every[:160]), ratings=ratings(judge), test=ExampleSet(every[160:])
    )  # fmt: skip
    assert proposal.final is not None
    assert (proposal.final["pass_agreement"].before.note or "").startswith("withheld")
    assert proposal.final["mae"].before.value is not None


def labels_of(*labels: tuple[str, float | None, bool | None]) -> Example:
    """An example with labels by rater, of one criterion and as a whole."""
    rated = [
        Rating("e", rater, "human", {} if of_a is None else {"a": Rated(of_a)}, passed=ok) for rater, of_a, ok in labels
    ]
    return Example(Submission("r", {}, "e"), tuple(rated))


YES_NO = Rubric.from_dict({"criteria": [{"name": "a", "requirement": "It is.", "required": True, "weight": 1}]})


@pytest.mark.parametrize(
    ("labels", "passed", "explicit"),
    [
        ([("ann", 1.0, None)], 1.0, 0),
        ([("ann", 0.0, None)], 0.0, 0),
        ([("ann", 1.0, False)], 0.0, 1),
        ([("ann", 1.0, None), ("ben", 0.0, True)], 1.0, 1),
        ([("ann", 1.0, None), ("ben", 0.0, None)], None, 0),
        ([("ann", 1.0, True), ("ben", 1.0, False)], None, 0),
        ([("ann", None, True)], 1.0, 1),
    ],
)
def test_a_certificate_uses_explicit_decisions_else_those_that_labels_come_to(
    labels: list[tuple[str, float | None, bool | None]], passed: float | None, explicit: int
) -> None:
    decided_by = decided_labels(YES_NO, ExampleSet((labels_of(*labels),)))
    assert decided_by.passed.tolist() == ([] if passed is None else [passed])
    assert decided_by.origins == DecisionOrigins(explicit, len(decided_by.ids) - explicit)


def test_labels_of_a_model_certify_nothing() -> None:
    example = labels_of(("ann", 1.0, None))
    by_model = replace(example, labels=tuple(replace(label, kind="model") for label in example.labels))
    assert decided_labels(YES_NO, ExampleSet((by_model,))).ids == ()


def test_a_rubric_with_more_scores_than_can_be_listed_is_tuned_by_those_that_occur() -> None:
    names = [f"c{i}" for i in range(9)]
    of = Rubric.from_dict({"criteria": [{"name": name, "description": "?"} for name in names]})
    draw = np.random.default_rng(2)
    levels = draw.integers(1, 6, (100, 9))
    marks = np.clip(np.rint(10 * (levels - 1).mean(axis=1) / 4), 0, 10) / 10
    examples, judged = [], []
    for i, (row, mark) in enumerate(zip(levels.tolist(), marks.tolist(), strict=True)):
        label = Rating(f"e{i}", "p", "human", overall=mark, passed=mark >= 0.5)
        examples.append(Example(Submission("", {}, f"e{i}"), (label,)))
        judged.append(Rating(f"e{i}", "j", "model", dict(zip(names, (Rated(float(x)) for x in row), strict=True))))
    assert propose(of, ExampleSet(tuple(examples)), ratings=judged).chosen.mark.p is not None
