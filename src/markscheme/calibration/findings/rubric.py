"""What is wrong with criteria and labels, whatever the judge: dead, ambiguous, redundant, unused, stale, too few.

Each rule gets some criteria and returns a finding for each criterion at fault.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from markscheme.calibration.decision import Finding
from markscheme.calibration.findings.evidence import (
    FEWEST_TO_DIAGNOSE,
    LEAST_SHARED,
    LEAST_WRONG,
    CriterionEvidence,
    Evidence,
    mean,
    modal_level,
    significant,
    with_ci,
    worst_places,
)
from markscheme.phrases import in_words, number
from markscheme.ratings.examples import stale_labels
from markscheme.ratings.table import Floats
from markscheme.stats import Estimate
from markscheme.stats.distortion import correlation_without_noise, shared_and_own
from markscheme.stats.severity import pair_statistic

FEWEST_GROUPS = 10
FEWEST_TO_MISS_A_LEVEL = 60
FEWEST_CRITERIA_TO_RANK = 3
USUAL = 0.90
LESS_VARIED, AS_NOISY = 0.5, 1.5
SPLIT_FIRM, SPLIT_HINT = 0.67, 0.60
SAME_CRITERION, SAME_BOUND = 0.90, 0.80
NEVER = 0.01
MOST_QUOTED, LONGEST_QUOTE = 2, 200
"""Annotators' remarks in an advice, and the characters of one."""


# --- dead -----------------------------------------------------------------------------------------------------------


