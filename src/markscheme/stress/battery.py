"""The stress run: a judge asked about originals, a control and perturbed texts in random order, and its result."""

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from markscheme.errors import ComparisonError, NothingGraded
from markscheme.files import write_whole
from markscheme.fingerprint import fingerprint
from markscheme.grading import MOST_UNGRADED, Grade, Grading, asking_fingerprint
from markscheme.judges.judge import Judge, Usage, make_room, total
from markscheme.judges.many import ask_many
from markscheme.judges.rerun import FromSample
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.change import holm
from markscheme.stats.intervals import Floats
from markscheme.stats.stress import ALARM, NOT_PRESERVING, Noise, StressCell, differences, stress_cells, with_noise
from markscheme.stress.perturbations import Perturbation, is_code, perturbations, reads_whole
from markscheme.submission import Submission

ORIGINAL, CONTROL, POLARITY, ORDER, TRUNCATION = "original", "control", "polarity", "criteria-order", "truncation"
APART = (POLARITY, TRUNCATION)
"""Rows that are reported separately: a diagnosis of the wording, and a change that the judge should notice."""
LEAST_EXAMPLES = 20
"""Examples below which a battery isn't worth its calls; a judgement."""
SHOWN = 5
"""Changed responses that a page prints, one of each kind of change."""
RUN_SAMPLES = 1000
"""Number of samples reserved for one run, so that no cached reply of an earlier run is used."""
FLIP_ALARM = 0.001
"""Chance that any change is said to flip ratings though none does: next to nothing, as shifts have the table's 0.03."""
LEAST_FLIPS = 0.05
"""How many more ratings must flip than when asked again, as a share; fewer decide nothing. A judgement."""
NOT_SO = "The following is not true of the response: {}"


@dataclass(frozen=True)
class StressQuestion:
    """One question of a run: a version of an example, and its repeat."""

    example: int
    version: str
    copy: int


@dataclass(frozen=True)
class Battery:
    """The questions of a run.

    Attributes:
        rubric: The judge's.
        examples: Those whose responses are changed.
        rows: The changes.
        originals: How often each original is asked.
        repeats: How often each changed text is asked.
    """

    rubric: Rubric
    examples: tuple[Example, ...]
    rows: tuple[Perturbation, ...]
    originals: int = 3
    repeats: int = 1

    @cached_property
    def judged(self) -> tuple[Criterion, ...]:
        """The criteria that a judge decides."""
        return tuple(criterion for criterion in self.rubric.criteria if criterion.check is None)

    @cached_property
    def texts(self) -> dict[tuple[int, str], str]:
        """The changed response by example and change; without changes that can't be made or alter every level."""
        return {
            (place, row.name): changed
            for place, example in enumerate(self.examples)
            for row in self.rows
            if (changed := self._changed(example, row)) is not None
        }

    def _changed(self, example: Example, row: Perturbation) -> str | None:
        response = example.submission.response
        if row.change is None:
            return response if self._variant(row.name) is not None else None
        code = is_code(response)
        if row.name != TRUNCATION and not any(row.preserves(c, code=code) for c in self.judged):
            return None
        changed = row.change(response, code)
        return None if changed == response else changed

    def _variant(self, version: str) -> Rubric | None:
        """The rubric that a version is asked with; None where it is unchanged."""
        if version == ORDER:
            turned = tuple(reversed(self.rubric.criteria))
            return replace(self.rubric, criteria=turned) if len(self.judged) > 1 else None
        if version == POLARITY:
            worded = tuple(
                replace(c, requirement=NOT_SO.format(c.requirement)) if c in self.judged and c.scale.is_yes_no else c
                for c in self.rubric.criteria
            )
            return replace(self.rubric, criteria=worded) if worded != self.rubric.criteria else None
        return self.rubric

    def askings(self, seed: str) -> list[StressQuestion]:
        """All questions, in an order that depends on `seed` alone."""
        questions = [
            StressQuestion(place, version, copy)
            for place in range(len(self.examples))
            for version, count in ((ORIGINAL, self.originals), (CONTROL, 1))
            for copy in range(count)
        ]
        questions += [StressQuestion(place, name, copy) for place, name in self.texts for copy in range(self.repeats)]
        random.Random(seed).shuffle(questions)  # noqa: S311 - a reproducible order, not a secret
        return questions

    def question(self, asking: StressQuestion) -> tuple[Rubric, Submission]:
        """The rubric and submission that the judge gets."""
        example = self.examples[asking.example]
        text = self.texts.get((asking.example, asking.version), example.submission.response)
        return self._variant(asking.version) or self.rubric, replace(example.submission, response=text)

    def shown(self) -> list[tuple[str, str, str]]:
        """Some of the changes, one of each: name, original and changed response."""
        first: dict[str, tuple[str, str, str]] = {}
        for (place, name), text in self.texts.items():
            original = self.examples[place].submission.response
            if text != original:
                first.setdefault(name, (name, original, text))
        return list(first.values())[:SHOWN]

    def key(self, judge: Judge) -> str:
        """Digest of all questions and the judge."""
        return fingerprint(
            asking_fingerprint(self.rubric),
            judge.identity.fingerprint,
            [[example.id, example.submission.response] for example in self.examples],
            sorted((place, name, text) for (place, name), text in self.texts.items()),
            [self.originals, self.repeats],
        )


