"""Coefficients of agreement between raters, plain and corrected for chance, such as kappa and alpha.

Every chance-corrected coefficient is one ratio, 1 - (observed disagreement)/(expected disagreement). They differ in the
expectation: raters keep their own margins (Cohen, Conger), share one (Scott, Fleiss), guess all levels equally (Brennan
and Prediger), guess only when unsure (Gwet), or their ratings are shuffled (Krippendorff). They also differ in the cost
of a disagreement, given as a credit for each pair of levels.

Ratings are a table of shape (n_units, n_raters), nan where a rater gave none. `levels` are all levels of the scale,
worst first.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate, Reason, ScaleLevel
from markscheme.stats.intervals import (
    ATANH,
    OFF_TO_TRUST,
    Floats,
    Grouping,
    Groups,
    few_off,
    guard,
    jackknife,
    mark_rough,
    no_disagreement,
    withhold,
)
from markscheme.stats.pairs import equal_vectors, numbers
from markscheme.stats.rating_patterns import SAME_LEVEL, RatingPatterns, in_order, over, rating_patterns
from markscheme.stats.shares import share

ScaleKind: TypeAlias = Literal["nominal", "ordinal", "interval"]
Metric: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
NamedWeights: TypeAlias = Literal["identity", "linear", "quadratic"]
Weights: TypeAlias = NamedWeights | npt.ArrayLike

MOST_CATEGORIES = 200
"""Largest number of levels for coefficients that count categories; with more, values are treated as measurements."""
FEW_FOR_PARTIAL_CREDIT = 50
"""Number of examples below which the interval of an uncorrected mean of partial credits isn't reliable."""
_NO_CHANCE_DISAGREEMENT = 1e-13
"""Disagreement expected by chance below which it is 0 except for rounding, and coefficients have no value."""


class Corrected(NamedTuple):
    """A chance-corrected coefficient with its observed and expected agreement.

    Attributes:
        value: Coefficient (observed - expected)/(1 - expected); nan if undefined.
        observed: Observed agreement, weighted by the credit of each pair of levels, 0 to 1; nan if nothing can be
            compared.
        expected: Agreement expected by chance, with the weighting and range of `observed`.
        undefined: Reason why there is no value; None if there is a value.
    """

    value: float
    observed: float
    expected: float
    undefined: str | None = None


# ------------------------------------------------------------------------------------------ what a disagreement costs


class _Loss(NamedTuple):
    """Mean cost (loss) of differing ratings of a unit, computed from features of the ratings.

    The features of a rating are numbers, such as a 1 for its level and a 0 for every other level. Let p be the mean
    features of one set of ratings, and q those of another set. Then p' `form` q is the mean loss between a rating of
    the one set and a rating of the other. For a squared distance, three features suffice (`_squared`).

    Attributes:
        name: Name of the loss, such as "quadratic".
        features: Features of each level, shape (n_levels, n_features).
        form: Matrix of the bilinear form, shape (n_features, n_features).
        uniform: Mean loss between two raters who guess all levels equally often.
        largest: Loss of the two levels that cost most.
        ranked: True if the loss depends on how often each level occurs.
    """

    name: str
    features: Floats
    form: Floats
    uniform: float
    largest: float
    ranked: bool = False

    @property
    def directed(self) -> bool:
        """True if the loss isn't symmetric: if, for example, a 1 instead of a 3 costs more than a 3 instead of a 1."""
        return not np.allclose(self.form, self.form.T)

    def between(self, p: Floats, q: Floats) -> Floats:
        """Compute the mean loss between a rating from one set of ratings and a rating from another set.

        Args:
            p: Mean of the first set's features, the numbers that describe a rating (see the class), shape
                (..., n_features).
            q: Mean of the second set's features, shape (..., n_features).
        """
        return np.asarray(((p @ self.form) * q).sum(axis=-1))


def _counted(name: str, loss: Floats, *, ranked: bool = False) -> _Loss:
    return _Loss(name, np.eye(len(loss)), loss, float(loss.mean()), float(loss.max()), ranked)


def _squared(name: str, table: RatingPatterns) -> _Loss:
    """Make a loss that is the squared distance of two levels, as a bilinear form on three numbers for each level.

    These numbers, the level's features, are 1, x and x². Here x is the level's distance from the mean rating, so that
    rounding errors stay small.
    """
    span = float(np.ptp(table.levels)) or 1.0
    frequency = np.zeros(len(table.values))
    for column in table.codes.T:
        is_rated = column >= 0
        frequency += np.bincount(column[is_rated], weights=table.times[is_rated], minlength=len(table.values))
    centre = float(frequency @ table.values) / max(1.0, float(frequency.sum()))
    x = (table.values - centre) / span
    form = np.array([[0.0, 0.0, 1.0], [0.0, -2.0, 0.0], [1.0, 0.0, 0.0]])
    uniform = 2 * float(np.var(table.levels / span))
    return _Loss(name, np.stack([np.ones_like(x), x, x * x], axis=1), form, uniform, 1.0)


