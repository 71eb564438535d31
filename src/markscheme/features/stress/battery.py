"""The questions of a stress run: about original responses, once and again, and about changed ones, in random order."""

import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from markscheme.errors import ComparisonError, RatingError, UsageError
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.perturbations import (
    Perturbation,
    is_code,
    perturbations,
)
from markscheme.files import write_whole
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading, asking_fingerprint
from markscheme.judges.ask_many import ask_many
from markscheme.judges.judge import Judge, make_room
from markscheme.judges.rerun import FromSample
from markscheme.plain_data import read_json
from markscheme.prompts.parts import PART_CHANGES, PartChange, PartedText, ShownPart, parts_of
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.rubric import Criterion, Rubric

ORIGINAL, CONTROL, POLARITY, ORDER, TRUNCATION = "original", "control", "polarity", "criteria-order", "truncation"
LEAST_EXAMPLES = 20
"""Fewest examples for which a stress run is worth its calls; a judgement."""
SHOWN = 5
"""Largest number of changed responses that a page shows, each with another kind of change."""
RUN_SAMPLES = 1000
"""Number of samples reserved for one run, so that no cached reply of an earlier run is used."""
NOT_SO = "The following is not true of the response: {}"


@dataclass(frozen=True)
class StressQuestion:
    """One question of a stress run: the example, its version (original or a change), and number of the repetition."""

    example: int
    version: str
    copy: int


