"""What is wrong with criteria and labels, whoever judges: dead, disputed, redundant, unused levels, stale, too few.

Each rule looks at the criteria it is given and answers with a finding for each criterion that is at fault.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.comparison import Comparison
from markscheme.calibration.decision import Finding
from markscheme.calibration.findings.advice import (
    anchor,
    commonest,
    finding,
    limits,
    named,
    nearest,
    number,
    worst_places,
)
from markscheme.calibration.findings.evidence import LEAST_SHARED, Evidence, Seen, mean
from markscheme.calibration.findings.significance import above, below, beyond_bounds
from markscheme.ratings.rating import asked_under
from markscheme.stats import Estimate
from markscheme.stats.distortion import correlation_without_noise, shared_and_own
from markscheme.stats.severity import pair_statistic

Floats = npt.NDArray[np.float64]

FEWEST_TO_DIAGNOSE = 30
FEWEST_GROUPS = 10
FEWEST_TO_MISS_A_LEVEL = 60
FEWEST_CRITERIA_TO_RANK = 3
USUAL = 0.90
LESS_VARIED, AS_NOISY = 0.5, 1.5
SPLIT_FIRM, SPLIT_HINT = 0.67, 0.60
SAME_CRITERION, SAME_BOUND = 0.90, 0.80
OFF = 5
NEVER = 0.01


# --- dead -----------------------------------------------------------------------------------------------------------


def flat(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which responses hardly differ in truth, while people are no noisier than elsewhere."""
    variances = {
        name: tuple(part / one.span**2 for part in shared_and_own(one.people))
        for name, one in seen.items()
        if one.several and one.scale.ordered
    }
    if len(variances) < FEWEST_CRITERIA_TO_RANK:
        return {}
    usual, usual_own = (float(np.median([v[part] for v in variances.values()])) for part in (0, 1))
    found = {}
    for name, (shared, own) in variances.items():
        alpha = seen[name].alpha.value
        if alpha is None or not (shared < LESS_VARIED * usual and own < AS_NOISY * usual_own and alpha < SPLIT_HINT):
            continue
        found[name] = _dead(
            evidence,
            seen[name],
            f"the responses hardly differ on it (what people share varies {max(0.0, shared) / usual:.1f} times as much "
            "as on the usual criterion)",
            {"shared_variance": shared, "usual_shared_variance": usual, "people_alpha": alpha},
        )
    return found


