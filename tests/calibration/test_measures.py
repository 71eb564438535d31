"""All figures of a comparison follow the chosen measure: score, decision or a single criterion."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import Comparison, compare, measure_of
from markscheme.calibration.comparison.policy import states_of
from markscheme.calibration.decision import decide
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.findings.slices import slices_of
from markscheme.calibration.options import LabelOptions
from markscheme.errors import UsageError
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale

EXAMPLES, ANNOTATORS = 48, 3
RUBRIC = Rubric(
    (
        Criterion(2.0, "It is polite.", name="tone", scale=Scale.numbered(1, 5)),
        Criterion(1.0, "It answers.", name="answers", scale=YES_NO),
        Criterion(-1.0, "It is rude.", name="rude", scale=Scale.numbered(1, 3)),
    ),
    name="reply",
)
DECIDES = Rubric((Criterion(1.0, "It may be sent.", name="send", scale=YES_NO),), name="reply")
SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.proof) for seed in (2, 3))]
"""Worlds without and with groups; one more of each kind proves the same."""
ONE_SEED = [1, *(pytest.param(seed, marks=pytest.mark.proof) for seed in (0, 2, 3))]
"""A world with groups; the others prove the same of what rests on figures that are tried in several."""


class World:
    """Random examples with levels and decisions by three annotators, and two runs of a judge."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.grouped = bool(seed % 2)
        self.truth = {c.name: self.draw.choice(c.scale.values, EXAMPLES) for c in RUBRIC.criteria}
        self.sent = self.draw.random(EXAMPLES) < 0.6
        self.labels = [[self.rating(i, f"annotator {k}", "human") for k in range(ANNOTATORS)] for i in range(EXAMPLES)]
        self.runs = [[self.rating(i, "judge", "model") for i in range(EXAMPLES)] for _ in range(2)]

    def rating(self, place: int, rater: str, kind: str) -> Rating:
        levels = {
            c.name: float(self.truth[c.name][place] if self.draw.random() < 0.7 else self.draw.choice(c.scale.values))
            for c in RUBRIC.criteria
        }
        passed = bool(self.sent[place]) if self.draw.random() < 0.8 else not self.sent[place]
        rated = {name: Rated(level) for name, level in levels.items()}
        return Rating(f"e{place}", rater, kind, rated, passed=passed)  # type: ignore[arg-type]

    def examples(self, rubric: Rubric = RUBRIC) -> ExampleSet:
        """The examples with their labels under one of the rubrics."""
        return ExampleSet(
            tuple(
                Example(
                    Submission("x" * (50 + i), {}, f"e{i}"),
                    tuple(under(rubric, labels)),
                    group=f"task {i // 4}" if self.grouped else "",
                    system="new" if i % 3 else "old",
                )
                for i, labels in enumerate(self.labels)
            )
        )

    def comparison(self, rubric: Rubric = RUBRIC, of: str = "score") -> Comparison:
        """The judge's first run compared with gold."""
        gold = gold_of(self.examples(rubric), rubric)
        return compare(gold.judged(rubric, under(rubric, self.runs[0])), of=of)

    def calibrated(self, folder: Path, rubric: Rubric = RUBRIC, of: str = "score") -> Calibration:
        """The judge's second run, compared with the first one as accepted."""
        rater, options = Rater("judge", "", "ratings"), LabelOptions(of=of)
        first = calibration_of(rubric, self.examples(rubric), under(rubric, self.runs[0]), rater, options=options)
        accept(first, folder / "accepted.json")
        since = AcceptedBasis(load_accepted(folder / "accepted.json"))
        ratings = under(rubric, self.runs[1])
        return calibration_of(rubric, self.examples(rubric), ratings, rater, options=options, since=since)


def under(rubric: Rubric, ratings: Sequence[Rating]) -> list[Rating]:
    """Return ratings for a rubric of some criteria only, or with the decision as the level of its single question."""
    if rubric == RUBRIC:
        return list(ratings)
    if rubric == DECIDES:
        return [replace(one, criteria={"send": Rated(float(bool(one.passed)))}, passed=None) for one in ratings]
    names = {criterion.name for criterion in rubric.criteria}
    return [
        replace(one, criteria={name: rated for name, rated in one.criteria.items() if name in names}, passed=None)
        for one in ratings
    ]


def alone(name: str) -> Rubric:
    """Make a rubric with only one of the criteria."""
    return replace(RUBRIC, criteria=(RUBRIC.criterion(name),))


