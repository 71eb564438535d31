"""What a judge does wrong on single criteria: stuck, without skill, lenient or severe, narrow, noisy, invented quotes.

Each rule gets some criteria and returns a finding for each criterion at fault.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from markscheme.calibration.comparison import headline
from markscheme.calibration.decision import Finding
from markscheme.calibration.findings.evidence import (
    FEWEST_FOR_SPREAD,
    FEWEST_TO_COMPARE,
    LEAST_SHARED,
    LEAST_WRONG,
    MOST_WORST,
    NO_SKILL,
    NO_SKILL_BOUND,
    SIGNIFICANT,
    CriterionEvidence,
    Evidence,
    mean,
    modal_level,
    significant,
    with_ci,
    worst_places,
)
from markscheme.phrases import number, signed
from markscheme.rubrics.rubric import SAME_LEVEL
from markscheme.stats import Estimate
from markscheme.stats.change import holm, sign_flip
from markscheme.stats.distortion import noise_beside_people, slope_on_people
from markscheme.stats.reliability import repeat_family

PEOPLE_WITHOUT_SKILL = 0.20
BIAS = 1 / 16
"""Of a criterion's range: a quarter of a level on five."""
FLAT_SLOPE = 0.80
INNER = (0.05, 0.95)
NOISE_RATIO, NOISE_BOUND = 2.0, 1.5
ONE_WAY = 0.95
"""Share of the errors in one direction from which on the bias explains their scatter."""
FLIPS, FLIPS_BOUND = 0.30, 0.20
LOW_AGREEMENT, LOW_AGREEMENT_BOUND = 0.60, 0.67
INVENTED = 0.05


