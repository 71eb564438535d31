"""Repairs: the decisions that change if gold's levels on one criterion replace the judge's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from markscheme.calibration.comparison.repairs import Repair, Repairs
from markscheme.grading.score import decision_of_levels, score_of_levels
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import SAME_AS_LEVELS
from markscheme.rubrics.rubric import YES_NO, Criterion, Rubric, Scale
from tests.calibration.made import FIVE, compared, examples, judged, rubric
from tests.reference.repair_cases import REPAIRS, RepairCase
from tests.stats.shared_numbers import block

NOT_APPLICABLE = None
Levels = dict[str, float | None]


def rubric_of(case: RepairCase) -> Rubric:
    """Make the rubric of a worked case."""
    criteria = (
        Criterion(float(options["weight"]), f"Is it {name}?", name=name, required=options.get("required", False))
        for name, options in case.criteria.items()
    )
    return Rubric(tuple(criteria), pass_mark=case.mark)


def counts_of(repair: Repair) -> tuple[int, int, int]:
    """Return the numbers of false passes repaired, false fails repaired, and right decisions broken."""
    return len(repair.false_passes), len(repair.false_fails), repair.broken


def repairs_of(of: Rubric, labelled: ExampleSet, ratings: Sequence[Rating]) -> Repairs:
    """Return the repairs by each criterion of a judge compared with labels."""
    repairs = compared(of, labelled, ratings).repairs
    assert repairs is not None
    return repairs


@pytest.mark.parametrize("case", REPAIRS, ids=["required", "broken", "pair"])
def test_numbers_of_decisions_that_fixing_a_criterion_corrects_equal_those_worked_out_by_hand(case: RepairCase) -> None:
    times = [n for n, *_ in case.examples]
    gold = np.repeat([levels for _, levels, _ in case.examples], times, axis=0)
    judge = np.repeat([levels for *_, levels in case.examples], times, axis=0)
    of = rubric_of(case)
    repairs = repairs_of(of, examples(of, {"p": gold}), judged(of, judge))
    assert repairs.totals.wrong == case.wrong
    assert {name: counts_of(repair) for name, repair in repairs.by_criterion.items()} == case.single
    pair = None if repairs.pair is None else (repairs.pair.criteria, counts_of(repairs.pair))
    assert pair == case.pair


def test_the_numbers_of_corrected_decisions_that_these_tests_expect_equal_those_in_the_file_of_reference_values() -> (
    None
):
    for case, shared in zip(REPAIRS, block("gate.yaml", "repairs"), strict=True):
        names = list(shared["criteria"])
        assert (case.criteria, case.mark, case.wrong) == (shared["criteria"], shared["mark"], shared["wrong"])
        assert case.examples == [(shown["n"], shown["G"], shown["J"]) for shown in shared["examples"]]
        assert case.single == {name: tuple(shared[name].values()) for name in names}
        pairs = {tuple(key.split("_and_")): tuple(counts.values()) for key, counts in shared.get("pair", {}).items()}
        assert ({} if case.pair is None else dict([case.pair])) == pairs


# --- as grading decides ---------------------------------------------------------------------------------------------

REASON = Scale.of_categories(["refund", "delay", "other"])
RUBRICS = (
    Rubric(
        (
            Criterion(3.0, "A", name="a", scale=FIVE, required=True, threshold=0.25, not_applicable=True),
            Criterion(-2.0, "B", name="b", not_applicable=True),
            Criterion(1.0, "C", name="c", not_applicable=True),
            Criterion(0.5, "D", name="d", scale=FIVE, not_applicable=True),
        ),
        pass_mark=0.55,
    ),
    Rubric(
        (
            Criterion(-2.0, "A", name="a", required=True, not_applicable=True),
            Criterion(-1.0, "B", name="b", scale=FIVE, not_applicable=True),
            Criterion(-1.5, "C", name="c", not_applicable=True),
        ),
        pass_mark=0.7,
    ),
    Rubric(
        (
            Criterion(1.0, "A", name="a", not_applicable=True),
            Criterion(1.0, "R", name="reason", scale=REASON, passing=("refund", "delay")),
            Criterion(2.0, "B", name="b", scale=FIVE, not_applicable=True),
        ),
        pass_mark=0.5,
    ),
    Rubric(
        (
            Criterion(1.0, "R", name="reason", scale=REASON, passing=("refund",)),
            Criterion(1.0, "S", name="second", scale=REASON, passing=("delay", "other")),
        )
    ),
)


def drawn(of: Rubric, generator: np.random.Generator) -> Levels:
    """Draw a random level for each criterion; some criteria don't apply."""
    levels: Levels = {}
    for criterion in of.criteria:
        is_out = criterion.not_applicable and generator.random() < 0.2
        levels[criterion.name] = NOT_APPLICABLE if is_out else float(generator.choice(criterion.scale.values))
    return levels