def _custom(weights: npt.ArrayLike, n_levels: int) -> _Loss:
    credit = numbers(weights, "a credit matrix")
    if credit.shape != (n_levels, n_levels):
        raise ValueError(f"a credit matrix for {n_levels} levels has shape {(n_levels, n_levels)}, not {credit.shape}")
    if not np.isfinite(credit).all() or (credit > 1).any() or not (np.diag(credit) == 1).all():
        raise ValueError("a credit matrix is 1 on its diagonal and nowhere more than 1")
    return _counted("custom weights", 1 - credit)


def _loss(weights: Weights, table: RatingPatterns) -> _Loss | Reason:
    """Return the cost of each kind of disagreement, or the reason why the ratings don't allow the requested cost.

    Args:
        weights: The cost by name, such as "quadratic", or a matrix of the credit for each pair of levels.
        table: The ratings.
    """
    x = table.levels
    span = float(np.ptp(x)) or 1.0
    if not isinstance(weights, str):
        loss = _custom(weights, len(x))
        return _lacks_categories(table) or loss
    if weights in ("quadratic", "interval"):
        return _squared("quadratic weights" if weights == "quadratic" else "interval metric", table)
    if weights not in ("identity", "nominal", "linear", "ordinal", "ratio"):
        raise ValueError(f"weights are identity, linear, quadratic or a credit matrix, not {weights!r}")
    if lacking := _lacks_categories(table):
        return lacking
    distance = np.abs(x[:, None] - x)
    if weights == "linear":
        return _counted("linear weights", distance / span)
    if weights == "ordinal":
        return _counted("ordinal metric", (distance / span) ** 2, ranked=True)
    if weights == "ratio":
        if (x < 0).any():
            return Reason("levels-below-zero")
        return _counted("ratio metric", over(distance, x[:, None] + x, empty=0.0) ** 2)
    return _counted("nominal metric" if weights == "nominal" else "identity weights", 1 - np.eye(len(x)))


def _lacks_categories(table: RatingPatterns) -> Reason | None:
    if table.between is not None:
        return Reason("rating-between-levels", {"rating": table.between})
    if len(table.levels) > MOST_CATEGORIES:
        return Reason("no-categories", {"levels": len(table.levels)})
    return None


# ------------------------------------------------------------------------------------- disagreement, seen and by chance


def _padded(features: Floats) -> Floats:
    """Append a row of zeros, which the index -1 of a missing rating selects.

    Args:
        features: The numbers by which a loss describes each level, shape (n_levels, n_features).
    """
    return np.vstack([features, np.zeros((1, features.shape[1]))])


def _row_sums(table: RatingPatterns, features: Floats) -> Floats:
    """Sum the features of the ratings (numbers that describe their levels) in each distinct row.

    Args:
        table: The ratings.
        features: The numbers by which a loss describes each level, shape (n_levels, n_features).
    """
    padded = _padded(features)
    sums = np.zeros((len(table.codes), features.shape[1]))
    for column in table.codes.T:
        sums += padded[column]
    return sums


def _pairable(table: RatingPatterns) -> Floats:
    """Count the units with two ratings or more: in all, then without each jackknife set (units left out together)."""
    return table.remaining(table.rated >= 2)


def _pair_losses(table: RatingPatterns, loss: _Loss) -> Floats:
    """Sum, for each distinct row, the losses of all its pairs of ratings; in a pair, the earlier rater comes first."""
    padded = _padded(loss.features)
    so_far = np.zeros((len(table.codes), padded.shape[1]))
    losses = np.zeros(len(table.codes))
    for column in table.codes.T:
        features = padded[column]
        losses += loss.between(so_far, features)
        so_far += features
    return np.where(table.unanimous, 0.0, losses)


def _seen(table: RatingPatterns, loss: _Loss) -> Floats:
    """Compute the observed disagreement: the mean cost of two ratings of a unit, averaged over units.

    Args:
        table: The ratings.
        loss: The cost of two ratings' difference.

    Returns:
        The disagreement over all units, then without each jackknife set.
    """
    pairs = table.rated * (table.rated - 1) / 2
    return over(table.remaining(_pair_losses(table, loss) / np.maximum(pairs, 1)), _pairable(table))


def _shared_margins(table: RatingPatterns, features: Floats) -> Floats:
    """Compute the mean of the ratings' features (numbers that describe a level), with equal weight for each unit.

    It is computed over all units, and then without each jackknife set (units that are left out together).

    Args:
        table: The ratings.
        features: The features of each level, from which a loss is computed, shape (n_levels, n_features); such as 1, x
            and x² of the level's value x.
    """
    per_unit = _row_sums(table, features) / np.maximum(table.rated, 1)[:, None]
    return over(table.remaining(per_unit), table.remaining(table.rated >= 1)[:, None])


def _chance_of_shared_margins(table: RatingPatterns, loss: _Loss) -> Floats:
    shares = _shared_margins(table, loss.features)
    return loss.between(shares, shares)


