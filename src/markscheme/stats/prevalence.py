"""Pass rates corrected for the judge's errors, and the number of labels that a bound on wrong decisions needs.

What labelled examples show about the rest depends on how they were chosen, so every function assumes or asks for that.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import erfc

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import Floats, Integers, mark_rough, noted
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.verdict_rates import labels_to_show, may_show_rate, rate_by_verdict, z_of

Drawn: TypeAlias = Literal["random", "by-verdict", "elsewhere"]

MOST_STRATA = 5
"""Largest number of strata; with more, each would have too few labels; a judgement."""
LEAST_LABELS = 5
"""Smallest number of labels per stratum with which the rate isn't marked as approximate; a judgement."""
LEAST_GOLD_OF_EACH = 10
"""Smallest number of gold passes, and of gold fails, from which the judge's error rates are estimated; a judgement."""
NEGLIGIBLE = 0.02
"""Largest share of the responses in a stratum without labels that is ignored, since it hardly moves the rate."""
MUCH_WIDER = 1.1
"""Ratio of widths above which Fieller's limits replace those of Lang and Reiczigel, which are too narrow where labels
hardly show that the judge distinguishes passes from fails: 95 % limits missed in up to .39 of draws, now in .07."""
LEAST_YOUDEN = 0.1
"""Sum of sensitivity and specificity, minus one, that a judge must exceed to say anything about gold; a judgement."""
NOT_RANDOM = 0.01
"""Significance level at which labels that are said to be random are refused, because their verdicts differ from the
rest."""


def corrected_pass_rate(labelled: npt.ArrayLike, pool: npt.ArrayLike, *, drawn: Drawn, level: float = 0.95) -> Estimate:
    """Estimate the share that annotators would pass, of responses that only the judge has graded.

    Args:
        labelled: Counts of labelled examples, shape (2, 2): rows are annotators' fails and passes, columns the judge's.
        pool: Counts of the judge's fails and passes among the responses that the rate is about, shape (2,): the
            unlabelled ones if labels were drawn at random, all if they were chosen by verdict.
        drawn: How the labelled examples were chosen: "random" for a random part of the pool, "by-verdict" for a number
            of the judge's passes and a number of its fails, "elsewhere" for an older or synthetic set, with this judge.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The share, from 0 to 1, with the number of labelled examples as `n`. If `drawn` is "elsewhere", share and limits
        are those of `rogan_gladen`; else the share is stratified by verdict and the limits are those of
        `rate_by_verdict`. It is undefined if labels are said to be random and aren't, a verdict has no labels, there
        are too few labels to show a rate, or the judge isn't shown to be better than a coin; the reason says what would
        help.

    Raises:
        ValueError: The counts have the wrong shape, or are negative or not whole.

    Source:
        Begg and Greenes (1983), Biometrics 39(1), 207-215. doi:10.2307/2530820
        Cochran (1977), Sampling Techniques, 3rd ed., chapter 12.

    Example:
        >>> e = corrected_pass_rate([[16, 4], [3, 27]], [300, 700], drawn="by-verdict")
        >>> round(e.value, 6), round(e.low, 6), round(e.high, 6)
        (0.657046, 0.542427, 0.747537)
    """
    table = whole_counts(labelled, (2, 2), "labelled")
    verdicts = whole_counts(pool, (2,), "pool")
    if drawn == "elsewhere":
        return rogan_gladen(table, verdicts, level=level)
    labels = table.sum(axis=0)
    if drawn == "random" and labels.sum() and verdicts.sum():
        chance = random_draw_p(labels, verdicts)
        if chance < NOT_RANDOM:
            passed = {"labelled": float(labels[1] / labels.sum()), "pool": float(verdicts[1] / verdicts.sum())}
            why = Reason("not-a-random-part", passed)
            return Estimate.without_value(why, n=int(table.sum()), method="by verdict strata", level=level)
    weighed = verdicts + labels if drawn == "random" else verdicts
    names = ("judge's fails", "judge's passes")
    return _over_strata(labels, table[1] / 1.0, labels / 1.0, weighed, names, level, "by verdict strata")


