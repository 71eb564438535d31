"""Report on a labelling plan: labels that the verdict needs, cost of the next run, and what to label next."""

from collections.abc import Iterator
from shlex import quote
from typing import Any

from markscheme.calibration.findings.commands import ANNOTATOR, SECOND_ANNOTATOR
from markscheme.calibration.label_needs import Goal, Need
from markscheme.features.label.run_plan import Plan
from markscheme.features.label.sampling import Draw
from markscheme.judges.cost import Cost
from markscheme.phrases import counted, number
from markscheme.ratings.second_labels import FOR_A_GATE
from markscheme.report.document import Callout, Document, Line, Notes, Paragraph, Section, Table
from markscheme.report.figures import NONE, dollars
from markscheme.report.json import attributes

PLANNED_WIDTHS = {10: 0.42, 15: 0.34, 20: 0.29, 40: 0.20, 100: 0.13}
"""Expected full width of the interval of a system's pass rate, by the number of its own labels."""
_DRAWN = "YOUR-LINES.jsonl"
"""The placeholder for the file of the outputs that were drawn, if they are printed instead of written to a file."""
_MANY_TIMES = 4
"""Number of times as many labels as there are that must be needed before work on judge or rubric is called cheaper; a
judgement."""
_GOALS: dict[Goal, str] = {
    "width": "Labels needed for an interval of a given width",
    "promise": "Labels needed for a guarantee on automatic decisions",
    "variety": "Labels needed before a coefficient can be trusted",
}


def view(plan: Plan, to: str | None = None) -> Document:
    """Render a labelling plan: the labels that the verdict needs and the goals asked for, with the rest as details.

    Args:
        plan: The plan.
        to: The file with the outputs that were drawn; None if they went to standard output.
    """
    return Document(
        title=f"{plan.rubric} · {counted(plan.labelled, 'labelled example')}",
        source="A plan: no calls were made."
        + (f" Each example is to be labelled by {plan.annotators} annotators." if plan.annotators > 1 else ""),
        blocks=(_callout(plan), Notes(tuple(map(_next_run, plan.costs))), *_asked_for(plan, to)),
        sections=tuple(_sections(plan)),
        onward=_onward(plan, to),
    )


def _callout(plan: Plan) -> Callout:
    """Return the headline: how many labels the verdict needs, in the words of the calibration's report."""
    if plan.next_step is None:
        return Callout("good", "No more labels are needed: the present labels decide the verdict.")
    head, stop, rest = plan.next_step.partition(". ")
    sentences = [rest, *_about_the_number(plan)]
    if plan.next is not None:
        sentences.append(f"This draw takes {len(plan.next.picks):,}.")
    if plan.pool is not None and 0 < plan.n_left < _n_needed(plan):
        all_left = f"all {plan.n_left:,} that are" if plan.n_left > 1 else "the one that is"
        sentences.append(f"Label {all_left} left in {plan.pool} first.")
    if plan.pool is not None and not plan.n_left:
        sentences.append(f"All outputs in {plan.pool} are among the rubric's examples.")
    if plan.asks_for_labels and plan.annotators == 1:
        sentences.append(FOR_A_GATE)
    return Callout("open", f"{head}{stop.rstrip()}", " ".join(filter(None, sentences)))


def _n_needed(plan: Plan) -> int:
    """Return the number of labels that the verdict still needs; 0 if it needs none, or if no number would decide."""
    return 0 if plan.next_labels.labels is None else plan.next_labels.labels.more


def _about_the_number(plan: Plan) -> Iterator[str]:
    """Yield sentences that explain the number of labels needed.

    They say why the verdict is open so far, that a better judge may take less work if the number is large, and how many
    labels have to be given if several annotators label each example.
    """
    labels = plan.next_labels.labels
    if plan.agreement is not None:
        yield f"So far: {plan.next_labels.because}"
    if _costs_much(plan):
        yield "A better rubric or judge may take less work than so many labels."
    if labels is not None and labels.more and plan.annotators > 1:
        to_give = labels.more if plan.rows_left is None else min(labels.more, plan.rows_left)
        yield f"Labels to give: {to_give * plan.annotators:,}."


def _costs_much(plan: Plan) -> bool:
    """Return True if the verdict on a judge needs many times as many labels as have been given."""
    labels = plan.next_labels.labels
    return plan.agreement is not None and labels is not None and labels.more >= _MANY_TIMES * plan.labelled