def _chance_of_own_margins(table: RatingPatterns, loss: _Loss) -> Floats:
    """Compute the disagreement expected by chance if each rater draws from that rater's own ratings (Cohen, Conger).

    Args:
        table: The ratings.
        loss: The cost of two ratings' difference.

    Returns:
        The mean loss of two raters, over all units and then without each jackknife set.
    """
    padded = _padded(loss.features)
    n_sums = 1 + len(table.left_out.start)
    so_far = np.zeros((n_sums, padded.shape[1]))
    raters, pairs, losses = np.zeros((3, n_sums))
    for column in table.codes.T:
        n_rated = table.remaining(column >= 0)
        margin = over(table.remaining(padded[column]), n_rated[:, None], empty=0.0)
        losses += loss.between(so_far, margin)
        pairs += raters * (n_rated > 0)
        so_far += margin
        raters += n_rated > 0
    return over(losses, pairs)


def _chance_of_uniform_guess(table: RatingPatterns, loss: _Loss) -> Floats:
    return np.full(1 + len(table.left_out.start), loss.uniform)


def _chance_of_unsure_guess(table: RatingPatterns, loss: _Loss) -> Floats:
    n_levels = len(table.levels)
    shares = _shared_margins(table, np.eye(n_levels))
    unsure = (shares * (1 - shares)).sum(axis=1) * n_levels / max(1, n_levels - 1)
    return np.asarray(1 - (1 - loss.uniform) * unsure)


def _feature_sums(table: RatingPatterns, loss: _Loss) -> tuple[Floats, Floats]:
    """Sum the features of ratings in units with two ratings or more, and count these ratings.

    Features are numbers by which a loss describes a rating's level. Sums and counts are over all units, then without
    each jackknife set in turn.
    """
    paired = table.rated >= 2
    return (
        table.remaining(_row_sums(table, loss.features) * paired[:, None]),
        table.remaining(table.rated * paired),
    )


def _seen_in_pack(table: RatingPatterns, loss: _Loss) -> Floats:
    """Compute the observed disagreement as Krippendorff does, with his correction for small samples.

    The first value is over all units, each further value without one jackknife set (units that are left out together).

    Args:
        table: The ratings.
        loss: The cost of two different ratings of a unit.
    """
    packs, size = _feature_sums(table, loss)
    if loss.ranked:
        within = _ranked_losses(table, _midranks(packs))
    else:
        within = table.remaining(2 * _pair_losses(table, loss) / np.maximum(table.rated - 1, 1))
    return over(np.maximum(within, 0.0) * (size - 1), size**2)


def _chance_of_pack(table: RatingPatterns, loss: _Loss) -> Floats:
    packs, size = _feature_sums(table, loss)
    shares = over(packs, size[:, None])
    if loss.ranked:
        rank = _midranks(packs)
        mean = (shares * rank).sum(axis=1)
        return np.asarray(2 * (shares * (rank - mean[:, None]) ** 2).sum(axis=1))
    return loss.between(shares, shares)


def _midranks(counts: Floats) -> Floats:
    """Compute the mean rank of the ratings on each level, from 0 (worst) to 1 (best), for each row of counts.

    Args:
        counts: Number of ratings on each level: over all units, then without each jackknife set, shape (1 + n_sets,
            n_levels).
    """
    rank = counts.cumsum(axis=1) - counts / 2
    rank -= rank[:, :1].copy()
    return np.nan_to_num(over(rank, rank[:, -1:]))


def _ranked_losses(table: RatingPatterns, rank: Floats) -> Floats:
    """Sum the ordinal loss between ratings of one unit, over all units and then without each jackknife set.

    A jackknife set is a group of units that are left out together.

    Args:
        table: The ratings.
        rank: Mean rank of the ratings on each level, 0 to 1, shape (1 + n_sets, n_levels): among all ratings, then
            among those that remain without each jackknife set.

    Returns:
        The sums, shape (1 + n_sets,), in the same order.
    """
    differing = (table.rated >= 2) & ~table.unanimous
    counts = _row_sums(table, np.eye(len(table.levels))) * differing[:, None]
    weight = table.times / np.maximum(table.rated - 1, 1)
    squares = (weight * table.rated) @ counts
    products = (counts * weight[:, None]).T @ counts
    in_all = rank**2 @ squares - ((rank @ products) * rank).sum(axis=1)
    out = table.left_out
    if not len(out.start):
        return np.asarray(2 * in_all)
    sizes = np.diff(np.append(out.start, len(out.row)))
    theirs = np.repeat(rank[1:], sizes, axis=0)
    row = counts[out.row]
    lost = table.rated[out.row] * (row * theirs**2).sum(axis=1) - (row * theirs).sum(axis=1) ** 2
    lost *= out.count / np.maximum(table.rated[out.row] - 1, 1)
    in_all[1:] -= np.add.reduceat(lost, out.start)
    return np.asarray(2 * in_all)


def _beyond_chance(seen: Floats, chance: Floats) -> Floats:
    """Compute the coefficient 1 - seen/chance from observed and expected disagreement; nan if none is expected."""
    return np.asarray(1 - over(seen, np.where(chance > _NO_CHANCE_DISAGREEMENT, chance, 0.0)))


