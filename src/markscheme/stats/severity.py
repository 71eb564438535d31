"""Errors, correlations, confusion matrix, accuracy, precision and recall of a judge against gold.

Signed error, or bias, is always judge minus gold: above 0 the judge is lenient, below 0 severe.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from markscheme.stats.association import ccc, icc, kendall, pearson, spearman
from markscheme.stats.estimate import Estimate, Reason, ScaleLevel
from markscheme.stats.intervals import (
    IDENTITY,
    LOG,
    LOGIT,
    Flags,
    Floats,
    Grouping,
    Integers,
    Transform,
    jackknife,
    kept_within,
    mapped,
    mark_rough,
    no_disagreement,
    t_quantile,
    withhold,
)
from markscheme.stats.pairs import Moments, Pairs, numbers, paired
from markscheme.stats.rating_patterns import SAME_LEVEL, commonest, over
from markscheme.stats.shares import FEWEST_SHOWN, share
from markscheme.stats.table import STATISTICS, PairStatistic

MOST_LEVELS = 100
"""Largest number of levels for a mean over levels; with more, values are treated as measurements."""
CELLS_AT_ONCE = 2_000_000
"""Number of cells of confusion matrices that are kept in memory at a time while groups are left out: 16 MB."""
FEWEST_DF_OF_LEVELS = 3.0
"""Smallest number of degrees of freedom of a mean over levels, of which two or three may carry nearly all the
variance."""
MOST_LEVELS_IN_TABLE = 1000
"""Largest number of levels of a confusion matrix, since nearly all of the million cells of a larger one would be
empty."""


# -- errors ------------------------------------------------------------------------------------------------------------


def pair_statistic(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    name: str,
    *,
    groups: Grouping = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Compute one error or correlation of a judge against gold, by its name in the literature.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        name: One of `PAIR_STATISTICS`, or of the statistics that features add.

            * mae, rmse: mean absolute error and root of the mean squared error, in the unit of the ratings;
            * signed_error: mean of judge minus gold, in that unit: above 0 the judge is lenient, below severe;
            * sd_ratio: standard deviation of the judge over gold's: below 1 the judge avoids the ends. Noise in gold
              lowers it too;
            * icc: absolute agreement, ICC(A,1), with a distribution-free interval;
            * ccc: Lin's concordance; variances divide by n, so that on levels it is the quadratic kappa;
            * pearson, spearman, kendall (tau-b): linear, rank and order correlation.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        levels: Levels of the scale, or its two ends; needed only for the interval if all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The statistic: errors in the unit of the ratings; correlations from -1 to 1, undefined if a rater gives every
        unit one value (icc and ccc are then 0, and undefined if both raters give one value).

    Raises:
        ValueError: The name is unknown, or the shapes differ.

    Source:
        McGraw and Wong (1996), Psychological Methods 1(1), 30-46. doi:10.1037/1082-989X.1.1.30;
        Lin (1989), Biometrics 45(1), 255-268. doi:10.2307/2532051;
        Pearson (1895), Proceedings of the Royal Society 58, 240-242. doi:10.1098/rspl.1895.0041;
        Spearman (1904), American Journal of Psychology 15(1), 72-101. doi:10.2307/1412159;
        Kendall (1945), Biometrika 33(3), 239-251. doi:10.1093/biomet/33.3.239

    Example:
        >>> gold, judge = [1, 2, 3, 4], [1, 3, 3, 2]
        >>> [round(pair_statistic(gold, judge, name).value, 3) for name in ("mae", "rmse", "signed_error", "pearson")]
        [0.75, 1.118, -0.25, 0.405]
    """
    statistics = _PAIR_STATISTICS if name in _PAIR_STATISTICS else _PAIR_STATISTICS | _of_features()
    if name not in statistics:
        raise ValueError(f"a statistic of two raters is one of {', '.join(statistics)}, not {name!r}")
    return statistics[name](paired(gold, judge, groups, levels), level)