def unvaried(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which nearly all responses have one level, and nothing shows that the judge finds the others."""
    found = {}
    for name, one in seen.items():
        if one.n < FEWEST_TO_DIAGNOSE:
            continue
        level, share = commonest(one.given)
        shows_skill = one.scale.ordered and above(
            pair_statistic(one.held_to, one.judge, "pearson", groups=one.groups), 0.0
        )
        if share < USUAL or shows_skill:
            continue
        found[name] = _dead(
            evidence,
            one,
            f"{evidence.who} give {one.scale.level_name(level)} to {share:.0%} of the responses, so nothing shows "
            "whether the judge would find another",
            {"level": level, "share_of_people": share},
        )
    return found


def _dead(evidence: Evidence, one: Seen, said: str, shows: Mapping[str, Any]) -> Finding:
    return finding(
        evidence,
        "dead",
        one,
        f"{one.name}: {said}.",
        f"Label responses that differ in {one.name}, or take the criterion out: it tells no response from another.",
        shows=shows,
        worst=worst_places(np.abs(one.held_to - commonest(one.given)[0])),
        least="medium",
        most="medium",
    )


# --- disputed -------------------------------------------------------------------------------------------------------


def split(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A criterion on which people disagree with each other."""
    looked = {name: one for name, one in seen.items() if int((one.n_people >= 2).sum()) >= LEAST_SHARED}
    firm = beyond_bounds(looked, Seen.people_alpha, lambda _, e: below(e, SPLIT_FIRM))
    found = {}
    for name, one in looked.items():
        alpha = one.alpha
        hint = alpha.low is not None and alpha.note is None and alpha.value is not None and alpha.value < SPLIT_HINT
        if name not in firm and not hint:
            continue
        shared, own = shared_and_own(one.people)
        worst = worst_places(_apart(one))
        most = _highest_correlation(one, shared, own)
        said = f"{name}: people disagree with each other (alpha {number(alpha.value)}, {limits(alpha)})"
        said += f", so that no judge can follow their gold closer than a correlation of {most:.2f}" if most else ""
        said += "" if name in firm else "; too few labels to be sure"
        found[name] = finding(
            evidence,
            "ambiguous",
            one,
            f"{said}.",
            f"Rewrite {name}, and only then work on the judge: {_people_part(evidence, one, worst)}.",
            shows={"people_alpha": alpha.to_json(), "firm": name in firm, "highest_correlation": most},
            worst=worst,
            gain=evidence.gain({name: one.judge - (1 - _left_without_noise(one, own)) * one.errors}),
            most="high" if name in firm else "low",
        )
    return found


def _apart(one: Seen) -> Floats:
    """How far apart people's levels of each example lie; 0 where fewer than two rated it."""
    filled = np.where(np.isnan(one.people), np.nan_to_num(one.held_to)[:, None], one.people)
    return np.where(one.n_people >= 2, np.ptp(filled, axis=1), 0.0)


def _highest_correlation(one: Seen, shared: float, own: float) -> float | None:
    """Of a perfect judge with the mean of as many people as usually rate; None where people share nothing."""
    usually = float(one.n_people[one.n_people > 0].mean())
    return float((shared / (shared + own / usually)) ** 0.5) if shared > 0 and one.scale.ordered else None


def _left_without_noise(one: Seen, own: float) -> float:
    """What share of the judge's error would be left if people's own noise were taken out of gold."""
    size = float(np.nanmean(one.errors**2)) if one.n else 0.0
    of_gold = own / float(one.n_people[one.n_people > 0].mean())
    return max(0.0, 1 - of_gold / size) ** 0.5 if size > 0 and np.isfinite(own) else 1.0


def _people_part(evidence: Evidence, one: Seen, places: Sequence[int]) -> str:
    parts = []
    for place in places[:3]:
        given = one.people[place][np.isfinite(one.people[place])]
        names = " and ".join(one.scale.level_name(float(level)) for level in (given.min(), given.max()))
        parts.append(f"{names} on {evidence.ids[place]}")
    return f"people gave {', '.join(parts)}" if parts else "say what separates its levels"


# --- redundant, unused ----------------------------------------------------------------------------------------------


def redundant(evidence: Evidence, seen: Mapping[str, Seen]) -> Iterator[Finding]:
    """Two criteria that order the responses alike."""
    usable = [one for one in seen.values() if one.scale.ordered and one.n >= FEWEST_TO_DIAGNOSE]
    pairs = {f"{a.name} / {b.name}": (a, b) for a, b in combinations(usable, 2)}
    named_pairs = {name: replace(a, criterion=replace(a.criterion, name=name)) for name, (a, _) in pairs.items()}

    def together(pair: Seen, level: float) -> Estimate:
        a, b = pairs[pair.name]
        if a.several and b.several:
            return correlation_without_noise(a.merit(a.people), b.merit(b.people), groups=a.groups, level=level)
        return pair_statistic(a.merit(a.held_to), b.merit(b.held_to), "pearson", groups=a.groups, level=level)

    shown = beyond_bounds(
        named_pairs, together, lambda _, e: (e.value or 0.0) >= SAME_CRITERION and above(e, SAME_BOUND)
    )
    for name, together_now in shown.items():
        a, b = pairs[name]
        lighter, heavier = sorted((a, b), key=lambda one: abs(one.criterion.weight))
        hint = not (a.several and b.several)
        said = (
            f"{a.name} and {b.name} order the responses alike (correlation {number(min(1.0, together_now.value or 0))}"
        )
        said += ", only a hint: with one label an example one view colours both)" if hint else ")"
        yield finding(
            evidence,
            "redundant",
            lighter,
            f"{said}; the score counts one thing twice.",
            f"Merge {lighter.name} into {heavier.name}, or say in each what belongs to the other.",
            shows={"criteria": [a.name, b.name], "correlation": together_now.to_json(), "hint": hint},
            worst=worst_places(np.abs(a.merit(a.held_to) - b.merit(b.held_to))),
            most="low",
        )


def unused(evidence: Evidence, seen: Mapping[str, Seen], *, blamed: Collection[str]) -> dict[str, Finding]:
    """Levels that nobody gives; or that the judge never gives, on a criterion where nothing else explains it."""
    found = {}
    for name, one in seen.items():
        if len(one.levels) < 3 or one.n < FEWEST_TO_DIAGNOSE:
            continue
        by_judge = {nearest(one, value) for value in np.unique(one.judge[one.both]).tolist()}
        by_people = {nearest(one, value) for value in np.unique(np.append(one.given, one.gold[one.both])).tolist()}
        nobody = [level for level in one.levels.tolist() if level not in by_judge | by_people]
        if nobody and one.n >= FEWEST_TO_MISS_A_LEVEL:
            found[name] = _unused_by_all(evidence, one, nobody)
            continue
        never = [level for level in one.levels.tolist() if level not in by_judge and _should_have_come(one, level)]
        if never and name not in blamed:
            found[name] = _unused_by_judge(evidence, one, never)
    return found


def _should_have_come(one: Seen, level: float) -> bool:
    """Whether gold gives the level so often that a judge that follows it would have given it."""
    share = float((one.gold[one.both] == level).mean())
    return share * one.n >= OFF and (1 - share) ** one.n <= NEVER


def _unused_by_all(evidence: Evidence, one: Seen, levels: Sequence[float]) -> Finding:
    names = ", ".join(one.scale.level_name(level) for level in levels)
    return finding(
        evidence,
        "unused-level",
        one,
        f"{one.name}: nobody ever gives {names}, in {one.n} examples.",
        f"Take {names} out of the scale of {one.name}, or label responses that deserve it.",
        shows={"levels": list(levels), "by": "nobody"},
        most="low",
    )


def _unused_by_judge(evidence: Evidence, one: Seen, levels: Sequence[float]) -> Finding:
    names = ", ".join(one.scale.level_name(level) for level in levels)
    where = np.isin(one.gold, levels) & one.both
    way = 1 if mean(one.errors[where]) > 0 else -1
    return finding(
        evidence,
        "unused-level",
        one,
        f"{one.name}: the judge never gives {names}; {evidence.who} do for {int(where.sum())} of {one.n} responses.",
        anchor(evidence, one.only(where), way),
        shows={"levels": list(levels), "by": "judge", "examples": int(where.sum())},
        worst=worst_places(np.where(where, np.abs(one.errors), np.nan)),
        gain=evidence.gain({one.name: np.where(where, one.held_to, np.nan)}),
    )


# --- the labels -----------------------------------------------------------------------------------------------------


def of_labels(evidence: Evidence) -> Iterator[Finding]:
    """Labels that were given under another wording, and too few labels to say much."""
    stale = _stale(evidence.comparison)
    if stale:
        names, places = sorted({name for _, name in stale}), sorted({place for place, _ in stale})
        yield finding(
            evidence,
            "stale-labels",
            evidence.seen[names[0]] if len(names) == 1 else None,
            f"{len(stale)} labels on {', '.join(names)} were given under another wording; they still count.",
            f"Label these again under the present wording: {named(evidence, places)}.",
            shows={"labels": len(stale), "criteria": names, "examples": len(places)},
            worst=places[:5],
            least="medium",
            most="medium",
        )
    groups = evidence.comparison.gold.groups
    n_groups = evidence.n if groups is None else len(set(groups))
    if evidence.n < FEWEST_TO_DIAGNOSE or n_groups < FEWEST_GROUPS:
        few = f"{evidence.n} examples" if groups is None else f"{evidence.n} examples in {n_groups} groups"
        yield finding(
            evidence,
            "too-few-labels",
            None,
            f"With {few} only gross faults show; what is not reported here can't be told.",
            f"Label {FEWEST_TO_DIAGNOSE} examples or more, of {FEWEST_GROUPS} groups or more and of all levels, "
            "better 100, with two people.",
            shows={"examples": evidence.n, "groups": n_groups},
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