# ---------------------------------------------------------------------------------------------------- the coefficients


class _Coefficient(NamedTuple):
    """Definition of a chance-corrected coefficient.

    Attributes:
        seen: Function that computes the observed disagreement from a table of ratings and a loss: over all units, then
            without each jackknife set (units that are left out together).
        chance: Function that computes the disagreement expected by chance, in the same order.
        guarded: True if the coefficient says little when nearly all ratings are on one level, so that it needs enough
            ratings on other levels.
        categories: True if a rating between two levels isn't allowed, whatever the loss.
        pairs_only: True if units with only one rating are ignored.
        for_more: Name of the coefficient to use for more than two raters; None if this one accepts any number.
    """

    seen: Callable[[RatingPatterns, _Loss], Floats]
    chance: Callable[[RatingPatterns, _Loss], Floats]
    guarded: bool = True
    categories: bool = False
    pairs_only: bool = False
    for_more: str | None = None


_BY_OWN_MARGINS = _Coefficient(_seen, _chance_of_own_margins)
_BY_SHARED_MARGINS = _Coefficient(_seen, _chance_of_shared_margins)
_BY_UNSURE_GUESS = _Coefficient(_seen, _chance_of_unsure_guess, guarded=False, categories=True)

_COEFFICIENTS = {
    "cohen_kappa": _BY_OWN_MARGINS._replace(for_more="conger_kappa"),
    "weighted_kappa": _BY_OWN_MARGINS._replace(for_more="conger_kappa"),
    "conger_kappa": _BY_OWN_MARGINS,
    "scott_pi": _BY_SHARED_MARGINS._replace(for_more="fleiss_kappa"),
    "fleiss_kappa": _BY_SHARED_MARGINS,
    "brennan_prediger": _Coefficient(_seen, _chance_of_uniform_guess, guarded=False, categories=True, pairs_only=True),
    "gwet_ac1": _BY_UNSURE_GUESS,
    "gwet_ac2": _BY_UNSURE_GUESS,
    "krippendorff_alpha": _Coefficient(_seen_in_pack, _chance_of_pack, pairs_only=True),
}

CHANCE_CORRECTED = tuple(_COEFFICIENTS)
"""Names of the chance-corrected coefficients."""


def _why_undefined(coefficient: _Coefficient, table: RatingPatterns) -> Reason | None:
    if table.active < 2:
        return Reason("few-active-raters")
    if not (table.rated >= 2).any():
        return Reason("no-two-ratings")
    if coefficient.for_more and table.active > 2:
        return Reason("many-raters", {"raters": table.active, "for_more": coefficient.for_more})
    if len(table.levels) < 2:
        return Reason("scale-of-one-level")
    return _lacks_categories(table) if coefficient.categories else None


def _disagreements(name: str, weights: Weights, table: RatingPatterns) -> tuple[_Loss, Floats, Floats] | Reason:
    """Return the loss (cost of differing levels) with observed and expected disagreement, or why there is none.

    Both disagreements are arrays: over all units, then without each jackknife set (units that are left out together).

    Args:
        name: Name of the coefficient.
        weights: The cost by name, such as "quadratic", or a matrix of the credit for each pair of levels.
        table: The ratings.
    """
    coefficient = _COEFFICIENTS[name]
    if why := _why_undefined(coefficient, table):
        return why
    loss = _loss(weights, table)
    if isinstance(loss, Reason):
        return loss
    if loss.directed and coefficient.chance is not _chance_of_own_margins:
        raise ValueError(f"{name} doesn't know one rater from another: its credit matrix must be symmetric")
    return loss, coefficient.seen(table, loss), coefficient.chance(table, loss)


def corrected_coefficient(name: str, weights: Weights, table: RatingPatterns) -> Corrected:
    """Compute a chance-corrected coefficient by its name in `CHANCE_CORRECTED`, with both of its agreements."""
    disagreements = _disagreements(name, weights, table)
    if isinstance(disagreements, Reason):
        return Corrected(math.nan, math.nan, math.nan, str(disagreements))
    _, seen, chance = disagreements
    value = float(_beyond_chance(seen, chance)[0])
    undefined = str(Reason("one-level")) if math.isnan(value) else None
    return Corrected(value, float(1 - seen[0]), float(1 - chance[0]), undefined)


