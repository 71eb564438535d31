"""One perturbation under one criterion: found, shown to do nothing, or neither."""

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.stats.change import holm
from markscheme.stats.stress import NOT_PRESERVING, differences, stress_cells, with_noise
from tests.reference.stress import (
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


def test_the_worked_cell_comes_out() -> None:
    cell = stress_cells({("praise", "c"): array(DIFFERENCES)}, FIVE)["praise", "c"]
    assert cell.p == approx(P)
    assert (cell.shift.value, cell.shift.low, cell.shift.high) == approx((SHIFT, *INTERVAL))
    assert cell.state == "finding"


@pytest.mark.parametrize("cells", SMALLEST)
def test_the_smallest_shift_depends_on_how_many_are_tested(cells: int) -> None:
    table = stress_cells({(str(n), "c"): array(DIFFERENCES) for n in range(cells)}, FIVE)
    assert table["0", "c"].smallest == approx(SMALLEST[cells])


def test_yes_no_is_mcnemar_s_test() -> None:
    d = array([1] * RISE + [-1] * FALL + [0] * (OF - RISE - FALL))
    cell = stress_cells({("praise", "c"): d}, {"c": 1.0})["praise", "c"]
    assert (cell.p, cell.shift.value) == approx((YES_NO_P, YES_NO_SHIFT))


def test_p_are_adjusted_together() -> None:
    assert holm(HOLM["p"]) == approx(HOLM["adjusted"])
    alone = stress_cells({("a", "c"): array(DIFFERENCES)}, FIVE)["a", "c"].p
    among = stress_cells({(name, "c"): array(DIFFERENCES) for name in "abcd"}, FIVE)["a", "c"].p
    assert alone is not None
    assert among == approx(4 * alone)


def test_noise_is_distinguished_from_effect() -> None:
    noise = with_noise(NOT_PRESERVING, TWICE, [[level] for level in PERTURBED]).noise
    assert noise is not None
    assert (noise.changed, noise.retest, noise.p, noise.effect_sd) == approx((CHANGED, RETEST, ANY_CHANGE_P, EFFECT_SD))


def test_every_cell_of_the_reference_comes_out() -> None:
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


def test_no_effect_is_shown_only_within_the_margin() -> None:
    still = stress_cells({("a", "c"): np.zeros(40)}, FIVE)["a", "c"]
    assert still.state == "holds"
    loose = stress_cells({("a", "c"): array([1, -1] * 10)}, FIVE)["a", "c"]
    assert loose.state == "unknown"
    assert loose.smallest is not None
    assert loose.smallest > 0.125


def test_a_shift_below_an_eighth_of_a_level_is_no_finding() -> None:
    small = stress_cells({("a", "c"): np.full(60, 0.1)}, FIVE)["a", "c"]
    assert small.p is not None
    assert small.p < 0.001
    assert small.state == "holds"


def test_examples_of_one_task_are_one_unit() -> None:
    d = differences([[1, 1], [2, 2], [3, 3]], [[2], [3], [3]], ["a", "a", "b"])
    assert d.tolist() == [1.0, 0.0]


def test_what_was_not_rated_counts_for_nothing() -> None:
    assert differences(np.array([[1, np.nan], [2, 2]]), [[2], [4]]).tolist() == [2.0]
    empty = stress_cells({("a", "c"): array([])}, FIVE)["a", "c"]
    assert empty.shift.undefined is not None
    assert empty.state == "unknown"
