"""Decisions of a judge or of a voting panel, ranked by how certain they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from markscheme.features.certify.certificate_file import CertaintySignal
from markscheme.features.certify.promise import MarkSide
from markscheme.ratings.gold import JUDGE
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, column_of
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.intervals import Flags, Floats

MOSTLY_RANKED = 0.5
"""Share of a judge's decisions that must have a probability for the decisions to be ranked by probability."""


def judges_in(ratings: Sequence[Rating]) -> tuple[str, ...]:
    """Return the names of the judges that gave the ratings, in the order of their first ratings."""
    return tuple(dict.fromkeys(rating.rater for rating in ratings))


@dataclass(frozen=True)
class RankedDecisions:
    """Decisions of a judge or panel on labelled examples, with their certainty; arrays have one row per example.

    Attributes:
        signal: The figure that certainty is measured by: "probability", "distance" from the pass mark, or "votes".
        certainty: Certainty of each decision, a larger number being more certain; nan if the judge doesn't decide the
            example, or if its decision can't be ranked.
        passes: Flags of the examples that it passes.
    """

    signal: CertaintySignal
    certainty: Floats
    passes: Flags

    @classmethod
    def of(cls, ratings: Sequence[Rating], rubric: Rubric, ids: Sequence[str]) -> "RankedDecisions":
        """Return the decisions that ratings imply: those of one judge, or of a panel if several judges gave them.

        Args:
            ratings: The ratings.
            rubric: The rubric.
            ids: Ids of the examples, in the order that the decisions get.
        """
        if len(judges_in(ratings)) > 1:
            return cls.of_panel(ratings, rubric, ids)
        return cls.of_column(column_of(JUDGE, ratings, rubric, ids), rubric)

    @classmethod
    def of_panel(cls, ratings: Sequence[Rating], rubric: Rubric, ids: Sequence[str]) -> "RankedDecisions":
        """Return the majority decision of several judges, ranked by the share of judges in the majority.

        An even split can't be ranked, nor can an example that one of the judges didn't decide.
        """
        by_judge = {judge: [rating for rating in ratings if rating.rater == judge] for judge in judges_in(ratings)}
        columns = [column_of(judge, of_judge, rubric, ids) for judge, of_judge in by_judge.items()]
        share = np.mean([column.decisions for column in columns], axis=0)
        certainty = np.where(share == 1 / 2, math.nan, np.maximum(share, 1 - share))
        return cls("votes", certainty, np.asarray(share > 1 / 2))

    @classmethod
    def of_column(cls, column: Column, rubric: Rubric) -> "RankedDecisions":
        """Return the decisions in one judge's column of ratings."""
        passes = column.decisions == 1
        decided = ~np.isnan(column.decisions)
        chances = column.chances if len(column.chances) else np.full(len(passes), np.nan)
        if decided.any() and (decided & ~np.isnan(chances)).sum() >= MOSTLY_RANKED * decided.sum():
            certainty = np.where(passes, chances, 1 - chances)
            return cls("probability", np.where(decided, certainty, np.nan), passes)
        distance = np.abs(column.scores - rubric.pass_mark)
        return cls("distance", np.where(decided, distance, np.nan), passes)


def on_side(side: MarkSide, passes: Flags) -> Flags:
    """Mark the decisions on a side: the passes, the fails, or all for both sides; shape (n,).

    >>> on_side("fails", np.array([True, False])).tolist(), on_side("both", np.array([True, False])).tolist()
    ([False, True], [True, True])
    """
    by_side = {"both": np.ones_like(passes), "passes": passes, "fails": ~passes}
    return by_side[side]
