"""A judge's levels next to people's decisions: read from files, or asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from markscheme.ratings.table import column_of
from markscheme.readers.rated import columns_from_options, judge_ratings
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class JudgedLevels:
    """A judge's ratings, or those of the judges of a panel.

    Attributes:
        name: The judge's.
        ratings: Several of one response are combined as samples are.
    """

    name: str
    ratings: Sequence[Rating]

    @classmethod
    def in_files(
        cls, files: Sequence[Path], rubric: Rubric, examples: ExampleSet, columns: ColumnOptions
    ) -> "JudgedLevels":
        """Read ratings of one judge, or of the judges of a panel, a file for each.

        Raises:
            UsageError: A file has no ratings, or contains several raters.
            RatingError: A file can't be read.
        """
        with naming(*files):
            ratings = [
                r for path in files for r in judge_ratings(path, rubric, examples, columns_from_options(columns))
            ]
        raters = list(dict.fromkeys(rating.rater for rating in ratings))
        if len(raters) > 1 and len(raters) != len(files):
            names = ", ".join(sorted(raters))
            named = ", ".join(map(str, files))
            raise UsageError(f"{named} contains {len(raters)} raters ({names}); use one file for each")
        return cls("+".join(raters), ratings)

    @classmethod
    def from_judge(
        cls, name: str, rubric: Rubric, examples: ExampleSet, *, ask: AskOptions, folder: Path, watch: Watch
    ) -> "JudgedLevels":
        """Ask a judge.

        Raises:
            NoJudge: There is none to ask.
            BudgetError: The budget doesn't cover all examples.
        """
        labelled = examples.labelled.examples
        judge = ask.judge_for(rubric, first_prompts(rubric, labelled), folder, name=name)
        ratings, _ = rated_by(judge, rubric, labelled, ask, watch=watch, whole=True)
        return cls(str(judge.identity), ratings)

    def by_id(self, rubric: Rubric) -> Mapping[str, Mapping[str, Rated]]:
        """Return the judge's answers by response and criterion."""
        ids = list(dict.fromkeys(rating.id for rating in self.ratings))
        column = column_of(self.name, self.ratings, rubric, ids)
        answers: dict[str, dict[str, Rated]] = {id: {} for id in ids}
        for criterion in rubric.criteria:
            levels = column.levels[criterion.name].tolist()
            for id, level, is_skipped in zip(ids, levels, column.skipped[criterion.name].tolist(), strict=True):
                if is_skipped:
                    answers[id][criterion.name] = Rated(None, declined="not applicable")
                elif not np.isnan(level):
                    answers[id][criterion.name] = Rated(level)
        return answers
