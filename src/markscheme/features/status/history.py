"""The history of a rubric's accepted runs: agreement and false passes, with what changed between them."""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING

from markscheme.grading.receipt import allowed_in_words
from markscheme.phrases import in_words
from markscheme.report import document as doc
from markscheme.report.figures import NONE, share
from markscheme.report.plot import Axis, Plot, PlotLine, PlotMark, PlotPoint, PlotRule

if TYPE_CHECKING:
    from markscheme.calibration.accepted.accepted_history import AcceptedPoint

MOST_DRAWN = 24
"""Largest number of accepted runs that are drawn, the latest ones; more dates would overlap."""
MOST_DATES = 6
"""Largest number of dates that are named below the plot: more don't fit on a phone."""
_HEADINGS = ("accepted", "use", "agreement", "false passes", "examples", "judge", "changed")


def history_blocks(history: "Sequence[AcceptedPoint]", target: float | None) -> Iterator[doc.Block]:
    """Yield a plot of a rubric's accepted runs and a list of the changes between them; for a single run, yield a table.

    Args:
        history: The accepted runs, the earliest first.
        target: The target agreement of the last run, 0 to 1; None if it isn't known.
    """
    if not history:
        return
    table = doc.Table(_HEADINGS, tuple(_rows(history)))
    recent = history[-MOST_DRAWN:]
    if len(recent) < 2:
        yield table
        return
    changes = list(_changes(recent))
    yield Plot(
        title="Accepted runs.",
        x=Axis(-0.5, len(recent) - 0.5, tuple(_dates(recent))),
        y=Axis.of_shares(),
        marks=tuple(_marks(recent, changes, target)),
        table=table,
        caption="With 95% CI." + ("" if target is None else f" Dashed: the target, {share(target)}."),
        key=(("agreement", "judge"), ("false passes, of what gold fails", "wrong")),
    )
    if changes:
        yield doc.Items(tuple((f"{letter}: {words}",) for letter, _, words in changes))


def _rows(history: "Sequence[AcceptedPoint]") -> Iterator[tuple[doc.Line, ...]]:
    for index, point in enumerate(history):
        changed = "; ".join(changes_since(history[index - 1], point)) if index else ""
        wrong = _wrong_of(point)
        use = allowed_in_words(point.use)
        agreement = point.agreement.as_share()
        yield point.date, use, agreement, wrong, str(point.examples), doc.Name(point.judge), changed


def changes_since(before: "AcceptedPoint", point: "AcceptedPoint") -> tuple[str, ...]:
    """List what changed between two accepted runs: another judge, reworded criteria, or other settings.

    Args:
        before: The run that was accepted just before the other.
        point: The later run.
    """
    changed = []
    if point.judge != before.judge:
        changed.append(f"judge: {point.judge}")
    reworded = [
        name for name, words in point.wordings.items() if name in before.wordings and before.wordings[name] != words
    ]
    if reworded:
        changed.append(f"{in_words(reworded)} reworded")
    new = [name for name in point.wordings if name not in before.wordings]
    gone = [name for name in before.wordings if name not in point.wordings]
    changed += [f"{in_words(names)} {change}" for names, change in ((new, "added"), (gone, "removed")) if names]
    if point.rubric != before.rubric and not (reworded or new or gone):
        changed.append("rubric: weights, pass mark or settings")
    return tuple(changed)


def _wrong_of(point: "AcceptedPoint") -> str:
    """Return an accepted run's number of false passes as text; a dash if unknown.

    The text is "2" or, if the number of fails is known, "2 of 9".
    """
    if point.false_passes is None:
        return NONE
    return str(len(point.false_passes)) + ("" if point.fails is None else f" of {point.fails}")


def _changes(history: "Sequence[AcceptedPoint]") -> Iterator[tuple[str, int, str]]:
    """Yield, for each accepted run that follows a change, a letter to mark it, its index, and what changed."""
    letters = iter(ascii_lowercase)
    for index in range(1, len(history)):
        changed = changes_since(history[index - 1], history[index])
        if changed:
            yield next(letters), index, f"{history[index].date}, {'; '.join(changed)}"


def _dates(history: "Sequence[AcceptedPoint]") -> Iterator[tuple[float, str]]:
    step = -(-len(history) // MOST_DATES)
    for index in range(len(history) - 1, -1, -step):
        yield float(index), history[index].date


def _marks(
    history: "Sequence[AcceptedPoint]", changes: Sequence[tuple[str, int, str]], target: float | None
) -> Iterator[PlotMark]:
    for letter, run, _ in changes:
        yield PlotRule(run - 0.5, letter, is_upright=True, role="plain")
    if target is not None:
        yield PlotRule(target, "target")
    agreed = [(index, point) for index, point in enumerate(history) if point.agreement.value is not None]
    wrong = [
        (index, len(point.false_passes) / point.fails, point)
        for index, point in enumerate(history)
        if point.fails and point.false_passes is not None
    ]
    yield PlotLine(tuple((float(run), point.agreement.value or 0.0) for run, point in agreed))
    yield PlotLine(tuple((float(run), rate) for run, rate, _ in wrong), "wrong")
    for run, point in agreed:
        estimate = point.agreement
        says = f"{point.date}: agreement {estimate.as_share()}, {point.examples} examples, {point.judge}"
        yield PlotPoint(run, estimate.value or 0.0, estimate.low, estimate.high, says)
    for run, rate, point in wrong:
        says = f"{point.date}: {len(point.false_passes or ())} false passes of {point.fails}"
        yield PlotPoint(run, rate, says=says, role="wrong")
