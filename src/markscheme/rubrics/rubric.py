"""The Rubric: weighted criteria, each with a scale of levels, and its validation."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from markscheme.errors import Fault, RubricError
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import shown
from markscheme.rubrics.autograders import default_autograder
from markscheme.rubrics.criterion import (
    CANNOT_JUDGE,
    DOES_NOT_APPLY,
    EXITS,
    LEVEL_ROUNDING,
    YES_NO,
    Criterion,
    Level,
    Scale,
)
from markscheme.rubrics.gray_zone import GrayZone, gray_zone
from markscheme.rubrics.inputs import INPUT_NAME, STEPPED
from markscheme.rubrics.keys import (
    BOTH_ORDERS,
    DEFAULT_PASS_MARK,
    DEFAULT_TARGET,
    DEFAULT_TOLERANCE,
    MOST_SAMPLES,
    OF_KEY,
    ROW_RULES,
    STRATEGY_NAMES,
    TREND_SUBJECTS,
    RowRule,
    Strategy,
    SubjectKind,
    TrendSubject,
)
from markscheme.rubrics.reading import RUBRIC_MAKERS, RubricReading, read_file, read_rubric_text

if TYPE_CHECKING:
    from markscheme.rubrics.autograders import Report_co, SupportsGrade

__all__ = [
    "CANNOT_JUDGE",
    "DEFAULT_PASS_MARK",
    "DEFAULT_TOLERANCE",
    "DOES_NOT_APPLY",
    "EXITS",
    "LEVEL_ROUNDING",
    "STRATEGY_NAMES",
    "YES_NO",
    "Criterion",
    "Level",
    "Rubric",
    "Scale",
    "Strategy",
    "TableOf",
]
_LIMITS = ("max_false_pass", "max_false_fail", "max_false_credit", "max_missed_credit")
_NUMBERS = ("pass_mark", "tolerance", "target", "samples", "tie_within", "orders", "core_share", "criteria_per_call")
TableOf = Literal["pass-fail", "values", "marked"]
"""Kind of ratings in a table without a rubric: pass and fail; other values; or values that pass from a stated mark
on."""


@dataclass(frozen=True)
class Rubric:
    """Weighted criteria, the pass mark, and how a judge is asked about them.

    Attributes:
        criteria: At least one criterion; their names are unique.
        name: Name in files and reports.
        description: Sentence on what is judged.
        pass_mark: Lowest score that passes, from 0 to 1.
        inputs: Names of the inputs that every submission has in addition to the response; None if none are declared (a
            `query` is then shown if there is one).
        optional_inputs: Names of further inputs, shown if a submission has them; a prompt names those that are missing.
        guidelines: General advice to the judge.
        strategy: Strategy for asking the judge: all criteria in one call, one call each, twice in both orders, or for
            one number.
        samples: Number of times that the judge is asked; the median level counts.
        criteria_per_call: Largest number of criteria in one question; None for no limit.
        judge: Default judge and model; the command line and Promptfoo's configuration override them.
        tolerance: Distance from gold's score below which a score agrees with it.
        target: Share of examples on which the judge has to agree.
        table_of: For a rubric inferred from a table: "pass-fail" if the ratings are decisions, "marked" if a pass mark
            is known for them, "values" for any other ratings; None for a rubric that a person wrote.
        compares: What is judged: single responses, or pairs of them.
        tie_within: For pairs: largest distance from 0 of a score, from -1 to 1, that is a tie.
        orders: For pairs: number of orders in which a judge is asked, 2 or 1.
        max_false_pass: Largest share of the responses failed by gold that the judge may pass; None for no limit.
        max_false_fail: Largest share of the responses passed by gold that the judge may fail; None for no limit.
        ask_within: Half-width of the gray zone: a score this close to the pass mark is for a person to decide. A
            GrayZone has a distance for passes and one for fails.
        trend_on: Figures whose trend is of interest: scores, or verdicts on single criteria.
        max_false_credit: Largest share of verdicts that may give credit where gold gives none, for trends of criteria;
            None for no limit.
        max_missed_credit: Largest share of verdicts that may give no credit where gold gives it, for trends of
            criteria; None for no limit.
        rows: How criteria that a row of data brings are treated.
        core_share: Share of the score, from 0 to 1, that this rubric's criteria have next to those of a row; None to
            add up all weights.
        source: The file that it is from, for messages; None if it is from no file.

    Raises:
        RubricError: The criteria are missing, a name is duplicate, the pass mark is outside 0 to 1, or an input is
            undeclared.

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
    criteria_per_call: int | None = None
    trend_on: TrendSubject = "score"
    max_false_credit: float | None = None
    max_missed_credit: float | None = None
    rows: RowRule = "add"
    core_share: float | None = None
    source: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        criteria = tuple(self.criteria) if isinstance(self.criteria, Iterable) else (None,)
        if not all(isinstance(criterion, Criterion) for criterion in criteria):
            raise RubricError(f"Rubric takes Criterion objects, got {shown(self.criteria)}; {RUBRIC_MAKERS}")
        named = tuple(
            criterion if criterion.name else replace(criterion, name=f"c{ordinal}")
            for ordinal, criterion in enumerate(criteria, start=1)
        )
        object.__setattr__(self, "criteria", named)
        faults = list(self._faults_of_types()) or list(self._faults())
        if faults:
            raise RubricError(faults, path=self.source)

    @property
    def judges_by_one_rubric(self) -> bool:
        """True if rows can't bring their own criteria: pairs or whole responses are judged."""
        return self.is_of_pairs or self.strategy == "holistic"

    @property
    def is_of_pairs(self) -> bool:
        """True if the rubric judges which of two responses is better."""
        return self.compares == "pairs"

    @cached_property
    def has_score(self) -> bool:
        """True if a score can be computed from the levels; categories without values don't allow it."""
        return any(criterion.has_worth for criterion in self.criteria)

    @cached_property
    def decides(self) -> bool:
        """True if pass or fail follows from the levels; for a table, if the user said which levels pass."""
        return self.table_of != "values" and any(criterion.is_decisive for criterion in self.criteria)

    @property
    def has_gate_question(self) -> bool:
        """True if the rubric says which single responses pass, so that the judge can be tested as a gate."""
        return self.decides and not self.is_of_pairs

    @cached_property
    def decisive(self) -> tuple[Criterion, ...]:
        """Criteria that count for the score, the decision or the preference."""
        return tuple(criterion for criterion in self.criteria if criterion.is_decisive or criterion.scale.mirrored)

    @cached_property
    def categories(self) -> tuple[Criterion, ...]:
        """Criteria whose levels are categories without an order."""
        return tuple(criterion for criterion in self.criteria if not criterion.scale.ordered)

    def _faults_of_types(self) -> Iterable[Fault]:
        for name in (*_NUMBERS, *_LIMITS):
            value = getattr(self, name)
            if not hasattr(value, "__float__") and value is not getattr(Rubric, name):  # some are None by default
                yield Fault(f"{name} must be a number, found {shown(value)}")

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
        """Yield faults of the rubric's own keys, such as a pass mark outside 0 to 1."""
        if not 0 <= self.pass_mark <= 1:
            yield _fault_of("passingThreshold", f"is a score from 0 to 1, found {self.pass_mark}")
        if self.strategy not in STRATEGY_NAMES:
            yield _fault_of("strategy", f"is one of {', '.join(STRATEGY_NAMES)}; found {self.strategy!r}")
        if not 1 <= self.samples <= MOST_SAMPLES:
            yield _fault_of("samples", f"is a whole number from 1 to {MOST_SAMPLES}, found {self.samples}")
        if self.criteria_per_call is not None and self.criteria_per_call < 1:
            yield _fault_of("criteria_per_call", f"is a whole number from 1, found {self.criteria_per_call}")
        if self.tolerance <= 0 or not 0 < self.target <= 1:
            yield _fault_of("tolerance", "is above 0 and target a share above 0 and up to 1")
        if not self.has_score and max(self.gray_zone.passes, self.gray_zone.fails) > 0:
            yield _fault_of("ask_within", "is a distance in score, and categories have no score")
        if self.strategy == "holistic" and not all(criterion.has_worth for criterion in self.criteria):
            problem = "holistic asks for one score, which says nothing about categories; ask by another strategy"
            yield _fault_of("strategy", problem)
        if self.trend_on not in TREND_SUBJECTS:
            yield _fault_of("trend_on", f"is one of {', '.join(TREND_SUBJECTS)}; found {self.trend_on!r}")
        if self.rows not in ROW_RULES:
            yield _fault_of("rows", f"is one of {', '.join(ROW_RULES)}; found {self.rows!r}")
        if self.core_share is not None and not 0 < self.core_share < 1:
            yield _fault_of("core_share", f"is a share above 0 and below 1, found {self.core_share}")
        for key in _LIMITS:
            limit = getattr(self, key)
            if limit is not None and not 0 <= limit <= 1:
                yield _fault_of(key, f"is a share from 0 to 1, found {limit}")
        for reach in (self.gray_zone.passes, self.gray_zone.fails):
            if not 0 <= reach <= 1 and reach != math.inf:
                yield _fault_of("ask_within", f"is a distance in score from 0 to 1, found {reach}")
                break

    def _faults_of_holistic(self, criterion: Criterion) -> Iterable[Fault]:
        """Yield a fault for each setting of a criterion that doesn't fit the strategy `holistic`.

        That strategy asks the judge for one number on the whole response, and for nothing on single criteria.
        """
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
        """Names of the inputs that a judge may see: declared and optional ones, or `query` if none are declared."""
        declared = ("query",) if self.inputs is None else self.inputs
        return tuple(dict.fromkeys((*declared, *self.optional_inputs)))

    @property
    def positive_weight(self) -> float:
        """Sum of all positive weights, which is the maximum raw score."""
        return sum(criterion.weight for criterion in self.criteria if criterion.weight > 0 and criterion.has_worth)

    @property
    def whole_weight(self) -> float:
        """Sum of the weights that a full score adds up: the positive ones or, if all are faults, theirs.

        Categories without values have no share in it, unless there is nothing else.
        """
        scored = [criterion for criterion in self.criteria if criterion.has_worth] or self.criteria
        return self.positive_weight or sum(abs(criterion.weight) for criterion in scored)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of everything that affects a score: texts, scales, weights, pass mark, strategy and samples."""
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
        asking += [f"{self.criteria_per_call} criteria a call"] * (self.criteria_per_call is not None)
        return fingerprint(self.name, criteria, float(self.pass_mark), self.gray_zone.in_file, asking)

    @property
    def asking(self) -> dict[str, Any]:
        """Settings that a run may change from those in the file: pass mark, strategy, samples and criteria per call."""
        limit = {} if self.criteria_per_call is None else {"criteria_per_call": self.criteria_per_call}
        return {"pass_mark": self.pass_mark, "strategy": self.strategy, "samples": self.samples, **limit}

    @property
    def gray_zone(self) -> GrayZone:
        """The gray zone around the pass mark in which a person decides."""
        return gray_zone(self.ask_within)

    def criterion(self, name: str) -> Criterion:
        """Return the criterion with a name; raise KeyError if there is none."""
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        raise KeyError(name)

    def shown_to(self, criterion: Criterion) -> tuple[str, ...]:
        """Return the names of the inputs that are shown for a criterion, in the order of declaration."""
        return tuple(name for name in self.known_inputs if criterion.sees is None or name in criterion.sees)

    @property
    def rubric(self) -> list[Criterion]:
        """The criteria as a list, under the attribute name that the `rubric` package uses."""
        return list(self.criteria)

    @staticmethod
    def from_dict(data: Any) -> "Rubric":
        """Read a rubric from plain data in any supported format. Raises RubricError with all faults."""
        return RubricReading(data).rubric(Rubric)

    @staticmethod
    def from_json(text: str) -> "Rubric":
        """Read a rubric from a JSON text. Raises RubricError with line numbers."""
        return read_rubric_text(text, "json").rubric(Rubric)

    @staticmethod
    def from_yaml(text: str) -> "Rubric":
        """Read a rubric from a YAML text. Raises RubricError with line numbers."""
        return read_rubric_text(text, "yaml").rubric(Rubric)

    @staticmethod
    def from_file(source: str | Path | IO[str]) -> "Rubric":
        """Read a rubric from a .yaml, .yml or .json file, by path or as an open file. Raises RubricError."""
        return read_file(source).rubric(Rubric)

    async def grade(
        self,
        to_grade: Any,
        autograder: "SupportsGrade[Report_co] | None" = None,
        query: str | None = None,
        **options: Any,
    ) -> "Report_co":
        """Grade one response with an autograder and return its report; `markscheme.grade` returns a Grade instead.

        Args:
            to_grade: The response as text, or {"thinking": …, "output": …}.
            autograder: The grader; by default a PerCriterionGrader with its default generate function.
            query: The query that the response answers; None if there is none.
            options: Options that are passed on to the autograder.
        """
        grader = autograder or default_autograder()
        report: Report_co = await grader.grade(to_grade, self, query, **options)
        return report


def _fault_of(key: str, problem: str, *, criterion: str | None = None) -> Fault:
    """Make the Fault for a key of a rubric, or of a criterion if one is given; its sentence begins with the key.

    Args:
        key: The key.
        problem: What is wrong, as the remainder of the sentence.
        criterion: Name of the criterion; None for a key of the rubric.
    """
    return Fault(f"{key} {problem}", about=((OF_KEY, key), *(() if criterion is None else (("name", criterion),))))


def _fault_of_criterion(name: str, problem: str, *, key: str = "name") -> Fault:
    """Make a fault of a criterion, or of one of the criterion's keys."""
    return Fault(problem, about=((key, name),))


def _faults_of_pairs(rubric: Rubric) -> Iterable[Fault]:
    """Yield faults of keys that don't fit a rubric of pairs, or that only a rubric of pairs can have."""
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
