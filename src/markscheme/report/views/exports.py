"""The report on an export's judges: a row per metric and judge, and which metric is worth a rubric."""

from collections.abc import Iterator
from typing import Any

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.exports import ExportAnswer
from markscheme.phrases import counted
from markscheme.report import document as doc
from markscheme.report.figures import coefficient, share, share_with_interval
from markscheme.report.json import attributes
from markscheme.report.views.calibration import json_of as json_of_calibration

HEADINGS = ("metric", "judge", "labels", "agreement (95% CI)", "baseline", "annotators", "kappa", "false passes", "use")


def view(found: ExportAnswer) -> doc.Document:
    """The first report on an export, without a rubric."""
    rows = tuple(_row(one) for one in found.metrics)
    return doc.Document(
        title=f"{found.reading.path.name} · {found.reading.taken_for} · {counted(len(rows), 'judged metric')}",
        source="",
        blocks=(_callout(found), doc.Table(HEADINGS, rows), doc.Notes(tuple(_notes(found)))),
    )


def _row(one: Calibration) -> tuple[doc.Line, ...]:
    known = one.comparison
    person, wrong = known.agreement_person, known.false_pass_rate
    passes = doc.Ids(tuple(known.false_passes))
    return (
        doc.Name(one.rubric.name),
        doc.Name(one.rater.name),
        str(known.agreement.n),
        share_with_interval(known.agreement),
        share(known.agreement_constant.value),
        share(None if person is None else person.value),
        coefficient(known.criteria[one.rubric.name].headline),
        (f"{len(passes.ids)} of {wrong.n}: ", passes) if passes.ids else f"0 of {wrong.n}",
        one.decision.use,
    )


def _callout(found: ExportAnswer) -> doc.Callout:
    weak = found.worth_a_rubric
    if weak is None:
        return doc.Callout("good", "No metric needs a rubric: every judge here agrees well enough with the annotators.")
    known, name, files = weak.comparison, weak.rubric.name, " ".join(map(str, found.files))
    figures = f"{weak.rater.name} agrees with the labels on {share(known.agreement.value)} of {known.agreement.n}"
    baseline = f"always giving one level would reach {share(known.agreement_constant.value)}"
    return doc.Callout(
        "bad" if weak.decision.verdict == "adjust" else "open",
        f"{name} is worth a rubric.",
        f"{figures}; {baseline}. Write down what each level means, in a rubric with that criterion, and bring the "
        "labels over.",
        f"markscheme import {files} --rubric RUBRIC --examples examples.jsonl --to ratings.jsonl",
    )


def _notes(found: ExportAnswer) -> Iterator[str]:
    for one in found.metrics:
        kappa = one.comparison.criteria[one.rubric.name].headline
        if kappa.undefined:
            yield f"– {one.rubric.name} by {one.rater.name}: {kappa.undefined}."
    yield from (f"Not compared: {sentence}." for sentence in found.apart)
    yield from (f"Note: {note}." for note in found.reading.notes)
    yield from (f"Left out: {count} {what}." for what, count in found.reading.lost.most_common())


def json_of(found: ExportAnswer) -> dict[str, Any]:
    """The same by the keys of its JSON, each calibration by the keys of its own file format."""
    weak = found.worth_a_rubric
    return {
        "schema": 1,
        "files": found.files,
        **attributes(found.reading, "taken_for lost notes"),
        "metrics": [
            {"metric": one.rubric.name, "judge": one.rater.name, "calibration": json_of_calibration(one)}
            for one in found.metrics
        ],
        "not_compared": found.apart,
        "worth_a_rubric": weak.rubric.name if weak else None,
    }