@dataclass(frozen=True)
class Battery:
    """All questions of a stress run: examples, their changed versions, and how often each is asked about.

    Attributes:
        rubric: The rubric by which the judge grades.
        examples: The examples whose responses are changed.
        rows: The changes to try.
        options: Options on how often the judge is asked.
        part_changes: Changes of images and documents; empty if no example has any.
        can_improve: True if enough of the rubric's own examples are labelled for `improve` to try other words.
        is_labelled: True if any of the examples has a label that `calibrate` compares with.
        file: The file of examples that was named; None for the rubric's own.
    """

    rubric: Rubric
    examples: tuple[Example, ...]
    rows: tuple[Perturbation, ...]
    options: StressOptions = StressOptions()
    part_changes: tuple[PartChange, ...] = ()
    can_improve: bool = False
    is_labelled: bool = True
    file: Path | None = None

    @property
    def lack(self) -> str | None:
        """Error message if the examples are too few for a stress run; None if they are enough."""
        n = len(self.examples)
        return None if n >= LEAST_EXAMPLES else f"{n} examples; at least {LEAST_EXAMPLES} are needed"

    @cached_property
    def judged(self) -> tuple[Criterion, ...]:
        """The criteria that a judge decides, which are tested; those that code checks aren't."""
        return tuple(criterion for criterion in self.rubric.criteria if criterion.check is None)

    @cached_property
    def texts(self) -> dict[tuple[int, str], str]:
        """Changed responses by the example's index and the change's name, if the change alters the response at all."""
        return {
            (index, row.name): changed
            for index, example in enumerate(self.examples)
            for row in self.rows
            if (changed := self._changed(example, row)) is not None
        }

    @cached_property
    def submissions(self) -> dict[tuple[int, str], Submission]:
        """Submissions with changed images or documents, by index of the example and name of the change."""
        return {
            (index, change.name): changed
            for index in range(len(self.examples))
            for change in self.part_changes
            if (changed := self._with_changed_parts(index, change)) is not None
        }

    @cached_property
    def changes(self) -> tuple[Perturbation | PartChange, ...]:
        """Changes in the report's table: those of texts, and those of images or documents that judges should ignore."""
        made = {name for _, name in self.submissions}
        return (*self.rows, *(change for change in self.part_changes if change.name in made and not change.moves))

    def _with_changed_parts(self, index: int, change: PartChange) -> Submission | None:
        submission = self.examples[index].submission
        others = self.examples[index + 1 :] + self.examples[:index]

        def of_another(shown_part: ShownPart) -> ShownPart | None:
            candidates = (
                candidate
                for example in others
                for candidate in _parts(example.submission)
                if candidate.kind == shown_part.kind and candidate.digest != shown_part.digest
            )
            return next(candidates, None)

        def changed(text: str) -> str:
            return _with_changed_parts(text, lambda shown_part: change.change(shown_part, of_another(shown_part)))

        inputs = {name: changed(text) for name, text in submission.inputs.items()}
        altered = replace(submission, response=changed(submission.response), inputs=inputs)
        return None if altered == submission else altered

    def _changed(self, example: Example, row: Perturbation) -> str | None:
        response = example.submission.response
        if row.change is None:
            return response if self._variant(row.name) is not None else None
        code = is_code(response)
        if row.name != TRUNCATION and not any(row.preserves(c, code=code) for c in self.judged):
            return None
        changed = row.change(example.submission)
        return None if changed == response else changed

    def _variant(self, version: str) -> Rubric | None:
        """Return the rubric by which the judge grades a version of a response; None if the version changes nothing.

        It is the run's rubric, unless the version is a change of the rubric, such as reversed criteria.

        Args:
            version: Name of the change that makes the version; "original" or "control" for an unchanged response.
        """
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
        """List all questions in a random order that `seed` determines."""
        questions = [
            StressQuestion(index, version, copy)
            for index in range(len(self.examples))
            for version, count in ((ORIGINAL, self.options.originals), (CONTROL, 1))
            for copy in range(count)
        ]
        questions += [
            StressQuestion(index, name, copy)
            for index, name in (*self.texts, *self.submissions)
            for copy in range(self.options.repeats)
        ]
        random.Random(seed).shuffle(questions)  # noqa: S311 - a reproducible order, not a secret
        return questions

    def question(self, asking: StressQuestion) -> tuple[Rubric, Submission]:
        """Return the rubric and the submission with which the judge is asked a question."""
        example = self.examples[asking.example]
        with_other_parts = self.submissions.get((asking.example, asking.version))
        if with_other_parts is not None:
            return self.rubric, with_other_parts
        text = self.texts.get((asking.example, asking.version), example.submission.response)
        changed = _with_parts_of(text, example.submission.response)
        return self._variant(asking.version) or self.rubric, replace(example.submission, response=changed)

    def shown(self) -> list[tuple[str, str, str]]:
        """Return a few changes to show the user: the name, an original text and the changed text of each."""
        first: dict[str, tuple[str, str, str]] = {}
        for (index, name), text in self.texts.items():
            original = self.examples[index].submission.response
            if text != original:
                first.setdefault(name, (name, original, text))
        return list(first.values())[:SHOWN]

    def key(self, judge: Judge) -> str:
        """Return a digest of all questions and the judge, by which an interrupted run is found and continued."""
        return fingerprint(
            asking_fingerprint(self.rubric),
            judge.identity.fingerprint,
            [[example.id, example.submission.response] for example in self.examples],
            sorted((index, name, text) for (index, name), text in self.texts.items()),
            [self.options.originals, self.options.repeats],
            *([self._part_digests()] if self.submissions else []),
        )

    def _part_digests(self) -> list[list[str]]:
        keyed = sorted(self.submissions.items(), key=lambda item: item[0])
        return [[str(index), name, *(p.digest for p in _parts(altered))] for (index, name), altered in keyed]


def battery(
    rubric: Rubric, examples: Sequence[Example], model: str, options: StressOptions = StressOptions()
) -> Battery:
    """Make the questions of a stress run, on about as many examples as the options allow, spread over gold scores.

    Args:
        rubric: The rubric by which the judge grades.
        examples: The examples that may be looked at.
        model: Name of the judge's model.
        options: Which changes are tried, on how many examples, and how often the judge is asked.

    Raises:
        UsageError: The rubric compares pairs: to change one response of a pair changes the level that the pair
            deserves.
    """
    if rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} compares pairs, and a stress test changes single responses")
    only = options.only_changes
    rows = tuple(row for row in perturbations(rubric, model) if not only or row.name in only)
    chosen = _spread(rubric, examples, options.n)
    have_parts = not only and any(_parts(example.submission) for example in chosen)
    return Battery(rubric, chosen, rows, options, tuple(PART_CHANGES) if have_parts else ())


def _parts(submission: Submission) -> tuple[ShownPart, ...]:
    return parts_of([*submission.inputs.values(), *submission.responses])


