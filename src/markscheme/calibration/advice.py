"""What an author can act on: levels in the words of their scale, the examples that show a fault, what to anchor."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from markscheme.calibration.evidence import Evidence, Seen
from markscheme.rubric import Scale

Floats = npt.NDArray[np.float64]

MOST_WORST = 5
MOST_NAMED = 3
SAME = 1e-9


def level_name(scale: Scale, value: float) -> str:
    """A level as raters know it; a value between two levels as a number.

    >>> from markscheme.rubric import YES_NO
    >>> level_name(YES_NO, 1.0), level_name(Scale.numbered(1, 5), 3.5)
    ('MET', '3.5')
    """
    for choice, level in zip(scale.choices, scale.levels, strict=True):
        if abs(level.value - value) <= SAME:
            return choice
    return f"{value:.3g}"


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a row, the rest of a long list counted.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def worst_places(badness: Floats, most: int = MOST_WORST) -> list[int]:
    """Places of the examples with the most of something, the worst first; none where it is 0, below 0 or missing."""
    size = np.nan_to_num(badness, nan=0.0)
    order = np.argsort(-size, kind="stable")
    return [place for place in order[:most].tolist() if size[place] > 0]


def shown_example(evidence: Evidence, seen: Seen | None, place: int) -> dict[str, Any]:
    """One example as evidence: both levels (or scores), and the judge's quote and reason."""
    comparison = evidence.comparison
    if seen is None:
        gold, judge = comparison.gold.overall[place], comparison.scores[place]
        return {"id": evidence.ids[place], "gold": plain(gold), "judge": plain(judge)}
    rating = comparison.judged[place]
    rated = rating.criteria.get(seen.name) if rating is not None else None
    return {
        "id": evidence.ids[place],
        "gold": plain(seen.held_to[place]),
        "judge": plain(seen.judge[place]),
        "quote": rated.quote if rated is not None else None,
        "reason": rated.reason if rated is not None else "",
    }


def plain(value: float | None) -> float | None:
    """A number for JSON: None where there is none."""
    return float(value) if value is not None and np.isfinite(value) else None


def anchor(evidence: Evidence, seen: Seen, way: int) -> str:
    """Which level to anchor, and on which examples the judge and gold part there.

    Args:
        evidence: Whose labels are gold.
        seen: The criterion.
        way: 1 where the judge gives too high a level, -1 where too low.
    """
    cells: dict[tuple[float, float], list[str]] = defaultdict(list)
    apart = way * (seen.judge - seen.gold)
    for place in np.flatnonzero(np.nan_to_num(apart, nan=0.0) > SAME).tolist():
        cells[(float(seen.gold[place]), float(seen.judge[place]))].append(evidence.ids[place])
    if not cells:
        return f"Say in {seen.name} more exactly what each level asks for."
    (gold, judge), ids = max(cells.items(), key=lambda cell: (abs(cell[0][0] - cell[0][1]) * len(cell[1]), cell[0]))
    theirs, its = level_name(seen.scale, gold), level_name(seen.scale, judge)
    where = f"the judge gave {its} where {evidence.who} gave {theirs} on {listed(ids)}"
    if seen.scale.is_yes_no:
        wanted = "what is not enough for MET" if its == "MET" else "what is enough for MET"
        return f"Say in {seen.name} {wanted}: {where}."
    return f"{_verb(seen, gold)} level {theirs} of {seen.name}: quote {_what(way, theirs)}; {where}."


def _verb(seen: Seen, value: float) -> str:
    """An anchor that has words already is to be sharpened."""
    has_words = any(abs(level.value - value) <= SAME and level.description for level in seen.scale.levels)
    return "Sharpen the anchor of" if has_words else "Anchor"


def _what(way: int, level: str) -> str:
    return f"what a {level} still lacks" if way > 0 else f"what a {level} still has"
