"""Files named in place of a rubric or ratings: ratings are read from some kinds, and other kinds are refused."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from markscheme.errors import RubricError, UsageError
from markscheme.plain_data import read_json
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.readers.formats import known_formats
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.rated import (
    columns_from_options,
    has_own_ratings,
    judge_ratings,
    known_format,
    rubric_of_report,
    shape_of,
)
from markscheme.rubrics.reading import may_be_rubric, shows_yaml
from markscheme.rubrics.rubric import Rubric


def refuse_other_file(name: str) -> None:
    """Raise an error for a file that isn't a rubric, such as a report, with the command to run instead.

    Raises:
        UsageError: The file is a report, or has lines of examples or ratings.
    """
    path = Path(name)
    shape = shape_of(path)
    file_format = known_format(path)
    other_use = file_format.other_use if file_format is not None else None
    if shape == "lines" and other_use is None:
        holds_ratings = has_own_ratings(path) and (file_format is None or file_format.name != "labelled examples")
        option = "ratings" if holds_ratings else "examples"
        raise UsageError(
            f"{name} contains lines of JSON, not a rubric; examples go with --examples, ratings with --ratings: "
            f"markscheme calibrate RUBRIC --{option} {shlex.quote(name)}"
        )
    rubric = _report_in(path)
    if rubric:
        raise UsageError(
            f"{name} is a report that `calibrate --json` wrote, not a rubric; to calibrate again: "
            f"markscheme calibrate {shlex.quote(rubric)}; to compare it with another: "
            f"markscheme compare {shlex.quote(name)} OTHER.json"
        )
    if rubric is not None:
        raise UsageError(
            f"{name} is a report on several judges that `calibrate --json` wrote, not a rubric; to calibrate again, "
            "name the rubric: markscheme calibrate RUBRIC --judge A --judge B"
        )
    if file_format is None and shape == "json" and not may_be_rubric(read_json(path, RubricError)):
        formats = known_formats("anything")
        raise UsageError(
            f"{name} is neither a rubric nor {formats}; `import --map` reads records of other tools from "
            "a table, or JSON lines"
        )
    if file_format is not None:
        quoted = shlex.quote(name)
        instead = f"{other_use.replace('FILE', quoted)}; with a rubric, " if other_use is not None else ""
        raise UsageError(
            f"{name} is {file_format.name}, not a rubric; {instead}ratings go with --ratings, labelled examples with "
            f"--examples: markscheme calibrate RUBRIC --ratings {quoted}"
        )


def _report_in(path: Path) -> str | None:
    """Return the rubric's name from a report file, or "" if the report is of several judges; None for other files."""
    if not path.is_file() or shows_yaml(path):
        return None
    return rubric_of_report(path)


def ratings_in_files(
    paths: Sequence[Path], rubric: Rubric, examples: ExampleSet, columns: ColumnOptions
) -> Iterator[tuple[Path, RatingCodes]]:
    """Read all ratings from files of any format, and yield each file's path with its ratings.

    Args:
        paths: The files.
        rubric: The rubric that was used for the ratings.
        examples: The examples that were rated.
        columns: What the columns and values of a table mean.

    Raises:
        UsageError: A file is a report, no file has a mapped column, or values may mean several things.
        RatingError: A file can't be read.
    """
    refuse_unknown_columns(paths, columns)
    for path in paths:
        if _report_in(path) is not None:
            raise UsageError(f"{path} is a report that `calibrate --json` wrote, not ratings; `compare` reads reports")
        yield path, judge_ratings(path, rubric, examples, columns_from_options(columns))