def _estimate(name: str, weights: Weights, table: RatingPatterns, level: float) -> Estimate:
    coefficient = _COEFFICIENTS[name]
    copies = table.left_out.copies
    if coefficient.pairs_only:
        everything = _pairable(table)
        copies = np.where(everything[1:] < everything[0], copies, 0.0)
    n = round(float(copies.sum()))
    disagreements = _disagreements(name, weights, table)
    if isinstance(disagreements, Reason):
        return Estimate.without_value(disagreements, n=n, method=name, level=level)
    loss, seen, chance = disagreements
    values = _beyond_chance(seen, chance)
    if math.isnan(values[0]):
        return Estimate.without_value(Reason("one-level"), n=n, method=loss.name, level=level)
    if seen[0] == 0:
        by_chance = _chance_of_pack(table, _squared("", table))[0] if loss.ranked else chance[0]
        agreed = no_disagreement(1.0, n=n, below=loss.largest / by_chance, floor=-1.0, level=level, method=loss.name)
        return _guarded(agreed, coefficient, table) if coefficient.guarded else agreed
    made = f"{loss.name}, leaving out groups" if table.grouped else loss.name
    estimate = jackknife(
        float(values[0]),
        values[1:],
        counts=copies,
        transform=ATANH,
        level=level,
        method=made,
        grouped=table.grouped,
    )
    if coefficient.guarded:
        return _guarded(estimate, coefficient, table)
    partial = loss.uniform < 1 - 1 / len(table.levels) - SAME_LEVEL
    return _rough_if_few(estimate, coefficient, table) if partial else estimate


def _guarded(estimate: Estimate, coefficient: _Coefficient, table: RatingPatterns) -> Estimate:
    off, constant = _off(coefficient, table)
    return withhold(estimate, constant) if constant else guard(estimate, off, grouped=table.grouped)


def _rough_if_few(estimate: Estimate, coefficient: _Coefficient, table: RatingPatterns) -> Estimate:
    """Mark an estimate as approximate if few units, or few outside the most common level, determine it.

    Args:
        estimate: The estimate.
        coefficient: The coefficient that was estimated, which decides which units count.
        table: The ratings.
    """
    if estimate.n < FEW_FOR_PARTIAL_CREDIT:
        facts = {"fewest": FEW_FOR_PARTIAL_CREDIT, "grouped": table.grouped}
        return mark_rough(estimate, Reason("few-for-partial-credit", facts))
    off, _ = _off(coefficient, table)
    return mark_rough(estimate, few_off(off, grouped=table.grouped)) if off < OFF_TO_TRUST else estimate


def _off(coefficient: _Coefficient, table: RatingPatterns) -> tuple[int, Reason | None]:
    """Return how many examples (or groups) the least varying rater put outside that rater's most common level.

    Args:
        coefficient: The coefficient, which decides which examples count.
        table: The ratings.

    Returns:
        The smallest such number over the raters and over the pool of all ratings, with None; or 0, with a Reason that
        names a rater who gave one level only. A rater who rated fewer than half of the examples counts only in the
        pool.
    """
    counted = table.rated >= (2 if coefficient.pairs_only else 1)
    units = round(float(table.times[counted].sum()))
    least = math.inf
    pooled = np.zeros(len(table.values))
    for name, column in zip(table.raters, table.codes.T, strict=True):
        is_rated = counted & (column >= 0)
        counts = np.bincount(column[is_rated], weights=table.times[is_rated], minlength=len(table.values))
        pooled += counts
        if 2 * counts.sum() < units or not counts.any():
            continue
        commonest = int(counts.argmax())
        off = _sets_with(table, is_rated & (column != commonest))
        if off == 0:
            return 0, Reason("stuck", {"rater": name, "level": ScaleLevel(table.values[commonest])})
        least = min(least, off)
    share_off = 1 - float(pooled.max() / pooled.sum())
    return int(min(least, share_off * _sets_with(table, counted) + SAME_LEVEL)), None


def _sets_with(table: RatingPatterns, rows: npt.NDArray[np.bool_]) -> float:
    """Count the jackknife sets (units that are left out together) with a unit in one of the flagged rows."""
    out = table.left_out
    return float(out.copies @ np.maximum.reduceat(rows[out.row], out.start))


# ------------------------------------------------------------------------------------------------------- plain shares


def _share(table: RatingPatterns, per_row: Floats, level: float, of: str) -> Estimate:
    """Estimate the mean of a share per unit, over the units with two ratings or more.

    Args:
        table: The distinct rows of ratings, with the units that have them.
        per_row: The share of each distinct row.
        level: Coverage of the interval.
        of: Words for what the share is of.
    """
    row, in_groups = table.in_groups()
    twice = table.rated[row] >= 2
    estimate = share(per_row[row[twice]], in_groups.of_units(twice), level=level, of=of)
    if estimate.value is not None:
        return estimate
    why = Reason("no-two-ratings" if table.active > 1 else "few-active-raters")
    return replace(estimate, undefined=str(why))


def _reach(table: RatingPatterns, code: Floats) -> Floats:
    """Compute, for each row, the distance between its lowest and its highest rating.

    Args:
        table: The ratings, which in each row are indices of levels.
        code: The position of each level, by its index.
    """
    padded = np.append(code, np.nan)
    highest = np.full(len(table.codes), -math.inf)
    lowest = np.full(len(table.codes), math.inf)
    for column in table.codes.T:
        highest = np.fmax(highest, padded[column])
        lowest = np.fmin(lowest, padded[column])
    return np.asarray(highest - lowest)


