"""The report on an experiment: a row per figure and variant, then which differences are shown."""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from markscheme.features.experiment.definition import OVERALL, PASS_RATE
from markscheme.features.experiment.outcome import ExperimentReport
from markscheme.features.experiment.picture import paired_scores
from markscheme.features.experiment.run import ExperimentRun
from markscheme.features.experiment.table import ALPHA, LEAST_CASES, Difference, Figure, VariantFigures
from markscheme.grading.receipt import calibration_text
from markscheme.judges.judge import total
from markscheme.phrases import MOST_REASONS, brief, counted, number
from markscheme.report.document import (
    Block,
    Callout,
    Document,
    Items,
    Line,
    Name,
    Notes,
    OnPages,
    Paragraph,
    Section,
    Table,
)
from markscheme.report.figures import NONE, chance, cut_short, share_with_interval, with_signed_interval
from markscheme.report.json import attributes
from markscheme.report.plot import Plot
from markscheme.report.views import pass_rate
from markscheme.text import printable, spreadsheet_cell

_MOST_PAIRS = 3
"""Largest number of pairs of variants that are all shown; if there are more, only those with the first variant are."""
_LONGEST_REASON = 200
"""Largest number of characters of a reason why cases aren't graded: two lines of a note."""
_HEADINGS = ("Variant", "criterion", "mean", "min", "max", "n", "not graded")
_SHIFT_HEADINGS = ("Second − first", "figure", "means", "difference (95% CI)", "p", "cases")
_ON_FAULTS = (
    "A fault's mean says how much of it is there: lower is better. Promptfoo shows it the other way round, as 1 minus "
    "its position on the scale."
)
_CSV_HEADINGS = ("variant", "criterion", "mean", "min", "max", "n", "not_graded", "overall")


def view(report: ExperimentReport) -> Document:
    """Return the report on a run of an experiment."""
    experiment = report.run.experiment
    size = f"{counted(len(experiment.variants), 'variant')} × {counted(len(experiment.cases), 'case')}"
    return Document(
        title=f"Experiment {experiment.name}: {size}, graded by {experiment.rubric.name}",
        source=_source(report.run),
        blocks=tuple(_lead(report)),
        sections=tuple(_sections(report)),
    )


def _lead(report: ExperimentReport) -> Iterator[Block]:
    yield _callout(report)
    yield Table(
        ("Variant", "overall", "passes (95% CI)", "not graded"),
        tuple(_variant(name, row) for name, row in report.rows.items()),
    )
    best = _best(report)
    shown = tuple(_pair(difference) for difference in _with_overall(report, best))
    if shown:
        yield Table(("Overall, on the same cases", "means", "difference (95% CI)", "p", "cases"), shown)
    yield Notes((*_missing(report.run), *_since(report), *report.notes))


def _since(report: ExperimentReport) -> Iterator[str]:
    """Yield sentences on how the overall score changed since the accepted run."""
    for difference in report.since:
        shift = difference.shifts.get(OVERALL)
        if shift is not None:
            moved = with_signed_interval(shift.difference)
            yield f"Since the accepted run of {report.accepted}, {difference.second} moved by {moved} (95% CI)."


def _variant(name: str, row: VariantFigures) -> tuple[Line, ...]:
    whole = row.overall
    return Name(name), number(whole.mean), share_with_interval(row.pass_rate), str(whole.not_graded)


def _pair(difference: Difference) -> tuple[Line, ...]:
    shift = difference.shifts[OVERALL]
    means = " and ".join(map(number, reversed(shift.means)))
    pair = Name(f"{difference.second} minus {difference.first}")
    return pair, means, with_signed_interval(shift.difference), chance(shift.p), str(shift.difference.n)


def _best(report: ExperimentReport) -> str:
    """Return the name of the variant with the highest mean overall score; the first one if several are equal."""
    means = {name: -1.0 if row.overall.mean is None else row.overall.mean for name, row in report.rows.items()}
    return max(means, key=lambda name: means[name])


