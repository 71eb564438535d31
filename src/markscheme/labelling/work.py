"""One rater's work: which response is next, what was answered, what is kept, and how far they have come."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from markscheme.errors import MarkschemeError, RatingError
from markscheme.fingerprint import fingerprint
from markscheme.labelling.disputes import Alike, alike, ratings_in
from markscheme.labelling.order import Step
from markscheme.labelling.pool import SetFile
from markscheme.labelling.store import LabelFile
from markscheme.ratings.examples import Example, Split
from markscheme.ratings.rating import Rated, Rating, asked_under
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Criterion, Rubric

CANNOT_TELL, NOT_APPLICABLE = "t", "x"
"""Answers beside a level's place on the scale."""


@dataclass(frozen=True)
class Question:
    """A criterion that is asked about a response.

    Attributes:
        criterion: Which.
        given: What others said, without names, where they disagree and it is to be settled.
    """

    criterion: Criterion
    given: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """What may be answered: places on the scale from 0, worst first, and the ways out."""
        places = tuple(map(str, range(len(self.criterion.scale.levels))))
        return (*places, CANNOT_TELL, *((NOT_APPLICABLE,) if self.criterion.not_applicable else ()))

    def rated(self, answer: str) -> Rated:
        """The rating that an answer is."""
        under = self.criterion.fingerprint
        if answer == CANNOT_TELL:
            return Rated(None, declined="abstained", under=under)
        if answer == NOT_APPLICABLE:
            return Rated(None, declined="not applicable", under=under)
        return Rated(self.criterion.scale.values[int(answer)], under=under)

    def answer(self, rated: Rated | None) -> str:
        """The answer that a rating was; "" where none stands for it."""
        if rated is None or rated.under != self.criterion.fingerprint:
            return ""
        if rated.level is None:
            return NOT_APPLICABLE if rated.declined == "not applicable" else CANNOT_TELL
        values = self.criterion.scale.values
        return str(values.index(rated.level)) if rated.level in values else ""


@dataclass(frozen=True)
class Progress:
    """How far a rater has come, how steady they are, and how often they agree with other people.

    Attributes:
        given: Responses labelled, those that came back counted again.
        total: Responses to label.
        declined: Criteria answered by "can't tell".
        again: Responses labelled twice.
        asked_again: Criteria answered twice.
        same: Of these, answered alike both times.
        alike: Agreement with other people, by criterion; None where their labels cannot be read just now.
    """

    given: int
    total: int
    declined: int
    again: int
    asked_again: int
    same: int
    alike: tuple[Alike, ...] | None