def _spread(rubric: Rubric, examples: Sequence[Example], n: int) -> tuple[Example, ...]:
    """Choose at most `n` examples: evenly over gold scores if they are labelled, else at random by a fixed seed."""
    mixed = sorted(examples, key=lambda example: fingerprint(example.id))
    if len(mixed) <= n:
        return tuple(mixed)
    try:
        gold = gold_of(ExampleSet(tuple(mixed)), rubric)
    except ComparisonError:
        return tuple(mixed[:n])
    score = dict(zip(gold.ids, gold.scores.tolist(), strict=True))
    ranked = sorted(mixed, key=lambda example: -1.0 if math.isnan(s := score.get(example.id, math.nan)) else s)
    return tuple(ranked[math.floor((index + 0.5) * len(ranked) / n)] for index in range(n))


# --- asking ---------------------------------------------------------------------------------------------------------


async def ask(
    battery: Battery, judge: Judge, run: int, *, concurrency: int, step: Callable[[], None]
) -> dict[StressQuestion, Grade]:
    """Ask the judge all questions of a stress run, and return the grade of each.

    Args:
        battery: The questions.
        judge: The judge to ask.
        run: Number of the run over these questions, from 1; a run with a new number gets new answers, not cached ones.
        concurrency: Number of questions that are asked at once.
        step: Called after each question.

    Raises:
        NoJudge: The judge can't be asked.
        BudgetError: The budget doesn't cover another call; answers so far are kept, and the run can be continued.
    """
    make_room(judge, concurrency)
    askings = battery.askings(str(run))

    async def grade(asking: StressQuestion) -> Grade:
        rubric, submission = battery.question(asking)
        offset = run * RUN_SAMPLES + (battery.options.originals if asking.version == CONTROL else asking.copy)
        return await Grading(rubric, FromSample(judge, offset * rubric.samples)).grade(submission)

    grades: dict[StressQuestion, Grade] = {}
    async for index, graded in ask_many(grade, askings, concurrency=concurrency):
        grades[askings[index]] = graded
        step()
    return grades


def begin_run(folder: Path, key: str) -> int:
    """Return the number of the unfinished run with these questions and judge, or begin the next run; the first is 1.

    Args:
        folder: The folder with the files of runs.
        key: Digest of the questions and the judge.
    """
    try:
        state = read_json(state_file(folder, key), RatingError)
        number = int(state["run"]) + bool(state["finished"])
    except (KeyError, RatingError, TypeError, ValueError):  # none was begun, or its state is damaged
        number = 1
    _note_run(folder, key, number, finished=False)
    return number


def finish_run(folder: Path, key: str, number: int) -> None:
    """Mark a stress run finished, so that the next run asks its questions again.

    Args:
        folder: The folder with the files of runs.
        key: Digest of the questions and the judge.
        number: The run's number, as `begin_run` returned it.
    """
    _note_run(folder, key, number, finished=True)


def state_file(folder: Path, key: str) -> Path:
    """Return the path of the file that records the latest run with given questions, and if it is finished.

    Args:
        folder: The folder with the files of runs.
        key: Digest of the questions and the judge.
    """
    return folder / "stress" / f"{key}.json"


def _note_run(folder: Path, key: str, number: int, *, finished: bool) -> None:
    path = state_file(folder, key)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"run": number, "finished": finished}), follow=False)


def _with_changed_parts(text: str, change: Callable[[ShownPart], ShownPart | None]) -> str:
    """Return a text with each image or document, and the mark that refers to it in the text, replaced by a changed one.

    Args:
        text: Any text; without images or documents, it is returned unchanged.
        change: Function that returns the replacement of an image or document, or None to keep it.
    """
    if not isinstance(text, PartedText):
        return text
    pairs = [(shown_part, change(shown_part) or shown_part) for shown_part in text.parts]
    changed = str(text)
    for before, after in pairs:
        changed = changed.replace(before.mark, after.mark)
    return PartedText(changed, [after for _, after in pairs])


def _with_parts_of(text: str, original: str) -> str:
    """Return an edited text with the original's images and documents whose placeholders are still in it."""
    if not isinstance(original, PartedText) or isinstance(text, PartedText):
        return text
    return PartedText(text, [shown_part for shown_part in original.parts if shown_part.mark in text])
