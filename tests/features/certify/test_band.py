"""Bands around a pass mark, outside which decisions keep a promised error rate."""

from typing import Any

import numpy as np
import pytest

from markscheme.features.certify.band import Band, automatic_band
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import clopper_pearson_upper

approx = pytest.approx


def slow_band(margins: Any, wrong: Any, grid: list[float], promise: str, alpha: float, delta: float) -> float | None:
    """The two procedures word for word, one half-width at a time."""
    widest_first = sorted(grid, reverse=True)
    n_min = int(np.ceil(np.log(delta) / np.log(1 - alpha)))
    outside = {h: np.abs(margins) > h for h in widest_first}
    best = None
    if promise == "automatic":
        starts = [h for h in widest_first if outside[h].sum() >= 1.75 * n_min]
        starts = starts or [h for h in widest_first if outside[h].sum() >= n_min]
        tested = [h for h in widest_first if starts and h <= starts[0]]
        for h in tested:
            if clopper_pearson_upper(int(wrong[outside[h]].sum()), int(outside[h].sum()), confidence=1 - delta) > alpha:
                break
            best = h
    elif len(margins) >= n_min:
        for h in [h for h in widest_first if outside[h].any()]:
            if clopper_pearson_upper(int(wrong[outside[h]].sum()), len(margins), confidence=1 - delta) > alpha:
                break
            best = h
    return best


def judged(draw: np.random.Generator, n: int, noise: float) -> tuple[Any, Any]:
    """Margins of n examples in twentieths, and whether the decision on each is wrong."""
    truth = draw.normal(0.1, 0.25, n)
    margins = np.rint(20 * (truth + draw.normal(0, noise, n))) / 20
    return margins, (margins >= 0) != (truth >= 0)


@pytest.mark.parametrize("promise", ["automatic", "all"])
def test_bands_are_those_of_the_procedure_spelled_out(promise: Any) -> None:
    draw, grid = np.random.default_rng(2), [k / 20 for k in range(10)]
    chosen = set()
    for n, noise in ((40, 0.05), (60, 0.05), (100, 0.05), (200, 0.08), (300, 0.12), (300, 0.3)):
        for _ in range(5):
            margins, wrong = judged(draw, n, noise)
            band = automatic_band(margins, wrong, grid, promise=promise)
            assert band.half_width == slow_band(margins, wrong, grid, promise, 0.05, 0.10)
            chosen.add(band.half_width)
            if band.half_width is not None:
                outside = np.abs(margins) > band.half_width + 1e-9
                assert (band.n_automatic, band.errors) == (outside.sum(), wrong[outside].sum())
                assert band.automatic.value == approx(outside.mean())
                assert band.upper is not None
                assert band.upper <= 0.05
    assert None in chosen
    assert len(chosen) > 3


def test_the_promises_are_kept_as_often_as_promised() -> None:
    draw, grid = np.random.default_rng(9), [k / 20 for k in range(10)]
    truth = judged(draw, 400_000, 0.08)
    broken = {"automatic": 0, "all": 0}
    for _ in range(300):
        margins, wrong = judged(draw, 150, 0.08)
        for promise in ("automatic", "all"):
            band = automatic_band(margins, wrong, grid, promise=promise)
            if band.half_width is not None:
                outside = np.abs(truth[0]) > band.half_width + 1e-9
                out_of = outside.sum() if promise == "automatic" else len(outside)
                broken[promise] += truth[1][outside].sum() / out_of > 0.05
    assert max(broken.values()) / 300 < 0.10 + 3 * np.sqrt(0.1 * 0.9 / 300)


def test_scores_at_the_band_itself_go_to_a_person() -> None:
    margins = np.array([0.7 - 0.6] * 60 + [0.3] * 100)
    band = automatic_band(margins, np.zeros(160, dtype=bool), [0.1])
    assert band.n_automatic == 100


