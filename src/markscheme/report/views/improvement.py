"""The report on new wordings of a rubric: what the dev labels chose, what held-out labels confirm, and the words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markscheme.calibration.plan import Cost
from markscheme.improvement.candidates import Wording
from markscheme.improvement.confirmation import Answer
from markscheme.improvement.search import Search
from markscheme.improvement.trial import Outcome, TrialPart, Tried
from markscheme.judges.judge import Usage
from markscheme.phrases import counted, number
from markscheme.report import document as doc
from markscheme.report.figures import cut_short, dollars, points, with_interval
from markscheme.report.json import attributes
from markscheme.report.views.tuning import NOT_HUMAN
from markscheme.stats.selection import chance_to_find, held_out_needed, labels_needed

IN_WORDS: dict[Outcome, str] = {
    "better": "better than yours",
    "not better": "not better than yours",
    "stopped early": "not among the better half on the first examples",
    "same scores": "gives the same scores as yours",
    "not graded": "excluded: over a tenth not graded",
    "not screened": "not screened",
}
SELECTED = "selected on these labels: no estimate of what to expect"
RAW = "measured on the labels that confirmed it: `gain` is what to expect"
PLANNED_AGREEMENT = 0.10
"""The gain in agreement that corresponds to a planned gain in MAE."""


@dataclass(frozen=True)
class ImprovementRun:
    """One run of `improve`: what it tried, found and did.

    Attributes:
        search: The wordings tried on dev, and those refused.
        judge: Name of the judge.
        proposer: Name of the model that wrote new words; "" if all came from files.
        sealed: The held-out part; with `outside`, all examples.
        answer: The result on the held-out labels; None if they weren't used.
        outside: Whether the user stated that the wordings were written without these labels.
        usage: Tokens and cost, proposals included.
        graded: Number of examples graded.
        diff: The lines of the rubric's file that change.
        written: Whether they were written.
    """

    search: Search
    judge: str
    proposer: str
    sealed: TrialPart
    answer: Answer | None
    outside: bool
    usage: Usage
    graded: int
    diff: str = ""
    written: bool = False

    @property
    def adopted(self) -> Wording | None:
        """The confirmed wording."""
        return None if self.answer is None else self.answer.adopted

    @property
    def finalists(self) -> tuple[Wording, ...]:
        """The wordings that were, or would be, tested on the held-out labels."""
        return tuple(one.wording for one in self.search.tried) if self.outside else self.search.finalists

    @property
    def because(self) -> str:
        """The result, in a sentence or two."""
        if self.answer is None:
            return self._on_dev()
        if self.answer.adopted is not None:
            return self._adopted(self.answer, self.answer.adopted.name)
        if self.answer.why == "not graded":
            return f"Yours stays: under {_names(self.finalists)} over a tenth of the examples are not graded."
        if self.answer.why == "same scores":
            return f"Yours stays: {_names(self.finalists)} gives the same scores as yours on every example."
        answer, where = self.answer, self._examples(self.answer)
        whose = "The labels" if self.outside else "The held-out labels"
        return (
            f"{whose} don't confirm any of the new wordings; yours stays. With {where} a gain of "
            f"{PLANNED_AGREEMENT:.2f} in agreement is found {_times(chance_to_find(answer.tasks, answer.alpha))}."
        )

    def _on_dev(self) -> str:
        tried, dev = len(self.search.tried), f"the {self.search.dev.n} dev examples"
        if not tried:
            return "No candidate could be tried; yours stays. The held-out labels were not used."
        if not self.finalists:
            what = "The new wording did not do" if tried == 1 else f"None of {tried} wordings did"
            return f"{what} better than yours on {dev}. The held-out labels were not used."
        return (
            f"{_names(self.finalists)} did better than yours on {dev}, which chose among {counted(tried, 'wording')}. "
            f"Only the {self.sealed.n} held-out examples can confirm it."
        )

    def _adopted(self, answer: Answer, name: str) -> str:
        where, gain = self._examples(answer), answer.gain
        if answer.raw is None or gain is None:
            return f"{name} was confirmed on {where} by an earlier run; the judge's replies have changed since."
        vouched = "; you vouch that it was written without these labels" if self.outside else ""
        drop = f"On the {where}, {name}'s MAE is {number(answer.raw, 3)} lower{vouched}."
        limits = "" if gain.low is None else f" (95% CI {number(gain.low, 3)} to {number(gain.high, 3)})"
        return f"{drop} It was selected for doing well, so expect {number(gain.value, 3)}{limits} on new ones."

    def _examples(self, answer: Answer) -> str:
        kind = "labelled" if self.outside else "held-out"
        return _examples(answer, f"{kind} example")


def view(run: ImprovementRun) -> doc.Document:
    """The result, then dev and held-out labels separately, then the words."""
    dev, sealed = run.search.dev, run.sealed
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
    head, _, rest = run.because.partition(". ")
    tone: doc.Tone = "open"
    command = ""
    if run.adopted is not None:
        tone = "good"
        command = "" if run.written else "Write its words into the rubric: the same command with --write"
    elif run.answer is None and run.finalists:
        command = "Test it there, once and on record: the same command with --open"
    yield doc.Callout(tone, f"{head.rstrip('.')}.", f"{rest} {command}".strip())
    notes: list[doc.Line] = []
    if run.search.dev.gold.reference in NOT_HUMAN:
        notes.append(NOT_HUMAN[run.search.dev.gold.reference])
    if run.answer is not None and not run.answer.asked_again:
        notes.append("The recording has your wording only once: how far two runs of the judge differ isn't covered.")
    if run.answer is not None and run.answer.dropped:
        notes.append(f"{counted(run.answer.dropped, 'example')} excluded: not graded under your wording.")
    yield doc.Paragraph(tuple(notes))


def _sections(run: ImprovementRun) -> Iterator[doc.Section]:
    search = run.search
    if not run.outside:
        yield doc.Section(f"On dev: {_examples(search.dev)}, which chose among the wordings", tuple(_dev(run)))
    if search.refused:
        rows = tuple((doc.Name(one.candidate), one.why) for one in search.refused)
        yield doc.Section("Refused", (doc.Table(("Candidate", "because it"), rows),))
    warned = [(doc.Name(one.wording.name), why) for one in search.tried for why in one.wording.warnings]
    if warned:
        yield doc.Section(
            "Look at these before you adopt them", (doc.Table(("Wording", "what to look at"), tuple(warned)),)
        )
    where = "On all labels" if run.outside else "Held out"
    yield doc.Section(f"{where}: {_examples(run.sealed)}", tuple(_held_out(run)))
    shown = (run.adopted,) if run.adopted is not None else run.finalists
    for wording in shown:
        yield doc.Section(f"{wording.name}, side by side with yours", (doc.OnPages((_side_by_side(wording),)),))
    if run.diff:
        head = "Written to the file:" if run.written else "What --write would change in the file:"
        yield doc.Section("The file", (doc.Paragraph((head,)), doc.Verbatim(run.diff)))


def _dev(run: ImprovementRun) -> Iterator[doc.Block]:
    rows = tuple(_row(one, run) for one in run.search.tried)
    if rows:
        yield doc.Table(("Wording", "changes", "on dev"), rows)
    lines: list[doc.Line] = []
    if run.search.stopped:
        lines.append(f"The search ended: {run.search.stopped}.")
    lines.append("By how much a wording did better here says little: it was chosen for that (--json has the figures).")
    yield doc.Notes(tuple(lines))


def _row(one: Tried, run: ImprovementRun) -> tuple[doc.Line, ...]:
    places = ", ".join(sorted(criterion or "guidelines" for criterion in one.wording.criteria))
    says = IN_WORDS[one.outcome]
    if one.outcome == "better" and one.wording in run.finalists:
        says += ", finalist"
    return doc.Name(one.wording.name), places, f"{says} ({cut_short(one.detail, 80)})" if one.detail else says


def _held_out(run: ImprovementRun) -> Iterator[doc.Block]:
    answer = run.answer
    if answer is None:
        yield doc.Paragraph(("Not opened: no label, and no answer of the judge to these examples, was used.",))
        return
    if answer.gain is not None:
        rows = (("MAE, lower by", with_interval(answer.gain)), ("Agreement, points", points(answer.agreement_gain)))
        yield doc.Facts(tuple((f"Expected on new examples: {name}", text) for name, text in rows))
    opening = "" if answer.opening is None else f"Opening {answer.opening} of these labels"
    passes = f"a wording that is no better passes at most {100 * answer.alpha:.3g}% of the time."
    again = " The next opening allows half of that; fresh labels start again." if answer.opening is not None else ""
    yield doc.Notes((f"{opening or 'This test'}: {passes}{again}",))


def _side_by_side(wording: Wording) -> doc.Table:
    rows = tuple((doc.Name(str(one.place)), *doc.word_difference(one.old, one.new)) for one in wording.changes)
    return doc.Table(("Words of", "yours", wording.name), rows)


def _examples(part: TrialPart | Answer, kind: str = "example") -> str:
    tasks = f" in {part.tasks} tasks" if part.tasks < part.n else ""
    return f"{counted(part.n, kind)}{tasks}"


def _names(wordings: tuple[Wording, ...]) -> str:
    return " and ".join(wording.name for wording in wordings)


def _times(chance: float) -> str:
    """A probability in tenths.

    >>> _times(0.57), _times(0.02), _times(0.98)
    ('about 6 times in 10', 'less than once in 10 times', 'nearly always')
    """
    tenths = round(10 * chance)
    if tenths < 1:
        return "less than once in 10 times"
    return "nearly always" if tenths >= 10 else f"about {counted(tenths, 'time')} in 10"


def json_of(run: ImprovementRun) -> dict[str, Any]:
    """The run by the keys of its JSON; dev figures and raw test figures say how far they can be trusted."""
    answer = run.answer
    return {
        "schema": 1,
        "rubric": attributes(run.search.yours, "name fingerprint"),
        "adopted": None if run.adopted is None else run.adopted.name,
        "finalists": [wording.name for wording in run.finalists],
        "refused": run.search.refused,
        **attributes(answer, "gain agreement_gain opening alpha"),
        **attributes(run, "calls=usage.calls sealed=sealed.n"),
        "dev": 0 if run.outside else run.search.dev.n,
        **attributes(run, "because judge"),
        "proposer": run.proposer or None,
        "outside": run.outside,
        **attributes(answer, "asked_again dropped"),
        "tasks": {"dev": run.search.dev.tasks, "sealed": run.sealed.tasks},
        **attributes(run, "rounds=search.rounds graded cost=usage written"),
        "wordings": [_wording_json(one) for one in run.search.tried],
        "held_out": None if answer is None or answer.raw is None else {"mae_lower_by": answer.raw, "note": RAW},
    }


def _wording_json(one: Tried) -> dict[str, Any]:
    return {
        **attributes(one, "name=wording.name fingerprint=wording.rubric.fingerprint outcome warnings=wording.warnings"),
        "changes": [
            {"criterion": change.place.criterion or None, **attributes(change, "field=place.field old new")}
            for change in one.wording.changes
        ],
        "dev": None if one.gain is None else {"mae_lower_by": one.gain, "n": one.n, "note": SELECTED},
    }


# --- before any request ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImprovementPlan:
    """What a run would need and cost.

    Attributes:
        rubric: Its name.
        dev: Dev examples and their tasks.
        sealed: Held-out examples and their tasks.
        opening: Number of the next opening of the held-out labels.
        alpha: The significance level it may spend.
        candidates: Maximum number of wordings to try.
        graded: Maximum number of examples to grade.
        proposals: Maximum number of requests to the proposer.
        cost: Of grading them.
    """

    rubric: str
    dev: tuple[int, int]
    sealed: tuple[int, int]
    opening: int
    alpha: float
    candidates: int
    graded: int
    proposals: int
    cost: Cost

    @property
    def needed(self) -> tuple[int, int]:
        """Held-out tasks that find a gain of 0.10 in agreement 8 times in 10, and labelled tasks in all."""
        held_out = held_out_needed(self.alpha)
        return held_out, labels_needed(held_out)


def plan_view(plan: ImprovementPlan) -> doc.Document:
    """The plan in a few lines."""
    held_out, labels = plan.needed
    chance = _times(chance_to_find(plan.sealed[1], plan.alpha))
    tokens = f"about {plan.cost.input_tokens:,} tokens read, {plan.cost.output_tokens:,} written"
    what = f"a gain of {PLANNED_AGREEMENT:.2f} in agreement"
    tries = f"{counted(plan.candidates, 'wording')}, {plan.graded:,} graded examples, {plan.proposals} proposals"
    rows = (
        ("Dev", f"{counted(plan.dev[0], 'example')} in {counted(plan.dev[1], 'task')}"),
        ("Held out", f"{counted(plan.sealed[0], 'example')} in {counted(plan.sealed[1], 'task')}"),
        ("Next opening", f"number {plan.opening} of these labels, wrong at most {100 * plan.alpha:.3g}% of the time"),
        ("With these labels", f"{what} is found {chance}"),
        ("To find it 8 times in 10", f"{held_out} held-out tasks, {labels} labelled tasks in all"),
        ("At most", tries),
        ("Cost of grading", f"{tokens}, {dollars(plan.cost.usd)}"),
    )
    return doc.Document(plan.rubric, "A plan: no calls were made.", (doc.Facts(rows),))


def plan_json(plan: ImprovementPlan) -> dict[str, Any]:
    """The plan by the keys of its JSON."""
    held_out, labels = plan.needed
    return {"schema": 1, **vars(plan), "held_out_needed": held_out, "labels_needed": labels}
