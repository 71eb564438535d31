"""What an author can act on: levels in the words of their scale, the examples that show a fault, what to anchor."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.decision import Finding, Severity
from markscheme.calibration.findings.evidence import Evidence, Seen
from markscheme.rubrics.rubric import SAME_LEVEL
from markscheme.stats import Estimate

Floats = npt.NDArray[np.float64]

MOST_WORST = 5
MOST_NAMED = 3
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
HIGH_SHARE, MEDIUM_SHARE = 0.20, 0.08
"""Of the mean miss in score that a fault makes."""


def finding(
    evidence: Evidence,
    code: str,
    seen: Seen | None,
    message: str,
    suggestion: str,
    *,
    shows: Mapping[str, Any],
    worst: Sequence[int] = (),
    gain: float = 0.0,
    least: Severity = "low",
    most: Severity = "high",
) -> Finding:
    """A finding whose severity follows the share of the judge's error that it makes.

    Args:
        evidence: What it was found in.
        code: By the names of the JSON format.
        seen: The criterion; None for the whole.
        message: What was found.
        suggestion: What to edit or do first.
        shows: The figures it rests on.
        worst: Places of the examples that show it best.
        gain: How much smaller the mean miss in score would be without it.
        least: The mildest it may be called.
        most: The severest it may be called.
    """
    share = gain / evidence.error if evidence.error > 0 else 0.0
    by_share = 0 if share >= HIGH_SHARE else 1 if share >= MEDIUM_SHARE else 2
    severity = SEVERITIES[max(SEVERITIES.index(most), min(SEVERITIES.index(least), by_share))]
    return Finding(
        code=code,
        criterion=seen.name if seen is not None else None,
        severity=severity,
        message=message,
        evidence={**shows, "worst": [shown_example(evidence, seen, place) for place in worst]},
        examples=tuple(evidence.ids[place] for place in worst),
        suggestion=suggestion,
        cost=float(gain),
    )


def shown_example(evidence: Evidence, seen: Seen | None, place: int) -> dict[str, Any]:
    """One example as evidence: both scores, or both levels with the judge's quote and reason."""
    comparison = evidence.comparison
    if seen is None:
        scores = comparison.gold.overall[place], comparison.scores[place]
        return {"id": evidence.ids[place], "gold": plain(scores[0]), "judge": plain(scores[1])}
    rating = comparison.judged[place]
    rated = rating.criteria.get(seen.name) if rating is not None else None
    return {
        "id": evidence.ids[place],
        "gold": plain(seen.held_to[place]),
        "judge": plain(seen.judge[place]),
        "quote": rated.quote if rated is not None else None,
        "reason": rated.reason if rated is not None else "",
    }


def worst_places(badness: Floats, most: int = MOST_WORST) -> list[int]:
    """Places of the examples with the most of something, the worst first; none where it is 0, below 0 or missing."""
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


def named(evidence: Evidence, places: Sequence[int]) -> str:
    """The ids of some examples in a row."""
    return listed([evidence.ids[place] for place in places])


def parting(evidence: Evidence, one: Seen, places: Sequence[int]) -> str:
    """Both levels on the worst examples."""
    parts = [
        f"{one.scale.level_name(float(one.judge[place]))} where {evidence.who} gave "
        f"{one.scale.level_name(float(one.held_to[place]))} on {evidence.ids[place]}"
        for place in places[:MOST_NAMED]
    ]
    return f"the judge gave {', '.join(parts)}" if parts else "no example shows it alone"


def anchor(evidence: Evidence, seen: Seen, way: int) -> str:
    """Which level to anchor, and on which examples the judge and gold part there.

    Args:
        evidence: Whose labels are gold.
        seen: The criterion.
        way: 1 where the judge gives too high a level, -1 where too low.
    """
    cells: dict[tuple[float, float], list[int]] = defaultdict(list)
    for place in np.flatnonzero(np.nan_to_num(way * (seen.judge - seen.gold), nan=0.0) > SAME_LEVEL).tolist():
        levels = nearest(seen, float(seen.gold[place])), nearest(seen, float(seen.judge[place]))
        if way * (levels[1] - levels[0]) > 0:
            cells[levels].append(place)
    if not cells:
        return f"Say in {seen.name} more exactly what each level asks for."
    (gold, judge), places = max(cells.items(), key=lambda cell: (abs(cell[0][0] - cell[0][1]) * len(cell[1]), cell[0]))
    theirs, its = seen.scale.level_name(gold), seen.scale.level_name(judge)
    about = "" if np.isin(seen.judge[places], [judge]).all() else "about "
    where = f"the judge gave {about}{its} where {evidence.who} gave {theirs} on {named(evidence, places)}"
    if seen.scale.is_yes_no:
        wanted = "what is not enough for MET" if its == "MET" else "what is enough for MET"
        return f"Say in {seen.name} {wanted}: {where}."
    has_words = any(abs(level.value - gold) <= SAME_LEVEL and level.description for level in seen.scale.levels)
    verb = "Sharpen the anchor of" if has_words else "Anchor"
    quoted = f"what keeps a {theirs} from being a {its}" if way > 0 else f"what a {theirs} may still lack"
    return f"{verb} level {theirs} of {seen.name}: quote {quoted}; {where}."


def nearest(one: Seen, value: float) -> float:
    """The level of the scale that a value lies nearest to."""
    return float(one.levels[int(np.abs(one.levels - value).argmin())])


def number(value: float | None, digits: int = 2) -> str:
    """A number in a sentence.

    >>> number(-0.456), number(None)
    ('−0.46', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def limits(estimate: Estimate) -> str:
    """An interval in a sentence."""
    if estimate.low is None:
        return "no interval"
    return f"95% {number(estimate.low)} to {number(estimate.high)}"


def plain(value: float | None) -> float | None:
    """A number for JSON: None where there is none."""
    return float(value) if value is not None and np.isfinite(value) else None


# --- small sums -----------------------------------------------------------------------------------------------------


def commonest(values: Floats) -> tuple[float, float]:
    """The commonest value and its share; the lowest of several."""
    seen, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return float(seen[counts.argmax()]), float(counts.max() / counts.sum())
