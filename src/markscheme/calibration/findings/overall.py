"""Faults of a judge over all criteria: halo, decisions without skill, length, a broken slice, unread replies."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from markscheme.calibration.comparison.measure import merged_rows
from markscheme.calibration.comparison.policy import side_confidence
from markscheme.calibration.findings import kinds
from markscheme.calibration.findings.evidence import (
    FEWEST_FOR_SPREAD,
    FEWEST_TO_DIAGNOSE,
    LEAST_SHARED,
    LEAST_WRONG,
    LITTLE_SKILL,
    MOST_WORST,
    SKILL_BOUND,
    Evidence,
    mean,
)
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.slices import BY_LABEL_KIND, BY_SYSTEM, Slice, SliceFigure
from markscheme.phrases import listed, number, percent
from markscheme.ratings.code_arrays import have_answer, header_values
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.table import positions
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.distortion import halo, leaning
from markscheme.stats.intervals import Flags, Floats, Grouping, Groups
from markscheme.stats.severity import pair_statistic

ONE_SIDED_LEVEL = 0.90
"""Level of an interval each of whose limits is a one-sided 95 % limit."""
HALO_SIZE = 0.10
"""Smallest effect of other criteria on the judge's level of one criterion, beyond the effect in annotators' levels,
that is a halo; halos of .30 were found in 97 % of sets."""
LITTLE_GAIN = 0.10
"""Gain over the best constant score that the interval must rule out: a smaller one is hardly worth a judge; a
judgement."""
GAIN_LEVEL = 0.80
"""Level of the interval that must rule `LITTLE_GAIN` out; each of its limits is a one-sided 90 % limit."""
LENGTH_IN_SCORE = 0.05
"""Smallest difference in score between the longest and the shortest tenth of responses for length to matter: half the
default tolerance."""
MANY_UNREAD = 0.10
"""Share of unreadable replies from which on nothing else can be trusted: the largest share that may be ungraded."""
SOME_UNREAD = 0.02
"""Share of unreadable replies from which on they are worth an edit; a judgement."""


def halo_finding(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding if the judge has a halo: its level on one criterion follows the response's other criteria."""
    ordered = [
        criterion for criterion in evidence.criteria.values() if criterion.scale.ordered and criterion.twice_labelled
    ]
    if len(ordered) < 2 or not evidence.ids:
        return
    people = np.empty((len(ordered), *ordered[0].people.T.shape))
    for of_criterion, criterion in zip(people, ordered, strict=True):
        of_criterion[:] = criterion.merit(criterion.people).T
    judge = np.stack([criterion.merit(criterion.judge) for criterion in ordered]).T
    size_of_halo = halo(people.T, judge, groups=ordered[0].groups, level=ONE_SIDED_LEVEL)
    size = size_of_halo.value or 0.0
    if size < HALO_SIZE or not size_of_halo.above(0.0):
        return
    gold = np.column_stack([criterion.merit(criterion.gold) for criterion in ordered])
    others = (gold.sum(axis=1, keepdims=True) - gold) / (len(ordered) - 1)
    pull = others - gold
    pulled = np.where(np.sign(pull) == np.sign(judge - gold), np.abs(pull) * np.abs(judge - gold), 0.0)
    worst = evidence.worst(np.nan_to_num(pulled).max(axis=1))
    shown = [f"{evidence.ids[index]} ({ordered[int(np.nan_to_num(pulled[index]).argmax())].name})" for index in worst]
    fixed = {
        criterion.name: criterion.judge - size * criterion.good * criterion.scale.span * (pull[:, c] - mean(pull[:, c]))
        for c, criterion in enumerate(ordered)
    }
    yield evidence.finding(
        kinds.HALO,
        None,
        f"The judge lets criteria color each other (halo): it moves each {percent(size)} of the way to the others, "
        "beyond what annotators do.",
        "Ask for each criterion separately (strategy: per_criterion), and say in each what belongs to the others; "
        f"it shows most on {listed(shown)}.",
        shows={"halo": size_of_halo.to_json()},
        worst=worst,
        gain=evidence.gain(fixed),
    )


