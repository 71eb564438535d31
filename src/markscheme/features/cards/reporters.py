"""Reporters that display judge cards and their checks when a Python call returns them, as in a notebook."""

from collections.abc import Mapping
from typing import Final

from markscheme.calibration.results import Reporter
from markscheme.features.cards.card import JudgeCard
from markscheme.features.cards.verification import Verification
from markscheme.features.cards.view import verified, verified_json, view
from markscheme.report.results import DocumentReporter

CARD_REPORTERS: Final[Mapping[str, Reporter]] = {
    "JudgeCard": DocumentReporter[JudgeCard](lambda result: result.data, view),
    "Verification": DocumentReporter[Verification](verified_json, verified),
}
"""Reporters of cards, by the names of the classes."""
