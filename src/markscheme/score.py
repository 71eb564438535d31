"""Compute the Score from outcomes: the only arithmetic on weights."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.verdict import Abstention, Holistic, NotApplicable, Outcome, Unread, Verdict

GradeDecision = Literal["pass", "fail", "ask"]
ROUNDING = 1e-9
"""Tolerance for floating-point sums at the pass mark."""

NO_SCORE = "no score, and neither pass nor fail: its categories don't say which pass (`passes: [label, …]`)"
"""What a grade by a rubric of categories alone says."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a response.

    Attributes:
        score: 0 to 1, or `raw_score` if not normalized.
        raw_score: Sum of weight times position.
        llm_raw_score: The score a holistic judge gave, 0 to 100; otherwise `raw_score`.
        passed: Whether score and every required criterion pass.
        failed_required: Names of the required criteria that fail.
        doubtful: Whether it is in the rubric's gray zone, so that a person decides.
    """

    score: float
    raw_score: float
    llm_raw_score: float
    passed: bool
    failed_required: tuple[str, ...] = ()
    doubtful: bool = False

    @property
    def decision(self) -> GradeDecision:
        """Pass, fail, or ask a person."""
        return "ask" if self.doubtful else "pass" if self.passed else "fail"


def weigh(
    outcomes: Mapping[str, Outcome], rubric: Rubric, *, normalize: bool = True, renormalize: bool = False
) -> Score | str | None:
    """The score of a response, or the reason why it has none; None where the rubric can't come to a score or decision.

    With p the position of a verdict on its scale and w its weight: raw = Σ w·p; score = raw / Σ positive w within
    0 to 1; with negative weights only, score = 1 + raw / Σ |w| within 0 to 1. A criterion that does not apply is
    left out of both sums. Categories without values are in neither sum: one that isn't among those that pass fails the
    whole. A rubric of nothing else scores 1 where all pass, else 0.

    Args:
        outcomes: One for each criterion of the rubric, by name.
        rubric: Its weights, required criteria and pass mark apply.
        normalize: False keeps the raw sum as score; the pass mark still applies to the normalized one.
        renormalize: True leaves abstentions and unread verdicts out like criteria that do not apply. A required
            criterion is never left out.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict([{"weight": 10, "requirement": "A"}, {"weight": -5, "requirement": "B"}])
        >>> weigh({"c1": Verdict("c1", 1.0), "c2": Verdict("c2", 1.0)}, rubric)
        Score(score=0.5, raw_score=5.0, llm_raw_score=5.0, passed=True, failed_required=(), doubtful=False)
    """
    if not rubric.decides:
        return None
    decisive = [criterion for criterion in rubric.criteria if criterion.is_decisive]
    missing = {c.name: why for c in decisive if (why := _why_no_level(outcomes.get(c.name)))}
    blocking = [c.name for c in decisive if c.name in missing and (must_pass(c) or not renormalize)]
    if blocking:
        return "; ".join(f"{name}: {missing[name]}" for name in blocking)
    positions = [
        (criterion, criterion.scale.position(outcome.level))
        for criterion in decisive
        if isinstance(outcome := outcomes.get(criterion.name), Verdict)
    ]
    if not positions:
        return "no criterion applies" if not missing else "no verdict could be read"
    failed = tuple(c.name for c, position in positions if must_pass(c) and not c.passes(position))
    weighted = [(criterion.weight, position) for criterion, position in positions if criterion.has_worth]
    if not weighted:
        all_pass = float(not failed)
        return Score(all_pass, all_pass, all_pass, not failed, failed)
    raw, normalized = _raw_and_normalized(weighted)
    passed = normalized >= rubric.pass_mark - ROUNDING and not failed
    return Score(normalized if normalize else raw, raw, raw, passed, failed, _is_doubtful(normalized, passed, rubric))


def weigh_holistic(holistic: Holistic, rubric: Rubric, *, normalize: bool = True) -> Score:
    """The score of a response rated as a whole.

    score = h / 100, where h is the holistic score; raw = h / 100 · Σ positive w, or with negative weights only
    -(1 - h / 100) · Σ |w|.
    """
    share = holistic.score / 100
    if rubric.positive_weight > 0:
        raw = share * rubric.positive_weight
    else:
        raw = -(1 - share) * sum(abs(criterion.weight) for criterion in rubric.criteria)
    passed = share >= rubric.pass_mark - ROUNDING
    return Score(share if normalize else raw, raw, holistic.score, passed, doubtful=_is_doubtful(share, passed, rubric))


def score_of_levels(levels: Mapping[str, float], rubric: Rubric, not_applicable: Collection[str] = ()) -> float | None:
    """The normalized score of levels by criterion name; None unless each criterion has one or doesn't apply.

    Categories without values don't count.
    """
    weighted = []
    for criterion in rubric.criteria:
        if criterion.name in not_applicable or not criterion.has_worth:
            continue
        if criterion.name not in levels:
            return None
        weighted.append((criterion.weight, criterion.scale.position(levels[criterion.name])))
    return _raw_and_normalized(weighted)[1] if weighted else None


def must_pass(criterion: Criterion) -> bool:
    """Whether the whole fails where this criterion does: it is required, or it says which of its categories pass."""
    return criterion.required or bool(criterion.passing)


def decision_of_levels(score: float | None, levels: Mapping[str, float], rubric: Rubric) -> bool | None:
    """Whether a score, and the levels of the criteria that must pass, come to pass or fail; None where they don't say.

    A criterion that must pass and has no level doesn't fail, but where there is no score to decide.
    """
    has_to_pass = [criterion for criterion in rubric.criteria if must_pass(criterion)]
    if rubric.has_score:
        if score is None:
            return None
    elif not rubric.decides or any(criterion.name not in levels for criterion in has_to_pass):
        return None
    fails = any(
        not criterion.passes(criterion.scale.position(levels[criterion.name]))
        for criterion in has_to_pass
        if criterion.name in levels
    )
    return not fails and (score is None or score >= rubric.pass_mark - ROUNDING)


def _raw_and_normalized(weighted: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Sum of weight times position, and the same as a score from 0 to 1."""
    raw = sum(weight * position for weight, position in weighted)
    best = sum(weight for weight, _ in weighted if weight > 0)
    share = raw / best if best > 0 else 1 + raw / sum(abs(weight) for weight, _ in weighted)
    return raw, min(1.0, max(0.0, share))


def _is_doubtful(score: float, passed: bool, rubric: Rubric) -> bool:
    """Whether a person should decide; never without a gray zone, even at the pass mark itself."""
    return rubric.gray_zone.has(abs(score - rubric.pass_mark) - ROUNDING, passed=passed)


def _why_no_level(outcome: Outcome | None) -> str | None:
    match outcome:
        case None:
            return "no verdict"
        case Abstention(reason=reason):
            return f"the judge abstained{': ' + reason if reason else ''}"
        case Unread(why=why):
            return why
        case Verdict() | NotApplicable():
            return None
