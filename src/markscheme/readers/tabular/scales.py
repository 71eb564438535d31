"""The kinds of values that raters give (decisions, levels, scores, categories), and inference of their scales."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Final, Literal, TypeAlias

from markscheme.ratings.column_options import Span
from markscheme.rubrics.rubric import DEFAULT_TOLERANCE, LEVEL_ROUNDING, Level, Scale

ValueKind: TypeAlias = Literal["decision", "levels", "score", "categories"]

FEWEST_LEVELS: Final = 3
"""Smallest number of different numbers that are read as a scale: with two, it isn't known which of them passes."""
MOST_WORDS: Final = 20
"""Largest number of different words that can be categories; more are texts."""
FEWEST_FOR_REPEATS: Final = 20
"""Smallest number of rows in which categories must repeat; in fewer rows, each may occur just once."""
WIDEST_SCALE: Final = 10
"""Largest distance between whole numbers that are levels, and the largest such number."""
HALVES: Final = 5
"""Largest distance between halves that are levels."""
PERCENT_FROM: Final = 50
"""Smallest number that, as the largest of a column, makes the column's scale 0 to 100."""
PERCENT: Final = 100.0
"""Upper end of a scale of percentages."""
CLASH: Final = 2.0
"""Smallest ratio of two columns' largest values with which their scales differ."""


@dataclass(frozen=True)
class ReadValues:
    """Kind, scale and meaning of the values that raters gave on one criterion.

    Attributes:
        kind: Kind of the values: decisions, levels, scores or categories.
        scale: The scale of the levels.
        tolerance: Distance between two positions on the scale below which they agree.
        levels: The level that each cell's text means, by column and text; missing cells are left out.
        passes: The word that passes, by column; empty if it isn't known which value passes.
        marked: Names of columns of numbers that pass from a mark on, which `passes` has as words, such as "from 3".
        missing: Number of missing cells, by column.
        ends: The ends of a scale of numbers, lowest first unless the lowest is the best.
        ends_are_stated: True if the user stated the ends; False if they are the extremes seen.
        own_ends: The ends stated for each column, if columns have different ones: a number is then read as its position
            between the ends of its column.
        stated: Names of columns whose values the user explained.
        pass_mark: The position on the scale from which numbers pass; None if it isn't stated.
        withheld: Figures that aren't shown, such as "false_passes", each with the code of the open question that
            prevents it.
        raw_words: The level of each word, by column and then by word as the table spells it, in each column the passing
            word first; None for a word without a level.
        notes: Codes of assumptions that the user may want to correct.
    """

    kind: ValueKind
    scale: Scale
    tolerance: float
    levels: Mapping[str, Mapping[str, float]]
    passes: Mapping[str, str] = field(default_factory=dict)
    marked: frozenset[str] = frozenset()
    missing: Mapping[str, int] = field(default_factory=dict)
    ends: Span | None = None
    ends_are_stated: bool = False
    own_ends: Mapping[str, Span] = field(default_factory=dict)
    stated: frozenset[str] = frozenset()
    pass_mark: float | None = None
    withheld: Mapping[str, str] = field(default_factory=dict)
    raw_words: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def knows_pass(self) -> bool:
        """True if it is known which values pass, so that false passes can be counted."""
        return "false_passes" not in self.withheld


DIRECTION_FIGURES: Final = ("false_passes", "false_fails")
ENDS_FIGURES: Final = ("gwet_ac1", "gwet_ac2", "brennan_prediger", "positions")


def levels_of(numbers: Mapping[str, Mapping[str, float]], ends: Span, *, are_stated: bool) -> ReadValues:
    """Read numbers as the levels of a scale between two ends, in steps of 1 or 0.5.

    Args:
        numbers: The number that each cell's text means, by column and text.
        ends: The lowest number of the scale, then the highest.
        are_stated: True if the user stated the ends; False if they are only the extremes seen.
    """
    low, high = ends
    every = [low, high, *(value for of_column in numbers.values() for value in of_column.values())]
    step = 1.0 if all(is_whole(value - low) for value in every) else 0.5
    steps = round((high - low) / step)
    scale = Scale(tuple(Level(low + index * step) for index in range(steps + 1)))
    withheld = dict.fromkeys(DIRECTION_FIGURES, "pass-mark")
    if not are_stated:
        withheld |= dict.fromkeys(ENDS_FIGURES, "ends")
    return ReadValues(
        "levels", scale, below_step(steps), numbers, ends=ends, ends_are_stated=are_stated, withheld=withheld
    )