def _pairs_agreeing(table: RatingPatterns) -> Floats:
    """Compute, for each distinct row of ratings, the share of its pairs of ratings with equal levels."""
    ratings = np.sort(table.codes, axis=1)
    same = np.zeros(len(ratings))
    run = np.zeros(len(ratings))
    for left, right in zip(ratings.T[:-1], ratings.T[1:], strict=True):
        run = np.where((left == right) & (left >= 0), run + 1, 0)
        same += run
    return np.where(table.unanimous, 1.0, 2 * same / np.maximum(table.rated * (table.rated - 1), 1))


def _exact(table: RatingPatterns, level: float) -> Estimate:
    return _share(table, table.unanimous.astype(np.float64), level, "examples")


def _percent(table: RatingPatterns, level: float) -> Estimate:
    return _share(table, _pairs_agreeing(table), level, "pairs of ratings")


def _within_one(table: RatingPatterns, level: float) -> Estimate:
    ascending = np.sort(table.levels)
    steps = np.interp(table.values, ascending, np.arange(len(ascending), dtype=np.float64))
    near = _reach(table, steps) <= 1 + SAME_LEVEL
    return _share(table, near.astype(np.float64), level, "examples")


_SHARES = {"exact_agreement": _exact, "within_one": _within_one, "percent_agreement": _percent}

COEFFICIENTS = (*_SHARES, *CHANCE_CORRECTED)
"""Names of every coefficient of agreement: plain shares first, then the chance-corrected ones."""


# --------------------------------------------------------------------------------------------------- by name


def agreement(
    ratings: npt.ArrayLike | RatingPatterns,
    name: str,
    *,
    levels: npt.ArrayLike,
    weights: Weights | Metric | None = None,
    groups: Grouping = None,
    level: float = 0.95,
) -> Estimate:
    """Compute one coefficient of agreement, by its name in the literature, with its interval.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where a rater gave none; or their RatingPatterns, made with
            these levels and groups, to compute several coefficients.
        name: One of `COEFFICIENTS`:

            * exact_agreement: share of units that all their raters put on one level;
            * within_one: share of units whose ratings are at most one level apart;
            * percent_agreement: share of pairs of ratings on one level, averaged over units;
            * cohen_kappa, weighted_kappa, scott_pi: two raters;
            * conger_kappa, fleiss_kappa, krippendorff_alpha: any number of raters;
            * gwet_ac1, gwet_ac2, brennan_prediger: stay high where one level is common and agreed on.
        levels: Levels of the scale as numbers, worst first; the weights "linear", "quadratic", "interval" and "ratio"
            depend on their distances.
        weights: How much disagreements count: "identity", "linear", "quadratic", or a credit matrix, shape (n_levels,
            n_levels), 1 on the diagonal and less off it; for Krippendorff's alpha its metric ("nominal", "ordinal",
            "interval", "ratio") or a matrix. None for quadratic in weighted_kappa and gwet_ac2, and for unweighted in
            all other coefficients. For Cohen and Conger a matrix may be asymmetric: rows are the earlier rater.
        groups: Name of each unit's group, shape (n_units,), whose units are not independent; None without groups.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The coefficient. Shares are between 0 and 1. Corrected coefficients are 1 for full agreement, 0 for chance
        level, negative for less; they are undefined if all ratings are on one level or there are too few of them.

    Raises:
        ValueError: The name is unknown, a shape doesn't fit, or a rating is off the scale.

    Source:
        Cohen (1960), Educational and Psychological Measurement 20(1), 37-46. doi:10.1177/001316446002000104;
        Cohen (1968), Psychological Bulletin 70(4), 213-220. doi:10.1037/h0026256;
        Scott (1955), Public Opinion Quarterly 19(3), 321-325. doi:10.1086/266577;
        Conger (1980), Psychological Bulletin 88(2), 322-328. doi:10.1037/0033-2909.88.2.322;
        Fleiss (1971), Psychological Bulletin 76(5), 378-382. doi:10.1037/h0031619;
        Brennan and Prediger (1981), Educational and Psychological Measurement 41(3), 687-699.
        doi:10.1177/001316448104100307;
        Gwet (2008), British Journal of Mathematical and Statistical Psychology 61(1), 29-48.
        doi:10.1348/000711006X126600; with missing ratings and weights Gwet (2014), Handbook of Inter-Rater
        Reliability, 4th edition;
        Hayes and Krippendorff (2007), Communication Methods and Measures 1(1), 77-89. doi:10.1080/19312450709336664

    Example:
        >>> even = [[0, 0]] * 40 + [[0, 1]] * 10 + [[1, 0]] * 10 + [[1, 1]] * 40
        >>> kappa = agreement(even, "cohen_kappa", levels=[0, 1])
        >>> round(kappa.value, 6), round(kappa.low, 6), round(kappa.high, 6)
        (0.6, 0.415736, 0.736949)
        >>> few = agreement([[0, 0], [1, 1], [1, 1], [0, 1]], "scott_pi", levels=[0, 1])
        >>> round(few.value, 4), few.note
        (0.4667, 'withheld: only 1 example outside the most common level')
    """
    weights = weights_of(name, weights)
    table = ratings if isinstance(ratings, RatingPatterns) else rating_patterns(ratings, levels, groups=groups)
    return _SHARES[name](table, level) if name in _SHARES else _estimate(name, weights, table, level)


