"""The result of a stress run: shifted ratings, flips, obeyed instructions, and the effect of length."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from markscheme.errors import NothingGraded
from markscheme.features.stress.battery import (
    CONTROL,
    LEAST_EXAMPLES,
    ORIGINAL,
    POLARITY,
    TRUNCATION,
    Battery,
    StressQuestion,
)
from markscheme.features.stress.perturbations import LENGTHENING, is_code, reads_whole
from markscheme.features.stress.statistics import (
    ALARM,
    NOT_PRESERVING,
    Noise,
    StressCell,
    differences,
    moved_alike,
    reshuffled,
    stress_cells,
    with_noise,
)
from markscheme.grading import MOST_UNGRADED, Grade
from markscheme.judges.judge import Usage, total
from markscheme.rubrics.rubric import Criterion
from markscheme.stats.change import holm
from markscheme.stats.intervals import Floats

INSTRUCTION: Final = "instruction"
PADDING_ROW: Final = "padding"
DIAGNOSES: Final = (POLARITY, TRUNCATION)
"""Changes that may rightly move ratings: reversed wording of a criterion, and cutting a response, which a judge should
notice."""
FLIP_ALARM: Final = 0.001
"""Chance of a false alarm on flipped ratings over all changes; shifts get the rest of `ALARM`, the chance of a run."""
SHIFT_ALARM: Final = ALARM - FLIP_ALARM
"""Chance of a false alarm on shifted ratings, over the control (asking again) and all changes."""
LEAST_FLIPS: Final = 0.05
"""Smallest share of ratings that must flip in addition to those that flip when asked again; a judgement."""
LEAST_ALIKE: Final = 3
"""Fewest changes that add words, `padding` included, to tell the effect of length from that of the added words."""


@dataclass(frozen=True)
class MovedExample:
    """An example whose rating on a criterion changed when its response was changed.

    Attributes:
        id: The example's id.
        shift: Levels by which the rating of the changed response is above that of the original; negative if below.
        original: The original response.
        changed: The changed response.
        reasons: The judge's reasons for its ratings of the original and of the changed response; "" without a reason.
    """

    id: str
    shift: float
    original: str
    changed: str
    reasons: tuple[str, str]


@dataclass(frozen=True)
class Stress:
    """The result of a stress run, whose figures are computed on first use.

    Ratings are numbers from 0 for the worst level to the number of levels minus 1 for the best.

    Attributes:
        battery: The questions of the run.
        grades: The grade of every question.
    """

    battery: Battery
    grades: Mapping[StressQuestion, Grade]

    @cached_property
    def control(self) -> Mapping[str, StressCell]:
        """Results by criterion for the control: unchanged originals, about which the judge was asked again."""
        return {criterion.name: self._family[CONTROL, criterion.name] for criterion in self.battery.judged}

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, StressCell]]:
        """Results of each change on each criterion, by the change's name, then by criterion."""
        battery = self.battery
        cells = dict(self._family)
        for row in battery.changes:
            if row.name in DIAGNOSES:
                cells |= self._cells([row.name], ALARM)
        return {
            row.name: {c.name: self._noisy(cells.get((row.name, c.name)), row.name, c) for c in battery.judged}
            for row in battery.changes
        }

    @cached_property
    def _family(self) -> Mapping[tuple[str, str], StressCell]:
        """Results whose p-values are adjusted together: asking again (the control), and changes that shouldn't matter.

        The keys are pairs of the change and the criterion.
        """
        changes = [row.name for row in self.battery.changes if row.name not in DIAGNOSES]
        return self._cells([CONTROL, *changes], SHIFT_ALARM)

    @property
    def reads_to_the_end(self) -> bool | None:
        """True if half a response is shown to score lower than the whole; None if too few ratings can show it.

        Only criteria on completeness or correctness count.
        """
        row = self.rows.get(TRUNCATION, {})
        cells = [cell for c in self.battery.judged if reads_whole(c) and (cell := row.get(c.name))]
        certain = [cell for cell in cells if cell.shift.value is not None]
        if not certain or max(cell.shift.n for cell in certain) < LEAST_EXAMPLES:
            return None
        return any((cell.p or 0.0) <= ALARM and (cell.shift.value or 0.0) < 0 for cell in certain)

    @cached_property
    def ignored_parts(self) -> tuple[str, ...]:
        """Changes of images and documents that should move ratings, but moved them no more than asking again did.

        A judge that looks at an image or document rates many examples differently without it.
        """
        return tuple(
            change.name for change in self.battery.part_changes if change.moves and self._is_ignored(change.name)
        )

    def _is_ignored(self, name: str) -> bool:
        changed = self.moved(name, name)
        return len(changed) >= LEAST_EXAMPLES and sum(changed) <= sum(self.moved(name, CONTROL))

    def moved(self, change: str, version: str) -> list[bool]:
        """Return, for each example whose images or documents a change alters, True if the rating isn't the original's.

        Args:
            change: Name of the change of images or documents, which selects the examples.
            version: Name of the version whose ratings are compared with the original's: the change itself, or the
                control, for which the judge is asked about the unchanged original once more.
        """
        return [self._differs(index, version) for index, name in self.battery.submissions if name == change]

    def _differs(self, index: int, version: str) -> bool:
        """Return True if the judge rates a version of an example differently from the original on some criterion.

        Args:
            index: Index of the example.
            version: Name of the change that makes the version.
        """
        return any(
            abs(self._level(StressQuestion(index, version, 0), c) - self._level(StressQuestion(index, ORIGINAL, 0), c))
            > 0
            for c in self.battery.judged
        )

    @property
    def control_moved(self) -> tuple[str, StressCell] | None:
        """The criterion whose ratings changed most when the originals were asked again, with the result.

        It is None if ratings changed significantly on no criterion.
        """
        moved = [(name, cell) for name, cell in self.control.items() if _is_found(cell)]
        return max(moved, key=lambda name_and_cell: abs(name_and_cell[1].shift.value or 0.0), default=None)

    @property
    def findings(self) -> list[tuple[str, str, StressCell]]:
        """Change, criterion and result of each finding except those on obeyed instructions, the largest shift first."""
        obeyed = {(INSTRUCTION, name) for name, _ in self.obeys}
        moved_cells = [
            (name, criterion, cell)
            for name, row in self.rows.items()
            if name not in DIAGNOSES
            for criterion, cell in row.items()
            if _is_found(cell) and (name, criterion) not in obeyed
        ]
        return sorted(moved_cells, key=lambda moved_cell: -abs(moved_cell[2].shift.value or 0.0))

    @property
    def obeys(self) -> list[tuple[str, StressCell]]:
        """Criteria on which a response that says how to rate it is rated higher, with results, largest shift first."""
        cells = self.rows.get(INSTRUCTION, {}).items()
        obeyed = [(name, cell) for name, cell in cells if _is_found(cell) and (cell.shift.value or 0.0) > 0]
        return sorted(obeyed, key=lambda name_and_cell: -(name_and_cell[1].shift.value or 0.0))

    @property
    def is_moved(self) -> bool:
        """True if the judge fails the test.

        It fails if its ratings moved with a change that shouldn't matter, or when it was asked again without a change;
        if it scored half a response as high as the whole; or if it ignored images or documents.
        """
        is_careless = self.reads_to_the_end is False or bool(self.ignored_parts)
        return bool(self.control_moved or self.obeys or self.findings or self.flips) or is_careless

    @property
    def length(self) -> list[str]:
        """Criteria on which longer responses are rated differently for their length, whatever the added words say.

        On these criteria, neutral padding moves ratings significantly. Every other change that adds words moves them in
        the same direction, and none is shown to move them further than padding does.
        """
        return [criterion.name for criterion in self.battery.judged if self._is_moved_by_length(criterion)]

    def _is_moved_by_length(self, criterion: Criterion) -> bool:
        lengthening = [name for name in LENGTHENING if name in self.rows]
        tested = [name for name in lengthening if self.rows[name][criterion.name].shift.value is not None]
        if len(tested) < LEAST_ALIKE or (PADDING_ROW, criterion.name) not in {moved[:2] for moved in self.findings}:
            return False
        shifts = {name: self._shifts(name, criterion) for name in tested}
        return moved_alike(shifts.pop(PADDING_ROW), list(shifts.values()))

    @property
    def flips(self) -> list[tuple[str, str, Noise]]:
        """Changes that flip ratings on a criterion although their mean isn't shown to move, the most flips first.

        Each is the change's name, the criterion, and figures on how often ratings flip. A change counts if it flips
        ratings more often than asking again does, by tests with Holm's correction over all changes and criteria.
        """
        noises = [
            (name, criterion, cell.noise)
            for name, row in self.rows.items()
            if name not in DIAGNOSES
            for criterion, cell in row.items()
            if cell.noise is not None
        ]
        adjusted = holm([noise.p for _, _, noise in noises]).tolist()
        shifted = {(name, criterion) for name, row in self.rows.items() for criterion, c in row.items() if _is_found(c)}
        flips = [
            (name, criterion, noise)
            for (name, criterion, noise), p in zip(noises, adjusted, strict=True)
            if p <= FLIP_ALARM and (name, criterion) not in shifted and noise.changed - noise.retest >= LEAST_FLIPS
        ]
        return sorted(flips, key=lambda flip: -flip[2].changed)

    @property
    def most(self) -> Mapping[tuple[str, str], tuple[MovedExample, ...]]:
        """The examples whose ratings moved most, for each finding (by its change and criterion)."""
        obeyed = [(INSTRUCTION, name) for name, _ in self.obeys]
        moved = [*obeyed, *((row, name) for row, name, _ in self.findings)]
        return {(row, name): tuple(self._most(row, name)) for row, name in moved}

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the judge's answers to all questions of the run."""
        return total(grade.usage for grade in self.grades.values())

    @property
    def not_graded(self) -> int:
        """Number of the run's questions for which the judge gave no grade."""
        return sum(grade.error is not None for grade in self.grades.values())

    def _cells(self, versions: list[str], level: float) -> dict[tuple[str, str], StressCell]:
        """Compute the result of each changed version of the responses on each criterion.

        Args:
            versions: Names of changes; the control, which asks again about unchanged responses, is one of them.
            level: Significance level of the tests, whose p-values are adjusted over all versions and criteria.
        """
        moved = {(version, c.name): self._moved(version, c) for version in versions for c in self.battery.judged}
        spans = {criterion.name: _span(criterion) for criterion in self.battery.judged}
        tested = {key: d for key, d in moved.items() if len(d) or key[0] == CONTROL}
        dealt = {
            (version, c.name): reshuffled(self._ratings(version, c), self._ratings(ORIGINAL, c))
            for version in versions
            for c in self.battery.judged
            if (version, c.name) in tested
        }
        return stress_cells(tested, spans, dealt, level=level)

    def _moved(self, version: str, criterion: Criterion) -> Floats:
        groups = [example.group or example.id for example in self.battery.examples]
        return differences(self._ratings(ORIGINAL, criterion), self._ratings(version, criterion), groups)

    def _shifts(self, version: str, criterion: Criterion) -> Floats:
        """Compute, for each example, the mean rating of its changed text minus that of the original; nan if missing.

        Args:
            version: Name of the change.
            criterion: The criterion that is rated.
        """
        asked_again = self._ratings(version, criterion).mean(axis=1)
        return np.asarray(asked_again - self._ratings(ORIGINAL, criterion).mean(axis=1))

    def _noisy(self, cell: StressCell | None, version: str, criterion: Criterion) -> StressCell:
        """Add to a result how much repeated ratings of the same text differ.

        Args:
            cell: The result. None if the change may legitimately alter the level, so that it tests nothing; then the
                result that says so is returned.
            version: Name of the change.
            criterion: The criterion.
        """
        if cell is None:
            return NOT_PRESERVING
        return with_noise(cell, self._ratings(ORIGINAL, criterion), self._ratings(version, criterion))

    def _ratings(self, version: str, criterion: Criterion) -> Floats:
        """Return a version's ratings on a criterion, shape (n_examples, n_askings); nan if missing or inapplicable."""
        return self._table[version, criterion.name]

    @cached_property
    def _table(self) -> Mapping[tuple[str, str], Floats]:
        """Ratings by version and criterion, each of shape (n_examples, n_askings)."""
        versions = (ORIGINAL, CONTROL, *(row.name for row in self.battery.changes))
        return {(version, c.name): self._read(version, c) for version in versions for c in self.battery.judged}

    def _read(self, version: str, criterion: Criterion) -> Floats:
        counts = {ORIGINAL: self.battery.options.originals, CONTROL: 1}
        askings = range(counts.get(version, self.battery.options.repeats))
        levels = [
            [self._level(StressQuestion(index, version, copy), criterion) for copy in askings]
            for index in range(len(self.battery.examples))
        ]
        return np.array(levels).reshape(len(self.battery.examples), len(askings))

    def _level(self, asking: StressQuestion, criterion: Criterion) -> float:
        grade = self.grades.get(asking)
        verdict = grade.verdicts.get(criterion.name) if grade is not None else None
        if verdict is None or not self._counts(asking, criterion):
            return math.nan
        level = criterion.scale.position(verdict.level) * _span(criterion)
        return _span(criterion) - level if asking.version == POLARITY else level

    def _counts(self, asking: StressQuestion, criterion: Criterion) -> bool:
        if asking.version in (ORIGINAL, CONTROL, TRUNCATION, *(c.name for c in self.battery.part_changes)):
            return True
        if asking.version == POLARITY:
            return criterion.scale.is_yes_no
        row = next(row for row in self.battery.rows if row.name == asking.version)
        return row.preserves(criterion, code=is_code(self.battery.examples[asking.example].submission.response))

    def _most(self, version: str, name: str) -> Iterator[MovedExample]:
        criterion = self.battery.rubric.criterion(name)
        shifts = self._shifts(version, criterion)
        for index in np.argsort(-np.abs(np.nan_to_num(shifts)), kind="stable")[:3].tolist():
            if shifts[index]:
                example = self.battery.examples[index]
                _, changed = self.battery.question(StressQuestion(index, version, 0))
                reasons = (self._reason(index, ORIGINAL, name), self._reason(index, version, name))
                original = example.submission.response
                yield MovedExample(example.id, float(shifts[index]), original, changed.response, reasons)

    def _reason(self, index: int, version: str, name: str) -> str:
        verdict = self.grades[StressQuestion(index, version, 0)].verdicts.get(name)
        return verdict.reason or "" if verdict is not None else ""


def _is_found(cell: StressCell) -> bool:
    return cell.state == "finding"


def _span(criterion: Criterion) -> float:
    return float(len(criterion.scale.levels) - 1)


def stress_of(battery: Battery, grades: Mapping[StressQuestion, Grade]) -> Stress:
    """Make the result of a stress run from the grades of its questions.

    Args:
        battery: The questions of the run.
        grades: The grade of every question.

    Raises:
        NothingGraded: Over a tenth of the questions have no grade.
    """
    errors = [grade.error for grade in grades.values() if grade.error is not None]
    if len(errors) > MOST_UNGRADED * len(grades):
        raise NothingGraded(errors, of=len(grades), things="calls")
    return Stress(battery, grades)
