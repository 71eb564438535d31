"""A certificate knows how often what it decides passes, and notices where that differs."""

from pathlib import Path

import numpy as np
import pytest

from markscheme.features.certify.certificate_file import CascadeFile, CertifiedPasses
from markscheme.features.certify.pass_drift import FEWEST_GRADED, moved_share

DRAWS = 400


def certificate(share: float, *, decided: int = 160, side: str = "both", effective: float | None = None) -> CascadeFile:
    """A certificate of 200 labels, of whose automatic decisions this share passes."""
    shares = CertifiedPasses(200, share, decided, share, decided if effective is None else effective)
    return CascadeFile(Path("cascade.json"), "", "", (), 0.05, 0.9, side, shares)


def warned(certified: float, now: float, *, graded: int = 200) -> float:
    """How often a cascade warns that is certified on draws of one share of passes and used on those of another."""
    generator = np.random.default_rng(7)
    drifts = []
    for _ in range(DRAWS):
        labels = int(generator.binomial(160, certified))
        passes = int(generator.binomial(graded, now))
        file = certificate(labels / 160)
        drifts.append(moved_share(file, passes=passes, fails=graded - passes, left_to_people=40) is not None)
    return float(np.mean(drifts))


def test_a_drift_warning_is_rare_if_responses_pass_as_often_as_when_the_judge_was_certified() -> None:
    """The test's level is .01; the standard error of 400 draws is .005."""
    assert warned(0.8, 0.8) <= 0.03
    assert warned(0.95, 0.95) <= 0.03


def test_a_drift_warning_is_nearly_always_given_if_responses_pass_much_less_often_than_when_certified() -> None:
    """Certified at 95 % passes and used at 69 %, the promise broke in 78 of 100 draws."""
    assert warned(0.95, 0.69) > 0.98
    assert warned(0.95, 0.69, graded=60) > 0.9


def test_no_drift_is_reported_for_too_few_decisions_or_by_a_certificate_without_a_share_of_passes() -> None:
    few = FEWEST_GRADED - 1
    assert moved_share(certificate(0.95), passes=0, fails=few, left_to_people=200) is None
    assert moved_share(certificate(0.95), passes=0, fails=few + 1, left_to_people=0) is not None
    assert moved_share(certificate(0.95), passes=0, fails=0, left_to_people=200) is None
    older = CascadeFile(Path("cascade.json"), "", "", (), 0.05, 0.9)
    assert moved_share(older, passes=0, fails=200, left_to_people=0) is None


def test_labels_in_few_groups_count_as_few_labels_when_the_share_of_passes_is_checked_for_drift() -> None:
    counts = {"passes": 86, "fails": 14, "left_to_people": 0}
    assert moved_share(certificate(0.96), **counts) is not None
    assert moved_share(certificate(0.96, effective=30), **counts) is None


@pytest.mark.parametrize("side", ["passes", "fails"])
def test_if_only_passes_or_only_fails_are_automatic_drift_is_a_change_in_the_share_of_automatic_decisions(
    side: str,
) -> None:
    file = certificate(1.0 if side == "passes" else 0.0, decided=160, side=side)
    name = side
    as_certified = {"passes": 0, "fails": 0, "left_to_people": 40} | {name: 160}
    fewer = {"passes": 0, "fails": 0, "left_to_people": 100} | {name: 100}
    assert moved_share(file, **as_certified) is None
    drift = moved_share(file, **fewer)
    assert drift is not None
    assert drift == (0.8, 0.5)
