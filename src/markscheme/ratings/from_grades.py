"""Conversion of a judge's grades to ratings, and the prompts that a judge is sent first."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace

from markscheme.grading import Grade, questions
from markscheme.grading.verdict import Abstention, NotApplicable, Outcome, Unread, Verdict
from markscheme.prompts.prompt import Prompt
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating, asked_under, by_choice
from markscheme.rubrics.rubric import Criterion, Rubric


def first_prompts(rubric: Rubric, examples: Iterable[Example]) -> list[Prompt]:
    """Return the prompts that a judge gets first about each example, without retries."""
    return [prompt for example in examples for prompt in questions(rubric, example.submission)]


def ratings_of(grade: Grade, rubric: Rubric, rater: str, *, sample: int = 0) -> list[Rating]:
    """Convert a grade to ratings: one for a response; for a pair, one for each order in which the judge saw it.

    The ratings from one grade have the same sample number, since they belong to one run.

    Args:
        grade: The grade.
        rubric: The rubric that it was graded by.
        rater: Name of the judge, for the ratings.
        sample: Number of the answer among the judge's answers about the same response, from 0.
    """
    whole = rating_of(grade, rubric, rater, sample=sample)
    if not grade.by_order:
        return [whole]
    return [
        replace(
            whole,
            shown=shown,
            criteria=_answers(outcomes, rubric),
            error=None if all(isinstance(outcome, Verdict) for outcome in outcomes.values()) else grade.error,
        )
        for shown, outcomes in grade.by_order.items()
    ]


def rating_of(grade: Grade, rubric: Rubric, rater: str, *, sample: int = 0) -> Rating:
    """Convert a judge's grade to one rating.

    Args:
        grade: The grade.
        rubric: The rubric by which it was graded.
        rater: Name of the judge in the rating.
        sample: Number of the sample, from 0.
    """
    return Rating(
        id=grade.id,
        rater=rater,
        kind="model",
        criteria=_answers(grade.outcomes, rubric),
        overall=None if rubric.is_of_pairs else grade.score,
        passed=grade.scored.passed if grade.scored is not None else None,
        sample=sample,
        error=grade.error,
        at=datetime.date.today().isoformat(),
        under=asked_under(rubric),
        asked_without=grade.asked_without if any(grade.asked_without) else (),
    )


def _answers(outcomes: Mapping[str, Outcome], rubric: Rubric) -> dict[str, Rated]:
    return {name: _rated(outcome, rubric.criterion(name)) for name, outcome in outcomes.items()}


def _rated(outcome: Outcome, criterion: Criterion) -> Rated:
    under = criterion.fingerprint
    match outcome:
        case Verdict():
            return Rated(
                outcome.level,
                outcome.reason or "",
                outcome.quote,
                outcome.quote_found,
                under=under,
                quote_in=outcome.quote_in,
                label=criterion.scale.label_of(outcome.level),
                probabilities=by_choice(outcome.probabilities, criterion.scale),
            )
        case NotApplicable():
            return Rated(None, outcome.reason or "", declined="not applicable", under=under)
        case Abstention():
            return Rated(None, outcome.reason or "", declined="abstained", under=under)
        case Unread():
            return Rated(None, outcome.why, declined="unread", under=under)
