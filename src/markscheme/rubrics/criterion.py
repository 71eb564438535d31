"""Criteria: what is judged in a response, each with its scale of levels, and their validation."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from markscheme.errors import Fault, RubricError
from markscheme.fingerprint import fingerprint
from markscheme.numerals import finite, ratio_in, stars_in
from markscheme.phrases import brief
from markscheme.text import folded_word

_PUNCTUATION = re.compile(r"(?!%|[-−](?=\d)|(?<=\d)[.,:/](?=\d)|[<>=+~^|$`])[^\w\s]|_")
"""Pattern of punctuation that doesn't change the meaning of words, without comparisons, signs of numbers and
characters inside numbers."""
CANNOT_JUDGE = "cannot judge"
DOES_NOT_APPLY = "does not apply"
EXITS = (DOES_NOT_APPLY, CANNOT_JUDGE)
"""Answers that a rater may give instead of a level; no level can have these names."""
LEVEL_ROUNDING = 1e-9
"""Difference below which two levels count as equal, since sums and medians are rounded."""
MOST_CHOICES = 20
"""Largest number of levels that a message lists."""
LARGEST_LEVEL = 1e9
"""Largest value of a level: no real scale has larger ones, and statistics square differences of levels."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a scale, with the description that says what it means."""

    value: float
    label: str | None = None
    description: str | None = None
    example: str | None = None

    def __post_init__(self) -> None:
        number = finite(self.value)
        if number is None or abs(number) > LARGEST_LEVEL:
            ends = f"{-LARGEST_LEVEL:g} to {LARGEST_LEVEL:g}"
            raise RubricError(f"a level's value must be a finite number from {ends}, found {self.value}")

    @property
    def choice(self) -> str:
        """Answer by which a rater chooses this level: its number, or its word if that is MET or UNMET.

        >>> Level(3.0, "fair").choice, Level(1.0, "MET").choice
        ('3', 'MET')
        """
        return self.label if self.label in ("MET", "UNMET") else f"{self.value:g}"


