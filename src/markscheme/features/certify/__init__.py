"""Who decides what: which responses need no person, under a promise that the labels keep."""

from pathlib import Path

from markscheme.calibration.accepted.recomputed import VERIFIABLE, Recomputed
from markscheme.calibration.results import RESULTS, Reporter, ResultRow
from markscheme.seam import Feature


def _recompute(path: Path) -> Recomputed | None:
    from markscheme.features.certify.check import check_certificate_at

    return check_certificate_at(path)


def _certificate_check() -> Reporter:
    from markscheme.features.certify.view_check import CHECK_REPORTER

    return CHECK_REPORTER


CERTIFY = Feature("certify", VERIFIABLE(_recompute), RESULTS(ResultRow("CertificateCheck", _certificate_check)))
