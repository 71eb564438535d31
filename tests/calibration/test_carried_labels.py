"""Labels from before a rewording: which are given again, and whether the remaining ones count."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from markscheme.calibration.carried_labels import CarriedLabels, carried_labels
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating, asked_under, corrected
from markscheme.rubrics.rubric import Rubric, Scale
from tests.calibration.made import rubric

NOW = rubric("tone", "facts")
BEFORE = replace(NOW, criteria=(replace(NOW.criteria[0], requirement="Is it nice?"), NOW.criteria[1]))


def label(unit: int, rater: str, of: Rubric, levels: Mapping[str, float]) -> Rating:
    """Make a label that was given to a rubric's wording."""
    criteria = {name: Rated(level, under=of.criterion(name).wording) for name, level in levels.items()}
    return Rating(f"e{unit}", rater, "human", criteria, under=asked_under(of))


def again(unit: int, rater: str, then: float, now: float, facts: float = 3.0) -> Rating:
    """Make a label whose criterion `tone` was rated under the old words, and again under the new ones."""
    old = label(unit, rater, BEFORE, {"tone": then, "facts": facts})
    return corrected(old, label(unit, rater, NOW, {"tone": now}))


def old(unit: int, rater: str = "ana", tone: float = 3.0) -> Rating:
    return label(unit, rater, BEFORE, {"tone": tone, "facts": 3.0})


def set_of(labels: Sequence[Sequence[Rating]]) -> ExampleSet:
    return ExampleSet(tuple(Example(Submission("", {}, f"e{n}"), tuple(row)) for n, row in enumerate(labels)))


def carried(n: int, differing: int = 0, checked: int | None = None) -> CarriedLabels:
    """Make n old labels, of which the check's first `checked` (default all) are given again, `differing` changed."""
    first = carried_labels(set_of([[old(place)] for place in range(n)]), NOW)
    assert first is not None
    check = first.check[:checked]
    moved = set(check[:differing])
    rows = [
        [again(place, "ana", 3.0, 5.0 if f"e{place}" in moved else 3.0)] if f"e{place}" in check else [old(place)]
        for place in range(n)
    ]
    carried = carried_labels(set_of(rows), NOW)
    assert carried is not None
    assert carried.check == first.check
    return carried


def test_if_no_criterion_was_reworded_there_are_no_old_labels_to_carry_over() -> None:
    assert carried_labels(set_of([[label(0, "ana", NOW, {"tone": 1.0, "facts": 1.0})]]), NOW) is None
    assert carried_labels(set_of([[Rating("e0", "ana", "human", {"tone": Rated(1.0)})]]), NOW) is None


@pytest.mark.parametrize(("n", "check"), [(12, 12), (20, 20), (60, 20), (61, 21), (100, 34), (300, 100)])
def test_after_a_rewording_a_third_of_the_labelled_examples_but_at_least_20_are_chosen_to_be_relabelled(
    n: int, check: int
) -> None:
    assert len(carried(n, checked=0).check) == check


@pytest.mark.parametrize(
    ("n", "differing", "state", "for_gate"),
    [
        (60, 0, "old labels count", 60),
        (60, 1, "relabel the rest", 20),
        (90, 1, "old labels count", 90),
        (90, 2, "relabel the rest", 30),
        (45, 0, "old labels count", 45),
    ],
)
def test_old_labels_of_a_reworded_criterion_let_a_judge_gate_if_relabelling_a_third_of_these_changes_few(
    n: int, differing: int, state: str, for_gate: int
) -> None:
    made = carried(n, differing)
    assert (made.state, len(made.differ), len(made.for_gate)) == (state, differing, for_gate)
    assert made.reworded == ("tone",)


def test_old_labels_of_a_reworded_criterion_let_no_judge_gate_if_only_19_of_60_examples_are_relabelled() -> None:
    made = carried(60, checked=19)
    assert (made.state, len(made.relabelled), len(made.for_gate)) == ("too few", 19, 19)
    assert "for a gate they count once 1 more are labelled again and agree" in made.sentence
    assert len(gold_of(made.counting, NOW).ids) == 60


def test_an_old_label_no_longer_counts_in_gold_if_the_example_was_relabelled_differently() -> None:
    gold = gold_of(carried(60, 1).counting, NOW)
    assert sum(level == level for level in gold.levels["tone"].tolist()) == 20
    assert sum(level == level for level in gold.levels["facts"].tolist()) == 60


def test_a_label_under_the_new_words_replaces_another_annotator_s_label_under_the_old_words() -> None:
    made = carried_labels(set_of([[again(0, "ana", 3.0, 5.0), old(0, "ben", 1.0)], [old(1), old(1, "ben")]]), NOW)
    assert made is not None
    assert made.old == ("e1",)
    assert gold_of(made.counting, NOW).levels["tone"].tolist() == [5.0, 3.0]


@pytest.mark.parametrize(("now", "differs"), [(3.0, False), (4.0, True), (2.0, True)])
def test_an_example_s_score_counts_as_changed_by_a_rewording_if_it_moved_by_at_least_the_tolerance(
    now: float, differs: bool
) -> None:
    """One level of two criteria with five moves the score by .125; the tolerance is .1."""
    rows = [[again(0, "ana", 3.0, now)], *([old(place)] for place in range(1, 20))]
    made = carried_labels(set_of(rows), NOW)
    assert made is not None
    assert "e0" in made.check
    assert ("e0" in made.differ) == differs


def test_twelve_labels_let_a_judge_gate_if_all_twelve_were_given_again_after_a_rewording() -> None:
    made = carried_labels(set_of([[again(place, "ana", 3.0, 4.0)] for place in range(12)]), NOW)
    assert made is not None
    assert (made.old, len(made.for_gate)) == ((), 12)
    assert made.sentence == "12 relabelled, 0 the same since the rewording of tone."


def test_a_change_of_case_or_punctuation_or_white_space_is_no_new_wording_of_a_criterion() -> None:
    (tone, _) = NOW.criteria
    same = replace(tone, requirement=f"  {tone.requirement.upper()} !")
    assert (same.wording == tone.wording, same.fingerprint == tone.fingerprint) == (True, False)
    pairs = [
        ("more than 5", "more than -5"),
        ("at most 5", "at most 5%"),
        ("5.5 or more", "55 or more"),
        ("> 5", "< 5"),
    ]
    for one, other in pairs:
        assert replace(tone, requirement=one).wording != replace(tone, requirement=other).wording
    assert replace(tone, scale=Scale.numbered(1, 4)).wording != tone.wording


@pytest.mark.parametrize(("tone", "differing"), [(3.0, 0), (5.0, 24)])
def test_labels_of_one_annotator_before_a_rewording_are_compared_with_another_annotator_s_labels_after_it(
    tone: float, differing: int
) -> None:
    by_ben = {"tone": tone, "facts": 3.0}
    carried = carried_labels(set_of([[old(place), label(place, "ben", NOW, by_ben)] for place in range(24)]), NOW)
    assert carried is not None
    assert (len(carried.relabelled), len(carried.differ)) == (20, min(differing, 20))
    assert carried.state == ("relabel the rest" if differing else "old labels count")