def battery(
    rubric: Rubric, examples: Sequence[Example], model: str, *, only: Sequence[str] = (), n: int = 60, **counts: int
) -> Battery:
    """The questions about up to `n` examples, spread over the labels' scores.

    Args:
        rubric: The judge's.
        examples: Those that may be looked at.
        model: The judge's.
        only: Names of changes; empty means all.
        n: Maximum number of examples.
        counts: `originals` and `repeats`.
    """
    rows = tuple(row for row in perturbations(rubric, model) if not only or row.name in only)
    return Battery(rubric, _spread(rubric, examples, n), rows, **counts)


def _spread(rubric: Rubric, examples: Sequence[Example], n: int) -> tuple[Example, ...]:
    """At most `n` examples, evenly over their gold scores where they are labelled, else in a fixed random order."""
    mixed = sorted(examples, key=lambda example: fingerprint(example.id))
    if len(mixed) <= n:
        return tuple(mixed)
    try:
        gold = gold_of(ExampleSet(tuple(mixed)), rubric)
    except ComparisonError:
        return tuple(mixed[:n])
    score = dict(zip(gold.ids, gold.scores.tolist(), strict=True))
    ranked = sorted(mixed, key=lambda example: -1.0 if math.isnan(s := score.get(example.id, math.nan)) else s)
    return tuple(ranked[math.floor((place + 0.5) * len(ranked) / n)] for place in range(n))


# --- asking ---------------------------------------------------------------------------------------------------------


async def ask(
    battery: Battery, judge: Judge, run: "StressRun", *, concurrency: int, step: Callable[[], None]
) -> dict[StressQuestion, Grade]:
    """The grade of every question.

    Raises:
        NoJudge: The judge can't be asked.
        BudgetError: The budget doesn't cover another call; answers are kept, and the same run continues.
    """
    make_room(judge, concurrency)
    askings = battery.askings(str(run.number))

    async def grade(asking: StressQuestion) -> Grade:
        rubric, submission = battery.question(asking)
        offset = run.number * RUN_SAMPLES + (battery.originals if asking.version == CONTROL else asking.copy)
        return await Grading(rubric, FromSample(judge, offset * rubric.samples)).grade(submission)

    grades: dict[StressQuestion, Grade] = {}
    async for place, graded in ask_many(grade, askings, concurrency=concurrency):
        grades[askings[place]] = graded
        step()
    return grades


@dataclass(frozen=True)
class StressRun:
    """The number of a run over the same questions: an unfinished run continues, a finished one starts the next.

    Attributes:
        number: From 1.
        path: The file with its state.
    """

    number: int
    path: Path

    @classmethod
    def begin(cls, folder: Path, key: str) -> "StressRun":
        """The unfinished run of these questions, else the next one."""
        path = folder / "stress" / f"{key}.json"
        noted = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"run": 0, "finished": True}
        run = cls(int(noted["run"]) + bool(noted["finished"]), path)
        run._note(finished=False)
        return run

    def finish(self) -> None:
        """Mark the run finished, so that the next run asks the same questions again."""
        self._note(finished=True)

    def _note(self, *, finished: bool) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, json.dumps({"run": self.number, "finished": finished}), follow=False)


