"""The report on a tuning Proposal: wording first, then weights, pass mark, and thresholds."""

from collections.abc import Iterator, Mapping
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.finding import Finding
from markscheme.features.improve.numbers import Proposal, Source, Tuned
from markscheme.features.improve.pass_mark import MarkProposal
from markscheme.features.improve.run_numbers import TuneRun
from markscheme.features.improve.weights import HeldOut
from markscheme.phrases import counted, in_words, number, signed
from markscheme.report.document import (
    Block,
    Callout,
    Document,
    Items,
    Line,
    Name,
    Notes,
    Paragraph,
    Section,
    Table,
    Verbatim,
)
from markscheme.report.figures import NONE, share_with_interval, with_interval
from markscheme.report.json import attributes, plain
from markscheme.stats import Estimate
from markscheme.stats.least_labels import LEAST_FOR_MARK, LEAST_FOR_WEIGHTS, LEAST_OF_EACH

NOT_HUMAN_WARNINGS: Mapping[str, str] = {
    "constructed": "Warning: synthetic labels; what they support is no evidence about people.",
    "model": "Warning: labels by a model; what they support is no evidence about people.",
}
_MEASURES = {
    "mae": "MAE of the score",
    "agreement": "agreement",
    "pass_agreement": "same pass/fail decision as labelled",
}
_MOST_FINDINGS = 8
"""Advice that is printed, so that what was tuned stays on the screen."""
_MOST_LINES = 14
"""Lines of a difference that leave room for the rest of a screen."""


def view(run: TuneRun, *, again: str = "markscheme tune") -> Document:
    """The changes that the labels support, and the lines of the file that would change.

    Args:
        run: The run.
        again: The command, as it was typed.
    """
    proposal = run.proposal
    chosen = run.proposal.chosen
    part = f" of the {run.split} split" if run.split else ""
    kinds = ", ".join(_raters(kind, n) for kind, n in proposal.truth.kinds.items())
    have = "example has" if chosen.marks == 1 else "examples have"
    decided = f"{chosen.passes + chosen.fails} a decision ({chosen.passes} pass, {chosen.fails} fail)"
    counts = f"{chosen.marks} {have} an overall mark, {decided}"
    return Document(
        title=f"{proposal.rubric.name} · {counted(chosen.n, 'labelled example')}{part}",
        source=f"{kinds}. {counts}. " + ("" if run.judge is None else f"Judge: {run.judge.name}. "),
        blocks=(_callout(run), _numbers(run), *_short_diff(run), *_lead(run)),
        sections=tuple(_sections(run)),
        onward=_onward(run, again),
    )


def _raters(kind: str, n: int) -> str:
    """How many raters of a kind there are."""
    return counted(n, "annotator" if kind == "human" else f"{kind} rater")


def _callout(run: TuneRun) -> Callout:
    """What the labels support changing, or what is missing."""
    supported = _supported(run)
    if run.written:
        return Callout("good", f"Written: {in_words(supported)}.")
    if supported:
        return Callout("good", f"The labels support changing {in_words(supported)}.")
    if _is_unfed(run):
        needs = (
            f"Weights need {LEAST_FOR_WEIGHTS} examples with an overall mark; a pass mark needs {LEAST_FOR_MARK} that "
            f"annotators passed or failed, {LEAST_OF_EACH} of each."
        )
        return Callout("open", "Nothing to tune with yet: no annotator has marked a whole response.", needs)
    return Callout("open", "The labels support no change.", "The table has the reasons.")


def _is_unfed(run: TuneRun) -> bool:
    """Whether only criteria are labelled: neither overall marks nor decisions."""
    chosen = run.proposal.chosen
    return not (chosen.marks or chosen.passes or chosen.fails)


def _supported(run: TuneRun) -> list[str]:
    chosen = run.proposal.chosen
    changes = {
        "the weights": chosen.weights.supported,
        "the pass mark": chosen.pass_mark.mark.supported,
        "thresholds": any(threshold.supported for threshold in chosen.thresholds.values()),
    }
    return [name for name, is_supported in changes.items() if is_supported]


def _onward(run: TuneRun, again: str) -> tuple[str, str] | None:
    """What to do next: pass or fail whole responses; have a judge's ratings; or write the changes."""
    commands = Commands.on(run.proposal.rubric.name)
    if run.written:
        return "Next", commands.calibrate()
    if _is_unfed(run):
        return "Next, have annotators pass or fail whole responses too", commands.label(" --overall --rater YOUR-NAME")
    if run.diff:
        return "Next, write that into the rubric", f"{again} --write"
    if run.findings:
        return "Next, change the wording first", commands.improve()
    return None


def _numbers(run: TuneRun) -> Table:
    """Each number that could change, what becomes of it, and why."""
    chosen = run.proposal.chosen
    mark = chosen.pass_mark.mark
    kept_mark = f"{mark.before:g} → {mark.after:g}" if mark.supported else f"{mark.before:g} kept"
    return Table(
        ("Number", "result", "why"),
        (
            ("Weights", "changed" if chosen.weights.supported else "kept", _why_weights(run)),
            ("Pass mark", kept_mark, mark.reason),
        ),
    )


