"""One rater's work: which response is next, the answers to it, and their progress."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from markscheme.errors import MarkschemeError, RatingError
from markscheme.fingerprint import fingerprint
from markscheme.labelling.disputes import AgreementSoFar, agreement_so_far, ratings_in
from markscheme.labelling.order import Step
from markscheme.labelling.pool import SetFile
from markscheme.labelling.store import LabelFile
from markscheme.ratings.examples import Example, Split
from markscheme.ratings.rating import Rated, Rating, asked_under
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Criterion, Rubric

CANNOT_TELL, NOT_APPLICABLE = "t", "x"
"""The two answers that are not a level."""


@dataclass(frozen=True)
class Question:
    """A criterion to label a response on.

    Attributes:
        criterion: The criterion.
        given: The labels that annotators gave, without names; empty unless the rater adjudicates.
    """

    criterion: Criterion
    given: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[str, ...]:
        """Allowed answers: positions on the scale from 0, worst first, then "can't tell" and "does not apply"."""
        places = tuple(map(str, range(len(self.criterion.scale.levels))))
        return (*places, CANNOT_TELL, *((NOT_APPLICABLE,) if self.criterion.not_applicable else ()))

    def rated(self, answer: str) -> Rated:
        """The rating for an answer."""
        under = self.criterion.fingerprint
        if answer == CANNOT_TELL:
            return Rated(None, declined="abstained", under=under)
        if answer == NOT_APPLICABLE:
            return Rated(None, declined="not applicable", under=under)
        return Rated(self.criterion.scale.values[int(answer)], under=under)

    def answer(self, rated: Rated | None) -> str:
        """The answer for a rating; "" if there is none."""
        if rated is None or rated.under != self.criterion.fingerprint:
            return ""
        if rated.level is None:
            return NOT_APPLICABLE if rated.declined == "not applicable" else CANNOT_TELL
        values = self.criterion.scale.values
        return str(values.index(rated.level)) if rated.level in values else ""


@dataclass(frozen=True)
class LabellingProgress:
    """How much a rater has labelled, and how often they agree with themselves and with other annotators.

    Attributes:
        given: Responses labelled; one labelled twice counts twice.
        total: Responses to label.
        declined: Criteria answered with "can't tell".
        again: Responses labelled twice.
        asked_again: Criteria answered twice.
        same: How many of those got the same answer both times.
        agreement: Agreement with other annotators by criterion; None if their labels can't be read.
    """

    given: int
    total: int
    declined: int
    again: int
    asked_again: int
    same: int
    agreement: tuple[AgreementSoFar, ...] | None


@dataclass
class Work:
    """What one rater has to label, and what they have labelled.

    Attributes:
        rubric: The rubric.
        source: The rubric's file; labelling stops when what raters see of it changes.
        examples: The responses, by id.
        questions: The questions about each, by id.
        steps: Responses in the rater's order.
        file: The rater's file of labels.
        home: The file of examples that labelled responses are added to.
        split: The split of responses that are new to that file; None if it has no splits.
        people: Annotators' labels in the pool's own file.
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
        """The next step; None when all are done. A second time comes only after the first."""
        for step in self.steps:
            if not self._is_done(step) and (step.sample == 0 or self._is_done(Step(step.id))):
                return step
        return None

    @property
    def last(self) -> Step | None:
        """The last label, which undo takes back."""
        return next((step for step in reversed(self.file.given) if step in self._own), None)

    @property
    def done(self) -> int:
        """How many of the steps are labelled."""
        return sum(map(self._is_done, self.steps))

    @property
    def again(self) -> int:
        """How many responses are labelled twice."""
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
        """The answers and the note that undo took back; empty for any other step."""
        taken = self.file.withdrawn
        if taken is None or Step(taken.id, taken.sample) != step:
            return [""] * len(self.questions[step.id]), ""
        return [q.answer(taken.criteria.get(q.criterion.name)) for q in self.questions[step.id]], taken.note

    def give(self, step: Step, answers: Mapping[str, str], note: str) -> None:
        """Keep the answers to all questions of a step; on disk when this returns.

        Args:
            step: The current step.
            answers: Answers by criterion, each allowed by its question.
            note: The rater's note.
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
        """Take the last label back, so that it is asked again."""
        if self.last is not None:
            self.file.withdraw(self.last, date.today().isoformat())

    def progress(self) -> LabellingProgress:
        """The rater's progress."""
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
        return LabellingProgress(
            len(own), len(self.steps), declined, len(pairs), len(again), sum(again), self._agreement()
        )

    def _agreement(self) -> tuple[AgreementSoFar, ...] | None:
        """Agreement with other annotators on what the rater has labelled."""
        done = [step.id for step in self.file.given if step.sample == 0 and step in self._own and self._is_done(step)]
        try:
            everyone = [*self.people, *ratings_in(self.file.path.parent, self.rubric)]
        except RatingError:  # another rater's file is damaged, or half written
            return None
        return tuple(agreement_so_far(everyone, self.rubric, self.file.rater, done))

    def change(self) -> str:
        """How the rubric has changed since labelling began, as a sentence; "" if raters see no change."""
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
    """Digest of what raters see of a rubric; weights and pass mark don't count."""
    criteria = [[c.name, c.fingerprint, c.weight < 0, list(rubric.shown_to(c))] for c in rubric.criteria]
    return fingerprint(rubric.name, rubric.description, rubric.guidelines, criteria)