def stuck_judge(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A judge that nearly always gives one level, where annotators don't."""
    enough = [one for one in criteria.values() if one.n >= FEWEST_TO_COMPARE]
    adjusted = holm([_stuck_p(one) for one in enough])
    for one, p in zip(enough, adjusted, strict=True):
        if p > SIGNIFICANT or not one.is_stuck:
            continue
        level, share = modal_level(one.judge[one.both])
        of_people = modal_level(one.labels)[1]
        worst = worst_places(np.where(one.judge == level, np.abs(one.errors), np.nan))
        always = one.scale.level_name(level) if one.scale.is_yes_no else f"level {one.scale.level_name(level)}"
        whom = "every response" if share == 1 else f"{share:.0%} of responses"
        yield evidence.finding(
            "stuck-judge",
            one,
            f"{one.name}: the judge gave {always} to {whom}; {evidence.who} gave their most frequent "
            f"level to {of_people:.0%}.",
            f"Say in {one.name} what separates {always} from the others: {evidence.both_levels(one, worst)}.",
            shows={"level": level, "share": share, "share_of_people": of_people},
            worst=worst,
            gain=evidence.gain({one.name: one.gold}),
            least="high",
        )


def _stuck_p(one: CriterionEvidence) -> float:
    """p-value of the judge giving its modal level this much more often than gold gives its own."""
    judge, gold = one.judge[one.both], one.gold[one.both]
    more = (judge == modal_level(judge)[0]).astype(float) - (gold == modal_level(gold)[0]).astype(float)
    return sign_flip(more).mid_p


def no_skill(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A judge whose levels don't follow gold's, however often they are equal."""
    looked = {n: one for n, one in criteria.items() if one.n >= FEWEST_FOR_SPREAD and _annotators_have_skill(one)}
    shown = significant(
        looked,
        _association,
        lambda _, e: e.value is not None and e.value <= NO_SKILL and e.below(NO_SKILL_BOUND),
    )
    for name, one in looked.items():
        judge, gold = one.judge[one.both], one.gold[one.both]
        level, share = modal_level(judge)
        shows: dict[str, Any] = {"correlation": None}
        if share == 1 and int((gold != level).sum()) >= LEAST_WRONG:
            said = f"always says {one.scale.level_name(level)}"
        elif name in shown:
            what = "correlation" if one.scale.ordered else "kappa"
            said = f"does not follow {evidence.who}: {what} {with_ci(shown[name])}"
            shows = {"correlation": shown[name].to_json()}
        else:
            continue
        equal, baseline = float((judge == gold).mean()), modal_level(gold)[1]
        worst = worst_places(np.abs(one.errors))
        yield evidence.finding(
            "no-skill",
            one,
            f"{name}: the judge {said}. It gives gold's level on {equal:.0%} of examples; always answering the modal "
            f"level would on {baseline:.0%}.",
            f"Say in {name} what to look for in the response, with an example of a low and of a high level; look first "
            f"at {evidence.example_ids(worst)}.",
            shows={"agreement": equal, "constant": baseline, **shows},
            worst=worst,
            gain=evidence.gain({name: one.gold}),
            least="high",
        )


def _association(one: CriterionEvidence, level: float) -> Estimate:
    """How closely the judge follows gold, whatever its bias."""
    return one.statistic("pearson", level) if one.scale.ordered else one.kappa("cohen_kappa", level)


def _annotators_have_skill(one: CriterionEvidence) -> bool:
    """Whether annotators agree on the criterion enough for a judge to follow them."""
    return not one.twice_labelled or (one.people_alpha().value or 0.0) > PEOPLE_WITHOUT_SKILL


def lenient_or_severe(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A judge with a bias; the figure is the `signed_error` of the criterion's table."""
    looked = {n: one for n, one in criteria.items() if one.scale.ordered and one.n >= FEWEST_TO_COMPARE}

    def exceeds(one: CriterionEvidence, bias: Estimate) -> bool:
        return abs(bias.value or 0.0) >= BIAS * one.scale.span and (bias.above(0.0) or bias.below(0.0))

    biased = significant(looked, lambda one, level: one.statistic("signed_error", level), exceeds, sides=2)
    for name, bias in biased.items():
        one, size = looked[name], float(bias.value or 0.0)
        way = 1 if size > 0 else -1
        code = "lenient" if way == one.good else "severe"
        judge, gold = mean(one.judge[one.both]), mean(one.gold[one.both])
        yield evidence.finding(
            code,
            one,
            f"{name}: the judge is too {code}; {_bias_in_words(evidence, one, bias, judge, gold)}.",
            evidence.anchor_advice(one, way),
            shows={"shift": bias.to_json(), "judge_mean": judge, "gold_mean": gold},
            worst=worst_places(way * one.errors),
            gain=evidence.gain({name: np.clip(one.judge - size, one.levels[0], one.levels[-1])}),
        )


def _bias_in_words(evidence: Evidence, one: CriterionEvidence, bias: Estimate, judge: float, gold: float) -> str:
    if not one.scale.is_yes_no:
        size = with_ci(bias, " levels", signed)
        return f"bias {size}; mean level {number(judge)}, {evidence.who} {number(gold)}"
    size = with_ci(bias, spell=signed)
    if not one.on_scale(one.judge):
        return f"bias {size} (judge minus gold, UNMET 0 and MET 1)"
    decided = one.both & np.isin(one.gold, one.levels)
    split = "" if decided.sum() == one.n else ", even splits aside"
    judge, gold = mean(one.judge[decided]), mean(one.gold[decided])
    return f"it says MET on {judge:.0%} of examples, {evidence.who} on {gold:.0%}{split}: bias {size}"


def central_tendency(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A judge that avoids the ends of the scale: too high at its lower end and too low at its upper end."""
    looked = {
        name: one
        for name, one in criteria.items()
        if one.scale.ordered and len(one.levels) > 2 and one.n >= FEWEST_FOR_SPREAD
    }
    flat = significant(looked, _slope, lambda _, e: (e.value or 1.0) <= FLAT_SLOPE and e.below(1.0))
    for name, slope in flat.items():
        one, size = looked[name], float(slope.value or 1.0)
        if not _crosses(one, size):
            continue
        centred = one.gold - mean(one.gold[one.both])
        worst = worst_places(np.where(one.errors * centred < 0, np.abs(one.errors), np.nan))
        ends = " and ".join(one.scale.level_name(float(end)) for end in (one.levels[0], one.levels[-1]))
        how = (
            f"where the true level rises by one, its level rises by {number(size)}"
            if one.twice_labelled
            else f"its levels' standard deviation is {number(size)} times that of {evidence.who}, a weak sign that a "
            "second annotator's labels could confirm"
        )
        yield evidence.finding(
            "central-tendency",
            one,
            f"{name}: the judge avoids the ends of the scale; {how}.",
            f"Give {name} an example at each end ({ends}) and say that the ends are to be used: "
            f"{evidence.both_levels(one, worst)}.",
            shows={"slope" if one.twice_labelled else "sd_ratio": slope.to_json(), "weak": not one.twice_labelled},
            worst=worst,
            gain=evidence.gain({name: one.judge + (1 - size) * centred}),
        )


def _slope(one: CriterionEvidence, level: float) -> Estimate:
    if one.twice_labelled:
        return slope_on_people(one.people, one.judge, groups=one.groups, level=level)
    return one.statistic("sd_ratio", level)


def _crosses(one: CriterionEvidence, slope: float) -> bool:
    """Whether a judge of this slope is too high at the lower end and too low at the upper end of gold's levels.

    A lenient judge whose levels pile up at the top has a flat slope as well, but is nowhere too low.
    """
    gold, bias = one.gold[one.both], mean(one.errors[one.both])
    low, high = np.quantile(gold, INNER)
    return bool(bias + (slope - 1) * (high - gold.mean()) < 0 < bias + (slope - 1) * (low - gold.mean()))


def noisy(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """A judge that scatters more than annotators do, or changes its answer when asked again."""
    labelled = {n: one for n, one in criteria.items() if one.scale.ordered and one.twice_labelled}
    times = {name: np.isfinite(one.repeats).sum(axis=1) for name, one in criteria.items()}
    repeated = {n: one for n, one in criteria.items() if (times[n] >= 2).sum() >= FEWEST_FOR_SPREAD}
    labelled = {n: one for n, one in labelled.items() if not _errs_one_way(one)}
    noisier = significant(labelled, _noise, lambda _, e: (e.value or 0.0) >= NOISE_RATIO and e.above(NOISE_BOUND))
    flipping = significant(repeated, _flips, lambda _, e: (e.value or 0.0) >= FLIPS and e.above(FLIPS_BOUND))
    for name, one in criteria.items():
        if name not in noisier and name not in flipping:
            continue
        said, shows = [], {}
        if name in noisier:
            shows["noise_ratio"] = noisier[name].to_json()
            said.append(f"its errors vary {number(noisier[name].value, 1)} times as much as an annotator's")
        if name in repeated:
            changed = _flips(one, 0.95)
            shows["flip_rate"] = changed.to_json()
            said.append(f"asked again it gives another level in {changed.value or 0:.0%} of pairs of answers")
        scatter = one.errors - mean(one.errors)
        worst = worst_places(np.ptp(one.repeats, axis=1) if name in flipping else np.abs(one.errors))
        yield evidence.finding(
            "noisy",
            one,
            f"{name}: the judge is noisy; {', and '.join(said)}.",
            f"Ask three times and take the median level (samples: 3); if that doesn't help, split {name} into "
            f"questions with one answer each. Examples: {evidence.both_levels(one, worst)}.",
            shows=shows,
            worst=worst,
            gain=evidence.gain({name: one.judge - (1 - 3**-0.5) * scatter}),
        )


def _errs_one_way(one: CriterionEvidence) -> bool:
    """Whether nearly all errors go the way of the bias, which then explains their scatter too."""
    errors = one.errors[np.abs(np.nan_to_num(one.errors)) > SAME_LEVEL]
    return len(errors) > 0 and float(max((errors > 0).mean(), (errors < 0).mean())) >= ONE_WAY


def _noise(one: CriterionEvidence, level: float) -> Estimate:
    return noise_beside_people(one.people, one.judge, step=one.step, groups=one.groups, level=level)


def _flips(one: CriterionEvidence, level: float) -> Estimate:
    return repeat_family(one.repeats, groups=one.groups, level=level)["flip_rate"]


def judge_or_label_noise(evidence: Evidence, criteria: Mapping[str, CriterionEvidence]) -> Iterator[Finding]:
    """Low agreement without bias on single labels, where the judge's noise can't be separated from the labels'."""
    single = {
        n: one for n, one in criteria.items() if one.scale.ordered and not one.twice_labelled and one.n >= LEAST_SHARED
    }
    shown = significant(
        single,
        _headline,
        lambda _, e: (e.value if e.value is not None else 1) < LOW_AGREEMENT and e.below(LOW_AGREEMENT_BOUND),
    )
    for name, agreement in shown.items():
        one = single[name]
        worst = worst_places(np.abs(one.errors))
        has_people = evidence.comparison.gold.has_people
        other = "annotators may differ as much from each other" if has_people else "the labels may be wrong"
        what = "kappa" if _has_kappa(one) else "correlation"
        yield evidence.finding(
            "noisy",
            one,
            f"{name}: the judge is sometimes above and sometimes below {evidence.who}: {what} {with_ci(agreement)}. "
            f"One label per example can't show the cause: the judge may be noisy, or {other}.",
            f"Have a second annotator label {name} on {LEAST_SHARED} of these examples, first where judge and labels "
            f"differ most: {evidence.both_levels(one, worst)}.",
            shows={"kappa": agreement.to_json(), "told_apart": False},
            worst=worst,
            most="low",
        )


def _has_kappa(one: CriterionEvidence) -> bool:
    return one.on_scale(one.gold) and one.on_scale(one.judge)


def _headline(one: CriterionEvidence, level: float) -> Estimate:
    """The coefficient that leads the criterion's table; the correlation for ratings between levels."""
    return one.kappa(headline(one.scale), level) if _has_kappa(one) else one.statistic("pearson", level)


def invented_quotes(evidence: Evidence) -> Iterator[Finding]:
    """Criteria on which over 5% of the judge's quotes are in nothing it was shown; ones too short to check aside."""
    for one in evidence.criteria.values():
        rated = [None if rating is None else rating.criteria.get(one.name) for rating in evidence.comparison.judged]
        checked = {at: said.quote_found for at, said in enumerate(rated) if said is not None and said.quote is not None}
        places = [at for at, found in checked.items() if found is False]
        n = sum(found is not None for found in checked.values())
        if n < FEWEST_TO_COMPARE or len(places) <= INVENTED * n:
            continue
        worst = places[:MOST_WORST]
        yield evidence.finding(
            "invented-quotes",
            one,
            f"{one.name}: {len(places)} of {n} of the judge's quotes ({len(places) / n:.0%}) are in nothing it saw.",
            f"Don't rely on the judge's quotes in {one.name}, and try a stronger model; look first at "
            f"{evidence.example_ids(worst)}.",
            shows={"quotes": n, "invented": len(places), "share": len(places) / n},
            worst=worst,
        )
