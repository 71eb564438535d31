"""Output of `pass-rate` for one file: its pass rate, corrected by labels."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Any, Final

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.rates.decisions import DecidedExamples, decided_in, read_decided
from markscheme.calibration.rates.pass_rates import DrawnHow, PassRates, pass_rates
from markscheme.commands.grade import UNGRADED
from markscheme.commands.options import existing_file
from markscheme.commands.output import TOO_FEW, show
from markscheme.errors import MarkschemeError, UsageError, naming
from markscheme.features.pass_rate.decided_files import graded_table
from markscheme.features.pass_rate.labels_in_table import read_verdicts_and_labels
from markscheme.features.pass_rate.least_rate import rate_callout, rate_json, rate_status
from markscheme.features.pass_rate.people_rate import (
    examples_of_people,
    people_json,
    people_rates,
    people_view,
    refuse_unknown_pass,
)
from markscheme.grading import MOST_UNGRADED
from markscheme.judges.kinds import kind_of
from markscheme.options.in_force import with_reading_options
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.second_labels import FOR_A_GATE
from markscheme.readers.decisions import DECISION_KEYS
from markscheme.readers.formats import LIST, PROMPTFOO_RESULTS, TABLE, format_of
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.peek import Peek
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rated import RatedFile, RatedFiles, columns_from_options, open_rated
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.readers.tabular.refusals import refusal
from markscheme.report.document import Document, Notes
from markscheme.report.table_words import notes
from markscheme.report.views.pass_rate import json_of, view
from markscheme.rubrics.rubric import Rubric

_BY_ANNOTATORS: Final = (None, "people", "one-person")
"""Kinds of gold that annotators gave, or may have given; of such labels, a gate needs two per example."""


def asks_for_gate(
    files: Sequence[Path], rubric: Rubric | None, least: float | None, columns: ColumnOptions, *, has_labels: bool
) -> bool:
    """Return True if the user wants to know how often runs fall below `least` by chance, instead of a pass rate.

    Args:
        files: The file, or one file for each run over the same cases.
        rubric: The rubric; None for none.
        least: The smallest pass rate, or mean of a run, that is enough; None if none is given.
        columns: What the files' columns and values mean.
        has_labels: True if there are labels, other than those in a table, by which a pass rate is corrected.

    Raises:
        UsageError: Several files are named that aren't one table, joined by id, and `least` is None; or people's
            labels alone don't say which responses pass.
    """
    if least is not None and not has_labels and (len(files) > 1 or not _has_labels_alone(files[0], rubric, columns)):
        return True
    if len(files) > 1 and (has_labels or not _are_one_table(files, columns)):
        several = "several files are runs over the same cases: --at-least T names the gate, or --track watches"
        if not has_labels and len(files) == 2:
            verdicts, labels = files
            named = with_reading_options(
                f"markscheme pass-rate {shlex.quote(str(verdicts))} --calibration {shlex.quote(str(labels))}"
            )
            several = f"{several}; labels of other responses go with --calibration: {named}"
        raise UsageError(several)
    return False


def own_labels(
    files: Sequence[Path], rubric: Rubric | None, columns: ColumnOptions
) -> tuple[RatedFiles, DecidedExamples] | None:
    """Read a single file; return its content, and its examples with decisions by both people and judge.

    Return None if there are several files, if the file is a table or can't be read, or if it has no such examples.
    """
    if len(files) != 1 or names_table([str(files[0])]):
        return None
    try:
        rated = _read_graded(files[0], rubric, columns)
        return rated, decided_in(rated)
    except MarkschemeError:
        return None


def _read_graded(file: Path, rubric: Rubric | None, columns: ColumnOptions) -> RatedFiles:
    return open_rated([file], rubric, expected="decisions", columns=columns_from_options(columns))


def _labelled_by_people_alone(
    file: Path, rubric: Rubric | None, columns: ColumnOptions
) -> tuple[ExampleSet, Rubric] | None:
    """Read a file that people labelled and no judge graded: its examples, and the rubric; None for any other file."""
    try:
        rated = _read_graded(file, rubric, columns)
    except MarkschemeError:
        return None
    examples = examples_of_people(rated)
    return None if examples is None else (examples, rated.rubric)


def _has_labels_alone(file: Path, rubric: Rubric | None, columns: ColumnOptions) -> bool:
    """Return True if a file has people's labels and no judge's verdicts, or is a table with people's labels."""
    if names_table([str(file)]):
        return _is_labelled_table(file, columns)
    return _labelled_by_people_alone(file, rubric, columns) is not None


