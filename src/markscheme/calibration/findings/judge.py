"""Faults of a judge on single criteria: stuck, without skill, lenient or severe, narrow, noisy, invented quotes.

Each rule gets some criteria and returns a finding for each criterion at fault.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from markscheme import stats
from markscheme.calibration.comparison.measure import headline
from markscheme.calibration.findings import kinds
from markscheme.calibration.findings.evidence import (
    FEWEST_FOR_SPREAD,
    FEWEST_TO_COMPARE,
    LEAST_SHARED,
    LEAST_WRONG,
    LITTLE_SKILL,
    MOST_WORST,
    SIGNIFICANT,
    SKILL_BOUND,
    CriterionEvidence,
    Evidence,
    significant,
    with_ci,
)
from markscheme.calibration.findings.finding import Finding
from markscheme.phrases import number, number_or_over, percent, signed
from markscheme.ratings.code_arrays import answer_values
from markscheme.ratings.rating import Rated
from markscheme.rubrics.rubric import LEVEL_ROUNDING
from markscheme.stats import Estimate
from markscheme.stats.change import holm, mcnemar_mid_p
from markscheme.stats.counted_values import quantiles
from markscheme.stats.distortion import noise_beside_people, slope_on_people

PEOPLE_WITHOUT_SKILL = 0.20
"""Largest alpha of annotators whom no judge could follow: up to it, low skill isn't the judge's fault."""
BIAS = 1 / 16
"""Smallest bias that is found, as a share of a criterion's range: a quarter of a level on a scale of five."""
FLAT_SLOPE = 0.80
"""Largest slope of the judge's levels on annotators' from which it is said to avoid the ends; a slope of .70 was found
in 82 % of sets of 100 examples."""
INNER = (0.05, 0.95)
"""Quantiles of gold at which a judge that avoids the ends must be too high and too low; few examples lie outside."""
NOISE_RATIO = 2.0
"""Smallest ratio of the judge's error variance to an annotator's with which a judge is noisy."""
NOISE_BOUND = 1.5
"""Value that the lower limit of the noise ratio must be above."""
MOST_TIMES = 10
"""Largest noise ratio that is printed: the variance of annotators who hardly differ is too uncertain for larger
ones."""
ONE_WAY = 0.95
"""Share of the errors in one direction from which on the bias explains their scatter."""
ENOUGH_SAMPLES = 3
"""Number of samples from which on asking a noisy judge more often isn't advised."""
FLIP_SHARE = 0.30
"""Share of pairs of answers to the same prompt that differ, from which on a judge is noisy; a judgement."""
FLIP_SHARE_BOUND = 0.20
"""Value that the lower limit of the share of flips must be above."""
LOW_AGREEMENT = 0.60
"""Chance-corrected agreement with gold below which judge or labels are noisy; annotators with an alpha below this may
be split."""
LOW_AGREEMENT_BOUND = 0.67
"""Value that the upper limit of a low agreement must be below, the same as for annotators who are split."""
INVENTED = 0.05
"""Share of quotes that are in no text the judge was shown, above which its quotes can't be relied on; a judgement."""


