"""Reports on tables without a rubric: on a judge, by criterion, and on annotators' agreement."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.tables import AnnotatorAgreement, AnnotatorFigures, TableCalibrations
from markscheme.phrases import counted, in_words, listed, percent
from markscheme.report import document as doc
from markscheme.report.figures import coefficient, share, share_with_interval
from markscheme.report.table_words import line_two
from markscheme.report.views import agreement as measures
from markscheme.report.views.calibration import json_of as json_of_calibration
from markscheme.rubrics.search import calibrations
from markscheme.stats import Estimate

FIGURE_HEADINGS: Final = ("labels", "agreement (95% CI)", "baseline", "annotators", "kappa", "false passes", "use")
"""Headings of the columns of figures on a judge by one criterion, next to columns that name criterion and judge."""


def by_criterion(result: TableCalibrations) -> doc.Document:
    """Build the report on a table's judge, with a row for each criterion."""
    reading = result.reading
    first = next(iter(result.criteria.values()))
    rows = tuple(
        (doc.Name(_shown_name(name, calibration)), *figure_cells(calibration))
        for name, calibration in result.criteria.items()
    )
    judges = dict.fromkeys(calibration.rater.name for calibration in result.criteria.values())
    return doc.Document(
        title=f"{reading.name} · {listed([*judges])} · {counted(len(reading.ids), 'row')}",
        source=line_two(reading),
        blocks=(_callout(result), doc.Table(("criterion", *FIGURE_HEADINGS), rows), doc.Notes(tuple(_notes(result)))),
        has_page=True,
        more=first.commands.calibrate(),
        onward=("Next, to go on with a rubric", first.commands.init_from_table()),
    )


def figure_cells(calibration: Calibration) -> tuple[doc.Line, ...]:
    """Return a judge's figures by one criterion, as cells below FIGURE_HEADINGS."""
    comparison = calibration.comparison
    person = comparison.agreement_person
    (compared,) = comparison.criteria.values()
    wrong: doc.Line = "–"
    if calibration.rubric.has_gate_question:
        passes = doc.Ids(tuple(comparison.false_passes))
        of = comparison.false_pass_rate.n
        wrong = (f"{len(passes.ids)} of {of}: ", passes) if passes.ids else f"0 of {of}"
    return (
        str(comparison.agreement.n),
        share_with_interval(comparison.agreement),
        share(comparison.agreement_constant.value),
        share(None if person is None else person.value),
        coefficient(compared.headline),
        wrong,
        calibration.decision.use,
    )


def _shown_name(name: str, calibration: Calibration) -> str:
    """Return a criterion's name; for "", that of the only criterion compared.

    Args:
        name: The criterion's name; "" if the table rates only one thing.
        calibration: The calibration on this criterion.
    """
    return name or next(iter(calibration.comparison.criteria))


def _callout(result: TableCalibrations) -> doc.Callout:
    weak = [
        _shown_name(name, calibration)
        for name, calibration in result.criteria.items()
        if calibration.decision.use not in ("gate", "trend")
    ]
    names = in_words(weak) if weak else ""
    count = counted(len(result.criteria), "criterion", "criteria")
    if not weak:
        return doc.Callout("good", f"The judge can be used on all {count}.")
    return doc.Callout("open", f"Not shown to be usable on {names}.", f"{count} are compared, each by itself.")


def _notes(result: TableCalibrations) -> Iterator[str]:
    yield from (f"Not compared: {name}: {why}." for name, why in result.apart.items())
    yield "Criteria aren't pooled: their weights are a rubric's."


def by_criterion_json(result: TableCalibrations) -> dict[str, Any]:
    """Return the report on a table's judge as a dict, with the JSON of a calibration under each criterion's name."""
    criteria = {name: json_of_calibration(calibration) for name, calibration in result.criteria.items()}
    read = result.reading.to_json()
    return {
        "schema": 1,
        "agreement": None,
        "criteria": {
            name: {key: value for key, value in data.items() if key != "read"} for name, data in criteria.items()
        },
        "not_compared": result.apart,
        "read": read,
    }


# --- annotators alone ------------------------------------------------------------------------------------------------