def _is_labelled_table(path: Path, columns: ColumnOptions) -> bool:
    """Return True if a table has annotators' labels.

    It has them if the user names a column of people's labels, or if it has columns of ratings and none is a judge's.
    """
    with suppress(MarkschemeError):
        return bool(columns.human) or not read_files([path], columns.of_table(), one_side=True).has_judge
    return False


KEY_OF_DECISION: Final = "pass"
"""Key of the judge's decision in lines."""
_UNTOLD: Final = ("nothing-rated", "which-columns")
"""Codes of refusals of a table in which no column, or not each one, is known to be a judge's or people's."""
_NOT_JOINED: Final = ("ids-apart", "no-labels", "nothing-rated", "which-columns")
"""Codes of refusals of several tables that aren't a judge's verdicts and annotators' labels of the same rows."""


def _are_one_table(files: Sequence[Path], columns: ColumnOptions) -> bool:
    """Return True if files are tables to join by id that have annotators' labels; they may have a judge's verdicts too.

    Raises:
        UsageError: The files are such tables, but it isn't known how their values are to be read.
    """
    if not all(names_table([str(file)]) for file in files):
        return False
    try:
        read_files(files, columns.of_table())
    except UsageError as error:
        if error.code in _NOT_JOINED:
            return False
        raise
    return True


def print_rate(
    files: Sequence[Path],
    calibration: Path | None,
    how: DrawnHow | None,
    named: Rubric | None,
    least: float | None,
    columns: ColumnOptions,
    own: tuple[RatedFiles, DecidedExamples] | None,
    *,
    json: bool,
) -> int:
    """Print the pass rate of one file or of joined tables, and return the exit status.

    Args:
        files: The file, or the tables that are joined by id.
        calibration: The file of labels that correct the rate; None if they are in the file itself.
        how: How these labels were drawn; None for what the file says.
        named: The rubric; None for none.
        least: The rate that is enough; None if none is given.
        columns: What the files' columns and values mean.
        own: The result of `own_labels`: the file's content, and the examples in it that people and judge both decided;
            None if there are none, or if the labels are in another file.
        json: True to print JSON.

    Raises:
        UsageError: Labels are missing.
    """
    file = files[0]
    if calibration is not None and named is None and _is_table_of_labels(calibration):
        return _by_labels_in_table(file, calibration, columns.of_table(), how, least, json=json)
    if calibration is None and own is None and named is None and names_table([str(file)]):
        return _of_table(files, columns.of_table(), how, least, json=json)
    _refuse_to_ask(columns, file, named)
    columns.refuse(str(file))
    of_people = None if calibration or own or not file.is_file() else _labelled_by_people_alone(file, named, columns)
    if of_people is not None:
        with naming(file):
            return _of_people(*of_people, how, least, json=json)
    if calibration is None and own is None:
        raise _without_labels(existing_file(file), with_responses=False)
    of_labels = calibration or file
    refuse_unknown_columns([file, of_labels], columns)
    rated, labelled = (_read_graded(file, named, columns), None) if own is None else own
    graded = graded_table(rated)
    labelled = labelled or read_decided(of_labels, named, columns)
    with naming(file, of_labels):
        rates = pass_rates(graded, labelled.table, how=how)
    document = view(rates, labelled.reference)
    more = min(rates.labels, rates.raw.n + rates.not_graded)
    if rates.how == "elsewhere" and more:
        rubric_name = (labelled.rubric or "RUBRIC") if named is None else named.name
        onward = (
            "Next, label some of these responses themselves, from the file they came from",
            Commands.on(rubric_name).label_next(more),
        )
        notes = (Notes((FOR_A_GATE,)),) if labelled.reference in _BY_ANNOTATORS else ()
        document = replace(document, blocks=(*document.blocks, *notes), onward=onward)
    return _print_rate(rates, document, json_of(rates, labelled.reference), least, json=json)