def falling_levels_of(numbers: Mapping[str, Mapping[str, float]], ends: Span, *, are_stated: bool) -> ReadValues:
    """Read numbers as levels of a scale whose lowest number is the best, such as school grades.

    Args:
        numbers: The number that each cell's text means, by column and text.
        ends: The worst number, which is the highest, then the best one.
        are_stated: True if the user stated the ends; False if they are only the extremes seen.
    """
    worst, best = ends
    upwards = {name: {v: worst + best - value for v, value in of.items()} for name, of in numbers.items()}
    read = levels_of(upwards, (best, worst), are_stated=are_stated)
    steps = len(read.scale.levels) - 1
    names = [f"{worst + best - level.value:g}" for level in read.scale.levels]
    scale = Scale(tuple(Level(step / steps, name) for step, name in enumerate(names)), by_label=True)
    levels = {name: {v: (level - best) / (worst - best) for v, level in of.items()} for name, of in upwards.items()}
    return replace(read, scale=scale, levels=levels, ends=ends)


def scores_of(numbers: Mapping[str, Mapping[str, float]], ends: Span, *, are_stated: bool) -> ReadValues:
    """Read numbers as scores on a continuous scale between two ends.

    Args:
        numbers: The number that each value means, by column and value.
        ends: Lowest and highest score.
        are_stated: True if the user states the ends; False if they are inferred from the numbers.
    """
    scale = Scale((Level(ends[0]), Level(ends[1])))
    withheld = dict.fromkeys(DIRECTION_FIGURES, "pass-mark")
    return ReadValues(
        "score", scale, DEFAULT_TOLERANCE, numbers, ends=ends, ends_are_stated=are_stated, withheld=withheld
    )


def are_levels(numbers: Sequence[float]) -> bool:
    """Return True if numbers look like levels: whole ones in a narrow range, or halves in a narrower one.

    >>> are_levels([1, 3, 5]), are_levels([2.5, 3, 4]), are_levels([3.33, 4, 5]), are_levels([85, 90, 95])
    (True, True, False, False)
    """
    spread = max(numbers) - min(numbers)
    if len(set(numbers)) < FEWEST_LEVELS or max(map(abs, numbers)) > WIDEST_SCALE:
        return False
    if all(map(is_whole, numbers)):
        return spread <= WIDEST_SCALE
    return all(map(is_half, numbers)) and spread <= HALVES


def scales_differ(first: Collection[float], second: Collection[float]) -> bool:
    """Return True if the numbers of two raters can't belong to the same scale.

    >>> scales_differ([0.3, 0.9, 0.6], [1, 4, 5]), scales_differ([2, 3, 5], [1, 4, 4])
    (True, False)
    >>> scales_differ([0, 2, 4], [1, 3, 5])
    True
    """
    for ours, theirs in permutations((set(first), set(second))):
        if min(ours) >= 0 and max(ours) <= 1 < max(theirs) and not all(map(is_whole, ours)):
            return True
        if min(len(ours), len(theirs)) < FEWEST_LEVELS:
            continue
        if max(ours) <= HALVES < max(theirs) or max(theirs) >= CLASH * max(ours) > 0:
            return True
        if (min(ours), max(ours), min(theirs)) == (0, max(theirs) - 1, 1):
            return True
    return False


def likely_ends(numbers: Collection[float], *, mark: str = "-") -> str:
    """Guess the ends of the scale that some numbers are on, and write them as the option `--scale` takes them.

    Args:
        numbers: The numbers.
        mark: What is written between the ends, "-" or "..".

    >>> likely_ends([0.3, 0.9]), likely_ends([2, 4]), likely_ends([2, 9]), likely_ends([40, 80])
    ('0-1', '1-5', '1-10', '0-100')
    """
    low = min(numbers)
    high = max(numbers)
    if low >= 0 and high <= 1:
        return f"0{mark}1"
    if high > WIDEST_SCALE:
        return f"{min(low, 0.0):g}{mark}{PERCENT if high <= PERCENT else high:g}"
    likely = HALVES if low >= 1 and high <= HALVES else WIDEST_SCALE if high > HALVES else high
    return f"{min(low, 1.0):g}{mark}{likely:g}"


_USUAL_ENDS: Final = frozenset(["1-5", "1-10", "0-100", *(f"0-{best}" for best in range(1, WIDEST_SCALE + 1))])
"""Ends of scales that people use, as the option `--scale` takes them."""


def usual_ends(numbers: Collection[float]) -> str | None:
    """Return the ends of the usual scale that contains some numbers, such as 1 to 5; None if none does.

    >>> usual_ends([2, 4]), usual_ends([0.5, 10])
    ('1-5', None)
    """
    ends = likely_ends(numbers)
    return ends if ends in _USUAL_ENDS else None


def below_step(steps: int) -> float:
    """Return a tolerance small enough that only equal levels agree, for a scale with this number of steps."""
    return min(DEFAULT_TOLERANCE, 0.5 / steps)


def is_whole(value: float) -> bool:
    """Return True if a number is whole, apart from rounding errors."""
    return abs(value - round(value)) <= LEVEL_ROUNDING


def is_half(value: float) -> bool:
    """Return True if a number is a multiple of a half, such as 2 or 2.5."""
    return is_whole(2 * value)