def error_family(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: Grouping = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
    raters: tuple[str, str] = ("gold", "judge"),
    names: Sequence[str] = (),
) -> dict[str, Estimate]:
    """Compute the errors and correlations of a judge with gold, by name.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        levels: Levels of the scale, or its two ends; None for the lowest and highest value seen.
        level: Coverage of the intervals, 0 to 1.
        raters: Names of gold and judge in notes.
        names: Names of the statistics to compute; () for all.

    Returns:
        The statistics: mae, rmse and signed_error in the unit of the ratings; icc, ccc, pearson, spearman and kendall
        from -1 to 1; and the statistics of features.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> errors = error_family([1, 2, 3, 4], [1, 3, 3, 2])
        >>> errors["mae"].value, errors["signed_error"].value
        (0.75, -0.25)
    """
    pairs = replace(paired(gold, judge, groups, levels), raters=raters)
    family = _ERROR_FAMILY | _of_features()
    return {name: family[name](pairs, level) for name in names or family}


def _mae(pairs: Pairs, level: float) -> Estimate:
    method = "mean |judge - gold|"
    if pairs.agree and len(pairs):
        return _no_error(pairs, 0.0, pairs.span, level, method)
    return _error(pairs, lambda m: m.absolute, LOG, level, method)


def _rmse(pairs: Pairs, level: float) -> Estimate:
    method = "root mean (judge - gold)²"
    if pairs.agree and len(pairs):
        return mapped(_no_error(pairs, 0.0, pairs.span**2, level, method), math.sqrt)
    return _error(pairs, lambda m: np.sqrt(m.square), LOG, level, method)


def _signed_error(pairs: Pairs, level: float) -> Estimate:
    method = "mean judge - gold"
    if pairs.agree and len(pairs):
        return _no_error(pairs, pairs.step, pairs.step, level, method)
    return _error(pairs, lambda m: m.signed, IDENTITY, level, method)


def _ratio_of_sds(pairs: Pairs, level: float) -> Estimate:
    method = "sd(judge)/sd(gold)"
    why = _too_few(pairs) or (Reason("one-example") if len(pairs) == 1 else pairs.stuck)
    if why:
        return Estimate.without_value(why, n=pairs.groups.n, method=method, level=level)
    return _error(replace(pairs, scale_told=False), _sd_ratio, LOG, level, method)


