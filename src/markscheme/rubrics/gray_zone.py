"""Gray zone: scores so near the pass mark that a person decides instead of the judge."""

import math
from dataclasses import dataclass
from typing import Any

ALL, NONE = "all", "none"
"""Words in files for distances of the gray zone: a person decides all, or none, of the passes or fails."""


@dataclass(frozen=True, slots=True)
class GrayZone:
    """Distances from the pass mark within which a person decides, one for passes and one for fails.

    Attributes:
        passes: Distance in score up to which a person decides a pass; 0 for none of them, infinite for all.
        fails: Distance in score up to which a person decides a fail; 0 for none of them, infinite for all.
    """

    passes: float
    fails: float

    def reach(self, *, passed: bool) -> float:
        """Return how far the gray zone reaches above the pass mark, for passes, or below the mark, for fails."""
        return self.passes if passed else self.fails

    def has(self, distance: float, *, passed: bool) -> bool:
        """Return True if a person decides a response at this distance from the pass mark.

        Example:
            >>> zone = GrayZone(passes=0.12, fails=math.inf)
            >>> zone.has(0.2, passed=True), zone.has(0.1, passed=True), zone.has(0.4, passed=False)
            (False, True, True)
        """
        reach = self.reach(passed=passed)
        return reach > 0 and distance <= reach

    @property
    def width(self) -> float:
        """The larger of the two distances; an infinite one, where a person decides everything, counts as 0."""
        return max(reach if math.isfinite(reach) else 0.0 for reach in (self.passes, self.fails))

    def why(self, *, passed: bool) -> str:
        """Return the reason why a person should decide on a score in the zone, as part of a sentence.

        Args:
            passed: True for a score that passes, False for one that fails.

        Example:
            >>> GrayZone(0.12, math.inf).why(passed=True), GrayZone(0.12, math.inf).why(passed=False)
            ('within 0.12 of the mark', 'it fails')
        """
        reach = self.reach(passed=passed)
        return f"within {reach:g} of the mark" if math.isfinite(reach) else "it passes" if passed else "it fails"

    @property
    def in_file(self) -> float | dict[str, float | str]:
        """Value of `ask_within` in a rubric's file: one number for passes and fails alike, or one for each by name.

        Example:
            >>> GrayZone(0.1, 0.1).in_file, GrayZone(0.12, math.inf).in_file
            (0.1, {'passes': 0.12, 'fails': 'all'})
        """
        if self.passes == self.fails and math.isfinite(self.passes):
            return self.passes
        return {"passes": _in_file(self.passes), "fails": _in_file(self.fails)}


def gray_zone(within: "float | GrayZone") -> GrayZone:
    """Convert a rubric's `ask_within`, a number or a GrayZone, to a GrayZone."""
    return within if isinstance(within, GrayZone) else GrayZone(float(within), float(within))


def distance_in_file(value: Any) -> float:
    """Convert a distance in a rubric's file, a number, `all` or `none`, to a number.

    Raises:
        ValueError: The value is none of these.
    """
    if value == ALL:
        return math.inf
    if value == NONE:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"is a distance in score from 0 to 1, {ALL!r} or {NONE!r}; found {value!r}")
    return float(value)


def _in_file(reach: float) -> float | str:
    if reach == 0:
        return NONE
    return reach if math.isfinite(reach) else ALL
