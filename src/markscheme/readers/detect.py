"""A file of another tool to examples and ratings: which reader it is for."""

from collections.abc import Mapping
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.plain_data import read_json
from markscheme.promptfoo.results import is_results
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.autorubric import import_autorubric, is_autorubric
from markscheme.readers.imported import Imported
from markscheme.readers.promptfoo import import_promptfoo
from markscheme.readers.tables import Columns, import_lines, import_objects, import_table
from markscheme.rubrics.rubric import Rubric

TABLES, LINES = (".csv", ".tsv"), (".jsonl", ".ndjson", ".txt")


def import_file(path: Path, rubric: Rubric, *, words: Mapping[str, str], columns: Columns) -> Imported:
    """The examples and ratings in a file of Promptfoo's results, a dataset of autorubric, a table, or lines.

    Args:
        path: The file.
        rubric: Whose criteria and scales ratings are held to.
        words: What words of the file mean, beyond those that are known, by lower-case word.
        columns: What columns hold whose names don't say.

    Raises:
        RatingError: It is none of these, or cannot be read.
    """
    if is_results(path):
        return import_promptfoo(path, rubric, words=words)
    if path.suffix in TABLES:
        return import_table(path, rubric, words=words, columns=columns)
    if path.suffix in LINES:
        return import_lines(path, rubric, words=words, columns=columns)
    data = read_json(path, RatingError) if path.suffix == ".json" else None
    if is_autorubric(data):
        if columns.kind is None:
            raise RatingError("doesn't say who gave its ground truth; pass `--kind human` or constructed", path=path)
        return import_autorubric(path, rubric, words=words, kind=columns.kind)
    if isinstance(data, list):
        return import_objects(path, data, rubric, words=words, columns=columns)
    kinds = "Promptfoo's results, a dataset of autorubric, a table (.csv, .tsv), lines (.jsonl, .txt) or a list (.json)"
    raise RatingError(f"is none of {kinds}", path=path)


def of_kind(ratings: tuple[Rating, ...], who: str | None) -> tuple[Rating, ...]:
    """The ratings of people (and what is true by construction), of judges, or of everybody."""
    if who is None:
        return ratings
    return tuple(rating for rating in ratings if (rating.kind in JUDGES) == (who == "judges"))
