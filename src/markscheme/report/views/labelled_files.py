"""Report on the judges in an exported file: a row per metric and judge, and which metric is worth a rubric."""

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any

from markscheme.calibration.labelled_files import ToolFilesAnswer
from markscheme.options.in_force import with_reading_options
from markscheme.phrases import counted, in_words
from markscheme.report import document as doc
from markscheme.report.figures import share
from markscheme.report.json import attributes
from markscheme.report.views.calibration import json_of as json_of_calibration
from markscheme.report.views.tables import FIGURE_HEADINGS, figure_cells


def view(answer: ToolFilesAnswer) -> doc.Document:
    """Build the report on another tool's exported file, for which no rubric is needed."""
    rows = tuple(
        (doc.Name(calibration.rubric.name), doc.Name(calibration.rater.name), *figure_cells(calibration))
        for calibration in answer.calibrations
    )
    return doc.Document(
        title=f"{answer.tool_files.path.name} · {answer.tool_files.format} · {counted(len(rows), 'judged metric')}",
        source="",
        blocks=(
            _callout(answer),
            doc.Table(("metric", "judge", *FIGURE_HEADINGS), rows),
            doc.Notes(tuple(_notes(answer))),
        ),
    )


def _callout(answer: ToolFilesAnswer) -> doc.Callout:
    weak = answer.worth_a_rubric
    if weak is None:
        return doc.Callout("good", "No metric needs a rubric: every judge here agrees well enough with the annotators.")
    comparison = weak.comparison
    name = weak.rubric.name
    files = shlex.join(map(str, answer.files))
    imported = f"markscheme import {files}{answer.columns.as_import}"
    figures = (
        f"{weak.rater.name} agrees with the labels on {share(comparison.agreement.value)} of {comparison.agreement.n}"
    )
    baseline = f"always giving one level would reach {share(comparison.agreement_constant.value)}"
    return doc.Callout(
        "bad" if weak.decision.verdict == "adjust" else "open",
        f"{name} is worth a rubric.",
        f"{figures}; {baseline}. Write down what each level means, in a rubric with that criterion, and bring the "
        "labels over.",
        with_reading_options(f"{imported} --rubric RUBRIC --examples examples.jsonl --to ratings.jsonl")
        if answer.tool_files.names_judges
        else f"markscheme init --from {files}",
    )


def _notes(answer: ToolFilesAnswer) -> Iterator[str]:
    for calibration in answer.calibrations:
        kappa = calibration.comparison.criteria[calibration.rubric.name].headline
        if kappa.undefined:
            yield f"– {calibration.rubric.name} by {calibration.rater.name}: {kappa.undefined}."
    without_mark = list(
        dict.fromkeys(str(c.rubric.name) for c in answer.calibrations if not c.rubric.has_gate_question)
    )
    if without_mark:
        yield f"– {in_words(without_mark)}: nothing says which values pass, so no false pass is counted."
    yield from (f"Not compared: {sentence}." for sentence in map(str, answer.apart))
    yield from (f"Note: {note}." for note in answer.tool_files.notes)
    yield from (f"Left out: {count} {name}." for name, count in Counter(answer.tool_files.lost).most_common())


def json_of(answer: ToolFilesAnswer) -> dict[str, Any]:
    """Return the report on an exported file as a dict, with each calibration as in the JSON of `calibrate`."""
    weak = answer.worth_a_rubric
    return {
        "schema": 1,
        "files": answer.files,
        **attributes(answer.tool_files, "taken_for=format lost notes"),
        "metrics": [
            {
                "metric": calibration.rubric.name,
                "judge": calibration.rater.name,
                "calibration": json_of_calibration(calibration),
            }
            for calibration in answer.calibrations
        ],
        "not_compared": list(map(str, answer.apart)),
        "worth_a_rubric": weak.rubric.name if weak else None,
    }
