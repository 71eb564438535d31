"""The report on new wordings of a rubric: figures on dev and held-out labels, and the changed words."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.features.improve.candidates import Wording
from markscheme.features.improve.outcome import (
    PLANNED_AGREEMENT,
    ImprovementPlan,
    ImprovementRun,
    examples_in_words,
)
from markscheme.features.improve.selection import FINALISTS, chance_to_find
from markscheme.features.improve.setting import moved_numbers
from markscheme.features.improve.trial import TrialOutcome, WordingTrial
from markscheme.phrases import brief, counted, estimated, number, percent
from markscheme.report import document as doc
from markscheme.report.figures import cut_short, dollars, points, with_interval
from markscheme.report.json import attributes
from markscheme.report.word_difference import word_difference

NOT_HUMAN_WARNINGS = {
    "constructed": "Warning: synthetic labels; what they support is no evidence about people.",
    "model": "Warning: labels by a model; what they support is no evidence about people.",
}
_IN_WORDS: dict[TrialOutcome, str] = {
    "better": "better than yours",
    "not better": "not better than yours",
    "stopped early": "not among the better half on the first examples",
    "same scores": "gives the same scores as yours",
    "not graded": "excluded: over a tenth not graded",
    "not screened": "not screened",
}
_SELECTED = "selected on these labels: no estimate of what to expect"
_RAW = "measured on the labels that confirmed it: `gain` is what to expect"
_LIKELY = 0.8
"""Probability of an answer from which on labels are called enough: the usual power of a study."""


def view(run: ImprovementRun) -> doc.Document:
    """Render a run: the result, then figures on dev and on held-out labels in separate tables, then changed words."""
    dev = run.search.dev
    sealed = run.sealed
    apart = f"{counted(dev.n, 'dev example')}, {sealed.n} held out"
    parts = counted(dev.n, "labelled example") if run.outside else apart
    return doc.Document(
        title=f"{run.search.yours.name} · {counted(len(run.search.tried), 'new wording')} tried, {parts}",
        source=f"Judge: {run.judge}. "
        + (f"Words proposed by {run.proposer}." if run.proposer else "Words from files."),
        blocks=tuple(_lead(run)),
        sections=tuple(_sections(run)),
    )


def _lead(run: ImprovementRun) -> Iterator[doc.Block]:
    head, rest = run.because_in_parts
    tone: doc.Tone = "good" if run.adopted is not None else "open"
    yield doc.Callout(tone, head, rest)
    notes: list[doc.Line] = [f"{counted(run.usage.calls, 'call')}: {dollars(run.usage.usd)}."]
    if run.parts_written:
        notes.append(
            f"Your labelled examples have parts from now on (`split` in their file): {run.search.dev.n} dev, "
            f"{run.sealed.n} held out. Wordings are compared on dev; held-out labels confirm one, once."
        )
    if run.search.dev.gold.reference in NOT_HUMAN_WARNINGS:
        notes.append(NOT_HUMAN_WARNINGS[run.search.dev.gold.reference])
    if run.answer is not None and not run.answer.asked_again:
        notes.append("The recording has your wording only once: how far two runs of the judge differ isn't covered.")
    if run.answer is not None and run.answer.dropped:
        notes.append(f"{counted(run.answer.dropped, 'example')} excluded: not graded under your wording.")
    yield doc.Paragraph(tuple(notes))


def _sections(run: ImprovementRun) -> Iterator[doc.Section]:
    search = run.search
    if not run.outside:
        yield doc.Section(f"On dev: {examples_in_words(search.dev)}, which chose among the wordings", tuple(_dev(run)))
    if search.refused:
        rows = tuple((doc.Name(candidate), why) for candidate, why in search.refused.items())
        yield doc.Section("Refused", (doc.Table(("Candidate", "because it"), rows),))
    warned = [(doc.Name(tried.wording.name), why) for tried in search.tried for why in tried.wording.warnings]
    if warned:
        yield doc.Section(
            "Look at these before you adopt them", (doc.Table(("Wording", "what to look at"), tuple(warned)),)
        )
    where = "On all labels" if run.outside else "Held out"
    yield doc.Section(f"{where}: {examples_in_words(run.sealed)}", tuple(_held_out(run)))
    for wording in _best(run):
        yield doc.Section(f"{wording.name}, side by side with yours", (_side_by_side(wording, run),))
    if run.diff:
        head = "Written to the file:" if run.written else "What --write would change in the file:"
        yield doc.Section("The file", (doc.Paragraph((head,)), doc.Verbatim(run.diff)))


def _dev(run: ImprovementRun) -> Iterator[doc.Block]:
    rows = tuple(_row(tried, run) for tried in run.search.tried)
    if rows:
        yield doc.Table(("Wording", "changes", "on dev"), rows)
    lines: list[doc.Line] = []
    if run.search.stopped:
        lines.append(f"The search ended: {run.search.stopped}.")
    lines.append("Gains on dev aren't shown, since the wordings were chosen by them (--json has the figures).")
    yield doc.Notes(tuple(lines))


def _row(tried: WordingTrial, run: ImprovementRun) -> tuple[doc.Line, ...]:
    places = ", ".join([*sorted(criterion or "guidelines" for criterion in tried.wording.criteria), *_numbers(tried)])
    says = _IN_WORDS[tried.outcome]
    if tried.outcome == "same scores" and run.search.dev.decided is not None:
        says = "gives the same decisions as yours"
    if tried.outcome == "better" and tried.wording in run.finalists:
        says += ", finalist"
    return doc.Name(tried.wording.name), places, f"{says} ({cut_short(tried.detail, 80)})" if tried.detail else says


def _numbers(tried: WordingTrial) -> Iterator[str]:
    """Yield the name of each number that a candidate changes, such as "weight of tone" or "pass mark"."""
    yield from (f"weight of {name}" for name in tried.wording.numbers.weights)
    if tried.wording.numbers.pass_mark is not None:
        yield "pass mark"


def _held_out(run: ImprovementRun) -> Iterator[doc.Block]:
    answer = run.answer
    if answer is None:
        yield doc.Paragraph(("Not opened: neither the labels nor the judge's answers to these examples were used.",))
        return
    if answer.gain is not None:
        rows = (("MAE, lower by", with_interval(answer.gain)), ("Agreement, points", points(answer.agreement_gain)))
        yield doc.Facts(tuple((f"Expected on new examples: {name}", text) for name, text in rows))
    if answer.decisions_gain is not None:
        yield doc.Facts((("Expected on new examples: decisions as people's, points", points(answer.decisions_gain)),))
    opening = f"Test {answer.opening} on these labels"
    passes = f"a wording that is no better passes at most {brief(100 * answer.alpha, 3)}% of the time."
    again = " A further test on any of them allows half of that."
    yield doc.Notes((f"{opening}: {passes}{again}",))


def _best(run: ImprovementRun) -> tuple[Wording, ...]:
    """Return the wordings to show: the adopted one, else the finalists, else the best among those tried."""
    if run.adopted is not None:
        return (run.adopted,)
    tried = [tried for tried in run.search.tried if tried.gain is not None]
    ranked = sorted(tried, key=lambda tried: -(tried.gain or 0.0))
    return run.finalists or tuple(tried.wording for tried in ranked[:FINALISTS])


def _side_by_side(wording: Wording, run: ImprovementRun) -> doc.Table:
    yours = {criterion.name: criterion.weight for criterion in run.search.yours.criteria}
    rows: list[tuple[doc.Line, ...]] = [
        (doc.Name(str(field)), *word_difference(old, new)) for field, (old, new) in wording.changes.items()
    ]
    for name, weight in wording.numbers.weights.items():
        rows.append((f"weight of {name}", brief(yours[name]), brief(weight)))
    if wording.numbers.pass_mark is not None:
        rows.append(("pass mark", brief(run.search.yours.pass_mark), brief(wording.numbers.pass_mark)))
    return doc.Table(("Words of", "yours", wording.name), tuple(rows))


def json_of(run: ImprovementRun) -> dict[str, Any]:
    """Return the run as a dict with the keys of the JSON output.

    Gains that are too high on average, since the best of several candidates was chosen by them, have a note on it.
    """
    answer = run.answer
    return {
        "schema": 1,
        "rubric": attributes(run.search.yours, "name fingerprint"),
        "adopted": None if run.adopted is None else run.adopted.name,
        "finalists": [wording.name for wording in run.finalists],
        "refused": [{"candidate": name, "why": why} for name, why in run.search.refused.items()],
        **attributes(answer, "gain agreement_gain opening alpha"),
        **attributes(run, "calls=usage.calls sealed=sealed.n"),
        "dev": 0 if run.outside else run.search.dev.n,
        **attributes(run, "because judge"),
        "proposer": run.proposer or None,
        "outside": run.outside,
        **attributes(answer, "asked_again dropped"),
        "tasks": {"dev": run.search.dev.tasks, "sealed": run.sealed.tasks},
        **attributes(run, "rounds=search.rounds graded cost=usage written parts_written"),
        "wordings": [_wording_json(tried, _measured(run)) for tried in run.search.tried],
        "held_out": None if answer is None or answer.raw is None else {_measured(run): answer.raw, "note": _RAW},
        **({} if run.search.dev.decided is None else {"decisions_gain": answer and answer.decisions_gain}),
    }


def _measured(run: ImprovementRun) -> str:
    """Return the JSON key of a candidate's gain: the fall in MAE, or the rise in right decisions."""
    return "mae_lower_by" if run.search.dev.decided is None else "decisions_right_by"