def pair_left_out(
    pair: Floats, name: str, *, levels: npt.ArrayLike, weights: Weights | Metric, groups: Groups
) -> Floats:
    """Compute a chance-corrected coefficient of two raters, over all units and without each group.

    Args:
        pair: Ratings, shape (n_units, 2), nan if missing; units that only one rater rated are ignored.
        name: One of `COEFFICIENTS`, except the shares without correction.
        levels: Levels of the scale, worst first.
        weights: How much disagreements count: "identity", "linear", "quadratic", a metric, or a matrix with the credit
            for each pair of levels.
        groups: Groups, or single units, that are left out in turn.

    Returns:
        The coefficient, then the coefficient without each set, shape (1 + groups.n_sets,); nan where undefined.

    Raises:
        ValueError: A rating is off the scale.

    Example:
        >>> ratings = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
        >>> groups = Groups.of(None, 4)
        >>> found = pair_left_out(ratings, "cohen_kappa", levels=[0, 1], weights="identity", groups=groups)
        >>> found.round(3).tolist()
        [0.5, 0.0, 0.4, 0.4, 1.0]
    """
    is_complete = np.all(~np.isnan(pair), axis=1)
    is_whole = bool(is_complete.all())
    group_of = groups.number[is_complete]
    of_complete = groups if is_whole else groups.of_units(is_complete)
    table = rating_patterns(pair if is_whole else pair[is_complete], levels, groups=of_complete)
    disagreements = _disagreements(name, weights, table)
    if isinstance(disagreements, Reason):
        return np.full(1 + groups.n_sets, math.nan)
    _, seen, chance = disagreements
    values = _beyond_chance(seen, chance)
    of_groups = np.full(1 + groups.n_sets, values[0])
    of_groups[1 + group_of] = values[1:][table.set_of]
    return of_groups


def weights_of(name: str, weights: Weights | Metric | None) -> Weights | Metric:
    """Return the weights requested for a coefficient, or its default weights if none are.

    Args:
        name: Name of the coefficient.
        weights: The requested weights; None for the default.

    Raises:
        ValueError: The name is no coefficient's, or the coefficient can't have these weights.
    """
    if name not in COEFFICIENTS:
        raise ValueError(f"a coefficient is one of {', '.join(COEFFICIENTS)}, not {name!r}")
    if isinstance(weights, str) and weights in ("ordinal", "ratio") and name != "krippendorff_alpha":
        raise ValueError(f"the {weights} metric belongs to krippendorff_alpha, not {name}")
    if weights is None:
        return "quadratic" if name in ("weighted_kappa", "gwet_ac2") else "identity"
    if name in (*_SHARES, "gwet_ac1") and not (isinstance(weights, str) and weights == "identity"):
        raise ValueError(f"{name} takes no weights")
    return weights


# -------------------------------------------------------------------------------------------------- the whole family


def _family(scale: ScaleKind, weights: NamedWeights | None, table: RatingPatterns) -> Iterator[tuple[str, Weights]]:
    weights = weights or ("identity" if scale == "nominal" else "quadratic")
    for name in CHANCE_CORRECTED:
        if name in ("cohen_kappa", "gwet_ac1"):
            yield name, "identity"
        elif name == "krippendorff_alpha":
            yield name, _metric(scale, table)
        else:
            yield name, weights


def _metric(scale: ScaleKind, table: RatingPatterns) -> str:
    """Return Krippendorff's metric for a scale; "interval" if ratings lie between the levels of an ordinal scale."""
    return "interval" if scale == "ordinal" and table.between is not None else scale


def _checked(scale: ScaleKind, table: RatingPatterns, weights: NamedWeights | None = None) -> RatingPatterns:
    if scale not in get_args(ScaleKind):
        raise ValueError(f"a scale is nominal, ordinal or interval, not {scale!r}")
    if weights not in (None, *get_args(NamedWeights)):
        raise ValueError(f"weights are identity, linear or quadratic, not {weights!r}")
    if scale == "nominal" and weights not in (None, "identity"):
        raise ValueError(f"{weights} weights need levels with an order, and a nominal scale has none")
    if scale == "nominal" and table.between is not None:
        raise ValueError(f"rating {table.between:g} isn't one of the levels")
    if scale != "nominal" and not in_order(table.levels):
        raise ValueError(f"the levels of an {scale} scale must be in order, worst first, not {table.levels.tolist()}")
    return table