def weighted_pass_rate(
    passed: npt.ArrayLike, stratum: npt.ArrayLike, weights: npt.ArrayLike, pool: npt.ArrayLike, *, names: Sequence[str]
) -> Estimate:
    """Estimate the share that annotators would pass, from labels drawn with unequal chances in up to five strata.

    Args:
        passed: Annotators' decision on each labelled example, shape (n,): 1 for pass, 0 for fail.
        stratum: Number of each labelled example's stratum, from 0, shape (n,).
        weights: Inverse of the probability with which each labelled example was drawn, shape (n,), above 0; only ratios
            within a stratum matter.
        pool: Size of each stratum of the pool, labelled examples included, shape (n_strata,).
        names: Names of the strata in messages, shape (n_strata,).

    Returns:
        The share, from 0 to 1, with its 95 % interval and the number of labelled examples as `n`: the weighted share of
        each stratum, times the stratum's share of the pool; each stratum counts as (Σw)²/Σw² examples, and for the
        interval half an example is added to each count. It is undefined with more than five strata, if a stratum with
        more than a negligible share of the pool has too few labels (fewer than 5, or none if there are at most two
        strata), or if all labels together are too few (see `may_show_rate`).

    Raises:
        ValueError: The shapes don't fit, a value is out of range, or the pool is empty.

    Source:
        Cochran (1977), Sampling Techniques, 3rd ed., chapters 5 and 12;
        Hájek (1971), in Foundations of Statistical Inference, 236; Kish (1965), Survey Sampling, section 11.7.

    Example:
        >>> passed, stratum, weights = [1, 1, 0, 0, 1] * 3, [0, 0, 0, 1, 1] * 3, [1, 1, 2, 5, 5] * 3
        >>> e = weighted_pass_rate(passed, stratum, weights, [400, 600], names=("short", "long"))
        >>> round(e.value, 6)
        0.5
    """
    sizes = whole_counts(pool, (len(np.asarray(pool)),), "pool")
    h, w, of_stratum = equal_vectors(passed=passed, weights=weights, stratum=stratum)
    stratum_of = of_stratum.astype(np.int64)
    if not (
        np.isin(h, (0.0, 1.0)).all()
        and np.isin(stratum_of, np.arange(len(sizes))).all()
        and np.array_equal(stratum_of, of_stratum)
    ):
        raise ValueError("passed must be 0 or 1, and stratum the number of a stratum of the pool")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError("weights must be finite and above 0")
    labelled = np.bincount(stratum_of, minlength=len(sizes))
    total, squares, passing = (np.bincount(stratum_of, weights=v, minlength=len(sizes)) for v in (w, w * w, w * h))
    size = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    passing_share = np.divide(passing, total, out=np.full_like(total, 0.5), where=total > 0)
    method = f"by {len(sizes)} strata, weighted"
    return _over_strata(labelled, passing_share * size, size, sizes, names, 0.95, method)


def _over_strata(
    labelled: Integers, passes: Floats, size: Floats, weighed: Integers, names: Sequence[str], level: float, method: str
) -> Estimate:
    """Estimate a pass rate from labels drawn within strata; undefined if a stratum has too few.

    Args:
        labelled: Number of labels in each stratum, shape (k,).
        passes: Effective number of passing labels in each stratum, shape (k,): the share of labels that pass, times
            `size`.
        size: Effective number of labels in each stratum, shape (k,): the number of equally weighted labels that would
            carry the same information.
        weighed: Number of responses in each stratum, by which the strata are weighted, shape (k,).
        names: Names of the strata, for messages.
        level: Coverage of the interval, 0 to 1.
        method: Description of the method, for the Estimate's `method`.
    """
    n = int(labelled.sum())
    refusal = _strata_refusal(labelled, weighed, names) or _too_few(size, weighed)
    if refusal:
        return Estimate.without_value(refusal, n=n, method=method, level=level)
    made = replace(rate_by_verdict(passes, size, weighed, level=level), n=n, method=method)
    scarce = float(size[weighed / weighed.sum() > NEGLIGIBLE].min())
    return mark_rough(made, Reason("few-in-stratum", {"labels": scarce})) if scarce < LEAST_LABELS else made


