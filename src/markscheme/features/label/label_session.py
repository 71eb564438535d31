"""One rater's labelling work: the next response, the rater's answers, and progress."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from markscheme.errors import MarkschemeError, RatingError
from markscheme.features.label.disputes import AgreementSoFar, Dispute, agreement_so_far, disputes_of, ratings_in
from markscheme.features.label.label_order import Step
from markscheme.features.label.pair_order import is_turned, shown_order, turned_rated
from markscheme.features.label.pool import SetFile
from markscheme.features.label.store import LabelFile
from markscheme.features.label.whole_question import WHOLE_RESPONSE, WHOLE_UNDER
from markscheme.fingerprint import fingerprint
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Declined, Rated, Rating, asked_under
from markscheme.ratings.wordings import record_words
from markscheme.readers.sheet import wording_of
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Criterion, Rubric

CANNOT_TELL = "t"
ANSWER_NOT_APPLICABLE = "x"
WHOLE_FAILS = "0"
WHOLE_PASSES = "1"
"""Answers that a response isn't accepted as a whole, and that it is; `CANNOT_TELL` is the third answer."""
DECLINED: Final[Mapping[str, Declined]] = {CANNOT_TELL: "abstained", ANSWER_NOT_APPLICABLE: "not applicable"}
"""The two answers that are not a level, and how ratings name them."""