def agreement_values(
    ratings: npt.ArrayLike, *, levels: npt.ArrayLike, scale: ScaleKind, weights: NamedWeights | None = None
) -> dict[str, Corrected]:
    """Compute every chance-corrected coefficient with its observed and expected agreement, without intervals.

    Args:
        ratings, levels, scale, weights: As for `agreement_family`.

    Returns:
        An entry for each of `CHANCE_CORRECTED`; if a value is nan, its `undefined` has the reason.

    Raises:
        ValueError: A shape doesn't fit, or a rating is off the scale.

    Example:
        >>> found = agreement_values([[0, 0], [1, 1], [1, 1], [0, 1]], levels=[0, 1], scale="nominal")
        >>> found["scott_pi"].observed, round(found["scott_pi"].expected, 6)
        (0.75, 0.53125)
    """
    table = _checked(scale, rating_patterns(ratings, levels, leave_out=False), weights)
    return {name: corrected_coefficient(name, cost, table) for name, cost in _family(scale, weights, table)}


def agreement_family(
    ratings: npt.ArrayLike,
    *,
    levels: npt.ArrayLike,
    scale: ScaleKind,
    weights: NamedWeights | None = None,
    groups: Grouping = None,
    level: float = 0.95,
    raters: Sequence[str] = (),
) -> dict[str, Estimate]:
    """Compute every measure of agreement of a table of ratings, each with its interval.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where a rater gave none.
        levels: All levels of the scale, worst first.
        scale: Kind of scale: "nominal", "ordinal" or "interval". Krippendorff's alpha uses the metric of that name
            (interval also if an ordinal scale has ratings between its levels).
        weights: Weights of the coefficients other than alpha, except Cohen's kappa and AC1, which have none; None for
            "quadratic" if the scale has an order. A nominal scale only allows "identity".
        groups: Name of each unit's group, shape (n_units,), whose units are not independent; None without groups.
        level: Coverage of the intervals, 0 to 1.
        raters: Names of the raters in notes; () for "rater 1" and so on.

    Returns:
        An entry for each of `COEFFICIENTS`, but `within_one` only for four ordered levels or more; undefined ones have
        a reason.

    Raises:
        ValueError: A shape doesn't fit, or a rating is off the scale.

    Example:
        >>> found = agreement_family([[1, 1, 2], [2, 2, 2], [3, 3, 1]], levels=[1, 2, 3], scale="ordinal")
        >>> round(found["krippendorff_alpha"].value, 4), found["scott_pi"].undefined
        (0.0772, 'needs two raters, not 3: fleiss_kappa is its form for more')
    """
    table = _checked(scale, rating_patterns(ratings, levels, groups=groups, raters=raters), weights)
    estimates = {"exact_agreement": _exact(table, level)}
    if scale != "nominal" and len(table.levels) >= 4:
        estimates["within_one"] = _within_one(table, level)
    estimates["percent_agreement"] = _percent(table, level)
    for name, cost in _family(scale, weights, table):
        estimates[name] = _estimate(name, cost, table, level)
    return estimates


def two_raters(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    levels: npt.ArrayLike,
    ordered: bool,
    groups: Grouping = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Compute the agreement of a judge with gold labels on one criterion, each measure with its interval.

    Args:
        gold: Gold levels, shape (n_units,), nan if missing; a median between two levels is used as it is.
        judge: The judge's levels, shape (n_units,), nan if missing. Examples without one of the two are ignored.
        levels: All levels of the scale, worst first.
        ordered: True if the levels have an order.
        groups: Name of each example's group, shape (n_units,), whose examples are not independent; None without groups.
        level: Coverage of the intervals, 0 to 1.

    Returns:
        `exact_agreement`, `within_one` (four ordered levels or more), `cohen_kappa`, `weighted_kappa` (quadratic,
        ordered levels), `krippendorff_alpha` (nominal for two levels or unordered ones, else ordinal; interval where a
        rating lies between levels), `gwet_ac1`, `gwet_ac2` (quadratic, ordered levels). Those that count categories are
        undefined if a rating lies between levels.

    Raises:
        ValueError: `gold` and `judge` differ in shape, or a rating is off the scale.

    Example:
        >>> found = two_raters([0, 0, 1, 1], [0, 1, 1, 1], levels=[0, 1], ordered=True)
        >>> found["exact_agreement"].value, found["cohen_kappa"].value
        (0.75, 0.5)
    """
    pair = equal_vectors(gold=gold, judge=judge)
    complete = np.all(~np.isnan(pair), axis=0)
    complete_groups = Groups.of(groups, pair.shape[1]).of_units(complete)
    table = rating_patterns(pair[:, complete].T, levels, groups=complete_groups, raters=("gold", "judge"))
    graded = ordered and len(table.levels) > 2
    table = _checked("ordinal" if ordered else "nominal", table)
    estimates = {"exact_agreement": _exact(table, level)}
    if ordered and len(table.levels) >= 4:
        estimates["within_one"] = _within_one(table, level)
    wanted: dict[str, Weights] = {"cohen_kappa": "identity", "gwet_ac1": "identity"}
    wanted["krippendorff_alpha"] = _metric("ordinal", table) if graded or table.between is not None else "nominal"
    if ordered:
        wanted |= {"weighted_kappa": "quadratic", "gwet_ac2": "quadratic"}
    return estimates | {
        name: _estimate(name, wanted[name], table, level) for name in CHANCE_CORRECTED if name in wanted
    }
