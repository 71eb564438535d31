"""A certificate by the distance from the pass mark, as the gray zone of a rubric."""

import math

import numpy as np
import pytest

from markscheme.features.certify.candidates import StageCandidate
from markscheme.features.certify.certificate import Certificate, certificate_for
from markscheme.features.certify.gray_zone import zone_of
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.statistics import ErrorLimit, StageDecisions, certified_cascade
from markscheme.grading.score import ROUNDING
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.rubrics.gray_zone import gray_zone
from tests.calibration.weighed_examples import labelled, ratings, rubric, undecided, world


def certified(
    examples: ExampleSet, judged: list[Rating], promise: Promise, used: list[str] | None = None
) -> Certificate:
    return certificate_for(rubric(), examples, [StageCandidate("judge", judged)], promise, used=used or ())


@pytest.mark.parametrize("side", ["both", "passes", "fails", "each"])
@pytest.mark.parametrize("seed_noise", [0.05, 0.15, 0.25])
def test_a_gray_zone_leaves_the_same_examples_to_people_as_the_certificate_it_was_made_from(
    side: str, seed_noise: float
) -> None:
    levels, judge, marks = world(300, noise=seed_noise)
    certificate = certified(labelled(levels, marks), ratings(judge), Promise(error=0.1, side=side))  # type: ignore[arg-type]
    assert certificate.is_supported
    zone = zone_of(certificate)
    assert zone is not None
    (decisions,) = certificate.seen.judges
    widths = gray_zone(zone)
    by_zone = [
        bool(widths.has(distance - ROUNDING, passed=passed)) if widths.passes or widths.fails else False
        for distance, passed in zip(decisions.certainty.tolist(), decisions.passes.tolist(), strict=True)
    ]
    by_certificate = certificate.seen.decided_by(certificate.parts.values()) == 1
    assert by_zone == by_certificate.tolist()


def test_a_gray_zone_is_rounded_to_the_fewest_decimals_that_keep_the_same_decisions() -> None:
    levels, judge, marks = world(300, noise=0.25)
    certificate = certified(labelled(levels, marks), ratings(judge), Promise(error=0.1))
    zone = zone_of(certificate)
    assert isinstance(zone, float)
    certain = certificate.certain(0)
    assert isinstance(certain, float)
    (decisions,) = certificate.seen.judges
    nearer = decisions.certainty[decisions.certainty < certain - 1e-9]
    assert nearer.max() - 1e-9 <= zone < certain
    assert len(f"{zone:g}") <= len("0.1234")


def test_if_only_fails_are_certified_all_passes_are_left_to_people() -> None:
    levels, judge, marks = world(300, noise=0.25)
    certificate = certified(labelled(levels, marks), ratings(judge), Promise(error=0.1, side="fails"))
    zone = gray_zone(zone_of(certificate) or 0.0)
    assert math.isinf(zone.passes)
    assert zone.fails < 1


def test_labels_that_were_used_to_tune_the_rubric_certify_nothing() -> None:
    levels, judge, marks = world(300, noise=0.25)
    used = [f"e{i}" for i in range(280)]
    certificate = certified(labelled(levels, marks), ratings(judge), Promise(error=0.1), used)
    assert (certificate.n, certificate.is_supported, zone_of(certificate)) == (20, False, None)


def test_without_explicit_decisions_a_certificate_uses_the_decisions_that_follow_from_labels_on_criteria() -> None:
    levels, judge, marks = world(240)
    certificate = certified(undecided(labelled(levels, marks)), ratings(judge), Promise())
    assert (certificate.n, certificate.seen.labels.explicit) == (240, 0)


def test_the_promised_error_rate_holds_on_examples_that_were_not_used_for_the_certificate() -> None:
    """Where every decision errs at 5.01 % no part may be automatic in more than a tenth of draws."""
    broken = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        cascade = certified_cascade(
            [StageDecisions.of(draw.random(200), draw.random(200) < 0.0501)], ErrorLimit(0.05, 0.1)
        )
        broken += cascade.is_certified
    assert broken / 200 <= 0.1 + 2 * (0.1 * 0.9 / 200) ** 0.5
