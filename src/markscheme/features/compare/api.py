"""Judges compared from Python; the command does it by the same code."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from markscheme.calibration.calibration import Calibration, Options
from markscheme.calibration.call_arguments import (
    PlainRow,
    examples_given,
    number_given,
    one_of,
    rubric_given,
    tool_file_hints,
)
from markscheme.errors import leaving_out_damaged_lines
from markscheme.features.compare.contenders import Compared, compare_calibrations
from markscheme.features.compare.run_comparison import ComparisonRequest
from markscheme.grading.grader import ask_options
from markscheme.judges.judge import Judge
from markscheme.options.settings import find_settings
from markscheme.progress import Watch, unwatched
from markscheme.ratings.examples import Example
from markscheme.ratings.examples_choice import ExamplesChoice, Part
from markscheme.ratings.kinds import KINDS, Kind
from markscheme.ratings.program_rows import rating_cells, refuse_frame
from markscheme.ratings.rating import Rating, ratings_from
from markscheme.readers.infer_rubric import rubric_of_levels
from markscheme.readers.rated import RatedFile
from markscheme.readers.written import JudgeCost
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.annotators import GoldRule


def compare(
    *sides: str | Path | Judge | Calibration | Iterable[Rating | PlainRow],
    rubric: Rubric | str | Path | None = None,
    examples: str | Path | Iterable[Example | PlainRow] | None = None,
    of: str | None = None,
    tolerance: float | None = None,
    gold: Kind | None = None,
    gold_by: GoldRule = "median",
    split: Part | None = None,
    only: Sequence[str] = (),
    kind: Kind | None = None,
    rater: str | None = None,
    judge_names: Iterable[str] = (),
    map: Mapping[str, str] | None = None,
    levels: Mapping[str, str] | None = None,
    scale: Mapping[str, tuple[float, float]] | None = None,
    skip_damaged: bool = False,
    watch: Watch = unwatched,
    **asking: Any,
) -> Compared:
    """Judges compared on the same examples: which agrees better with the labels, what moved, what each costs.

    Args:
        sides: Two or more, the one in use first: files of ratings in any format, lists of ratings, calibrations, or
            judges to ask, by name or opened.
        rubric: The rubric of all of them; by default the one that the files name or imply.
        examples: Labelled examples, or their file; by default the rubric's own.
        of: What agreement is of: "score", "decision", or a criterion's name; by default as the rubric says.
        tolerance: How far a score may miss and still agree; by default the rubric's.
        gold: Only labels of this kind count.
        gold_by: How several labels of an example are combined.
        split: The part of the examples; by default dev, once a set has splits.
        only: Values that examples have, each as "FIELD=VALUE".
        kind: Who rated, where an export of another tool doesn't say.
        rater: The rater's name, where an export doesn't say.
        judge_names: Raters of an export that are judges.
        map: Other names for metrics of an export.
        levels: The levels that words of an export mean.
        scale: The lowest and highest value of "judge" and of "human" in files where they differ.
        skip_damaged: Whether what can't be read is left out, with a warning each.
        watch: Shows progress.
        asking: How judges are asked, as on the command line: `samples=3`, `budget=2`.

    Raises:
        UsageError: Fewer than two sides, an unknown rubric or option, or judges without a rubric.
        RatingError: Examples or ratings can't be read.
        ComparisonError: The sides have no example in common.

    Example:
        >>> strict = [{"id": "a", "criteria": {"polite": "UNMET"}}, {"id": "b", "criteria": {"polite": "UNMET"}}]
        >>> kinder = [{"id": "a", "criteria": {"polite": "UNMET"}}, {"id": "b", "criteria": {"polite": "MET"}}]
        >>> compare(strict, kinder).choice.pairs[0].flips[0].id
        'b'
    """
    calibrations = [side for side in sides if isinstance(side, Calibration)]
    if len(calibrations) == len(sides) >= 2 and rubric is None and examples is None:
        return compare_calibrations(calibrations, of=of, tolerance=number_given("tolerance", tolerance))
    loaded = None if rubric is None else rubric_given(rubric)
    settings = find_settings(Path.cwd()).values
    request = ComparisonRequest(
        sides=_sides(sides, loaded),
        rubric=loaded,
        examples=examples_given(examples, loaded),
        choice=ExamplesChoice(split=one_of("split", split, get_args(Part)), only=tuple(only)),
        options=Options(
            one_of("gold", gold, KINDS),
            one_of("gold_by", gold_by, get_args(GoldRule)) or gold_by,
            number_given("tolerance", settings.get("tolerance") if tolerance is None else tolerance),
            of=of,
        ),
        ask=ask_options(None, asking),
        meanings=tool_file_hints(kind, rater, judge_names, map, levels, scale).meanings,
        watch=watch,
    )
    with leaving_out_damaged_lines(skip_damaged):
        return request.compared()


def _sides(
    sides: Sequence[str | Path | Judge | Calibration | Iterable[Rating | PlainRow]], rubric: Rubric | None
) -> tuple[str | Judge | RatedFile, ...]:
    return tuple(_side(side, f"side {place}", rubric) for place, side in enumerate(sides, start=1))


def _side(
    side: str | Path | Judge | Calibration | Iterable[Rating | PlainRow], name: str, rubric: Rubric | None
) -> str | Judge | RatedFile:
    if isinstance(side, str | Path):
        return str(side)
    if isinstance(side, Judge):
        return side
    if isinstance(side, Calibration):
        asking = JudgeCost(side.cost, side.counts.from_cache, side.counts.examples)
        return RatedFile(Path(name), "a calibration", side.rubric, (), side.judge_ratings, judge_cost=asking)
    refuse_frame(side)
    rows = list(side)
    if rubric is None:
        rubric = rubric_of_levels((_levels(row) for row in rows), Path(name))
    ratings = ratings_from(rows, rubric, rater=name)
    return RatedFile(Path(name), "ratings", rubric, (), tuple(ratings), all_are_judges=True)


def _levels(row: Rating | PlainRow) -> PlainRow:
    if isinstance(row, Rating):
        return {name: rated.level for name, rated in row.criteria.items()}
    criteria = rating_cells(row).get("criteria")
    return criteria if isinstance(criteria, Mapping) else {}
