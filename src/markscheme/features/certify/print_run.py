"""Output of `certify`: the decisions of a rubric's judges, or of a table's columns, that need no person."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.options import LabelOptions
from markscheme.commands.options import AskFlags
from markscheme.commands.output import TOO_FEW, show, typed
from markscheme.commands.progress import progress
from markscheme.errors import UsageError, naming
from markscheme.features.certify.candidates import files_of, stages_named
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.run import certify, certify_rows, certify_table
from markscheme.features.certify.view import json_of, view
from markscheme.files import refuse_unwritable
from markscheme.git import refuse_uncommitted
from markscheme.judges.kinds import kind_of
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import brings_rubrics, names_table
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric


def print_certificate(
    rubric: str,
    judge: str | None,
    promise: Promise,
    labels: LabelOptions,
    ask: AskFlags,
    columns: ColumnOptions,
    *,
    ratings: Sequence[Path],
    write: bool,
    ask_within: bool,
    force: bool,
    details: bool,
    json: bool,
) -> int:
    """Find which decisions need no person, print them, and return the exit status.

    Args:
        rubric: The name or file of the rubric, a table, or a file of rows with rubrics of their own.
        judge: The judges, as they are named after `--judge`; None for the judge that is set, or else the default one.
        promise: The promise that automatic decisions must keep.
        labels: Which labels count, and their file.
        ask: How judges are asked.
        columns: What the files' columns and values mean.
        ratings: Files of ratings instead of judges.
        write: True to write the certificate next to the labels.
        ask_within: True to write it as the rubric's gray zone.
        force: True to write even a file with uncommitted changes.
        details: True to print the details too.
        json: True to print JSON.
    """
    brings_own = brings_rubrics(Path(rubric))
    if brings_own or names_table([rubric]):
        if write or ask_within:
            subject = "rows name" if brings_own else "a table names"
            raise UsageError(f"{subject} no judge to ask, so there is nothing to write: certify a rubric")
        for option, value in {"ratings": ratings, "examples": labels.examples}.items():
            if value:
                raise UsageError(f"--{option} needs a rubric; {rubric} contains its own ratings")
        if brings_own:
            columns.refuse(rubric)
            run = certify_rows(Path(rubric), judge, promise, labels.gold)
        else:
            run = certify_table(Path(rubric), judge, promise, columns, labels.gold)
    else:
        if not ratings and not any(files_of(stage) for stage in stages_named(judge or "")):
            columns.refuse(rubric)
        if ask_within:
            path = find_rubric(rubric)
            refuse_unwritable(path)
            refuse_uncommitted(path, force=force)
        with naming(*ratings):
            run = certify(
                ask.rubric(rubric),
                judge,
                promise,
                ratings=ratings,
                examples=labels.examples,
                gold=labels.gold,
                ask=ask,
                columns=columns,
                watch=progress,
                writes=write,
                zone=ask_within,
            )
    commands = _commands(run.rubric, judge, ratings, columns).after(labels.examples, None if ratings else ask)
    show(view(run, typed(), commands), json_of(run), json=json, details=details)
    return 0 if run.certificate.is_supported else TOO_FEW


def _commands(rubric: Rubric, judge: str | None, ratings: Sequence[Path], columns: ColumnOptions) -> Commands:
    """Return the builder of the commands suggested next, which name the last judge that is asked, or its file.

    Args:
        rubric: The rubric.
        judge: Names of the judges, separated by commas, as typed; None if none is named.
        ratings: Files of judges' ratings.
        columns: What the columns of these files mean.
    """
    last = (judge or "").rpartition(",")[2]
    file = ratings[-1] if ratings else Path(last)
    if ratings or (last and file.is_file()):
        return replace(Commands.on(rubric), judge=f"--ratings {quote(str(file))}{columns.as_import}", asks=False)
    return Commands.on(rubric, last if kind_of(last) is not None else None)
