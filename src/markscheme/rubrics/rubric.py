"""The Rubric: weighted Criteria, each on a Scale of Levels, and their validation."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, Self, get_args

from markscheme.errors import Fault, RubricError
from markscheme.fingerprint import fingerprint
from markscheme.numerals import finite
from markscheme.phrases import brief
from markscheme.rubrics.gray_zone import GrayZone, gray_zone
from markscheme.text import folded_word
from markscheme.trajectory import STEPPED

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Report_co = TypeVar("Report_co", default=Any, covariant=True)

    class SupportsGrade(Protocol[Report_co]):
        """Anything that grades a response against a rubric: an Autograder."""

        async def grade(
            self, to_grade: Any, rubric: "Rubric", query: str | None = None, **options: Any
        ) -> Report_co: ...


Strategy = Literal["one_shot", "per_criterion", "double_pass", "holistic"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
SubjectKind = Literal["responses", "pairs"]
SUBJECT_KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)
TableOf = Literal["pass-fail", "values"]
"""What raters gave in a table without a rubric: pass and fail, or levels, scores and categories."""
MOST_SAMPLES = 1000
"""Maximum times a judge may be asked for one grade: more is a typing error that would cost a fortune."""
_PUNCTUATION = re.compile(r"(?!%|[-−](?=\d)|(?<=\d)[.,:/](?=\d)|[<>=+~^|$`])[^\w\s]|_")
"""Signs that don't change what words ask; comparisons, signs of numbers and what stands inside a number do."""
CANNOT_JUDGE = "cannot judge"
DOES_NOT_APPLY = "does not apply"
EXITS = (DOES_NOT_APPLY, CANNOT_JUDGE)
"""What a rater answers instead of a level; no level can have this name."""
BOTH_ORDERS = 2
"""A pair is asked about once in each order, so that a judge's lean to a place shows and doesn't decide."""
DEFAULT_PASS_MARK = 0.5
"""What the file format says where a rubric gives no `passingThreshold`: half of what can be earned."""
DEFAULT_TOLERANCE = 0.1
"""What the file format says where a rubric gives none; one step of a yes/no criterion with a tenth of the weight."""
DEFAULT_TARGET = 0.8
"""What the file format says where a rubric gives none: a judge has to agree on four examples in five."""
LEVEL_ROUNDING = 1e-9
"""Levels closer than this are one level: they differ by the rounding of sums and medians alone."""


LARGEST_LEVEL = 1e9
"""No scale goes so far, and the statistics square differences of levels."""


@dataclass(frozen=True, slots=True)
class Level:
    """One choice on a scale, and the words that fix its meaning."""

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
        """What a rater answers to choose this level: its number, or its label if that says more.

        >>> Level(3.0, "fair").choice, Level(1.0, "MET").choice
        ('3', 'MET')
        """
        return self.label if self.label in ("MET", "UNMET") else f"{self.value:g}"


