"""The tables of what finds, by labels, which decisions need no person."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.certificates import CertificateEvidence, StagesAsked, TunedCertificate

CertifyTuned: TypeAlias = "Callable[[CertificateEvidence], TunedCertificate]"
CERTIFY_TUNED: OpenTable[CertifyTuned] = OpenTable()
"""Who says what of a tuned rubric needs no person; the first one does."""
CertifyStages: TypeAlias = "Callable[[StagesAsked, bool], int]"
CERTIFY_STAGES: OpenTable[CertifyStages] = OpenTable()
"""Who shows which judges may decide, as JSON where that is asked for, and returns the exit status: the first one."""
