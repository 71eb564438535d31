"""Conversion of a table to the files of a project: the rubric that it implies, its examples and all ratings."""

from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.errors import RatingError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.first_splits import with_parts
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.readers.table_outputs import outputs_in
from markscheme.readers.table_project import TableProject, file_name, json_line, rubric_yaml
from markscheme.readers.tabular.columns import has_sentences, output_roles
from markscheme.readers.tabular.reading import TableReading, one_of_each_row
from markscheme.readers.tabular.source import open_sheet
from markscheme.rubrics.rubric import Criterion, Rubric


def project_of_table(reading: TableReading) -> TableProject:
    """Convert a table to the files of a project: a rubric, labelled examples and ratings.

    Raises:
        UsageError: The table's name, or a column's, can't be turned into the name of a file.
    """
    name = file_name(reading.name, "the table's name")
    folder = Path("calibration") / name
    rubric = reading.whole_rubric
    ratings = reading.whole_ratings
    raters = dict.fromkeys(rating.rater for rating in ratings)
    places = {rater: folder / RATINGS_FOLDER / f"{file_name(rater, 'a column')}.jsonl" for rater in raters}
    examples = with_parts(reading.plain_examples)
    lines: dict[Path, list[str]] = {folder / "examples.jsonl": [json_line(example.to_json()) for example in examples]}
    for rating in ratings:
        lines.setdefault(places[rating.rater], []).append(json_line(_named_levels(rating, rubric)))
    files = {Path("rubrics") / f"{name}.yaml": _head(name) + rubric_yaml(rubric, name)}
    return TableProject(
        name,
        files | {place: "".join(written) for place, written in lines.items()},
        tuple(dict.fromkeys(places[rating.rater] for rating in ratings if rating.kind in JUDGES)),
        any(example.submission.response for example in reading.plain_examples),
        _unread(reading),
    )


def project_of_outputs(path: Path, options: ColumnOptions) -> TableProject:
    """Convert a table of outputs that nobody rated to the files of a project: examples, and a rubric to label by.

    Raises:
        UsageError: No column holds responses, or the table's name can't be turned into the name of a file.
        RatingError: The file can't be read, or outputs share an id.
    """
    name = file_name(path.stem, "the table's name")
    rubric = Rubric((Criterion(1.0, "What annotators say of a response.", "good"),), name=name)
    examples = outputs_in(path, options)
    columns = one_of_each_row(open_sheet(path, options)).columns
    responses = [name for name, role in output_roles(columns, options).items() if role == "response"]
    cells = next(column.cells for column in columns if column.name == responses[0])
    if sum(bool(cell.strip()) for cell in cells) > len(examples):
        raise RatingError("has several outputs with the same id; --id COLUMN names a column without repeats", path=path)
    lines = [json_line(example.to_json()) for example in with_parts(examples)]
    files = {
        Path("rubrics") / f"{name}.yaml": _head(name) + rubric_yaml(rubric, name),
        Path("calibration") / name / "examples.jsonl": "".join(lines),
    }
    return TableProject(name, files, (), has_responses=True)


def _unread(reading: TableReading) -> tuple[str, ...]:
    """Return the text columns that may hold the query, by name, if it isn't known which column does."""
    if "query" in reading.roles.single:
        return ()
    others = {column.name: column for column in reading.columns if column.name in reading.roles.others}
    return tuple(name for name, column in others.items() if has_sentences(column))


def _head(name: str) -> str:
    return (
        "# Made from a table. Say in `requirement` what your annotators look for: judges that you ask read it.\n"
        f"# `markscheme lint {quote(name)}` says what a judge might misread.\n"
    )


def _named_levels(rating: Rating, rubric: Rubric) -> dict[str, Any]:
    """Convert a rating to a line of a file, with the words for levels instead of their numbers.

    A word stays valid when levels are added to the scale.
    """
    line = rating.to_json()
    scales = {criterion.name: criterion.scale for criterion in rubric.criteria}
    for name, rated in rating.criteria.items():
        if scales[name].by_label and not scales[name].is_yes_no and rated.level is not None:
            line["criteria"][name]["level"] = scales[name].level_name(rated.level)
    return line