@dataclass(frozen=True)
class Scale:
    """The levels one criterion is rated on, worst first; yes/no is a scale of two.

    Attributes:
        levels: At least two, with rising values; an unordered scale may repeat a value.
        ordered: False if the levels are categories rather than degrees.
        by_label: True if raters choose a label, not a number (a foreign file's `options`); the values of
            such a scale are positions already.
        coded: True if the values are codes of categories, worth nothing, because nobody wrote what they are worth.
        mirrored: True if the levels say which of two responses is better: exchanging these turns a level round.
        own_yes_no: True if the labels are a table's own words for fail and pass, worth 0 and 1.
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
        """Whole numbers from `lowest` to `highest`, without anchors.

        >>> Scale.numbered(1, 5).values
        (1.0, 2.0, 3.0, 4.0, 5.0)
        """
        if lowest >= highest:
            raise RubricError(f"a scale runs from a lower to a higher number: found min {lowest}, max {highest}")
        return cls(tuple(Level(float(value)) for value in range(lowest, highest + 1)))

    @classmethod
    def of_categories(cls, labels: Sequence[str]) -> Self:
        """Categories that are worth nothing; their values only tell them apart.

        >>> Scale.of_categories(["refund", "delay"]).choices
        ('refund', 'delay')
        """
        last = max(len(labels) - 1, 1)
        levels = tuple(Level(place / last, label) for place, label in enumerate(labels))
        return cls(levels, ordered=False, by_label=True, coded=True)

    @classmethod
    def yes_no(cls, fails: str, passes: str) -> Self:
        """The scale of yes and no in other words than MET and UNMET.

        >>> Scale.yes_no("FAIL", "PASS").choices, Scale.yes_no("FAIL", "PASS").is_yes_no
        (('FAIL', 'PASS'), True)
        """
        return cls((Level(0.0, fails), Level(1.0, passes)), by_label=True, own_yes_no=True)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The levels' values, worst first."""
        return tuple(level.value for level in self.levels)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """What a rater may answer, worst first."""
        by_label = self.by_label or self.mirrored
        return tuple(level.label or level.choice if by_label else level.choice for level in self.levels)

    def named(self, answer: str) -> Level | None:
        """The level with this number or label, ignoring case; None if there is none."""
        return self._by_answer.get(folded_word(answer))

    @cached_property
    def _by_answer(self) -> dict[str, Level]:
        by_answer: dict[str, Level] = {}
        for choice, level in zip(self.choices, self.levels, strict=True):
            by_answer.setdefault(folded_word(choice), level)
            by_answer.setdefault(folded_word(level.label or choice), level)
        return by_answer

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest value and the highest."""
        return min(self.values), max(self.values)

    @cached_property
    def span(self) -> float:
        """The difference between the highest and the lowest value."""
        return self.ends[1] - self.ends[0]

    @property
    def is_yes_no(self) -> bool:
        """Whether this is the scale of MET and UNMET, or of a table's words for them."""
        return self.own_yes_no or self.choices == ("UNMET", "MET")

    @property
    def halves_decide_nothing(self) -> bool:
        """Whether an even split between its levels is no level: it has two, and means one of them."""
        return self.is_yes_no or (self.mirrored and len(self.levels) == 2)

    def position(self, value: float) -> float:
        """The position of `value` on the scale: 0.0 at the worst, 1.0 at the best; medians fall between.

        Raises:
            ValueError: A value outside the scale.

        Example:
            >>> Scale.numbered(1, 5).position(3.5)
            0.625
        """
        lowest, highest = self.ends
        if not lowest <= value <= highest:
            raise ValueError(f"level {value:g} is outside the scale {lowest:g} to {highest:g}")
        return value if self.by_label else (value - lowest) / self.span

    def at(self, position: float) -> float:
        """The value at a position; a position outside 0 to 1 gives the nearest end of the scale.

        Example:
            >>> Scale.numbered(1, 5).at(0.625)
            3.5
        """
        lowest, highest = self.ends
        value = position if self.by_label else lowest + position * self.span
        return min(highest, max(lowest, value))

    def place_of(self, value: float) -> int | None:
        """The index of the level with this value, 0 for the worst; None for a value between two levels.

        Example:
            >>> Scale.numbered(1, 5).place_of(0.1 + 2.9), Scale.numbered(1, 5).place_of(3.5)
            (2, None)
        """
        return next((place for place, level in enumerate(self.values) if abs(level - value) <= LEVEL_ROUNDING), None)

    def level_name(self, value: float) -> str:
        """A level as raters choose it; a value between two levels as a number.

        Example:
            >>> YES_NO.level_name(1.0), Scale.numbered(1, 5).level_name(3.5)
            ('MET', '3.5')
        """
        place = self.place_of(value)
        return brief(value, 3) if place is None else self.choices[place]

    def level_in_words(self, value: float) -> str:
        """A level in a sentence: its label where raters choose that, else "level" and its number.

        Example:
            >>> YES_NO.level_in_words(1.0), Scale.numbered(-2, 2).level_in_words(-2.0)
            ('MET', 'level -2')
        """
        name = self.level_name(value)
        is_number = self.place_of(value) is None or name == f"{value:g}"
        return f"level {name}" if is_number else name

    def written(self, value: float) -> float | str:
        """A level as files have it: its value; of categories without values the label.

        Example:
            >>> YES_NO.written(1.0), Scale.of_categories(["refund", "delay"]).written(0.0)
            (1.0, 'refund')
        """
        return self.label_of(value) or value

    def label_of(self, value: float) -> str:
        """The label of a category without a value; "" for any other level."""
        return self.level_name(value) if self.coded else ""

    def called(self, value: float) -> str:
        """A value in a sentence: the word that raters answer, else the number and the highest possible one.

        Example:
            >>> YES_NO.called(1.0), Scale.numbered(1, 5).called(3.5)
            ('MET', '3.5 of 5')
        """
        place = self.place_of(value)
        if self.mirrored and place is None:
            return f"{value:+g} between {self.choices[0]} and {self.choices[-1]}"
        if place is None or self.choices[place].replace(".", "").isdecimal():
            return f"{value:g} of {max(self.values):g}"
        return self.choices[place]


