"""The number of labels that a calibration asks for: planned beforehand, and saved for `next_labels` afterwards."""

import json
from datetime import date
from pathlib import Path
from typing import Any

from markscheme.calibration.comparison.verdict import Decision
from markscheme.calibration.decision import labels_to_begin
from markscheme.calibration.next_labels import NEXT_LABELS, NextLabels, asked_first
from markscheme.calibration.reasons import scarce_decision
from markscheme.files import refuse_link, write_whole
from markscheme.ratings.gold import Gold


def planned_labels(gold: Gold, decision: Decision | None, target: float, *, has_fails: bool) -> NextLabels:
    """Return the number of labels that a calibration made now would ask for, with the sentence that it would print.

    Args:
        gold: The labels so far.
        decision: The decision on the judge by these labels; None if its ratings aren't known.
        target: Share of examples on which the judge must agree, 0 to 1.
        has_fails: True if single responses pass or fail by the rubric.
    """
    if decision is None:
        return asked_first(labels_to_begin(gold, target), by_people=gold.has_people, has_fails=has_fails)
    return NextLabels(decision.labels, decision.next_step, because=decision.because)


def keep_next_labels(decision: Decision, gold: Gold, judge: str, folder: Path) -> None:
    """Save the number of labels that the verdict on a judge asks for, if gold is from people.

    Args:
        decision: The verdict.
        gold: The labels that the verdict is based on.
        judge: The judge's name.
        folder: The rubric's calibration folder.

    Raises:
        OSError: The folder can't be written, or a link is where the file belongs.
    """
    if not gold.has_people:
        return
    labels = decision.labels
    scarce = None if decision.gate_answer is None else scarce_decision(decision.gate_answer)
    record: dict[str, Any] = {
        "schema": 1,
        "at": date.today().isoformat(),
        "judge": judge,
        "labelled": len(gold.ids),
        "verdict": decision.verdict,
        "labels_needed": decision.labels_needed,
        "labels_chance": decision.labels_chance,
        "assumed": None if labels is None else labels.assumed,
        "scarce": None if scarce is None else dict(zip(("decision", "share"), scarce, strict=True)),
        "next_step": decision.next_step or "",
        "by_one": decision.because_code == "one-annotator",
    }
    path = folder / NEXT_LABELS
    refuse_link(path)
    write_whole(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n", follow=False)
