"""What a judge does wrong on single criteria: stuck, without skill, lenient or severe, narrow, noisy.

Each rule looks at the criteria it is given and answers with a finding for each criterion that is at fault.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.decision import Finding
from markscheme.calibration.findings.advice import (
    MOST_WORST,
    anchor,
    commonest,
    finding,
    limits,
    named,
    nearest,
    number,
    parting,
    worst_places,
)
from markscheme.calibration.findings.evidence import LEAST_SHARED, Evidence, Seen, mean
from markscheme.calibration.findings.significance import SIGNIFICANT, above, below, beyond_bounds
from markscheme.stats import Estimate
from markscheme.stats.change import holm, mean_estimate, sign_flip
from markscheme.stats.coefficients import agreement
from markscheme.stats.distortion import noise_beside_people, slope_on_people
from markscheme.stats.intervals import IDENTITY
from markscheme.stats.reliability import repeat_family
from markscheme.stats.severity import pair_statistic

Floats = npt.NDArray[np.float64]

FEWEST_TO_COMPARE = 10
FEWEST_FOR_SPREAD = 20
OFF = 5
STUCK, STUCK_ABOVE_PEOPLE = 0.90, 0.15
NO_SKILL, NO_SKILL_BOUND = 0.10, 0.40
PEOPLE_WITHOUT_SKILL = 0.20
SHIFT = 1 / 16
"""Of a criterion's range: a quarter of a level on five."""
FLAT_SLOPE = 0.80
INNER = (0.05, 0.95)
NOISE_RATIO, NOISE_BOUND = 2.0, 1.5
FLIPS, FLIPS_BOUND = 0.30, 0.20
UNTOLD, UNTOLD_BOUND = 0.60, 0.67
INVENTED = 0.05