def rogan_gladen(
    labelled: npt.ArrayLike, pool: npt.ArrayLike, *, design_effects: Sequence[float] = (1.0, 1.0), level: float = 0.95
) -> Estimate:
    """Estimate the share of a pool that annotators would pass, from a judge's error rates on labelled examples.

    Args:
        labelled: Counts of labelled examples, shape (2, 2): rows are annotators' fails and passes, columns the judge's.
        pool: Counts of the judge's fails and passes among the responses that the rate is about, shape (2,).
        design_effects: Number of examples that say as much as one independent example, among annotators' fails and
            among their passes; above 1 if the judge errs alike on examples of a group.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The share, from 0 to 1, clipped with a note if the formula leaves that range. It is undefined without labels
        that annotators passed and labels that they failed, and if sensitivity + specificity - 1 is 0.1 or less or not
        shown to be above 0, since such a judge says too little about the pool. It is marked approximate with fewer than
        ten of each.

    Raises:
        ValueError: The counts have the wrong shape, or are negative or not whole.

    Source:
        Rogan and Gladen (1978), American Journal of Epidemiology 107(1), 71-76.
        doi:10.1093/oxfordjournals.aje.a112510
        Lang and Reiczigel (2014), Preventive Veterinary Medicine 113(1), 13-22. doi:10.1016/j.prevetmed.2013.09.015
        Fieller (1954), Journal of the Royal Statistical Society B 16(2), 175-185.

    Example:
        >>> e = rogan_gladen([[16, 4], [3, 27]], [300, 700])
        >>> round(e.value, 6), round(e.low, 6), round(e.high, 6)
        (0.714286, 0.576488, 0.885781)
    """
    table = whole_counts(labelled, (2, 2), "labelled")
    verdicts = whole_counts(pool, (2,), "pool")
    n = int(table.sum())
    method = "Rogan-Gladen, limits of Lang and Reiczigel or Fieller"
    n00, n11 = table.diagonal().tolist()
    fails, passes = table.sum(axis=1).tolist()
    size = int(verdicts.sum())
    refusals = ((size, Reason("pool-empty")), (passes, Reason("no-passes")), (fails, Reason("no-fails")))
    refusal = next((refusal for count, refusal in refusals if not count), None)
    if refusal is not None:
        return Estimate.without_value(refusal, n=n, method=method, level=level)
    youden = n11 / passes + n00 / fails - 1
    z = z_of(level)
    sensitivity, by_sensitivity = _widened(n11 / design_effects[1], passes / design_effects[1], 1)
    specificity, by_specificity = _widened(n00 / design_effects[0], fails / design_effects[0], 1)
    judged, by_pool = _widened(int(verdicts[1]), size, z * z / 2)
    widened_youden = sensitivity + specificity - 1
    least = max(LEAST_YOUDEN, z * math.sqrt(by_sensitivity + by_specificity))
    if min(youden, widened_youden) <= least:
        why = Reason("indistinct-verdicts", {"youden": min(youden, widened_youden), "least": least})
        return Estimate.without_value(why, n=n, method=method, level=level)
    value = (int(verdicts[1]) / size + n00 / fails - 1) / youden
    clipped = min(max(value, 0.0), 1.0)
    ratio = judged + specificity - 1, widened_youden, (by_pool, by_specificity, by_sensitivity)
    limits = np.clip([clipped, *_lang_reiczigel(*ratio, z)], 0, 1)
    wider = np.clip([*limits, *_fieller(*ratio, z)], 0, 1)
    limits = wider if np.ptp(wider) > MUCH_WIDER * np.ptp(limits) else limits
    made = Estimate(clipped, float(limits.min()), float(limits.max()), level, n, method)
    few, side = min((fails, "fails"), (passes, "passes"))
    if few < LEAST_GOLD_OF_EACH:
        made = mark_rough(made, Reason("few-of-decision", {"labels": few, "decision": side, "least": "ten"}))
    if clipped == value:
        return made
    cut = Reason("clipped", {"value": value})
    return noted(made, cut) if made.caveat else mark_rough(made, cut)


def _widened(hits: float, n: float, added: float) -> tuple[float, float]:
    """Return the share of hits after adding as many hits as misses, and the variance of this share.

    Args:
        hits: Number of hits.
        n: Number of hits and misses together.
        added: Number of hits to add, which is also the number of misses to add.
    """
    share = (hits + added) / (n + 2 * added)
    return share, share * (1 - share) / (n + 2 * added)


def _lang_reiczigel(excess: float, youden: float, variances: tuple[float, ...], z: float) -> tuple[float, float]:
    """Compute Lang and Reiczigel's limits of a share of passes that is corrected by a judge's error rates.

    Args:
        excess: Share that the judge passes, minus the share that it would pass if annotators passed nothing.
        youden: Sensitivity plus specificity, minus one; the corrected share is `excess` divided by it.
        variances: Variances of the share that the judge passes, of the specificity and of the sensitivity.
        z: Quantile of the normal distribution.
    """
    by_pool, by_specificity, by_sensitivity = variances
    centre = excess / youden
    pull = 2 * z * z * (centre * by_sensitivity - (1 - centre) * by_specificity)
    spread = z * math.sqrt(by_pool + (1 - centre) ** 2 * by_specificity + centre**2 * by_sensitivity) / youden
    return centre + pull - spread, centre + pull + spread


