"""Who decides what: which responses need no person, under a promise that the labels keep."""

from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.accepted.recomputed import VERIFIABLE, Recomputed
from markscheme.calibration.needs import PROMISE_NEEDS, Need, RatingsByFile
from markscheme.calibration.results import RESULTS, Reporter, ResultRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.kinds import Kind
    from markscheme.rubrics.rubric import Rubric


def _recompute(path: Path) -> Recomputed | None:
    from markscheme.features.certify.check import check_certificate_at

    return check_certificate_at(path)


def _certificate_check() -> Reporter:
    from markscheme.features.certify.view_check import CHECK_REPORTER

    return CHECK_REPORTER


def _labels_needed(
    rubric: "Rubric", examples: "ExampleSet", by_file: RatingsByFile, error: float, kind: "Kind | None"
) -> Need | None:
    from markscheme.features.certify.labels_needed import labels_for_certificate

    return labels_for_certificate(rubric, examples, by_file, error, kind)


CERTIFY = Feature(
    "certify",
    VERIFIABLE(_recompute),
    RESULTS(ResultRow("CertificateCheck", _certificate_check)),
    PROMISE_NEEDS(_labels_needed),
)