def stuck_judge(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which the judge nearly always gives one level, where annotators don't."""
    enough = [criterion for criterion in criteria.values() if criterion.n >= FEWEST_TO_COMPARE]
    adjusted = holm([_stuck_p(criterion) for criterion in enough])
    for criterion, p in zip(enough, adjusted, strict=True):
        if p > SIGNIFICANT or not criterion.is_stuck:
            continue
        level, share = criterion.modal_judged
        of_people = criterion.modal_label[1]
        worst = evidence.worst(np.where(criterion.judge == level, np.abs(criterion.errors), np.nan))
        always = criterion.scale.level_in_words(level)
        whom = "every response" if share == 1 else f"{percent(share)} of responses"
        yield evidence.finding(
            kinds.STUCK_JUDGE,
            criterion,
            f"the judge gave {always} to {whom}; {evidence.who} gave no level to more than {percent(of_people)}.",
            f"Say in {criterion.name} what separates {always} from the others: "
            f"{evidence.both_levels(criterion, worst)}.",
            shows={"level": level, "share": share, "share_of_people": of_people},
            worst=worst,
            gain=evidence.gain({criterion.name: criterion.gold}),
            least="high",
        )


def _stuck_p(criterion: CriterionEvidence) -> float:
    """Test whether the judge repeats one level more often than gold does; return the p-value of McNemar's test.

    For the judge, its most common level is counted; for gold, gold's most common level.
    """
    by_judge = criterion.judge == criterion.modal_judged[0]
    by_gold = criterion.gold == criterion.modal(np.where(criterion.both, criterion.gold, np.nan))[0]
    more = criterion.count(criterion.both & by_judge & ~by_gold)
    fewer = criterion.count(criterion.both & by_gold & ~by_judge)
    return mcnemar_mid_p(more, fewer)


def no_skill(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield a finding on each criterion on which the judge's levels aren't associated with gold's.

    Such a judge can still give gold's level on many examples, if most examples have the same gold level.
    """
    looked = {
        n: criterion
        for n, criterion in criteria.items()
        if criterion.n >= FEWEST_FOR_SPREAD and _annotators_have_skill(criterion)
    }
    shown = significant(
        looked,
        _association,
        lambda _, e: e.value is not None and e.value <= LITTLE_SKILL and e.below(SKILL_BOUND),
    )
    for name, criterion in looked.items():
        gold = np.where(criterion.both, criterion.gold, np.nan)
        level, share = criterion.modal_judged
        shows: dict[str, Any] = {"correlation": None}
        if share == 1 and criterion.count(criterion.both & (gold != level)) >= LEAST_WRONG:
            fault = f"always says {criterion.scale.level_name(level)}"
        elif name in shown:
            coefficient = "correlation" if criterion.scale.ordered else "kappa"
            fault = f"does not follow {evidence.who}: {coefficient} {with_ci(shown[name])}"
            shows = {"correlation": shown[name].to_json()}
        else:
            continue
        equal = criterion.count(criterion.both & (criterion.judge == gold)) / criterion.n
        baseline = criterion.modal(gold)[1]
        worst = evidence.worst(np.abs(criterion.errors))
        yield evidence.finding(
            kinds.NO_SKILL,
            criterion,
            f"the judge {fault}. It gives gold's level on {percent(equal)} of examples; always answering the "
            f"most common level would on {percent(baseline)}.",
            f"Say in {name} what to look for in the response, with an example of a low and of a high level; look first "
            f"at {evidence.example_ids(worst)}.",
            shows={"agreement": equal, "constant": baseline, **shows},
            worst=worst,
            gain=evidence.gain({name: criterion.gold}),
            least="high",
        )


def _association(criterion: CriterionEvidence, level: float) -> Estimate:
    """Estimate how closely the judge's levels follow gold's: Pearson's r, or Cohen's kappa for categories.

    Args:
        criterion: The levels of judge and gold on a criterion.
        level: Coverage of the interval, 0 to 1.
    """
    return criterion.statistic("pearson", level) if criterion.scale.ordered else criterion.kappa("cohen_kappa", level)


def _annotators_have_skill(criterion: CriterionEvidence) -> bool:
    """Return True unless annotators agree too little on the criterion for a judge to follow them."""
    return not criterion.twice_labelled or (criterion.people_alpha().value or 0.0) > PEOPLE_WITHOUT_SKILL


def lenient_or_severe(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which the judge has a bias (`signed_error`).

    If a yes/no criterion comes from a table, and it isn't known whether yes passes, the sentence says only that the
    judge says yes too often or too rarely. The finding's code, lenient or severe, then takes yes to be a fault.
    """
    looked = {
        n: criterion
        for n, criterion in criteria.items()
        if criterion.scale.ordered and criterion.n >= FEWEST_TO_COMPARE
    }

    def exceeds(criterion: CriterionEvidence, bias: Estimate) -> bool:
        return abs(bias.value or 0.0) >= BIAS * criterion.scale.span and (bias.above(0.0) or bias.below(0.0))

    biased = significant(looked, lambda criterion, level: criterion.statistic("signed_error", level), exceeds, sides=2)
    for name, bias in biased.items():
        criterion = looked[name]
        size = float(bias.value or 0.0)
        sign = 1 if size > 0 else -1
        is_open = criterion.scale.is_yes_no and evidence.comparison.rubric.table_of == "values"
        kind = kinds.LENIENT if sign == (-1 if is_open else criterion.good) else kinds.SEVERE
        if is_open:
            kind = replace(kind, short=f"says {criterion.scale.choices[1]} too {'often' if sign > 0 else 'rarely'}")
        judge = criterion.mean(np.where(criterion.both, criterion.judge, np.nan))
        gold = criterion.mean(np.where(criterion.both, criterion.gold, np.nan))
        yield evidence.finding(
            kind,
            criterion,
            f"the judge {'' if is_open else 'is '}{kind.short}; "
            f"{_bias_in_words(evidence, criterion, bias, judge, gold)}.",
            evidence.anchor_advice(criterion, sign),
            shows={"shift": bias.to_json(), "judge_mean": judge, "gold_mean": gold},
            worst=evidence.worst(sign * criterion.errors),
            gain=evidence.gain({name: np.clip(criterion.judge - size, criterion.levels[0], criterion.levels[-1])}),
        )


def _bias_in_words(evidence: Evidence, criterion: CriterionEvidence, bias: Estimate, judge: float, gold: float) -> str:
    if not criterion.scale.is_yes_no:
        size = with_ci(bias, signed, unit=criterion.scale.unit)
        return f"bias {size}; mean level {number(judge)}, {evidence.who} {number(gold)}"
    size = with_ci(bias, signed)
    if not criterion.on_scale(criterion.judge):
        low, high = criterion.scale.choices
        return f"bias {size} (judge minus gold, {low} 0 and {high} 1)"
    decided = criterion.both & np.isin(criterion.gold, criterion.levels)
    split = "" if criterion.count(decided) == criterion.n else " where they don't split evenly"
    judge = criterion.mean(np.where(decided, criterion.judge, np.nan))
    gold = criterion.mean(np.where(decided, criterion.gold, np.nan))
    passing = criterion.scale.choices[1]
    return f"it says {passing} on {percent(judge)} of examples, {evidence.who} on {percent(gold)}{split}: bias {size}"


def central_tendency(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria on which the judge avoids the ends of the scale.

    Such a judge is too high at the lower end and too low at the upper end.
    """
    looked = {
        name: criterion
        for name, criterion in criteria.items()
        if criterion.scale.ordered and len(criterion.levels) > 2 and criterion.n >= FEWEST_FOR_SPREAD
    }
    flat = significant(looked, _slope, lambda _, e: (e.value or 1.0) <= FLAT_SLOPE and e.below(1.0))
    for name, slope in flat.items():
        criterion = looked[name]
        size = float(slope.value or 1.0)
        if not _crosses(criterion, size):
            continue
        centred = criterion.gold - criterion.mean(np.where(criterion.both, criterion.gold, np.nan))
        is_inside = (criterion.judge > criterion.levels[0]) & (criterion.judge < criterion.levels[-1])
        towards_middle = (criterion.errors * centred < 0) & is_inside
        worst = evidence.worst(np.where(towards_middle, np.abs(criterion.errors), np.nan))
        ends = " and ".join(
            criterion.scale.level_name(float(end)) for end in (criterion.levels[0], criterion.levels[-1])
        )
        how = (
            f"a response that deserves one level more gets {number(size)} of a level more"
            if criterion.twice_labelled
            else f"its levels' standard deviation is {number(size)} times that of {evidence.who}, a weak sign that a "
            "second annotator's labels could confirm"
        )
        yield evidence.finding(
            kinds.CENTRAL_TENDENCY,
            criterion,
            f"the judge avoids the ends of the scale; {how}.",
            f"Give {name} an example at each end ({ends}) and say that the ends are to be used: "
            f"{evidence.both_levels(criterion, _like_the_first(criterion, worst))}.",
            shows={
                "slope" if criterion.twice_labelled else "sd_ratio": slope.to_json(),
                "weak": not criterion.twice_labelled,
            },
            worst=worst,
            gain=evidence.gain({name: criterion.judge + (1 - size) * centred}),
        )


def _like_the_first(criterion: CriterionEvidence, places: list[int]) -> list[int]:
    """Return the indices of the examples on which judge and gold give the same two levels as on the first example.

    Args:
        criterion: The evidence on the criterion.
        places: Indices of the examples to choose from.
    """
    return [
        index
        for index in places
        if criterion.judge[index] == criterion.judge[places[0]] and criterion.gold[index] == criterion.gold[places[0]]
    ]


def _slope(criterion: CriterionEvidence, level: float) -> Estimate:
    if criterion.twice_labelled:
        return slope_on_people(criterion.people, criterion.judge, groups=criterion.groups, level=level)
    return criterion.statistic("sd_ratio", level)


def _crosses(criterion: CriterionEvidence, slope: float) -> bool:
    """Return True if the judge is too high where gold is low, and too low where gold is high.

    A lenient judge whose levels pile up at the top has a flat slope as well, but is nowhere too low.

    Args:
        criterion: The evidence on the criterion.
        slope: Slope of the line that gives the judge's level for gold's level; below 1 it is flat.
    """
    gold = np.where(criterion.both, criterion.gold, np.nan)
    bias = criterion.mean(criterion.errors)
    usual = criterion.mean(gold)
    low, high = quantiles(criterion.gold[criterion.both], criterion.units[criterion.both], INNER)
    return bool(bias + (slope - 1) * (high - usual) < 0 < bias + (slope - 1) * (low - usual))


def noisy(
    evidence: Evidence, criteria: Mapping[str, CriterionEvidence], biased: Collection[str] = ()
) -> Iterator[Finding]:
    """Yield findings on criteria on which the judge scatters more than annotators, or differs between its runs.

    Args:
        evidence: The judge's levels and gold's.
        criteria: The criteria to look at.
        biased: Criteria with a finding on bias. If such a criterion has two levels, its errors vary because of the
            bias, so it isn't compared with annotators' scatter.
    """
    labelled = {
        n: criterion for n, criterion in criteria.items() if criterion.scale.ordered and criterion.twice_labelled
    }
    times = {name: np.isfinite(criterion.repeats).sum(axis=1) for name, criterion in criteria.items()}
    repeated = {n: criterion for n, criterion in criteria.items() if (times[n] >= 2).sum() >= FEWEST_FOR_SPREAD}
    labelled = {n: c for n, c in labelled.items() if not (_errs_one_way(c) or (n in biased and len(c.levels) == 2))}
    samples = [evidence.comparison.rubric.samples, *(criterion.repeats.shape[1] for criterion in criteria.values())]
    asks_once = max(samples) < ENOUGH_SAMPLES
    ask_more = "Ask three times and take the median level (samples: 3); if that doesn't help, s" if asks_once else "S"
    noisier = significant(labelled, _noise, lambda _, e: (e.value or 0.0) >= NOISE_RATIO and e.above(NOISE_BOUND))
    flipping = significant(repeated, _flips, lambda _, e: (e.value or 0.0) >= FLIP_SHARE and e.above(FLIP_SHARE_BOUND))
    for name, criterion in criteria.items():
        if name not in noisier and name not in flipping:
            continue
        signs, shows = [], {}
        if name in noisier:
            shows["noise_ratio"] = noisier[name].to_json()
            times_as_much = number_or_over(noisier[name].value or 0.0, MOST_TIMES, 1)
            signs.append(f"its errors vary {times_as_much} times as much as an annotator's")
        if name in repeated:
            changed = _flips(criterion, 0.95)
            shows["flip_rate"] = changed.to_json()
            signs.append(f"asked again it gives another level in {percent(changed.value or 0)} of pairs of answers")
        scatter = criterion.errors - criterion.mean(criterion.errors)
        worst = evidence.worst(np.ptp(criterion.repeats, axis=1) if name in flipping else np.abs(criterion.errors))
        yield evidence.finding(
            kinds.NOISY,
            criterion,
            f"the judge is noisy; {', and '.join(signs)}.",
            f"{ask_more}plit {name} into questions with one answer each. Examples: "
            f"{evidence.both_levels(criterion, worst)}.",
            shows=shows,
            worst=worst,
            gain=evidence.gain({name: criterion.judge - (1 - 3**-0.5) * scatter}),
            options={"samples": "--samples 3"} if asks_once else None,
        )


def _errs_one_way(criterion: CriterionEvidence) -> bool:
    """Return True if nearly all errors have the same sign, which a finding on bias already says."""
    errors = np.nan_to_num(criterion.errors)
    above = criterion.count(errors > LEVEL_ROUNDING)
    below = criterion.count(errors < -LEVEL_ROUNDING)
    return max(above, below) > 0 and max(above, below) / (above + below) >= ONE_WAY


def _noise(criterion: CriterionEvidence, level: float) -> Estimate:
    return noise_beside_people(
        criterion.people, criterion.judge, step=criterion.step, groups=criterion.groups, level=level
    )


def _flips(criterion: CriterionEvidence, level: float) -> Estimate:
    return stats.repeat_family(criterion.repeats, groups=criterion.groups, level=level)["flip_rate"]


def judge_or_label_noise(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Yield findings on criteria with low agreement, no bias and one annotator: noise of the judge or the labels."""
    single = {
        n: criterion
        for n, criterion in criteria.items()
        if criterion.scale.ordered and not criterion.twice_labelled and criterion.n >= LEAST_SHARED
    }
    shown = significant(
        single,
        _headline,
        lambda _, e: (e.value if e.value is not None else 1) < LOW_AGREEMENT and e.below(LOW_AGREEMENT_BOUND),
    )
    for name, agreement in shown.items():
        criterion = single[name]
        worst = evidence.worst(np.abs(criterion.errors))
        has_people = evidence.comparison.gold.has_people
        labels_cause = "annotators may differ as much from each other" if has_people else "the labels may be wrong"
        coefficient = "kappa" if _has_kappa(criterion) else "correlation"
        yield evidence.finding(
            kinds.NOISY_JUDGE_OR_LABELS,
            criterion,
            f"the judge is sometimes above and sometimes below {evidence.who}: {coefficient} {with_ci(agreement)}. "
            f"One label per example can't show the cause: the judge may be noisy, or {labels_cause}.",
            f"Have a second annotator label {name} on {LEAST_SHARED} of these examples, first where judge and labels "
            f"differ most: {evidence.both_levels(criterion, worst)}.",
            shows={"kappa": agreement.to_json(), "told_apart": False},
            worst=worst,
            most="low",
        )


def _has_kappa(criterion: CriterionEvidence) -> bool:
    return criterion.on_scale(criterion.gold) and criterion.on_scale(criterion.judge)


def _headline(criterion: CriterionEvidence, level: float) -> Estimate:
    """Estimate the judge's agreement with gold on a criterion: kappa, or Pearson's r if a rating lies between levels.

    Args:
        criterion: The evidence on the criterion, whose scale says which kappa is computed.
        level: Coverage of the interval, 0 to 1.
    """
    return (
        criterion.kappa(headline(criterion.scale), level)
        if _has_kappa(criterion)
        else criterion.statistic("pearson", level)
    )


def _quote_found(answer: Rated) -> float:
    """Return 1 if the quote in a judge's answer occurs in its prompt, 0 if not, nan if there is no quote to check."""
    return np.nan if answer.quote is None or answer.quote_found is None else float(answer.quote_found)


def invented_quotes(evidence: Evidence) -> Iterator[Finding]:
    """Yield findings on criteria on which over 5% of the judge's quotes aren't in any text it was shown.

    Quotes too short to check don't count.
    """
    for criterion in evidence.criteria.values():
        judge = evidence.comparison.judge
        has_quote = judge.by_example(answer_values(judge.given, criterion.name, _quote_found, np.nan), without=np.nan)
        places = np.flatnonzero(has_quote == 0).tolist()
        n = int(np.isfinite(has_quote).sum())
        if n < FEWEST_TO_COMPARE or len(places) <= INVENTED * n:
            continue
        worst = places[:MOST_WORST]
        yield evidence.finding(
            kinds.INVENTED_QUOTES,
            criterion,
            f"{len(places)} of {n} of the judge's quotes ({percent(len(places) / n)}) are in nothing it saw.",
            f"Don't rely on the judge's quotes in {criterion.name}, and try a stronger model; look first at "
            f"{evidence.example_ids(worst)}.",
            shows={"quotes": n, "invented": len(places), "share": len(places) / n},
            worst=worst,
        )
