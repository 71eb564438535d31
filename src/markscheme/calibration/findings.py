"""A Comparison to Findings: which faults judge, rubric or labels have, each with its evidence and what to edit.

A fault is reported where it is significant, with Holm's allowance for all criteria looked at, and large enough to
matter. One cause is reported once: a judge that gives one level hides everything else on that criterion, a halo makes
a judge look as if it kept to the middle and were noisy, keeping to the middle makes it look noisy.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.advice import anchor, level_name, listed, plain, shown_example, worst_places
from markscheme.calibration.comparison import Comparison
from markscheme.calibration.diagnosis import Finding, Severity
from markscheme.calibration.evidence import LEAST_SHARED, Evidence, Seen
from markscheme.calibration.ratings import Rating, asked_under
from markscheme.calibration.slices import Slice
from markscheme.stats import Estimate
from markscheme.stats.agreement import Metric, chance_corrected, cohen_kappa, krippendorff_alpha
from markscheme.stats.association import pearson
from markscheme.stats.change import holm, mean_estimate, sign_flip
from markscheme.stats.distortion import (
    correlation_without_noise,
    halo,
    leaning,
    noise_beside_people,
    shared_and_own,
    slope_on_people,
)
from markscheme.stats.intervals import IDENTITY
from markscheme.stats.reliability import repeat_family
from markscheme.stats.severity import gain_over_constant, sd_ratio

Floats = npt.NDArray[np.float64]
At = Callable[[Seen, float], Estimate]

SIGNIFICANT = 0.05
ONE_SIDED = 0.90
"""Level of an interval whose single limits are one-sided 95 % ones."""
TRUSTED = 0.80
"""Level of an interval whose single limits are those a verdict rests on."""

FEWEST_TO_COMPARE = 10
FEWEST_FOR_SPREAD = 20
FEWEST_TO_DIAGNOSE = 30
FEWEST_GROUPS = 10
FEWEST_TO_MISS_A_LEVEL = 60

SHIFT = 1 / 16
"""Of a criterion's range: a quarter of a level on five."""
FLAT_SLOPE = 0.80
NOISE_RATIO, NOISE_BOUND = 2.0, 1.5
FLIPS, FLIPS_BOUND = 0.30, 0.20
HALO = 0.10
SPLIT_FIRM, SPLIT_HINT = 0.67, 0.60
SAME_CRITERION, SAME_BOUND = 0.90, 0.80
STUCK, STUCK_ABOVE_PEOPLE = 0.90, 0.15
NO_SKILL, NO_SKILL_BOUND = 0.10, 0.40
UNTOLD, UNTOLD_BOUND = 0.60, 0.67
PEOPLE_WITHOUT_SKILL = 0.20
LENGTH_IN_SCORE = 0.05
NEVER = 0.01
OFF = 5
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
HIGH_SHARE, MEDIUM_SHARE = 0.20, 0.08
"""Of the mean miss in score that a fault makes."""


def findings_of(
    comparison: Comparison, ratings: Sequence[Rating] = (), *, slices: Sequence[Slice] = (), elsewhere: bool = False
) -> tuple[Finding, ...]:
    """What is at fault, the costliest in agreement first.

    Where a part of the examples is broken, the judge is diagnosed on the rest, so that one broken part is not taken
    for a fault of the whole.

    Args:
        comparison: The judge beside gold.
        ratings: The judge's; several of one example show how often it changes its mind.
        slices: The judge on parts of the examples.
        elsewhere: Whether the ratings were made elsewhere, so that one which tells nothing but an error was a reply
            that could not be read, rather than a judge that could not be reached.
    """
    whole = Evidence.of(comparison, ratings)
    broken = [part for part in slices if part.stands_out]
    rest = _outside(whole, broken)
    found = [*_of_labels(whole), *_of_replies(whole, elsewhere), *_of_criteria(rest), *_of_whole(rest, broken)]
    found += [_broken_slice(whole, part) for part in broken]
    return tuple(sorted(found, key=lambda finding: (-finding.cost, SEVERITIES.index(finding.severity))))


def _outside(whole: Evidence, broken: Sequence[Slice]) -> Evidence:
    hidden = np.any([part.part.inside for part in broken], axis=0) if broken else np.zeros(len(whole.ids), dtype=bool)
    left = int((~hidden).sum())
    return whole.without(hidden) if left >= max(FEWEST_TO_DIAGNOSE, len(whole.ids) / 2) else whole


# --- the order of causes --------------------------------------------------------------------------------------------


def _of_criteria(evidence: Evidence) -> Iterator[Finding]:
    """Faults of judge, criterion and people on single criteria, each cause once."""
    seen = dict(evidence.seen)
    flat = _flat(evidence, seen)
    stuck = _stuck(evidence, seen)
    skill = _no_skill(evidence, _but(seen, flat, stuck))
    unvaried = _unvaried(evidence, _but(seen, flat, stuck, skill))
    shifted = _shifted(evidence, _but(seen, stuck))
    coloured = _halo(evidence)
    straight = {} if coloured else _but(seen, flat, stuck, skill, unvaried)
    narrow = _narrow(evidence, straight)
    noisy = _noisy(evidence, _but(straight, narrow))
    split = _split(evidence, _but(seen, flat, unvaried))
    unclear = _unclear(evidence, _but(straight, narrow, noisy, shifted))
    unused = _unused(evidence, seen, blamed={**flat, **stuck, **skill, **unvaried, **shifted, **narrow})
    for found in (flat, stuck, skill, unvaried, shifted, narrow, noisy, split, unclear, unused):
        yield from found.values()
    yield from coloured
    yield from _redundant(evidence, _but(seen, flat, unvaried))


