"""Tables of annotators' and a judge's decisions on the same examples."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from markscheme.errors import RatingError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.gold import GOLD, JUDGE, Gold, gold_of
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable
from markscheme.readers.calibrations import gold_between
from markscheme.readers.rated import RatedFile, RatedFiles, columns_from_options, open_rated
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class DecidedExamples:
    """The examples that both annotators and a judge decided (passed or failed), with both decisions.

    Attributes:
        table: A table with the columns of gold and the judge; its examples say how each was drawn.
        reference: The kind of gold labels; None if unknown.
        judge: The judge's name; None if unknown.
        rubric: Name of the rubric by which they were decided; None if unknown.
    """

    table: RatingTable
    reference: str | None = None
    judge: str | None = None
    rubric: str | None = None


def read_decided(path: Path, rubric: Rubric | None = None, columns: ColumnOptions = ColumnOptions()) -> DecidedExamples:
    """Read the examples that both annotators and the judge decided, from a file of any format.

    Raises:
        RatingError: The file can't be read, or has no example that both decided.
    """
    return decided_in(open_rated([path], rubric, expected="decisions", columns=columns_from_options(columns)))


def decided_in(rated: RatedFiles) -> DecidedExamples:
    """Return the examples in the first of some files that have a decision by annotators and one by the judge.

    Raises:
        RatingError: Several judges decided on one response, or there are no such examples.
    """
    (file,) = rated.files[:1]
    refuse_several_judges(file)
    decided_by_both = decided_with_gold(file, rated)
    if decided_by_both is None:
        raise RatingError("holds nothing that both people and the judge decided on", path=file.path)
    table, truth = decided_by_both
    calibration = file.calibration
    reference = truth.reference if file.states_kinds else None
    if calibration is None:
        return DecidedExamples(table, reference)
    return DecidedExamples(table, reference, calibration.judge, calibration.rubric.name)


def both_decided(table: RatingTable) -> RatingTable:
    """Select the rows on which both gold and the judge decided."""
    return table.rows(~np.isnan(table[GOLD].decisions + table[JUDGE].decisions))


def decided_with_gold(file: RatedFile, rated: RatedFiles) -> tuple[RatingTable, Gold] | None:
    """Return a table of the examples that both gold and the judge decided, and gold itself; None if there are none.

    Args:
        file: The file with the judge's ratings and the labels.
        rated: The files that `file` is one of, with the rubric by which they were read.
    """
    truth = _gold(file, rated.rubric)
    if truth is None:
        return None
    verdicts = [decided(rating, named=rated.is_named) for rating in file.judged]
    table = both_decided(truth.judged(rated.rubric, verdicts))
    return (table, truth) if table.ids else None


def _gold(file: RatedFile, rubric: Rubric) -> Gold | None:
    if file.calibration is not None:
        return gold_between([file.calibration], rubric)[0]
    labels = file.labels
    return gold_of(file.labelled(labels), rubric) if labels else None


def decided(rating: Rating, *, named: bool) -> Rating:
    """Return a rating, without its overall score if that can't be turned into a decision.

    It can't if the rating has no levels and no decision, and no rubric is named.

    Args:
        rating: The rating.
        named: True if a rubric is named, whose pass mark turns an overall score into a decision.
    """
    has_levels = any(rated.level is not None for rated in rating.criteria.values())
    states_decision = rating.passed is not None or has_levels or (named and rating.overall is not None)
    return rating if states_decision else replace(rating, overall=None)


def refuse_several_judges(file: RatedFile) -> None:
    """Raise an error if a file has verdicts of several judges on one response.

    Raises:
        RatingError: A response has verdicts of several judges; the error names them.
    """
    judged = file.judged
    if len(judged.raters) < 2:
        return
    raters: dict[str, set[str]] = {}
    for unit, number in zip(judged.ids, judged.header_numbers, strict=True):
        raters.setdefault(unit, set()).add(judged.headers[number].rater)
    several = max(raters.values(), key=len, default=set())
    if len(several) > 1:
        names = ", ".join(sorted(several))
        raise RatingError(
            f"has verdicts of {len(several)} judges on one response ({names}), and a pass rate is of one judge's; "
            "use one file for each",
            path=file.path,
        )