INPUT_NAME: Final = re.compile(r"[\w.-]+")
"""Names of inputs: they stand in tags around what a judge is shown, and in columns and keys of files."""
YES_NO = Scale((Level(0.0, "UNMET"), Level(1.0, "MET")))
"""The scale of two levels: UNMET is worth 0, MET is worth 1."""


@dataclass(frozen=True)
class Criterion:
    """One thing judged about a response, with its weight and scale.

    Attributes:
        weight: Share of the score: finite and not 0. Below 0 the criterion describes a fault that lowers the score
            when present.
        requirement: What is judged, in the words that both judge and annotator see.
        name: Unique within its rubric; "" is replaced by c1, c2, … by index.
        scale: The levels it is rated on; yes/no by default.
        good: What a good response shows, if the author says.
        bad: What a bad response shows.
        sees: Names of the inputs shown for this criterion; None shows all that the rubric declares.
        required: Whether failing this criterion fails the whole grade, whatever the score.
        threshold: Position from which the criterion passes (for a fault: 1 - position).
        not_applicable: Whether a rater may answer that the criterion does not apply.
        check: Name of the code that decides instead of a judge; None if a judge decides.
        check_value: What the check is given, as JSON; "" for nothing.
        passing: Of categories: the labels that pass; empty where none does or fails.
        preserves: Names of `stress`'s changes that keep a response's level on this criterion.
        steps: Tools or roles, with * for anything, whose steps are shown before others if a trajectory is too long.

    Raises:
        RubricError: An invalid weight, text, threshold or name.
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
        """Whether its levels are worth something; a category is, where the author wrote what."""
        return not self.scale.coded

    @cached_property
    def is_decisive(self) -> bool:
        """Whether a level can pass or fail."""
        return (self.has_worth and not self.scale.mirrored) or bool(self.passing)

    def __hash__(self) -> int:
        return hash((self.name, self.weight, self.fingerprint))

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what a rater of this criterion relies on: its words and its scale, not its weight."""
        levels = [[level.value, level.label, level.description, level.example] for level in self.scale.levels]
        return fingerprint(self.requirement, levels, self.scale.ordered, self.good, self.bad, self.not_applicable)

    @cached_property
    def wording(self) -> str:
        """Digest of the words that a rater relies on: case, white space and punctuation don't change it."""
        levels = [
            [level.value, *map(_bare, (level.label, level.description, level.example))] for level in self.scale.levels
        ]
        words = [_bare(text) for text in (self.requirement, self.good, self.bad)]
        return fingerprint(*words, levels, self.scale.ordered, self.not_applicable)

    def is_worded(self, under: str) -> bool:
        """Whether an answer under a digest, of the exact words or of their wording, is to this criterion's words."""
        return under in (self.wording, self.fingerprint)

    def merit(self, position: float) -> float:
        """How good a position on this criterion is, 0 to 1; reversed for a fault."""
        return position if self.weight > 0 else 1.0 - position

    def passes(self, position: float) -> bool:
        """Whether a position is good enough for this criterion alone; for a category, whether it is one that passes."""
        if self.passing:
            return self.scale.level_name(self.scale.at(position)) in self._passing_choices
        return self.merit(position) >= self.threshold - 1e-12

    def worth(self, position: float) -> float | None:
        """How good a position is, 0 to 1; of a category without a value 1 if it passes, and None if none does."""
        if self.has_worth:
            return self.merit(position)
        return float(self.passes(position)) if self.passing else None

    @cached_property
    def _passing_choices(self) -> frozenset[str]:
        levels = [level for label in self.passing if (level := self.scale.named(label)) is not None]
        return frozenset(self.scale.choices[self.scale.levels.index(level)] for level in levels)


