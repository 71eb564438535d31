"""Slices of the examples: a broken slice is found even if the whole looks fine, and no other slice is reported."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.findings.diagnosis import findings_of
from markscheme.calibration.findings.slices import MOST_PARTS, Slice, parts_of, slices_of
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Level, Scale
from markscheme.stats.group_sets import SETS
from tests.calibration.made import (
    Floats,
    Made,
    codes,
    compared,
    diagnosed,
    examples,
    judged,
    of_code,
    rounded,
    rubric,
    yes_no_rubric,
)

MADE = Made(120, seed=11)
SYSTEMS = ["abcd"[i % 4] for i in range(120)]
IN_D = np.array([system == "d" for system in SYSTEMS])


def slices(judge: Floats, **parts: object) -> tuple[Slice, ...]:
    labelled = examples(MADE.rubric, MADE.people, **parts)  # type: ignore[arg-type]
    return slices_of(compared(MADE.rubric, labelled, judged(MADE.rubric, judge)))


def standing_out(parts: tuple[Slice, ...]) -> list[tuple[str, str]]:
    return [(part.part.by, part.part.name) for part in parts if part.stands_out]


def test_examples_are_divided_into_slices_by_group_and_by_system_and_by_kind_of_label_and_by_length() -> None:
    lengths = list(range(100, 220))
    groups = [f"g{i % 12}" for i in range(120)]
    labelled = examples(MADE.rubric, MADE.people, groups=groups, systems=SYSTEMS, lengths=lengths)
    parts = parts_of(compared(MADE.rubric, labelled, judged(MADE.rubric, MADE.judge)))
    counted = {by: sum(part.by == by for part in parts) for by in ("group", "system", "label kind", "length")}
    assert counted == {"group": 12, "system": 4, "label kind": 0, "length": 3}
    for by in ("group", "system", "length"):
        together = np.sum([part.inside for part in parts if part.by == by], axis=0)
        assert (together == 1).all()


def test_metadata_that_divide_the_examples_exactly_by_system_define_no_further_slices() -> None:
    labelled = examples(MADE.rubric, MADE.people, systems=SYSTEMS)
    metadata = [
        {"language": "de" if place % 3 else "en", "wrote": SYSTEMS[place], "ticket": str(place), "level": "one"}
        for place in range(len(labelled.examples))
    ]
    marked = [replace(example, metadata=of) for example, of in zip(labelled.examples, metadata, strict=True)]
    compared_by = compared(MADE.rubric, ExampleSet(tuple(marked)), judged(MADE.rubric, MADE.judge))
    parts = [part for part in parts_of(compared_by) if part.is_known_before]
    assert {part.by for part in parts} == {"system", "language"}
    assert [part.called for part in parts if part.by == "language"] == ["language de", "language en"]


def test_for_over_a_thousand_groups_of_examples_the_jackknife_of_a_slice_leaves_out_sets_of_groups() -> None:
    n = 3300
    many = Made(n, seed=3)
    groups = [f"g{i // 3}" for i in range(n)]
    labelled = examples(many.rubric, many.people, groups=groups, systems=["ab"[i % 2] for i in range(n)])
    part = slices_of(compared(many.rubric, labelled, judged(many.rubric, many.judge)))[0]
    assert part.signed_error.n <= SETS
    assert {figures["mae"].n for figures in part.by_criterion.values()} == {part.signed_error.n}
    assert part.agreement.n == n // 2


def test_metadata_that_divide_the_examples_too_finely_make_no_slices() -> None:
    n = 5 * (MOST_PARTS + 1)
    many = Made(n, seed=1)
    labelled = examples(many.rubric, many.people, groups=[f"g{i // 5}" for i in range(n)])
    assert not [
        p for p in parts_of(compared(many.rubric, labelled, judged(many.rubric, many.judge))) if p.by == "group"
    ]


def test_no_slice_is_reported_if_the_judge_is_equally_good_on_all_slices() -> None:
    assert standing_out(slices(MADE.judge, systems=SYSTEMS)) == []


def test_of_all_slices_only_the_slice_on_which_the_judge_guesses_is_reported() -> None:
    judge = MADE.judge
    judge[IN_D] = rounded(3 + 1.3 * MADE.fresh[IN_D])
    broken = slices(judge, systems=SYSTEMS)
    assert standing_out(broken) == [("system", "d")]
    d = next(part for part in broken if part.part.name == "d")
    assert d.n == 30
    assert len(d.criteria) > 1
    assert d.figure is not None
    assert d.figure.p == d.p
    assert d.agreement.value is not None
    assert d.rest is not None
    assert d.agreement.value < d.rest - 0.2
    assert d.p <= 0.05


def test_a_slice_on_which_the_judge_fails_on_one_criterion_is_reported_with_that_criterion() -> None:
    judge = MADE.judge
    judge[IN_D, 1] = rounded(MADE.truth[IN_D, 1] + MADE.noise[IN_D, 1] + 1.8)
    broken = slices(judge, systems=SYSTEMS)
    d = next(part for part in broken if part.stands_out)
    assert (d.part.name, d.criteria) == ("d", ("facts",))
    assert d.figure is not None
    assert (d.figure.criterion, d.figure.name) == ("facts", "signed_error")
    assert d.shift is not None
    assert d.shift > 0.8
    findings = MADE.find(judge, systems=SYSTEMS)
    finding = of_code(findings, "broken-slice", "facts")
    assert codes(findings) == {"broken-slice"}
    assert all(IN_D[int(id.removeprefix("e"))] for id in finding.examples)
    assert "too high" in str(finding.suggestion)


def test_if_two_slices_have_the_same_examples_only_one_of_them_is_reported() -> None:
    judge = MADE.judge
    judge[IN_D] = rounded(3 + 1.3 * MADE.fresh[IN_D])
    groups = [f"of {system}" for system in SYSTEMS]
    assert len(standing_out(slices(judge, systems=SYSTEMS, groups=groups))) == 1


def test_a_judge_that_avoids_extreme_levels_on_all_systems_is_not_reported_as_failing_on_any_system() -> None:
    quality = np.where(np.array([system in "ab" for system in SYSTEMS]), 1.0, -1.0)[:, None]
    truth = MADE.truth + quality
    people = {
        name: rounded(truth + 0.4 * np.random.default_rng(seed).normal(size=truth.shape))
        for seed, name in enumerate(("p", "q"))
    }
    labelled = examples(MADE.rubric, people, systems=SYSTEMS)
    narrow = judged(MADE.rubric, rounded(3 + 0.5 * (truth - 3) + MADE.noise))
    assert standing_out(slices_of(compared(MADE.rubric, labelled, narrow))) == []


def test_a_slice_of_two_tasks_is_too_small_to_show_that_the_judge_fails_on_it() -> None:
    """Two tasks make up the part, one of them unlucky: examples of a task are not independent."""
    judge = MADE.judge
    unlucky = np.array([i % 12 == 0 for i in range(120)])
    judge[unlucky] = rounded(MADE.truth[unlucky] + 2)
    groups = [f"g{i % 12}" for i in range(120)]
    systems = ["x" if i % 12 in (0, 1) else "y" for i in range(120)]
    assert ("system", "x") not in standing_out(slices(judge, systems=systems, groups=groups))


def test_slices_on_unordered_levels_are_compared_by_the_share_of_equal_levels() -> None:
    of = rubric("which", scale=Scale((Level(0.0, "tie"), Level(1.0, "first"), Level(2.0, "second")), ordered=False))
    generator = np.random.default_rng(2)
    gold = generator.integers(0, 3, size=(120, 1)).astype(float)
    judge = np.where(IN_D[:, None], generator.integers(0, 3, size=gold.shape), gold)
    labelled = examples(of, {"p": gold}, systems=SYSTEMS)
    broken = slices_of(compared(of, labelled, judged(of, judge)))
    assert standing_out(broken) == [("system", "d")]


@pytest.mark.parametrize("by_label", [True, False])
def test_bias_on_a_slice_is_given_in_levels_for_numeric_levels_and_as_a_share_of_the_scale_for_named_levels(
    by_label: bool,
) -> None:
    words = ("bad", "poor", "fair", "good", "great")
    steps = tuple(Level(step / 4 if by_label else float(step), word) for step, word in enumerate(words))
    of = rubric("tone", "facts", "length", "form", scale=Scale(steps, by_label=by_label))
    gold = np.random.default_rng(2).integers(0, 4, size=(120, 4)) / (4.0 if by_label else 1.0)
    judge = gold.copy()
    judge[IN_D, 0] += 0.25 if by_label else 1.0
    labelled = examples(of, {"p": gold}, systems=SYSTEMS)
    (d,) = [part for part in slices_of(compared(of, labelled, judged(of, judge))) if part.stands_out]
    assert d.figure is not None
    assert d.figure.name in ("signed_error", "mae"), d.figure.name
    assert ("of the scale," if by_label else " levels,") in d.figure.in_words


def test_the_json_of_a_slice_has_the_documented_keys() -> None:
    entry = slices(MADE.judge, systems=SYSTEMS)[0].to_json()
    assert list(entry) == [
        "by",
        "name",
        "n",
        "agreement",
        "signed_error",
        "agreement_rest",
        "p",
        "stands_out",
        "criteria",
        "figure",
        "by_criterion",
    ]
    assert set(entry["by_criterion"]) == {criterion.name for criterion in MADE.rubric.criteria}
    assert {"exact_agreement", "weighted_kappa", "signed_error", "mae"} == set(entry["by_criterion"]["facts"])
    assert entry["by_criterion"]["facts"]["mae"]["n"] == 30
    assert entry["agreement"]["n"] == entry["n"] == 30


# --- base rates ------------------------------------------------------------------------------------------------------


def yes_no_parts(judge_says: Callable[[Floats, np.random.Generator], Floats], seed: int) -> tuple[Slice, ...]:
    """Return the slices of a yes/no judge on two systems, of which one is MET in 90% of examples and one in 30%."""
    generator = np.random.default_rng(seed)
    good = np.array([i % 4 < 3 for i in range(160)])
    gold = (generator.random(160) < np.where(good, 0.9, 0.3)).astype(float)[:, None]
    of = yes_no_rubric()
    labelled = examples(of, {"p": gold}, systems=["good" if is_good else "bad" for is_good in good])
    return slices_of(compared(of, labelled, judged(of, judge_says(gold, generator))))


def error_prone(gold: Floats, generator: np.random.Generator) -> Floats:
    return np.where(generator.random(gold.shape) < np.where(gold == 1, 0.05, 0.4), 1 - gold, gold)


@pytest.mark.parametrize("judge", [error_prone, lambda gold, _: np.ones_like(gold)])
def test_a_slice_of_worse_responses_is_rarely_reported_if_the_judge_is_as_good_on_it_as_elsewhere(
    judge: Callable[..., Floats],
) -> None:
    broken = [standing_out(yes_no_parts(judge, seed)) for seed in range(20)]
    assert sum(bool(parts) for parts in broken) <= 1


def test_a_judge_that_nearly_always_answers_met_is_reported_as_stuck_and_not_as_failing_on_a_slice() -> None:
    of = yes_no_rubric()
    gold = np.array([i % 4 < 2 for i in range(160)], dtype=float)[:, None]
    judge = np.where(np.arange(160)[:, None] % 40 == 3, 0.0, 1.0)
    labelled = examples(of, {"p": gold}, systems=["one" if i % 4 in (0, 3) else "other" for i in range(160)])
    findings = diagnosed(of, labelled, judged(of, judge))
    assert "stuck-judge" in codes(findings)
    assert "broken-slice" not in codes(findings)


def test_a_finding_on_a_slice_of_worse_responses_compares_it_with_other_responses_of_the_same_gold() -> None:
    truth = MADE.truth - np.where(IN_D, 1.0, 0.0)[:, None]
    people = {p: rounded(truth + 0.4 * np.random.default_rng(s).normal(size=truth.shape)) for s, p in enumerate("pq")}
    judge = rounded(truth + MADE.noise)
    judge[IN_D, 1] = rounded(truth[IN_D, 1] + MADE.noise[IN_D, 1] + 1.6)
    labelled = examples(MADE.rubric, people, systems=SYSTEMS)
    comparison = compared(MADE.rubric, labelled, judged(MADE.rubric, judge))
    d = next(part for part in slices_of(comparison) if part.stands_out)
    assert (d.part.name, d.criteria) == ("d", ("facts",))
    assert d.figure is not None
    inside = d.by_criterion["facts"][d.figure.name].value
    assert d.figure.inside == pytest.approx(inside)
    finding = of_code(list(findings_of(comparison, slices=slices_of(comparison))), "broken-slice", "facts")
    assert "elsewhere at the same gold" in finding.message
    assert f"{inside:.2f}" in finding.message
    assert "agreement" not in finding.message


@pytest.mark.parametrize("n", [12, 29])
def test_fewer_than_thirty_examples_are_not_sliced_by_length(n: int) -> None:
    few = Made(n, seed=2)
    labelled = examples(few.rubric, few.people, lengths=list(range(50, 50 + n)))
    assert parts_of(compared(few.rubric, labelled, judged(few.rubric, few.judge))) == []
