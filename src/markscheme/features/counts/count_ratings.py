"""Count a judge's ratings in the package's own format, with the labels of a rubric's examples, in memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.errors import UsageError, writing
from markscheme.features.counts.columns_of_counts import OTHER_COLUMNS, PERSON_COLUMN, refuse_other_column
from markscheme.features.counts.count_files import COPY_FORMS, by_ending
from markscheme.features.counts.count_query import refuse_uncountable
from markscheme.features.counts.counting import counts_of
from markscheme.features.counts.slice_values import VALUE_COLUMN
from markscheme.features.counts.wrong_examples import write_shown, wrong_examples
from markscheme.files import replacing
from markscheme.json_text import json_or
from markscheme.phrases import listed
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.ratings.examples_choice import examples_of
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.rated import open_rated
from markscheme.row_files import CellKinds, row_writer
from markscheme.rubrics.rubric import Rubric


def is_of_ratings(files: str) -> bool:
    """Return True if a file holds ratings in the package's own format and not a wide table."""
    path = Path(files)
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = next((line for line in file if line.strip()), "")
    row = json_or(first, None)
    return isinstance(row, dict) and "criteria" in row


def own_ratings(rubric: Rubric, examples: Path | None) -> list[Path]:
    """Return the files with a judge's ratings in a rubric's calibration folder.

    Args:
        rubric: The rubric.
        examples: The file of labelled examples that the user names; None for the rubric's own.

    Raises:
        UsageError: There are no such files.
        RatingError: A file can't be read.
    """
    _, folder = examples_of(rubric, examples)
    files = [] if folder is None else sorted((folder / RATINGS_FOLDER).glob("*.jsonl"))
    rated = [
        file
        for file in files
        if any(rating.kind in JUDGES for rating in open_rated([file], rubric, expected="ratings").files[0].ratings)
    ]
    if not rated:
        raise UsageError(
            f"calibration/{rubric.name}/{RATINGS_FOLDER} has no judge's ratings to count; name files, such as --from "
            "'graded/*.parquet'"
        )
    return rated


def count_ratings(
    rubric: Rubric,
    judge: str | None,
    files: Sequence[Path],
    examples: Path | None,
    target: Path,
    fields: Sequence[str] = (),
    shown: int | None = None,
    earlier: str | None = None,
) -> tuple[int, str]:
    """Write how often each rating by a judge occurs with each label; return how many rows were written, and the judge.

    Args:
        rubric: The rubric.
        judge: The judge's name; None if the files have the ratings of a single judge.
        files: The files of the judge's ratings.
        examples: The file of labelled examples; None for the rubric's own.
        target: The counts file to write: Parquet, CSV or JSONL, by the ending of its name.
        fields: Fields of the examples by whose values they are also counted: group, system, keys of metadata.
        shown: Number of false passes, and of false fails, that are written next to the counts; None for none.
        earlier: Name of an earlier judge in the files whose ratings are counted too; None if there is none.

    Raises:
        UsageError: No rating is of that judge, the rubric can't be counted, or the counts can't be written.
        RatingError: The ratings or the examples can't be read.
        ComparisonError: No example is labelled.
    """
    refuse_uncountable(rubric)
    if earlier is not None:
        refuse_other_column(earlier)
    labelled, _ = labelled_examples(rubric, examples)
    gold = gold_of(labelled, rubric)
    judged = open_rated(files, rubric, expected="ratings").as_one_file.judged
    where = str(files[0] if len(files) == 1 else files[0].parent)
    ratings = _of_one_judge(judged, judge, where)
    comparison = compare(gold.judged(rubric, ratings))
    then = None
    if earlier is not None:
        then = earlier, compare(gold.judged(rubric, _of_one_judge(judged, earlier, where, "--earlier")))
    rows = counts_of(comparison, fields, then)
    write_counts(rows, target)
    if shown is not None:
        write_shown(wrong_examples(comparison, shown), target)
    return len(rows), ratings.raters[0]


def _of_one_judge(ratings: RatingCodes, judge: str | None, where: str, option: str = "--judge") -> RatingCodes:
    """Return the ratings by the named judge or, without a name, by the only judge who gave any.

    Args:
        ratings: Ratings by one judge or several.
        judge: Name of the judge; None if there is only one.
        where: Path of the ratings, for the error.
        option: The option that names the judge, for the error.

    Raises:
        UsageError: There is no such judge, or no name and several judges.
    """
    if judge is None and len(ratings.raters) == 1:
        return ratings
    if judge is not None and judge in ratings.raters:
        return ratings.of_rater(judge)
    raise UsageError(f"{where} has ratings of {listed(ratings.raters) or 'no judge'}: name one with {option}")


def write_counts(rows: Sequence[dict[str, Any]], target: Path) -> None:
    """Write rows of counts in the format that the file name's ending implies.

    Raises:
        UsageError: Files with such an ending aren't written, or the file can't be written.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    people = filter(PERSON_COLUMN.fullmatch, names)
    earlier = (name for name in names if not OTHER_COLUMNS.fullmatch(name))
    numbers: CellKinds = dict.fromkeys(("gold", "judge", *people, *earlier), "number")
    by_ending(COPY_FORMS, str(target), "--counts")
    value: CellKinds = {VALUE_COLUMN: "text"} if VALUE_COLUMN in names else {}
    write_rows = row_writer(target, "--counts")
    with writing(target), replacing(target) as file:
        write_rows(file, rows, {"part": "text", "set_no": "whole", **numbers, **value, "n": "whole"})