def _wording_json(tried: WordingTrial, measured: str) -> dict[str, Any]:
    return {
        **attributes(
            tried, "name=wording.name fingerprint=wording.rubric.fingerprint outcome warnings=wording.warnings"
        ),
        "changes": [
            {"criterion": field.criterion or None, "field": field.field, "old": old, "new": new}
            for field, (old, new) in tried.wording.changes.items()
        ],
        "dev": None if tried.gain is None else {measured: tried.gain, "n": tried.n, "note": _SELECTED},
        **({"numbers": moved_numbers(tried.wording.numbers)} if tried.wording.numbers else {}),
    }


# --- before any request ---------------------------------------------------------------------------------------------


def plan_view(plan: ImprovementPlan) -> doc.Document:
    """Render the plan: labels and calls that a run would need, and their cost."""
    held_out, labels = plan.needed
    chance = chance_to_find(plan.sealed[1], plan.alpha)
    tokens = f"about {estimated(plan.cost.input_tokens)} tokens read, {estimated(plan.cost.output_tokens)} written"
    what = f"a gain of {number(PLANNED_AGREEMENT)} in agreement"
    has_tasks = plan.dev[0] > plan.dev[1] or plan.sealed[0] > plan.sealed[1]
    units = "tasks" if has_tasks else "examples"
    chosen_by = f"{_in_tasks(plan.dev)} to choose a wording by, {_in_tasks(plan.sealed)} held out to confirm it"
    tries = f"{counted(plan.candidates, 'wording')}, the best of them also on the held-out examples"
    gradings = f"at most {plan.graded:,}; a grading is of one example by one wording, yours included"
    rows = (
        ("Labelled now", chosen_by),
        (f"Labels for {percent(_LIKELY)}", f"{labels} {units}, {held_out} of them held out"),
        ("At most", tries),
        ("Gradings", gradings),
        ("Cost of grading", f"{tokens}, {dollars(plan.cost.usd)}"),
    )
    likely = chance >= _LIKELY
    head = f"There are {'enough' if likely else 'too few'} labels to confirm a better wording."
    text = (
        f"With these labels {what} is confirmed with a probability of {percent(chance)}; a wording that is no better "
        f"is adopted with a chance of at most {brief(100 * plan.alpha, 3)}%."
    )
    about_gating = f"Gating is another question: {plan.to_gate}" if plan.to_gate else ""
    callout = doc.Callout("good" if likely else "open", head, f"{text} {about_gating}".rstrip())
    missing = labels - plan.dev[1] - plan.sealed[1]
    words = "Next" if likely else f"Next, for a probability of {percent(_LIKELY)}"
    command = "" if likely else Commands.on(plan.rubric).label_next(missing)
    onward = (words, command) if command else None
    return doc.Document(plan.rubric.name, "A plan: no calls were made.", (callout, doc.Facts(rows)), onward=onward)


def _in_tasks(part: tuple[int, int]) -> str:
    """Return a phrase such as "30 examples of 12 tasks"; only "12 examples" if each example is a task of its own.

    Args:
        part: Number of examples, and number of tasks that they belong to.
    """
    examples, tasks = part
    return f"{counted(examples, 'example')}{f' of {tasks} tasks' if tasks < examples else ''}"


def plan_json(plan: ImprovementPlan) -> dict[str, Any]:
    """Return the plan as a dict with the keys of the JSON output."""
    held_out, labels = plan.needed
    of_plan = {**vars(plan), "rubric": attributes(plan.rubric, "name fingerprint"), "to_gate": plan.to_gate or ""}
    return {"schema": 1, **of_plan, "held_out_needed": held_out, "labels_needed": labels}
