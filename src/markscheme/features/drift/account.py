"""Sentences and findings on how a judge moved since its accepted runs, each beginning with the cause."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any, Final

from markscheme.calibration.earlier_runs.accepted_basis import FALSE_ALARM, LOOKS_ALARM, MOST_EVIDENCE, AcceptedBasis
from markscheme.calibration.earlier_runs.run_identity import SettingChange
from markscheme.calibration.findings import kinds
from markscheme.calibration.findings.commands import Commands, TypedOptions
from markscheme.calibration.findings.finding import Finding, Severity
from markscheme.calibration.findings.judge import ENOUGH_SAMPLES
from markscheme.calibration.judge_at_hand import judge_argument
from markscheme.features.drift.shift import CriterionDrift, Explanation, ShiftPart, adjusted_p
from markscheme.phrases import brief, counted, listed, number, number_or_over, signed
from markscheme.rubrics.rubric import Rubric

_DEEDS: Final = {"text": "You reworded {}", "added": "You added {}", "removed": "You removed {}"}
_WITHOUT_CACHE: Final = {"cache": "-o cache=off"}
SINCE_JUDGE: Final = replace(kinds.DRIFT_BY_JUDGE, short="moved since the earlier judge")
"""Kind of the finding that a judge moved, compared with an earlier judge of the same counts file."""


def _calibrate_by(commands: Commands, options: TypedOptions) -> str:
    return commands.calibrate_by(**options) if options and commands.asks else ""


BY_OTHER_JUDGE: Final = replace(kinds.DRIFT_BY_JUDGE, command=_calibrate_by)
"""Kind of the finding that levels moved since another judge is asked than in the accepted runs."""


def drift_findings(
    criteria: Mapping[str, CriterionDrift], rubric: Rubric, *, level: float, is_asked: bool
) -> Iterator[Finding]:
    """Yield a finding for each criterion that moved since the accepted runs, or whose agreement with gold fell.

    Args:
        criteria: The drift of each criterion, by the criterion's name.
        rubric: Today's rubric.
        level: Largest p at which this run raises an alarm.
        is_asked: True if it is on record with which rubric, prompt and judge the ratings were made.
    """
    for name, drift in criteria.items():
        why = drift.explanation
        gold = drift.gold
        advice, options = _advice_and_options(drift)
        share = abs(drift.criterion.weight) / rubric.whole_weight / drift.criterion.scale.span
        causes: dict[str, Any] = {
            "level": level,
            "causes": [change.key for change in why.changes],
            "separable": why.separable,
            "own_edit": why.is_own_edit,
        }
        if drift.has_moved:
            flips = {
                "flips_now": drift.changed.flips_now.to_json(),
                "flips_stored": drift.changed.flips_stored.to_json(),
            }
            evidence = {"shift": drift.shift.to_json(), "p": drift.p, **flips, **causes}
            severity: Severity = "low" if why.is_own_edit else "high"
            cost = abs(drift.shift.value or 0.0) * share
            by_judge = BY_OTHER_JUDGE if _earlier_judge(why) else kinds.DRIFT_BY_JUDGE
            by_judge = by_judge if drift.movers is not None else SINCE_JUDGE
            kind = kinds.DRIFT_BY_EDIT if why.is_own_edit else by_judge
            text = account(drift, level=level, is_asked=is_asked)
            yield Finding(kind, name, severity, text, evidence, drift.movers or (), advice, cost, options)
        if gold is not None and gold.fell(level):
            evidence = {"measure": gold.measure, "change": gold.change.to_json(), "p": gold.p, **causes}
            cost = abs(gold.change.value or 0.0) * share if gold.measure == "mae" else 0.0
            text = account(drift, level=level, is_asked=is_asked, agreement_first=True)
            kind = kinds.DRIFT_GOLD_BY_EDIT if why.is_own_edit else kinds.DRIFT_GOLD
            yield Finding(kind, name, "high", text, evidence, drift.movers or (), advice, cost, options)


def unsteady_findings(criteria: Sequence[CriterionDrift], samples: int) -> Iterator[Finding]:
    """Yield a finding for each criterion on which the accepted runs differ by more than noise.

    Tests are adjusted by Holm's method over all criteria.

    Args:
        criteria: The drift of each criterion.
        samples: Number of samples of this run.
    """
    asks_more = samples < ENOUGH_SAMPLES
    fix = "Use several samples (--samples 3), or fix" if asks_more else "Fix"
    adjusted = adjusted_p([criterion.drift.moved.p_alike for criterion in criteria])
    for criterion, p in zip(criteria, adjusted, strict=True):
        if not criterion.drift.unsteady or p is None or p > FALSE_ALARM:
            continue
        moved = criterion.drift.moved
        means = criterion.drift.means
        *first, last = [number(mean) for mean in means]
        text = (
            f"{moved.runs} accepted runs of the same judge averaged {', '.join(first)} and {last}. Runs differ more "
            f"than noise in single answers explains, so a shift under {number(moved.detectable, 1)} levels can't be "
            "detected."
        )
        evidence = {"means": list(means), "run_sd": moved.run_sd, "p": p, "detectable": moved.detectable}
        yield Finding(
            kinds.UNSTEADY_JUDGE,
            criterion.criterion.name,
            "medium",
            text,
            evidence,
            suggestion=f"{fix} what varies between runs: model version, temperature, seed.",
            options={"samples": "--samples 3"} if asks_more else {},
        )


def looks_finding(since: AcceptedBasis) -> Finding:
    """Return the finding that the judge moved, as shown by all comparisons with the accepted runs taken together.

    Args:
        since: The accepted runs, with the evidence from each comparison with them.
    """
    evidence = {"looks": len(since.looks), "evidence": max(since.looks), "alarm_at": LOOKS_ALARM}
    advice = "Ask again with -o cache=off. If it stays, accept this run in place of the old ones (--accept --replace) "
    text = over_looks(since)
    return Finding(
        kinds.DRIFT_BY_JUDGE, None, "high", text, evidence, (), f"{advice}or use another judge.", 0.0, _WITHOUT_CACHE
    )


def moved_over_looks(since: AcceptedBasis) -> bool:
    """Return True if the evidence that the judge moved reached the alarm level after any recorded comparison."""
    return max(since.looks, default=0.0) >= LOOKS_ALARM


def over_looks(since: AcceptedBasis) -> str:
    """Say how far the judge moved, by all comparisons with the accepted runs taken together; "" without comparisons.

    Args:
        since: The accepted runs, with the evidence from each comparison with them.
    """
    if not since.looks:
        return ""
    over = f"Over {counted(len(since.looks), 'comparison')} with the accepted run"
    evidence = max(since.looks)
    size = number_or_over(evidence, MOST_EVIDENCE, 1)
    needed = f"(evidence {size}; an alarm needs {number(LOOKS_ALARM, 0)})"
    if moved_over_looks(since):
        silent = "" if since.planned is None else ", which is no alarm among planned runs"
        return f"{over} the judge moved {needed}{silent}."
    if since.looks[-1] > 1:
        return f"{over} it may have moved {needed}: one comparison can't tell; ask again with -o cache=off."
    return f"{over} the judge didn't move."


def account(
    drift: CriterionDrift, *, level: float, is_asked: bool, cause_first: bool = True, agreement_first: bool = False
) -> str:
    """Describe how far a judge's levels on a criterion moved, why, and how the judge's agreement with gold changed.

    Args:
        drift: Drift of the criterion.
        level: Largest p at which this run raises an alarm.
        is_asked: True if this run's rubric, prompt and judge are known; False if only its ratings are.
        cause_first: True to begin with the cause.
        agreement_first: True to state the change of agreement before the shift.
    """
    explanation = drift.explanation
    effect = _effect(drift)
    gold = _agreement(drift, level)
    sentences = [sentence for sentence in ((gold, effect) if agreement_first else (effect, gold)) if sentence]
    if not explanation.changes and is_asked:
        yet = f"Nothing on record changed, yet {sentences[0][:1].lower()}{sentences[0][1:]}"
        return " ".join([yet, *sentences[1:], "The provider may serve another model under the same name."])
    if explanation.parts:
        sentences.append(f"By replay: {'; '.join(map(_part, explanation.parts))}.")
    return " ".join([*([_cause(explanation)] if cause_first else []), *sentences])


def cause_of(change: SettingChange) -> str:
    """Return a sentence naming a change and who made it, without a full stop."""
    kind, _, name = change.key.partition(":")
    if change.side == "rubric":
        return _DEEDS[kind].format(name) if kind in _DEEDS else f"You changed {change.sentence}"
    subject = change.what[0].upper() + change.what[1:]
    return f"{subject} is now {change.now}; it was {change.then}" if change.has_values else f"{subject} changed"


def _cause(explanation: Explanation) -> str:
    changes = explanation.changes
    if not changes:
        return "What asked the judge is not on record, so the cause is unknown."
    if explanation.separable or explanation.is_own_edit:
        return " ".join(f"{cause_of(change)}." for change in changes)
    return f"Changed at once, not separable: {'; '.join(change.sentence for change in changes)}."


def _effect(drift: CriterionDrift) -> str:
    shift = drift.shift
    value = shift.value or 0.0
    if not drift.has_moved:
        return ""
    low, high = sorted((abs(shift.low or 0.0), abs(shift.high or 0.0)))
    direction = "higher" if value > 0 else "lower"
    return (
        f"On the same {drift.drift.moved.n} examples {drift.criterion.name} now scores {number(abs(value))} levels "
        f"{direction} (90% CI {number(low)} to {number(high)})."
    )


def _agreement(drift: CriterionDrift, level: float) -> str:
    gold = drift.gold
    if gold is None or gold.moved.now is None or gold.moved.then is None:
        return ""
    measure = "MAE" if gold.measure == "mae" else gold.measure.replace("_", " ").replace("cohen", "Cohen's")
    ci = ""
    if gold.change.low is not None:
        low, high = (signed(limit) for limit in (gold.change.low, gold.change.high))
        ci = f" (90% CI of the change {low} to {high})"
    of_gold = f"{measure} with gold"
    then = number(gold.moved.then)
    current = number(gold.moved.now)
    if gold.fell(level):
        return f"Agreement on {drift.criterion.name} fell: {of_gold} was {then} and is now {current}{ci}."
    if gold.is_worse and not gold.affirmed:
        p = "" if gold.p is None else f" (p {brief(gold.p)}, alarm at {brief(level)})"
        return f"On {drift.criterion.name}, {of_gold} was {then} and is now {current}{ci}, short of an alarm{p}."
    return f"Agreement on {drift.criterion.name} is no worse: {of_gold} was {then} and is now {current}{ci}."


def _part(share: ShiftPart) -> str:
    names = " and ".join(change.what for change in share.changes)
    shift = share.drift.moved.shift.value or 0.0
    return f"{names} {signed(shift)} (p {brief(share.p)})"


def _advice_and_options(drift: CriterionDrift) -> tuple[str, TypedOptions]:
    """Return advice on a criterion's shift, and the options with which `calibrate` should run next, if any."""
    explanation = drift.explanation
    if drift.movers is None:
        return (
            "Read examples on which the two judges differ, where their ratings lie. If today's levels are right, "
            "correct the labels; otherwise go back to the earlier judge.",
            {},
        )
    moved = listed(drift.movers, len(drift.movers))
    if explanation.is_own_edit:
        return (
            f"Read {moved}. If the judge's new levels are right, label the examples again under the new wording, then "
            "accept this run. Otherwise undo the edit.",
            {},
        )
    if not explanation.changes:
        return (
            f"Read {moved}, and ask again with -o cache=off. If it stays, accept this run in place of the old ones "
            "(--accept --replace) or use another judge.",
            _WITHOUT_CACHE,
        )
    earlier = _earlier_judge(explanation)
    if not explanation.separable and earlier is None:
        if any(change.side == "rubric" for change in explanation.changes) and not explanation.parts:
            advice = "Add --replay, which asks today's judge by the accepted rubric, or change one thing at a time."
            return advice, {"replay": "--replay"}
        return "Change one thing at a time and calibrate after each.", {}
    return (
        f"Undo the change, then calibrate again. To keep it, read {moved}: if the judge's new levels are right, "
        "correct the labels, then accept this run (--accept).",
        {} if earlier is None else {"judge": f"--judge {quote(earlier)}"} | _earlier_parameters(explanation),
    )


def _earlier_parameters(explanation: Explanation) -> dict[str, str]:
    """Return the options that set the judge's changed parameters as in the accepted runs, by the parameter's name.

    A parameter that wasn't set in the accepted runs is left out.
    """
    then = {change.key.removeprefix("judge:parameter:"): change.then for change in explanation.changes}
    names = ("temperature", "max_tokens")
    return {name: f"-o {name}={then[name]}" for name in names if then.get(name) not in (None, "nothing")}


def _earlier_judge(explanation: Explanation) -> str | None:
    """Return the judge of the accepted runs if today's judge is another and nothing else changed; else None."""
    if any(change.side != "judge" for change in explanation.changes):
        return None
    names = (change.then for change in explanation.changes if change.key in ("judge", "judge:name"))
    return next((judge for name in names if name is not None and (judge := judge_argument(name))), None)
