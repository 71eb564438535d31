"""The gray zone that labels support, from examples and ratings in memory."""

from collections.abc import Collection, Sequence

from markscheme import Rubric
from markscheme.calibration.certificates import CertificateEvidence
from markscheme.calibration.decided_labels import RatedLabels, WholeLabels
from markscheme.calibration.promised import Promised
from markscheme.calibration.tuning_labels import TuningLabels
from markscheme.features.certify.gray_zone import TunedBand, gray_zone_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating

USUAL = Promised()
"""What `tune` promises where nothing else is asked for."""


def gray_zone_by(
    rubric: Rubric,
    dev: ExampleSet,
    ratings: Sequence[Rating],
    *,
    test: ExampleSet | None = None,
    promised: Promised = USUAL,
    used: Collection[str] = (),
    moved_weights: Sequence[float] | None = None,
) -> TunedBand:
    """Find the gray zone by a rubric's numbers.

    Args:
        rubric: The rubric.
        dev: Labelled examples.
        ratings: The judge's.
        test: Held-out examples, on which the promise is tested; None tests it on `dev`.
        promised: The promise.
        used: Ids of examples that moved the numbers before.
        moved_weights: Weights that the labels of `dev` support instead of the rubric's; None where they support none.
    """
    is_moved = moved_weights is not None
    evidence = CertificateEvidence(
        rubric=rubric,
        labels=TuningLabels(dev, None),
        examples=test or dev,
        split="dev" if test is None else "test",
        rated=RatedLabels.of(WholeLabels.of(dev, rubric, None), rubric, ratings),
        rated_on_test=None if test is None else RatedLabels.of(WholeLabels.of(test, rubric, None), rubric, ratings),
        weights=moved_weights or [criterion.weight for criterion in rubric.criteria],
        mark=rubric.pass_mark,
        moves_numbers=is_moved,
        writes_numbers=is_moved,
        has_decisions=True,
        rater="judge",
        votes=(),
        gold=None,
        promised=promised,
        writes=False,
        today="2026-01-01",
    )
    band = gray_zone_of(evidence, promised, used)
    assert band is not None
    return band
