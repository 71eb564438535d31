"""Report on the change of a rubric, short enough for a comment on a pull request."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.judge_at_hand import judge_argument
from markscheme.features.compare.rubric_change import RubricChange, RubricVerdict
from markscheme.grading.receipt import allowed_in_words
from markscheme.phrases import counted
from markscheme.report.document import Block, Command, Document, Items, Line, Name, Paragraph, Table
from markscheme.report.figures import NONE, share_with_interval
from markscheme.report.json import attributes
from markscheme.report.word_difference import word_difference


def view(change: RubricChange) -> Document:
    """Render a change of a rubric: verdicts on both versions, reworded criteria, and labels given to the old words."""
    title = f"Rubric {change.name}: {_summary(change)}"
    return Document(title, "", tuple(_blocks(change)))


def _summary(change: RubricChange) -> str:
    if change.was is None:
        return f"new since {change.since}"
    if change.is_same_file:
        return "both versions are the same file"
    return f"{counted(len(change.changes), 'change')} since {change.since}" if change.changes else "no change"


def _blocks(change: RubricChange) -> Iterator[Block]:
    if change.before is not None or change.after is not None:
        rows = (
            ("use", _use(change.before), _use(change.after)),
            ("agreement", _agreement(change.before), _agreement(change.after)),
        )
        yield Table(("", f"before ({change.since})", "now"), rows)
    items = tuple(_changes(change))
    if items:
        yield Items(items)
    if change.labels:
        again = ("Label them again: ", Command(Commands.on(change.now).label()))
        yield Paragraph((f"Labels: {change.labels}", again))
    if change.is_changed and change.after is None:
        yield Paragraph((_still_counts(change),))
        live_judge = None if change.before is None else change.before.live_judge
        judge = None if live_judge is None else judge_argument(live_judge)
        yield Paragraph((("Next: ", Command(Commands.on(change.now, judge).calibrate())),))


def _still_counts(change: RubricChange) -> str:
    """Say whether the accepted run still counts after the rubric's change."""
    if change.before is None:
        return f"No run is accepted at {change.since}, so nothing accepted is lost."
    return "The accepted run is for the rubric before; it doesn't count for this one until a run is accepted again."


def _changes(change: RubricChange) -> Iterator[tuple[Line, ...]]:
    reworded = change.reworded
    for difference in change.changes:
        kind, _, name = difference.key.partition(":")
        if kind == "text" and name in reworded:
            old, new = word_difference(*reworded[name])
            yield (("reworded ", Name(name)), ("before: ", *old), ("now: ", *new))
        else:
            yield (difference.sentence,)


def _use(verdict: RubricVerdict | None) -> str:
    return "no accepted run" if verdict is None else allowed_in_words(verdict.use)


def _agreement(verdict: RubricVerdict | None) -> str:
    if verdict is None:
        return NONE
    return f"{share_with_interval(verdict.agreement)} of {counted(verdict.agreement.n, 'example')}"


def json_of(change: RubricChange) -> dict[str, Any]:
    """Return the change of a rubric as a dict with the keys of its JSON output."""
    reworded = {name: {"before": before, "now": after} for name, (before, after) in change.reworded.items()}
    return {
        "schema": 1,
        "rubric": change.name,
        **attributes(change, "since changed=is_changed"),
        "new": change.was is None,
        "changes": [difference.to_json() for difference in change.changes],
        "reworded": reworded,
        "labels": change.labels or None,
        **{name: _verdict_json(getattr(change, name)) for name in ("before", "after")},
    }


def _verdict_json(verdict: RubricVerdict | None) -> dict[str, Any] | None:
    return None if verdict is None else attributes(verdict, "use verdict agreement")
