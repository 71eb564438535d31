"""Methods of Rubric that users of the `rubric` package know, added to the one class of that name.

`import markscheme` adds them when one of its names is first used. Inside the package, `rubrics.file` reads rubrics and
`grading` grades, so that a Rubric itself knows neither files nor judges.
"""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from markscheme.rubrics.rubric import Criterion, Rubric

if TYPE_CHECKING:
    from markscheme.autograders import Autograder
    from markscheme.types import EvaluationReport


def _from_dict(data: Any) -> Rubric:
    """The rubric in plain data, in any form a rubric file may have. Raises RubricError with all faults at once."""
    from markscheme.rubrics.file import rubric_from_data

    return rubric_from_data(data)


def _from_json(text: str) -> Rubric:
    """The rubric in a JSON text. Raises RubricError with line numbers."""
    from markscheme.rubrics.file import rubric_from_text

    return rubric_from_text(text, form="json")


def _from_yaml(text: str) -> Rubric:
    """The rubric in a YAML text. Raises RubricError with line numbers."""
    from markscheme.rubrics.file import rubric_from_text

    return rubric_from_text(text, form="yaml")


def _from_file(source: str | Path | IO[str]) -> Rubric:
    """The rubric in a .yaml, .yml or .json file, by path or as an open file. Raises RubricError."""
    from markscheme.rubrics.file import load_rubric

    return load_rubric(source)


def _criteria(rubric: Rubric) -> list[Criterion]:
    """The criteria as a list."""
    return list(rubric.criteria)


async def _grade(
    rubric: Rubric, to_grade: Any, autograder: "Autograder | None" = None, query: str | None = None, **options: Any
) -> "EvaluationReport":
    """The report of an autograder on one response; `markscheme.grade` returns the whole Grade instead.

    Args:
        rubric: The rubric to grade by.
        to_grade: The response as text, or {"thinking": …, "output": …}.
        autograder: The grader; by default a PerCriterionGrader with its default generate function.
        query: What was asked.
        options: Passed on to the autograder.
    """
    from markscheme.autograders import PerCriterionGrader

    return await (autograder or PerCriterionGrader()).grade(to_grade, rubric, query, **options)


for _name, _method in {
    "from_dict": staticmethod(_from_dict),
    "from_json": staticmethod(_from_json),
    "from_yaml": staticmethod(_from_yaml),
    "from_file": staticmethod(_from_file),
    "rubric": property(_criteria),
    "grade": _grade,
}.items():
    setattr(Rubric, _name, _method)
