"""An experiment on a screen, as Markdown, as CSV and as JSON."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from markscheme.calibration.pass_rates import PassRates
from markscheme.counts import counted
from markscheme.experiment.definition import OVERALL, PASS_RATE
from markscheme.experiment.run import ExperimentRun
from markscheme.experiment.table import LEAST_UNITS, Difference, Figure, VariantFigures
from markscheme.judges.judge import total
from markscheme.receipt import calibration_text
from markscheme.report.figures import NONE, chance, number, share_with_interval, with_interval
from markscheme.report.markdown import escaped
from markscheme.report.markdown import table as markdown_table
from markscheme.report.pass_rate_report import pass_rate_json, pass_rate_text
from markscheme.report.screen import Screen
from markscheme.report.words import cut_short
from markscheme.text import printable, spreadsheet_cell

MOST_PAIRS = 3
MOST_REASONS = 3
LONGEST_REASON = 200
HEADINGS = ("variant", "criterion", "mean", "min", "max", "n", "not graded")
SHIFT_HEADINGS = ("second − first", "figure", "difference, 95%", "p", "cases")
CSV_HEADINGS = ("variant", "criterion", "mean", "min", "max", "n", "not_graded", "overall")


@dataclass(frozen=True)
class ExperimentReport:
    """All that is told of a run.

    Attributes:
        run: The graded table.
        rows: Each variant's figures.
        differences: Every two variants.
        since: Each variant then and now; empty without an accepted run that this one can be held against.
        accepted: The day of that run.
        rates: What people would pass; None without a calibration.
        reference: What the labels of that calibration are worth.
        failed: Why the run fails, by the rules that were set.
        notes: What else should be known.
    """

    run: ExperimentRun
    rows: Mapping[str, VariantFigures]
    differences: Sequence[Difference]
    since: Sequence[Difference] = ()
    accepted: str = ""
    rates: PassRates | None = None
    reference: str | None = None
    failed: Sequence[str] = ()
    notes: Sequence[str] = ()


Part = str | tuple[tuple[str, ...], list[tuple[str, ...]]]
"""A line, or a table: its headings and its rows."""


def print_experiment(report: ExperimentReport, file: IO[str], *, width: int | None = None) -> None:
    """Write the report to `file`; colours only where it is a screen."""
    screen = Screen(file, width=width)
    for part in _parts(report):
        if isinstance(part, str):
            screen.say(part)
        else:
            screen.tabulate(*part)


def experiment_markdown(report: ExperimentReport) -> str:
    """The report as Markdown; text from outside is escaped."""
    head, *parts = _parts(report)
    lines = [f"## {escaped(str(head))}"]
    for part in parts:
        lines += ["", *(markdown_table(*part) if isinstance(part, tuple) else [escaped(part)] if part else [])]
    return "\n".join(line for line, after in zip(lines, [*lines[1:], "."], strict=True) if line or after) + "\n"


def experiment_csv(report: ExperimentReport) -> str:
    """A row a figure of each variant, in full precision; text that a spreadsheet would run begins with a quote."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(CSV_HEADINGS)
    for name, row in report.rows.items():
        for figure, found in _figures(row):
            cells = (found.mean, found.least, found.most, found.n, found.not_graded, row.overall.mean)
            out.writerow((_harmless(name), _harmless(figure), *("" if cell is None else cell for cell in cells)))
    return text.getvalue()


def experiment_json(report: ExperimentReport) -> dict[str, Any]:
    """The report as plain data; never a NaN."""
    run = report.run
    experiment, judge = run.experiment, run.grading.judge.identity
    return {
        "schema": 1,
        "experiment": {"name": experiment.name, "variants": list(experiment.by_name), "cases": list(experiment.by_id)},
        "rubric": {"name": experiment.rubric.name, "fingerprint": experiment.rubric.fingerprint},
        "judge": {"name": str(judge), "fingerprint": judge.fingerprint},
        "model": run.outputs.model or None,
        "counts": {"outputs": len(run.grades), "asked_now": run.outputs.made, "not_graded": run.not_graded},
        "table": {name: _row_json(row) for name, row in report.rows.items()},
        "differences": [_difference_json(difference) for difference in report.differences],
        "since_accepted": [_difference_json(difference) for difference in report.since],
        "pass_rates": None if report.rates is None else pass_rate_json(report.rates, report.reference),
        "failed": list(report.failed),
        "notes": list(report.notes),
        "cost": {
            "outputs": run.outputs.usage.to_json(),
            "grades": total(grade.usage for grade in run.grades.values()).to_json(),
        },
    }


# --- in words -------------------------------------------------------------------------------------------------------