@dataclass(frozen=True)
class Scale:
    """The levels that one criterion is rated on, worst first; a yes/no scale has two.

    Attributes:
        levels: At least two levels with rising values; an unordered scale may repeat a value.
        ordered: True if the levels are degrees rather than categories.
        by_label: True if raters choose a label, not a number (as in `options` of other formats); the values of such a
            scale are positions already.
        coded: True if the values only number categories and say nothing about their quality.
        mirrored: True if the levels say which of two responses is better. If the responses are swapped, each level
            becomes the one at the mirrored position.
        own_yes_no: True if the labels are a table's own words for fail and pass, with values 0 and 1.
    """

    levels: tuple[Level, ...]
    ordered: bool = True
    by_label: bool = False
    coded: bool = False
    mirrored: bool = False
    own_yes_no: bool = False

    def __post_init__(self) -> None:
        values = self.values
        if len(values) < 2:
            raise RubricError(f"a scale needs at least two levels, found {len(values)}")
        rising = all(low < high for low, high in itertools.pairwise(values))
        if self.ordered and not rising:
            raise RubricError(
                f"levels stand worst first, each value higher than the one before: found {_listed(values)}"
            )
        if min(values) == max(values):
            raise RubricError("a scale whose levels are all worth the same decides nothing")
        if self.by_label and not all(0 <= value <= 1 for value in values):
            raise RubricError(f"an option's value is its position, from 0 to 1: found {_listed(values)}")
        if self.mirrored and any(
            abs(low + high) > LEVEL_ROUNDING for low, high in zip(values, values[::-1], strict=True)
        ):
            raise RubricError(f"levels of a preference mirror each other round 0: found {_listed(values)}")
        named = [{choice, level.label or choice} for choice, level in zip(self.choices, self.levels, strict=True)]
        answers = Counter(answer for names in named for answer in {folded_word(name) for name in names})
        repeated = [answer for answer, count in answers.items() if count > 1]
        if repeated:
            raise RubricError(f"two levels have the same name: {', '.join(map(repr, repeated))}")
        exits = [answer for answer in answers if answer.replace("_", " ") in EXITS]
        if exits:
            raise RubricError(f"no level can be called {exits[0]!r}: it is what a rater says instead of a level")

    @classmethod
    def numbered(cls, lowest: int, highest: int) -> Self:
        """Make a scale of the whole numbers from `lowest` to `highest`, whose levels have no descriptions.

        >>> Scale.numbered(1, 5).values
        (1.0, 2.0, 3.0, 4.0, 5.0)
        """
        if lowest >= highest:
            raise RubricError(f"a scale runs from a lower to a higher number: found min {lowest}, max {highest}")
        return cls(tuple(Level(float(value)) for value in range(lowest, highest + 1)))

    @classmethod
    def of_categories(cls, labels: Sequence[str]) -> Self:
        """Make a scale of categories without values, such as topics; their numbers only distinguish them.

        >>> Scale.of_categories(["refund", "delay"]).choices
        ('refund', 'delay')
        """
        last = max(len(labels) - 1, 1)
        levels = tuple(Level(index / last, label) for index, label in enumerate(labels))
        return cls(levels, ordered=False, by_label=True, coded=True)

    @classmethod
    def yes_no(cls, fails: str, passes: str) -> Self:
        """Make a yes/no scale with other words than UNMET and MET.

        >>> Scale.yes_no("FAIL", "PASS").choices, Scale.yes_no("FAIL", "PASS").is_yes_no
        (('FAIL', 'PASS'), True)
        """
        return cls((Level(0.0, fails), Level(1.0, passes)), by_label=True, own_yes_no=True)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Numbers of the levels, worst level first."""
        return tuple(level.value for level in self.levels)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """Answers that a rater can give to choose each level, worst first."""
        by_label = self.by_label or self.mirrored
        return tuple(level.label or level.choice if by_label else level.choice for level in self.levels)

    @property
    def listed(self) -> str:
        """The choices in words; of a long scale the first two and the last."""
        choices = self.choices
        return ", ".join(choices if len(choices) <= MOST_CHOICES else (*choices[:2], "…", choices[-1]))

    def named(self, answer: str) -> Level | None:
        """Return the level with this number or word, ignoring case; None if there is none."""
        return self._by_answer.get(folded_word(answer))

    @property
    def has_degrees(self) -> bool:
        """True if the levels are ordered numbers, and more than a yes/no scale's two."""
        return self.ordered and not self.by_label and not self.is_yes_no

    def read_number(self, text: str) -> float | None:
        """Return the level that a text such as "★★★☆☆", "4/5" or "85%" means; None for any other text.

        Stars need a scale with a level for each, `4/5` one that ends at 5, and a percentage one that ends at 1 or 100.
        """
        low, top = self.ends
        filled, total = stars_in(text)
        has_stars = filled and total in (filled, top) and len(self.values) == top
        amount, whole = (float(filled), top) if has_stars else ratio_in(text) or (low, None)
        if not self.has_degrees or not (whole == top or (whole == 100 and top == 1)):
            return None
        level = amount if whole == top else amount / 100
        return level if low <= level <= top else None

    @cached_property
    def _by_answer(self) -> dict[str, Level]:
        by_answer: dict[str, Level] = {}
        for choice, level in zip(self.choices, self.levels, strict=True):
            by_answer.setdefault(folded_word(choice), level)
            by_answer.setdefault(folded_word(level.label or choice), level)
        return by_answer

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest value of the scale's levels."""
        return min(self.values), max(self.values)

    @cached_property
    def span(self) -> float:
        """The difference between the values of the highest and the lowest level."""
        return self.ends[1] - self.ends[0]

    @property
    def is_yes_no(self) -> bool:
        """True if the scale has the levels UNMET and MET, or a table's words for fail and pass."""
        return self.own_yes_no or self.choices == ("UNMET", "MET")

    @property
    def halves_decide_nothing(self) -> bool:
        """True if raters who split evenly give no level, as on a yes/no scale or a preference without ties."""
        return self.is_yes_no or (self.mirrored and len(self.levels) == 2)

    def position(self, value: float) -> float:
        """Return the position of `value` on the scale: 0.0 at the worst level, 1.0 at the best.

        Raises:
            ValueError: The value is outside the scale.

        Example:
            >>> Scale.numbered(1, 5).position(3.5)
            0.625
        """
        lowest, highest = self.ends
        if not lowest <= value <= highest:
            raise ValueError(f"level {value:g} is outside the scale {lowest:g} to {highest:g}")
        return value if self.by_label else (value - lowest) / self.span

    @property
    def unit(self) -> str:
        """Unit of differences in messages: "levels", or "of the scale" if the values are positions from 0 to 1.

        >>> Scale.numbered(1, 5).unit, Scale((Level(0, "low"), Level(1, "high")), by_label=True).unit
        ('levels', 'of the scale')
        """
        return "of the scale" if self.by_label and not self.is_yes_no else "levels"

    def at(self, position: float) -> float:
        """Return the value at a position; a position outside 0 to 1 gives the nearest end of the scale.

        Example:
            >>> Scale.numbered(1, 5).at(0.625)
            3.5
        """
        lowest, highest = self.ends
        value = position if self.by_label else lowest + position * self.span
        return min(highest, max(lowest, value))

    def place_of(self, value: float) -> int | None:
        """Return the index of the level with this value, 0 for the worst; None for a value between two levels.

        Example:
            >>> Scale.numbered(1, 5).place_of(0.1 + 2.9), Scale.numbered(1, 5).place_of(3.5)
            (2, None)
        """
        return next((index for index, level in enumerate(self.values) if abs(level - value) <= LEVEL_ROUNDING), None)

    def level_name(self, value: float) -> str:
        """Return the answer by which raters choose a level; a value between two levels is shown as a number.

        Example:
            >>> YES_NO.level_name(1.0), Scale.numbered(1, 5).level_name(3.5)
            ('MET', '3.5')
        """
        index = self.place_of(value)
        return brief(value, 3) if index is None else self.choices[index]

    def level_in_words(self, value: float) -> str:
        """Return the name of a level for a sentence: its word if raters choose words, else "level" and its number.

        Example:
            >>> YES_NO.level_in_words(1.0), Scale.numbered(-2, 2).level_in_words(-2.0)
            ('MET', 'level -2')
        """
        name = self.level_name(value)
        is_number = self.place_of(value) is None or name == f"{value:g}"
        return f"level {name}" if is_number else name

    def written(self, value: float) -> float | str:
        """Return a level as files store it: its number, or the name if it is a category without a number.

        Example:
            >>> YES_NO.written(1.0), Scale.of_categories(["refund", "delay"]).written(0.0)
            (1.0, 'refund')
        """
        return self.label_of(value) or value

    def label_of(self, value: float) -> str | None:
        """Return a level's name if the scale's numbers only tell categories apart; None on any other scale."""
        return self.level_name(value) if self.coded else None

    def called(self, value: float) -> str:
        """Return how a sentence names a value: by the word that raters answer, else for example as "3.5 of 5".

        Example:
            >>> YES_NO.called(1.0), Scale.numbered(1, 5).called(3.5)
            ('MET', '3.5 of 5')
        """
        index = self.place_of(value)
        if self.mirrored and index is None:
            return f"{value:+g} between {self.choices[0]} and {self.choices[-1]}"
        if index is None or self.choices[index].replace(".", "").isdecimal():
            return f"{value:g} of {max(self.values):g}"
        return self.choices[index]