def _but(seen: Mapping[str, Seen], *explained: Mapping[str, Finding]) -> dict[str, Seen]:
    """The criteria on which nothing has been found yet."""
    return {name: one for name, one in seen.items() if not any(name in found for found in explained)}


def _holm(
    seen: Mapping[str, Seen], estimate: At, stands: Callable[[Seen, Estimate], bool], *, sides: int = 1
) -> dict[str, Estimate]:
    """Criteria on which a statistic stands beyond its bound at the level that Holm's step leaves it.

    Args:
        seen: Criteria looked at together.
        estimate: The statistic of one criterion, with its interval at a level.
        stands: Whether an estimate of a criterion, by its value and its limits, is beyond the bound.
        sides: 1 where one limit of the interval counts, 2 where either may.

    Returns:
        For each criterion that stands, its estimate with the 95 % interval.
    """
    open_ones = [one for one in seen.values() if estimate(one, 0.95).low is not None]
    found: dict[str, Estimate] = {}
    while open_ones:
        level = 1 - (3 - sides) * SIGNIFICANT / len(open_ones)
        new = [one for one in open_ones if stands(one, estimate(one, level))]
        if not new:
            break
        found |= {one.name: estimate(one, 0.95) for one in new}
        open_ones = [one for one in open_ones if one.name not in found]
    return found


# --- the judge on one criterion -------------------------------------------------------------------------------------


