"""The Python function `compare`, which runs the same code as the command."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.calibration.api import table_given
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.call_arguments import (
    PlainRow,
    arguments_of,
    as_argument,
    examples_given,
)
from markscheme.calibration.options import LIMITS_OF_A_VERDICT, LabelOptions
from markscheme.errors import UsageError, leaving_out_damaged_lines
from markscheme.features.compare.contenders import Compared, compare_calibrations
from markscheme.features.compare.run_comparison import compare_by_name, compared_in_table, options_of_judges
from markscheme.grading.grader import ask_options
from markscheme.judges.judge import Judge
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
from markscheme.ratings.program_rows import rating_cells
from markscheme.ratings.rating import Rating, ratings_from
from markscheme.readers.infer_rubric import rubric_of_levels
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rated import RatedFile
from markscheme.readers.reported import JudgeCost
from markscheme.rubrics.file import rubric_given
from markscheme.rubrics.rubric import Rubric

COMPARING = CallOptions(
    "compare",
    LabelOptions,
    ColumnOptions,
    DamageOptions,
    without=("examples", *LIMITS_OF_A_VERDICT),
)


@COMPARING.describe
def compare(
    *sides: str | Path | Judge | Calibration | Iterable[Rating | PlainRow],
    rubric: Rubric | str | Path | None = None,
    examples: str | Path | Iterable[Example | PlainRow] | None = None,
    watch: Watch = unwatched,
    **options: Any,
) -> Compared:
    """Compare judges on the same examples: which agrees better with the labels, how they differ, what each costs.

    Args:
        sides: What to compare, the judge in use first: two or more files of ratings in any format, lists of ratings,
            calibrations, or judges to ask, by name or opened. Or one table with the columns of two judges and of
            labels, as a file, several files that are joined by id, a data frame, rows, or columns by name.
        rubric: The rubric of all these; by default the one that the files name or imply.
        examples: Labelled examples, or their file; by default the rubric's own.
        watch: Shows progress.
        options: How judges are asked, as on the command line: `samples=3`, `budget=2`.

    Raises:
        UsageError: There are fewer than two to compare, a rubric or option is unknown, or judges are named without a
            rubric.
        RatingError: Examples or ratings can't be read.
        ComparisonError: The judges and files have no example in common.

    Example:
        >>> strict = [{"id": "a", "criteria": {"polite": "UNMET"}}, {"id": "b", "criteria": {"polite": "UNMET"}}]
        >>> kinder = [{"id": "a", "criteria": {"polite": "UNMET"}}, {"id": "b", "criteria": {"polite": "MET"}}]
        >>> compare(strict, kinder).choice.pairs[0].flips[0].id
        'b'
    """
    added, asking = COMPARING.read(options, find_settings(Path.cwd()), ASK_OPTIONS)
    for refuse in REFUSE_IDLE:
        refuse("compare", options, {"sides": sides, "rubric": rubric, "examples": examples, "added": added})
    labels = added.of(LabelOptions)
    calibrations = [side for side in sides if isinstance(side, Calibration)]
    if len(calibrations) == len(sides) >= 2 and rubric is None and examples is None:
        return compare_calibrations(calibrations, of=labels.of, tolerance=labels.tolerance)
    table = _table_in(sides) if rubric is None else None
    if table is not None:
        compared = _compared_columns(table, added.of(ColumnOptions), labels)
        if compared is not None:
            return compared
    loaded = None if rubric is None else rubric_given(rubric)
    compared_sides = _sides(sides, loaded)
    labelled = examples_given(examples, loaded)
    ask = ask_options(None, asking)
    with leaving_out_damaged_lines(added.of(DamageOptions).skip_damaged), hold(added):
        return compare_by_name(
            compared_sides,
            loaded,
            labelled,
            options=labels,
            ask=ask,
            columns=added.of(ColumnOptions),
            watch=watch,
        )


def _table_in(sides: Sequence[Any]) -> Any:
    """Return the one table that `compare` is called with: a single one, or files of tables joined by id; else None."""
    if len(sides) == 1:
        return sides[0]
    files = [str(side) for side in sides if isinstance(side, str | Path)]
    return files if files and len(files) == len(sides) and names_table(files) else None


def _compared_columns(table: Any, columns: ColumnOptions, labels: LabelOptions) -> Compared | None:
    """Compare the judges that are columns of `table`; None if `table` is a judge or a list of ratings instead.

    Raises:
        UsageError: The table has fewer than two judges, or could be read in several ways.
    """
    if isinstance(table, list | tuple) and any(isinstance(row, Rating) or "criteria" in row for row in table):
        return None
    try:
        reading = table_given(table, columns, columns.judge or None, function="compare")
    except UsageError as error:
        of_judges = options_of_judges(error)
        if of_judges is not None:
            error.choices = (arguments_of(f"{columns.as_shell} {of_judges}"),)
        elif error.code == "rater-or-criterion":
            error.choices = error.choices[:1]
        raise
    try:
        return None if reading is None else compared_in_table(reading, labels)
    except UsageError as error:
        error.called = "compare(TABLE,"
        error.spell = as_argument
        raise


def _sides(
    sides: Sequence[str | Path | Judge | Calibration | Iterable[Rating | PlainRow]], rubric: Rubric | None
) -> tuple[str | Judge | RatedFile, ...]:
    return tuple(_side(side, f"side {ordinal}", rubric) for ordinal, side in enumerate(sides, start=1))


def _side(
    side: str | Path | Judge | Calibration | Iterable[Rating | PlainRow], name: str, rubric: Rubric | None
) -> str | Judge | RatedFile:
    if isinstance(side, str | Path):
        return str(side)
    if isinstance(side, Judge):
        return side
    if isinstance(side, Calibration):
        asking = JudgeCost(side.cost, side.counts.from_cache, side.counts.examples)
        return RatedFile(Path(name), "a calibration", side.rubric, (), side.judge_ratings, judge_cost=asking)
    refuse_frame(side)
    if not isinstance(side, Iterable):
        allowed = "files of ratings, lists of ratings, calibrations, judges and their names"
        raise UsageError(f"`compare` takes {allowed}, got {shown(side)}")
    rows = list(side)
    if rubric is None:
        rubric = rubric_of_levels((_levels(row) for row in rows), Path(name))
    ratings = ratings_from(rows, rubric, rater=name)
    return RatedFile(Path(name), "ratings", rubric, (), tuple(ratings), all_are_judges=True)


def _levels(row: Rating | PlainRow) -> PlainRow:
    if isinstance(row, Rating):
        return {name: rated.level for name, rated in row.criteria.items()}
    criteria = rating_cells(row).get("criteria")
    return criteria if isinstance(criteria, Mapping) else {}