MEASURES = [("decision", DECIDES), *((criterion.name, alone(criterion.name)) for criterion in RUBRIC.criteria)]
"""What is compared, and the rubric that asks for nothing else."""
each_measure = pytest.mark.parametrize(("of", "rubric"), MEASURES, ids=[of for of, _ in MEASURES])


@each_measure
@pytest.mark.parametrize("seed", SEEDS)
def test_the_figures_of_one_criterion_or_of_decisions_equal_those_of_a_rubric_with_a_single_criterion(
    seed: int, of: str, rubric: Rubric
) -> None:
    world = World(seed)
    compared, expected = world.comparison(of=of), world.comparison(rubric)
    assert compared.figures == expected.figures
    assert compared.agreement == expected.agreement
    assert compared.agreement_constant == expected.agreement_constant
    assert compared.gain == expected.gain
    assert compared.agreement_person == expected.agreement_person
    assert compared.agreement_with_person == expected.agreement_with_person
    assert compared.agreement_person is not None
    assert compared.misses.tolist() == expected.misses.tolist()


@each_measure
@pytest.mark.parametrize("seed", SEEDS)
def test_the_verdict_by_one_criterion_or_by_decisions_equals_that_of_a_rubric_with_a_single_criterion(
    seed: int, of: str, rubric: Rubric
) -> None:
    world = World(seed)
    for target in (0.5, 0.7, 0.9):
        ruled, expected = (decide(one, target=target) for one in (world.comparison(of=of), world.comparison(rubric)))
        assert ruled.trend == expected.trend
        if of == "decision":
            assert ruled.row == expected.row
            assert ruled.labels_needed == expected.labels_needed
        else:
            assert ruled.gate is None
    states = states_of(world.comparison(of=of).figures, 0.5)
    assert states == states_of(world.comparison(rubric).figures, 0.5)


@each_measure
@pytest.mark.parametrize("seed", SEEDS)
def test_figures_of_slices_by_one_criterion_or_by_decisions_equal_those_of_a_rubric_with_a_single_criterion(
    seed: int, of: str, rubric: Rubric
) -> None:
    world = World(seed)
    slices, expected = slices_of(world.comparison(of=of)), slices_of(world.comparison(rubric))
    assert len(slices) == len(expected) > 2
    for part, twin in zip(slices, expected, strict=True):
        assert (part.part.called, part.n, part.rest) == (twin.part.called, twin.n, twin.rest)
        assert part.agreement == twin.agreement
        assert part.signed_error == twin.signed_error


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_by_criterion_is_the_share_of_equal_levels_and_agreement_by_decision_is_accuracy(seed: int) -> None:
    comparison = World(seed).comparison()
    for criterion in RUBRIC.criteria:
        statistics = comparison.criteria[criterion.name].statistics
        assert comparison.by(criterion).agreement == statistics["exact_agreement"]
    assert comparison.by("decision").agreement == comparison.overall["accuracy"]
    assert comparison.by("decision").by("score").agreement == comparison.agreement


def test_the_best_constant_decision_is_to_pass_everything_or_to_fail_everything() -> None:
    gold = [[Rating(f"e{i}", "annotator", "human", {}, passed=i < 14)] for i in range(20)]
    examples = ExampleSet(tuple(Example(Submission("x", {}, f"e{i}"), tuple(g)) for i, g in enumerate(gold)))
    never = [Rating(f"e{i}", "judge", "model", {}, passed=False) for i in range(20)]
    comparison = compare(gold_of(examples, DECIDES).judged(DECIDES, never), of="decision")
    assert comparison.figures.constant_value == 1.0
    assert comparison.agreement_constant.value == 0.7
    assert comparison.agreement.value == pytest.approx(0.3)


def test_comparing_on_a_criterion_that_the_rubric_does_not_have_is_an_error() -> None:
    with pytest.raises(UsageError, match="style"):
        World(0).comparison(of="style")


@pytest.mark.parametrize(("value", "words"), [(0.25, "always answering 2"), (1 / 6, "always answering 1.67")])
def test_a_constant_score_of_a_rubric_with_one_criterion_is_printed_on_the_criterion_s_scale(
    value: float, words: str
) -> None:
    alone = Rubric((Criterion(1.0, "Is it good?", "good", Scale.numbered(1, 5)),))
    assert measure_of(alone).always(value) == words