def stuck(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that nearly always gives one level, where people don't."""
    enough = [one for one in seen.values() if one.n >= FEWEST_TO_COMPARE]
    adjusted = holm([_stuck_p(one) for one in enough]) if enough else ()
    found = {}
    for one, p in zip(enough, adjusted, strict=True):
        level, share = commonest(one.judge[one.both])
        of_people = commonest(one.given)[1]
        if p > SIGNIFICANT or share < STUCK or share - of_people < STUCK_ABOVE_PEOPLE:
            continue
        worst = worst_places(np.where(one.judge == level, np.abs(one.errors), np.nan))
        stuck_at = one.scale.level_name(level)
        found[one.name] = finding(
            evidence,
            "stuck-judge",
            one,
            f"{one.name}: the judge gives {stuck_at} to {share:.0%} of the responses; {evidence.who} give no level to "
            f"more than {of_people:.0%}.",
            f"Show the judge in {one.name} what does not deserve {stuck_at}: {parting(evidence, one, worst)}.",
            shows={"level": level, "share": share, "share_of_people": of_people},
            worst=worst,
            gain=evidence.gain({one.name: one.held_to}),
            least="high",
        )
    return found


def _stuck_p(one: Seen) -> float:
    """How likely the judge gives its commonest level so much oftener than gold gives its own by chance."""
    judge, gold = one.judge[one.both], one.gold[one.both]
    more = (judge == commonest(judge)[0]).astype(float) - (gold == commonest(gold)[0]).astype(float)
    return sign_flip(more).mid_p


def no_skill(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge whose levels don't follow gold's, however often they are equal."""
    looked = {name: one for name, one in seen.items() if one.n >= FEWEST_FOR_SPREAD and _people_have_skill(one)}

    def beyond(_: Seen, estimate: Estimate) -> bool:
        return estimate.value is not None and estimate.value <= NO_SKILL and below(estimate, NO_SKILL_BOUND)

    shown = beyond_bounds(looked, _following, beyond)
    found = {}
    for name, one in looked.items():
        judge, gold = one.judge[one.both], one.gold[one.both]
        level, share = commonest(judge)
        shows: dict[str, Any] = {"correlation": None}
        if share == 1 and int((gold != level).sum()) >= OFF:
            said = f"always says {one.scale.level_name(level)}"
        elif name in shown:
            said = f"does not follow {evidence.who} (correlation {number(shown[name].value)}, {limits(shown[name])})"
            shows = {"correlation": shown[name].to_json()}
        else:
            continue
        equal, usual = _nearly_equal(one), commonest(gold)[1]
        worst = worst_places(np.abs(one.errors))
        found[name] = finding(
            evidence,
            "no-skill",
            one,
            f"{name}: the judge {said}. It agrees on {equal:.0%}; a judge that reads nothing can have {usual:.0%}.",
            f"Say in {name} what to look for in the response, with an example of a low and of a high level; look first "
            f"at {named(evidence, worst)}.",
            shows={"agreement": equal, "constant": usual, **shows},
            worst=worst,
            gain=evidence.gain({name: one.held_to}),
            least="high",
        )
    return found


def _following(one: Seen, level: float) -> Estimate:
    """How closely the judge follows gold, whatever its severity."""
    if one.scale.ordered:
        return pair_statistic(one.held_to, one.judge, "pearson", groups=one.groups, level=level)
    return agreement(one.pairs, "cohen_kappa", levels=one.levels, groups=one.groups, level=level)


def _nearly_equal(one: Seen) -> float:
    """Share of examples whose level is gold's; a mean of several answers counts as the level it lies nearest to."""
    judge = [nearest(one, value) for value in one.judge[one.both].tolist()]
    return float((np.array(judge) == one.gold[one.both]).mean())


def _people_have_skill(one: Seen) -> bool:
    """Whether people themselves agree on the criterion enough for a judge to follow them."""
    return not one.several or (one.alpha.value or 0.0) > PEOPLE_WITHOUT_SKILL


def shifted(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that is lenient or severe throughout."""
    looked = {name: one for name, one in seen.items() if one.scale.ordered and one.n >= FEWEST_TO_COMPARE}

    def beyond(one: Seen, shift: Estimate) -> bool:
        return abs(shift.value or 0.0) >= SHIFT * one.span and (above(shift, 0.0) or below(shift, 0.0))

    found = {}
    for name, shift in beyond_bounds(looked, _shift, beyond, sides=2).items():
        one, size = looked[name], float(shift.value or 0.0)
        way = 1 if size > 0 else -1
        code = "lenient" if way == one.good else "severe"
        found[name] = finding(
            evidence,
            code,
            one,
            f"{name}: the judge is {code}; {_shift_in_words(evidence, one, size)}.",
            anchor(evidence, one, way),
            shows={
                "shift": shift.to_json(),
                "judge_mean": mean(one.judge[one.both]),
                "gold_mean": mean(one.held_to[one.both]),
            },
            worst=worst_places(way * one.errors),
            gain=evidence.gain({name: np.clip(one.judge - size, one.levels[0], one.levels[-1])}),
        )
    return found


def _shift(one: Seen, level: float) -> Estimate:
    return mean_estimate(one.errors, transform=IDENTITY, groups=one.groups, level=level)


def _shift_in_words(evidence: Evidence, one: Seen, size: float) -> str:
    judge, gold = mean(one.judge[one.both]), mean(one.held_to[one.both])
    if one.scale.is_yes_no:
        return f"it says MET to {judge:.0%}, {evidence.who} to {gold:.0%}"
    way = "above" if size > 0 else "below"
    return f"it lies {abs(size):.2f} levels {way} {evidence.who} on average ({judge:.2f} against {gold:.2f})"


def narrow(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that keeps to the middle of the scale: too high at its lower end and too low at its upper end."""
    looked = {
        name: one
        for name, one in seen.items()
        if one.scale.ordered and len(one.levels) > 2 and one.n >= FEWEST_FOR_SPREAD
    }
    found = {}
    for name, slope in beyond_bounds(
        looked, _slope, lambda _, e: (e.value or 1.0) <= FLAT_SLOPE and below(e, 1.0)
    ).items():
        one, size = looked[name], float(slope.value or 1.0)
        if not _crosses(one, size):
            continue
        centred = one.held_to - mean(one.held_to[one.both])
        worst = worst_places(np.where(one.errors * centred < 0, np.abs(one.errors), np.nan))
        ends = " and ".join(one.scale.level_name(float(end)) for end in (one.levels[0], one.levels[-1]))
        if one.several:
            how = f"where the true level rises by one, its level rises by {size:.2f}"
        else:
            how = (
                f"its levels spread {size:.2f} times as wide as {evidence.who} do, a weak sign that a second person's "
            )
            how += "labels could firm up"
        found[name] = finding(
            evidence,
            "central-tendency",
            one,
            f"{name}: the judge keeps to the middle of the scale; {how}.",
            f"Give {name} an example at each end ({ends}) and say that the ends are to be used: "
            f"{parting(evidence, one, worst)}.",
            shows={"slope" if one.several else "sd_ratio": slope.to_json(), "weak": not one.several},
            worst=worst,
            gain=evidence.gain({name: one.judge + (1 - size) * centred}),
        )
    return found


def _slope(one: Seen, level: float) -> Estimate:
    if one.several:
        return slope_on_people(one.people, one.judge, groups=one.groups, level=level)
    return pair_statistic(one.held_to, one.judge, "sd_ratio", groups=one.groups, level=level)


def _crosses(one: Seen, slope: float) -> bool:
    """Whether a judge of this slope is too high at the lower end and too low at the upper end of what was rated.

    A lenient judge whose levels pile up at the top has a flat slope as well, but is nowhere too low.
    """
    gold, shift = one.held_to[one.both], mean(one.errors[one.both])
    low, high = np.quantile(gold, INNER)
    return bool(shift + (slope - 1) * (high - gold.mean()) < 0 < shift + (slope - 1) * (low - gold.mean()))


def noisy(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that scatters more than people do, or changes its mind when asked again."""
    beside = {name: one for name, one in seen.items() if one.scale.ordered and one.several}
    again = {name: one for name, one in seen.items() if one.asked_again >= FEWEST_FOR_SPREAD}
    noisier = beyond_bounds(beside, _noise, lambda _, e: (e.value or 0.0) >= NOISE_RATIO and above(e, NOISE_BOUND))
    flipping = beyond_bounds(again, _flips, lambda _, e: (e.value or 0.0) >= FLIPS and above(e, FLIPS_BOUND))
    found = {}
    for name, one in seen.items():
        if name not in noisier and name not in flipping:
            continue
        said, shows = [], {}
        if name in noisier:
            shows["noise_ratio"] = noisier[name].to_json()
            said.append(f"its errors vary {number(noisier[name].value, 1)} times as much as a person's")
        if name in again:
            changed = _flips(one, 0.95)
            shows["flip_rate"] = changed.to_json()
            said.append(f"asked again it gives another level in {changed.value or 0:.0%} of pairs of answers")
        scatter = one.errors - mean(one.errors)
        worst = worst_places(np.ptp(one.repeats, axis=1) if name in flipping else np.abs(one.errors))
        found[name] = finding(
            evidence,
            "noisy",
            one,
            f"{name}: the judge is noisy; {', and '.join(said)}.",
            f"Ask three times and take the middle level (samples: 3); if that doesn't help, split {name} into "
            f"questions with one answer each. It shows where {parting(evidence, one, worst)}.",
            shows=shows,
            worst=worst,
            gain=evidence.gain({name: one.judge - (1 - 3**-0.5) * scatter}),
        )
    return found


def _noise(one: Seen, level: float) -> Estimate:
    return noise_beside_people(one.people, one.judge, step=one.step, groups=one.groups, level=level)


def _flips(one: Seen, level: float) -> Estimate:
    return repeat_family(one.repeats, groups=one.groups, level=level)["flip_rate"]


def unclear(evidence: Evidence, seen: Mapping[str, Seen]) -> dict[str, Finding]:
    """A judge that parts from one person's labels without a lean: its noise and the labels' can't be told apart."""
    single = {
        name: one for name, one in seen.items() if one.scale.ordered and not one.several and one.n >= LEAST_SHARED
    }
    shown = beyond_bounds(
        single, _kappa, lambda _, e: (e.value if e.value is not None else 1) < UNTOLD and below(e, UNTOLD_BOUND)
    )
    found = {}
    for name, kappa in shown.items():
        one = single[name]
        worst = worst_places(np.abs(one.errors))
        other = "the labels are wrong" if evidence.made_up else "a second person would part from the labels as far"
        found[name] = finding(
            evidence,
            "noisy",
            one,
            f"{name}: the judge parts from {evidence.who} without leaning either way (kappa {number(kappa.value)}, "
            f"{limits(kappa)}). With one label an example it can't be told whether the judge is noisy or {other}.",
            f"Have a second person label {name} on {LEAST_SHARED} of these examples, first where they part most: "
            f"{parting(evidence, one, worst)}.",
            shows={"kappa": kappa.to_json(), "told_apart": False},
            worst=worst,
            most="low",
        )
    return found


def _kappa(one: Seen, level: float) -> Estimate:
    """Kappa as it heads the report of the criterion; correlation for ratings that lie between levels."""
    if not one.on_scale(one.held_to) or not one.on_scale(one.judge):
        return pair_statistic(one.held_to, one.judge, "pearson", groups=one.groups, level=level)
    if len(one.levels) > 2:
        return agreement(one.pairs, "weighted_kappa", levels=one.levels, groups=one.groups, level=level)
    return agreement(one.pairs, "cohen_kappa", levels=one.levels, groups=one.groups, level=level)


def invented_quotes(evidence: Evidence) -> Iterator[Finding]:
    """Criteria on which over 5% of the judge's quotes are in nothing it was shown; ones too short to check aside."""
    for one in evidence.seen.values():
        rated = [None if rating is None else rating.criteria.get(one.name) for rating in evidence.comparison.judged]
        checked = {at: said.quote_found for at, said in enumerate(rated) if said is not None and said.quote is not None}
        places = [at for at, found in checked.items() if found is False]
        n = sum(found is not None for found in checked.values())
        if n < FEWEST_TO_COMPARE or len(places) <= INVENTED * n:
            continue
        worst = places[:MOST_WORST]
        yield finding(
            evidence,
            "invented-quotes",
            one,
            f"{one.name}: {len(places)} of {n} of the judge's quotes ({len(places) / n:.0%}) are in nothing it saw.",
            f"Don't rely on the judge's quotes in {one.name}, and try a stronger model; look first at "
            f"{named(evidence, worst)}.",
            shows={"quotes": n, "invented": len(places), "share": len(places) / n},
            worst=worst,
        )