@dataclass
class Work:
    """What one rater is to label, and what they have labelled.

    Attributes:
        rubric: By which.
        source: The rubric's file; work stops when what raters see of it changes.
        examples: The responses, by id.
        questions: What is asked about each, by id.
        steps: In the rater's order.
        file: Where labels are kept.
        home: The set that labelled responses belong to.
        split: The split of responses that are new to the set; None in a set without.
        people: What people said in the pool's own file; others' files are read when they are asked for.
    """

    rubric: Rubric
    source: Path
    examples: Mapping[str, Example]
    questions: Mapping[str, tuple[Question, ...]]
    steps: tuple[Step, ...]
    file: LabelFile
    home: SetFile
    split: Split | None = None
    people: tuple[Rating, ...] = ()

    def __post_init__(self) -> None:
        self._read = self.source.read_bytes()
        self._homed = {example.id for example in self.home.read()}

    @cached_property
    def _own(self) -> frozenset[Step]:
        return frozenset(self.steps)

    @property
    def current(self) -> Step | None:
        """What is labelled next; None when all is done. What comes back waits until it has been labelled once."""
        for step in self.steps:
            if not self._is_done(step) and (step.sample == 0 or self._is_done(Step(step.id))):
                return step
        return None

    @property
    def last(self) -> Step | None:
        """What was labelled last and can be taken back."""
        return next((step for step in reversed(self.file.given) if step in self._own), None)

    @property
    def done(self) -> int:
        """How many of the steps are labelled."""
        return sum(map(self._is_done, self.steps))

    @property
    def again(self) -> int:
        """How many responses come back."""
        return sum(step.sample for step in self.steps)

    def _is_done(self, step: Step) -> bool:
        rating = self.file.given.get(step)
        if rating is None:
            return False
        said = rating.criteria
        return all(
            (rated := said.get(question.criterion.name)) is not None and rated.under == question.criterion.fingerprint
            for question in self.questions[step.id]
        )

    def earlier_answers(self, step: Step) -> tuple[list[str], str]:
        """What was answered before it was taken back, and the note; empty where nothing was."""
        taken = self.file.withdrawn
        if taken is None or Step(taken.id, taken.sample) != step:
            return [""] * len(self.questions[step.id]), ""
        return [q.answer(taken.criteria.get(q.criterion.name)) for q in self.questions[step.id]], taken.note

    def give(self, step: Step, answers: Mapping[str, str], note: str) -> None:
        """Keep the answers to all questions of a step; on disk when this returns.

        Args:
            step: The current one.
            answers: By criterion, each among the question's answers.
            note: Whatever the rater wrote.
        """
        if step.id not in self._homed:
            with self.home.held():
                example = self.examples[step.id]
                self.home.add([replace(example, split=example.split or self.split).to_json()])
            self._homed.add(step.id)
        criteria = {q.criterion.name: q.rated(answers[q.criterion.name]) for q in self.questions[step.id]}
        under, today = asked_under(self.rubric), date.today().isoformat()
        self.file.give(
            Rating(
                step.id,
                self.file.rater,
                self.file.kind,
                criteria,
                sample=step.sample,
                at=today,
                under=under,
                note=note.strip(),
            )
        )

    def undo(self) -> None:
        """Take back what was labelled last, so that it is asked again."""
        if self.last is not None:
            self.file.withdraw(self.last, date.today().isoformat())

    def progress(self) -> Progress:
        """How far the rater has come."""
        own = [rating for step, rating in self.file.given.items() if step in self._own and self._is_done(step)]
        pairs = [
            (self.file.given[Step(step.id)], self.file.given[step])
            for step in self.steps
            if step.sample == 1 and self._is_done(step) and self._is_done(Step(step.id))
        ]
        again = [
            _word(first.criteria[q.criterion.name]) == _word(second.criteria[q.criterion.name])
            for first, second in pairs
            for q in self.questions[first.id]
        ]
        declined = sum(rated.declined == "abstained" for rating in own for rated in rating.criteria.values())
        return Progress(len(own), len(self.steps), declined, len(pairs), len(again), sum(again), self._alike())

    def _alike(self) -> tuple[Alike, ...] | None:
        """Agreement with other people over what the rater has labelled, and nothing else."""
        done = [step.id for step in self.file.given if step.sample == 0 and step in self._own and self._is_done(step)]
        try:
            everybody = [*self.people, *ratings_in(self.file.path.parent, self.rubric)]
        except RatingError:  # somebody else's file is faulty, or half written
            return None
        return tuple(alike(everybody, self.rubric, self.file.rater, done))

    def change(self) -> str:
        """What happened to the rubric since the work began, as a sentence; "" where raters see no change."""
        try:
            now = self.source.read_bytes()
            if now == self._read:
                return ""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                changed = seen(load_rubric(self.source)) != seen(self.rubric)
        except (OSError, MarkschemeError):
            return f"{self.source.name} can no longer be read as the rubric it was"
        if changed:
            return f"{self.source.name} has changed since labelling began"
        self._read = now
        return ""


def _word(rated: Rated) -> tuple[float | None, str]:
    return rated.level, rated.declined


def seen(rubric: Rubric) -> str:
    """Digest of all of a rubric that raters see; weights and marks are none of it."""
    criteria = [[c.name, c.fingerprint, c.weight < 0, list(rubric.shown_to(c))] for c in rubric.criteria]
    return fingerprint(rubric.name, rubric.description, rubric.guidelines, criteria)
