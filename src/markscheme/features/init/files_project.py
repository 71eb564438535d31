"""Conversion of the files that `init` is given to the files of a new project."""

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from shlex import quote

from markscheme.errors import RatingError, RubricError, RubricWarning, UsageError
from markscheme.features.init.project_of_pairs import project_of_pairs
from markscheme.features.init.project_of_table import project_of_outputs, project_of_table
from markscheme.plain_data import TABLES
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.kinds import PEOPLE
from markscheme.readers.plain_tables import hold, numbered_rows, rows_bring_rubrics
from markscheme.readers.rated import columns_from_options, open_rated
from markscheme.readers.results_project import project_of_results
from markscheme.readers.table_project import TableProject
from markscheme.readers.tabular.columns import output_roles
from markscheme.readers.tabular.reading import read_files
from markscheme.readers.tabular.source import open_sheet
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.rubric import Rubric

PROSE = (".md", ".markdown", ".docx", ".pdf")
"""Endings of documents, from which only a person can write criteria."""
WITHOUT_RATINGS = ("nothing-rated", "which-columns", "several-values", "text")
"""Codes of errors by which no column is known to rate anything: there is none, or its cells are texts or lists."""
READ_AS_CRITERION = ("", "criterion", "criteria", "name")
"""Names of columns that `import` reads as the name of a criterion without being told."""
MOST_ROWS_OF_A_RUBRIC = 100
"""Number of a table's first rows that are searched for criteria."""


def project_of_files(paths: Sequence[Path], options: ColumnOptions, folder: Path) -> TableProject:
    """Convert a table, several tables joined by their ids, pairs, or Promptfoo's results to the files of a project.

    A table may hold outputs alone, which become examples to label.

    Args:
        paths: The files.
        options: What the columns and values of a table mean.
        folder: The project's folder, which by mistake may be the name of a column typed after an option.

    Raises:
        UsageError: A file is neither a table nor results, or is a table that could be read in several ways, or `folder`
            is a column.
        RatingError: A file can't be read.
    """
    project = project_of_results(paths[0]) if len(paths) == 1 else None
    if project is None and len(paths) == 1:
        project = project_of_pairs(paths[0], options)
    if project is not None:
        return project
    for path in paths:
        if path.suffix.lower() in PROSE:
            raise UsageError(
                f"{path} is prose, not a table: write each of its points as a criterion with a `requirement` in "
                f"rubrics/{path.stem}.yaml; `markscheme init` without --from makes a rubric to edit",
                path=path,
            )
        if shows_rubric(path):
            raise UsageError(f"{path} isn't a table; `markscheme import` reads exports of other tools", path=path)
        _refuse_rated_export(path, options)
    try:
        reading = read_files(paths, options, one_side=True)
    except UsageError as error:
        if error.code not in WITHOUT_RATINGS:
            raise
        with_criteria = next(filter(rows_bring_rubrics, paths), None)
        if with_criteria is not None:
            raise UsageError(_no_rubric_to_make(with_criteria)) from error
        if len(paths) == 1 and (name := _column_of_criteria(paths[0])) is not None:
            of_name = "" if name.casefold() in READ_AS_CRITERION else f" --map {quote(f'{name}=requirement')}"
            to = quote(f"rubrics/{paths[0].stem}.yaml")
            raise UsageError(
                f"{paths[0]} is a table of criteria and their levels, not of outputs: "
                f"`markscheme import {quote(str(paths[0]))} --to {to}{of_name}` makes a rubric of it"
            ) from error
        if error.code != "nothing-rated" or len(paths) > 1 or _has_notes(paths[0], options):
            raise
        options.refuse_of_ratings(str(paths[0]))
        return project_of_outputs(paths[0], options)
    if not folder.exists() and str(folder) in {column.name for column in reading.columns}:
        raise UsageError(f"{folder} is a column, not a folder: give each column its own --human or --judge")
    return project_of_table(reading)


def _refuse_rated_export(path: Path, options: ColumnOptions) -> None:
    """Refuse another tool's export with people's ratings, which by the rules of a table would be lost.

    Raises:
        UsageError: The file has such ratings; the message names the commands that read them.
    """
    if not hold("export", [path]):
        return
    by_people = replace(options, kind=options.kind or "human")  # where the file doesn't say who rated
    with suppress(UsageError):  # ratings that can be read in several ways are ratings
        try:
            rated = open_rated([path], expected="anything", columns=columns_from_options(by_people))
        except RatingError:
            return
        if not any(len(RatingCodes.of(file.ratings).of_kinds(PEOPLE)) for file in rated.files):
            return
    name = quote(str(path))
    raise UsageError(
        f"{path} is an export with people's ratings, not a table: `markscheme calibrate {name}` compares them, and "
        f"`markscheme import {name} --rubric RUBRIC --examples examples.jsonl --to ratings.jsonl` brings outputs and "
        "ratings to a rubric",
        path=path,
    )


def _column_of_criteria(path: Path) -> str | None:
    """Return the name of the first column of a table in which each row is a criterion; None for any other table.

    Such a table has a column for each level, such as Poor, Fair and Good.
    """
    if not path.name.casefold().endswith(TABLES):
        return None
    try:
        rows = [list(row.items()) for _, row in islice(numbered_rows(path), MOST_ROWS_OF_A_RUBRIC)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RubricWarning)
            rubric = Rubric.from_dict([{"criterion": name, **dict(cells)} for (_, name), *cells in rows])
    except (RatingError, RubricError):
        return None
    have_levels = all(any(level.description for level in criterion.scale.levels) for criterion in rubric.criteria)
    return str(rows[0][0][0]).strip() if have_levels else None


def _has_notes(path: Path, options: ColumnOptions) -> bool:
    """Return True if a table has notes, from which `discover` makes criteria."""
    return "note" in output_roles(open_sheet(path, options).columns, options).values()


def _no_rubric_to_make(path: Path) -> str:
    """Return the message that the rows of a file bring criteria of their own, with the commands that take such rows.

    Args:
        path: The file.
    """
    rows = quote(str(path))
    return (
        f"each row of {rows} brings criteria of its own, so there is no rubric to make: label the rows with "
        f"`markscheme label {rows}`, and `markscheme calibrate {rows}` compares a judge with the labels"
    )