def of_annotators(result: AnnotatorAgreement) -> doc.Document:
    """Build the report on annotators' agreement: how far they agree, Krippendorff's alpha, and where they differ."""
    reading = result.reading
    blocks: list[doc.Block] = []
    details: list[doc.Section] = []
    for name, figures in result.criteria.items():
        blocks.append(_agreement_callout(name, figures))
        blocks.append(doc.Notes(tuple(_about(figures))))
        blocks += _pairs(figures)
        if figures.differing:
            blocks.append(doc.Notes((("They differ on ", doc.Ids(figures.differing), "."),)))
        details += measures.view(figures.measures).sections
    raters = {name for figures in result.criteria.values() for name in figures.annotators}
    return doc.Document(
        title=f"{reading.name} · {counted(len(reading.ids), 'row')}, {counted(len(raters), 'rater')}",
        source=line_two(reading),
        blocks=tuple(blocks),
        sections=tuple(details),
        has_page=True,
        onward=_onward(result),
    )


def _onward(result: AnnotatorAgreement) -> tuple[str, str] | None:
    """Return the next step with annotators' labels, in words and as a command; None unless the labels are in a file."""
    reading = result.reading
    if not reading.paths:
        return None
    if reading.names_raters:
        return _on_rubric(reading.paths[0], result)
    raters = list(dict.fromkeys(name for figures in result.criteria.values() for name in figures.annotators))
    are_columns = {column.name for column in reading.columns}.issuperset(raters)
    stated = [f"--human {shlex.quote(name)}" for name in raters] if are_columns and not reading.options.human else []
    table = shlex.join(map(str, reading.paths))
    words = "Next, turn their ratings into a rubric with labelled examples"
    return words, Commands(table, " ".join([*stated, reading.options.as_shell.strip()])).init_from_table()


def _on_rubric(labels: Path, result: AnnotatorAgreement) -> tuple[str, str] | None:
    """Return the next step with a rubric's labels: resolve differences of annotators, or else calibrate a judge.

    Return None if the file isn't in a rubric's calibration folder.

    Args:
        labels: The file of labels.
        result: The agreement of annotators in this file.
    """
    folders = calibrations(Path.cwd())
    name = next((name for name, folder in folders.items() if labels.resolve().is_relative_to(folder.resolve())), None)
    if name is None:
        return None
    if not any(figures.differing for figures in result.criteria.values()):
        return "Next", Commands.on(name).calibrate()
    return "Next, decide which label counts where they differ", Commands.on(name).adjudicate()


def _agreement_callout(name: str, figures: AnnotatorFigures) -> doc.Callout:
    tone, good_for = measures.good_for(figures.alpha)
    of = f"{name}: " if name else ""
    two = f"{of}{'The two' if len(figures.annotators) == 2 else 'Two'} annotators"
    two = f"{two} agree on {_share(figures.agreement_person)} of examples"
    rate_all = all(pair.n == figures.several for pair in figures.pairs.values())
    who = f"all {len(figures.annotators)}" if rate_all else "all raters of an example"
    every = f"; {who} on {_share(figures.all_agree)}" if len(figures.annotators) > 2 else ""
    return doc.Callout(tone, f"{two}{every}.", f"Alpha {coefficient(figures.alpha)}: {good_for}.")


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return "none"
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return share_with_interval(estimate)


def _pairs(figures: AnnotatorFigures) -> list[doc.Block]:
    """Tabulate how often each pair of annotators agrees."""
    rows = tuple(
        (doc.Name(" and ".join(pair)), str(agreement.n), share_with_interval(agreement))
        for pair, agreement in figures.pairs.items()
    )
    return [doc.Table(("annotators", "examples", "agreement (95% CI)"), rows)] if rows else []


def _about(figures: AnnotatorFigures) -> Iterator[str]:
    yield f"{counted(figures.several, 'example')} rated by two or more; alpha {coefficient(figures.alpha)}."


def annotators_json(result: AnnotatorAgreement) -> dict[str, Any]:
    """Return the report on annotators as a dict; the figures of several criteria are under `criteria`, by name."""
    by_name = {name: _figures_json(figures) for name, figures in result.criteria.items()}
    read = result.reading.to_json()
    if len(by_name) == 1:
        return {"schema": 1, **next(iter(by_name.values())), "read": read}
    return {"schema": 1, "agreement_person": None, "all_agree": None, "criteria": by_name, "read": read}


def _figures_json(figures: AnnotatorFigures) -> dict[str, Any]:
    measured = measures.json_of(figures.measures)
    return {
        "agreement_person": figures.agreement_person,
        "all_agree": figures.all_agree,
        "alpha": figures.alpha,
        "annotators": figures.annotators,
        "differing": figures.differing,
        "pairs": [{"raters": pair, "agreement": agreement} for pair, agreement in figures.pairs.items()],
        **{key: value for key, value in measured.items() if key != "schema"},
    }