def _callout(report: ExperimentReport) -> Callout:
    """Return the headline: which rules fail the run, else which variant is best, or that none is shown to be best."""
    if report.failed:
        return Callout("bad", "Fails.", "; ".join(report.failed))
    best = _best(report)
    mean = report.rows[best].overall.mean
    if mean is None:
        return Callout("open", "No output has an overall score.", "So no variant can be compared with another.")
    pairs = _with_overall(report, best)
    if not pairs:
        is_alone = len(report.rows) == 1
        why = "There is no other variant" if is_alone else "No other variant has a score on the same cases"
        return Callout("note", f"{best} has a mean of {number(mean)}.", f"{why} to compare it with.")
    closest = min(pairs, key=lambda pair: abs(pair.shifts[OVERALL].difference.value or 0.0))
    rival = closest.first if closest.second == best else closest.second
    shift = closest.shifts[OVERALL]
    means = dict(zip((closest.first, closest.second), map(number, shift.means), strict=True))
    figures_ = f"{best} {means[best]}, {rival} {means[rival]} over the same {counted(shift.difference.n, 'case')}"
    if all(_is_shown(pair, best) for pair in pairs):
        others = rival if len(pairs) == 1 else "every other variant"
        against = "" if len(pairs) == 1 else "The closest: "
        head = f"{best} is better than {others}"
        receipt = report.run.grading.receipt
        if receipt is None or not receipt.holds:
            return Callout("note", f"{head}, by a judge that isn't calibrated.", f"{against}{figures_}.")
        if not receipt.may_trend:
            why = "labels don't show that its scores may be averaged"
            return Callout("note", f"{head}, by this judge alone: {why}.", f"{against}{figures_}.")
        return Callout("good", f"{head}.", f"{against}{figures_}.")
    if max(pair.shifts[OVERALL].difference.n for pair in pairs) < LEAST_CASES:
        few = f"{counted(shift.difference.n, 'case')} can't show any difference; it takes at least {LEAST_CASES}."
        return Callout("open", "Too few cases to name a winner.", f"{few} {figures_}.")
    return Callout("open", "No variant is shown to be the best.", f"{figures_}.")


def _with_overall(report: ExperimentReport, best: str) -> list[Difference]:
    """Return the best variant's comparisons with other variants on overall scores."""
    return [pair for pair in report.differences if best in (pair.first, pair.second) and OVERALL in pair.shifts]


def _is_shown(pair: Difference, best: str) -> bool:
    """Return True if the best variant is significantly better than the other variant of a comparison."""
    shift = pair.shifts[OVERALL]
    gain = shift.difference.value or 0.0
    return shift.p <= ALPHA and (gain > 0 if pair.second == best else gain < 0)


def _every_figure(report: ExperimentReport) -> Iterator[Block]:
    """Yield the table of every variant's figures on each criterion, then a line on each variant as a whole."""
    faults = {criterion.name for criterion in report.run.experiment.rubric.criteria if criterion.weight < 0}
    rows = tuple(cells for name, row in report.rows.items() for cells in _rows(name, row, faults))
    yield Table(_HEADINGS, rows)
    if faults:
        yield Notes((_ON_FAULTS,))
    yield Items(tuple((_whole(name, row),) for name, row in report.rows.items()))


def _sections(report: ExperimentReport) -> Iterator[Section]:
    pictures = [picture for difference in _to_print(report.differences) if (picture := _pairs(report, difference))]
    if pictures:
        yield Section("Case by case", (OnPages(tuple(pictures)),), "cases")
    yield Section("Every figure", tuple(_every_figure(report)), "figures")
    if report.differences:
        rows = tuple(cells for difference in _to_print(report.differences) for cells in _shift_rows(difference))
        lines = Paragraph(tuple(_on_differences(report.differences)))
        yield Section("Differences", (Table(_SHIFT_HEADINGS, rows), lines), "differences")
    if report.since:
        rows = tuple(cells for difference in report.since for cells in _shift_rows(difference))
        yield Section(f"Since the accepted run of {report.accepted}", (Table(_SHIFT_HEADINGS, rows),), "accepted")
    if report.rates is not None:
        rates = pass_rate.view(report.rates, report.reference)
        yield Section(rates.title, rates.blocks, "rates")


def _pairs(report: ExperimentReport, difference: Difference) -> Plot | None:
    """Plot two variants' scores, a point for each case on which both have a score; None for fewer than two cases."""
    grades = report.run.grades
    pairs = []
    for case in report.run.experiment.cases:
        first = grades.get((difference.first, case.id))
        second = grades.get((difference.second, case.id))
        if first is not None and second is not None and first.score is not None and second.score is not None:
            pairs.append((case.id, first.score, second.score))
    return paired_scores(pairs, difference.first, difference.second)


def _source(run: ExperimentRun) -> str:
    made = f"{run.outputs.made} made now by {run.outputs.model}" if run.outputs.model else "from files"
    judge = f"{run.grading.judge.identity}, {calibration_text(run.grading.receipt)}"
    return f"{counted(len(run.grades), 'output')}, {made}. Judge: {judge}."


def _missing(run: ExperimentRun) -> Iterator[str]:
    cut_off = sum(output.cut_off for output in run.outputs.by_cell.values())
    if cut_off:
        yield f"{counted(cut_off, 'output')} cut off at the longest answer allowed (max_tokens)."
    reasons = Counter(grade.error for grade in run.grades.values() if grade.error is not None)
    for why, count in reasons.most_common(MOST_REASONS):
        yield f"{count} not graded: {cut_short(why, _LONGEST_REASON)}"