def changed(of: Rubric, levels: Levels, generator: np.random.Generator) -> Levels:
    """Return levels of which about a third are drawn again at random."""
    again = drawn(of, generator)
    return {name: again[name] if generator.random() < 0.35 else level for name, level in levels.items()}


def rating_of(unit: str, rater: str, levels: Levels, **more: Any) -> Rating:
    """Make a rating from levels by criterion, some of which may be "doesn't apply"."""
    rated = {
        name: Rated(None, declined="not applicable") if level is NOT_APPLICABLE else Rated(level)
        for name, level in levels.items()
    }
    return Rating(unit, rater, "human" if rater == "p" else "model", rated, **more)


def labelled(golds: Sequence[Levels]) -> ExampleSet:
    """Make labelled examples e0, e1, … from gold levels."""
    return ExampleSet(
        tuple(Example(Submission("r", {}, f"e{i}"), (rating_of(f"e{i}", "p", gold),)) for i, gold in enumerate(golds))
    )


def ratings_of(judges: Sequence[Levels]) -> list[Rating]:
    """Make the judge's ratings of the examples e0, e1, … from levels."""
    return [rating_of(f"e{i}", "judge", levels) for i, levels in enumerate(judges)]


def decided(of: Rubric, levels: Levels) -> bool | None:
    """Return the pass/fail decision that follows from some levels."""
    there = {name: level for name, level in levels.items() if level is not NOT_APPLICABLE}
    score = score_of_levels(there, of, [name for name in levels if name not in there])
    return decision_of_levels(score, there, of)


def counted_one_by_one(of: Rubric, golds: Sequence[Levels], judges: Sequence[Levels], names: Sequence[str]) -> Any:
    """Count repairs by deciding each example again with gold's levels on the named criteria."""
    counts = [0, 0, 0]
    for gold, judge in zip(golds, judges, strict=True):
        people, now = decided(of, gold), decided(of, judge)
        then = decided(of, {**judge, **{name: gold[name] for name in names}})
        if people is None or now is None or then is None:
            continue
        counts[0] += not people and now and not then
        counts[1] += people and not now and then
        counts[2] += people == now and people != then
    return tuple(counts)