@dataclass(frozen=True)
class Question:
    """A question about a response: its level on a criterion, or whether the rater accepts it as a whole.

    Attributes:
        criterion: The criterion; `WHOLE_RESPONSE` for the response as a whole.
        voices: Other annotators' answers without their names, each as the mapping of texts that the page shows; empty
            unless the rater adjudicates.
    """

    criterion: Criterion
    voices: tuple[Mapping[str, str], ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if the question is about the response as a whole."""
        return self.criterion is WHOLE_RESPONSE

    @property
    def answers(self) -> tuple[str, ...]:
        """Allowed answers: the levels' numbers from 0, worst first, "can't tell" and perhaps "does not apply"."""
        places = tuple(map(str, range(len(self.criterion.scale.levels))))
        return (*places, CANNOT_TELL, *((ANSWER_NOT_APPLICABLE,) if self.criterion.not_applicable else ()))

    def rated(self, answer: str) -> Rated:
        """Convert an answer on the page to this question to the rated level that files store."""
        under = self.criterion.wording
        if answer in DECLINED:
            return Rated(None, declined=DECLINED[answer], under=under)
        scale = self.criterion.scale
        level = scale.values[int(answer)]
        return Rated(level, under=under, label=scale.label_of(level))

    def answer(self, rated: Rated | None) -> str:
        """Convert a stored rating to the answer on the page to this question.

        "" without a rating, or if the rating was given under another wording or has a level off the scale.
        """
        if rated is None or not self.criterion.is_worded(rated.under):
            return ""
        if rated.level is None:
            return ANSWER_NOT_APPLICABLE if rated.declined == "not applicable" else CANNOT_TELL
        values = self.criterion.scale.values
        return str(values.index(rated.level)) if rated.level in values else ""


@dataclass(frozen=True)
class ResponseAnswers:
    """A rater's answers to all questions about one response.

    Attributes:
        answers: The answers, by criterion.
        reasons: The reasons that the rater gave, by criterion.
        quotes: The passages that the rater marked, by criterion.
        note: The note on the whole response; None if there is none.
        seconds: Duration of the answers; None if it wasn't recorded.
    """

    answers: Mapping[str, str]
    reasons: Mapping[str, str] = field(default_factory=dict)
    quotes: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None
    seconds: float | None = None


@dataclass
class LabelSession:
    """One rater's labelling work: the responses, the questions about them, and the labels given.

    Attributes:
        rubric: The rubric.
        source: The rubric's file; labelling stops if a part of it that raters see changes.
        examples: The responses, by id.
        questions: The questions about each response, by the response's id.
        steps: The steps of labelling (a response, or its repeat), in the rater's order.
        file: The rater's file of labels.
        home: The file of examples that labelled responses are added to.
        people: Annotators' labels in the pool's own file.
        reworded: The criteria to ask at steps that the rater has labelled already, since they were reworded or are new:
            by step and by name, the digest of the old words that the rater answered; "" for a new criterion.
        notes: Sentences on parts of the set that aren't asked, with the reason.
        whole_steps: The steps at which the question about the whole response is asked first.
        whole_voices: Annotators' decisions on whole responses where they differ, by id, in the form of the page; empty
            unless the rater adjudicates.
        core: Name of the rubric that rows with rubrics of their own share; None without one.
        results: Promptfoo's results that are labelled, whose verdicts the labels are about; None for other responses.
        inapplicable: Names of the criteria that aren't asked about a response since they don't apply to it, by the
            response's id.
    """

    rubric: Rubric
    source: Path
    examples: Mapping[str, Example]
    questions: Mapping[str, tuple[Question, ...]]
    steps: tuple[Step, ...]
    file: LabelFile
    home: SetFile
    people: tuple[Rating, ...] = ()
    reworded: Mapping[Step, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    whole_steps: frozenset[Step] = frozenset()
    whole_voices: Mapping[str, tuple[Mapping[str, str], ...]] = field(default_factory=dict)
    core: str | None = None
    results: Path | None = None
    inapplicable: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read = self.source.read_bytes()
        self._before = {step: self.file.labels[step] for step in self.reworded}
        self._homed = {example.id for example in self.home.read()}
        self._has_parts = False

    def is_turned(self, step: Step) -> bool:
        """Return True if the page shows the second response of a pair first; an adjudicator sees the stored order."""
        return self.rubric.is_of_pairs and not self.is_adjudication and is_turned(step, self.file.rater)

    @property
    def all_questions(self) -> tuple[Question, ...]:
        """Every question that the labelling page may ask, first the one about the whole response."""
        criteria = (*((WHOLE_RESPONSE,) if self.whole_steps else ()), *self.rubric.criteria)
        return tuple(map(Question, criteria))

    def questions_at(self, step: Step) -> tuple[Question, ...]:
        """Return the questions about a response; if it was labelled before a rewording, only new and reworded ones."""
        if step in self.reworded:
            reworded = self.reworded[step]
            criteria = tuple(question for question in self.questions[step.id] if question.criterion.name in reworded)
        else:
            criteria = self._applicable(step.id)
        if step not in self.whole_steps:
            return criteria
        return (Question(WHOLE_RESPONSE, self.whole_voices.get(step.id, ())), *criteria)

    def _applicable(self, id: str) -> tuple[Question, ...]:
        """Return the questions about a response on criteria that apply to it."""
        inapplicable = self.inapplicable.get(id, ())
        return tuple(question for question in self.questions[id] if question.criterion.name not in inapplicable)

    @cached_property
    def _own_steps(self) -> frozenset[Step]:
        return frozenset(self.steps)

    @cached_property
    def by_unit(self) -> Mapping[str, Step]:
        """The steps of labelling (a response, or its repeat), by names on the page, which hide examples' ids."""
        return {unit_of(step): step for step in self.steps}

    @property
    def current(self) -> Step | None:
        """The next step to label; None when all are labelled.

        The repeat of a response comes only after the response was labelled once.
        """
        for step in self.steps:
            if not self.is_done(step) and (step.sample == 0 or self.is_done(Step(step.id))):
                return step
        return None

    @property
    def done(self) -> int:
        """Number of responses, repeats included, that the rater has labelled."""
        return sum(map(self.is_done, self.steps))

    @property
    def is_adjudication(self) -> bool:
        """True if the rater is an adjudicator, who decides where annotators disagree."""
        return self.file.kind == "adjudicated"

    @property
    def again(self) -> int:
        """Number of responses that the rater is asked to label twice."""
        return sum(step.sample for step in self.steps)

    def is_done(self, step: Step) -> bool:
        """Return True if all questions about a response (or its repeat) are answered under the current wording."""
        if step not in self.file.labels:
            return False
        label = self.file.labels[step]
        rated = label.criteria
        criteria = [question.criterion for question in self.questions_at(step) if not question.is_whole]
        if step in self.whole_steps and not label.answers_whole:
            return False
        return all(c.name in rated and c.is_worded(rated[c.name].under) for c in criteria)

    def answered(self, step: Step) -> ResponseAnswers | None:
        """Return the rater's answers at a step, about a response or its repetition; None if the step isn't labelled."""
        if not self.is_done(step):
            return None
        rating = self.file.labels[step]
        questions = [question for question in self.questions_at(step) if not question.is_whole]
        by_name = {q.criterion.name: rating.criteria[q.criterion.name] for q in questions}
        if self.is_turned(step):
            by_name = {name: turned_rated(rated) for name, rated in by_name.items()}
        whole = {WHOLE_RESPONSE.name: _answer_of(rating.passed)} if step in self.whole_steps else {}
        return ResponseAnswers(
            {**whole, **{q.criterion.name: q.answer(by_name[q.criterion.name]) for q in questions}},
            {name: rated.reason for name, rated in by_name.items() if rated.reason},
            {name: rated.quote for name, rated in by_name.items() if rated.quote},
            rating.note or "",
            rating.seconds,
        )

    def give(self, step: Step, answered: ResponseAnswers) -> None:
        """Save a rater's answers to all questions of one step; they are on disk when this returns.

        Args:
            step: The step: a response, or the same response shown a second time.
            answered: Answers to all questions of the step, each allowed by its question.
        """
        if step.id not in self._homed or not self._has_parts:
            with self.home.locked():
                (example,) = self.home.parted([self.examples[step.id]])
                self.home.add([example.to_json(self.home.path.parent)])
            self._homed.add(step.id)
            self._has_parts = True
        record_words(self.home.path.parent, self.rubric, date.today().isoformat())
        self.file.give(self.rating(step, answered))

    def rating(self, step: Step, answered: ResponseAnswers) -> Rating:
        """Make a rating from the answers to all questions about a response.

        Args:
            step: The response, shown for the first or the second time.
            answered: The rater's answers.
        """
        criteria = self._not_applicable(step)
        whole = answered.answers.get(WHOLE_RESPONSE.name) if step in self.whole_steps else None
        for question in self.questions_at(step):
            if question.is_whole:
                continue
            name = question.criterion.name
            reason = answered.reasons.get(name, "")
            quote = answered.quotes.get(name)
            rated = question.rated(answered.answers[name])
            rated = turned_rated(rated) if self.is_turned(step) else rated
            criteria[name] = replace(rated, reason=reason, quote=quote)
        return Rating(
            step.id,
            self.file.rater,
            self.file.kind,
            criteria,
            passed=None if whole in (None, CANNOT_TELL) else whole == WHOLE_PASSES,
            whole_under=None if whole is None else WHOLE_UNDER,
            sample=step.sample,
            at=date.today().isoformat(),
            under=asked_under(self.rubric),
            note=(answered.note or "").strip() or None,
            seconds=answered.seconds,
            shown=shown_order(turned=self.is_turned(step)) if self.rubric.is_of_pairs else None,
        )

    def _not_applicable(self, step: Step) -> dict[str, Rated]:
        """Return the rating "not applicable" on each criterion that doesn't apply; none if asked after a rewording."""
        names = () if step in self.reworded else self.inapplicable.get(step.id, ())
        criteria = (criterion for criterion in self.rubric.criteria if criterion.name in names)
        return {c.name: Rated(None, declined="not applicable", under=c.wording) for c in criteria}

    def withdraw(self, step: Step) -> None:
        """Withdraw a response's label, so that it is asked again, and restore any label from before a rewording."""
        if step in self.file.labels:
            self.file.withdraw(step, date.today().isoformat())
        if step in self._before:
            self.file.give(self._before[step])

    def labelled_again(self) -> tuple[int, list[bool]]:
        """Return the number of responses that the rater labelled twice, and flags that say if the two labels agree.

        There is a flag for each of these responses and each criterion labelled both times: True if the levels are
        equal.
        """
        pairs = [
            (self.file.labels[Step(step.id)], self.file.labels[step])
            for step in self.steps
            if step.sample == 1 and self.is_done(step) and self.is_done(Step(step.id))
        ]
        same = [
            _word(first.criteria[q.criterion.name]) == _word(second.criteria[q.criterion.name])
            for first, second in pairs
            for q in self._applicable(first.id)
            if q.criterion.name in first.criteria and q.criterion.name in second.criteria
        ]
        return len(pairs), same

    def agreement(self) -> tuple[AgreementSoFar, ...] | None:
        """Return, by criterion, how often the rater agrees with other annotators; None if their files can't be read."""
        done = [
            step.id for step in self.file.labels if step.sample == 0 and step in self._own_steps and self.is_done(step)
        ]
        try:
            return tuple(agreement_so_far(self.everyone, self.rubric, self.file.rater, done))
        except RatingError:
            return None

    @property
    def everyone(self) -> list[Rating]:
        """Ratings by all annotators, the rater's own included.

        Raises:
            RatingError: Another rater's file is damaged, or written only in part.
        """
        return [*self.people, *ratings_in(self.file.path.parent, self.rubric, may_be_stale=self.file.may_be_stale)]

    def disputes(self) -> list[Dispute]:
        """Return the annotators' disagreement on each disputed question; empty if labels can't be read."""
        try:
            return disputes_of(self.everyone, self.rubric, list(self.examples))
        except RatingError:
            return []

    def change(self) -> str:
        """Say that the rubric's file has changed since labelling began; "" if nothing that raters see has changed."""
        try:
            now = self.source.read_bytes()
            if now == self._read:
                return ""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                changed = wording_of(load_rubric(self.source)) != wording_of(self.rubric)
        except (OSError, MarkschemeError):
            return f"{self.source.name} can no longer be read as the rubric it was"
        if changed:
            return f"{self.source.name} has changed since labelling began"
        self._read = now
        return ""


def _answer_of(passed: bool | None) -> str:
    """Return the page's answer for a decision on the whole response; "can't tell" without a decision."""
    if passed is None:
        return CANNOT_TELL
    return WHOLE_PASSES if passed else WHOLE_FAILS


def unit_of(step: Step) -> str:
    """Return a response's name on the page, which isn't the example's id, since that might reveal the author."""
    return fingerprint(step.id, step.sample)


def _word(rated: Rated) -> tuple[float | None, Declined | None]:
    return rated.level, rated.declined