def _why_weights(run: TuneRun) -> str:
    """Why the weights change or are kept, and what changed ones become."""
    weights = run.proposal.chosen.weights
    if not weights.supported:
        return weights.reason
    names = (criterion.name for criterion in run.proposal.rubric.criteria)
    by_name = zip(names, weights.before, weights.after, strict=True)
    changes = ", ".join(f"{name} {was:g} → {now:g}" for name, was, now in by_name if was != now)
    return f"{weights.reason}: {changes}"


def _lead(run: TuneRun) -> Iterator[Block]:
    proposal = run.proposal
    lines: list[str] = []
    if proposal.truth.reference in NOT_HUMAN_WARNINGS:
        lines.append(NOT_HUMAN_WARNINGS[proposal.truth.reference])
    if run.findings:
        lines.append(
            f"Where the judge differs from annotators, editing the wording helps more than numbers: "
            f"{counted(len(run.findings), 'finding')}, in the full report."
        )
    if proposal.contradictory:
        lines.append(f"{len(proposal.contradictory)} excluded: the same rater both passed and failed them.")
    if proposal.torn:
        lines.append(f"{len(proposal.torn)} undecided: as many raters passed as failed them.")
    if proposal.quoted:
        lines.append(f"{counted(len(proposal.quoted), 'example')} excluded: quoted in the prompt.")
    if proposal.computed:
        lines.append(
            f"{counted(proposal.computed, 'overall mark')} left out of these counts: each only repeats the score that "
            "follows from the annotator's own levels."
        )
    if lines:
        yield Notes(tuple(lines))


def _sections(run: TuneRun) -> Iterator[Section]:
    yield Section("Wording first", tuple(_wording(run.findings)))
    yield Section("Weights", (Paragraph((_through(run, run.proposal.source),)), *_weights(run)))
    mark = _mark(run.proposal.chosen.pass_mark, run.costs)
    yield Section("Pass mark", (Paragraph((*mark, *_thresholds(run.proposal))),))
    if run.proposal.final is not None:
        yield Section("On the test split, which had no part in this", (_held_out(run.proposal.final),))
    if run.openings is not None:
        yield Section("Test labels", (Paragraph((run.openings.sentence,)),))
    yield Section("The file", tuple(_diff(run)))


def _through(run: TuneRun, source: Source) -> str:
    if source == "judge":
        return "Fitted to the levels that the judge gives."
    whose = "labelled levels" if run.proposal.truth.reference in NOT_HUMAN_WARNINGS else "levels that annotators give"
    return f"Fitted to the {whose}; the judge's own may ask for others."


def _wording(findings: tuple[Finding, ...] | None) -> Iterator[Block]:
    if findings is None:
        yield Paragraph(("To check the wording, pass the judge's ratings (--ratings FILE) or --judge NAME.",))
    elif not findings:
        yield Paragraph(("No issues; calibrate shows where judge and annotators differ.",))
    else:
        yield Paragraph(("Most gaps close by an edit of the text, not of the numbers.",))
        items = (
            (f"{f.message}" + (f" Try: {f.suggestion}" if f.suggestion else ""),) for f in findings[:_MOST_FINDINGS]
        )
        yield Items(tuple(items))


def _weights(run: TuneRun) -> Iterator[Block]:
    proposal = run.proposal
    chosen = run.proposal.chosen
    weights = chosen.weights
    yield Paragraph((f"{'Changed' if weights.supported else 'Kept'}: {weights.reason}",))
    lines: list[Line] = []
    if weights.held_out:
        names = [criterion.name for criterion in proposal.rubric.criteria]
        columns = zip(names, weights.before, weights.after, weights.ratios, strict=True)
        rows = tuple((Name(name), f"{was:g}", f"{now:g}", _ratio(ratio)) for name, was, now, ratio in columns)
        yield Table(("Criterion", "weight now", "tuned", ""), rows)
        yield _held_out(weights.held_out)
        lines.append(f"Root mean squared error, held out, falls by {_gain(weights.gain)}.")
    for first, second, r in weights.alike:
        pair = f"{proposal.rubric.criteria[first].name} and {proposal.rubric.criteria[second].name}"
        lines.append(f"{pair} rise together (r = {number(r)}): how the weight is split between them is arbitrary.")
    for source, alternative in proposal.tuned.items():
        if source != proposal.source:
            what = "Weights would change" if alternative.weights.supported else "Weights kept"
            lines.append(f"{_through(run, source)} {what}: {alternative.weights.reason}")
    yield Paragraph(tuple(lines))


def _ratio(ratio: Estimate) -> str:
    return f"untuned: {ratio.undefined}" if ratio.value is None else f"fits {with_interval(ratio)} times yours"


