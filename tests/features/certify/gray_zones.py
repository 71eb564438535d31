"""The gray zone that labels support, from examples and ratings in memory."""

from collections.abc import Collection, Sequence

from markscheme import Rubric
from markscheme.calibration.certificates import CertificateEvidence
from markscheme.calibration.promised import Promised
from markscheme.calibration.tuning import propose
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
) -> TunedBand:
    """Find the gray zone as `tune` does, once it has tuned the numbers."""
    proposal = propose(rubric, dev, ratings=ratings, test=test)
    tuned = proposal.tuned["judge"]
    evidence = CertificateEvidence(
        rubric=rubric,
        labels=TuningLabels(dev, None),
        examples=test or dev,
        split="dev" if test is None else "test",
        rated=proposal.by_judge,
        rated_on_test=proposal.by_judge_on_test,
        weights=tuned.weights.after,
        mark=tuned.mark.after,
        moves_numbers=tuned.weights.supported or tuned.mark.supported,
        writes_numbers=bool(proposal.changes()),
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
