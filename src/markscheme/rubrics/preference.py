"""Preferences between two responses: their scale, and conversion of levels and scores when the two are swapped."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from markscheme.rubrics.criterion import Level, Scale

Preference = Literal["first", "tie", "second"]
PREFERENCES: tuple[Preference, ...] = get_args(Preference)
"""Preferences between the two responses of a pair, in the order of their levels."""
LEVEL_OF: Final[Mapping[str, float]] = {"first": -1.0, "tie": 0.0, "second": 1.0}
"""Level of each preference, negative if the first response is the better one."""
ShownOrder = Literal["first-second", "second-first"]
"""The order in which a rater saw the two responses of a pair."""
SHOWN_ORDERS: tuple[ShownOrder, ...] = get_args(ShownOrder)
TIE_ROUNDING: Final = 1e-9
"""Distance from the limit of a tie within which a pair's score is a tie, since scores are sums of weights."""
_WORDS: Final[Mapping[str, str]] = {
    "first": "the first response is the better one",
    "tie": "neither response is better than the other",
    "second": "the second response is the better one",
}


def preference_scale(*, ties: bool = True, words: Mapping[str, str] | None = None) -> Scale:
    """Make the scale on which raters say which of two responses is better.

    Args:
        ties: True if a rater may answer that neither response is better.
        words: Other descriptions of the levels, by name of the preference.

    Example:
        >>> preference_scale().choices, preference_scale(ties=False).values
        (('first', 'tie', 'second'), (-1.0, 1.0))
    """
    described = {**_WORDS, **(words or {})}
    names = [name for name in PREFERENCES if ties or name != "tie"]
    return Scale(tuple(Level(LEVEL_OF[name], name, described[name]) for name in names), mirrored=True)


def preferred(position: float, tie_within: float = 0.0) -> Preference:
    """Return the preference that a pair's score, from 0 to 1, expresses: "first", "tie" or "second".

    Args:
        position: The pair's score: 0 if the first response is better by every criterion, 1 if the second is.
        tie_within: Largest distance from the middle that is a tie, on the scale from -1 to 1.

    Example:
        >>> preferred(0.2), preferred(0.5), preferred(0.55, tie_within=0.1)
        ('first', 'tie', 'tie')
    """
    lean = signed(position)
    if abs(lean) <= tie_within + TIE_ROUNDING:
        return "tie"
    return "second" if lean > 0 else "first"


def signed(position: float) -> float:
    """Convert a pair's score from 0 to 1 to the scale from -1 (the first response is better) to 1.

    >>> signed(0.25)
    -0.5
    """
    return 2 * position - 1
