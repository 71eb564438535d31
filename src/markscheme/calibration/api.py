"""The Python functions that calibrate a judge and measure agreement."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, cast, get_args

from markscheme.calibration.agreement import Agreement, ScaleName, agreement_of
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.call_arguments import (
    PlainRow,
    arguments_of,
    as_argument,
    examples_given,
)
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.requests.tables import answer_of_table
from markscheme.calibration.table_frames import is_table_in_memory, read_in_memory, rows_in_memory
from markscheme.errors import UsageError, leaving_out_damaged_lines
from markscheme.grading.grader import ask_options
from markscheme.judges.options import ASK_OPTIONS
from markscheme.options.calls import CallOptions
from markscheme.options.in_force import hold
from markscheme.options.reading import DamageOptions
from markscheme.options.settings import find_settings
from markscheme.options.table import REFUSE_IDLE
from markscheme.plain_data import shown
from markscheme.progress import Watch, unwatched
from markscheme.prompts.submission import refuse_frame
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating, ratings_from
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rater_columns import open_rater_table
from markscheme.readers.rater_table import rater_table_from
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.coefficients import NamedWeights
from markscheme.stats.table_agreement import Pooling

CALIBRATING = CallOptions(
    "calibrate",
    LabelOptions,
    AcceptingOptions,
    ColumnOptions,
    DamageOptions,
    without=("examples", "of", "judge"),
)


@CALIBRATING.describe
def calibrate(
    rubric: Any,
    examples: str | Path | Iterable[Example | PlainRow] | None = None,
    judge: Any = None,
    ratings: str | Path | Iterable[str | Path] | Iterable[Rating | PlainRow] | None = None,
    *,
    watch: Watch = unwatched,
    notify: Callable[[str], None] | None = None,
    **options: Any,
) -> Calibration:
    """Compare a judge with labels: whether it can decide, and what to fix.

    Works where an event loop is running too, such as in a notebook, which shows the result as a report. Arguments that
    aren't given are taken from the settings file (`markscheme.toml`) of the working directory, as on the command line.

    Args:
        rubric: A rubric, its name or its file; or Promptfoo's results, another tool's export, or a table, which contain
            labels and a judge's ratings. A table is a file or several, a data frame of pandas, polars or pyarrow, rows,
            or columns by name.
        examples: Labelled examples, or their file; the rubric's own by default.
        judge: A judge, which stays open, or a name as on the command line; by default the rubric's own, else one that
            is available. For a table, the name of the judge's column.
        ratings: The judge's ratings, or files of them; then no judge is asked.
        watch: Shows progress.
        notify: Called with a sentence on what was accepted, or on how a table was read.
        options: How the judge is asked, as on the command line: `samples=3`, `budget=2`.

    Returns:
        A Calibration; for a table with several criteria a TableCalibrations, and for one with annotators alone an
        AnnotatorAgreement.

    Raises:
        NoJudge: No judge was named, and none is available.
        UsageError: The rubric, the judge or an option is unknown, there are no labels, or ratings are of several
            judges.
        RatingError: Examples or ratings can't be read.
        NothingGraded: The judge failed on every example.

    Example:
        >>> calibration = calibrate("code-quality")
        >>> calibration.use, calibration.verdict, len(calibration.ratings)
        ('explore', 'not-enough-labels', 73)
    """
    added, asking = CALIBRATING.read(options, find_settings(Path.cwd()), ASK_OPTIONS)
    columns = added.of(ColumnOptions)
    reading = table_given(rubric, columns, judge)
    if reading is None and not isinstance(rubric, Rubric | str | Path):
        allowed = "a rubric's name or file, a Rubric, results, or a table (a file, a data frame, rows or columns)"
        raise UsageError(f"`calibrate` takes {allowed}, got {shown(rubric)}")
    if reading is None and columns.first_of_tables() is not None:
        name = rubric.name if isinstance(rubric, Rubric) else rubric
        raise UsageError(f"`{columns.first_of_tables()}` names columns of a table that needs no rubric; {name} is none")
    arguments = {"rubric": rubric, "table": reading, "examples": examples, "ratings": ratings, "added": added}
    for refuse in REFUSE_IDLE:
        refuse("calibrate", options, arguments)
    labels = added.of(LabelOptions)
    request = CalibrationRequest(
        of=rubric if isinstance(rubric, Rubric) else (str(rubric),) if reading is None else ("table",),
        examples=examples_given(examples, rubric),
        judges=(judge,) if judge is not None and reading is None else (),
        judge_is_configured=False,
        ratings=_ratings(ratings, rubric),
        options=labels,
        ask=ask_options(judge, asking),
        added=added,
        accepting=added.of(AcceptingOptions),
        columns=columns,
        watch=watch,
        notify=notify,
        spell=as_argument,
    )
    if reading is not None:
        return _only(answer_of_table(request, reading))
    with leaving_out_damaged_lines(added.of(DamageOptions).skip_damaged), hold(added):
        of_tool_files = request.of_tool_files()
        if isinstance(of_tool_files, FileAnswer):
            return _only(of_tool_files)
        calibrations = request.calibrations() if of_tool_files is None else list(of_tool_files.calibrations)
    return _only(calibrations)


def _only(result: Any) -> Calibration:
    """Return the calibration that a call made; raise an error if the call made several."""
    if not isinstance(result, list):
        return cast(Calibration, result)
    if len(result) > 1:
        names = ", ".join(f"{calibration.rater.name} on {calibration.rubric.name}" for calibration in result)
        raise UsageError(
            f"there are {len(result)} judges to calibrate ({names}); name one with `judge`, or give its ratings"
        )
    return cast(Calibration, result[0])


def agreement(
    table: Any,
    scale: ScaleName | None = None,
    *,
    levels: str | None = None,
    weights: NamedWeights | None = None,
    pairs: Pooling | None = None,
    judge: str | None = None,
    criterion: str | None = None,
) -> Agreement:
    """Compute every measure of agreement between the raters in a table, each with its interval.

    Args:
        table: A CSV table with units in rows and raters in columns, as a file, a data frame, rows or columns by name;
            or a file of ratings in any other format. None or an empty cell is a missing rating. A first column named
            unit, id or item holds the units' names.
        scale: "nominal", "ordinal" or "interval"; by default ordinal for numbers, else nominal.
        levels: The scale's levels, worst first, as on the command line; by default those that occur.
        weights: Cost of a disagreement: "identity", "linear" or "quadratic"; by default quadratic if levels have an
            order.
        pairs: How statistics that are defined for two raters are computed if there are more raters: as the mean over
            pairs, or from pooled units; None to leave these statistics out.
        judge: A rater to compare with each of the other raters.
        criterion: The criterion to compare, if a file names criteria: its name, "score" or "pass".

    Raises:
        UsageError: The scale doesn't fit the levels, a rater is unknown, or the file doesn't exist.
        RatingError: The table can't be read.

    Example:
        >>> table = [{"ann": 1, "ben": 1}, {"ann": 2, "ben": 3}, {"ann": 3, "ben": 3}, {"ann": 1, "ben": 1}]
        >>> round(agreement(table).statistics["krippendorff_alpha"].value, 2)
        0.9
    """
    if scale is not None and not (isinstance(scale, str) and scale in get_args(ScaleName)):
        raise UsageError(f"`scale` must be one of {', '.join(get_args(ScaleName))}, got {shown(scale)}")
    between = scale != "nominal"
    if isinstance(table, str | Path):
        read = open_rater_table(Path(table), levels, between=between, criterion=criterion)
    else:
        read = rater_table_from(rows_in_memory(table), levels, between=between)
    return agreement_of(read, scale, are_ordered=bool(levels), weights=weights, pairs=pairs, judge=judge)


# --- what may be given in several forms -----------------------------------------------------------------------------


def _ratings(
    ratings: str | Path | Iterable[str | Path] | Iterable[Rating | PlainRow] | None, rubric: Rubric | str | Path
) -> tuple[Path, ...] | list[Rating]:
    if ratings is None:
        return ()
    if isinstance(ratings, str | Path):
        return (Path(ratings),)
    refuse_frame(ratings)
    listed = list(ratings)
    paths = tuple(Path(source) for source in listed if isinstance(source, str | Path))
    rows = [source for source in listed if not isinstance(source, str | Path)]
    if bool(paths) == bool(rows):
        raise UsageError("`ratings` must be files, or ratings: there are none, or both")
    return paths or ratings_from(rows, rubric_given(rubric), rater="judge")


def table_given(source: Any, columns: ColumnOptions, judge: Any, *, function: str = "calibrate") -> TableReading | None:
    """Read a table that is given as a file, a data frame, rows or columns; None if the argument isn't a table.

    Args:
        source: The argument, which may be a table.
        columns: What the table's columns and values mean.
        judge: The caller's `judge`: a name or names may be columns of the table.
        function: Name of the called function, for the message.

    Raises:
        UsageError: The table can't be read; the message names options as arguments of the function.
    """
    if isinstance(source, Rubric):
        return None
    options = _of_judges(columns, judge)
    source = list(source) if isinstance(source, Iterator) else source
    try:
        return _read_table(source, options, judge)
    except UsageError as error:
        error.called = f"{function}({_as_argument(source)},"
        of_options = (choice for choice in error.choices if choice.startswith("-"))
        error.choices = tuple(arguments_of(f"{options.as_shell} {choice}") for choice in of_options)
        error.spell = as_argument
        raise


def _as_argument(table: Any) -> str:
    """Write a table as the argument of a call: its file or files, or TABLE for one in memory."""
    if isinstance(table, str | Path):
        return repr(str(table))
    is_of_files = isinstance(table, list | tuple) and all(isinstance(file, str | Path) for file in table)
    return repr(list(map(str, table))) if is_of_files else "TABLE"


def _read_table(source: Any, options: ColumnOptions, judge: Any) -> TableReading | None:
    listed = [source] if isinstance(source, str | Path) else list(source) if isinstance(source, list | tuple) else []
    names = list(map(str, listed)) if all(isinstance(file, str | Path) for file in listed) else []
    if not (names_table(names) if names else is_table_in_memory(source)):
        return None
    if judge is not None and not isinstance(judge, str | list | tuple):
        raise UsageError("of a table, `judge` is the name of the judge's column")
    return read_files(list(map(Path, names)), options) if names else read_in_memory(source, options)


def _of_judges(columns: ColumnOptions, judge: Any) -> ColumnOptions:
    names = (judge,) if isinstance(judge, str) else judge if isinstance(judge, list | tuple) else ()
    return columns.of_table(names)