def _gain(gain: Estimate) -> str:
    value, low, high = (None if v is None else number(100 * v, 0) for v in (gain.value, gain.low, gain.high))
    if value is None:
        return gain.undefined or NONE
    return f"{value}%" if low is None else f"{value}% ({low} to {high})"


def _held_out(held_out: Mapping[str, HeldOut]) -> Table:
    """Figures before and after, on examples that the fit did not see."""
    rows = []
    for name, words in _MEASURES.items():
        spell = with_interval if name == "mae" else share_with_interval
        estimate = held_out[name]
        moved = signed(estimate.difference.value, 3)
        if estimate.difference.low is not None:
            moved += f" ({signed(estimate.difference.low, 3)} to {signed(estimate.difference.high, 3)})"
        rows.append((words, spell(estimate.before), spell(estimate.after), moved))
    return Table(("Held out", "now", "tuned", "difference"), tuple(rows))


def _mark(proposal: MarkProposal, costs: tuple[float, float]) -> Iterator[Line]:
    mark = proposal.mark
    head = f"{mark.before:g} → {mark.after:g}" if mark.supported else f"{mark.before:g} kept"
    if mark.supported and proposal.through == "judge":
        head += ", a mark for this judge"
    yield f"{head}: {mark.reason}"
    if mark.crossing.value is not None:
        where = with_interval(mark.crossing) if 0 <= mark.crossing.value <= 1 else "at no score from 0 to 1"
        yield f"Labels pass as often as costs of {costs[0]:g}:{costs[1]:g} ask: {where}"


def _thresholds(proposal: Proposal) -> Iterator[Line]:
    for name, threshold in proposal.chosen.thresholds.items():
        if threshold.supported:
            yield f"Threshold of {name} {threshold.before:g} → {threshold.after:g}: {threshold.reason}"
    unsupported = [name for name, threshold in proposal.chosen.thresholds.items() if not threshold.supported]
    if unsupported:
        yield f"Thresholds kept: {', '.join(unsupported)}"


def _short_diff(run: TuneRun) -> Iterator[Block]:
    """The lines that change, where they fit the first screen."""
    if run.diff and len(run.diff.splitlines()) <= _MOST_LINES:
        yield Verbatim(run.diff)


def _diff(run: TuneRun) -> Iterator[Block]:
    if not run.diff:
        yield Paragraph(("Nothing to write.",))
        return
    yield Verbatim(run.diff)
    yield Paragraph(("Written." if run.written else "Not written; add --write.",))


# --- JSON -----------------------------------------------------------------------------------------------------------


def json_of(run: TuneRun) -> dict[str, Any]:
    """The run by the keys of the file format."""
    proposal = run.proposal
    return {
        "schema": 1,
        "rubric": attributes(proposal.rubric, "name fingerprint"),
        "judge": None if run.judge is None else attributes(run.judge, "name source"),
        "source": proposal.source,
        "split": run.split or None,
        "findings": run.findings,
        "labels": {
            **attributes(proposal.truth, "kinds reference"),
            **attributes(proposal, "contradictory torn quoted computed"),
        },
        **_tuned_json(proposal, proposal.chosen, run.costs),
        "sources": {source: _tuned_json(proposal, tuned, run.costs) for source, tuned in proposal.tuned.items()},
        "final": None if proposal.final is None else _held_out_json(proposal.final, ""),
        "test_labels": run.openings,
        **attributes(run, "diff written"),
    }


def _tuned_json(proposal: Proposal, tuned: Tuned, costs: tuple[float, float]) -> dict[str, Any]:
    names = [criterion.name for criterion in proposal.rubric.criteria]
    weights = tuned.weights
    by_name = attributes(tuned.weights, "before after ratios")
    cost = {"cost": {"false_pass": costs[0], "false_fail": costs[1]}}
    return {
        "n": tuned.n,
        "counts": attributes(tuned, "marks passes fails"),
        "weights": {
            **{key: dict(zip(names, values, strict=True)) for key, values in by_name.items()},
            "alike": [{"criteria": [names[i], names[j]], "correlation": r} for i, j, r in weights.alike],
            **attributes(weights, "p gain needed"),
        },
        "pass_mark": {**plain(tuned.mark), **cost, **attributes(tuned.pass_mark, "through bias")},
        "thresholds": {name: {**plain(threshold), **cost} for name, threshold in tuned.thresholds.items()},
        "held_out": _held_out_json(weights.held_out, weights.reason),
        **attributes(weights, "supported reason"),
    }


def _held_out_json(held_out: Mapping[str, HeldOut], why_not: str) -> dict[str, Any]:
    entries = {}
    for name in _MEASURES:
        nothing = Estimate.without_value(why_not or "nothing to measure", n=0, method=f"held out, {name}")
        entries[name] = held_out.get(name, HeldOut(nothing, nothing, nothing))
    return entries
