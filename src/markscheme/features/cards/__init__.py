"""Judge cards: files with an accepted run's figures, which `verify` computes again from the project's files."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.calibration.accepted.further_files import KEPT_WITH_RUN, Kept, RunBasis
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration

_SUMMARY = "check a judge card: compute all of it again from its files"


def _command() -> CommandFunction:
    from markscheme.features.cards.command import verify

    return verify


def _keep(calibration: "Calibration", document: Mapping[str, Any], basis: "RunBasis | None", path: Path) -> Kept:
    from markscheme.features.cards.keep import keep_card

    return keep_card(calibration, document, basis, path)


def _reporter(name: str) -> Reporter:
    from markscheme.features.cards.reporters import CARD_REPORTERS

    return CARD_REPORTERS[name]


CARDS = Feature(
    "cards",
    COMMANDS(CommandRow("verify", "More", _SUMMARY, _command, rank=5)),
    KEPT_WITH_RUN(_keep),
    RESULTS(*((name, partial(_reporter, name)) for name in ("JudgeCard", "Verification"))),
)
