"""One perturbation under one criterion: found, shown to do nothing, or neither."""

from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.features.stress.statistics import (
    NOT_PRESERVING,
    differences,
    moved_alike,
    reshuffled,
    stress_cells,
    with_noise,
)
from markscheme.stats.change import holm, moved
from tests.features.stress.worked_cases import (
    ANY_CHANGE_P,
    CHANGED,
    DIFFERENCES,
    EFFECT_SD,
    FALL,
    HOLM,
    INTERVAL,
    OF,
    PERTURBED,
    RETEST,
    RISE,
    SHIFT,
    SMALLEST,
    TWICE,
    YES_NO_P,
    YES_NO_SHIFT,
    P,
)
from tests.stats.shared_numbers import block

approx = pytest.approx
FIVE = {"c": 4.0}


def array(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


def test_the_p_value_and_interval_of_a_perturbation_equal_those_of_an_independent_program() -> None:
    cell = stress_cells({("praise", "c"): array(DIFFERENCES)}, FIVE)["praise", "c"]
    assert cell.p == approx(P)
    assert (cell.shift.value, cell.shift.low, cell.shift.high) == approx((SHIFT, *INTERVAL))
    assert cell.state == "finding"


@pytest.mark.parametrize("cells", SMALLEST)
def test_the_smallest_detectable_shift_depends_on_how_many_results_are_tested(cells: int) -> None:
    table = stress_cells({(str(n), "c"): array(DIFFERENCES) for n in range(cells)}, FIVE)
    assert table["0", "c"].smallest == approx(SMALLEST[cells])


def test_on_yes_no_ratings_the_test_of_a_perturbation_equals_mcnemar_s_test() -> None:
    d = array([1] * RISE + [-1] * FALL + [0] * (OF - RISE - FALL))
    cell = stress_cells({("praise", "c"): d}, {"c": 1.0})["praise", "c"]
    assert (cell.p, cell.shift.value) == approx((YES_NO_P, YES_NO_SHIFT))


def test_p_values_of_all_perturbations_and_criteria_are_adjusted_together() -> None:
    assert holm(HOLM["p"]) == approx(HOLM["adjusted"])
    alone = stress_cells({("a", "c"): array(DIFFERENCES)}, FIVE)["a", "c"].p
    among = stress_cells({(name, "c"): array(DIFFERENCES) for name in "abcd"}, FIVE)["a", "c"].p
    assert alone is not None
    assert among == approx(4 * alone)


def test_noise_of_single_ratings_is_distinguished_from_a_perturbation_s_effect() -> None:
    noise = with_noise(NOT_PRESERVING, TWICE, [[level] for level in PERTURBED]).noise
    assert noise is not None
    assert (noise.changed, noise.retest, noise.p, noise.effect_sd) == approx((CHANGED, RETEST, ANY_CHANGE_P, EFFECT_SD))


def test_every_result_of_the_reference_table_of_perturbations_is_reproduced() -> None:
    cases = {case["case"]: case for case in block("improve_gate_stress.yaml", "stress")}
    one = cases["one cell"]
    cell = stress_cells({("a", "c"): array(one["differences"])}, FIVE)["a", "c"]
    assert cell.p == approx(one["expect"]["p"])
    assert (cell.shift.low, cell.shift.high) == approx(one["expect"]["equivalence_90"])
    together = cases["Holm over the battery"]
    assert holm(together["p"]) == approx(together["expect"])
    retest = cases["more than retest noise"]
    noise = with_noise(NOT_PRESERVING, retest["originals"], [[level] for level in retest["perturbed"]]).noise
    assert noise is not None
    assert noise.effect_sd == approx(retest["expect"]["effect_sd"])
    assert noise.p == approx(retest["expect"]["any_change_p"])


def test_a_perturbation_is_shown_to_have_no_effect_only_if_the_interval_of_its_shift_lies_within_the_margin() -> None:
    still = stress_cells({("a", "c"): np.zeros(40)}, FIVE)["a", "c"]
    assert still.state == "holds"
    loose = stress_cells({("a", "c"): array([1, -1] * 10)}, FIVE)["a", "c"]
    assert loose.state == "unknown"
    assert loose.smallest is not None
    assert loose.smallest > 0.125


def test_a_shift_below_an_eighth_of_a_level_is_not_a_finding() -> None:
    small = stress_cells({("a", "c"): np.full(60, 0.1)}, FIVE)["a", "c"]
    assert small.p is not None
    assert small.p < 0.001
    assert small.state == "holds"


def test_examples_of_one_task_count_as_one_unit_in_a_stress_test() -> None:
    d = differences([[1, 1], [2, 2], [3, 3]], [[2], [3], [3]], ["a", "a", "b"])
    assert d.tolist() == [1.0, 0.0]


def test_an_example_without_a_rating_in_one_sample_counts_in_no_figure_on_a_perturbation() -> None:
    assert differences(np.array([[1, np.nan], [2, 2]]), [[2], [4]]).tolist() == [2.0]
    empty = stress_cells({("a", "c"): array([])}, FIVE)["a", "c"]
    assert empty.shift.undefined is not None
    assert empty.state == "unknown"


def test_the_reshuffling_p_value_equals_the_p_value_from_listing_all_permutations() -> None:
    now = array([[2, 3], [1, 1], [4, 2]])
    stored = array([[1, 2], [1, 2], [2, 2]])
    runs = np.hstack([now, stored])
    deals = list(combinations(range(4), 2))

    def shift(row: npt.NDArray[np.float64], deal: tuple[int, ...]) -> float:
        return float(row[list(deal)].mean() - np.delete(row, list(deal)).mean())

    sums = [abs(sum(map(shift, runs, chosen))) for chosen in product(deals, repeat=3)]
    seen = abs(sum(shift(row, (0, 1)) for row in runs))
    beyond = np.mean([s > seen + 1e-9 for s in sums])
    level = np.mean([abs(s - seen) < 1e-9 for s in sums])
    assert reshuffled(now, stored) == approx(beyond + level / 2)


def test_a_stress_test_by_reshuffling_gives_the_p_value_of_the_drift_test_for_one_new_rating_per_example() -> None:
    now = array([2, 3, 1, 5])
    stored = array([[1, 2, 2], [3, 3, 3], [1, 1, 2], [4, 4, 5]])
    assert reshuffled(now[:, None], stored) == approx(moved(now, stored).mid_p)
    assert reshuffled(np.array([[2.0], [np.nan]]), np.ones((2, 1))) == approx(0.5)
    assert reshuffled(np.empty((0, 1)), np.empty((0, 3))) == 1


def test_a_stress_test_does_not_report_a_shift_that_the_judge_s_noise_near_the_top_of_the_scale_can_explain() -> None:
    """Twelve of sixty answers are rated differently once in four askings, never the time that the text is changed.

    If k of 12 were, at random, the shift would be 12 - 4k: binomial, 12 and 1/4, with k = 0 and k = 6 counted half.
    """
    originals = np.ones((60, 3))
    originals[:12, 0] = 0
    changed = np.ones((60, 1))
    moved_by = {("praise", "c"): differences(originals, changed)}
    assert stress_cells(moved_by, {"c": 1.0})["praise", "c"].state == "finding"
    dealt = {("praise", "c"): reshuffled(changed, originals)}
    assert dealt["praise", "c"] == approx(0.050166, abs=1e-6)
    assert stress_cells(moved_by, {"c": 1.0}, dealt)["praise", "c"].state != "finding"


def test_added_words_are_said_to_act_only_by_length_if_they_move_ratings_as_much_as_neutral_words_do() -> None:
    neutral = array([1, 0] * 15)
    assert moved_alike(neutral, [neutral[::-1], neutral])
    assert moved_alike(-neutral, [-neutral])
    assert not moved_alike(neutral, [neutral, -neutral])
    assert not moved_alike(neutral, [neutral, np.zeros(30)])
    assert not moved_alike(neutral, [neutral, neutral + 1])
    assert moved_alike(neutral + 1, [neutral])