def _without_labels(file: Path, *, with_responses: bool) -> UsageError:
    """Make the error that labels are missing, which names the command that gets labels.

    Args:
        file: What a judge graded.
        with_responses: True if the file is lines with responses and a judge's decisions under `pass`.
    """
    name = shlex.quote(str(file))
    peek = Peek(file)
    if format_of(peek, "anything") == PROMPTFOO_RESULTS:
        hint = f"label some outputs: `{with_reading_options(f'markscheme label {name}')}`"
    elif with_responses:
        init = with_reading_options(f"markscheme init --from {name} --judge {shlex.quote(KEY_OF_DECISION)}")
        hint = f"`{init}` makes a rubric to label some of these responses by"
    elif any("criteria" in record for record in peek.records):
        calibrate = with_reading_options(f"markscheme calibrate RUBRIC --ratings {name} --json FILE")
        hint = f"`{calibrate}` writes it, if some of these responses are labelled"
    else:
        hint = f"its lines are like {dumps({'id': 'a', 'gold': True, 'judge': True})}"
    return UsageError(f"`--calibration FILE` is missing: what annotators and the judge both decided on; {hint}")


def holds_decisions(file: Path, columns: ColumnOptions) -> bool:
    """Return True if a file's lines have a judge's decisions under `pass`, and no option names another judge's key."""
    peek = Peek(file)
    rows = peek.records if peek.is_lines else ()
    return any(isinstance(row.get(KEY_OF_DECISION), bool) for row in rows) and not any(
        name in row for name in columns.judge for row in rows
    )


def _rated(reading: TableReading) -> RatedFiles:
    """Convert a table to the form in which other files of ratings are read, with a rubric made from its columns."""
    path = reading.paths[0] if reading.paths else Path(reading.name)
    rubric = reading.whole_rubric
    ratings = tuple(reading.whole_ratings)
    return RatedFiles(rubric, (RatedFile(path, "a table", rubric, tuple(reading.plain_examples), ratings),))


def _refuse_to_ask(columns: ColumnOptions, file: Path, rubric: Rubric | None) -> None:
    """Raise an error if the user names a judge to ask, since the pass rate is computed from existing grades only.

    Raises:
        UsageError: A judge is named in place of a column.
    """
    judge = next((name for name in columns.judge if kind_of(name) is not None), None)
    if judge is not None:
        name = "RUBRIC" if rubric is None else rubric.name
        words = ["grade", name, str(file), "--judge", judge, "--out", "graded.csv"]
        raise UsageError(
            f"no judge is asked here, so `--judge {judge}` has no effect: grade first by "
            f"`{with_reading_options(f'markscheme {shlex.join(words)}')}`, or add --track"
        )


def _print_rate(
    rates: PassRates, document: Document, data: Mapping[str, Any], least: float | None, *, json: bool
) -> int:
    """Print a pass rate, and whether it reaches a required minimum if there is one; return the exit status.

    If over a tenth of the responses aren't graded, the exit status says so, whatever the rate is.

    Args:
        rates: The pass rates.
        document: The report on them for people.
        data: The report as plain data.
        least: The required minimum; None if there is none.
        json: True to print JSON.
    """
    is_graded = rates.not_graded <= MOST_UNGRADED * (rates.raw.n + rates.not_graded)
    if least is None:
        show(document, data, json=json)
        return UNGRADED if not is_graded else 0 if rates.corrected.undefined is None else TOO_FEW
    rate = rates.corrected
    blocks = (rate_callout(rate, least), *document.blocks)
    show(replace(document, blocks=blocks), {**data, **rate_json(rate, least)}, json=json)
    return rate_status(rate, least) if is_graded else UNGRADED


def _is_table_of_labels(path: Path) -> bool:
    """Return True if labels are in a table, not in lines such as `{"id", "gold": true, "judge": true}`."""
    peek = Peek(path)
    if format_of(peek, "decisions") in (TABLE, LIST):
        return True
    is_read = peek.is_lines and len(peek.records) > 1
    return is_read and all({"criteria", "labels", *DECISION_KEYS}.isdisjoint(line) for line in peek.records)


