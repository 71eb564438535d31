"""Sentences for the codes of statistics and calibrations, such as why there is no figure or no interval."""

from collections.abc import Callable, Mapping
from typing import Final

from markscheme.grading.receipt import USE_WORDS
from markscheme.phrases import counted, number, percent
from markscheme.stats.estimate import Estimate
from markscheme.stats.wording import Fact


def _unit(grouped: bool) -> str:
    return "group of examples" if grouped else "example"


def _few_off(off: int, grouped: bool) -> str:
    few = counted(off, "group with an example", "groups with an example") if grouped else counted(off, "example")
    return f"only {few} outside the most common level"


def _for_partial_credit(fewest: int, grouped: bool) -> str:
    return f"partial credit on fewer than {fewest} {'groups of examples' if grouped else 'examples'}"


def _stuck(rater: str, level: str) -> str:
    return f"{rater} never leaves {level}"


def _needed(needed: int | None) -> str:
    return "label more responses" if needed is None else f"{needed} more would show it"


def _few_of_stratum(labelled: int, stratum: str, share: float, least: int) -> str:
    seen = f"only {labelled}" if labelled else "none"
    wanted = "some" if least == 1 else f"at least {least}"
    return f"{seen} of the {stratum} labelled, {percent(share)} of the pool: label {wanted} of the {stratum}"


def _not_a_random_part(labelled: float, pool: float) -> str:
    return (
        f"the labels aren't a random part of the pool: the judge passed {percent(labelled)} of them and "
        f"{percent(pool)} of the rest; say by-verdict or elsewhere, or label a random part"
    )


def _nothing_in_common(path: str, why: str) -> str:
    return f"nothing in common with the accepted run {path}: {why}"


_RATED_BY: Final = {
    None: "",
    "two-people": " that two people rated",
    "two-people-whole": " that two people rated whole",
    "judge-and-two-people": " that judge and two people rated",
}


def _runs_without_spread(runs: int, identical: bool) -> str:
    alike = "identical scores" if identical else "scores that differ by one amount in all cases"
    return f"The {runs} repeats gave {alike}, so nothing is known about how far runs vary; a cache may have answered"


