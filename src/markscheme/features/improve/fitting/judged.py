"""Gets a judge's levels of the responses that people decided on: from files, or by asking the judge."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from markscheme.calibration.judge_runs import rated_by
from markscheme.errors import UsageError, naming
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.from_grades import first_prompts
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import Column, column_of
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.rated import columns_from_options, judge_ratings
from markscheme.rubrics.rubric import Rubric


def levels_in_files(files: Sequence[Path], rubric: Rubric, examples: ExampleSet, columns: ColumnOptions) -> Column:
    """Read a judge's levels from a file, or a panel's from one file per judge.

    If a response has several ratings, by a panel's judges or by samples, they are combined into one.

    Args:
        files: The files.
        rubric: The rubric that was used.
        examples: The examples that were rated.
        columns: What the columns and values of a table mean.

    Raises:
        UsageError: A file has no ratings, or contains several raters.
        RatingError: A file can't be read.
    """
    with naming(*files):
        refuse_unknown_columns(files, columns)
        ratings = [r for path in files for r in judge_ratings(path, rubric, examples, columns_from_options(columns))]
    raters = list(dict.fromkeys(rating.rater for rating in ratings))
    if len(raters) > 1 and len(raters) != len(files):
        names = ", ".join(sorted(raters))
        named = ", ".join(map(str, files))
        raise UsageError(f"{named} contains {len(raters)} raters ({names}); use one file for each")
    return column_of("+".join(raters), ratings, rubric, _ids(ratings))


def levels_by_judge(
    name: str, rubric: Rubric, examples: ExampleSet, *, ask: AskOptions, folder: Path, watch: Watch
) -> Column:
    """Ask a judge about all labelled responses.

    Raises:
        NoJudge: The judge can't be asked.
        BudgetError: The budget doesn't cover all examples.
    """
    labelled = examples.labelled.examples
    judge = ask.judge_for(rubric, first_prompts(rubric, labelled), folder, name=name)
    ratings, _ = rated_by(judge, rubric, labelled, ask, watch=watch, whole=True)
    return column_of(str(judge.identity), ratings, rubric, _ids(ratings))


def answers_by_id(judged: Column, rubric: Rubric) -> Mapping[str, Mapping[str, Rated]]:
    """Map each response's id to the judge's answers: for each criterion, a level or "not applicable".

    Args:
        judged: The judge's levels of the responses that it rated.
        rubric: The rubric by which it rated them.
    """
    ids = _ids(judged.given)
    answers: dict[str, dict[str, Rated]] = {id: {} for id in ids}
    for criterion in rubric.criteria:
        levels = judged.levels[criterion.name].tolist()
        for id, level, is_skipped in zip(ids, levels, judged.skipped[criterion.name].tolist(), strict=True):
            if is_skipped:
                answers[id][criterion.name] = Rated(None, declined="not applicable")
            elif not np.isnan(level):
                answers[id][criterion.name] = Rated(level)
    return answers


def _ids(ratings: Iterable[Rating]) -> list[str]:
    return list(dict.fromkeys(rating.id for rating in ratings))
