"""Compute a Score from outcomes on criteria; all arithmetic on weights is here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.grading.verdict import Abstention, Holistic, NotApplicable, Outcome, Unread, Verdict
from markscheme.rubrics.distribution import Probabilities
from markscheme.rubrics.preference import Preference, preferred, signed
from markscheme.rubrics.rubric import Criterion, Rubric

GradeDecision = Literal["pass", "fail", "ask", "first", "tie", "second"]
ROUNDING = 1e-9
"""Tolerance for floating-point sums in comparing a score with the pass mark."""

SUM_DIGITS = 9
"""Number of digits to which sums of weighted positions are rounded, so that sums which should be equal are equal."""

MOST_SUMS = 200_000
"""Largest number of different sums that are distinguished in a probability of passing: whole weights have hundreds;
twenty uneven weights would have a million, and take a second for each response."""

NO_SCORE = "no score, and neither pass nor fail: its categories don't say which pass (`passes: [label, …]`)"
"""Message for a grade by a rubric with only categories."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a response, with the decision that follows from it.

    Attributes:
        score: The score, 0 to 1, or `raw_score` if not normalized; for a pair, from -1 (the first response is better)
            to 1.
        raw_score: Sum of weight times position.
        llm_raw_score: The score that a holistic judge gave, 0 to 100; otherwise `raw_score`.
        passed: True if score and every required criterion pass; None for a pair.
        failed_required: Names of the required criteria that fail.
        doubtful: True if the score is in the rubric's gray zone, so that a person decides.
        chance: The judge's own probability that the response passes, 0 to 1; None unless it gave one for each level.
        certainty: Certainty of the decision: the probability of what was decided, which is below one half if levels and
            probabilities contradict each other; without a probability, the score's distance from the pass mark. It
            ranks decisions, and doesn't tell how many are wrong.
        preference: For a pair, which response is better; None for a single response.
    """

    score: float
    raw_score: float
    llm_raw_score: float
    passed: bool | None
    failed_required: tuple[str, ...] = ()
    doubtful: bool = False
    chance: float | None = None
    certainty: float = 0.0
    preference: Preference | None = None

    @property
    def decision(self) -> GradeDecision:
        """Decision on the response: pass, fail or ask a person; for a pair, which of its responses is better."""
        if self.preference is not None:
            return self.preference
        return "ask" if self.doubtful else "pass" if self.passed else "fail"


def weigh(
    outcomes: Mapping[str, Outcome], rubric: Rubric, *, normalize: bool = True, renormalize: bool = False
) -> Score | str | None:
    """Compute a response's Score from the outcomes on its criteria; None if the rubric neither scores nor decides.

    If there can be no score, the reason why is returned.

    With p the position of a verdict on its scale and w its weight: raw = Σ w·p; score = raw / Σ positive w within 0 to
    1; with negative weights only, score = 1 + raw / Σ |w| within 0 to 1. A criterion that does not apply is left out of
    both sums. Categories without values are in neither sum; a category that isn't among those that pass fails the whole
    response. A rubric with nothing else scores 1 if all categories pass, else 0.

    Args:
        outcomes: An outcome for each criterion of the rubric, by name.
        rubric: The rubric, whose weights, required criteria and pass mark apply.
        normalize: True for a score from 0 to 1, False for the raw sum; the pass mark always applies to the normalized
            score.
        renormalize: True to leave out abstentions and unread verdicts, like criteria that do not apply. A required
            criterion is never left out.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict([{"weight": 10, "requirement": "A"}, {"weight": -5, "requirement": "B"}])
        >>> weigh({"c1": Verdict("c1", 1.0), "c2": Verdict("c2", 1.0)}, rubric)
        Score(score=0.5, raw_score=5.0, llm_raw_score=5.0, passed=True, failed_required=(), doubtful=False, \
chance=None, certainty=0.0, preference=None)
    """
    if not rubric.decides and not rubric.is_of_pairs:
        return None
    missing = {c.name: why for c in rubric.decisive if (why := _why_no_level(outcomes.get(c.name)))}
    blocking = [c.name for c in rubric.decisive if c.name in missing and (must_pass(c) or not renormalize)]
    if blocking:
        return "; ".join(f"{name}: {missing[name]}" for name in blocking)
    positions = [
        (criterion, criterion.scale.position(outcome.level))
        for criterion in rubric.decisive
        if isinstance(outcome := outcomes.get(criterion.name), Verdict)
    ]
    if not positions:
        return "no criterion applies" if not missing else "no verdict could be read"
    failed = tuple(c.name for c, position in positions if must_pass(c) and not c.passes(position))
    weighted = [(criterion.weight, position) for criterion, position in positions if criterion.has_worth]
    chance = chance_of_passing(outcomes, rubric)
    if not weighted:
        all_pass = float(not failed)
        certainty = certainty_of(chance, all_pass, rubric, passed=not failed)
        return Score(all_pass, all_pass, all_pass, not failed, failed, chance=chance, certainty=certainty)
    raw, normalized = _raw_and_normalized(weighted)
    if rubric.is_of_pairs:
        lean = signed(normalized)
        return Score(lean, lean, lean, None, preference=preferred(normalized, rubric.tie_within))
    passed = normalized >= rubric.pass_mark - ROUNDING and not failed
    doubtful = _is_doubtful(normalized, passed, rubric)
    certainty = certainty_of(chance, normalized, rubric, passed=passed)
    return Score(normalized if normalize else raw, raw, raw, passed, failed, doubtful, chance, certainty)


def weigh_holistic(holistic: Holistic, rubric: Rubric, *, normalize: bool = True) -> Score:
    """Score a response rated as a whole.

    With the holistic score h, score = h / 100; raw = h / 100 · Σ positive w, or with negative weights only -(1 - h /
    100) · Σ |w|.

    Args:
        holistic: The rating from 0 to 100.
        rubric: The rubric, with weights and pass mark.
        normalize: True for h / 100 as the score, False for the raw score.
    """
    share = holistic.score / 100
    raw = (share if rubric.positive_weight > 0 else share - 1) * rubric.whole_weight
    passed = share >= rubric.pass_mark - ROUNDING
    doubtful = _is_doubtful(share, passed, rubric)
    certainty = certainty_of(None, share, rubric, passed=passed)
    return Score(share if normalize else raw, raw, holistic.score, passed, doubtful=doubtful, certainty=certainty)


def certainty_of(chance: float | None, score: float, rubric: Rubric, *, passed: bool) -> float:
    """Return the certainty of a decision: its probability, or without one the score's distance from the pass mark.

    `chance` is the probability that the response passes; None if the judge gives none. The certainty of a fail is
    1 - `chance`.

    >>> from markscheme import Rubric
    >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "A"}])
    >>> certainty_of(0.25, 0.0, rubric, passed=False), certainty_of(None, 0.75, rubric, passed=True)
    (0.75, 0.25)
    """
    if chance is None:
        return abs(score - rubric.pass_mark)
    return chance if passed else 1.0 - chance


def chance_of_passing(outcomes: Mapping[str, Outcome], rubric: Rubric) -> float | None:
    """Compute the probability that a response passes from a judge's probabilities of levels; None if unknown.

    Args:
        outcomes: An outcome for each criterion, by name. A check by code is certain, and criteria that don't apply are
            left out.
        rubric: The rubric, whose weights, required criteria and pass mark apply.

    Returns:
        The probability, 0 to 1; None if a criterion that counts has no probabilities, or if the rubric makes no
        decision.
    """
    distributions = {
        name: o.probabilities for name, o in outcomes.items() if isinstance(o, Verdict) and o.probabilities
    }
    if not distributions:
        return None
    certain = {name: o.level for name, o in outcomes.items() if isinstance(o, Verdict) and not o.probabilities}
    left_out = [name for name, outcome in outcomes.items() if isinstance(outcome, NotApplicable)]
    return chance_of_levels(distributions, certain, rubric, left_out)


def chance_of_levels(
    probabilities: Mapping[str, Probabilities],
    certain: Mapping[str, float],
    rubric: Rubric,
    not_applicable: Collection[str] = (),
) -> float | None:
    """Compute the probability that a response passes from each criterion's probabilities of levels.

    The criteria are taken as independent. Return None if the rubric decides nothing, or if a criterion that counts has
    no probabilities.

    Args:
        probabilities: Probability of each level, by criterion.
        certain: The levels in the grade, by criterion. A level on a criterion that code checks gets probability 1; all
            other levels are ignored.
        rubric: The rubric by which it was graded.
        not_applicable: Criteria that are left out of the score.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "A"}, {"weight": 1, "requirement": "B"}])
        >>> round(chance_of_levels({"c1": (0.1, 0.9), "c2": (0.2, 0.8)}, {}, rubric), 6)
        0.98
    """
    counted = [c for c in rubric.criteria if c.is_decisive and c.name not in not_applicable]
    if not rubric.decides or not counted:
        return None
    chances: dict[tuple[float, bool], float] = {(0.0, True): 1.0}
    for criterion in counted:
        steps = _weighted_steps(criterion, probabilities.get(criterion.name, ()), certain)
        if not steps:
            return None
        longer: dict[tuple[float, bool], float] = {}
        for (raw, meets), chance in chances.items():
            for (gain, meets_too), p in steps.items():
                key = (round(raw + gain, SUM_DIGITS), meets and meets_too)
                longer[key] = longer.get(key, 0.0) + chance * p
        chances = longer if len(longer) <= MOST_SUMS else _coarser(longer)
    weights = [criterion.weight for criterion in counted if criterion.has_worth]
    passing = (
        chance
        for (raw, meets), chance in chances.items()
        if meets and (not weights or _normalized(raw, weights) >= rubric.pass_mark - ROUNDING)
    )
    return min(1.0, sum(passing))


def _coarser(chances: Mapping[tuple[float, bool], float]) -> dict[tuple[float, bool], float]:
    """Merge nearly equal sums, so that there are fewer; each moves by less than a thousandth of a percent of the range.

    Args:
        chances: Maps pairs to their probabilities. A pair is a weighted sum of positions, and True if all required
            criteria are met.
    """
    sums = [raw for raw, _ in chances]
    lowest = min(sums)
    step = (max(sums) - lowest) / (MOST_SUMS // 2)
    merged: dict[tuple[float, bool], float] = {}
    for (raw, meets), chance in chances.items():
        key = (round(lowest + round((raw - lowest) / step) * step, SUM_DIGITS), meets)
        merged[key] = merged.get(key, 0.0) + chance
    return merged


def _weighted_steps(
    criterion: Criterion, probabilities: Probabilities, certain: Mapping[str, float]
) -> dict[tuple[float, bool], float]:
    """Return the distribution of a criterion's contribution to a response's score and decision.

    Args:
        criterion: The criterion.
        probabilities: The judge's probability of each level of the criterion.
        certain: Levels in the grade, by criterion. If code checks the criterion, its level here has probability 1.

    Returns:
        A mapping from pairs to probabilities. A pair is the criterion's weight times the position of a level, and False
        if this level fails the whole response, else True.
    """
    values = criterion.scale.values
    if criterion.check is not None and criterion.name in certain:
        values, probabilities = (certain[criterion.name],), (1.0,)
    steps: dict[tuple[float, bool], float] = {}
    for value, p in zip(values, probabilities, strict=False):
        position = criterion.scale.position(value)
        gain = criterion.weight * position if criterion.has_worth else 0.0
        step = (gain, not must_pass(criterion) or criterion.passes(position))
        steps[step] = steps.get(step, 0.0) + p
    return steps


def score_of_levels(levels: Mapping[str, float], rubric: Rubric, not_applicable: Collection[str] = ()) -> float | None:
    """Compute the normalized score of given levels, by criterion; None if a criterion that counts has no level.

    Criteria that don't apply don't count, nor do categories without values. If none counts, the score is None too.
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
    """Return True if failing this criterion fails the whole response: it is required, or has passing categories."""
    return criterion.required or bool(criterion.passing)