def _bare(text: str | None) -> str:
    """A text in lower case without punctuation, with single spaces; what changes a number's meaning stays.

    >>> _bare("Is it  polite?"), _bare("At least 5%, from -1 up.")
    ('is it polite', 'at least 5% from -1 up')
    """
    return " ".join(_PUNCTUATION.sub(" ", (text or "").casefold()).split())


@dataclass(frozen=True)
class Rubric:
    """Weighted criteria, the pass mark, and how a judge is asked.

    Attributes:
        criteria: At least one, with unique names.
        name: Its name in files and reports.
        description: What is judged, in a sentence.
        pass_mark: Lowest score that passes, 0 to 1.
        inputs: Names of the inputs that every submission has besides the response; None if none are declared (a
            `query` is then shown if there is one).
        optional_inputs: Names of further inputs, shown where a submission has them; a prompt names those that it lacks.
        guidelines: General advice to the judge.
        strategy: How the judge is asked: all criteria in one call, one call each, twice in both orders, or for
            one number.
        samples: How many times the judge is asked; the median level counts.
        judge: Default judge and model; the command line and Promptfoo's configuration override them.
        tolerance: How far a score may differ from gold and still agree.
        target: Share of examples on which the judge has to agree.
        table_of: What raters gave in a table without a rubric; None for a rubric that somebody wrote.
        compares: Whether single responses are judged, or pairs of them.
        tie_within: Of pairs: a score this close to 0, from -1 to 1, is a tie.
        orders: Of pairs: 2 asks a judge in both orders, 1 in one.
        max_false_pass: Largest share of the responses failed by gold that the judge may pass; None sets no limit.
        max_false_fail: Largest share of the responses passed by gold that the judge may fail; None sets no limit.
        ask_within: Half-width of the gray zone: a score this close to the pass mark is for a person to decide. A
            GrayZone has a distance for passes and one for fails.
        source: The file it came from, for messages.

    Raises:
        RubricError: No criteria, a duplicate name, a pass mark outside 0 to 1, an undeclared input.

    Example:
        >>> rubric = Rubric((Criterion(10.0, "Mentions Paris"),))
        >>> rubric.criteria[0].name, rubric.pass_mark
        ('c1', 0.5)
    """

    criteria: tuple[Criterion, ...]
    name: str = "rubric"
    description: str = ""
    pass_mark: float = DEFAULT_PASS_MARK
    inputs: tuple[str, ...] | None = None
    optional_inputs: tuple[str, ...] = ()
    guidelines: str = ""
    strategy: Strategy = "one_shot"
    samples: int = 1
    judge: Mapping[str, str] = field(default_factory=dict, hash=False)
    tolerance: float = DEFAULT_TOLERANCE
    target: float = DEFAULT_TARGET
    table_of: TableOf | None = None
    max_false_pass: float | None = None
    max_false_fail: float | None = None
    ask_within: float | GrayZone = 0.0
    compares: SubjectKind = "responses"
    tie_within: float = 0.0
    orders: int = BOTH_ORDERS
    source: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        named = tuple(
            criterion if criterion.name else replace(criterion, name=f"c{place}")
            for place, criterion in enumerate(self.criteria, start=1)
        )
        object.__setattr__(self, "criteria", named)
        faults = list(self._faults())
        if faults:
            raise RubricError(faults, path=self.source)

    @property
    def is_of_pairs(self) -> bool:
        """Whether it judges which of two responses is better."""
        return self.compares == "pairs"

    @cached_property
    def has_score(self) -> bool:
        """Whether its levels come to a score: categories without values don't."""
        return any(criterion.has_worth for criterion in self.criteria)

    @cached_property
    def decides(self) -> bool:
        """Whether its levels come to pass or fail."""
        return any(criterion.is_decisive for criterion in self.criteria)

    @property
    def has_gate_question(self) -> bool:
        """Whether anything says which responses pass: a mark that somebody could read, or labels that pass.

        A table of levels or scores has a mark that nobody stated.
        """
        return self.decides and not self.is_of_pairs and self.table_of != "values"

    @cached_property
    def decisive(self) -> tuple[Criterion, ...]:
        """The criteria that count for the score, the decision or the preference."""
        return tuple(criterion for criterion in self.criteria if criterion.is_decisive or criterion.scale.mirrored)

    @cached_property
    def categories(self) -> tuple[Criterion, ...]:
        """The criteria whose levels have no order."""
        return tuple(criterion for criterion in self.criteria if not criterion.scale.ordered)

    def _faults(self) -> Iterable[Fault]:
        if not self.criteria:
            yield Fault("a rubric needs at least one criterion")
        for name, count in Counter(criterion.name for criterion in self.criteria).items():
            if count > 1:
                yield _fault_of_criterion(name, f"{count} criteria are named {name!r}; names are unique")
        if not math.isfinite(sum(abs(criterion.weight) for criterion in self.criteria)):
            yield Fault("the weights add up to more than a number can hold")
        yield from self._faults_of_inputs()
        yield from _faults_of_pairs(self)
        yield from self._faults_of_keys()
        for criterion in self.criteria:
            yield from self._faults_of_holistic(criterion)
            name = criterion.name
            if criterion.steps and not set(STEPPED) & set(self.shown_to(criterion)):
                problem = f"criterion {name!r} asks for steps and sees none of {', '.join(STEPPED)}"
                yield _fault_of_criterion(name, problem, key="sees")
            for seen in criterion.sees or ():
                if seen not in self.known_inputs:
                    inputs = ", ".join(self.known_inputs) or "none"
                    which = f"{seen!r}, which is not among the declared inputs: {inputs}"
                    yield _fault_of_criterion(name, f"criterion {name!r} sees {which}", key="sees")

    def _faults_of_keys(self) -> Iterable[Fault]:
        """Values that one of the rubric's own keys can't have."""
        if not 0 <= self.pass_mark <= 1:
            yield _fault_of("passingThreshold", f"is a score from 0 to 1, found {self.pass_mark}")
        if self.strategy not in STRATEGIES:
            yield _fault_of("strategy", f"is one of {', '.join(STRATEGIES)}; found {self.strategy!r}")
        if not 1 <= self.samples <= MOST_SAMPLES:
            yield _fault_of("samples", f"is a whole number from 1 to {MOST_SAMPLES}, found {self.samples}")
        if self.tolerance <= 0 or not 0 < self.target <= 1:
            yield _fault_of("tolerance", "is above 0 and target a share above 0 and up to 1")
        if not self.has_score and max(self.gray_zone.passes, self.gray_zone.fails) > 0:
            yield _fault_of("ask_within", "is a distance in score, and categories have no score")
        if self.strategy == "holistic" and not all(criterion.has_worth for criterion in self.criteria):
            problem = "holistic asks for one score, which says nothing about categories; ask by another strategy"
            yield _fault_of("strategy", problem)
        for key, limit in (("max_false_pass", self.max_false_pass), ("max_false_fail", self.max_false_fail)):
            if limit is not None and not 0 <= limit <= 1:
                yield _fault_of(key, f"is a share from 0 to 1, found {limit}")
        for reach in (self.gray_zone.passes, self.gray_zone.fails):
            if not 0 <= reach <= 1 and reach != math.inf:
                yield _fault_of("ask_within", f"is a distance in score from 0 to 1, found {reach}")
                break

    def _faults_of_holistic(self, criterion: Criterion) -> Iterable[Fault]:
        """What a criterion needs that one number for the whole response can't give."""
        if self.strategy != "holistic":
            return
        name = criterion.name
        if criterion.check is not None:
            problem = f"holistic asks for one number and runs no check: criterion {name!r} has one"
            yield _fault_of("strategy", problem, criterion=name)
        if criterion.required:
            problem = (
                f"holistic asks for one number, which cannot tell whether {name!r} fails: it is required; ask by "
                "another strategy"
            )
            yield _fault_of("strategy", problem, criterion=name)
        if self.shown_to(criterion) != self.known_inputs:
            problem = f"holistic shows all inputs at once, and {name!r} is to see only some; ask by another strategy"
            yield _fault_of("strategy", problem, criterion=name)

    def _faults_of_inputs(self) -> Iterable[Fault]:
        for key, names in (("inputs", self.inputs or ()), ("optional_inputs", self.optional_inputs)):
            for name, count in Counter(names).items():
                if count > 1:
                    yield _fault_of(key, f"names {name!r} {count} times")
                if not INPUT_NAME.fullmatch(name):
                    optional = "; one that may be missing is named in optional_inputs" if name.endswith("?") else ""
                    yield _fault_of(key, f"names {name!r}: a name has letters, digits, _, - and . alone{optional}")
            if "response" in names:
                problem = "come in addition to the response, which is always there: leave out 'response'"
                yield _fault_of(key, problem)
        for name in self.optional_inputs:
            if name in (self.inputs or ()):
                problem = f"names {name!r}, which is among the inputs that every submission has"
                yield _fault_of("optional_inputs", problem)

    @cached_property
    def known_inputs(self) -> tuple[str, ...]:
        """Inputs that may be shown: the declared and the optional ones; `query` where none are declared."""
        declared = ("query",) if self.inputs is None else self.inputs
        return tuple(dict.fromkeys((*declared, *self.optional_inputs)))

    @property
    def positive_weight(self) -> float:
        """Sum of the weights above 0: the maximum raw score."""
        return sum(criterion.weight for criterion in self.criteria if criterion.weight > 0 and criterion.has_worth)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that decides a score: texts, scales, weights, pass mark and the way of asking."""
        criteria = [
            [
                c.name,
                c.fingerprint,
                float(c.weight),
                c.required,
                float(c.threshold),
                c.sees,
                c.check,
                *([c.steps] * bool(c.steps)),
                *([c.check_value] * bool(c.check_value)),
                *([c.passing] * bool(c.passing)),
            ]
            for c in self.criteria
        ]
        asking = [self.description, self.guidelines, self.inputs, self.strategy, self.samples]
        asking += [self.optional_inputs] * bool(self.optional_inputs)
        asking += [f"{self.compares} {self.tie_within:g} {self.orders}"] * self.is_of_pairs
        return fingerprint(self.name, criteria, float(self.pass_mark), self.gray_zone.in_file, asking)

    @property
    def gray_zone(self) -> GrayZone:
        """Which decisions are for a person, by their distance from the pass mark."""
        return gray_zone(self.ask_within)

    def criterion(self, name: str) -> Criterion:
        """The criterion of that name; KeyError if there is none."""
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        raise KeyError(name)

    def shown_to(self, criterion: Criterion) -> tuple[str, ...]:
        """Names of the inputs that a rater of `criterion` is shown, in the order of declaration."""
        return tuple(name for name in self.known_inputs if criterion.sees is None or name in criterion.sees)

    # What reads and grades rubrics imports this module, so these methods look it up by name when they are called.

    @property
    def rubric(self) -> list[Criterion]:
        """The criteria as a list, as the `rubric` package names them."""
        return list(self.criteria)

    @staticmethod
    def from_dict(data: Any) -> "Rubric":
        """The rubric in plain data, in any form a rubric file may have. Raises RubricError with all faults at once."""
        rubric: Rubric = import_module("markscheme.rubrics.file").rubric_from_data(data)
        return rubric

    @staticmethod
    def from_json(text: str) -> "Rubric":
        """The rubric in a JSON text. Raises RubricError with line numbers."""
        rubric: Rubric = import_module("markscheme.rubrics.file").rubric_from_text(text, form="json")
        return rubric

    @staticmethod
    def from_yaml(text: str) -> "Rubric":
        """The rubric in a YAML text. Raises RubricError with line numbers."""
        rubric: Rubric = import_module("markscheme.rubrics.file").rubric_from_text(text, form="yaml")
        return rubric

    @staticmethod
    def from_file(source: str | Path | IO[str]) -> "Rubric":
        """The rubric in a .yaml, .yml or .json file, by path or as an open file. Raises RubricError."""
        rubric: Rubric = import_module("markscheme.rubrics.file").load_rubric(source)
        return rubric

    async def grade(
        self,
        to_grade: Any,
        autograder: "SupportsGrade[Report_co] | None" = None,
        query: str | None = None,
        **options: Any,
    ) -> "Report_co":
        """The report of an autograder on one response; `markscheme.grade` returns the whole Grade instead.

        Args:
            to_grade: The response as text, or {"thinking": …, "output": …}.
            autograder: The grader; by default a PerCriterionGrader with its default generate function.
            query: What was asked.
            options: Passed on to the autograder.
        """
        grader = autograder or import_module("markscheme.autograders").PerCriterionGrader()
        report: Report_co = await grader.grade(to_grade, self, query, **options)
        return report


OF_KEY = "key"
"""What a fault of a rubric is about where that isn't a criterion: one of the rubric's own keys."""


def _fault_of(key: str, problem: str, *, criterion: str = "") -> Fault:
    """A fault of one of the rubric's own keys, with which its sentence begins, or of a criterion next to it."""
    return Fault(f"{key} {problem}", about=((OF_KEY, key), *([("name", criterion)] if criterion else [])))


