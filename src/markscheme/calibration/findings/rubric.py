"""Faults of criteria and labels, whatever the judge: dead, ambiguous, redundant, unused, stale, too few.

Each rule gets some criteria and returns a finding for each criterion at fault.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from markscheme.calibration.findings import kinds
from markscheme.calibration.findings.evidence import (
    FEWEST_TO_DIAGNOSE,
    LEAST_SHARED,
    LEAST_WRONG,
    CriterionEvidence,
    Evidence,
    significant,
    with_ci,
)
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.open_disputes import are_disputes_decided
from markscheme.phrases import counted, in_words, number, percent
from markscheme.ratings.examples import stale_labels
from markscheme.stats import Estimate
from markscheme.stats.distortion import shared_and_own, true_correlations
from markscheme.stats.intervals import Floats
from markscheme.stats.severity import pair_statistic

FEWEST_GROUPS_TO_DIAGNOSE = 10
"""Fewest groups of examples for which faults are diagnosed; with fewer than 5 there is no interval at all."""
FEWEST_TO_MISS_A_LEVEL = 60
"""Fewest examples in which a level must be missing to count as unused: one given to 5 % would be missing in 5 % of
such sets."""
FEWEST_CRITERIA_TO_RANK = 3
"""Fewest criteria for which one is reported on which responses differ less than on the median criterion."""
USUAL = 0.90
"""Share of annotators' most frequent level from which on a criterion can't show whether a judge finds other levels."""
LESS_VARIED = 0.5
"""Share of the median criterion's variance below which responses hardly differ on a criterion."""
AS_NOISY = 1.5
"""Largest ratio of annotators' noise on a criterion to that on the median criterion with which they count as no noisier
than elsewhere."""
SPLIT_FIRM = 0.67
"""Krippendorff's alpha between annotators below which labels allow no conclusions (Krippendorff, Content Analysis)."""
SPLIT_HINT = 0.60
"""Alpha below which annotators may disagree, if the interval can't show whether they do."""
SAME_CRITERION = 0.90
"""Smallest correlation, corrected for annotators' noise, with which two criteria measure the same."""
SAME_BOUND = 0.80
"""Value that the lower limit of this correlation of two criteria must be above."""
NEVER = 0.01
"""A level that the judge never gives is a fault if a judge that follows gold would never give it with at most this
probability."""
MOST_QUOTED = 2
"""Largest number of annotators' remarks that are quoted in one suggestion."""
LONGEST_QUOTE = 200
"""Largest number of characters of a quoted remark: about two lines of a card."""


# --- dead -----------------------------------------------------------------------------------------------------------


