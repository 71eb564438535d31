"""Which outputs to label next, and that nothing estimated from them is bent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Rubric
from markscheme.calibration.rates.pass_rates import pass_rates
from markscheme.errors import UsageError
from markscheme.features.label.sampling import Draw, Pick, choose_next, inclusion_chances, systematic_draw
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import RatingTable
from tests.decided import decision_table

RUBRIC = Rubric.from_dict({"criteria": [{"name": "q", "description": "Is it good?"}]})
approx = pytest.approx


def output(id: str, **more: Any) -> Example:
    return Example(Submission("…", {}, id), **more)


def rated(id: str, level: float, rater: str = "j") -> Rating:
    return Rating(id, rater, "model", {"q": Rated(level)})


def pool(levels: list[float], **more: Any) -> tuple[list[Example], list[Rating]]:
    examples = [output(f"p{i}", **{key: values[i] for key, values in more.items()}) for i in range(len(levels))]
    return examples, [rated(example.id, level) for example, level in zip(examples, levels, strict=True)]


def decided(picks: Sequence[Pick], gold: Mapping[str, bool], judge: Mapping[str, bool]) -> RatingTable:
    """Return the annotators' and the judge's decisions on the drawn outputs."""
    examples = [replace(pick.example, drawn=pick.drawn, weight=1 / pick.chance, stratum=pick.stratum) for pick in picks]
    both = {"gold": [gold[example.id] for example in examples], "judge": [judge[example.id] for example in examples]}
    return decision_table(RUBRIC, examples, **both)


# --- chances --------------------------------------------------------------------------------------------------------


@given(sizes=st.lists(st.floats(0.01, 100), min_size=1, max_size=40), data=st.data())
def test_the_chances_of_units_to_be_drawn_rise_with_the_units_sizes_and_add_up_to_the_number_drawn(
    sizes: list[float], data: st.DataObject
) -> None:
    count = data.draw(st.integers(1, len(sizes)))
    chances = inclusion_chances(sizes, count)
    assert chances.sum() == approx(count)
    assert (chances > 0).all()
    assert (chances <= 1 + 1e-9).all()
    order = np.argsort(sizes, kind="stable")
    assert (np.diff(chances[order]) >= -1e-9).all()


def test_in_a_systematic_draw_each_output_is_drawn_with_its_inclusion_probability() -> None:
    chances = inclusion_chances([1, 1, 2, 3, 3, 8], 3)
    drawn = Counter[int]()
    for seed in range(2000):
        taken = systematic_draw(chances, np.random.default_rng(seed))
        assert len(set(taken)) == 3
        drawn.update(taken)
    assert [drawn[place] / 2000 for place in range(6)] == approx(chances.tolist(), abs=0.035)


# --- what is drawn --------------------------------------------------------------------------------------------------


def test_outputs_to_label_are_drawn_from_strata_by_the_judge_s_decision_and_by_nearness_to_the_pass_mark() -> None:
    examples, ratings = pool([1, 2, 3, 4, 5] * 100)
    draw = choose_next(RUBRIC, examples, ratings, 60)
    assert {s.name: s.pool for s in draw.strata} == {
        "fail, clear": 100,
        "fail, doubtful": 100,
        "pass, clear": 200,
        "pass, doubtful": 100,
    }
    taken = {s.name: s.taken for s in draw.strata}
    assert sum(taken.values()) == len(draw.picks) == 60
    assert all(n >= 5 for n in taken.values())
    assert taken["pass, doubtful"] / 100 > taken["pass, clear"] / 200
    assert taken["fail, doubtful"] > taken["fail, clear"]
    assert all(0 < pick.chance <= 1 for pick in draw.picks)
    for name, n in taken.items():
        weights = [1 / pick.chance for pick in draw.picks if pick.stratum == name]
        assert sum(weights) == approx(next(s.pool for s in draw.strata if s.name == name), rel=0.5)
        assert len(weights) == n


def test_an_output_that_one_judge_passes_and_another_fails_belongs_to_the_stratum_of_doubtful_outputs() -> None:
    examples, ratings = pool([5.0] * 30 + [4.0] * 30)
    ratings += [rated("p0", 1.0, "k"), rated("p1", 5.0, "k")]
    draw = choose_next(RUBRIC, examples, ratings, 20)
    strata = {output.id: output.stratum for output in draw.pool.examples or ()}
    assert (strata["p0"], strata["p1"]) == ("pass, doubtful", "pass, clear")


def test_outputs_with_rare_levels_or_from_groups_with_few_labels_are_drawn_more_often_within_a_stratum() -> None:
    examples, ratings = pool([5.0] * 192 + [4.0] * 8, group=["old"] * 180 + ["new"] * 20)
    before = [output(f"b{i}", group="old", labels=(rated(f"b{i}", 5, "person"),)) for i in range(6)]
    draw = choose_next(RUBRIC, examples, ratings, 40, labelled=before)
    chance = {tuple(w for w in pick.why if w != "near the mark"): pick.chance for pick in draw.picks}
    assert chance["rare level", "thin group"] == approx(1.5**2 * chance[()])
    assert chance[("thin group",)] == approx(1.5 * chance[()])


def test_outputs_labelled_before_are_not_drawn_for_labelling_again() -> None:
    examples, ratings = pool([1, 2, 3, 4, 5] * 20)
    first = choose_next(RUBRIC, examples, ratings, 40)
    labelled = [pick.example for pick in first.picks]
    second = choose_next(RUBRIC, examples, ratings, 40, labelled=labelled, passed={e.id: True for e in labelled})
    assert not {pick.example.id for pick in first.picks} & {pick.example.id for pick in second.picks}
    assert sum(s.labelled for s in second.strata) == 40
    assert sum(s.pool for s in second.strata) == 100


def test_a_small_number_of_outputs_is_drawn_from_fewer_strata() -> None:
    examples, ratings = pool([1, 2, 3, 4, 5] * 20)
    assert [s.name for s in choose_next(RUBRIC, examples, ratings, 6).strata] == ["fail", "pass"]
    assert [s.name for s in choose_next(RUBRIC, examples, [], 6).strata] == ["all"]


def test_strata_stated_in_the_file_of_outputs_are_used_for_the_draw() -> None:
    examples, ratings = pool([1.0] * 30 + [5.0] * 30, stratum=["x"] * 40 + ["y"] * 20)
    draw = choose_next(RUBRIC, examples, ratings, 20)
    assert {s.name: s.pool for s in draw.strata} == {"x": 40, "y": 20}


@pytest.mark.parametrize("count", [0, 11])
def test_no_more_outputs_are_drawn_than_the_file_of_outputs_has(count: int) -> None:
    examples, ratings = pool([5.0] * 10)
    with pytest.raises(UsageError, match="holds 10 unlabelled outputs"):
        choose_next(RUBRIC, examples, ratings, count)


def test_two_draws_of_outputs_are_equal_with_the_same_seed_and_differ_with_different_seeds() -> None:
    examples, ratings = pool([1, 2, 3, 4, 5] * 20)
    draws = [choose_next(RUBRIC, examples, ratings, 30, seed=seed) for seed in (1, 1, 2)]
    ids = [[pick.example.id for pick in draw.picks] for draw in draws]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.proof
def test_a_pass_rate_estimated_from_two_successive_draws_is_unbiased() -> None:
    rng = np.random.default_rng(8)
    values = []
    levels = rng.integers(1, 6, 300).astype(float)
    truth = rng.random(300) < np.array([0.02, 0.1, 0.5, 0.8, 0.97])[levels.astype(int) - 1]
    groups = ["new" if i % 7 == 0 else "old" for i in range(300)]
    examples, ratings = pool(levels.tolist(), group=groups)
    gold = {e.id: bool(t) for e, t in zip(examples, truth, strict=True)}
    for seed in range(1, 41):
        before = [output(f"b{i}", group="old", labels=(rated(f"b{i}", 5, "person"),)) for i in range(6)]
        first = choose_next(RUBRIC, examples, ratings, 40, labelled=before, seed=seed)
        labelled = [*before, *(pick.example for pick in first.picks)]
        passed = {pick.example.id: gold[pick.example.id] for pick in first.picks}
        second = choose_next(RUBRIC, examples, ratings, 40, labelled=labelled, passed=passed, seed=seed)
        picks = (*first.picks, *second.picks)
        corrected = pass_rates(second.pool, decided(picks, gold, dict.fromkeys(gold, False))).corrected
        assert corrected.value is not None
        values.append(corrected.value)
    assert np.mean(values) == approx(truth.mean(), abs=3 * float(np.std(values)) / 40**0.5)


# --- a pass rate of each system -------------------------------------------------------------------------------------


def systems(sizes: dict[str, tuple[int, int]]) -> tuple[list[Example], list[Rating]]:
    """Make a pool with given numbers of outputs of each system that the judge fails and passes."""
    rows = [(name, level) for name, (fails, passes) in sizes.items() for level in [1.0] * fails + [5.0] * passes]
    return pool([level for _, level in rows], system=[name for name, _ in rows])


def taken_of(draw: Draw) -> dict[tuple[str, str], int]:
    return dict(Counter((pick.example.system, pick.stratum) for pick in draw.picks))


def test_outputs_to_label_are_drawn_from_fails_and_passes_of_the_system_with_the_least_certain_pass_rate() -> None:
    examples, ratings = systems({"a": (200, 800), "b": (500, 500), "c": (700, 300)})
    gold = {("a", 5.0): (1, 9), ("a", 1.0): (3, 0), ("b", 5.0): (4, 6), ("b", 1.0): (6, 1)}
    level = {rating.id: rating.criteria["q"].level for rating in ratings}
    passed: dict[str, bool] = {}
    for (system, judged), (fails, passes) in gold.items():
        cell = [e for e in examples if e.system == system and level[e.id] == judged]
        passed |= {e.id: i >= fails for i, e in enumerate(cell[: fails + passes])}
    before = [example for example in examples if example.id in passed]
    draw = choose_next(RUBRIC, examples, ratings, 12, labelled=before, passed=passed)
    assert taken_of(draw) == {("c", "fail"): 9, ("c", "pass"): 3}
    assert draw.systems == {"a": 0, "b": 0, "c": 12}


def test_outputs_of_one_system_with_the_same_decision_by_the_judge_have_equal_chances_to_be_drawn() -> None:
    examples, ratings = systems({"old": (4, 196), "new": (60, 140)})
    draw = choose_next(RUBRIC, examples, ratings, 40)
    chances: dict[tuple[str, str], set[float]] = {}
    for pick in draw.picks:
        chances.setdefault((pick.example.system, pick.stratum), set()).add(pick.chance)
    assert set(chances) == {("old", "fail"), ("old", "pass"), ("new", "fail"), ("new", "pass")}
    assert all(len(different) == 1 for different in chances.values())
    assert {json["drawn"] for json in (pick.to_json() for pick in draw.picks)} == {"by-verdict"}


@pytest.mark.parametrize("count", [19, 20])
def test_outputs_are_drawn_for_the_overall_pass_rate_if_labels_are_too_few_for_each_system_s_pass_rate(
    count: int,
) -> None:
    examples, ratings = systems({"old": (60, 140), "new": (60, 140)})
    assert bool(choose_next(RUBRIC, examples, ratings, count).systems) == (count == 20)


def test_labels_are_drawn_for_the_overall_pass_rate_and_not_by_system_if_an_output_has_no_system_or_decision() -> None:
    examples, ratings = systems({"old": (60, 140), "": (60, 140)})
    assert not choose_next(RUBRIC, examples, ratings, 60).systems
    examples, ratings = systems({"old": (60, 140), "new": (60, 140)})
    assert not choose_next(RUBRIC, examples, ratings[1:], 60).systems


@pytest.mark.proof
def test_the_estimated_pass_rate_of_each_system_is_unbiased_after_one_draw_and_after_two() -> None:
    sizes = {"a": (30, 120), "b": (75, 75), "c": (100, 50)}
    examples, ratings = systems(sizes)
    rng = np.random.default_rng(4)
    levels = {rating.id: rating.criteria["q"].level == 5.0 for rating in ratings}
    gold = {id: bool(rng.random() < (0.9 if passed else 0.2)) for id, passed in levels.items()}
    truth = {name: np.mean([gold[e.id] for e in examples if e.system == name]) for name in sizes}
    off: dict[str, list[float]] = {"": [], **{name: [] for name in sizes}}
    for seed in range(1, 41):
        picks: list[Pick] = []
        for count in (40, 20):
            before = [pick.example for pick in picks]
            passed = {e.id: gold[e.id] for e in before}
            draw = choose_next(RUBRIC, examples, ratings, count, labelled=before, passed=passed, seed=seed)
            picks += draw.picks
            rates = pass_rates(draw.pool, decided(picks, gold, levels))
            assert rates.how == "by-stratum"
            assert all(group.corrected.value is not None for group in rates.groups.values())
        off[""].append((rates.corrected.value or 0.0) - float(np.mean(list(gold.values()))))
        for name in sizes:
            off[name].append((rates.groups[name].corrected.value or 0.0) - float(truth[name]))
    for values in off.values():
        assert np.mean(values) == approx(0, abs=3 * float(np.std(values)) / 40**0.5)
