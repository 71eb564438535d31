"""Wording of findings: levels by their scale's names, the examples that show a fault, which anchor to write."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from markscheme.calibration.findings.evidence import CriterionEvidence, Evidence
from markscheme.ratings.table import Floats
from markscheme.rubrics.rubric import SAME_LEVEL
from markscheme.stats import Estimate

MOST_WORST = 5
MOST_NAMED = 3


def in_words(names: Sequence[str], link: str = "and") -> str:
    """Names in a sentence.

    >>> in_words(["1", "2", "5"]), in_words(["1", "2"], "or"), in_words(["MET"])
    ('1, 2 and 5', '1 or 2', 'MET')
    """
    *first, last = names
    return f"{', '.join(first)} {link} {last}" if first else last


def worst_places(badness: Floats, most: int = MOST_WORST) -> list[int]:
    """Indices of the examples with the largest values, worst first; none where it is 0, below 0 or missing."""
    size = np.nan_to_num(badness, nan=0.0)
    order = np.argsort(-size, kind="stable")
    return [place for place in order[:most].tolist() if size[place] > 0]


# --- in words -------------------------------------------------------------------------------------------------------


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a row, the rest of a long list counted.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def example_ids(evidence: Evidence, places: Sequence[int]) -> str:
    """The ids of some examples in a row."""
    return listed([evidence.ids[place] for place in places])


def both_levels(evidence: Evidence, one: CriterionEvidence, places: Sequence[int]) -> str:
    """The judge's level and gold's on the worst examples."""
    parts = [
        f"{one.scale.level_name(float(one.judge[place]))} where {evidence.who} say "
        f"{one.scale.level_name(float(one.gold[place]))} on {evidence.ids[place]}"
        for place in places[:MOST_NAMED]
    ]
    return f"the judge gave {', '.join(parts)}" if parts else "no single example shows it"


def anchor_advice(evidence: Evidence, one: CriterionEvidence, way: int) -> str:
    """Which level to anchor, and the examples on which the judge and gold differ there.

    Args:
        evidence: Whose labels are gold.
        one: The criterion.
        way: 1 where the judge gives too high a level, -1 where too low.
    """
    cells: dict[tuple[float, float], list[int]] = defaultdict(list)
    for place in np.flatnonzero(np.nan_to_num(way * one.errors, nan=0.0) > SAME_LEVEL).tolist():
        levels = nearest_level(one, float(one.gold[place])), nearest_level(one, float(one.judge[place]))
        if way * (levels[1] - levels[0]) > 0:
            cells[levels].append(place)
    if not cells:
        return f"Say in {one.name} more exactly what each level asks for."
    (gold, judge), places = max(cells.items(), key=lambda cell: (abs(cell[0][0] - cell[0][1]) * len(cell[1]), cell[0]))
    theirs, its = one.scale.level_name(gold), one.scale.level_name(judge)
    about = "" if np.isin(one.judge[places], [judge]).all() else "about "
    where = f"the judge gave {about}{its} where {evidence.who} say {theirs} on {example_ids(evidence, places)}"
    if one.scale.is_yes_no:
        wanted = "what is not enough for MET" if its == "MET" else "what is enough for MET"
        return f"Say in {one.name} {wanted}: {where}."
    has_words = any(abs(level.value - gold) <= SAME_LEVEL and level.description for level in one.scale.levels)
    verb = "Say more exactly" if has_words else "Say"
    wanted = f"what keeps a {theirs} from being a {its}" if way > 0 else f"what a {theirs} may still lack"
    return f"{verb} in the description of level {theirs} of {one.name} {wanted}: {where}."


def nearest_level(one: CriterionEvidence, value: float) -> float:
    """The level of the scale that a value is nearest to."""
    return float(one.levels[int(np.abs(one.levels - value).argmin())])


def number(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """A number in a sentence.

    >>> number(-0.456), number(0.5, sign=True), number(None)
    ('−0.46', '+0.50', '–')
    """
    return "–" if value is None else f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def with_ci(estimate: Estimate, unit: str = "", *, sign: bool = False) -> str:
    """A value and its interval, where it has one, in a sentence: "0.52 (95% CI 0.31 to 0.68)"."""
    value = number(estimate.value, sign=sign) + unit
    if estimate.low is None:
        return value
    return f"{value} (95% CI {number(estimate.low, sign=sign)} to {number(estimate.high, sign=sign)})"