def hardly_varying(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which responses hardly differ, so that annotators' alpha is low.

    On such a criterion the variance that annotators' levels share is much smaller than on the median criterion. The
    variance of annotators' errors isn't larger than on the median criterion, so that careless labels aren't the reason.
    """
    variances = {
        name: tuple(part / criterion.scale.span**2 for part in shared_and_own(*criterion.people_once))
        for name, criterion in criteria.items()
        if criterion.twice_labelled and criterion.scale.ordered
    }
    if len(variances) < FEWEST_CRITERIA_TO_RANK:
        return
    usual, usual_own = (float(np.median([v[part] for v in variances.values()])) for part in (0, 1))
    for name, (shared, noise) in variances.items():
        alpha = criteria[name].people_alpha().value
        if alpha is None or not (shared < LESS_VARIED * usual and noise < AS_NOISY * usual_own and alpha < SPLIT_HINT):
            continue
        yield _dead(
            evidence,
            criteria[name],
            f"responses hardly differ on it: the variance annotators share is {number(max(0.0, shared) / usual, 1)} "
            "times "
            "that of the median criterion",
            {"shared_variance": shared, "usual_shared_variance": usual, "people_alpha": alpha},
        )


def one_level_in_gold(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which gold has one level for nearly all responses, which hardly tests the judge."""
    for criterion in criteria.values():
        if criterion.n < FEWEST_TO_DIAGNOSE:
            continue
        level, share = criterion.modal_label
        shows_skill = criterion.scale.ordered and criterion.statistic("pearson").above(0.0)
        if share < USUAL or shows_skill:
            continue
        yield _dead(
            evidence,
            criterion,
            f"{evidence.people('give')} {criterion.scale.level_name(level)} to {percent(share)} of responses, so "
            "nothing shows whether the judge would find another level",
            {"level": level, "share_of_people": share},
        )


def _dead(evidence: Evidence, criterion: CriterionEvidence, fault: str, shows: Mapping[str, Any]) -> Finding:
    return evidence.finding(
        kinds.DEAD,
        criterion,
        f"{fault}.",
        f"Label responses that differ in {criterion.name}, or remove the criterion: it doesn't distinguish responses.",
        shows=shows,
        worst=evidence.worst(np.abs(criterion.gold - criterion.modal_label[0])),
        least="medium",
        most="medium",
    )


# --- ambiguous ------------------------------------------------------------------------------------------------------


def ambiguous(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which annotators disagree with each other."""
    looked = {
        name: criterion
        for name, criterion in criteria.items()
        if criterion.count(criterion.n_people >= 2) >= LEAST_SHARED
    }
    firm = significant(looked, CriterionEvidence.people_alpha, lambda _, e: e.below(SPLIT_FIRM))
    for name, criterion in looked.items():
        alpha = criterion.people_alpha()
        hint = alpha.low is not None and alpha.note is None and alpha.value is not None and alpha.value < SPLIT_HINT
        if name not in firm and not hint:
            continue
        shared, noise = shared_and_own(*criterion.people_once)
        worst = evidence.worst(_range_of_annotators(criterion))
        most = _highest_correlation(criterion, shared, noise)
        between_two = criterion.ceiling.people if criterion.ceiling is not None else alpha
        quoted = alpha if between_two.value is None else between_two
        text = f"annotators disagree with each other, Krippendorff's alpha {with_ci(quoted)}"
        text += "" if name in firm else "; too few labels to be sure"
        is_decided = are_disputes_decided(evidence.comparison, [name])
        reword = f"Reword {name}" if is_decided else f"Adjudicate the examples on which they differ, then reword {name}"
        yield evidence.finding(
            kinds.AMBIGUOUS_WORDS if is_decided else kinds.AMBIGUOUS,
            criterion,
            f"{text}.",
            f"{reword}, and only then work on the judge: "
            f"{_levels_given(evidence, criterion, worst)}.{_written(evidence, criterion, worst)}",
            shows={"people_alpha": alpha.to_json(), "firm": name in firm, "highest_correlation": most},
            worst=worst,
            gain=evidence.gain(
                {name: criterion.judge - (1 - _left_without_noise(criterion, noise)) * criterion.errors}
            ),
            most="high" if name in firm else "low",
        )


def _range_of_annotators(criterion: CriterionEvidence) -> Floats:
    """Return the highest minus the lowest annotator's level on each example; 0 with fewer than two annotators."""
    filled = np.where(np.isnan(criterion.people), np.nan_to_num(criterion.gold)[:, None], criterion.people)
    return np.where(criterion.n_people >= 2, np.ptp(filled, axis=1), 0.0)


def _highest_correlation(criterion: CriterionEvidence, shared: float, noise: float) -> float | None:
    """Return the correlation that a perfect judge would have with gold, which is a noisy mean of annotators.

    It is None if annotators share no variance, or if the levels have no order.

    Args:
        criterion: The evidence on the criterion.
        shared: Variance of the true levels, which annotators share.
        noise: Variance of one annotator's errors.
    """
    usually = _usual_annotators(criterion)
    return float((shared / (shared + noise / usually)) ** 0.5) if shared > 0 and criterion.scale.ordered else None


def _usual_annotators(criterion: CriterionEvidence) -> float:
    """Return the mean number of annotators per example, over the examples with any."""
    return criterion.mean(np.where(criterion.n_people > 0, criterion.n_people, np.nan))


def _left_without_noise(criterion: CriterionEvidence, noise: float) -> float:
    """Return the share of the judge's root mean squared error that would remain if annotators' labels had no noise.

    Args:
        criterion: The evidence on the criterion.
        noise: Variance of one annotator's errors.
    """
    size = criterion.mean(criterion.errors**2)
    of_gold = noise / _usual_annotators(criterion)
    return max(0.0, 1 - of_gold / size) ** 0.5 if size > 0 and np.isfinite(noise) else 1.0


def _levels_given(evidence: Evidence, criterion: CriterionEvidence, places: Sequence[int]) -> str:
    ids: dict[str, list[str]] = {}
    for index in places[:3]:
        levels = criterion.people[index][np.isfinite(criterion.people[index])]
        names = " and ".join(criterion.scale.level_name(float(level)) for level in (levels.min(), levels.max()))
        ids.setdefault(names, []).append(evidence.ids[index])
    parts = ", ".join(f"{names} on {in_words(on)}" for names, on in ids.items())
    return f"annotators gave {parts}" if parts else "say what separates its levels"


def _written(evidence: Evidence, criterion: CriterionEvidence, worst: Sequence[int]) -> str:
    """Return quotes of what annotators wrote about a criterion where they differ, and why they gave no level.

    Args:
        evidence: The evidence, with the annotators' labels.
        criterion: The criterion.
        worst: Indices of the examples on which annotators differ. Reasons for giving no level come from all examples.
    """
    everywhere = evidence.remarks(criterion, np.flatnonzero(evidence.included).tolist())
    skipped = [remark for remark in everywhere if remark["level"] is None]
    differing = [
        remark for remark in evidence.remarks(criterion, worst) if remark["level"] is not None and remark["said"]
    ]
    wrote = "".join(f" {_quoted(remark['said'])} on {remark['id']}." for remark in differing[:MOST_QUOTED])
    reasons = [remark["said"] for remark in skipped if remark["said"]]
    times = f" Given no level {len(reasons)} {'time' if len(reasons) == 1 else 'times'}, for example: "
    return (f" They wrote:{wrote}" if wrote else "") + (f"{times}{_quoted(reasons[0])}." if reasons else "")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line[:LONGEST_QUOTE]}{'…' if len(line) > LONGEST_QUOTE else ''}”"


# --- redundant, unused ----------------------------------------------------------------------------------------------


def redundant(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on pairs of criteria that rank the responses in the same way."""
    if not evidence.ids:  # counts of one criterion say nothing of another
        return
    usable = [
        criterion for criterion in criteria.values() if criterion.scale.ordered and criterion.n >= FEWEST_TO_DIAGNOSE
    ]
    pairs = {f"{a.name} / {b.name}": (a, b) for a, b in combinations(usable, 2)}
    twice = {criterion.name: criterion.merit(criterion.people) for criterion in usable if criterion.twice_labelled}
    true_correlation = true_correlations(twice, usable[0].groups) if twice else None

    def together(pair: tuple[CriterionEvidence, CriterionEvidence], level: float) -> Estimate:
        a, b = pair
        if true_correlation is not None and a.name in twice and b.name in twice:
            return true_correlation(a.name, b.name, level)
        return pair_statistic(a.merit(a.gold), b.merit(b.gold), "pearson", groups=a.groups, level=level)

    shown = significant(pairs, together, lambda _, e: (e.value or 0.0) >= SAME_CRITERION and e.above(SAME_BOUND))
    for name, correlation in shown.items():
        a, b = pairs[name]
        lighter, heavier = sorted((a, b), key=lambda criterion: abs(criterion.weight))
        hint = not (a.twice_labelled and b.twice_labelled)
        value = number(min(1.0, correlation.value or 0))
        strength = (
            f"{value} between annotators' labels, only a hint: one annotator's view colors both"
            if hint
            else f"{value}, annotators' noise taken out"
        )
        yield evidence.finding(
            kinds.REDUNDANT,
            lighter,
            f"{a.name} and {b.name} rank responses the same way (correlation {strength}), so the score counts one "
            "thing twice.",
            f"Merge {lighter.name} into {heavier.name}, or say in each what belongs to the other.",
            shows={"criteria": [a.name, b.name], "correlation": correlation.to_json(), "hint": hint},
            worst=evidence.worst(np.abs(a.merit(a.gold) - b.merit(b.gold))),
            most="low",
        )


def unused_levels(
    evidence: Evidence, criteria: Mapping[str, CriterionEvidence], *, blamed: Collection[str]
) -> Iterator[Finding]:
    """Yield findings on levels that neither judge nor gold gives, or that only the judge never gives.

    Args:
        evidence: The evidence on the judge.
        criteria: The evidence on each criterion to look at, by name.
        blamed: Names of the criteria with another finding, which may be why the judge never gives a level; so on these
            only levels that gold doesn't give either are reported.
    """
    for name, criterion in criteria.items():
        if len(criterion.levels) < 3 or criterion.n < FEWEST_TO_DIAGNOSE:
            continue
        by_judge = {criterion.nearest_level(value) for value in np.unique(criterion.judge[criterion.both]).tolist()}
        by_people = {
            criterion.nearest_level(value)
            for value in np.unique(np.append(criterion.labels, criterion.gold[criterion.both])).tolist()
        }
        nobody = [level for level in criterion.levels.tolist() if level not in by_judge | by_people]
        if nobody and criterion.n >= FEWEST_TO_MISS_A_LEVEL:
            yield _unused_by_all(evidence, criterion, nobody)
            continue
        never = [
            level
            for level in criterion.levels.tolist()
            if level not in by_judge and _is_due_from_judge(criterion, level)
        ]
        if never and name not in blamed:
            yield _unused_by_judge(evidence, criterion, never)


def _is_due_from_judge(criterion: CriterionEvidence, level: float) -> bool:
    """Return True if gold has a level so often that a judge with skill would have given it at least once."""
    share = criterion.count(criterion.both & (criterion.gold == level)) / criterion.n
    return share * criterion.n >= LEAST_WRONG and (1 - share) ** criterion.n <= NEVER


def _levels_named(criterion: CriterionEvidence, levels: Sequence[float], link: str = "and") -> str:
    noun = "" if criterion.scale.is_yes_no else "level " if len(levels) == 1 else "levels "
    return noun + in_words([criterion.scale.level_name(level) for level in levels], link)


def _unused_by_all(evidence: Evidence, criterion: CriterionEvidence, levels: Sequence[float]) -> Finding:
    either = _levels_named(criterion, levels, "or")
    them = "it" if len(levels) == 1 else "them"
    return evidence.finding(
        kinds.LEVEL_OF_NOBODY,
        criterion,
        f"neither the judge nor {evidence.who} gave {either} in {criterion.n} examples.",
        f"Label responses that deserve {either}, or drop {them} from the scale if none can.",
        shows={"levels": list(levels), "by": "nobody"},
        most="low",
    )


def _unused_by_judge(evidence: Evidence, criterion: CriterionEvidence, levels: Sequence[float]) -> Finding:
    names = _levels_named(criterion, levels)
    where = np.isin(criterion.gold, levels) & criterion.both
    sign = 1 if criterion.mean(np.where(where, criterion.errors, np.nan)) > 0 else -1
    examples = criterion.count(where)
    return evidence.finding(
        kinds.UNUSED_LEVEL,
        criterion,
        f"the judge never gave {names}; {evidence.who} did for {examples} of {criterion.n} responses.",
        evidence.anchor_advice(criterion.where(where), sign),
        shows={"levels": list(levels), "by": "judge", "examples": examples},
        worst=evidence.worst(np.where(where, np.abs(criterion.errors), np.nan)),
        gain=evidence.gain({criterion.name: np.where(where, criterion.gold, np.nan)}),
    )


# --- the labels -----------------------------------------------------------------------------------------------------


def label_findings(evidence: Evidence) -> Iterator[Finding]:
    """Yield findings on labels given under an earlier wording of the rubric, and on too few labels to say much."""
    gold = evidence.comparison.gold
    under_another = stale_labels(gold.examples, evidence.comparison.rubric)
    stale = [(index, name) for index, label, name in under_another if label.kind in gold.kinds]
    if stale:
        names = sorted({name for _, name in stale})
        places = sorted({index for index, _ in stale})
        yield evidence.finding(
            kinds.STALE_LABELS,
            evidence.criteria[names[0]] if len(names) == 1 else None,
            f"{len(stale)} labels on {', '.join(names)} were given under another wording; they still count.",
            f"Label these again under the current wording: {evidence.example_ids(places)}.",
            shows={"labels": len(stale), "criteria": names, "examples": len(places)},
            worst=places[:5],
            least="medium",
            most="medium",
        )
    n_groups = gold.n_groups
    n = max(evidence.n, *(criterion.n for criterion in evidence.criteria.values()))
    if n < FEWEST_TO_DIAGNOSE or (n if n_groups is None else n_groups) < FEWEST_GROUPS_TO_DIAGNOSE:
        few = counted(n, "example") + ("" if n_groups is None else f" in {counted(n_groups, 'group')}")
        of_groups = "" if n_groups is None else f" from {FEWEST_GROUPS_TO_DIAGNOSE} groups or more"
        yield evidence.finding(
            kinds.TOO_FEW_LABELS,
            None,
            f"With {few} only large faults show; there may be smaller ones.",
            f"Label {FEWEST_TO_DIAGNOSE} examples in all{of_groups}, with every level among them, to find large ones.",
            shows={"examples": n, "groups": n if n_groups is None else n_groups},
        )
