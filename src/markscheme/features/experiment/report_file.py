"""Reader of the reports that `experiment --json` writes, as ratings of a judge."""

from collections.abc import Sequence

from markscheme.errors import RatingError
from markscheme.plain_data import elements, mapping, objects
from markscheme.prompts.submission import Submission, as_text
from markscheme.ratings.example_rows import Example
from markscheme.readers.file_format import SAVED, FileFormat
from markscheme.readers.grades import ratings_of_grades
from markscheme.readers.imported import Columns, ImportedFile
from markscheme.readers.peek import Peek
from markscheme.rubrics.rubric import Rubric

_KEYS = frozenset(["variant", "case"])


def is_experiment_report(peek: Peek) -> bool:
    """Return True if a file was written by `experiment --json`."""
    return any(output.keys() >= _KEYS for output in objects(peek.document.get("outputs")))


def read_experiment_reports(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Read the outputs of each experiment, with their grades as ratings of a judge.

    Raises:
        RatingError: A grade can't be read, or doesn't fit the rubric.
    """
    return [_outputs(peek, rubric) for peek in files]


def _outputs(peek: Peek, rubric: Rubric | None) -> ImportedFile:
    outputs = [mapping(output) for output in elements(peek.document.get("outputs"))]
    nameless = next((ordinal for ordinal, output in enumerate(outputs, 1) if not output.keys() >= _KEYS), None)
    if nameless is not None:
        raise RatingError(f"output {nameless} has no `variant` or no `case`", path=peek.path)
    graded = [(None, {**output, "id": f"{output['case']} @ {output['variant']}"}) for output in outputs]
    content = ratings_of_grades(peek, graded, rubric)
    for _, grade in graded:
        submission = Submission(as_text(grade.get("output") or ""), {}, grade["id"])
        content.add_example(Example(submission, group=str(grade["case"]), system=str(grade["variant"])))
        content.cases[grade["id"]] = str(grade["case"])
    return content


EXPERIMENT_REPORT = FileFormat(
    "a report of `experiment` (--json)", is_experiment_report, read_experiment_reports, names_judges=False, rank=SAVED
)