@pytest.mark.parametrize(
    ("n", "n_wrong", "grid", "why", "needed"),
    [
        (40, 0, [0.0], "not enough labels: 0 of 40 wrong", 45),
        (60, 1, [0.0], "not enough labels: 1 of 60 wrong", 105),
        (60, 2, [0.0], "not enough labels: 2 of 60 wrong", 330),
        (200, 40, [0.0], "the judge isn't that good: 40 of 200 wrong", None),
        (200, 0, [5.0], "no score lies outside any of the bands: 0 of 0 wrong", None),
        (100_000, 4_990, [0.0], "errs too nearly as often as allowed", None),
        (0, 0, [0.0], "not enough labels: 0 of 0 wrong", 45),
    ],
)
def test_a_band_is_refused_with_the_labels_it_would_need(
    n: int, n_wrong: int, grid: list[float], why: str, needed: int | None
) -> None:
    band = automatic_band(np.full(n, 0.2), np.arange(n) < n_wrong, grid)
    assert band.half_width is band.upper is None
    assert band.automatic.undefined is not None
    assert why in band.automatic.undefined
    assert band.needed == needed


def test_as_many_errors_again_among_the_labels_needed_keep_the_promise() -> None:
    refused = automatic_band(np.full(60, 0.2), np.arange(60) < 2, [0.0])
    assert refused.needed is not None
    enough = automatic_band(np.full(refused.needed, 0.2), np.arange(refused.needed) < refused.needed * 2 // 60, [0.0])
    assert enough.half_width == 0


def test_the_promise_about_all_examples_works_from_forty_five() -> None:
    margins = np.linspace(-0.5, 0.5, 45)
    wrong = np.abs(margins) < 0.1
    band = automatic_band(margins, wrong, [0.0, 0.05, 0.1, 0.2], promise="all")
    assert (band.half_width, band.errors) == (0.1, 0)
    assert automatic_band(margins[:44], wrong[:44], [0.2], promise="all").needed == 45


WRONG: list[tuple[Any, str]] = [
    (lambda: automatic_band([0.1, 0.2], [True], [0.0]), r"\(2,\) and \(1,\)"),
    (lambda: automatic_band([0.1, np.nan], [True, False], [0.0]), "finite"),
    (lambda: automatic_band([0.1], [True], [k / 100 for k in range(16)]), "1 to 15 half-widths"),
    (lambda: automatic_band([0.1], [True], [-0.1]), "1 to 15 half-widths"),
    (lambda: automatic_band([0.1], [True], [0.1], alpha=0.0), "alpha 0.0"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_band_can_not_be_wrong_once_built() -> None:
    share = Estimate(0.5, 0.4, 0.6, n=50)
    with pytest.raises(ValueError, match="refused with a reason"):
        Band("automatic", 0.05, 0.9, None, share, 0, 25, None, None)
    with pytest.raises(ValueError, match="breaks the promise"):
        Band("automatic", 0.05, 0.9, 0.1, share, 5, 25, 0.3, None)


def test_a_gray_zone_respects_groups_that_err_together() -> None:
    """Forty tasks of nine responses, all nine right or all nine wrong: two wrong tasks are 18 errors, or 2 of 40."""
    tasks = np.repeat(np.arange(40), 9)
    margins = np.tile(np.linspace(0.2, 0.4, 9), 40)
    wrong = np.isin(tasks, (3, 17))
    grid = [0.0, 0.05, 0.1]
    alone = automatic_band(margins, wrong, grid, alpha=0.1)
    together = automatic_band(margins, wrong, grid, alpha=0.1, groups=tasks)
    assert (alone.half_width, alone.errors, alone.n_automatic) == (0.0, 18, 360)
    assert together.half_width is None
    assert together.needed is not None
    assert together.needed > 360
    spotless = automatic_band(margins, np.zeros(360), grid, alpha=0.1, groups=tasks)
    assert (spotless.half_width, spotless.errors) == (0.0, 0)
    assert spotless.upper is not None
    assert alone.upper is not None
    assert automatic_band(margins, np.zeros(360), grid, alpha=0.1).upper < spotless.upper  # type: ignore[operator]


def test_a_gray_zone_of_one_side_leaves_the_other_to_people() -> None:
    """Every error is a fail: passes alone are decided, and the share is of all examples."""
    margins = np.concatenate([np.linspace(0.05, 0.5, 100), np.linspace(-0.5, -0.05, 60)])
    wrong = np.concatenate([np.zeros(100), np.ones(60)])
    grid = [0.0, 0.1, 0.2]
    assert automatic_band(margins, wrong, grid).half_width is None
    band = automatic_band(margins, wrong, grid, considered=margins > 0)
    assert (band.half_width, band.n_automatic, band.errors) == (0.0, 100, 0)
    assert band.automatic.value == 100 / 160