_ERROR_FAMILY: dict[str, PairStatistic] = {
    "mae": _mae,
    "rmse": _rmse,
    "signed_error": _signed_error,
    "icc": icc,
    "ccc": ccc,
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
_PAIR_STATISTICS = {**_ERROR_FAMILY, "sd_ratio": _ratio_of_sds}

PAIR_STATISTICS = tuple(_PAIR_STATISTICS)
"""Names of the core's errors and correlations, with those that only a diagnosis asks for."""


def error_names() -> tuple[str, ...]:
    """Return the names of all errors and correlations of two raters, including those that markscheme's features add."""
    return tuple(_ERROR_FAMILY | _of_features())


def _of_features() -> dict[str, PairStatistic]:
    """Load the statistics of two raters that markscheme's features add, by name."""
    return {name: statistic for load in STATISTICS for name, statistic in load().items()}


def _sd_ratio(m: Moments) -> Floats:
    return over(np.where(m.judge_variance > 0, np.sqrt(m.judge_variance), np.nan), np.sqrt(m.gold_variance))


def _too_few(pairs: Pairs) -> Reason | None:
    return None if len(pairs) else Reason("no-examples")


def _error(
    pairs: Pairs, formula: Callable[[Moments], Floats], transform: Transform, level: float, method: str
) -> Estimate:
    why = _too_few(pairs)
    if why:
        return Estimate.without_value(why, n=0, method=method, level=level)
    error = pairs.groups.jackknife(formula(pairs.moments), transform=transform, level=level, method=method)
    return kept_within(error, -pairs.span, pairs.span) if pairs.scale_told else error


def _no_error(pairs: Pairs, below: float, above: float, level: float, method: str) -> Estimate:
    """Estimate an error of 0, with limits that allow for errors on unseen examples.

    Args:
        pairs: The ratings of gold and judge, which are all equal.
        below: How far the error would fall if the judge were wrong on every example not seen; 0 if it can't be below 0.
        above: How far the error would rise if the judge were wrong on every example not seen.
        level: Coverage of the interval, 0 to 1.
        method: Name of the statistic, for the Estimate's `method`.
    """
    if pairs.span == 0:
        return withhold(Estimate(0.0, n=pairs.groups.n, level=level, method=method), Reason("one-level-without-scale"))
    return no_disagreement(0.0, n=pairs.groups.n, below=below, above=above, level=level, method=method)


# -- decisions ---------------------------------------------------------------------------------------------------------


def confusion(
    gold: npt.ArrayLike, judge: npt.ArrayLike, levels: npt.ArrayLike | None = None, *, groups: Grouping = None
) -> Integers:
    """Count how often the judge gave each level for each gold level: the confusion matrix.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        levels: Levels of the scale, worst first; None for the values that either rater gave, ascending.
        groups: Groups with the numbers of units that the rows represent; None if each row is one unit.

    Returns:
        The counts, shape (n_levels, n_levels): rows are gold's levels, columns the judge's, in the order of `levels`.

    Raises:
        ValueError: The shapes differ, or a rating isn't one of `levels`.

    Example:
        >>> confusion([1, 1, 2, 3], [1, 2, 2, 3], levels=[1, 2, 3]).tolist()
        [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    """
    pairs = paired(gold, judge, groups)
    scale = _levels_seen(pairs) if levels is None else np.asarray(levels, dtype=np.float64)
    return _confusion(pairs, scale)


def yes_no_family(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    levels: tuple[float, float] = (0.0, 1.0),
    groups: Grouping = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Compute accuracy, precision, recall and other measures of a judge's yes/no decisions, by name.

    Accuracy says little if one answer is rare: read it next to `prevalence_gold`.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing. A value halfway between no and yes is an even split of
            annotators, which counts for neither level, and is left out.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        levels: Values for no and for yes.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the intervals, 0 to 1.

    Returns:
        accuracy: share of examples decided as gold does;
        precision: share of gold yes among the judge's yes;
        recall: share of the gold yes that the judge finds (sensitivity);
        specificity: share of the gold no that the judge finds;
        f1: harmonic mean of precision and recall;
        prevalence_gold, prevalence_judge: share of yes. Each 0 to 1, undefined where its denominator is 0.

    Raises:
        ValueError: The shapes differ.

    Source:
        Yerushalmy (1947), Public Health Reports 62(40), 1432-1449, for sensitivity and specificity; van Rijsbergen
        (1979), Information Retrieval, chapter 7, for precision, recall and F.

    Example:
        >>> found = yes_no_family([1, 1, 1, 0], [1, 1, 0, 1])
        >>> {name: round(e.value, 3) for name, e in found.items() if e.value is not None}
        {'accuracy': 0.5, 'precision': 0.667, 'recall': 0.667, 'specificity': 0.0, 'f1': 0.667,
         'prevalence_gold': 0.75, 'prevalence_judge': 0.75}
    """
    no, yes = (float(answer) for answer in levels)
    pairs = paired(_without(gold, (no + yes) / 2), judge, groups)
    seen = _levels_seen(pairs)
    strange = seen[~(_same(seen, no) | _same(seen, yes))]
    if len(strange):
        why = Reason("neither-yes-nor-no", {"answer": float(strange[0]), "no": no, "yes": yes})
        return {name: Estimate.without_value(why, n=len(pairs), method=name, level=level) for name in YES_NO_NAMES}
    return _decisions(pairs, _same(pairs.gold, yes), _same(pairs.judge, yes), level)


def macro_family(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    levels: npt.ArrayLike | None = None,
    groups: Grouping = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Compute precision, recall and F1 of a judge over several levels, each level with equal weight, by name.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        levels: Levels of the scale; None for the values that either rater gave. A level that neither rater gave is left
            out of the averages. A level that only gold gave has precision 0, one that only the judge gave has recall 0.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the intervals, 0 to 1.

    Returns:
        accuracy; macro_precision, macro_recall and macro_f1, the means over levels of each level's one-against-the-rest
        value; and commonest, the accuracy of a judge that always gives gold's most common level. Each 0 to 1. Limits of
        the means treat each level's examples as a sample of their own; they are approximate while a level of the scale
        hasn't been seen.

    Raises:
        ValueError: The shapes differ, or a rating isn't one of `levels`.

    Source:
        Sokolova and Lapalme (2009), Information Processing and Management 45(4), 427-437.
        doi:10.1016/j.ipm.2009.03.002

    Example:
        >>> found = macro_family([1, 1, 2, 3], [1, 2, 2, 3])
        >>> round(found["macro_precision"].value, 4), found["commonest"].value
        (0.8333, 0.5)
    """
    pairs = paired(gold, judge, groups)
    scale = _levels_seen(pairs) if levels is None else np.asarray(levels, dtype=np.float64)
    hits = {"accuracy": pairs.gold == pairs.judge, "commonest": pairs.gold == commonest(pairs.gold, pairs.groups.units)}
    shares = {name: share(agrees, pairs.groups, level=level) for name, agrees in hits.items()}
    return shares | {name: _macro(name, pairs, scale, level) for name in _MACRO}


YES_NO_NAMES = ("accuracy", "precision", "recall", "specificity", "f1", "prevalence_gold", "prevalence_judge")


def _without(values: npt.ArrayLike, left_aside: float) -> Floats:
    every = numbers(values, "gold")
    return np.where(_same(every, left_aside), np.nan, every)


def _same(values: npt.ArrayLike, level: npt.ArrayLike) -> Flags:
    """Return flags of the values that equal a level up to rounding."""
    return np.asarray(np.isclose(values, level, rtol=SAME_LEVEL, atol=1e-12))


def _levels_seen(pairs: Pairs) -> Floats:
    return np.union1d(pairs.gold, pairs.judge)


def _decisions(pairs: Pairs, gold: Flags, judge: Flags, level: float) -> dict[str, Estimate]:
    def share_among(hits: Flags, counted: Flags, of: str) -> Estimate:
        return share(np.where(counted, hits, np.nan), pairs.groups, level=level, of=of)

    every = np.ones_like(gold)
    overlap = share_among(gold & judge, gold | judge, "examples with a yes")
    return {
        "accuracy": share_among(gold == judge, every, "examples"),
        "precision": share_among(gold & judge, judge, "examples with judge yes"),
        "recall": share_among(gold & judge, gold, "examples with gold yes"),
        "specificity": share_among(~gold & ~judge, ~gold, "examples with gold no"),
        "f1": _f1(overlap),
        "prevalence_gold": share_among(gold, every, "examples"),
        "prevalence_judge": share_among(judge, every, "examples"),
    }


def _f1(overlap: Estimate) -> Estimate:
    """Convert an estimate of the Jaccard index to one of F1; withhold its interval if there are few examples.

    The Jaccard index is the share of examples to which both raters say yes, among those to which at least one does.
    """
    f1 = mapped(overlap, lambda j: 2 * j / (1 + j))
    if f1.value is None or f1.n >= FEWEST_SHOWN:
        return f1
    return withhold(f1, Reason("few-with-yes", {"examples": f1.n}))


_MACRO = ("macro_precision", "macro_recall", "macro_f1")


def _macro(name: str, pairs: Pairs, scale: Floats, level: float) -> Estimate:
    method = "mean over levels"
    if not len(pairs) or len(scale) > MOST_LEVELS:
        why = Reason("many-levels", {"most": MOST_LEVELS}) if len(pairs) else Reason("no-examples")
        return Estimate.without_value(why, n=pairs.groups.n, method=method, level=level)
    table = _confusion(pairs, scale)
    value = float(_mean_over_levels(name, table[None])[0])
    if pairs.groups.several:
        left_out = np.concatenate([_mean_over_levels(name, table - gone) for gone in _group_tables(pairs, scale)])
        mean = jackknife(value, left_out, transform=LOGIT, level=level, method=method, grouped=True)
    else:
        low, high = _macro_limits(name, table, level)
        limits = min(low, value), max(high, value)
        mean = Estimate(value, *limits, level, len(pairs), f"{method}; stratified t, half an example added")
    never = scale[_hits(name, table)[1] == 0]
    return mark_rough(mean, Reason("level-unseen", {"level": ScaleLevel(never[0])})) if len(never) else mean


def _hits(name: str, tables: Integers) -> tuple[Floats, Floats]:
    """Return each level's hits, and the number to divide them by for the named measure.

    A level's number to divide by counts examples: for precision, those that the judge puts on the level; for recall,
    those that gold puts on it; for F1, those that the judge or gold puts on it.

    Args:
        name: "macro_precision", "macro_recall" or "macro_f1".
        tables: Confusion matrices, shape (…, n_levels, n_levels), gold by row and judge by column.
    """
    diagonal = np.diagonal(tables, axis1=-2, axis2=-1).astype(np.float64)
    gold = tables.sum(axis=-1)
    judge = tables.sum(axis=-2)
    of = {"macro_precision": judge, "macro_recall": gold, "macro_f1": gold + judge - diagonal}[name]
    return diagonal, np.asarray(of, dtype=np.float64)


def _mean_over_levels(name: str, tables: Integers) -> Floats:
    """Compute macro precision, recall or F1 of each table: the mean over the levels that either rater gave.

    Args:
        name: "macro_precision", "macro_recall" or "macro_f1".
        tables: Confusion matrices, shape (…, n_levels, n_levels), gold by row and judge by column.
    """
    hits, of = _hits(name, tables)
    shares = np.divide(hits, of, out=np.zeros_like(of), where=of > 0)
    used = tables.sum(axis=-1) + tables.sum(axis=-2) > 0
    return over(_f_of_overlap(name, shares).sum(axis=-1), used.sum(axis=-1, dtype=np.float64))


def _f_of_overlap(name: str, shares: Floats) -> Floats:
    return 2 * shares / (1 + shares) if name == "macro_f1" else shares


def _macro_limits(name: str, table: Integers, level: float) -> tuple[float, float]:
    """Compute the limits of macro precision, recall or F1, treating each level's examples as a separate sample.

    Half a hit and half an error are added to each level, so that a level that was always or never hit doesn't look
    certain. For F1, an error counts for both levels that it confuses.

    Args:
        name: "macro_precision", "macro_recall" or "macro_f1".
        table: Confusion matrix, shape (n_levels, n_levels), gold by row and judge by column.
        level: Coverage of the interval.
    """
    hits, of = _hits(name, table)
    seen = of > 0
    shares = (hits[seen] + 0.5) / (of[seen] + 1)
    n = of[seen] + 1
    slope = 2 / (1 + shares) ** 2 if name == "macro_f1" else np.ones_like(shares)
    variances = slope**2 * shares * (1 - shares) / n
    variance = float(variances.sum())
    df = max(FEWEST_DF_OF_LEVELS, variance**2 / float((variances**2 / n).sum()))
    if name == "macro_f1":
        mistakes = (table + table.T)[np.ix_(seen, seen)].astype(np.float64)
        np.fill_diagonal(mistakes, 0.0)
        missed = slope * shares / n
        variance += float(missed @ mistakes @ missed)
    used = int((table.sum(axis=0) + table.sum(axis=1) > 0).sum())
    centre = float(_f_of_overlap(name, shares).sum()) / used
    reach = t_quantile(df, level) * math.sqrt(variance) / used
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _group_tables(pairs: Pairs, scale: Floats) -> Iterator[Integers]:
    """Yield the confusion matrices of all groups in batches, each of shape (n_in_batch, n_levels, n_levels)."""
    k = len(scale)
    at_once = max(1, CELLS_AT_ONCE // (k * k))
    order = np.argsort(pairs.groups.number, kind="stable")
    group = pairs.groups.number[order]
    cell = (_places(pairs.gold, scale) * k + _places(pairs.judge, scale))[order]
    times = None if pairs.groups.times is None else pairs.groups.times[order]
    for start in range(0, pairs.groups.n_sets, at_once):
        stop = min(start + at_once, pairs.groups.n_sets)
        first, last = np.searchsorted(group, [start, stop])
        places = (group[first:last] - start) * k * k + cell[first:last]
        flat = np.bincount(places, None if times is None else times[first:last], minlength=(stop - start) * k * k)
        yield np.asarray(flat.reshape(stop - start, k, k), dtype=np.int64)


def _places(values: Floats, scale: Floats) -> Integers:
    """Return the index of each value among the scale's levels; rounding errors don't matter."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(scale, kind="stable")
    slack = SAME_LEVEL * float(np.abs(scale).max(initial=0.0))
    position = np.searchsorted(scale[order], values - slack)
    strange = values[np.abs(np.append(scale[order], np.inf)[position] - values) > slack]
    if len(strange):
        raise ValueError(f"{strange[0]:g} isn't one of the levels {scale.tolist()}")
    return np.asarray(order[position], dtype=np.int64)


def _confusion(pairs: Pairs, scale: Floats) -> Integers:
    k = len(scale)
    if k > MOST_LEVELS_IN_TABLE:
        raise ValueError(f"a confusion matrix takes at most {MOST_LEVELS_IN_TABLE} levels, not {k}")
    cells = _places(pairs.gold, scale) * k + _places(pairs.judge, scale)
    counts = np.bincount(cells, weights=pairs.groups.units, minlength=k * k)
    return np.asarray(counts.reshape(k, k), dtype=np.int64)