def _onward(plan: Plan, to: str | None) -> tuple[str, str] | None:
    """Return the next step and its command: label the outputs drawn, draw outputs, or calibrate; None if no step fits.

    Args:
        plan: The plan.
        to: The file to which the drawn outputs were written; None if they weren't written.
    """
    commands = plan.commands
    if commands is None:
        return None if plan.init is None else ("Next, to label more of it by a rubric", plan.init)
    labels = plan.next_labels.labels
    if plan.next is not None:
        return "Next", commands.label_pool(_joined(f"--pool {quote(to or _DRAWN)}", plan.on_pages_by_name))
    if _costs_much(plan):
        return "Next, see what to fix before you label", commands.calibrate()
    if plan.rows_left is not None:
        return "Next", commands.label(plan.on_pages_by_name) if labels is not None else commands.calibrate()
    if labels is not None and labels.more:
        if plan.pool is not None and plan.n_left:
            n_next = min(labels.more, plan.n_left)
            pool = f"--next {n_next} --pool {quote(str(plan.pool))}"
            return "Next", commands.label_pool(_joined(pool, plan.on_pool, plan.on_pages))
        if commands.has_unlabelled:
            return "Next", commands.label(plan.on_pages_by_name)
        return "Next", _joined(commands.label_next(labels.more), plan.on_pages)
    if plan.next_labels.to_second:
        return "Next", commands.label(SECOND_ANNOTATOR)
    if plan.to_relabel is not None and plan.next_step == plan.to_relabel:
        return "Next", commands.label(ANNOTATOR)
    is_decided = not plan.next_labels.in_words or labels is not None
    return ("Next", commands.calibrate()) if is_decided else None


def _joined(*options: str | None) -> str:
    return " ".join(filter(None, options))


def _next_run(cost: Cost) -> str:
    """Return a sentence on the cost of calibrating the judge."""
    answered = f" ({cost.kept:,} answered already)" if cost.kept else ""
    return f"Calibrating {cost.judge or 'a judge'} takes {counted(cost.calls, 'call')}{answered}: {dollars(cost.usd)}."


def _asked_for(plan: Plan, to: str | None) -> Iterator[Section]:
    """Render how many labels the user's goals need, and the outputs that were drawn.

    Args:
        plan: The plan.
        to: The file to which the drawn outputs were written; None if they weren't written.
    """
    for goal, title in _GOALS.items():
        needs = [need for need in plan.needs if need.goal == goal and goal in plan.goals]
        if needs:
            by_all = ("labels to give",) if plan.annotators > 1 else ()
            rows = tuple(_need(need, plan.annotators) for need in needs)
            yield Section(title, (Table(("Labels", "more", *by_all, "for", "because"), rows),))
    if plan.next is not None:
        yield _next(plan.next, to)


def _sections(plan: Plan) -> Iterator[Section]:
    """Yield the section on what the next run costs; none for a table, whose calibration asks no judge."""
    if not plan.costs:
        return
    headings = ("Judge", "calls", "already answered", "tokens read", "written", "cost")
    costs = Table(headings, tuple(_cost(cost) for cost in plan.costs))
    basis = tuple(dict.fromkeys(f"{cost.basis[:1].upper()}{cost.basis[1:]}" for cost in plan.costs))
    yield Section("The next run", (costs, Notes(basis)))


def _need(need: Need, annotators: int) -> tuple[Line, ...]:
    to_give = None if need.more is None else need.more * annotators
    counts = (need.labels, need.more, *((to_give,) if annotators > 1 else ()))
    return (*(NONE if count is None else f"{count:,}" for count in counts), need.what, need.basis)


def _cost(cost: Cost) -> tuple[Line, ...]:
    tokens = f"about {cost.input_tokens:,}", f"about {cost.output_tokens:,}"
    return cost.judge or "no judge available", f"{cost.calls:,}", f"{cost.kept:,}", *tokens, dollars(cost.usd)


def _next(draw: Draw, to: str | None) -> Section:
    where = "on standard output" if to is None else f"in {to}"
    lines: list[Line] = [f"{counted(len(draw.picks), 'output')} drawn at random (random seed {draw.seed}), {where}."]
    reasons = [reason for pick in draw.picks for reason in pick.why]
    if reasons:
        lines.append("Among them: " + ", ".join(f"{reasons.count(why)} {why}" for why in dict.fromkeys(reasons)) + ".")
    if draw.systems:
        shares = ", ".join(f"{name} {n}" for name, n in draw.systems.items())
        lines.append(f"Spread so that each system gets a pass rate of its own: {shares}.")
    rows = tuple((s.name, str(s.pool), str(s.labelled), str(s.taken)) for s in draw.strata)
    outputs = counted(sum(s.pool for s in draw.strata), "output")
    notes = [f"Each line has a `weight`, so that results describe all {outputs} of the pool."]
    if draw.systems:
        widths = ", ".join(
            f"{labels} labels {number(100 * width, 0)} points" for labels, width in PLANNED_WIDTHS.items()
        )
        notes.append(f"Width of the interval of a system's rate to expect: {widths}.")
    table = Table(("Stratum", "outputs in the pool", "labelled already", "drawn now"), rows)
    return Section("To label next", (Paragraph(tuple(lines)), table, Notes(tuple(notes))))


def json_of(plan: Plan) -> dict[str, Any]:
    """Return the plan as a dict with the keys of the JSON output."""
    needs = [attributes(need, "goal what labels have more basis") for need in plan.needs]
    planned = attributes(plan, "labelled annotators needs cost=costs next") | {"needs": needs}
    labels = plan.next_labels.labels
    next_step = {
        "labels_needed": None if labels is None else labels.more,
        "labels_chance": None if labels is None else labels.chance,
        "next_step": plan.next_step or "",
    }
    return {"schema": 1, "rubric": {"name": plan.rubric}, **next_step, **planned}