YES_NO = Scale((Level(0.0, "UNMET"), Level(1.0, "MET")))
"""The scale of two levels: UNMET is worth 0, MET is worth 1."""


@dataclass(frozen=True)
class Criterion:
    """An aspect of a response that is judged, with its weight and scale.

    Attributes:
        weight: Share of the score: finite and not 0. A criterion with a weight below 0 describes a fault, whose
            presence lowers the score.
        requirement: Wording of what is judged, which both judge and annotators see.
        name: Name, unique within its rubric; "" is replaced by c1, c2, … by index.
        scale: Scale on which it is rated; yes/no by default.
        good: Description of a good response; None if the author gives none.
        bad: Description of a bad response; None if the author gives none.
        sees: Names of the inputs shown for this criterion; None to show all that the rubric declares.
        required: True if a response that fails this criterion fails as a whole, whatever the score.
        threshold: Smallest position of a level that passes; for a fault, smallest value of 1 minus the position.
        not_applicable: True if a rater may answer that the criterion does not apply.
        check: Name of the check by code that decides instead of a judge; None if a judge decides.
        check_value: The value that is passed to the check, as JSON; "" for none.
        passing: Names of the categories that pass; empty if categories don't decide.
        preserves: Names of the changes of a response by `stress` that must not change its level on this criterion.
        steps: Patterns of tools or roles whose steps are shown first if a trajectory is too long.
        tags: Topics, for scores and figures by tag; a judge doesn't see them.

    Raises:
        RubricError: The weight, a text, the threshold or the name is invalid.
    """

    weight: float
    requirement: str
    name: str = ""
    scale: Scale = YES_NO
    good: str | None = None
    bad: str | None = None
    sees: tuple[str, ...] | None = None
    required: bool = False
    threshold: float = 0.5
    not_applicable: bool = False
    check: str | None = None
    check_value: str = ""
    passing: tuple[str, ...] = ()
    preserves: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        faults = list(self._faults())
        if faults:
            raise RubricError([Fault(problem) for problem in faults])

    def _faults(self) -> Iterable[str]:
        if isinstance(self.weight, bool) or not isinstance(self.weight, int | float):
            yield f"weight must be a number, found {self.weight!r}"
        elif finite(self.weight) in (None, 0):
            yield f"weight must be a finite number other than 0, found {self.weight!r}"
        if not isinstance(self.requirement, str) or not self.requirement.strip():
            yield "a criterion says in words what is judged: its description (or requirement) is empty"
        if not 0 <= self.threshold <= 1:
            yield f"threshold is a position from 0 to 1, found {self.threshold}"
        if self.passing and self.scale.ordered:
            yield "passes lists labels of categories: it goes with scale_type nominal"
        for label in self.passing if not self.scale.ordered else ():
            if self.scale.named(label) is None:
                yield f"passes has {label!r}, which isn't among the labels {', '.join(self.scale.choices)}"
        if self.required and not self.is_decisive and not self.scale.mirrored:
            yield "required, but none of its categories passes or fails: say which pass, passes: [label, …]"

    @cached_property
    def has_worth(self) -> bool:
        """True if a score can be computed from the levels; categories without values don't allow it."""
        return not self.scale.coded

    @cached_property
    def is_decisive(self) -> bool:
        """True if ratings on this criterion alone can make the difference between pass and fail."""
        return (self.has_worth and not self.scale.mirrored) or bool(self.passing)

    def __hash__(self) -> int:
        return hash((self.name, self.weight, self.fingerprint))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the exact wording and scale that a rater of this criterion sees, without its weight."""
        levels = [[level.value, level.label, level.description, level.example] for level in self.scale.levels]
        return fingerprint(self.requirement, levels, self.scale.ordered, self.good, self.bad, self.not_applicable)

    @cached_property
    def wording(self) -> str:
        """Digest of the wording and scale that a rater sees; changes of case, spaces and punctuation don't alter it."""
        levels = [
            [level.value, *map(_bare, (level.label, level.description, level.example))] for level in self.scale.levels
        ]
        words = [_bare(text) for text in (self.requirement, self.good, self.bad)]
        return fingerprint(*words, levels, self.scale.ordered, self.not_applicable)

    def is_worded(self, under: str) -> bool:
        """Return True if a digest is this criterion's `fingerprint` or `wording`."""
        return under in (self.wording, self.fingerprint)

    def merit(self, position: float) -> float:
        """Return how good a position on the scale is, 0 to 1; for a fault, a high position is bad."""
        return position if self.weight > 0 else 1.0 - position

    def passes(self, position: float) -> bool:
        """Return True if a position on the scale passes this criterion; a category passes if `passing` lists it."""
        if self.passing:
            return self.scale.level_name(self.scale.at(position)) in self._passing_choices
        return self.merit(position) >= self.threshold - 1e-12

    def worth(self, position: float) -> float | None:
        """Return what a position on the scale contributes to the score, from 0 to 1; None if it doesn't count.

        A category without a value contributes 1 if it passes, else 0; None if the criterion names no category that
        passes.
        """
        if self.has_worth:
            return self.merit(position)
        return float(self.passes(position)) if self.passing else None

    @cached_property
    def _passing_choices(self) -> frozenset[str]:
        levels = [level for label in self.passing if (level := self.scale.named(label)) is not None]
        return frozenset(self.scale.choices[self.scale.levels.index(level)] for level in levels)


def _bare(text: str | None) -> str:
    """Normalize a text to compare wordings: lower case, single spaces, and no punctuation except in numbers.

    >>> _bare("Is it  polite?"), _bare("At least 5%, from -1 up.")
    ('is it polite', 'at least 5% from -1 up')
    """
    return " ".join(_PUNCTUATION.sub(" ", (text or "").casefold()).split())


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