REASONS: Final[Mapping[str, Callable[..., str]]] = {
    "both-stuck": lambda first, level, second, other_level: f"{_stuck(first, level)}; {_stuck(second, other_level)}",
    "changed-examples": lambda: "changed: the examples",
    "changed-responses": lambda path: _nothing_in_common(path, "their responses or inputs changed"),
    "changed-settings": lambda changes: f"changed: {changes}",
    "clipped": lambda value: f"clipped from {number(value, 3)}: the judge errs otherwise here than on the labels",
    "counts-alone": lambda path: _nothing_in_common(path, "it has counts, and no rating of an example"),
    "end-of-scale": lambda scale: f"value at the end of the {scale} scale",
    "few-active-raters": lambda: "needs two raters who rated something",
    "few-for-partial-credit": _for_partial_credit,
    "few-groups": lambda groups: f"only {counted(groups, 'group')}",
    "few-in-stratum": lambda labels: f"only {number(labels, 0)} labelled in a stratum",
    "few-labels": lambda labels, needed: f"{counted(round(labels), 'label')}, {_needed(needed)}",
    "few-of-decision": lambda labels, decision, least: (
        f"only {labels} labelled {decision}; {least} of each are the least"
    ),
    "few-of-stratum": _few_of_stratum,
    "few-off": _few_off,
    "few-own-labels": lambda labels, needed, judge_alone: (
        f"{counted(labels, 'label')} of its own, {_needed(needed)} (the judge alone says {percent(judge_alone)})"
    ),
    "few-people-to-test": lambda people, shared: (
        f"needs {people} people, one of them with {shared} examples shared with the judge"
    ),
    "few-rated-by-two": lambda needed, with_judge: (
        f"needs {needed} examples that two annotators rated{', and the judge' if with_judge else ''}"
    ),
    "few-raters": lambda: "needs two raters",
    "few-to-bound-unseen": lambda: "too few examples to bound disagreement that wasn't seen",
    "few-units": lambda units, rated_by: f"only {units} units{_RATED_BY[rated_by]}",
    "few-with-yes": lambda examples: f"only {counted(examples, 'example')} with a yes",
    "group-without-own-labels": lambda: "groups need labels of their own responses",
    "hangs-on-one-unit": lambda grouped: f"hangs on one {_unit(grouped)}",
    "hits": lambda hits, of: f"{hits:g} of {of}",
    "incomplete-units": lambda complete, units: f"from {complete} of {counted(units, 'unit')}",
    "indistinct-verdicts": lambda youden, least: (
        "the labels hardly show that the judge distinguishes passes from fails "
        f"(J = {number(youden)}, {number(least)} is the least to correct by)"
    ),
    "judge-never-rises": lambda: "the judge doesn't rise with people",
    "judge-without-error": lambda: "the judge shows no error",
    "level-unseen": lambda level: f"{level} hasn't been seen",
    "levels-below-zero": lambda: "the ratio metric needs levels at or above 0",
    "many-levels": lambda most: f"more than {most} levels",
    "many-raters": lambda raters, for_more: f"needs two raters, not {raters}: {for_more} is its form for more",
    "many-ungraded": lambda examples: f"{counted(examples, 'example')} not graded",
    "mean-over-pairs": lambda: "a mean over pairs; pooled pairs have an interval",
    "means-alike": lambda: "the examples' means don't differ",
    "metric-not-compared": lambda metric, judge, why: f"{metric} by {judge}: {why}",
    "metric-of-one-side": lambda metric, missing: f"{metric}: rated by no {missing}",
    "neither-yes-nor-no": lambda answer, no, yes: f"{answer:g} is neither no ({no:g}) nor yes ({yes:g})",
    "no-categories": lambda levels: f"needs categories, and {levels} levels are too many to be any",
    "no-complete-example": lambda: "no example that every rater rated",
    "no-example-in-both": lambda: "no example rated in both runs",
    "no-examples": lambda: "no examples",
    "no-fails": lambda: "people failed none of the labelled examples: label some that they fail",
    "no-known-example": lambda path: _nothing_in_common(path, "no example has an id it knows"),
    "no-lower-limit": lambda: "no lower limit",
    "no-passes": lambda: "people passed none of the labelled examples: label some that they pass",
    "no-spread": lambda: "leaving any one example out gives the same value",
    "no-such-labels": lambda: "no such labels",
    "no-two-ratings": lambda: "no example has two ratings",
    "no-two-runs": lambda: "no example with two runs",
    "not-a-random-part": _not_a_random_part,
    "nothing-to-lean-on": lambda: "gold or what it may lean on doesn't vary",
    "of-a-pair": lambda first, second, why: f"{first} and {second}: {why}",
    "one-criterion": lambda: "only one criterion",
    "one-example": lambda: "one example only",
    "one-level": lambda: "one level only",
    "one-level-of-two": lambda with_judge: (
        f"one level only, for two annotators{' or an annotator and the judge' if with_judge else ''}"
    ),
    "one-level-without-scale": lambda: "one level seen, no scale given",
    "one-run": lambda: "One run says nothing about how far runs vary; repeat it without a cache",
    "one-stored-run": lambda: "one stored run doesn't show its own noise; store three",
    "one-unit": lambda grouped: f"one {_unit(grouped)} only",
    "other-rubric": lambda path, accepted, rubric: (
        f"{path} is the accepted run of rubric {accepted!r}, not of {rubric!r}"
    ),
    "other-scales": lambda path: _nothing_in_common(path, "no criterion is rated on the same scale"),
    "people-never-vary": lambda: "people don't vary",
    "people-share-nothing": lambda: "people share no variance",
    "pool-empty": lambda: "the pool is empty",
    "rating-between-levels": lambda rating: f"needs categories, and rating {rating:g} lies between levels",
    "runs-of-other-rubric": lambda rubric: f"they are runs of rubric {rubric!r}",
    "runs-without-spread": _runs_without_spread,
    "scale-of-one-level": lambda: "the scale has one level only",
    "stuck": _stuck,
    "too-many-strata": lambda strata, most: f"{strata} strata are too many: merge them into {most} or fewer",
    "unequal-chances-in-group": lambda: "the labels were drawn with unequal chances among this group's passes or fails",
    "unusable": lambda judge, use: f"{judge} {USE_WORDS[use].refused}; --force accepts it",
    "withheld-rate": lambda: "a rate that is withheld has no difference",
}
"""Functions that write the sentence on a reason from its facts, by the reason's code."""


def reason_in_words(code: str, facts: Mapping[str, Fact]) -> str:
    """Return the sentence for a reason why there is no figure or interval, by the reason's code and facts."""
    return REASONS[code](**facts)


def share_in_words(estimate: Estimate, digits: int) -> str:
    """Format a share and its interval in per cent; as a count if the examples are too few for an interval.

    Args:
        estimate: The share.
        digits: Number of decimals.
    """
    if estimate.value is None:
        return number(None)
    if estimate.is_count:
        return f"{number(estimate.value * estimate.n, 2).removesuffix('.00')} of {estimate.n}"
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value, digits)
    limits = f"{number(100 * estimate.low, digits)}–{number(100 * estimate.high, digits)}"
    return f"{percent(estimate.value, digits)} ({limits}){' ~' if estimate.is_approximate else ''}"
