"""Rules that fail a run, such as `overall < 0.8`, and their one-line grammar."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from markscheme.calibration.rates.repeats import repeated
from markscheme.errors import UsageError, suggestion
from markscheme.features.experiment.definition import FIGURES, OVERALL, PASS_RATE, Experiment
from markscheme.features.experiment.run import ExperimentRun
from markscheme.features.experiment.table import Difference, VariantFigures
from markscheme.grading.score import ROUNDING
from markscheme.phrases import brief
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable, rating_table
from markscheme.report.gate_words import gate_in_words
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.threshold_risk import RunFigure

_OF: Final[Mapping[str, RunFigure]] = {OVERALL: "score", PASS_RATE: "pass"}
_RULE: Final = re.compile(r"\s*([^<>=\s]+(?:\s+[^<>=\s]+)*)\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class Rule:
    """A rule such as `overall < 0.8`; a run fails if the rule is true of any variant that the rule applies to.

    Attributes:
        text: The rule as typed.
        variants: Names of the variants that it applies to.
        figure: Name of the figure: "overall", "pass_rate" or a criterion.
        sign: The comparison: <, <=, > or >=.
        bound: The number that the figure is compared with, on the figure's own scale.
    """

    text: str
    variants: tuple[str, ...]
    figure: str
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str, experiment: Experiment) -> "Rule":
        """Parse a rule written as `[VARIANT.]FIGURE SIGN NUMBER`.

        Raises:
            UsageError: The syntax is invalid, the variant or figure is unknown, or the number is outside the figure's
                range.
        """
        match = _RULE.fullmatch(text)
        if match is None:
            raise UsageError(f'--fail-if must be `worse`, or as in "overall < 0.8" (<, <=, >, >=); got {text!r}')
        variants, figure = _variants_and_figure(match[1], experiment)
        bound = float(match[3])
        scale = (0.0, 1.0) if figure in FIGURES else experiment.rubric.criterion(figure).scale.values
        if not min(scale) <= bound <= max(scale):
            raise UsageError(f"--fail-if {text!r}: {figure} lies between {min(scale):g} and {max(scale):g}")
        return cls(text, variants, figure, match[2], bound)

    def hits(self, rows: Mapping[str, VariantFigures]) -> list[str]:
        """Return a sentence for each variant that makes the run fail by this rule, or whose figure is unknown."""
        return [why for name in self.variants if (why := self._why(name, self._value(rows[name])))]

    def _why(self, name: str, value: float | None) -> str:
        if value is None:
            return f"{name}: {self.figure} is not known, so {self.text!r} can't be checked"
        return (
            f"{name}: {self.figure} is {brief(value, 4)}, and the run fails if {self.text}"
            if self._fails_run(value)
            else ""
        )

    def _value(self, row: VariantFigures) -> float | None:
        if self.figure == PASS_RATE:
            return row.pass_rate.value
        return row.overall.mean if self.figure == OVERALL else row.criteria[self.figure].mean

    def _fails_run(self, value: float) -> bool:
        """Return True if a value makes a run fail, as 0.7 does by `overall < 0.8`.

        A value within rounding error of the bound counts as equal to it.
        """
        if abs(value - self.bound) <= ROUNDING:
            return "=" in self.sign
        return value < self.bound if self.sign[0] == "<" else value > self.bound


def worse_than_accepted(differences: Iterable[Difference]) -> list[str]:
    """Return a sentence for each variant that is significantly worse than in the accepted run."""
    worse_figures = [(difference.second, difference.worse) for difference in differences]
    return [
        f"{name}: worse than the accepted run in {', '.join(figures)}" for name, figures in worse_figures if figures
    ]


def risks(rules: Iterable[Rule], run: ExperimentRun) -> list[str]:
    """Say how often each rule on a least score or pass rate would fail a run by chance, estimated from repeats."""
    return [
        f"{name}, {rule.text!r}: {gate_in_words(gate)}"
        for rule in rules
        if rule.figure in FIGURES and rule.sign[0] == "<"
        for name in rule.variants
        if (gate := repeated(_repeats(run, name), rule.bound, _OF[rule.figure])) is not None
    ]


def _repeats(run: ExperimentRun, variant: str) -> RatingTable:
    """Return a table of a variant's ratings, in which cases with equal inputs are one row with several runs."""
    rubric = run.experiment.rubric
    graded = (
        replace(rating_of(run.grades[variant, case.id], rubric, variant), id=case.digest)
        for case in run.experiment.cases
    )
    return _repeats_of(rubric, graded)


def _variants_and_figure(name: str, experiment: Experiment) -> tuple[tuple[str, ...], str]:
    """Return the variants and the figure that the left side of a rule names, such as `overall` or `short.overall`."""
    figures = [*FIGURES, *(criterion.name for criterion in experiment.rubric.criteria)]
    if name in figures:
        return tuple(experiment.by_name), name
    for variant in experiment.by_name:
        if name.startswith(f"{variant}.") and name.removeprefix(f"{variant}.") in figures:
            return (variant,), name.removeprefix(f"{variant}.")
    instead = suggestion(name, figures, mark="'") or f"; there are {', '.join(figures)}"
    raise UsageError(f"--fail-if knows no {name!r}{instead}; VARIANT.FIGURE names one variant's")


def _repeats_of(rubric: Rubric, ratings: Iterable[Rating]) -> RatingTable:
    """Make a table with a row for each example id, and columns for its first rating, its second and so on."""
    numbers: Counter[str] = Counter()
    runs = []
    for rating in ratings:
        runs.append(replace(rating, rater=f"run {numbers[rating.id]}", sample=0))
        numbers[rating.id] += 1
    return rating_table(rubric, list(numbers), runs)
