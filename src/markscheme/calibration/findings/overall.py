"""What a judge does wrong over all criteria: halo, blind decisions, length, a broken part, unreadable replies."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from markscheme.calibration.decision import Finding
from markscheme.calibration.findings.advice import MOST_WORST, finding, listed, named, plain, worst_places
from markscheme.calibration.findings.evidence import LEAST_SHARED, Evidence, mean
from markscheme.calibration.findings.significance import above, below
from markscheme.calibration.findings.slices import Slice
from markscheme.stats import Estimate
from markscheme.stats.distortion import halo, leaning
from markscheme.stats.planning import CONF
from markscheme.stats.severity import pair_statistic
from markscheme.stats.verdict import CONF_CONSTANT

Floats = npt.NDArray[np.float64]

ONE_SIDED = 0.90
"""Level of an interval whose single limits are one-sided 95 % ones."""
TRUSTED = 0.80
"""Level of an interval whose single limits are those a verdict rests on."""
FEWEST_FOR_SPREAD = 20
FEWEST_TO_DIAGNOSE = 30
OFF = 5
HALO = 0.10
NO_SKILL, NO_SKILL_BOUND = 0.10, 0.40
LITTLE_GAIN = 0.10
LENGTH_IN_SCORE = 0.05
MANY_UNREAD, SOME_UNREAD = 0.10, 0.02


def halo_of(evidence: Evidence) -> list[Finding]:
    """A judge that lets criteria colour each other."""
    seen = [one for one in evidence.seen.values() if one.scale.ordered and one.several]
    if len(seen) < 2:
        return []
    people = np.stack([one.merit(one.people) for one in seen], axis=2)
    judge = np.column_stack([one.merit(one.judge) for one in seen])
    found = halo(people, judge, groups=seen[0].groups, level=ONE_SIDED)
    size = found.value or 0.0
    if size < HALO or not above(found, 0.0):
        return []
    gold = np.column_stack([one.merit(one.held_to) for one in seen])
    others = (gold.sum(axis=1, keepdims=True) - gold) / (len(seen) - 1)
    pull = others - gold
    pulled = np.where(np.sign(pull) == np.sign(judge - gold), np.abs(pull) * np.abs(judge - gold), 0.0)
    worst = worst_places(np.nan_to_num(pulled).max(axis=1))
    shown = [f"{evidence.ids[place]} ({seen[int(np.nan_to_num(pulled[place]).argmax())].name})" for place in worst]
    mended = {
        one.name: one.judge - size * one.good * one.span * (pull[:, c] - mean(pull[:, c])) for c, one in enumerate(seen)
    }
    return [
        finding(
            evidence,
            "halo",
            None,
            f"The judge lets criteria colour each other: it moves each by {size:.0%} of the way to the others, beyond "
            "what people do.",
            "Ask for each criterion by itself (strategy: per_criterion), and say in each what belongs to the others; "
            f"it shows most on {listed(shown)}.",
            shows={"halo": found.to_json()},
            worst=worst,
            gain=evidence.gain(mended),
        )
    ]


def blind_decisions(evidence: Evidence) -> Iterator[Finding]:
    """A judge whose pass and fail don't follow gold's."""
    comparison = evidence.comparison
    both = np.isfinite(comparison.passes) & np.isfinite(comparison.gold.passed) & evidence.kept
    passes, gold = comparison.passes[both], comparison.gold.passed[both]
    too_few = min(int(gold.sum()), int((1 - gold).sum())) < OFF or len(gold) < FEWEST_FOR_SPREAD
    if too_few or not evidence.scores_rank:
        return
    always = bool(np.ptp(passes) == 0)
    follows = pair_statistic(gold, passes, "pearson", level=ONE_SIDED)
    if not always and not ((follows.value or 0.0) <= NO_SKILL and below(follows, NO_SKILL_BOUND)):
        return
    wrong = int((gold != passes).sum())
    if not always:
        said = f"passes and fails without following {evidence.who}"
    elif passes[0]:
        said = f"passes every response, though {wrong} of {len(gold)} fail"
    else:
        said = f"fails every response, though {wrong} of {len(gold)} pass"
    equal, usual = 1 - wrong / len(gold), max(float(gold.mean()), 1 - float(gold.mean()))
    missed = [evidence.ids.index(name) for name in (*comparison.false_passes, *comparison.false_fails)[:MOST_WORST]]
    yield finding(
        evidence,
        "no-skill",
        None,
        f"The judge {said}. It decides {equal:.0%} as gold does; without reading one can have {usual:.0%}.",
        f"Hold the pass mark ({comparison.rubric.pass_mark:g}) beside the scores of {named(evidence, missed[:3])}, "
        "then look for the criterion that should have told them apart.",
        shows={"accuracy": equal, "constant": usual, "kappa": comparison.overall["pass_kappa"].to_json()},
        worst=missed,
        gain=evidence.error,
        least="high",
    )


def beaten_by_constant(evidence: Evidence) -> Iterator[Finding]:
    """A judge that agrees no oftener than one score for everything would, or not shown to and hardly if at all."""
    comparison = evidence.comparison
    figures = comparison.figures
    gain = figures.gain.estimate(level=2 * CONF - 1, method="gain over the best constant score")
    agreement, constant = comparison.agreement, comparison.agreement_constant
    if gain.value is None or agreement.value is None or agreement.n < FEWEST_TO_DIAGNOSE:
        return
    unshown = agreement.value < comparison.rubric.target and not above(gain, 0.0) and below(gain, LITTLE_GAIN)
    upper = figures.gain.upper(CONF_CONSTANT)
    lost = upper is not None and upper < 0
    if not lost and not unshown:
        return
    said = "is not above" if gain.value <= 0 else "is not shown to be above"
    always = figures.constant_score
    yield finding(
        evidence,
        "no-skill",
        None,
        f"Agreement ({agreement.value:.0%}) {said} that of always giving {always:.2f} ({constant.value or 0:.0%}).",
        "Don't use the score as it is: mend the criteria first, or let people decide.",
        shows={"agreement": agreement.to_json(), "constant": constant.to_json(), "gain": gain.to_json()},
        worst=worst_places(np.abs(evidence.misses)),
        gain=evidence.error,
        least="high" if lost else "medium",
        most="high" if lost else "medium",
    )


def length(evidence: Evidence) -> Iterator[Finding]:
    """A judge that rewards (or punishes) length beyond what the labels do."""
    comparison, misses = evidence.comparison, evidence.misses
    there = np.isfinite(misses)
    if int(there.sum()) < FEWEST_TO_DIAGNOSE or not evidence.scores_rank:
        return
    log_length = _log_lengths(evidence)
    short, long = np.quantile(log_length[there], [0.1, 0.9])
    groups = next(iter(evidence.seen.values())).groups
    leans = leaning(_scores_of_people(evidence), np.where(there, comparison.scores, np.nan), log_length, groups=groups)
    plainly = pair_statistic(log_length, misses, "pearson", groups=groups)
    slope = leans.value or 0.0
    size = slope * float(long - short)
    if abs(size) < LENGTH_IN_SCORE or not _same_way(leans, plainly):
        return
    excess = slope * (log_length - log_length[there].mean())
    worst = worst_places(np.where(np.sign(excess) == np.sign(misses), np.abs(misses), np.nan))
    rewards, earns = ("rewards", "earns") if size > 0 else ("punishes", "costs")
    alone = " With one label an example, quality that grows with length can't be told from length."
    yield finding(
        evidence,
        "length",
        None,
        f"The judge {rewards} length: a response of the longest tenth gets {abs(size):.2f} "
        f"{'more' if size > 0 else 'less'} in score than one of the shortest tenth that deserves the same."
        + ("" if all(one.several for one in evidence.seen.values()) else alone),
        f"Say in the guidelines that length {earns} nothing, and in the criteria what may be left out; it shows on "
        f"{named(evidence, worst)}.",
        shows={"per_log_length": leans.to_json(), "short_to_long": size, "correlation_of_misses": plainly.to_json()},
        worst=worst,
        gain=max(0.0, float(np.abs(misses[there]).mean() - np.abs(misses[there] - excess[there]).mean())),
    )


def at_equal_length(evidence: Evidence) -> Evidence:
    """The same with what the judge adds for length taken off every criterion."""
    log_length = _log_lengths(evidence)
    seen = {}
    for name, one in evidence.seen.items():
        leans = leaning(one.people if one.several else one.held_to, one.judge, log_length, groups=one.groups)
        excess = (leans.value or 0.0) * (log_length - log_length.mean())
        seen[name] = replace(one, judge=one.judge - excess) if one.scale.ordered else one
    return replace(evidence, seen=seen)


def _log_lengths(evidence: Evidence) -> Floats:
    lengths = [float(len(example.submission.response)) for example in evidence.comparison.gold.examples]
    return np.asarray(np.log1p(lengths), dtype=np.float64)


def _same_way(one: Estimate, other: Estimate) -> bool:
    """Whether both intervals lie on the same side of 0."""
    return (above(one, 0.0) and above(other, 0.0)) or (below(one, 0.0) and below(other, 0.0))


def _scores_of_people(evidence: Evidence) -> Floats:
    """What each person's levels earn, shape (n, n_people), where two or more rated everything; else gold's scores."""
    seen = list(evidence.seen.values())
    if all(one.several for one in seen):
        scores = np.sum([evidence.share(one) * one.position(one.people) for one in seen], axis=0)
        if int((np.isfinite(scores).sum(axis=1) >= 2).sum()) >= LEAST_SHARED:
            return np.asarray(scores, dtype=np.float64)
    return np.where(evidence.kept, evidence.comparison.gold.overall, np.nan)


def broken_slice(evidence: Evidence, part: Slice) -> Finding:
    """A part of the examples on which the judge does worse than on the rest."""
    inside = part.part.inside
    one = None if part.on_the_whole or len(evidence.seen) == 1 else evidence.seen[part.criteria[0]]
    off = np.abs(evidence.misses) if one is None else one.off
    here, elsewhere = mean(off[inside]), mean(off[~inside])
    worst = worst_places(np.where(inside, off, np.nan))
    called = part.part.called
    if one is not None:
        said = f"{one.name} is broken on {called} ({int((inside & one.both).sum())} examples): off by "
        said += f"{here:.0%} of the scale on average, elsewhere by {elsewhere:.0%}"
    else:
        said = f"The judge is broken on {called} ({part.n} examples): agreement {part.agreement.value or 0:.0%}, "
        said += f"elsewhere {part.rest or 0:.0%}"
        said += f"; most on {listed(part.criteria)}" if part.criteria and len(evidence.seen) > 1 else ""
    way = "" if part.shift is None else f"; there it rates too {'high' if part.shift > 0 else 'low'}"
    return finding(
        evidence,
        "broken-slice",
        one,
        f"{said}.",
        f"Read {named(evidence, worst)} together and say in the criteria what is special about {called}{way}. Until "
        "then let people decide on this part.",
        shows={
            "slice": {"by": part.part.by, "name": part.part.name, "n": part.n},
            "criteria": list(part.criteria),
            "p": part.p,
            "shift": plain(part.shift),
        },
        worst=worst,
        gain=_cost_of_part(evidence, part),
        least="medium",
    )


def _cost_of_part(evidence: Evidence, part: Slice) -> float:
    """How much less the judge would be off if it did as well there as elsewhere."""
    inside = part.part.inside
    gained = sum(
        abs(evidence.share(one)) * (mean(one.off[inside]) - mean(one.off[~inside])) for one in evidence.seen.values()
    )
    return max(0.0, gained) * float(inside.mean())


def unreadable(evidence: Evidence, *, elsewhere: bool) -> Iterator[Finding]:
    """Verdicts that nobody could read.

    Args:
        evidence: Whose replies are looked at.
        elsewhere: Whether the ratings were made elsewhere, so that one which tells nothing but an error was a reply
            that could not be read, rather than a judge that could not be reached.
    """
    unread: dict[int, set[str]] = {}
    for place, rating in enumerate(evidence.comparison.judged):
        if rating is None:
            continue
        not_read = {name for name, rated in rating.criteria.items() if rated.declined == "unread"}
        only_an_error = not rating.criteria and rating.overall is None and rating.error is not None
        if not_read or (elsewhere and only_an_error):
            unread[place] = not_read
    if not unread:
        return
    rated = sum(rating is not None for rating in evidence.comparison.judged)
    share, names = len(unread) / rated, sorted(set().union(*unread.values()))
    places = list(unread)
    yield finding(
        evidence,
        "unreadable",
        evidence.seen[names[0]] if len(names) == 1 else None,
        f"{len(unread)} of {rated} answers of the judge could not be read ({share:.1%}); none was taken for a level.",
        "Ask for fewer criteria at once (strategy: per_criterion), or take a model that keeps to the form of the "
        f"answer; look at {named(evidence, places)}.",
        shows={"examples": len(unread), "share": share, "criteria": names},
        worst=places[:5],
        gain=share * evidence.error,
        least="high" if share > MANY_UNREAD else "medium" if share > SOME_UNREAD else "low",
    )
