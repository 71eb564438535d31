"""A rubric over a Daft DataFrame, on this computer or on a Ray cluster."""

from collections.abc import Sequence
from typing import Any

import daft
from daft import DataFrame, DataType

from markscheme.grading.grader import Grader
from markscheme.ratings.frame_counts import frame_counter
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.of_rows import ROWS_ALONE
from markscheme.rubrics.search import find_rubric

RUBRIC_COLUMN = "rubric"
"""Name of the column with rows' own criteria."""
CONCURRENCY = 64
"""Default number of rows graded at once on each worker."""


def with_grades(frame: DataFrame, rubric: str | None, judge: str, *, workers: int = 1, **asking: Any) -> DataFrame:
    """Add a column `grade` to a frame: a struct of `score`, `pass`, `error`, and `criteria` with the level of each.

    `response` is what is graded; columns named like the rubric's inputs are shown with it. The judge is opened once on
    each worker, where the rubric's file needn't be. In a row that could not be graded, such as one whose response is
    null, all fields except `error` are null. With a column `rubric` of criteria by row, `verdicts` lists the result of
    each criterion.

    Args:
        frame: The frame, with a column `response`.
        rubric: Name or path of a rubric, as on the command line; None if each row brings its criteria.
        judge: Name of a judge, as on the command line.
        workers: Number of processes that grade, each with its own limits.
        asking: Options of `Grader`, such as `samples=3`; `concurrency` is 64 rows at once on each worker by default.
            `budget` is for the whole frame: each worker has an equal share of it, and a row that it no longer covers
            has an `error`. A worker that dies and restarts gets its share again.

    Raises:
        UsageError: The rubric is unknown.
    """
    options = {"concurrency": CONCURRENCY, **asking}
    if options.get("budget") is not None:
        options["budget"] /= workers
    core = None if rubric is None else load_rubric(find_rubric(rubric))
    names = [] if core is None else [criterion.name for criterion in core.criteria]
    inputs = [*(core or ROWS_ALONE).known_inputs, RUBRIC_COLUMN]
    shown = [name for name in frame.column_names if name in inputs]
    kinds = {"score": DataType.float64(), "pass": DataType.bool(), "error": DataType.string()}
    if names:
        kinds["criteria"] = DataType.struct(dict.fromkeys(names, DataType.float64()))
    if RUBRIC_COLUMN in shown:
        kinds["verdicts"] = DataType.list(DataType.struct({"name": DataType.string(), "position": DataType.float64()}))

    @daft.cls(max_concurrency=workers, use_process=workers > 1)
    class Grades:
        def __init__(self) -> None:
            self.grader = Grader(core, judge, **options)

        @daft.method.batch(return_dtype=DataType.struct(kinds), batch_size=1000)
        def grade(self, *columns: daft.Series) -> list[dict[str, Any]]:
            rows = zip(*(column.to_pylist() for column in columns), strict=True)
            grades = self.grader.grade_rows(dict(zip(["response", *shown], row, strict=True)) for row in rows)
            return [{**grade, **_criteria(grade["criteria"], names)} for grade in grades]

    return frame.with_column("grade", Grades().grade(*(frame[name] for name in ["response", *shown])))


def _criteria(criteria: dict[str, Any], core: list[str]) -> dict[str, Any]:
    of_row = [{"name": n, "position": outcome.get("position")} for n, outcome in criteria.items() if n not in core]
    return {"criteria": {name: criteria.get(name, {}).get("level") for name in core}, "verdicts": of_row}


def counts(
    frame: DataFrame, rubric: str, *, raters: Sequence[str], judge: str = "judge", earlier: str | None = None
) -> DataFrame:
    """Count the examples for each distinct row of ratings: a small frame for `markscheme.calibrate(rubric, counts=…)`.

    Args:
        frame: The frame, with a row for each example. It has a column `group_id`, null for an example without a group,
            and a column `RATER__CRITERION` for each rater and criterion: a level, -2 if the criterion does not apply,
            or null.
        rubric: Name or path of a rubric, as on the command line.
        raters: Names of up to three annotators; the levels of one named `gold` are final.
        judge: Name of the judge in the columns.
        earlier: Name of an earlier judge in the columns, for `calibrate(…, earlier=…)`; None without one.

    Raises:
        UsageError: The rubric's figures can't be computed from counts.
    """
    return frame_counter()(frame, load_rubric(find_rubric(rubric)), raters, judge, earlier)