def hardly_varying(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A criterion on which responses hardly differ, while annotators are no noisier than elsewhere."""
    variances = {
        name: tuple(part / one.scale.span**2 for part in shared_and_own(one.people))
        for name, one in criteria.items()
        if one.twice_labelled and one.scale.ordered
    }
    if len(variances) < FEWEST_CRITERIA_TO_RANK:
        return
    usual, usual_own = (float(np.median([v[part] for v in variances.values()])) for part in (0, 1))
    for name, (shared, own) in variances.items():
        alpha = criteria[name].people_alpha().value
        if alpha is None or not (shared < LESS_VARIED * usual and own < AS_NOISY * usual_own and alpha < SPLIT_HINT):
            continue
        yield _dead(
            evidence,
            criteria[name],
            f"responses hardly differ on it: the variance annotators share is {max(0.0, shared) / usual:.1f} times "
            "that of the median criterion",
            {"shared_variance": shared, "usual_shared_variance": usual, "people_alpha": alpha},
        )


def one_level_in_gold(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A criterion on which nearly all responses have one level, and nothing shows that the judge finds the others."""
    for one in criteria.values():
        if one.n < FEWEST_TO_DIAGNOSE:
            continue
        level, share = modal_level(one.labels)
        shows_skill = one.scale.ordered and one.statistic("pearson").above(0.0)
        if share < USUAL or shows_skill:
            continue
        yield _dead(
            evidence,
            one,
            f"{evidence.who} give {one.scale.level_name(level)} to {share:.0%} of responses, so nothing shows whether "
            "the judge would find another level",
            {"level": level, "share_of_people": share},
        )


def _dead(evidence: Evidence, one: CriterionEvidence, said: str, shows: Mapping[str, Any]) -> Finding:
    return evidence.finding(
        "dead",
        one,
        f"{one.name}: {said}.",
        f"Label responses that differ in {one.name}, or remove the criterion: it doesn't distinguish responses.",
        shows=shows,
        worst=worst_places(np.abs(one.gold - modal_level(one.labels)[0])),
        least="medium",
        most="medium",
    )


# --- ambiguous ------------------------------------------------------------------------------------------------------


def ambiguous(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A criterion on which annotators disagree with each other."""
    looked = {name: one for name, one in criteria.items() if int((one.n_people >= 2).sum()) >= LEAST_SHARED}
    firm = significant(looked, CriterionEvidence.people_alpha, lambda _, e: e.below(SPLIT_FIRM))
    for name, one in looked.items():
        alpha = one.people_alpha()
        hint = alpha.low is not None and alpha.note is None and alpha.value is not None and alpha.value < SPLIT_HINT
        if name not in firm and not hint:
            continue
        shared, own = shared_and_own(one.people)
        worst = worst_places(_apart(one))
        most = _highest_correlation(one, shared, own)
        between_two = one.ceiling.people if one.ceiling is not None else alpha
        quoted = alpha if between_two.value is None else between_two
        said = f"{name}: annotators disagree with each other, Krippendorff's alpha {with_ci(quoted)}"
        said += "" if name in firm else "; too few labels to be sure"
        yield evidence.finding(
            "ambiguous",
            one,
            f"{said}.",
            f"Adjudicate the examples on which they differ, then reword {name}, and only then work on the judge: "
            f"{_levels_given(evidence, one, worst)}.{_written(evidence, one, worst)}",
            shows={"people_alpha": alpha.to_json(), "firm": name in firm, "highest_correlation": most},
            worst=worst,
            gain=evidence.gain({name: one.judge - (1 - _left_without_noise(one, own)) * one.errors}),
            most="high" if name in firm else "low",
        )


def _apart(one: CriterionEvidence) -> Floats:
    """How far apart annotators' levels of each example are; 0 where fewer than two rated it."""
    filled = np.where(np.isnan(one.people), np.nan_to_num(one.gold)[:, None], one.people)
    return np.where(one.n_people >= 2, np.ptp(filled, axis=1), 0.0)


def _highest_correlation(one: CriterionEvidence, shared: float, own: float) -> float | None:
    """Correlation of a perfect judge with the mean of the usual number of annotators; None where they share nothing."""
    usually = float(one.n_people[one.n_people > 0].mean())
    return float((shared / (shared + own / usually)) ** 0.5) if shared > 0 and one.scale.ordered else None


def _left_without_noise(one: CriterionEvidence, own: float) -> float:
    """Share of the judge's error that would remain without annotators' noise in gold."""
    size = float(np.nanmean(one.errors**2)) if one.n else 0.0
    of_gold = own / float(one.n_people[one.n_people > 0].mean())
    return max(0.0, 1 - of_gold / size) ** 0.5 if size > 0 and np.isfinite(own) else 1.0


def _levels_given(evidence: Evidence, one: CriterionEvidence, places: Sequence[int]) -> str:
    parts = []
    for place in places[:3]:
        given = one.people[place][np.isfinite(one.people[place])]
        names = " and ".join(one.scale.level_name(float(level)) for level in (given.min(), given.max()))
        parts.append(f"{names} on {evidence.ids[place]}")
    return f"annotators gave {', '.join(parts)}" if parts else "say what separates its levels"


def _written(evidence: Evidence, one: CriterionEvidence, worst: Sequence[int]) -> str:
    """What annotators wrote about the examples on which they differ, and why they gave no level elsewhere."""
    skipped = [said for said in evidence.said(one, np.flatnonzero(evidence.kept).tolist()) if said["level"] is None]
    differing = [said for said in evidence.said(one, worst) if said["level"] is not None and said["said"]]
    wrote = "".join(f" {_quoted(said['said'])} on {said['id']}." for said in differing[:MOST_QUOTED])
    reasons = [said["said"] for said in skipped if said["said"]]
    times = f" Given no level {len(reasons)} {'time' if len(reasons) == 1 else 'times'}, for example: "
    return (f" They wrote:{wrote}" if wrote else "") + (f"{times}{_quoted(reasons[0])}." if reasons else "")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line[:LONGEST_QUOTE]}{'…' if len(line) > LONGEST_QUOTE else ''}”"


# --- redundant, unused ----------------------------------------------------------------------------------------------


def redundant(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Two criteria that rank the responses the same way."""
    usable = [one for one in criteria.values() if one.scale.ordered and one.n >= FEWEST_TO_DIAGNOSE]
    pairs = {f"{a.name} / {b.name}": (a, b) for a, b in combinations(usable, 2)}
    named_pairs = {name: replace(a, criterion=replace(a.criterion, name=name)) for name, (a, _) in pairs.items()}

    def together(pair: CriterionEvidence, level: float) -> Estimate:
        a, b = pairs[pair.name]
        if a.twice_labelled and b.twice_labelled:
            return correlation_without_noise(a.merit(a.people), b.merit(b.people), groups=a.groups, level=level)
        return pair_statistic(a.merit(a.gold), b.merit(b.gold), "pearson", groups=a.groups, level=level)

    shown = significant(named_pairs, together, lambda _, e: (e.value or 0.0) >= SAME_CRITERION and e.above(SAME_BOUND))
    for name, correlation in shown.items():
        a, b = pairs[name]
        lighter, heavier = sorted((a, b), key=lambda one: abs(one.criterion.weight))
        hint = not (a.twice_labelled and b.twice_labelled)
        value = number(min(1.0, correlation.value or 0))
        said = (
            f"{value} between annotators' labels, only a hint: one annotator's view colors both"
            if hint
            else f"{value}, annotators' noise taken out"
        )
        yield evidence.finding(
            "redundant",
            lighter,
            f"{a.name} and {b.name} rank responses the same way (correlation {said}), so the score counts one thing "
            "twice.",
            f"Merge {lighter.name} into {heavier.name}, or say in each what belongs to the other.",
            shows={"criteria": [a.name, b.name], "correlation": correlation.to_json(), "hint": hint},
            worst=worst_places(np.abs(a.merit(a.gold) - b.merit(b.gold))),
            most="low",
        )


def unused_levels(
    evidence: Evidence, criteria: Mapping[str, CriterionEvidence], *, blamed: Collection[str]
) -> Iterator[Finding]:
    """Levels that neither judge nor gold gives; or that the judge never gives, where nothing else explains it."""
    for name, one in criteria.items():
        if len(one.levels) < 3 or one.n < FEWEST_TO_DIAGNOSE:
            continue
        by_judge = {one.nearest_level(value) for value in np.unique(one.judge[one.both]).tolist()}
        by_people = {
            one.nearest_level(value) for value in np.unique(np.append(one.labels, one.gold[one.both])).tolist()
        }
        nobody = [level for level in one.levels.tolist() if level not in by_judge | by_people]
        if nobody and one.n >= FEWEST_TO_MISS_A_LEVEL:
            yield _unused_by_all(evidence, one, nobody)
            continue
        never = [level for level in one.levels.tolist() if level not in by_judge and _should_have_come(one, level)]
        if never and name not in blamed:
            yield _unused_by_judge(evidence, one, never)


def _should_have_come(one: CriterionEvidence, level: float) -> bool:
    """Whether gold gives the level so often that a judge that follows it would have given it."""
    share = float((one.gold[one.both] == level).mean())
    return share * one.n >= LEAST_WRONG and (1 - share) ** one.n <= NEVER


def _levels_named(one: CriterionEvidence, levels: Sequence[float], link: str = "and") -> str:
    noun = "" if one.scale.is_yes_no else "level " if len(levels) == 1 else "levels "
    return noun + in_words([one.scale.level_name(level) for level in levels], link)


def _unused_by_all(evidence: Evidence, one: CriterionEvidence, levels: Sequence[float]) -> Finding:
    names, either = _levels_named(one, levels), _levels_named(one, levels, "or")
    them = "it" if len(levels) == 1 else "them"
    return evidence.finding(
        "unused-level",
        one,
        f"{one.name}: neither the judge nor {evidence.who} gave {either} in {one.n} examples.",
        f"Remove {names} from the scale of {one.name}, or label responses that deserve {them}.",
        shows={"levels": list(levels), "by": "nobody"},
        most="low",
    )


def _unused_by_judge(evidence: Evidence, one: CriterionEvidence, levels: Sequence[float]) -> Finding:
    names = _levels_named(one, levels)
    where = np.isin(one.gold, levels) & one.both
    way = 1 if mean(one.errors[where]) > 0 else -1
    return evidence.finding(
        "unused-level",
        one,
        f"{one.name}: the judge never gave {names}; {evidence.who} did for {int(where.sum())} of {one.n} responses.",
        evidence.anchor_advice(one.where(where), way),
        shows={"levels": list(levels), "by": "judge", "examples": int(where.sum())},
        worst=worst_places(np.where(where, np.abs(one.errors), np.nan)),
        gain=evidence.gain({one.name: np.where(where, one.gold, np.nan)}),
    )


# --- the labels -----------------------------------------------------------------------------------------------------


def label_findings(evidence: Evidence) -> Iterator[Finding]:
    """Labels that were given under another wording, and too few labels to say much."""
    gold = evidence.comparison.gold
    under_another = stale_labels(gold.examples, evidence.comparison.rubric)
    stale = [(place, name) for place, label, name in under_another if label.kind in gold.kinds]
    if stale:
        names, places = sorted({name for _, name in stale}), sorted({place for place, _ in stale})
        yield evidence.finding(
            "stale-labels",
            evidence.criteria[names[0]] if len(names) == 1 else None,
            f"{len(stale)} labels on {', '.join(names)} were given under another wording; they still count.",
            f"Label these again under the current wording: {evidence.example_ids(places)}.",
            shows={"labels": len(stale), "criteria": names, "examples": len(places)},
            worst=places[:5],
            least="medium",
            most="medium",
        )
    groups = gold.groups
    n_groups = evidence.n if groups is None else len(set(groups))
    if evidence.n < FEWEST_TO_DIAGNOSE or n_groups < FEWEST_GROUPS:
        few = f"{evidence.n} examples" if groups is None else f"{evidence.n} examples in {n_groups} groups"
        of_groups = "" if groups is None else f" from {FEWEST_GROUPS} groups or more"
        yield evidence.finding(
            "too-few-labels",
            None,
            f"With {few} only large faults show; there may be smaller ones.",
            f"Label {FEWEST_TO_DIAGNOSE} examples in all{of_groups}, with every level among them, to find large ones.",
            shows={"examples": evidence.n, "groups": n_groups},
        )
