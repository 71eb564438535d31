"""A rubric over a Daft DataFrame, on this computer or on a Ray cluster."""

from typing import Any

import daft
from daft import DataType

from markscheme.grading.grader import Grader
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric


def with_grades(
    frame: daft.DataFrame, rubric: str, judge: str, *, concurrency: int = 64, workers: int = 1
) -> daft.DataFrame:
    """Add a column `grade` to a frame: a struct of `score`, `pass`, `error`, and `criteria` with each one's level.

    `response` is what is graded; columns named like the rubric's inputs are shown with it. The judge is opened once on
    each worker, where the rubric's file needn't be. Of a row that could not be graded all is null but `error`; a row
    whose response is null is such a row.

    Args:
        frame: Has a column `response`.
        rubric: A name or path, as on the command line.
        judge: The name of a judge, as on the command line.
        concurrency: Rows graded at once on each worker.
        workers: Processes that grade, each with its own limits.
    """
    loaded = load_rubric(find_rubric(rubric))
    shown = [name for name in frame.column_names if name in loaded.known_inputs]
    levels = DataType.struct({criterion.name: DataType.float64() for criterion in loaded.criteria})
    kinds = {"score": DataType.float64(), "pass": DataType.bool(), "criteria": levels, "error": DataType.string()}

    @daft.cls(max_concurrency=workers, use_process=workers > 1)
    class Grades:
        def __init__(self) -> None:
            self.grader = Grader(loaded, judge, concurrency=concurrency)

        @daft.method.batch(return_dtype=DataType.struct(kinds), batch_size=1000)
        def grade(self, *columns: daft.Series) -> list[dict[str, Any]]:
            rows = zip(*(column.to_pylist() for column in columns), strict=True)
            grades = self.grader.grade_rows(dict(zip(["response", *shown], row, strict=True)) for row in rows)
            return [{**grade, "criteria": _levels(grade["criteria"])} for grade in grades]

    return frame.with_column("grade", Grades().grade(*(frame[name] for name in ["response", *shown])))


def _levels(criteria: dict[str, Any]) -> dict[str, float | None]:
    return {name: verdict.get("level") for name, verdict in criteria.items()}