# --- what it shows --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MovedExample:
    """An example whose rating moved under a change: both texts, both reasons, and by how many levels."""

    id: str
    shift: float
    original: str
    changed: str
    reasons: tuple[str, str]


@dataclass(frozen=True)
class Stress:
    """The result of a stress run; its figures are computed when they are asked for. Levels count from the worst.

    Attributes:
        battery: The questions.
        grades: The grade of every question.
    """

    battery: Battery
    grades: Mapping[StressQuestion, Grade]

    @cached_property
    def control(self) -> Mapping[str, StressCell]:
        """By criterion, the originals asked once more within the run."""
        moved = {(CONTROL, criterion.name): self._moved(CONTROL, criterion) for criterion in self.battery.judged}
        return {name: cell for (_, name), cell in self._cells(moved).items()}

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, StressCell]]:
        """By change and criterion."""
        battery = self.battery
        moved = {(row.name, c.name): self._moved(row.name, c) for row in battery.rows for c in battery.judged}
        tested = {key: d for key, d in moved.items() if len(d)}
        cells = self._cells({key: d for key, d in tested.items() if key[0] not in APART})
        for name in APART:
            cells |= self._cells({key: d for key, d in tested.items() if key[0] == name})
        return {
            row.name: {c.name: self._noisy(cells.get((row.name, c.name)), row.name, c) for c in battery.judged}
            for row in battery.rows
        }

    @property
    def reads_to_the_end(self) -> bool | None:
        """Whether half a response scores lower on completeness or correctness; None where no criterion is about that,
        or too little is known."""
        row = self.rows.get(TRUNCATION, {})
        cells = [cell for c in self.battery.judged if reads_whole(c) and (cell := row.get(c.name))]
        certain = [cell for cell in cells if cell.shift.value is not None]
        if not certain or max(cell.shift.n for cell in certain) < LEAST_EXAMPLES:
            return None
        return any((cell.p or 0.0) <= ALARM and (cell.shift.value or 0.0) < 0 for cell in certain)

    @property
    def control_moved(self) -> tuple[str, StressCell] | None:
        """The criterion that moved most when the originals were asked once more; None where none did."""
        moved = [(name, cell) for name, cell in self.control.items() if cell.state == "finding"]
        return max(moved, key=lambda name_and_cell: abs(name_and_cell[1].shift.value or 0.0), default=None)

    @property
    def findings(self) -> list[tuple[str, str, StressCell]]:
        """Change, criterion and cell of each finding, the largest first."""
        moved_cells = [
            (name, criterion, cell)
            for name, row in self.rows.items()
            if name not in APART
            for criterion, cell in row.items()
            if cell.state == "finding"
        ]
        return sorted(moved_cells, key=lambda moved_cell: -abs(moved_cell[2].shift.value or 0.0))

    @property
    def flips(self) -> list[tuple[str, str, Noise]]:
        """Change, criterion and noise where single ratings flip though their mean stays, the commonest flips first.

        A change counts where it scatters ratings beyond what asking again does: Holm over the table.
        """
        noises = [
            (name, criterion, cell.noise)
            for name, row in self.rows.items()
            if name not in APART
            for criterion, cell in row.items()
            if cell.noise is not None
        ]
        adjusted = holm([noise.p for _, _, noise in noises]).tolist()
        steady = {(name, criterion) for name, criterion, _ in self.findings}
        flips = [
            (name, criterion, noise)
            for (name, criterion, noise), p in zip(noises, adjusted, strict=True)
            if p <= FLIP_ALARM and (name, criterion) not in steady and noise.changed - noise.retest >= LEAST_FLIPS
        ]
        return sorted(flips, key=lambda flip: -flip[2].changed)

    @property
    def most(self) -> Mapping[tuple[str, str], tuple[MovedExample, ...]]:
        """For each change and criterion with a finding, the examples that moved most."""
        return {(row, name): tuple(self._most(row, name)) for row, name, _ in self.findings}

    @property
    def usage(self) -> Usage:
        """What asking cost."""
        return total(grade.usage for grade in self.grades.values())

    @property
    def not_graded(self) -> int:
        """Questions without a grade."""
        return sum(grade.error is not None for grade in self.grades.values())

    def _cells(self, moved: dict[tuple[str, str], Floats]) -> dict[tuple[str, str], StressCell]:
        return stress_cells(moved, {criterion.name: _span(criterion) for criterion in self.battery.judged})

    def _moved(self, version: str, criterion: Criterion) -> Floats:
        groups = [example.group or example.id for example in self.battery.examples]
        return differences(self._ratings(ORIGINAL, criterion), self._ratings(version, criterion), groups)

    def _noisy(self, cell: StressCell | None, version: str, criterion: Criterion) -> StressCell:
        """The cell with its noise; a missing cell means that the change may alter the level."""
        if cell is None:
            return NOT_PRESERVING
        return with_noise(cell, self._ratings(ORIGINAL, criterion), self._ratings(version, criterion))

    def _ratings(self, version: str, criterion: Criterion) -> Floats:
        """Shape (n_examples, n_askings); nan where there is none, or where the change may alter the level."""
        counts = {ORIGINAL: self.battery.originals, CONTROL: 1}
        askings = range(counts.get(version, self.battery.repeats))
        return np.array(
            [
                [self._level(StressQuestion(place, version, copy), criterion) for copy in askings]
                for place in range(len(self.battery.examples))
            ]
        ).reshape(len(self.battery.examples), len(askings))

    def _level(self, asking: StressQuestion, criterion: Criterion) -> float:
        grade = self.grades.get(asking)
        verdict = grade.verdicts.get(criterion.name) if grade is not None else None
        if verdict is None or not self._counts(asking, criterion):
            return math.nan
        level = criterion.scale.position(verdict.level) * _span(criterion)
        return _span(criterion) - level if asking.version == POLARITY else level

    def _counts(self, asking: StressQuestion, criterion: Criterion) -> bool:
        if asking.version in (ORIGINAL, CONTROL, TRUNCATION):
            return True
        if asking.version == POLARITY:
            return criterion.scale.is_yes_no
        row = next(row for row in self.battery.rows if row.name == asking.version)
        return row.preserves(criterion, code=is_code(self.battery.examples[asking.example].submission.response))

    def _most(self, version: str, name: str) -> Iterator[MovedExample]:
        criterion = self.battery.rubric.criterion(name)
        shifts = self._ratings(version, criterion).mean(axis=1) - self._ratings(ORIGINAL, criterion).mean(axis=1)
        for place in np.argsort(-np.abs(np.nan_to_num(shifts)), kind="stable")[:3].tolist():
            if shifts[place]:
                example = self.battery.examples[place]
                changed = self.battery.texts[place, version]
                reasons = (self._reason(place, ORIGINAL, name), self._reason(place, version, name))
                yield MovedExample(example.id, float(shifts[place]), example.submission.response, changed, reasons)

    def _reason(self, place: int, version: str, name: str) -> str:
        verdict = self.grades[StressQuestion(place, version, 0)].verdicts.get(name)
        return verdict.reason if verdict is not None else ""


def _span(criterion: Criterion) -> float:
    return float(len(criterion.scale.levels) - 1)


def stress_of(battery: Battery, grades: Mapping[StressQuestion, Grade]) -> Stress:
    """The result from the grades.

    Args:
        battery: The questions.
        grades: The grade of every question.

    Raises:
        NothingGraded: Over a tenth of the questions has no grade.
    """
    errors = [grade.error for grade in grades.values() if grade.error is not None]
    if len(errors) > MOST_UNGRADED * len(grades):
        raise NothingGraded(errors, of=len(grades))
    return Stress(battery, grades)