def _fieller(excess: float, youden: float, variances: tuple[float, ...], z: float) -> tuple[float, float]:
    """Compute Fieller's limits of a share of passes that is corrected by a judge's error rates.

    Within them lie the shares s for which a test doesn't reject that `excess` is s times `youden`.

    Args:
        excess: Share that the judge passes, minus the share that it would pass if annotators passed nothing.
        youden: Sensitivity plus specificity, minus one; more than z of its standard errors.
        variances: Variances of the share that the judge passes, of the specificity and of the sensitivity.
        z: Quantile of the normal distribution.
    """
    by_pool, by_specificity, by_sensitivity = variances
    certain_square = youden**2 - z * z * (by_sensitivity + by_specificity)
    middle = (excess * youden - z * z * by_specificity) / certain_square
    product = (excess**2 - z * z * (by_pool + by_specificity)) / certain_square
    spread = math.sqrt(max(middle**2 - product, 0.0))
    return middle - spread, middle + spread


def random_draw_p(labelled: npt.ArrayLike, pool: npt.ArrayLike) -> float:
    """Compute the p-value of a test, by the judge's verdicts, that labels are a random part of the graded responses.

    Args:
        labelled: Counts of the judge's fails and passes among labelled examples, shape (2,).
        pool: Counts of the judge's fails and passes among the rest of the pool, shape (2,).

    Returns:
        The two-sided p-value of the comparison of two proportions; below 0.01 the labels aren't a random part.

    Raises:
        ValueError: The counts have the wrong shape, or are negative, not whole or all 0.

    Example:
        >>> round(random_draw_p([25, 25], [300, 700]), 4)
        0.0028
    """
    drawn = whole_counts(labelled, (2,), "labelled")
    ungraded = whole_counts(pool, (2,), "pool")
    n = int(drawn.sum())
    m = int(ungraded.sum())
    if not n or not m:
        raise ValueError(f"there must be labelled examples and a pool to compare, not {n} and {m}")
    pooled = int(drawn[1] + ungraded[1]) / (n + m)
    if pooled in (0.0, 1.0):
        return 1.0
    z = (int(drawn[1]) / n - int(ungraded[1]) / m) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return float(erfc(abs(z) / math.sqrt(2)))


def whole_counts(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Integers:
    """Convert counts to an array of integers, refusing fractions and negative numbers.

    Args:
        values: The counts.
        shape: The shape that the array must have.
        name: Name of the counts, for the error.

    Raises:
        ValueError: The shape differs, or numbers are negative or not whole.

    Example:
        >>> whole_counts([3.0, 4], (2,), "pool").tolist()
        [3, 4]
    """
    array = np.asarray(values)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any() or not np.array_equal(array, np.rint(array)):
        raise ValueError(f"{name} must hold whole numbers of 0 or more, not {array.tolist()}")
    return array.astype(np.int64)


def _strata_refusal(labelled: Integers, sizes: Integers, names: Sequence[str]) -> Reason | None:
    """Return why the strata allow no pass rate, such as too few labels; None if they allow one.

    Args:
        labelled: Number of labels in each stratum.
        sizes: Number of responses in each stratum.
        names: Names of the strata.
    """
    if not sizes.sum():
        return Reason("pool-empty")
    if len(labelled) > MOST_STRATA:
        return Reason("too-many-strata", {"strata": len(labelled), "most": MOST_STRATA})
    least = 1 if len(labelled) <= 2 else LEAST_LABELS
    for name, have, share in zip(names, labelled.tolist(), (sizes / sizes.sum()).tolist(), strict=True):
        if have < least and share > NEGLIGIBLE:
            return Reason("few-of-stratum", {"labelled": have, "stratum": name, "share": share, "least": least})
    return None


def _too_few(size: Floats, weighed: Integers) -> Reason | None:
    """Return why the labels are too few to report a pass rate, with the number needed; None if they suffice.

    Args:
        size: Effective number of labels in each stratum.
        weighed: Number of the pool's responses in each stratum.
    """
    if may_show_rate(size, weighed):
        return None
    return Reason("few-labels", {"labels": float(size.sum()), "needed": labels_to_show(size, weighed)})
