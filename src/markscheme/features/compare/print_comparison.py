"""Output of `compare`: on judges, on two versions of a rubric, or on the systems in files of pairs."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from markscheme.calibration.file_answers import SIDES_ANSWERS
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported, reporter_of
from markscheme.calibration.wanted_labels import keep_next_labels
from markscheme.commands.options import AskFlags, ReportOptions, existing_file, notify
from markscheme.commands.output import rendered, write_report
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.features.compare import view_rubric_change as of_change
from markscheme.features.compare.contenders import Compared
from markscheme.features.compare.report_judges import json_of, page_of, screen_of
from markscheme.features.compare.rubric_versions import change_between
from markscheme.features.compare.run_comparison import compare_by_name, compared_in_rows, compared_in_tables
from markscheme.features.compare.systems import compare_systems
from markscheme.features.compare.versions import view_versions
from markscheme.features.compare.versions.comparison import compare_versions, have_decisions
from markscheme.features.compare.versions.sides import are_versions, versions_of
from markscheme.files import refuse_unwritable
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rated import has_results, rubric_of_report
from markscheme.report.document import Document
from markscheme.report.table_words import notes
from markscheme.rubrics.search import find_calibration


def print_comparison(
    sides: tuple[str, ...],
    labels: LabelOptions,
    ask: AskFlags,
    columns: ColumnOptions,
    output: ReportOptions,
    *,
    rubric: str | None,
    report: Path | None,
    pairs: bool,
) -> int:
    """Compare judges, versions of a rubric, or systems; print the comparison and return the exit status.

    Args:
        sides: Files, judges or versions of a rubric, as they were typed.
        labels: Which labels count, what must agree, and the tolerance.
        ask: How judges are asked.
        columns: What the files' columns and values mean.
        output: The forms in which the comparison is printed ("-") and written.
        rubric: A rubric's name or file; None for the one that `sides` name or imply.
        report: For two versions of a rubric, the JSON of a calibration by the second version.
        pairs: True to compare the systems in files of pairs.
    """
    _refuse_forms(output)
    answers = (compared(sides, rubric, labels) for compared in SIDES_ANSWERS)
    answer = None if pairs else next((answer for answer in answers if answer is not None), None)
    if answer is not None:
        return _print_answer(answer, output)
    if not pairs and rubric is None and report is None and are_versions(sides):
        judge = _judge_of_versions(labels, columns)
        if judge is not None or have_decisions(sides, labels.examples):
            return _compare_versions(sides, labels, judge, ask, output)
    change = None if pairs or rubric is not None else change_between(sides, report)
    if change is not None:
        _write(output, of_change.view(change), of_change.json_of(change))
        return int(change.is_changed)
    if report is not None:
        raise UsageError("--report is for two versions of a rubric, such as reply@HEAD~1 reply")
    if pairs:
        files = tuple(existing_file(Path(path)) for path in sides)
        by = None if rubric is None else ask.rubric(rubric)
        return _print_answer(compare_systems(files, by, labels=labels, columns=columns), output)
    compared = _compared_judges(sides, labels, ask, columns, rubric)
    _keep(compared, labels)
    _print_judges(compared, sides, output)
    return 0


def _judge_of_versions(labels: LabelOptions, columns: ColumnOptions) -> str | None:
    """Return the judge that is asked by both versions of a rubric; None if none is named.

    Raises:
        UsageError: An option has no effect on versions of a rubric, or several judges are named.
    """
    _refuse_part(labels, "two versions of a rubric are compared on all of its examples")
    columns.refuse("this comparison")
    judges = columns.judge
    if len(judges) > 1:
        raise UsageError(f"one judge is asked by both versions, and {len(judges)} are named")
    return next(iter(judges), None)


def _compared_judges(
    sides: tuple[str, ...], labels: LabelOptions, ask: AskFlags, columns: ColumnOptions, rubric: str | None
) -> Compared:
    """Compare judges: those in a file of rows with own rubrics, the columns of tables, or those named by `sides`."""
    compared = compared_in_rows(Path(sides[0]), labels) if rubric is None and len(sides) == 1 else None
    if compared is not None:
        return compared
    if rubric is None and names_table(sides):
        _refuse_part(labels, "a table contains its own examples, which all count", examples=labels.examples)
        return compared_in_tables([Path(side) for side in sides], columns.of_table(), labels)
    return compare_by_name(
        sides,
        None if rubric is None else _without_sizes(ask).rubric(rubric),
        labels.examples,
        options=labels,
        ask=ask,
        columns=columns,
        watch=progress,
    )


def _print_judges(compared: Compared, sides: Sequence[str], output: ReportOptions) -> None:
    """Print which judge is better; the page shows single examples too."""
    if compared.table is not None:
        for note in notes(compared.table):
            notify(note)
    document = screen_of(compared)
    labelling = document.onward if compared.choice.rubric.source is not None else None
    write_report(
        lambda: replace(document, onward=labelling or _onward(compared, sides), has_page=True),
        lambda: json_of(compared),
        output.targets,
        details=output.details,
        quiet=_is_printed(output),
        markdown=lambda: rendered(document, "markdown"),
        html=lambda: rendered(page_of(compared), "html"),
    )


def _refuse_forms(output: ReportOptions) -> None:
    """Raise UsageError if standard output has to hold two forms, or if the page can't be written."""
    if output.json and output.markdown:
        raise UsageError("--json and --markdown cannot share standard output; ask for one of them")
    if output.html == "-":
        raise UsageError("`--html` must be a file; standard output contains the comparison itself")
    refuse_unwritable(output.html)