def _stuck(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that nearly always gives one level, where people don't."""
    tried: dict[str, tuple[float, float, float, float]] = {}
    for one in seen.values():
        if one.n < FEWEST_TO_COMPARE:
            continue
        its, theirs = one.judge[one.both], one.gold[one.both]
        level, share = _commonest(its)
        usual, gold_share = _commonest(theirs)
        of_people = (
            _commonest(one.people[one.both].ravel())[1] if np.isfinite(one.people[one.both]).any() else gold_share
        )
        more = (its == level).astype(float) - (theirs == usual).astype(float)
        tried[one.name] = (sign_flip(more).mid_p, level, share, of_people)
    adjusted = holm([p for p, *_ in tried.values()]) if tried else ()
    found = {}
    for p, (name, (_, level, share, of_people)) in zip(adjusted, tried.items(), strict=True):
        if p > SIGNIFICANT or share < STUCK or share - of_people < STUCK_ABOVE_PEOPLE:
            continue
        one = seen[name]
        apart = np.where(one.judge == level, np.abs(one.errors), np.nan)
        far = worst_places(apart)
        given = level_name(one.scale, level)
        found[name] = _finding(
            evidence,
            "dead",
            one,
            f"{name}: the judge gives {given} to {share:.0%} of the responses, {evidence.who} give one level to at most "
            f"{of_people:.0%}.",
            {"level": level, "share": share, "share_of_people": of_people},
            far,
            f"Show the judge in {name} what is not a {given}: {_parting(evidence, one, far)}.",
            gain=evidence.gain({name: one.held_to}),
            least="high",
        )
    return found


def _no_skill(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge whose levels don't follow gold's, however often they are equal."""
    looked = {name: one for name, one in seen.items() if one.n >= FEWEST_FOR_SPREAD and _people_have_skill(one)}

    def follows(one: Seen, level: float) -> Estimate:
        if one.scale.ordered:
            return pearson(one.held_to, one.judge, groups=one.groups, level=level)
        return cohen_kappa(np.column_stack([one.gold, one.judge]), levels=one.levels, groups=one.groups, level=level)

    def stands(_: Seen, estimate: Estimate) -> bool:
        return estimate.value is not None and estimate.value <= NO_SKILL and _below(estimate, NO_SKILL_BOUND)

    shown = _holm(looked, follows, stands)
    found = {}
    for name, one in looked.items():
        its, theirs = one.judge[one.both], one.gold[one.both]
        level, share = _commonest(its)
        if share == 1 and int((theirs != level).sum()) >= OFF:
            said = f"always says {level_name(one.scale, level)}"
            evidenced: dict[str, Any] = {"correlation": None}
        elif name in shown:
            said = f"does not follow {evidence.who} (correlation {_number(shown[name].value)}, {_limits(shown[name])})"
            evidenced = {"correlation": shown[name].to_json()}
        else:
            continue
        equal, usual = float((its == theirs).mean()), _commonest(theirs)[1]
        far = worst_places(np.abs(one.errors))
        found[name] = _finding(
            evidence,
            "no-skill",
            one,
            f"{name}: the judge {said}. It agrees on {equal:.0%}; a judge that reads nothing can have {usual:.0%}.",
            {"exact_agreement": equal, "constant": usual, **evidenced},
            far,
            f"Say in {name} what to look for in the response, with an example of a low and of a high level; look first "
            f"at {listed([evidence.ids[place] for place in far])}.",
            gain=evidence.gain({name: one.held_to}),
            least="high",
        )
    return found


def _people_have_skill(one: Seen) -> bool:
    """Whether people themselves agree on the criterion enough for a judge to follow them."""
    if not one.several:
        return True
    return (_alpha(one, 0.95).value or 0.0) > PEOPLE_WITHOUT_SKILL


def _shifted(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that is lenient or severe throughout."""
    looked = {name: one for name, one in seen.items() if one.scale.ordered and one.n >= FEWEST_TO_COMPARE}

    def shift(one: Seen, level: float) -> Estimate:
        found = mean_estimate(one.errors, transform=IDENTITY, groups=one.groups, level=level)
        still = found.value is not None and np.ptp(one.errors[one.both]) == 0
        return replace(found, low=found.value, high=found.value, note=None) if still else found

    def stands(one: Seen, e: Estimate) -> bool:
        return abs(e.value or 0.0) >= SHIFT * one.span and (_above(e, 0.0) or _below(e, 0.0))

    shown = _holm(looked, shift, stands, sides=2)
    found = {}
    for name, estimate in shown.items():
        one, size = looked[name], float(estimate.value or 0.0)
        code, way = ("lenient" if size * one.good > 0 else "severe"), (1 if size > 0 else -1)
        mended = one.judge - size
        found[name] = _finding(
            evidence,
            code,
            one,
            f"{name}: the judge is {code}; {_shift_in_words(evidence, one, size)}.",
            {
                "shift": estimate.to_json(),
                "judge_mean": _mean(one.judge[one.both]),
                "gold_mean": _mean(one.held_to[one.both]),
            },
            worst_places(way * one.errors),
            anchor(evidence, one, way),
            gain=evidence.gain({name: np.clip(mended, one.levels[0], one.levels[-1])}),
        )
    return found


def _shift_in_words(evidence: Evidence, one: Seen, size: float) -> str:
    judge, gold = _mean(one.judge[one.both]), _mean(one.held_to[one.both])
    if one.scale.is_yes_no:
        return f"it says MET to {judge:.0%}, {evidence.who} to {gold:.0%}"
    way = "above" if size > 0 else "below"
    return f"it lies {abs(size):.2f} levels {way} {evidence.who} on average ({judge:.2f} against {gold:.2f})"


def _narrow(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that keeps to the middle of the scale: too high at its lower end and too low at its upper end."""
    many = {
        n: one for n, one in seen.items() if one.scale.ordered and len(one.levels) > 2 and one.n >= FEWEST_FOR_SPREAD
    }

    def slope(one: Seen, level: float) -> Estimate:
        if one.several:
            return slope_on_people(one.people, one.judge, groups=one.groups, level=level)
        return sd_ratio(one.held_to, one.judge, groups=one.groups, level=level)

    shown = _holm(many, slope, lambda _, e: (e.value or 1.0) <= FLAT_SLOPE and _below(e, 1.0))
    found = {}
    for name, estimate in shown.items():
        one, size = many[name], float(estimate.value or 1.0)
        low, high = (float(end) for end in np.quantile(one.held_to[one.both], [0.05, 0.95]))
        centre, shift = _mean(one.held_to[one.both]), _mean(one.errors[one.both])
        if not shift + (size - 1) * (high - centre) < 0 < shift + (size - 1) * (low - centre):
            continue
        weak = not one.several
        centred = np.where(one.both, one.held_to - centre, np.nan)
        far = worst_places(np.where(one.errors * centred < 0, np.abs(one.errors), np.nan))
        measure = "its levels spread" if weak else "where the true level rises by one, its level rises by"
        said = f"{name}: the judge keeps to the middle of the scale; {measure} {size:.2f}"
        said += (
            f" times as wide as {evidence.who} do (a weak sign: it says less than a second person would)"
            if weak
            else ""
        )
        ends = ", ".join(level_name(one.scale, float(end)) for end in (one.levels[0], one.levels[-1]))
        found[name] = _finding(
            evidence,
            "central-tendency",
            one,
            f"{said}.",
            {"slope" if one.several else "sd_ratio": estimate.to_json(), "weak": weak},
            far,
            f"Give {name} an example at each end ({ends}) and say that ends are to be used: "
            f"{_parting(evidence, one, far)}.",
            gain=evidence.gain({name: one.judge + (1 - size) * centred}),
        )
    return found


def _noisy(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that scatters more than people do, or changes its mind when asked again."""
    beside = {name: one for name, one in seen.items() if one.scale.ordered and one.several}

    def ratio(one: Seen, level: float) -> Estimate:
        return noise_beside_people(one.people, one.judge, step=one.step, groups=one.groups, level=level)

    again = {
        n: one for n, one in seen.items() if int((np.isfinite(one.repeats).sum(axis=1) >= 2).sum()) >= FEWEST_FOR_SPREAD
    }

    def flips(one: Seen, level: float) -> Estimate:
        return repeat_family(one.repeats, groups=one.groups, level=level)["flip_rate"]

    noisier = _holm(beside, ratio, lambda _, e: (e.value or 0.0) >= NOISE_RATIO and _above(e, NOISE_BOUND))
    flipping = _holm(again, flips, lambda _, e: (e.value or 0.0) >= FLIPS and _above(e, FLIPS_BOUND))
    found = {}
    for name in [name for name in seen if name in noisier or name in flipping]:
        one, said = seen[name], []
        evidenced: dict[str, Any] = {}
        if name in noisier:
            evidenced["noise_ratio"] = noisier[name].to_json()
            said.append(
                f"its errors scatter {_number(noisier[name].value, 1)} times as much as a person's (in variance)"
            )
        if name in again:
            changed = flips(one, 0.95)
            evidenced["flip_rate"] = changed.to_json()
            said.append(f"asked again it changes its level in {changed.value or 0:.0%} of pairs of answers")
        scatter = one.errors - _mean(one.errors[one.both])
        far = worst_places(np.ptp(one.repeats, axis=1) if name in flipping else np.abs(scatter))
        found[name] = _finding(
            evidence,
            "noisy",
            one,
            f"{name}: the judge is noisy; {', and '.join(said)}.",
            evidenced,
            far,
            f"Ask three times and take the middle level (samples: 3); if that doesn't help, split {name} into questions "
            f"with one answer each. {_sentence(_parting(evidence, one, far))}.",
            gain=evidence.gain({name: one.judge - (1 - 3**-0.5) * scatter}),
        )
    return found


def _unclear(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that parts from one person's labels without a lean: its noise and the label's can't be told apart."""
    single = {
        n: one for n, one in seen.items() if one.scale.ordered and not one.several and one.n >= FEWEST_TO_DIAGNOSE
    }

    def kappa(one: Seen, level: float) -> Estimate:
        if not _on_scale(one.held_to, one) or not _on_scale(one.judge, one):
            return pearson(one.held_to, one.judge, groups=one.groups, level=level)
        table, weights = np.column_stack([one.gold, one.judge]), "quadratic" if len(one.levels) > 2 else "identity"
        return chance_corrected(
            "cohen_kappa", table, levels=one.levels, weights=weights, groups=one.groups, level=level
        )

    shown = _holm(
        single, kappa, lambda _, e: (1.0 if e.value is None else e.value) < UNTOLD and _below(e, UNTOLD_BOUND)
    )
    found = {}
    for name, estimate in shown.items():
        one = single[name]
        far = worst_places(np.abs(one.errors))
        source = "the labels may be wrong" if evidence.made_up else "another person might part from this one as far"
        found[name] = _finding(
            evidence,
            "noisy",
            one,
            f"{name}: judge and {evidence.who.removeprefix('the ')} part without a lean either way (kappa "
            f"{_number(estimate.value)}, {_limits(estimate)}). With one label an example it can't be told whether the "
            f"judge is noisy or {source}.",
            {"kappa": estimate.to_json(), "told_apart": False},
            far,
            f"Have a second person label {name} on 30 of these examples, first where they part most: "
            f"{_parting(evidence, one, far)}.",
            gain=0.0,
            least="low",
        )
    return found


# --- the criterion and the labels -----------------------------------------------------------------------------------


def _alpha(one: Seen, level: float) -> Estimate:
    metric: Metric = "ordinal" if one.scale.ordered and len(one.levels) > 2 else "nominal"
    if not _on_scale(one.people, one):
        metric = "interval"
    return krippendorff_alpha(one.people, levels=one.levels, metric=metric, groups=one.groups, level=level)


def _on_scale(values: Floats, one: Seen) -> bool:
    return bool(np.isin(values[np.isfinite(values)], one.levels).all())


def _flat(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which responses hardly differ in truth, while people are no noisier than elsewhere."""
    variances = {
        name: tuple(part / one.span**2 for part in shared_and_own(one.people))
        for name, one in seen.items()
        if one.several and one.scale.ordered
    }
    if len(variances) < 3:
        return {}
    usual_shared, usual_own = (float(np.median([v[part] for v in variances.values()])) for part in (0, 1))
    found = {}
    for name, (shared, own) in variances.items():
        alpha = _alpha(seen[name], 0.95).value
        if shared < usual_shared / 2 and own < 1.5 * usual_own and alpha is not None and alpha < SPLIT_HINT:
            found[name] = _dead_criterion(
                evidence,
                seen[name],
                "the responses hardly differ on it: what people share varies "
                f"{max(0.0, shared) / usual_shared:.1f} times as much as on the usual criterion",
                {"shared_variance": shared, "usual_shared_variance": usual_shared, "people_alpha": alpha},
            )
    return found


def _unvaried(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which nearly all responses have one level, and nothing shows that the judge finds the others."""
    found = {}
    for name, one in seen.items():
        given = (
            one.people[np.isfinite(one.people)] if np.isfinite(one.people).any() else one.gold[np.isfinite(one.gold)]
        )
        if one.n < FEWEST_TO_DIAGNOSE or not len(given):
            continue
        level, share = _commonest(given)
        skill = pearson(one.held_to, one.judge, groups=one.groups) if one.scale.ordered else None
        if share < STUCK or (skill is not None and _above(skill, 0.0)):
            continue
        found[name] = _dead_criterion(
            evidence,
            one,
            f"{evidence.who} give {level_name(one.scale, level)} to {share:.0%} of the responses, so nothing here shows "
            "whether the judge would find another",
            {"level": level, "share_of_people": share},
        )
    return found


def _dead_criterion(evidence: Evidence, one: Seen, said: str, evidenced: Mapping[str, Any]) -> Finding:
    off = np.abs(one.held_to - _commonest(one.gold[np.isfinite(one.gold)])[0])
    return _finding(
        evidence,
        "dead",
        one,
        f"{one.name}: {said}.",
        evidenced,
        worst_places(off),
        f"Label responses that differ in {one.name}, or take the criterion out: it tells no response from another.",
        gain=0.0,
        least="medium",
    )


def _split(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which people disagree with each other."""
    looked = {
        name: one for name, one in seen.items() if int((np.isfinite(one.people).sum(axis=1) >= 2).sum()) >= LEAST_SHARED
    }
    firm = _holm(looked, _alpha, lambda _, e: _below(e, SPLIT_FIRM))
    found = {}
    for name, one in looked.items():
        alpha = _alpha(one, 0.95)
        hint = (
            alpha.low is not None and alpha.note is None and (1.0 if alpha.value is None else alpha.value) < SPLIT_HINT
        )
        if name not in firm and not hint:
            continue
        apart = np.ptp(np.where(np.isnan(one.people), one.held_to[:, None], one.people), axis=1)
        far = worst_places(apart)
        shared, own = shared_and_own(one.people)
        most = _most_correlation(shared, own, float(np.isfinite(one.people).sum(axis=1).mean()))
        said = f"{name}: people disagree with each other (alpha {_number(alpha.value)}, {_limits(alpha)})"
        said += f"; no judge can follow their mean closer than a correlation of {most:.2f}" if most is not None else ""
        found[name] = _finding(
            evidence,
            "ambiguous",
            one,
            f"{said}." if name in firm else f"{said}; too few labels to be sure.",
            {"people_alpha": alpha.to_json(), "firm": name in firm, "highest_correlation": most},
            far,
            f"Rewrite {name} before the judge's prompt, then label again: {_people_part(evidence, one, far)}.",
            gain=evidence.gain({name: one.judge - (1 - _noise_left(one, own)) * one.errors}) if own == own else 0.0,
            most="high" if name in firm else "low",
        )
    return found


def _most_correlation(shared: float, own: float, people: float) -> float | None:
    """Of a perfect judge with the mean of so many people; None where people share nothing."""
    return float((shared / (shared + own / people)) ** 0.5) if shared > 0 else None


def _noise_left(one: Seen, own: float) -> float:
    """What share of the judge's error would be left if people's own noise were taken out of gold."""
    size = float(np.nanmean(one.errors**2)) if one.n else 0.0
    rated = np.isfinite(one.people).sum(axis=1)
    of_gold = own / float(rated[rated > 0].mean())
    return max(0.0, 1 - of_gold / size) ** 0.5 if size > 0 else 1.0


def _people_part(evidence: Evidence, one: Seen, far: Sequence[int]) -> str:
    parts = []
    for place in far[:3]:
        given = one.people[place][np.isfinite(one.people[place])]
        names = " and ".join(level_name(one.scale, float(level)) for level in (given.min(), given.max()))
        parts.append(f"{names} on {evidence.ids[place]}")
    return f"people gave {', '.join(parts)}" if parts else "say what separates its levels"


def _redundant(evidence: Evidence, seen: Mapping[str, Seen]) -> Iterator[Finding]:
    """Two criteria on which responses stand in the same order."""
    usable = [one for one in seen.values() if one.scale.ordered and one.n >= FEWEST_TO_DIAGNOSE]
    pairs = {f"{a.name}\n{b.name}": (a, b) for a, b in combinations(usable, 2)}

    def together(name: str, level: float) -> Estimate:
        a, b = pairs[name]
        if a.several and b.several and a.people.shape == b.people.shape:
            return correlation_without_noise(a.merit(a.people), b.merit(b.people), groups=a.groups, level=level)
        return pearson(a.merit(a.held_to), b.merit(b.held_to), groups=a.groups, level=level)

    named = {name: replace(a, criterion=replace(a.criterion, name=name)) for name, (a, _) in pairs.items()}
    shown = _holm(
        named,
        lambda one, level: together(one.name, level),
        lambda _, e: (e.value or 0.0) >= SAME_CRITERION and _above(e, SAME_BOUND),
    )
    for name, estimate in shown.items():
        a, b = pairs[name]
        lighter, heavier = sorted((a, b), key=lambda one: abs(one.criterion.weight))
        hint = not (a.several and b.several)
        said = f"{a.name} and {b.name} measure the same (correlation {_number(min(1.0, estimate.value or 0.0))}"
        said += ", a hint: with one label an example, one person's view colours both)" if hint else ")"
        apart = np.abs(a.merit(a.held_to) - b.merit(b.held_to))
        yield _finding(
            evidence,
            "redundant",
            lighter,
            f"{said}; the score counts it twice.",
            {"criteria": [a.name, b.name], "correlation": estimate.to_json(), "hint": hint},
            worst_places(apart),
            f"Merge {lighter.name} into {heavier.name}, or say in each what belongs to the other.",
            gain=0.0,
            most="low",
        )


def _unused(evidence: Evidence, seen: Mapping[str, Seen], *, blamed: Mapping[str, Finding]) -> dict[str, Finding]:
    """Levels that nobody gives, or that the judge never gives though gold does."""
    found = {}
    for name, one in seen.items():
        if len(one.levels) < 3 or one.n < FEWEST_TO_DIAGNOSE:
            continue
        theirs, its = one.gold[one.both], one.judge[one.both]
        used = {_nearest(one, v) for v in np.concatenate([its, theirs, one.people[np.isfinite(one.people)]]).tolist()}
        nobody = [level for level in one.levels.tolist() if level not in used]
        of_judge = {_nearest(one, v) for v in its.tolist()}
        never = [
            level
            for level in one.levels.tolist()
            if level not in of_judge
            and int((theirs == level).sum()) >= OFF
            and (1 - float((theirs == level).mean())) ** one.n <= NEVER
        ]
        if nobody and one.n >= FEWEST_TO_MISS_A_LEVEL:
            names = ", ".join(level_name(one.scale, level) for level in nobody)
            found[name] = _finding(
                evidence,
                "unused-level",
                one,
                f"{name}: nobody ever gives {names}, in {one.n} examples.",
                {"levels": nobody, "by": "nobody"},
                [],
                f"Take {names} out of the scale of {name}, or label responses that deserve it.",
                gain=0.0,
                most="low",
            )
        elif never and name not in blamed:
            names = ", ".join(level_name(one.scale, level) for level in never)
            where = np.isin(one.gold, never) & one.both
            way = 1 if _mean(one.errors[where]) > 0 else -1
            found[name] = _finding(
                evidence,
                "unused-level",
                one,
                f"{name}: the judge never gives {names}, which {evidence.who} give to {int(where.sum())} of {one.n}.",
                {"levels": never, "by": "judge", "examples": int(where.sum())},
                worst_places(np.where(where, np.abs(one.errors), np.nan)),
                anchor(evidence, replace(one, judge=np.where(where, one.judge, np.nan)), way),
                gain=evidence.gain({name: np.where(where, one.held_to, np.nan)}),
            )
    return found


def _nearest(one: Seen, value: float) -> float:
    return float(one.levels[int(np.abs(one.levels - value).argmin())])


# --- the judge as a whole -------------------------------------------------------------------------------------------


def _halo(evidence: Evidence) -> list[Finding]:
    """A judge that lets one criterion colour the others."""
    seen = [one for one in evidence.seen.values() if one.scale.ordered]
    if len(seen) < 2 or not all(one.several for one in seen):
        return []
    people = np.stack([one.merit(one.people) for one in seen], axis=2)
    judge = np.column_stack([one.merit(one.judge) for one in seen])
    estimate = halo(people, judge, groups=seen[0].groups, level=ONE_SIDED)
    if (estimate.value or 0.0) < HALO or not _above(estimate, 0.0):
        return []
    size = float(estimate.value or 0.0)
    gold = np.column_stack([one.merit(one.held_to) for one in seen])
    pull = np.column_stack([np.delete(gold, c, axis=1).mean(axis=1) - gold[:, c] for c in range(len(seen))])
    pulled = np.where(np.sign(pull) == np.sign(judge - gold), np.abs(pull) * np.abs(judge - gold), np.nan)
    far = worst_places(np.nanmax(np.nan_to_num(pulled, nan=0.0), axis=1))
    mended = {
        one.name: one.judge - size * one.good * one.span * (pull[:, c] - np.nanmean(pull[:, c]))
        for c, one in enumerate(seen)
    }
    where = [
        f"{evidence.ids[place]} ({seen[int(np.nan_to_num(pulled[place], nan=0.0).argmax())].name})" for place in far
    ]
    return [
        _finding(
            evidence,
            "halo",
            None,
            f"The judge lets criteria colour each other: it moves a level by {size:.0%} of what the other criteria "
            "differ, beyond what people do.",
            {"halo": estimate.to_json()},
            far,
            "Ask for each criterion by itself (strategy: per_criterion), and say in each description what belongs to the "
            f"others; it shows most on {listed(where)}.",
            gain=evidence.gain(mended),
        )
    ]


def _of_whole(evidence: Evidence, broken: Sequence[Slice]) -> Iterator[Finding]:
    """What is said of scores and decisions rather than of a criterion."""
    yield from _blind_decisions(evidence)
    yield from _beaten_by_constant(evidence)
    if not any(part.part.by == "length" for part in broken):
        yield from _length(evidence)


def _blind_decisions(evidence: Evidence) -> Iterator[Finding]:
    """A judge whose pass and fail don't follow gold's."""
    comparison = evidence.comparison
    both = np.isfinite(comparison.passes) & np.isfinite(comparison.gold.passed) & evidence.kept
    passes, gold = comparison.passes[both], comparison.gold.passed[both]
    off = min(int(gold.sum()), int((1 - gold).sum()))
    if off < OFF or len(gold) < FEWEST_FOR_SPREAD:
        return
    always = len(set(passes.tolist())) == 1
    follows = pearson(gold, passes, level=ONE_SIDED)
    if not always and not ((follows.value or 0.0) <= NO_SKILL and _below(follows, NO_SKILL_BOUND)):
        return
    passing = bool(passes[0])
    missed = comparison.false_passes if passing or not always else comparison.false_fails
    verb, others = ("passes", "fail") if passing else ("fails", "pass")
    said = f"{verb} every response" if always else f"passes and fails without following {evidence.who}"
    usual = max(float(gold.mean()), 1 - float(gold.mean()))
    counted = f", though {int((gold != passes[0]).sum())} of {len(gold)} {others}" if always else ""
    equal = float((passes == gold).mean())
    yield _finding(
        evidence,
        "no-skill",
        None,
        f"The judge {said}{counted}. It decides {equal:.0%} as gold does; without reading one can have {usual:.0%}.",
        {"accuracy": equal, "constant": usual, "kappa": comparison.overall["pass_kappa"].to_json()},
        [evidence.ids.index(name) for name in missed[:5]],
        "Look at the pass mark beside the scores of these examples, then at the criterion that should have told them "
        "apart.",
        gain=evidence.error,
        least="high",
    )


def _beaten_by_constant(evidence: Evidence) -> Iterator[Finding]:
    """A judge that agrees no oftener than one score for everything would."""
    comparison = evidence.comparison
    gain = gain_over_constant(comparison.gold.overall, comparison.scores, comparison.tolerance, level=TRUSTED)
    agreement, constant = comparison.agreement, comparison.agreement_constant
    if gain.value is None or gain.value > 0 or gain.n < FEWEST_TO_DIAGNOSE:
        return
    always = constant.method.split(",")[0]
    yield _finding(
        evidence,
        "no-skill",
        None,
        f"Agreement ({agreement.value or 0:.0%}) is not above that of a constant ({always}: {constant.value or 0:.0%}).",
        {"agreement": agreement.to_json(), "constant": constant.to_json(), "gain": gain.to_json()},
        worst_places(np.abs(evidence.misses)),
        "Don't use the score as it is: mend the criteria below first, or let people decide.",
        gain=evidence.error,
        least="high" if _below(gain, 0.0) else "medium",
        most="high" if _below(gain, 0.0) else "medium",
    )


def _length(evidence: Evidence) -> Iterator[Finding]:
    """A judge that rewards (or punishes) length beyond what the labels do."""
    comparison = evidence.comparison
    misses = evidence.misses
    if int(np.isfinite(misses).sum()) < FEWEST_TO_DIAGNOSE:
        return
    length = np.log1p([float(len(example.submission.response)) for example in comparison.gold.examples])
    there = np.isfinite(misses)
    reach = float(np.subtract(*np.quantile(length[there], [0.9, 0.1])))
    groups = next(iter(evidence.seen.values())).groups
    if reach <= 0:
        return
    judge = np.where(there, comparison.scores, np.nan)
    found = leaning(_scores_of_people(evidence), judge, length, groups=groups)
    plainly = pearson(length, misses, groups=groups)
    size = (found.value or 0.0) * reach
    alike = (_above(found, 0.0) and _above(plainly, 0.0)) or (_below(found, 0.0) and _below(plainly, 0.0))
    if abs(size) < LENGTH_IN_SCORE or not alike:
        return
    way = 1 if size > 0 else -1
    excess = (found.value or 0.0) * (length - length[there].mean())
    far = worst_places(np.where(np.sign(excess) == np.sign(misses), np.abs(misses), np.nan))
    better = np.abs(misses[there]).mean() - np.abs(misses[there] - excess[there]).mean()
    alone = (
        ""
        if evidence.seen and all(one.several for one in evidence.seen.values())
        else (" With one label an example, length that goes with quality can't be told from length itself.")
    )
    yield _finding(
        evidence,
        "length",
        None,
        f"The judge {'rewards' if way > 0 else 'punishes'} length: a long response (longest tenth) gets "
        f"{abs(size):.2f} {'more' if way > 0 else 'less'} in score than a short one of the same quality.{alone}",
        {"per_log_length": found.to_json(), "short_to_long": size, "correlation_of_misses": plainly.to_json()},
        far,
        f"Say in the guidelines that length {'earns' if way > 0 else 'costs'} nothing, and in the criteria what may be "
        f"left out; it shows on {listed([evidence.ids[place] for place in far])}.",
        gain=max(0.0, float(better)),
    )


def _scores_of_people(evidence: Evidence) -> Floats:
    """What each person's levels earn, shape (n, n_people), where two or more rated everything; else gold's scores."""
    seen = list(evidence.seen.values())
    shapes = {one.people.shape for one in seen}
    if len(shapes) == 1 and all(one.several for one in seen):
        scores = np.sum([evidence.share(one) * one.position(one.people) for one in seen], axis=0)
        if int((np.isfinite(scores).sum(axis=1) >= 2).sum()) >= LEAST_SHARED:
            return np.asarray(scores, dtype=np.float64)
    return np.where(evidence.kept, evidence.comparison.gold.overall, np.nan)


def _broken_slice(evidence: Evidence, part: Slice) -> Finding:
    """A part of the examples on which the judge does worse than on the rest."""
    inside, one = part.part.inside, evidence.seen.get(part.criterion or "")
    off = np.abs(one.errors / one.span) if one is not None else np.abs(evidence.misses)
    here, there = _mean(off[inside & np.isfinite(off)]), _mean(off[~inside & np.isfinite(off)])
    far = worst_places(np.where(inside, off, np.nan))
    called = f"{part.part.by} {part.part.name}" if part.part.by != "length" else f"{part.part.name} responses"
    if one is not None:
        said = f"{one.name} is broken on {called} ({int((inside & one.both).sum())} examples): off by {here * one.span:.2f} "
        said += f"levels on average, elsewhere by {there * one.span:.2f}"
        cost = abs(evidence.share(one)) * max(0.0, here - there) * float(inside.mean())
    else:
        said = f"The judge is broken on {called} ({part.n} examples): agreement {part.agreement.value or 0:.0%}, "
        said += f"elsewhere {part.rest or 0:.0%}; off by {here:.2f} on average, elsewhere by {there:.2f}"
        cost = max(0.0, here - there) * float(inside.mean())
    way = "high" if (part.shift or 0.0) > 0 else "low"
    ids = [evidence.ids[place] for place in far]
    criterion = f" on {one.name}" if one is not None else ""
    return _finding(
        evidence,
        "broken-slice",
        one,
        f"{said}.",
        {"slice": {"by": part.part.by, "name": part.part.name, "n": part.n}, "p": part.p, "shift": plain(part.shift)},
        far,
        f"Read {listed(ids)} together and name what is special about {called} in the criteria; the judge rates too {way} "
        f"there{criterion}. Until then let people decide on this part.",
        gain=cost,
        least="medium",
    )


# --- the labels and the replies -------------------------------------------------------------------------------------


def _of_labels(evidence: Evidence) -> Iterator[Finding]:
    """Labels of another wording, and too few of them."""
    stale = _stale(evidence.comparison)
    if stale:
        names = sorted({name for _, name in stale})
        places = sorted({place for place, _ in stale})
        ids = [evidence.ids[place] for place in places]
        yield _finding(
            evidence,
            "stale-labels",
            evidence.seen[names[0]] if len(names) == 1 else None,
            f"{len(stale)} labels on {', '.join(names)} were given under another wording of the rubric.",
            {"labels": len(stale), "criteria": names, "examples": len(places)},
            places[:5],
            f"Label these again under the present wording, first {listed(ids)}; they still count until then.",
            gain=0.0,
            most="medium",
        )
    groups = evidence.comparison.gold.groups
    n_groups = len(set(groups)) if groups is not None else evidence.n
    if evidence.n < FEWEST_TO_DIAGNOSE or n_groups < FEWEST_GROUPS:
        few = f"{evidence.n} compared examples" + ("" if groups is None else f" of {n_groups} groups")
        yield _finding(
            evidence,
            "too-few-labels",
            None,
            f"{few} show only gross faults; what isn't reported here can't be told.",
            {"examples": evidence.n, "groups": n_groups},
            [],
            f"Label at least {FEWEST_TO_DIAGNOSE} examples of {FEWEST_GROUPS} groups, better 100, with two people and "
            "levels that vary.",
            gain=0.0,
            most="low",
        )


def _stale(comparison: Comparison) -> list[tuple[int, str]]:
    """Places and criteria of the labels that count and were given under another wording."""
    now = {criterion.name: criterion.fingerprint for criterion in comparison.rubric.criteria}
    whole = asked_under(comparison.rubric)
    return [
        (place, name)
        for place, example in enumerate(comparison.gold.examples)
        for label in example.labels
        if label.kind in comparison.gold.kinds
        for name, rated in label.criteria.items()
        if (rated.under != now[name] if rated.under else bool(label.under) and label.under != whole)
    ]


def _of_replies(evidence: Evidence, elsewhere: bool) -> Iterator[Finding]:
    """Verdicts nobody could read."""
    comparison = evidence.comparison
    unread: list[tuple[int, str]] = []
    for place, rating in enumerate(comparison.judged):
        if rating is None:
            continue
        names = [name for name, rated in rating.criteria.items() if rated.declined == "unread"]
        if elsewhere and not rating.criteria and rating.error is not None and rating.overall is None:
            names = [""]
        unread += [(place, name) for name in names]
    if not unread:
        return
    places = sorted({place for place, _ in unread})
    rated = sum(rating is not None for rating in comparison.judged)
    share = len(places) / rated
    ids = [evidence.ids[place] for place in places]
    names = sorted({name for _, name in unread if name})
    yield _finding(
        evidence,
        "unreadable",
        evidence.seen[names[0]] if len(names) == 1 else None,
        f"{len(places)} of {rated} answers of the judge could not be read ({share:.1%}); none was taken for a level.",
        {"examples": len(places), "share": share, "criteria": names},
        places[:5],
        "Ask for fewer criteria at once (strategy: per_criterion), or a model that keeps to the form of the answer; look "
        f"at {listed(ids)}.",
        gain=share * evidence.error,
        least="high" if share > 0.1 else "medium" if share > 0.02 else "low",
    )


# --- small things ---------------------------------------------------------------------------------------------------


def _finding(
    evidence: Evidence,
    code: str,
    seen: Seen | None,
    message: str,
    evidenced: Mapping[str, Any],
    places: Sequence[int],
    suggestion: str,
    *,
    gain: float,
    least: Severity = "low",
    most: Severity = "high",
) -> Finding:
    """A finding whose severity follows the share of the judge's error that it makes, within bounds."""
    part = gain / evidence.error if evidence.error > 0 else 0.0
    severity: Severity = "high" if part >= HIGH_SHARE else "medium" if part >= MEDIUM_SHARE else "low"
    worse, milder = SEVERITIES.index(most), SEVERITIES.index(least)
    severity = SEVERITIES[max(worse, min(milder, SEVERITIES.index(severity)))]
    return Finding(
        code=code,
        criterion=seen.name if seen is not None else None,
        severity=severity,
        message=message,
        evidence={**evidenced, "worst": [shown_example(evidence, seen, place) for place in places]},
        examples=tuple(evidence.ids[place] for place in places),
        suggestion=suggestion,
        cost=float(gain),
    )


def _parting(evidence: Evidence, one: Seen, places: Sequence[int]) -> str:
    """Both levels on the worst examples, in words."""
    parts = [
        f"{level_name(one.scale, float(one.judge[place]))} where {evidence.who} gave "
        f"{level_name(one.scale, float(one.held_to[place]))} on {evidence.ids[place]}"
        for place in places[:3]
    ]
    return f"the judge gave {', '.join(parts)}" if parts else "no example shows it alone"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _commonest(values: Floats) -> tuple[float, float]:
    """The commonest value and its share; the lowest of several."""
    seen, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return float(seen[counts.argmax()]), float(counts.max() / counts.sum())


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def _above(estimate: Estimate, bound: float) -> bool:
    return estimate.low is not None and estimate.low > bound


def _below(estimate: Estimate, bound: float) -> bool:
    return estimate.high is not None and estimate.high < bound


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def _limits(estimate: Estimate) -> str:
    if estimate.low is None:
        return "no interval"
    return f"95% {_number(estimate.low)} to {_number(estimate.high)}"