def decisions_without_skill(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding if the judge's pass/fail decisions aren't associated with gold's."""
    comparison = evidence.comparison
    every_gold, every_judge, units = comparison.decisions_counted
    is_decided = np.isfinite(every_judge) & np.isfinite(every_gold)
    if evidence.ids:
        is_decided &= evidence.included
    gold, passes, n = _each_two(every_gold[is_decided], every_judge[is_decided], units[is_decided])
    examples = round(float(n.sum()))
    of_passes = round(float(n @ gold))
    too_few = min(of_passes, examples - of_passes) < LEAST_WRONG or examples < FEWEST_FOR_SPREAD
    if too_few or not evidence.scores_rank:
        return
    always = bool(np.ptp(passes) == 0)
    follows = pair_statistic(gold, passes, "pearson", groups=Groups.counted(n), level=ONE_SIDED_LEVEL)
    if not always and not ((follows.value or 0.0) <= LITTLE_SKILL and follows.below(SKILL_BOUND)):
        return
    wrong = round(float(n[gold != passes].sum()))
    if not always:
        behaviour = f"passes and fails without following {evidence.who}"
    elif passes[0]:
        behaviour = f"passes every response, though {wrong} of {examples} should fail"
    else:
        behaviour = f"fails every response, though {wrong} of {examples} should pass"
    equal = 1 - wrong / examples
    usual = max(of_passes / examples, 1 - of_passes / examples)
    missed = [evidence.ids.index(name) for name in (*comparison.false_passes, *comparison.false_fails)[:MOST_WORST]]
    yield evidence.finding(
        kinds.NO_SKILL,
        None,
        f"The judge {behaviour}. Its pass/fail decision is gold's on {percent(equal)} of examples; always deciding the "
        "same "
        f"way would be right on {percent(usual)}.",
        f"Compare the pass mark ({comparison.rubric.pass_mark:g}) with the scores of "
        f"{evidence.example_ids(missed[:3])}, then look for the criterion that should have separated them.",
        shows={"accuracy": equal, "constant": usual, "kappa": comparison.overall["pass_kappa"].to_json()},
        worst=missed,
        gain=evidence.error,
        least="high",
    )


def no_better_than_constant(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding if the judge agrees with gold less often than the best constant score does.

    There is a finding, too, if three things hold: the judge's agreement is below the target, its interval doesn't show
    that the judge is better than the constant, and it shows that the judge is at most a little better.
    """
    comparison = evidence.comparison
    figures = comparison.figures
    gain = figures.gain.estimate(level=GAIN_LEVEL, method="gain over the best constant score")
    agreement = comparison.agreement
    constant = comparison.agreement_constant
    if gain.value is None or agreement.value is None or agreement.n < FEWEST_TO_DIAGNOSE:
        return
    unshown = agreement.value < comparison.rubric.target and not gain.above(0.0) and gain.below(LITTLE_GAIN)
    upper = figures.gain.upper(side_confidence())
    lost = upper is not None and upper < 0
    if not lost and not unshown:
        return
    always = comparison.measure.always(figures.constant_value)
    shown = ", which is better" if lost else ": the judge isn't shown to do better"
    yield evidence.finding(
        kinds.NO_GAIN,
        None,
        f"The judge agrees on {percent(agreement.value)} of examples; {always} would agree on "
        f"{percent(constant.value or 0)}{shown}.",
        "Don't use the score as it is: fix the criteria first, or let people decide.",
        shows={"agreement": agreement.to_json(), "constant": constant.to_json(), "gain": gain.to_json()},
        worst=evidence.worst(np.abs(evidence.misses)),
        gain=evidence.error,
        least="high" if lost else "medium",
        most="high" if lost else "medium",
    )


def length_bias(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding if the judge rates longer responses higher, or lower, than their labels explain."""
    comparison = evidence.comparison
    misses = evidence.misses
    rated = np.isfinite(misses)
    if int(rated.sum()) < FEWEST_TO_DIAGNOSE or not evidence.scores_rank:
        return
    log_length = _log_lengths(evidence)
    short, long = np.quantile(log_length[rated], [0.1, 0.9])
    groups = comparison.sets
    scores = np.where(rated, comparison.scores, np.nan)
    leans = _leaning(_annotators_scores(evidence), scores, log_length, groups)
    (length, missed), in_groups = merged_rows(log_length, misses, groups=groups)
    plainly = pair_statistic(length, missed, "pearson", groups=in_groups)
    slope = leans.value or 0.0
    size = min(1.0, max(-1.0, slope * float(long - short)))  # a line may reach beyond the ends of scores
    if abs(size) < LENGTH_IN_SCORE or not _same_way(leans, plainly):
        return
    excess = slope * (log_length - log_length[rated].mean())
    worst = evidence.worst(np.where(np.sign(excess) == np.sign(misses), np.abs(misses), np.nan))
    rewards, earns = ("rewards", "earns") if size > 0 else ("punishes", "costs")
    alone = " With one label per example, quality that grows with length can't be separated from length."
    yield evidence.finding(
        kinds.LENGTH,
        None,
        f"The judge {rewards} length: a response in the longest tenth scores {number(abs(size))} "
        f"{'higher' if size > 0 else 'lower'} than one in the shortest tenth that deserves the same."
        + ("" if all(criterion.twice_labelled for criterion in evidence.criteria.values()) else alone),
        f"Say in the guidelines that length {earns} nothing, and in the criteria what may be left out; it shows on "
        f"{evidence.example_ids(worst)}.",
        shows={"per_log_length": leans.to_json(), "short_to_long": size, "correlation_of_misses": plainly.to_json()},
        worst=worst,
        gain=max(0.0, float(np.abs(misses[rated]).mean() - np.abs(misses[rated] - excess[rated]).mean())),
    )


def length_adjusted(evidence: Evidence) -> Evidence:
    """Return the evidence with the effect of the responses' length removed from the judge's levels.

    Levels on criteria whose levels have no order stay as they are.
    """
    log_length = _log_lengths(evidence)
    criteria = {}
    for name, criterion in evidence.criteria.items():
        labels = criterion.people if criterion.twice_labelled else criterion.gold
        leans = _leaning(labels, criterion.judge, log_length, criterion.groups)
        excess = (leans.value or 0.0) * (log_length - log_length.mean())
        criteria[name] = replace(criterion, judge=criterion.judge - excess) if criterion.scale.ordered else criterion
    return replace(evidence, criteria=criteria)


def _each_two(gold: Floats, judge: Floats, units: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each pair of gold's and the judge's decision that occurs, and the number of examples that have it.

    Args:
        gold: Gold's decisions, 1 for pass and 0 for fail, shape (n_rows,).
        judge: The judge's decisions, 1 for pass and 0 for fail, shape (n_rows,).
        units: Number of examples that each row represents, shape (n_rows,).
    """
    n = np.bincount((2 * gold + judge).astype(np.int64), weights=units, minlength=4).astype(np.float64)
    occurs = n > 0
    return np.array([0.0, 0.0, 1.0, 1.0])[occurs], np.array([0.0, 1.0, 0.0, 1.0])[occurs], n[occurs]


def _leaning(labels: Floats, judge: Floats, log_length: Floats, groups: Grouping) -> Estimate:
    """Estimate how much a judge's ratings rise, at equal labels, if the logarithm of a response's length rises by one.

    Args:
        labels: Gold, shape (n,), or annotators' ratings, shape (n, n_people).
        judge: The judge's ratings, shape (n,).
        log_length: Logarithm of the length of each response, shape (n,).
        groups: Group of each example.
    """
    (*people, its, length), in_groups = merged_rows(*np.atleast_2d(labels.T), judge, log_length, groups=groups)
    return leaning(np.column_stack(people), its, length, groups=in_groups)


def _log_lengths(evidence: Evidence) -> Floats:
    lengths = list(map(float, values_of(evidence.comparison.gold.examples, "response_length")))
    return np.asarray(np.log1p(lengths), dtype=np.float64)


def _same_way(first: Estimate, second: Estimate) -> bool:
    """Return True if two intervals lie on the same side of 0: both wholly above it, or both wholly below it."""
    return (first.above(0.0) and second.above(0.0)) or (first.below(0.0) and second.below(0.0))


def _annotators_scores(evidence: Evidence) -> Floats:
    """Return each annotator's scores, computed from levels, shape (n, n_people), or gold's scores, shape (n,).

    Gold's are returned if a criterion has too few examples with levels by two annotators, or if too few examples have
    scores by two annotators.
    """
    criteria = list(evidence.criteria.values())
    if all(criterion.twice_labelled for criterion in criteria):
        shares = (evidence.share(criterion) * positions(criterion.scale, criterion.people) for criterion in criteria)
        scores = np.asarray(sum(shares), dtype=np.float64)
        if int((np.isfinite(scores).sum(axis=1) >= 2).sum()) >= LEAST_SHARED:
            return scores
    return np.where(evidence.included, evidence.comparison.gold.scores, np.nan)


def slice_finding(evidence: Evidence, subset: Slice, quoted: SliceFigure) -> Finding:
    """Make the finding that the judge is worse on a slice than elsewhere, with the figure that shows it best.

    Args:
        evidence: The evidence on the judge.
        subset: The slice, with the criteria on which it is broken.
        quoted: The figure to show.
    """
    inside = subset.part.inside
    called = subset.part.called
    alone = len(subset.criteria) == 1 and len(evidence.criteria) > 1
    criterion = evidence.criteria[subset.criteria[0]] if alone else None
    off = np.abs(evidence.misses) if criterion is None else criterion.distances
    worst = evidence.worst(np.where(inside, off, np.nan))
    also = [name for name in subset.criteria if name != quoted.criterion] if criterion is None else []
    subject = criterion.name if criterion is not None else "the judge"
    more = f" Criteria with a fault there: {listed(subset.criteria)}." if also and len(evidence.criteria) > 1 else ""
    direction = "" if not subset.shift else f", which it rates too {'high' if subset.shift > 0 else 'low'}"
    return evidence.finding(
        kinds.BROKEN_SLICE,
        criterion,
        f"{subject[0].upper() if criterion is None else subject[0]}{subject[1:]} is broken on {called} "
        f"({subset.n} examples): {quoted.in_words}.{more}",
        f"Read {evidence.example_ids(worst)} together{direction}. {_what_to_say(subset)} "
        "Until then let people decide there.",
        shows={
            "slice": {"by": subset.part.by, "name": subset.part.name, "n": subset.n},
            "criteria": list(subset.criteria),
            "p": subset.p,
            "shift": subset.shift,
            "figure": quoted.to_json(),
        },
        worst=worst,
        gain=_cost_of_slice(evidence, inside),
        least="medium",
    )


def _what_to_say(subset: Slice) -> str:
    """Return advice on what criteria should say about the responses in a slice, without naming who wrote these."""
    if subset.part.by == BY_SYSTEM:
        return "Say in the criteria what these responses share, not what wrote them."
    if subset.part.by == BY_LABEL_KIND:
        return "Find out whether judge or labels are wrong there."
    return f"Say in the criteria what is special about {subset.part.called}."


def _cost_of_slice(evidence: Evidence, inside: Flags) -> float:
    """Return by how much the judge's overall error would fall if it did as well on the slice as elsewhere."""
    gained = sum(
        abs(evidence.share(criterion)) * (mean(criterion.distances[inside]) - mean(criterion.distances[~inside]))
        for criterion in evidence.criteria.values()
    )
    return max(0.0, gained) * float(inside.mean())


def unreadable_replies(evidence: Evidence, *, elsewhere: bool) -> Iterator[Finding]:
    """Yield a finding if some replies could not be read as verdicts.

    Args:
        evidence: The evidence, with the judge's ratings.
        elsewhere: True if the ratings were made outside markscheme. A rating that has nothing but an error then counts
            as a reply that couldn't be read, else as a judge that couldn't be reached.
    """
    unread: dict[int, set[str]] = {}
    judge = evidence.comparison.judge
    may_be_unread = have_answer(judge.given, lambda rated: rated.declined == "unread")
    may_be_unread |= header_values(judge.given, lambda header: header.error is not None, bool)
    for index in np.flatnonzero(judge.by_example(may_be_unread, without=False)).tolist():
        rating = judge.given[int(judge.sources[index])]
        not_read = {name for name, rated in rating.criteria.items() if rated.declined == "unread"}
        if elsewhere and rating.error is not None and rating.overall is None:
            not_read |= evidence.criteria.keys() - rating.criteria.keys()
            unread[index] = not_read
        elif not_read:
            unread[index] = not_read
    if not unread:
        return
    rated = int(judge.is_given.sum())
    share = len(unread) / rated
    names = sorted(set().union(*unread.values()))
    places = list(unread)
    of = "" if len(names) == len(evidence.criteria) else f" on {listed(names)}"
    yield evidence.finding(
        kinds.UNREADABLE if share > MANY_UNREAD else kinds.SOME_UNREADABLE,
        evidence.criteria[names[0]] if len(names) == 1 else None,
        f"{len(unread)} of {rated} of the judge's answers{of} could not be read.",
        f"{_how_to_ask(evidence.comparison.rubric)} Look first at {evidence.example_ids(places[:3])}.",
        shows={"examples": len(unread), "share": share, "criteria": names},
        worst=places[:5],
        gain=share * evidence.error,
        least="high" if share > MANY_UNREAD else "medium" if share > SOME_UNREAD else "low",
    )


def _how_to_ask(rubric: Rubric) -> str:
    """Propose how to get readable answers: ask about one criterion at a time, or else use another model."""
    if len(rubric.criteria) == 1 or rubric.strategy == "per_criterion":
        return "Use a model that keeps to the answer format."
    return "Ask for one criterion at a time (strategy: per_criterion), or use a model that keeps to the answer format."
