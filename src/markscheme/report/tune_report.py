"""A Proposal on a screen and as JSON: words first, then weights, pass mark, thresholds and the doubtful middle."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markscheme.calibration.calibration import Rater
from markscheme.calibration.decision import Finding
from markscheme.calibration.tuning import Proposal, Source, Tuned, TunedBand
from markscheme.ratings.splits import Openings
from markscheme.report.figures import number, share, share_with_interval, signed, with_interval
from markscheme.report.openings import openings_line
from markscheme.stats import Estimate
from markscheme.stats.pass_mark import TunedMark
from markscheme.stats.weights import HeldOut, TunedWeights

NOBODY: Mapping[str, str] = {
    "constructed": "These labels are constructed, no person gave them: what they support is no evidence about people.",
    "model": "These labels are a model's, no person gave them: what they support is no evidence about people.",
}
MEASURES = {
    "mae": "mean miss of the score",
    "agreement": "agreement",
    "pass_agreement": "pass or fail as labelled",
}
MOST_FINDINGS = 8


@dataclass(frozen=True)
class TuneRun:
    """What one run of `tune` found and did.

    Attributes:
        proposal: What the labels support.
        split: Which part of the set it was made on; "" without splits.
        costs: What a false pass and a false fail cost.
        judge: Who rated; None where only people's levels are known.
        findings: What the calibration found, the costliest first; None without a judge.
        openings: Looks at the test labels so far; None where none are kept back.
        diff: The lines of the rubric's file that change.
        written: Whether they were written.
    """

    proposal: Proposal
    split: str
    costs: tuple[float, float]
    judge: Rater | None
    findings: tuple[Finding, ...] | None
    openings: Openings | None
    diff: str = ""
    written: bool = False


# --- text -----------------------------------------------------------------------------------------------------------


def tune_text(run: TuneRun) -> str:
    """The report as text."""
    proposal = run.proposal
    return "\n".join(
        [
            _head(run),
            "",
            *_findings(run.findings),
            "",
            *_weights(proposal),
            "",
            *_mark(proposal.chosen.mark, run.costs),
            *_thresholds(proposal),
            "",
            _band(proposal.band),
            *_final(run),
            *_diff(run),
        ]
    )


def _head(run: TuneRun) -> str:
    proposal = run.proposal
    found = proposal.chosen
    kinds = ", ".join(f"{n} {kind} {'rater' if n == 1 else 'raters'}" for kind, n in proposal.truth.kinds.items())
    part = f" of the {run.split} split" if run.split else ""
    line = (
        f"{proposal.rubric.name}: {found.n} labelled examples{part} with levels, {found.marks} with an overall mark, "
        f"{found.passes} passed and {found.fails} failed; {kinds}."
    )
    if proposal.contradictory:
        line += f" {len(proposal.contradictory)} left out that one rater both passed and failed."
    if proposal.torn:
        line += f" {len(proposal.torn)} left undecided that as many raters passed as failed."
    if run.judge is not None:
        line += f"\nJudge: {run.judge.name}."
    if proposal.truth.reference in NOBODY:
        line += f"\n{NOBODY[proposal.truth.reference]}"
    return f"{line} Through {_through(proposal, proposal.source)}."


def _through(proposal: Proposal, source: Source) -> str:
    if source == "judge":
        return "the judge's levels (is it the judge?)"
    whose = "the labels'" if proposal.truth.reference in NOBODY else "people's"
    return f"{whose} levels (is it the weights?)"


def _findings(findings: Sequence[Finding] | None) -> list[str]:
    if findings is None:
        return ["Words first: what the wording does to a judge takes its ratings (--ratings FILE or --judge NAME)."]
    if not findings:
        return ["Words first: no finding; see `calibrate` for where judge and people differ."]
    said = [f"- {f.message}" + (f" Try: {f.suggestion}" if f.suggestion else "") for f in findings[:MOST_FINDINGS]]
    return ["Words first: most gaps close by an edit of the text, not of the numbers.", *said]


def _weights(proposal: Proposal) -> Iterator[str]:
    chosen = proposal.chosen
    yield f"Weights {'changed' if chosen.weights.supported else 'kept'}: {chosen.weights.reason}"
    if chosen.weights.held_out:
        yield from _weight_rows(proposal, chosen.weights)
        for name, words in MEASURES.items():
            yield f"  held out, {words}: {_before_after(name, chosen.weights.held_out[name])}"
        yield f"  held out, root mean squared error falls by: {_gain(chosen.weights.gain)}"
    for first, second, r in chosen.weights.alike:
        names = [criterion.name for criterion in proposal.rubric.criteria]
        yield (
            f"  {names[first]} and {names[second]} rise together (r = {number(r)}): how the weight is split between "
            "them is arbitrary"
        )
    for source, other in proposal.tuned.items():
        if source != proposal.source:
            said = "they would change" if other.weights.supported else "kept"
            yield f"  Through {_through(proposal, source)}: {said}, {other.weights.reason}"


def _weight_rows(proposal: Proposal, weights: TunedWeights) -> Iterator[str]:
    width = max(len(criterion.name) for criterion in proposal.rubric.criteria)
    for criterion, before, after, ratio in zip(
        proposal.rubric.criteria, weights.before, weights.after, weights.ratios, strict=True
    ):
        said = f"untuned: {ratio.undefined}" if ratio.value is None else f"fits {with_interval(ratio)} times yours"
        yield f"  {criterion.name:<{width}}  {before:g} -> {after:g}  {said}"


def _gain(gain: Estimate) -> str:
    return gain.undefined or share_with_interval(gain)


def _before_after(name: str, held_out: HeldOut) -> str:
    spell = with_interval if name == "mae" else share_with_interval
    difference = held_out.difference
    moved = signed(difference.value, 3)
    if difference.low is not None and difference.high is not None:
        moved += f" [{signed(difference.low, 3)}, {signed(difference.high, 3)}]"
    return f"{spell(held_out.before)} now, {spell(held_out.after)} tuned, difference {moved}"


def _mark(mark: TunedMark, costs: tuple[float, float]) -> Iterator[str]:
    head = f"Pass mark {mark.before:g} -> {mark.after:g}" if mark.supported else f"Pass mark {mark.before:g} kept"
    yield f"{head}: {mark.reason}"
    if mark.crossing.value is not None:
        fp, fn = costs
        where = with_interval(mark.crossing) if 0 <= mark.crossing.value <= 1 else "at no score from 0 to 1"
        yield f"  where labels pass as often as costs of {fp:g}:{fn:g} ask: {where}"


def _thresholds(proposal: Proposal) -> Iterator[str]:
    for name, threshold in proposal.chosen.thresholds.items():
        if threshold.supported:
            yield f"Threshold of {name} {threshold.before:g} -> {threshold.after:g}: {threshold.reason}"
    kept = [name for name, threshold in proposal.chosen.thresholds.items() if not threshold.supported]
    if kept:
        yield f"Thresholds kept: {', '.join(kept)}"


def _band(band: TunedBand | None) -> str:
    if band is None:
        return "Doubtful middle: it takes the judge's scores (--ratings FILE or --judge NAME)"
    if not band.supported or band.band is None:
        return f"Doubtful middle: none can be promised; {band.reason}"
    found = band.band
    return (
        f"Doubtful middle: within {band.after:g} of the pass mark a person decides; {band.reason}. Automatic: "
        f"{share_with_interval(found.automatic)}; {found.errors} of {found.n_automatic} were wrong, at most "
        f"{share(found.upper)} are. Written with --band"
    )


def _final(run: TuneRun) -> Iterator[str]:
    if run.proposal.final is not None:
        yield ""
        yield "On the test split, which had no part in this:"
        for name, words in MEASURES.items():
            yield f"  {words}: {_before_after(name, run.proposal.final[name])}"
    if run.openings is not None:
        yield openings_line(run.openings)


def _diff(run: TuneRun) -> Iterator[str]:
    yield ""
    if not run.diff:
        yield "Nothing to write."
        return
    yield run.diff.rstrip("\n")
    yield "Written." if run.written else "Not written: --write does."


# --- JSON -----------------------------------------------------------------------------------------------------------


def tune_json(run: TuneRun) -> dict[str, Any]:
    """The run by the keys of the file format."""
    proposal, chosen = run.proposal, run.proposal.chosen
    return {
        "schema": 1,
        "rubric": {"name": proposal.rubric.name, "fingerprint": proposal.rubric.fingerprint},
        "judge": None if run.judge is None else {"name": run.judge.name, "source": run.judge.source},
        "source": proposal.source,
        "split": run.split or None,
        "findings": None if run.findings is None else [finding.to_json() for finding in run.findings],
        "labels": {
            "kinds": dict(proposal.truth.kinds),
            "reference": proposal.truth.reference,
            "contradictory": list(proposal.contradictory),
            "torn": list(proposal.torn),
        },
        **_tuned_json(proposal, chosen, run.costs),
        "sources": {source: _tuned_json(proposal, tuned, run.costs) for source, tuned in proposal.tuned.items()},
        "ask_within": None if proposal.band is None else _band_json(proposal.band),
        "final": None if proposal.final is None else _held_out(proposal.final, ""),
        "test_labels": None if run.openings is None else run.openings.to_json(),
        "diff": run.diff,
        "written": run.written,
    }


def _tuned_json(proposal: Proposal, tuned: Tuned, costs: tuple[float, float]) -> dict[str, Any]:
    names = [criterion.name for criterion in proposal.rubric.criteria]
    weights = tuned.weights
    return {
        "n": tuned.n,
        "counts": {"marks": tuned.marks, "passes": tuned.passes, "fails": tuned.fails},
        "weights": {
            "before": dict(zip(names, weights.before, strict=True)),
            "after": dict(zip(names, weights.after, strict=True)),
            "ratios": {name: ratio.to_json() for name, ratio in zip(names, weights.ratios, strict=True)},
            "alike": [{"criteria": [names[i], names[j]], "correlation": r} for i, j, r in weights.alike],
            "p": weights.p,
            "gain": weights.gain.to_json(),
            "needed": weights.needed,
        },
        "pass_mark": _mark_json(tuned.mark, costs),
        "thresholds": {name: _mark_json(threshold, costs) for name, threshold in tuned.thresholds.items()},
        "held_out": _held_out(weights.held_out, weights.reason),
        "supported": weights.supported,
        "reason": weights.reason,
    }


def _mark_json(mark: TunedMark, costs: tuple[float, float]) -> dict[str, Any]:
    return {
        "before": mark.before,
        "after": mark.after,
        "supported": mark.supported,
        "reason": mark.reason,
        "needed": mark.needed,
        "p": mark.p,
        "crossing": mark.crossing.to_json(),
        "cost": {"false_pass": costs[0], "false_fail": costs[1]},
    }


def _held_out(held_out: Mapping[str, HeldOut], why_not: str) -> dict[str, Any]:
    found = {}
    for name in MEASURES:
        nothing = Estimate.without_value(why_not or "nothing to measure", n=0, method=f"held out, {name}")
        sides = held_out.get(name, HeldOut(nothing, nothing, nothing))
        found[name] = {
            "before": sides.before.to_json(),
            "after": sides.after.to_json(),
            "difference": sides.difference.to_json(),
        }
    return found


def _band_json(band: TunedBand) -> dict[str, Any]:
    found: dict[str, Any] = {
        "before": band.before,
        "after": band.after,
        "supported": band.supported,
        "reason": band.reason,
        "split": band.split,
        "promise": None,
    }
    if band.band is not None:
        found["promise"] = {
            "of": band.band.promise,
            "error": band.band.alpha,
            "confidence": band.band.confidence,
            "automatic": band.band.automatic.to_json(),
            "errors": band.band.errors,
            "n_automatic": band.band.n_automatic,
            "upper": band.band.upper,
            "needed": band.band.needed,
        }
    return found
