"""The section of a calibration's report that shows how to rewrite and test a rubric's words."""

from collections.abc import Iterator

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.features.improve.labelled_tasks import LEAST_DEV, LEAST_SEALED, keeps_parts
from markscheme.features.improve.selection import held_out_needed, labels_needed
from markscheme.report import document as doc


def other_words(calibration: Calibration) -> Iterator[doc.Section]:
    """Yield the section on rewriting the rubric's words, with the command, if they are the likely cause of errors."""
    if blocks := tuple(_rewording(calibration)):
        yield doc.Section("Other words", blocks, "words")


def _rewording(calibration: Calibration) -> Iterator[doc.Block]:
    worded = [finding for finding in calibration.findings if finding.kind.fixed_by == "wording"]
    waits = any(finding.kind.step == words.kind.step - 1 for words in worded for finding in calibration.findings)
    has_scores = not np.isnan(calibration.comparison.gold.scores).all()
    if worded and not waits and has_scores and calibration.rater.has_rubric:
        table = calibration.comparison.table
        needed = labels_needed(held_out_needed())
        tasks = len(set(table.groups or table.ids))
        names = ", ".join(dict.fromkeys(finding.criterion or "all criteria" for finding in worded))
        of_gain = "finding a gain of 10 points in agreement with 80% probability"
        of = "tasks" if table.groups else "examples"
        enough = (
            f"{tasks} labelled {of} {'may be too few' if tasks < needed else 'are enough'}: {of_gain} takes {needed}."
        )
        purpose = f"To have the wording of {names} rewritten and tested"
        yield doc.Paragraph((_first_step(calibration, purpose, of), enough))


def _first_step(calibration: Calibration, purpose: str, of: str) -> doc.Line:
    """Return a line with the command that proposes and tests new words.

    If the command can't run yet, the line says what to write or label first.

    Args:
        calibration: The calibration.
        purpose: A clause that begins the line, such as "To have the wording of tone rewritten and tested".
        of: Noun for what has to be labelled: "tasks" or, if examples have no groups, "examples".
    """
    if command := calibration.commands.improve():
        return f"{purpose}: ", doc.Command(command)
    if not keeps_parts(calibration.labelled):
        return f"{purpose}, write dev or test next to each example: its file can't store a part that is drawn."
    return f"{purpose}, label more: it takes {LEAST_DEV} dev and {LEAST_SEALED} held-out {of}."
