"""Conversion of a file of pairs with preferences to the files of a project: a rubric of pairs, examples and ratings."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import yaml

from markscheme.errors import RatingError, UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.first_splits import with_parts
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.formats import LIST, PLAIN_LINES, TABLE, format_of
from markscheme.readers.pair_rows import PREFERENCE
from markscheme.readers.peek import Peek
from markscheme.readers.rated import columns_from_options, open_rated
from markscheme.readers.table_project import TableProject, file_name, json_line


def project_of_pairs(path: Path, options: ColumnOptions) -> TableProject | None:
    """Convert pairs of responses, with who preferred which, to the files of a project; None for any other file.

    A call that names columns reads the file as a table instead, column by column.

    Raises:
        UsageError: The file's name, or a rater's, can't be turned into the name of a file.
        RatingError: A value isn't a preference, or the file doesn't say who preferred.
    """
    is_table = format_of(Peek(path), "anything") in (None, LIST, PLAIN_LINES, TABLE)
    if is_table or options.first_of_tables(but=("kind", "rater")) is not None or not _holds_pairs(path, options):
        return None
    rated = open_rated([path], expected="anything", columns=columns_from_options(options))
    name = file_name(path.stem, "the table's name")
    folder = Path("calibration") / name
    examples = with_parts(rated.as_one_file.examples)
    files = {
        Path("rubrics") / f"{name}.yaml": _rubric_yaml(name, examples),
        folder / "examples.jsonl": "".join(json_line(example.to_json()) for example in examples),
    }
    judged = dict[Path, None]()
    for rating in rated.ratings:
        ratings_file = folder / RATINGS_FOLDER / f"{file_name(rating.rater, 'a rater')}.jsonl"
        files[ratings_file] = files.get(ratings_file, "") + json_line(rating.to_json())
        if rating.kind in JUDGES:
            judged[ratings_file] = None
    return TableProject(name, files, tuple(judged), has_responses=True)


def _holds_pairs(path: Path, options: ColumnOptions) -> bool:
    """Return True if the ratings in a file are preferences between two responses, and name no rubric."""
    by_people = replace(options, kind=options.kind or "human")  # where the file doesn't say who rated
    try:
        rated = open_rated([path], expected="anything", columns=columns_from_options(by_people))
    except (RatingError, UsageError):
        return False
    return rated.rubric.is_of_pairs and not rated.is_named


def _rubric_yaml(name: str, examples: Iterable[Example]) -> str:
    """Write a rubric of pairs, whose one criterion people and judges have answered: which response is better."""
    inputs = {key for example in examples for key in example.submission.inputs} - {"query"}
    data: dict[str, Any] = {"name": name, "compare": "pairs"}
    data |= {"optional_inputs": sorted(inputs)} if inputs else {}
    data["criteria"] = [{"name": PREFERENCE, "prefer": "The response that is better."}]
    return (
        "# Made from pairs. Say in `prefer` what makes a response the better one: judges that you ask read it.\n"
        f"# `markscheme lint {quote(name)}` says what a judge might misread.\n"
        + yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=110)
    )
