"""Audits of the probabilities that a judge gives, on each criterion and for the decision, against gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from markscheme.features.decision_models.statistics import MAP_AT, ProbabilityAudit, probability_audit
from markscheme.ratings.table import Column
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.change import holm
from markscheme.stats.intervals import Floats


@dataclass(frozen=True)
class ProbabilityAudits:
    """Comparison of one judge's probabilities with gold, for each criterion and for the decision to pass or fail.

    Attributes:
        criteria: The audit on each criterion with probabilities, by the criterion's name. It audits the probability
            that the response passes the criterion. If levels have no order, it audits the probability that the judge
            gives to the level it finds most probable.
        decision: Audit of the judge's probability that the response passes; None if the judge gives none.
    """

    criteria: Mapping[str, ProbabilityAudit]
    decision: ProbabilityAudit | None

    @property
    def named(self) -> dict[str, ProbabilityAudit]:
        """All audits by the name of their row in the report: criteria, then the decision."""
        return {**self.criteria, **({} if self.decision is None else {DECISION_ROW: self.decision})}

    @property
    def events(self) -> dict[str, ProbabilityAudit]:
        """Audits to test, by the name of their row in the table.

        They are all audits. But with a single criterion, only the audit of the decision is tested, since the
        criterion's audit is about the same event.
        """
        is_one_event = len(self.criteria) == 1 and self.decision is not None
        return {name: audit for name, audit in self.named.items() if not is_one_event or name == DECISION_ROW}

    @cached_property
    def exceeding(self) -> frozenset[str]:
        """Names of criteria (or the decision) whose confident answers are wrong oftener than their probabilities imply.

        The tests are adjusted by Holm's procedure.
        """
        return _significant({name: audit.confident_errors.significance for name, audit in self.events.items()}, MAP_AT)

    @cached_property
    def overconfident(self) -> frozenset[str]:
        """Names of the criteria, and of the decision, with too many confident errors or a slope below 1.

        Both kinds of tests are adjusted by Holm's procedure.
        """
        one_side = (1 - SLOPE_LEVEL) / 2
        return self.exceeding | _significant({name: audit.slope_p for name, audit in self.events.items()}, one_side)

    def to_json(self) -> dict[str, Any]:
        """Return the audits as the JSON of a calibration shows them."""
        return {
            "criteria": {name: _json_of(audit) for name, audit in self.criteria.items()},
            "decision": None if self.decision is None else _json_of(self.decision),
        }


def _significant(p: Mapping[str, float | None], significance: float) -> frozenset[str]:
    """Return the names whose p-value, after Holm's adjustment over all names, is at most the significance level."""
    tested = {name: value for name, value in p.items() if value is not None}
    adjusted = holm(list(tested.values())).tolist()
    return frozenset(name for name, value in zip(tested, adjusted, strict=True) if value <= significance)


SLOPE_LEVEL = 0.95
"""Level of the intervals of slopes."""
DECISION_ROW = "decision"
"""Name of the decision's row, below those of the criteria."""


def audits_of(judge: Column, gold: Column, rubric: Rubric, groups: Sequence[str] | None = None) -> ProbabilityAudits:
    """Audit a judge's probabilities: compare them with gold on each criterion, and for the decision.

    Args:
        judge: The judge's column, with its probabilities.
        gold: The column of gold.
        rubric: The rubric.
        groups: Name of each example's group; None without groups.
    """
    by_criterion = {}
    for criterion in rubric.criteria:
        if criterion.name in judge.probabilities:
            event = _event(criterion, judge.probabilities[criterion.name], gold.levels[criterion.name])
            by_criterion[criterion.name] = probability_audit(*event, groups)
    has_chances = bool(len(judge.chances)) and not np.isnan(judge.chances).all()
    decision = probability_audit(judge.chances, gold.decisions, groups) if has_chances else None
    return ProbabilityAudits(by_criterion, decision)


def _event(criterion: Criterion, probabilities: Floats, gold: Floats) -> tuple[Floats, Floats]:
    """Return, for each example, the judge's probability that a criterion passes, and 1 if it passes by gold, else 0.

    A criterion passes at its threshold or above, a fault below its threshold. If levels have no order, the event is
    that the judge's most probable level is gold's.
    """
    scale = criterion.scale
    has_any = ~np.isnan(probabilities).any(axis=1)
    if not scale.ordered:
        top = np.array(scale.values)[np.nan_to_num(probabilities).argmax(axis=1)]
        outcomes = np.where(np.isnan(gold), np.nan, top == gold)
        return np.where(has_any, np.nan_to_num(probabilities).max(axis=1), np.nan), outcomes
    does_pass = [criterion.passes(scale.position(value)) for value in scale.values]
    passed = [np.nan if np.isnan(level) else float(criterion.passes(scale.position(level))) for level in gold.tolist()]
    passing = np.minimum(1.0, probabilities[:, does_pass].sum(axis=1))
    return np.where(has_any, passing, np.nan), np.array(passed)


def _json_of(audit: ProbabilityAudit) -> dict[str, Any]:
    parts = audit.parts
    return {
        "n": audit.n,
        "left_out": audit.left_out,
        "probability": audit.probability,
        "share": audit.share,
        "bias": audit.bias,
        "brier": audit.brier,
        "skill": None if parts is None else parts.skill,
        "miscalibration": None if parts is None else parts.miscalibration,
        "discrimination": None if parts is None else parts.discrimination,
        "slope": audit.slope,
        "intercept": audit.intercept,
        "p": audit.p,
        "confident": [
            {"at": c.at, "n": c.n, "wrong": c.wrong, "promised": c.promised, "upper": c.upper, "p": c.p}
            for c in audit.confident
        ],
        "bins": [{"n": group.n, "probability": group.probability, "share": group.share} for group in audit.bins],
        "ece": audit.ece,
        "map": audit.map,
    }