def _write(output: ReportOptions, document: Document, data: object) -> None:
    """Print a comparison that has no details, and write its page.

    Args:
        output: The forms in which the comparison is printed ("-") and written.
        document: The comparison as a document.
        data: The comparison as data, by the keys of its JSON.
    """
    write_report(lambda: document, lambda: data, output.targets, quiet=_is_printed(output))


def _is_printed(output: ReportOptions) -> bool:
    """Return True if the comparison is printed as JSON or Markdown, in place of the report."""
    return "-" in output.targets.values()


def _refuse_part(labels: LabelOptions, why: str, **more: object) -> None:
    """Refuse options that choose a part of the examples, where they would have no effect.

    Args:
        labels: Which labels count, with the part of the examples that was chosen.
        why: Reason why these options have no effect, for the message.
        more: Further options by name, and their values.
    """
    for option, value in {"split": labels.split, "only": labels.only, **more}.items():
        if value:
            raise UsageError(f"--{option} has no effect here: {why}")


def _without_sizes(ask: AskFlags) -> AskFlags:
    """Return the options; a `criteria_per_call` with several numbers, which only a comparison takes, is left out."""
    return replace(ask, criteria_per_call=None) if isinstance(ask.criteria_per_call, tuple) else ask


def _print_answer(answer: Reported, output: ReportOptions) -> int:
    """Print a comparison that can render itself, such as one of counts files or systems; return exit status 0."""
    view = reporter_of(answer).view
    quiet = _is_printed(output)
    write_report(lambda: view(answer), answer.to_json, output.targets, quiet=quiet, markdown=answer.to_markdown)
    return 0


def _compare_versions(
    versions: tuple[str, ...], labels: LabelOptions, judge: str | None, ask: AskFlags, output: ReportOptions
) -> int:
    """Print which of two versions of a rubric decides more as people do; return exit status 0.

    Args:
        versions: The two versions, as they were typed.
        labels: The file of labelled examples.
        judge: Name of the judge to ask by both versions; None to compute decisions from people's levels.
        ask: How the judge is asked.
        output: The forms in which the comparison is printed ("-") and written.
    """
    old, new = versions_of(versions)
    compared = compare_versions(old, new, examples=labels.examples, judge=judge, ask=ask, watch=progress)
    _write(output, view_versions.view(compared), view_versions.json_of(compared))
    return 0


def _keep(compared: Compared, labels: LabelOptions) -> None:
    """Store the number of labels that the verdict on the chosen judge still needs, for `label` and `status`."""
    folder = find_calibration(compared.choice.rubric.name, Path.cwd())
    judge = compared.recommended or compared.best
    is_own = labels.examples is None and labels.split is None and compared.choice.rubric.source is not None
    decision = None if compared.choice.ungraded else compared.decision
    if folder is None or judge is None or decision is None or compared.truth is None or not is_own:
        return
    with contextlib.suppress(OSError):
        keep_next_labels(decision, compared.truth, judge, folder)


def _onward(compared: Compared, sides: Sequence[str]) -> tuple[str, str] | None:
    """Return the next step and its command: calibrate the recommended judge or, if none is, the best one.

    Return None if no judge is best, or if a judge left over a tenth of the examples without a grade. If the rubric has
    a file, there is a command for a judge that the user named, or for a file of ratings, but none for the JSON of a
    calibration. If the rubric has no file, there is a command only for Promptfoo's results.

    Args:
        compared: The comparison.
        sides: The judges and files that were compared, as the user named them.
    """
    choice = compared.choice
    names = [contender.name for contender in compared.contenders]
    chosen = choice.recommended or choice.best
    if chosen is None or choice.ungraded or len(names) != len(sides):
        return None
    side = sides[names.index(chosen)]
    is_file = Path(side).is_file()
    words = "Next, see whether it can gate"
    if choice.rubric.source is None:
        return (words, Commands(quote(side)).calibrate()) if is_file and has_results(Path(side)) else None
    if is_file and rubric_of_report(Path(side)) is not None:
        return None
    option = "ratings" if Path(side).exists() else "judge"
    return words, Commands.on(choice.rubric).calibrate_by(**{option: f"--{option} {quote(side)}"})