def _fault_of_criterion(name: str, problem: str, *, key: str = "name") -> Fault:
    """A fault of a criterion, or of one of its keys."""
    return Fault(problem, about=((key, name),))


def _faults_of_pairs(rubric: Rubric) -> Iterable[Fault]:
    """What a rubric of pairs can't be, and one of single responses can't have."""
    mirrored = [criterion for criterion in rubric.criteria if criterion.scale.mirrored]
    if not rubric.is_of_pairs:
        for name in (criterion.name for criterion in mirrored):
            yield _fault_of_criterion(name, f"criterion {name!r} has `prefer`: say `compare: pairs` in the rubric")
        if rubric.tie_within:
            yield _fault_of("tie_within", "is for a rubric with `compare: pairs`")
        return
    for criterion in rubric.criteria:
        name = criterion.name
        if not criterion.scale.mirrored:
            problem = f"criterion {name!r} judges one response; in a rubric of pairs each says what to `prefer`"
            yield _fault_of_criterion(name, problem)
        if criterion.weight < 0:
            problem = f"weight of {name!r} is below 0: say in `prefer` what makes a response the better one"
            yield _fault_of_criterion(name, problem)
        if criterion.required or criterion.check is not None:
            key = "required" if criterion.required else "check"
            yield _fault_of_criterion(name, f"{key} of {name!r} is about one response; a pair has two")
    if rubric.strategy not in ("one_shot", "per_criterion"):
        problem = f"{rubric.strategy} asks about one response; pairs are asked by one_shot or per_criterion"
        yield _fault_of("strategy", problem)
    if not 0 <= rubric.tie_within < 1:
        yield _fault_of("tie_within", f"is a distance from 0, below 1, found {rubric.tie_within}")
    if rubric.orders not in (1, BOTH_ORDERS):
        yield _fault_of("orders", f"is 1 or 2, found {rubric.orders}")
    if rubric.ask_within or rubric.max_false_pass is not None or rubric.max_false_fail is not None:
        yield Fault("passes and fails have limits and a gray zone, and pairs neither pass nor fail")


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