def _figures(row: VariantFigures) -> Iterator[tuple[str, Figure]]:
    yield from row.criteria.items()
    yield OVERALL, row.overall
    rate = row.pass_rate
    yield PASS_RATE, Figure(rate.value, None, None, rate.n, row.overall.not_graded)


def _rows(name: str, row: VariantFigures, faults: Collection[str]) -> Iterator[tuple[Line, ...]]:
    for index, (figure, cell) in enumerate([*row.criteria.items(), (OVERALL, row.overall)]):
        limits = (NONE if limit is None else brief(limit, 3) for limit in (cell.least, cell.most))
        called = _called(figure, figure in faults)
        yield "" if index else Name(name), called, number(cell.mean), *limits, str(cell.n), str(cell.not_graded)


def _whole(name: str, row: VariantFigures) -> str:
    levels = "" if row.mean_level is None else f" ({number(row.mean_level)} in levels)"
    return f"{name}: overall {number(row.overall.mean)}{levels}; passes {share_with_interval(row.pass_rate)}"


def _to_print(differences: Sequence[Difference]) -> list[Difference]:
    """Return the comparisons of variants to print: all if there are few, else only those with the first variant.

    Args:
        differences: All comparisons, those with the first variant first.
    """
    return [d for d in differences if len(differences) <= _MOST_PAIRS or d.first == differences[0].first]


def _shift_rows(difference: Difference) -> Iterator[tuple[Line, ...]]:
    pair = f"{difference.second} − {difference.first}"
    for index, (name, shift) in enumerate(difference.shifts.items()):
        made = shift.difference
        means = " → ".join(map(number, shift.means))
        figure = _called(name, shift.is_fault)
        yield "" if index else Name(pair), figure, means, with_signed_interval(made), chance(shift.p), str(made.n)


def _called(figure: str, is_fault: bool) -> str:
    return f"{figure} (fault)" if is_fault else figure


def _on_differences(differences: Sequence[Difference]) -> Iterator[str]:
    units = max((shift.difference.n for d in differences for shift in d.shifts.values()), default=0)
    if units < LEAST_CASES:
        yield f"{units} cases can't show any difference, however large; it takes at least {LEAST_CASES}."
        return
    for difference in differences:
        shift = difference.shifts.get(OVERALL)
        if shift is not None and shift.p <= 0.05 and shift.difference.value:
            names = (difference.first, difference.second)
            worse, better = names if shift.difference.value > 0 else reversed(names)
            yield f"{better} is shown to be better than {worse} overall."


# --- as a table for spreadsheets, and as JSON -----------------------------------------------------------------------


def csv_of(report: ExperimentReport) -> str:
    """Return CSV with a row for each figure of each variant, in full precision."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(_CSV_HEADINGS)
    for name, row in report.rows.items():
        for figure, cell in _figures(row):
            values = (cell.mean, cell.least, cell.most, cell.n, cell.not_graded, row.overall.mean)
            out.writerow((_harmless(name), _harmless(figure), *("" if value is None else value for value in values)))
    return text.getvalue()


def _harmless(text: str) -> str:
    return printable(spreadsheet_cell(text))


def json_of(report: ExperimentReport) -> dict[str, Any]:
    """Return the report on an experiment as a dict with the keys of its JSON output."""
    run = report.run
    experiment = run.experiment
    judge = run.grading.judge.identity
    return {
        "schema": 1,
        "experiment": {
            "name": experiment.name,
            "variants": list(experiment.by_name),
            "cases": list(experiment.by_id),
        },
        "rubric": attributes(experiment.rubric, "name fingerprint"),
        "judge": {"name": str(judge), "fingerprint": judge.fingerprint},
        "model": run.outputs.model or None,
        "counts": {"outputs": len(run.grades), "asked_now": run.outputs.made, "not_graded": run.not_graded},
        "table": {name: _row_json(row) for name, row in report.rows.items()},
        "differences": [_difference_json(difference) for difference in report.differences],
        "since_accepted": [_difference_json(difference) for difference in report.since],
        "pass_rates": None if report.rates is None else pass_rate.json_of(report.rates, report.reference),
        **attributes(report, "failed notes"),
        "cost": {"outputs": run.outputs.usage, "grades": total(grade.usage for grade in run.grades.values())},
    }


def _row_json(row: VariantFigures) -> dict[str, Any]:
    figure = "mean min=least max=most n not_graded"
    return {
        "criteria": {name: attributes(cell, figure) for name, cell in row.criteria.items()},
        "overall": attributes(row.overall, figure),
        **attributes(row, "mean_level pass_rate"),
    }


def _difference_json(difference: Difference) -> dict[str, Any]:
    shifts = {
        name: {**shift.difference.to_json(), "means": list(shift.means), "p": shift.p, "worse": shift.is_worse}
        for name, shift in difference.shifts.items()
    }
    return {"first": difference.first, "second": difference.second, "figures": shifts}
