"""Report on agreement in a table of ratings: each measure with its interval, or why it has no value."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from markscheme.calibration.agreement import Agreement, ScaleName
from markscheme.phrases import counted, in_words, percent
from markscheme.readers.rater_table import RaterTable
from markscheme.report.document import Callout, Document, Notes, Section, Table, Tone
from markscheme.report.figures import coefficient, with_interval
from markscheme.report.json import attributes
from markscheme.stats import Estimate
from markscheme.stats.estimate import Hedge

RELIABLE = 0.8
"""Smallest alpha with which Krippendorff relies on data: Content Analysis, 2nd edition (2004), page 241."""
TENTATIVE = 0.667
"""Smallest alpha with which Krippendorff draws tentative conclusions: Content Analysis, 2nd edition (2004), page
241."""
_ALPHA = "krippendorff_alpha"
_FOR_TWO: Mapping[ScaleName, tuple[str, ...]] = {
    "nominal": (_ALPHA, "cohen_kappa", "gwet_ac1"),
    "ordinal": (_ALPHA, "weighted_kappa", "gwet_ac2"),
    "interval": (_ALPHA, "icc_2_1", "ccc"),
}
_FOR_MORE: Mapping[ScaleName, tuple[str, ...]] = {
    "nominal": (_ALPHA, "fleiss_kappa", "gwet_ac1"),
    "ordinal": (_ALPHA, "conger_kappa", "gwet_ac2"),
    "interval": (_ALPHA, "icc_2_1", "icc_2_k"),
}
"""Coefficients that fit each scale: alpha, which allows missing ratings; the usual one; and one that prevalence
affects little, or the reliability of absolute values."""
HEDGES: Mapping[Hedge | None, str] = {
    None: "",
    "few": "few: ",
    "withheld": "no interval: ",
    "approximate": "approximate: ",
}
"""Words before a note on a limited interval, by kind of limitation."""
_SOURCE = (
    "Alpha: agreement beyond chance, 0 for chance and 1 for full agreement. By Krippendorff (2004) it is reliable from "
    ".80, and from .667 enough for tentative conclusions."
)


def view(agreement: Agreement) -> Document:
    """Build the report on how well raters agree and what their ratings are good for; its details list every measure."""
    table = agreement.table
    by_scale = _FOR_TWO if len(table.raters) == 2 else _FOR_MORE
    levels = (level if isinstance(level, str) else f"{level:g}" for level in table.levels)
    return Document(
        f"{counted(len(table.values), 'unit')}, {counted(len(table.raters), 'rater')}",
        f"Levels: {', '.join(levels)} ({agreement.scale} scale).",
        (_callout(agreement), *_measures(agreement, by_scale[agreement.scale]), Notes((_SOURCE,))),
        (Section("Every measure", _measures(agreement, agreement.statistics)),),
    )


def _note(estimate: Estimate, table: RaterTable) -> str:
    """Explain why an estimate has no interval, or only an approximate one; "" if it has no such caveat."""
    if estimate.caveat is None:
        return ""
    return HEDGES[estimate.caveat.hedge] + estimate.caveat.why_with_levels(partial(_level_in_words, table))


def _level_in_words(table: RaterTable, code: float) -> str:
    """Name a level for a sentence: a word as in the table, or a number preceded by "level"."""
    level = dict(zip(table.codes, table.levels, strict=True)).get(code, code)
    return level if isinstance(level, str) else f"level {level:g}"


def _callout(agreement: Agreement) -> Callout:
    """Build the box at the top: how often two raters agree, and what Krippendorff's alpha is good for."""
    statistics = agreement.statistics
    same = statistics["percent_agreement"]
    alpha = statistics[_ALPHA]
    two = "The two raters" if len(agreement.table.raters) == 2 else "Two raters"
    of_what = ", averaged over units" if _is_uneven(agreement.table) else " of units"
    share = "no unit that both rated" if same.value is None else f"{percent(same.value)}{of_what}"
    head = f"{two} agree on {share}"
    if alpha.value is None:
        return Callout("open", f"{head}.", f"Beyond chance it isn't known how well: {alpha.undefined}.")
    tone, good_for_what = good_for(alpha)
    return Callout(tone, f"{head}; alpha {coefficient(alpha)}: {good_for_what}.")


def _is_uneven(table: RaterTable) -> bool:
    """Return True if units differ in their number of ratings, not counting units with fewer than two."""
    ratings = np.isfinite(table.values).sum(axis=1)
    return len(np.unique(ratings[ratings >= 2])) > 1


def good_for(alpha: Estimate) -> tuple[Tone, str]:
    """Return what ratings with this Krippendorff's alpha are good for; hedged if its interval reaches below .80."""
    if alpha.value is None:
        return "open", f"beyond chance it isn't known how well: {alpha.undefined}"
    tone, use = _good_for(alpha.value)
    if alpha.value >= RELIABLE and (alpha.low is None or alpha.low < RELIABLE):
        use += ", but its interval isn't known" if alpha.low is None else ", though it may be below .80"
    return tone, use


def _good_for(alpha: float) -> tuple[Tone, str]:
    """Return what ratings with this value of Krippendorff's alpha can be used for, by Krippendorff's thresholds.

    >>> _good_for(0.61)[1], _good_for(0.7)[1], _good_for(0.85)[1]
    ('too low to rely on', 'usable for trends, not for single decisions', 'reliable')
    """
    if alpha >= RELIABLE:
        return "good", "reliable"
    if alpha >= TENTATIVE:
        return "trend", "usable for trends, not for single decisions"
    return "bad", "too low to rely on"


def _measures(agreement: Agreement, names: Collection[str]) -> tuple[Table, Notes]:
    shown = [(name, agreement.statistics[name]) for name in names if name in agreement.statistics]
    rows = tuple(
        (name.replace("_", " "), with_interval(estimate), _note(estimate, agreement.table)) for name, estimate in shown
    )
    undefined = tuple(
        f"– {name.replace('_', ' ')}: {estimate.undefined}." for name, estimate in shown if estimate.undefined
    )
    return Table(("Measure", "value (95% CI)", ""), rows), Notes((*_weighted(shown), *undefined))


_WEIGHTED: Mapping[str, str] = {"quadratic weights": "by squared distance", "linear weights": "by distance"}
"""Words for how far two levels lie apart counts in a measure, by the beginning of the measure's method."""


def _weighted(measures: Iterable[tuple[str, Estimate]]) -> Iterator[str]:
    """Yield sentences that name the measures in which a disagreement counts more the farther the levels are apart."""
    for weights, how in _WEIGHTED.items():
        names = [name.replace("_", " ") for name, estimate in measures if estimate.method.startswith(weights)]
        if names:
            yield f"Disagreements are weighted {how} in {in_words(names)}."


def json_of(agreement: Agreement) -> dict[str, Any]:
    """Return an agreement as a dict, with the keys of its JSON file."""
    table = agreement.table
    pairs = [attributes(pair, "raters units statistics") for pair in agreement.pairs]
    return {
        "schema": 1,
        "units": len(table.values),
        "raters": table.raters,
        "scale": agreement.scale,
        "levels": table.levels,
        "statistics": agreement.statistics,
        "chance": {
            name: attributes(chance, "observed expected")
            for name, chance in agreement.chance.items()
            if chance.undefined is None
        },
        **({"pairs": pairs} if pairs else {}),
    }
