"""Figures added to a calibration: the share that a judge could decide alone, and the effective votes of a panel."""

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.features.certify import ranked_decisions, statistics  # most runs have no part to look for
from markscheme.features.certify.panels import independent_votes
from markscheme.features.certify.promise import Promise


def votes_of_panel(calibration: Calibration) -> float | None:
    """Estimate how many independent judges a panel is worth; None for a single judge, or if data are too few."""
    gold = calibration.comparison.gold
    rows = {unit: index for index, unit in enumerate(gold.ids)}
    errors = []
    for (unit, name), votes in calibration.rater.member_votes.items():
        if unit in rows:
            scale = calibration.rubric.criterion(name).scale
            level = gold.levels[name][rows[unit]]
            errors.append([(vote - level) / scale.span for vote in votes])
    return independent_votes(np.array(errors)) if errors else None


def may_decide(calibration: Calibration) -> float | None:
    """Estimate the share of responses that a judge could decide alone with the default limit on wrong decisions.

    It is for a judge that may not decide all responses alone, and for which more labels wouldn't change that. None if
    annotators' labels give no decisions, or if there is no response that the judge could decide alone.
    """
    comparison = calibration.comparison
    gold = comparison.gold
    counts = ~np.isnan(gold.decisions)
    if not gold.has_people or not counts.any():
        return None

    ranked = ranked_decisions.RankedDecisions.of_column(comparison.judge.rows(counts), calibration.rubric)
    groups = None if comparison.table.groups is None else np.array(comparison.table.groups)[counts]
    wrong = ranked.passes != (gold.decisions[counts] == 1)
    usual = Promise()
    automatic = statistics.automatic_part(
        ranked.certainty, wrong, statistics.ErrorLimit(usual.error, usual.level), groups
    )
    return automatic.automatic.value