def _parts(report: ExperimentReport) -> Iterator[Part]:
    experiment = report.run.experiment
    size = f"{counted(len(experiment.variants), 'variant')} × {counted(len(experiment.cases), 'case')}"
    yield f"Experiment {experiment.name}: {size}, graded by {experiment.rubric.name}"
    yield from _came_about(report)
    yield ""
    yield HEADINGS, [cells for name, row in report.rows.items() for cells in _rows(name, row)]
    yield ""
    yield from (_standing(name, row) for name, row in report.rows.items())
    if report.differences:
        yield ""
        yield SHIFT_HEADINGS, [cells for difference in _shown(report.differences) for cells in _shift_rows(difference)]
        yield from _on_differences(report.differences)
    if report.since:
        yield ""
        yield f"Since the accepted run of {report.accepted}"
        yield SHIFT_HEADINGS, [cells for difference in report.since for cells in _shift_rows(difference)]
    if report.rates is not None:
        yield ""
        yield from pass_rate_text(report.rates, report.reference).splitlines()
    if report.notes or report.failed:
        yield ""
    yield from report.notes
    yield from (f"Fails – {line}" for line in report.failed)


def _came_about(report: ExperimentReport) -> Iterator[str]:
    run = report.run
    where = f"{run.outputs.made} asked for now of {run.outputs.model}" if run.outputs.model else "taken from files"
    yield f"Outputs: {len(run.grades)}, {where}"
    yield f"Judge: {run.grading.judge.identity}, {calibration_text(run.grading.receipt)}"
    cut_off = sum(output.cut_off for output in run.outputs.by_cell.values())
    if cut_off:
        yield f"{cut_off} outputs were cut off at the longest answer allowed (max_tokens)."
    reasons = Counter(grade.error for grade in run.grades.values() if grade.error is not None)
    for why, count in reasons.most_common(MOST_REASONS):
        yield f"Not graded: {count}, because {cut_short(why, LONGEST_REASON)}"


def _figures(row: VariantFigures) -> Iterator[tuple[str, Figure]]:
    yield from row.criteria.items()
    yield OVERALL, row.overall
    rate = row.pass_rate
    yield PASS_RATE, Figure(rate.value, None, None, rate.n, row.overall.not_graded)


def _rows(name: str, row: VariantFigures) -> Iterator[tuple[str, ...]]:
    for place, (figure, found) in enumerate([*row.criteria.items(), (OVERALL, row.overall)]):
        limits = (NONE if limit is None else f"{limit:.3g}" for limit in (found.least, found.most))
        yield ("" if place else name, figure, number(found.mean), *limits, str(found.n), str(found.not_graded))


def _standing(name: str, row: VariantFigures) -> str:
    levels = "" if row.mean_level is None else f" ({number(row.mean_level)} in levels)"
    return f"{name}: overall {number(row.overall.mean)}{levels}; passes {share_with_interval(row.pass_rate)}"


def _shown(differences: Sequence[Difference]) -> list[Difference]:
    """Every pair of few; of many, each variant beside the first. JSON holds every pair."""
    return [d for d in differences if len(differences) <= MOST_PAIRS or d.first == differences[0].first]


def _shift_rows(difference: Difference) -> Iterator[tuple[str, ...]]:
    pair = f"{difference.second} − {difference.first}"
    for place, (name, shift) in enumerate(difference.shifts.items()):
        made = shift.difference
        yield ("" if place else pair, name, with_interval(made, sign=True), chance(shift.p), str(made.n))


def _on_differences(differences: Sequence[Difference]) -> Iterator[str]:
    units = max((shift.difference.n for d in differences for shift in d.shifts.values()), default=0)
    if units < LEAST_UNITS:
        yield f"With {units} cases no difference can be shown, however large: {LEAST_UNITS} are the least."
        return
    for found in differences:
        shift = found.shifts.get(OVERALL)
        if shift is not None and shift.p <= 0.05 and shift.difference.value:
            better, other = (found.second, found.first) if shift.difference.value > 0 else (found.first, found.second)
            yield f"{better} is shown to be better than {other} overall."


def _harmless(text: str) -> str:
    return printable(spreadsheet_cell(text))


# --- as plain data --------------------------------------------------------------------------------------------------


def _row_json(row: VariantFigures) -> dict[str, Any]:
    return {
        "criteria": {name: _figure_json(found) for name, found in row.criteria.items()},
        "overall": _figure_json(row.overall),
        "mean_level": row.mean_level,
        "pass_rate": row.pass_rate.to_json(),
    }


def _figure_json(found: Figure) -> dict[str, Any]:
    return {
        "mean": found.mean,
        "min": found.least,
        "max": found.most,
        "n": found.n,
        "not_graded": found.not_graded,
    }


def _difference_json(difference: Difference) -> dict[str, Any]:
    shifts = {
        name: {**shift.difference.to_json(), "p": shift.p, "worse": shift.is_worse}
        for name, shift in difference.shifts.items()
    }
    return {"first": difference.first, "second": difference.second, "figures": shifts}