def decision_of_levels(score: float | None, levels: Mapping[str, float], rubric: Rubric) -> bool | None:
    """Return True if a response passes by its score and the levels of criteria that must pass; None if undecided.

    If a criterion that must pass has no level, the response can pass by its score; under a rubric without scores, the
    decision is open.
    """
    if rubric.is_of_pairs or not rubric.decides:
        return None
    has_to_pass = [criterion for criterion in rubric.criteria if must_pass(criterion)]
    if rubric.has_score:
        if score is None:
            return None
    elif any(criterion.name not in levels for criterion in has_to_pass):
        return None
    fails = any(
        not criterion.passes(criterion.scale.position(levels[criterion.name]))
        for criterion in has_to_pass
        if criterion.name in levels
    )
    return not fails and (score is None or score >= rubric.pass_mark - ROUNDING)


def _raw_and_normalized(weighted: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the raw sum of weight times position, and this sum converted to a score from 0 to 1."""
    raw = sum(weight * position for weight, position in weighted)
    return raw, _normalized(raw, [weight for weight, _ in weighted])


def unclipped_score(outcomes: Mapping[str, Outcome], rubric: Rubric) -> float | None:
    """Return the score before it is clipped to 0 to 1; None if no criterion with a weight has a verdict.

    >>> from markscheme import Rubric
    >>> rubric = Rubric.from_dict([{"weight": 5, "requirement": "A"}, {"weight": -8, "requirement": "B"}])
    >>> unclipped_score({"c1": Verdict("c1", 0.0), "c2": Verdict("c2", 1.0)}, rubric)
    -1.6
    """
    weighted = [
        (criterion.weight, criterion.scale.position(outcome.level))
        for criterion in rubric.criteria
        if criterion.has_worth and isinstance(outcome := outcomes.get(criterion.name), Verdict)
    ]
    raw = sum(weight * position for weight, position in weighted)
    return _share_of_best(raw, [weight for weight, _ in weighted]) if weighted else None


def _normalized(raw: float, weights: Sequence[float]) -> float:
    """Convert a sum of weight times position to a score from 0 to 1."""
    return min(1.0, max(0.0, _share_of_best(raw, weights)))


def _share_of_best(raw: float, weights: Sequence[float]) -> float:
    """Convert the raw sum of weight times position to a share of the highest possible sum.

    If no weight is above 0, the highest sum is 0. The result is then 1 minus `raw` divided by the lowest possible sum.

    Args:
        raw: The sum over criteria of weight times position.
        weights: The weights of these criteria.
    """
    best = sum(weight for weight in weights if weight > 0)
    return raw / best if best > 0 else 1 + raw / sum(abs(weight) for weight in weights)


def _is_doubtful(score: float, passed: bool, rubric: Rubric) -> bool:
    """Return True if a score lies in the rubric's gray zone, so that a person should decide.

    Args:
        score: The score.
        passed: True if the response passes; the zone may be wider for passes than for fails.
        rubric: The rubric.
    """
    return rubric.gray_zone.has(abs(score - rubric.pass_mark) - ROUNDING, passed=passed)


def _why_no_level(outcome: Outcome | None) -> str | None:
    match outcome:
        case Verdict() | NotApplicable():  # first: nearly all are
            return None
        case None:
            return "no verdict"
        case Abstention(reason=reason):
            return f"the judge abstained{': ' + reason if reason else ''}"
        case Unread(why=why):
            return why