def _by_labels_in_table(
    file: Path, labels: Path, columns: ColumnOptions, how: DrawnHow | None, least: float | None, *, json: bool
) -> int:
    """Print the pass rate of a file, corrected by the labels in a table; return the exit status.

    Args:
        file: What was graded: a table too, or a file of another format.
        labels: The table with the judge's verdicts and annotators' labels.
        columns: What the columns and values of tables mean.
        how: How the labelled rows were drawn; None if the user doesn't say it.
        least: The pass rate that is enough; None if none is given.
        json: True to print JSON.
    """
    if names_table([str(file)]) and not holds_decisions(file, columns):
        of_verdicts, of_labels = read_verdicts_and_labels(file, labels, columns)
        rated = _rated(of_verdicts)
    else:
        rated = _read_graded(file, None, ColumnOptions())
        of_labels = read_files([labels], columns)
    for note in notes(of_labels):
        print(note, file=sys.stderr)
    with naming(file, labels):
        labelled = decided_in(_rated(of_labels))
        rates = pass_rates(graded_table(rated), labelled.table, how=how)
    document = view(rates, labelled.reference)
    return _print_rate(rates, document, json_of(rates, labelled.reference), least, json=json)


def _of_table(
    files: Sequence[Path], columns: ColumnOptions, how: DrawnHow | None, least: float | None, *, json: bool
) -> int:
    """Print the pass rate of a table's rows, corrected by the labels in the table; return the exit status.

    Args:
        files: The table, or tables that are joined by id.
        columns: What the table's columns and values mean.
        how: How the labelled rows were drawn; None if the user doesn't say it.
        least: The pass rate that is enough; None if none is given.
        json: True to print JSON.

    Raises:
        UsageError: Only some rows are labelled, and it isn't said how these were drawn.
    """
    reading = _read_tables(files, columns)
    for note in notes(reading):
        print(note, file=sys.stderr)
    refuse_unknown_pass(reading)
    (criterion,) = reading.roles.criteria
    if not reading.has_judge:
        with naming(*files):
            return _of_people(reading.examples(criterion), reading.whole_rubric, how, least, json=json)
    if how is None and reading.with_both(criterion) < len(reading.ids):
        choices = [("--drawn", way) for way in ("random", "by-verdict", "elsewhere")]
        raise refusal("drawn", columns=reading.raters(criterion, judges=False), choices=choices)
    with naming(*files):
        rated = _rated(reading)
        labelled = decided_in(rated)
        rates = pass_rates(graded_table(rated), labelled.table, how=how)
    document = view(rates, labelled.reference)
    return _print_rate(rates, document, json_of(rates, labelled.reference), least, json=json)


def _read_tables(files: Sequence[Path], columns: ColumnOptions) -> TableReading:
    """Read tables with people's labels, and a judge's verdicts if there are any.

    In a file of JSON lines, the key `pass` has the judge's decisions, unless other keys show which are the judge's.

    Args:
        files: The table, or tables that are joined by id.
        columns: What the tables' columns and values mean.

    Raises:
        UsageError: The tables can be read in several ways, or have no labels.
    """
    try:
        return read_files(files, columns)
    except UsageError as error:
        if error.code == "one-rater":
            return read_files(files, columns, one_side=True)
        if error.code in _UNTOLD and len(files) == 1 and holds_decisions(files[0], columns):
            return _read_decisions(files[0], columns)
        if error.code == "no-labels":
            error.choices = (*error.choices, "--calibration TABLE")
        raise


def _read_decisions(file: Path, columns: ColumnOptions) -> TableReading:
    """Read lines that have a judge's decisions under `pass`, and people's labels.

    Raises:
        UsageError: There are no labels.
    """
    try:
        return read_files([file], replace(columns, judge=(KEY_OF_DECISION,)))
    except UsageError as error:
        if error.code != "no-labels" and columns.human:
            raise
        has_responses = error.code == "no-labels" and bool(error.facts.get("has_responses", True))
        raise _without_labels(file, with_responses=has_responses) from error


def _of_people(examples: ExampleSet, rubric: Rubric, how: DrawnHow | None, least: float | None, *, json: bool) -> int:
    """Print the share of responses that people pass, for responses that no judge graded; return the exit status.

    Args:
        examples: The examples, with people's labels of all or some.
        rubric: The rubric by which a label passes.
        how: How the labelled examples were drawn; None if the user doesn't say it.
        least: The pass rate that is enough; None if none is given.
        json: True to print JSON.
    """
    rates, gold = people_rates(examples, rubric, how)
    shown, data = people_view(rates, gold, how), people_json(rates, gold, how)
    return _print_rate(replace(rates, not_graded=0), shown, data, least, json=json)  # no judge was to grade them
