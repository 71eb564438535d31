"""Agreement of the raters in a table of ratings from anywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from markscheme.calibration.results import Reported
from markscheme.errors import UsageError
from markscheme.phrases import counted, in_words, number
from markscheme.readers.rater_table import RaterTable
from markscheme.stats import Estimate
from markscheme.stats.coefficients import Corrected, NamedWeights, agreement_values
from markscheme.stats.table_agreement import Pooling, RaterPair, table_agreement

ScaleName = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Agreement(Reported):
    """The figures of agreement between the raters in a table.

    Attributes:
        table: The ratings.
        scale: "nominal", "ordinal" or "interval".
        statistics: Measures by their names, each with its interval or the reason why it has no value. Measures defined
            for two raters are pooled over pairs if that was requested.
        chance: Observed and expected agreement of each chance-corrected coefficient of the whole table.
        pairs: The measures of each single pair of raters; empty if pooling wasn't requested.
    """

    table: RaterTable
    scale: ScaleName
    statistics: Mapping[str, Estimate]
    chance: Mapping[str, Corrected]
    pairs: tuple[RaterPair, ...] = ()

    def __repr__(self) -> str:
        who = f"{in_words(self.table.raters)} on {counted(len(self.table.values), 'unit')}, {self.scale}"
        return f"<Agreement of {who}: Krippendorff's alpha {number(self.statistics['krippendorff_alpha'].value)}>"


def agreement_of(
    table: RaterTable,
    scale: ScaleName | None = None,
    *,
    are_ordered: bool = False,
    weights: NamedWeights | None = None,
    pairs: Pooling | None = None,
    judge: str | None = None,
) -> Agreement:
    """Compute every measure of agreement between the raters in a table.

    Args:
        table: The ratings.
        scale: "nominal", "ordinal" or "interval"; None means ordinal if the levels are numbers, nominal if they are
            words.
        are_ordered: True if the table lists levels that are words worst first.
        weights: Cost of a disagreement by the distance of the two levels; None means quadratic if the levels have an
            order.
        pairs: How measures that are defined for two raters are computed for more: as the mean over all pairs of raters,
            or from the pooled units of all pairs; None to leave these measures out.
        judge: A rater to compare with each of the other raters.

    Raises:
        UsageError: The scale doesn't fit the levels or the weights, or no rater in the table has the judge's name.
    """
    are_words = any(isinstance(level, str) for level in table.levels)
    scale = scale or ("nominal" if are_words else "ordinal")
    if are_words and scale != "nominal" and not are_ordered:
        order = ",".join(map(str, table.levels))
        raise UsageError(f"levels that are words have no order of their own; give it: --levels {order}")
    if are_words and scale == "interval":
        raise UsageError("the levels of an interval scale must be numbers")
    if scale == "nominal" and weights not in (None, "identity"):
        raise UsageError(f"{weights} weights need levels with an order; a nominal scale has none")
    if judge is not None and judge not in table.raters:
        raise UsageError(f"`judge` must be one of the raters {', '.join(table.raters)}, got {judge!r}")
    statistics, rater_pairs = table_agreement(
        table.values, levels=table.codes, scale=scale, raters=table.raters, weights=weights, pairs=pairs, judge=judge
    )
    chance = agreement_values(table.values, levels=table.codes, scale=scale, weights=weights)
    return Agreement(table, scale, statistics, chance, rater_pairs)