@pytest.mark.parametrize("of", RUBRICS, ids=["negative weights", "faults alone", "a category", "categories alone"])
@pytest.mark.parametrize("seed", range(5))
def test_decisions_corrected_by_fixing_a_criterion_are_those_that_change_if_gold_s_level_replaces_the_judge_s(
    of: Rubric, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    golds = [drawn(of, generator) for _ in range(80)]
    judges = [changed(of, gold, generator) for gold in golds]
    repairs = repairs_of(of, labelled(golds), ratings_of(judges))
    assert sum(map(sum, (counts_of(repair) for repair in repairs.by_criterion.values())))
    for name, repair in repairs.by_criterion.items():
        assert counts_of(repair) == counted_one_by_one(of, golds, judges, [name])


@pytest.mark.parametrize("seed", range(5))
def test_the_pair_of_criteria_named_to_fix_together_corrects_the_most_wrong_decisions_of_all_pairs(seed: int) -> None:
    generator = np.random.default_rng(seed)
    of = replace(rubric(*"abcdefgh", scale=YES_NO), pass_mark=0.6)
    gold = (generator.random((200, 8)) < 0.5).astype(float)
    gold = gold[gold.sum(axis=1) == 3]
    judge = gold.copy()
    for row in judge:  # two errors an example, of which each alone leaves it passing
        row[generator.choice(np.flatnonzero(row == 0), 3, replace=False)] = 1
    repairs = repairs_of(of, examples(of, {"p": gold}), judged(of, judge))
    names = list("abcdefgh")
    golds = [dict(zip(names, row, strict=True)) for row in gold.tolist()]
    judges = [dict(zip(names, row, strict=True)) for row in judge.tolist()]
    best = max(
        (stopped, stopped + kept - broken)
        for place, first in enumerate(names)
        for second in names[place + 1 :]
        for stopped, kept, broken in [counted_one_by_one(of, golds, judges, [first, second])]
    )
    assert repairs.pair is not None
    assert repairs.pair.rank[:2] == best
    assert counts_of(repairs.pair) == counted_one_by_one(of, golds, judges, repairs.pair.criteria)


# --- laws -----------------------------------------------------------------------------------------------------------


def made(seed: int = 0, n: int = 60) -> tuple[Rubric, list[Levels], list[Levels]]:
    """Make a rubric, random gold levels, and a judge's levels that differ from some of them."""
    generator = np.random.default_rng(seed)
    of = RUBRICS[0]
    golds = [drawn(of, generator) for _ in range(n)]
    return of, golds, [changed(of, gold, generator) for gold in golds]


def counts(repairs: Repairs) -> dict[str, tuple[int, int, int]]:
    return {name: counts_of(repair) for name, repair in repairs.by_criterion.items()}


def test_the_order_of_examples_and_criteria_does_not_change_how_many_decisions_fixing_a_criterion_corrects() -> None:
    of, golds, judges = made()
    as_it_is = counts(repairs_of(of, labelled(golds), ratings_of(judges)))
    order = np.random.default_rng(1).permutation(len(golds)).tolist()
    shuffled = [golds[place] for place in order], [judges[place] for place in order]
    assert counts(repairs_of(of, labelled(shuffled[0]), ratings_of(shuffled[1]))) == as_it_is
    turned = replace(of, criteria=of.criteria[::-1])
    assert counts(repairs_of(turned, labelled(golds), ratings_of(judges))) == as_it_is


def test_decisions_that_fixing_a_criterion_corrects_double_if_every_example_is_doubled() -> None:
    of, golds, judges = made()
    once = counts(repairs_of(of, labelled(golds), ratings_of(judges)))
    twice = counts(repairs_of(of, labelled(golds * 2), ratings_of(judges * 2)))
    assert twice == {name: tuple(2 * count for count in of_one) for name, of_one in once.items()}
    assert counts(repairs_of(of, labelled(golds * 2), ratings_of(judges + golds))) == once


def test_fixing_a_criterion_corrects_decisions_only_on_examples_with_a_gold_level_on_the_criterion() -> None:
    of = rubric("a", "b", scale=YES_NO)
    gold, judge = [[0, 0]] * 4, [[1, 0]] * 4
    people = ExampleSet(
        tuple(
            replace(
                example,
                labels=tuple(
                    replace(label, passed=False, criteria={"b": label.criteria["b"]} if place < 3 else label.criteria)
                    for label in example.labels
                ),
            )
            for place, example in enumerate(examples(of, {"p": gold}).examples)
        )
    )
    repairs = repairs_of(of, people, judged(of, judge))
    assert repairs.totals.false_passes == 4
    assert {name: repair.decided for name, repair in repairs.by_criterion.items()} == {"a": 1, "b": 4}
    assert counts(repairs) == {"a": (1, 0, 0), "b": (0, 0, 0)}


def test_two_annotators_who_disagree_leave_no_gold_level_even_if_a_third_calls_the_criterion_inapplicable() -> None:
    of = RUBRICS[1]
    levels: Levels = {"a": 0.0, "b": 1.0, "c": 0.0}
    people = (
        rating_of("e0", "p", levels, passed=True),
        replace(rating_of("e0", "q", {**levels, "c": 1.0}, passed=True), kind="human"),
        replace(rating_of("e0", "r", {**levels, "c": NOT_APPLICABLE}, passed=True), kind="human"),
    )
    repairs = repairs_of(of, ExampleSet((Example(Submission("r", {}, "e0"), people),)), ratings_of([levels]))
    assert {name: repair.decided for name, repair in repairs.by_criterion.items()} == {"a": 1, "b": 1, "c": 0}


def test_an_example_that_the_judge_rated_in_three_samples_counts_once_among_the_decisions_that_a_fix_corrects() -> None:
    of = rubric("a", "b", scale=YES_NO)
    gold = [[0, 0]] * 3
    samples = [rated for sample in range(3) for rated in judged(of, [[sample < 2, 0]] * 3, sample=sample)]
    assert counts(repairs_of(of, examples(of, {"p": gold}), samples)) == {"a": (3, 0, 0), "b": (0, 0, 0)}


def test_decisions_that_stay_wrong_even_with_gold_s_levels_on_every_criterion_are_listed() -> None:
    of = rubric("a", "b", scale=YES_NO)
    labels = examples(of, {"p": [[1, 1]] * 4 + [[0, 0]] * 2})
    failed = tuple(
        replace(example, labels=tuple(replace(label, passed=False) for label in example.labels))
        for example in labels.examples
    )
    repairs = repairs_of(of, ExampleSet(failed), judged(of, [[1, 1]] * 6))
    assert repairs.stays_wrong == ("e0", "e1", "e2", "e3")
    assert repairs.to_json()["mark_or_weights"] == repairs.stays_wrong


# --- where nothing is counted ---------------------------------------------------------------------------------------


def test_decisions_that_a_fix_corrects_are_counted_only_if_the_judge_s_decisions_follow_from_its_levels() -> None:
    of = rubric("a", "b", scale=YES_NO)
    gold, judge = [[0, 1], [1, 1], [0, 0]], [[1, 1], [1, 1], [0, 1]]
    labels = examples(of, {"p": gold})
    as_levels = [replace(rated, overall=mean) for rated, mean in zip(judged(of, judge), (1, 1, 0.5), strict=True)]
    assert compared(of, labels, as_levels).repairs is not None
    holistic = [replace(rated, overall=mean) for rated, mean in zip(judged(of, judge), (1, 0.8, 0.5), strict=True)]
    assert compared(of, labels, holistic).repairs is None
    given = [replace(rated, passed=rated.id != "e2") for rated in judged(of, judge)]
    assert compared(of, labels, given).repairs is None
    whole = [Rating(f"e{i}", "judge", "model", {}, overall=0.9) for i in range(3)]
    assert compared(of, labels, whole).repairs is None


def test_decisions_that_a_fix_corrects_are_counted_even_if_a_score_differs_by_rounding_from_its_levels() -> None:
    of = rubric("a", "b", "c", scale=YES_NO)
    rounded_off = [replace(rated, overall=1 / 3 + SAME_AS_LEVELS / 2) for rated in judged(of, [[1, 0, 0]] * 3)]
    assert compared(of, examples(of, {"p": [[0, 0, 0]] * 3}), rounded_off).repairs is not None


def test_decisions_that_a_fix_corrects_are_not_counted_for_a_rubric_with_a_single_criterion() -> None:
    of = rubric("a", scale=YES_NO)
    assert compared(of, examples(of, {"p": [[0], [1]]}), judged(of, [[1], [1]])).repairs is None
