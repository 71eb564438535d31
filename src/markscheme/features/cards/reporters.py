"""Judge cards, and cards that were computed again, as results of Python calls show themselves."""

from collections.abc import Mapping
from typing import Final

from markscheme.calibration.accepted.card import JudgeCard
from markscheme.calibration.accepted.verification import Verification
from markscheme.calibration.results import Reporter
from markscheme.report.results import DocumentReporter
from markscheme.report.views import card

CARD_REPORTERS: Final[Mapping[str, Reporter]] = {
    "JudgeCard": DocumentReporter[JudgeCard](lambda result: result.data, card.view),
    "Verification": DocumentReporter[Verification](card.verified_json, card.verified),
}
"""What describes cards, by the names of their classes."""
