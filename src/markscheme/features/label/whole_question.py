"""Decides on which responses to ask an annotator, before the criteria, whether they accept the response as a whole."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from markscheme.errors import UsageError
from markscheme.features.label.label_order import Step
from markscheme.fingerprint import fingerprint
from markscheme.ratings.rating import Rating
from markscheme.rubrics.rubric import Criterion, Rubric

WHOLE_RESPONSE = Criterion(1.0, "Would you accept this response as it is?", "whole response")
"""The question about a response as a whole, which is asked first; its answer becomes the rating's decision, not a
level."""
WHOLE_UNDER = fingerprint(WHOLE_RESPONSE.requirement)
"""Fingerprint of that question, which is stored with decisions, so that rewording a criterion makes no decision
stale."""

AskWhole = Literal["until-enough", "always", "never"]
ASK_WHOLE: tuple[AskWhole, ...] = get_args(AskWhole)
CRITERIA_OF_SHORT_RUBRICS = 4
"""Largest number of weighted criteria for which the lower number of decisions, `ENOUGH`, is enough; a judgement."""
ENOUGH, ENOUGH_FOR_MANY = 120, 160
"""Numbers of an annotator's decisions after which no more are asked for, with few and with many criteria: with so many,
better weights and pass marks can be found."""


def asked_whole(
    ask_whole: AskWhole, rubric: Rubric, steps: Sequence[Step], labels: Mapping[Step, Rating]
) -> frozenset[Step]:
    """Return the steps, each about one response, at which an annotator is also asked to accept or reject the whole.

    The question is asked where the annotator has answered it already, so that the answer can be changed; and where
    nothing is labelled yet, until the annotator has decided on enough responses. If `ask_whole` is "always", it is
    asked at every step. It is never asked when a response is shown a second time.

    Args:
        ask_whole: When to ask: "always", or "until-enough" decisions are given.
        rubric: The rubric.
        steps: All steps, in the annotator's order.
        labels: The annotator's labels so far, by step.
    """
    if not may_ask_whole(ask_whole, rubric):
        return frozenset()
    first_looks = [step for step in steps if step.sample == 0]
    answered = [step for step in first_looks if step in labels and labels[step].whole_under]
    if ask_whole == "always":
        missing = [step for step in first_looks if step not in labels or not labels[step].answers_whole]
    else:
        missing = [step for step in first_looks if step not in labels][: _left_to_ask(rubric, labels)]
    return frozenset([*answered, *missing])


def may_ask_whole(ask_whole: AskWhole, rubric: Rubric) -> bool:
    """Return True if the page may ask about whole responses: neither the user nor the rubric rules that out."""
    return ask_whole != "never" and _why_no_whole(rubric) is None


def refuse_no_whole(rubric: Rubric) -> None:
    """Raise an error if annotators can't be asked about whole responses under a rubric.

    Raises:
        UsageError: Annotators can't be asked; the message says why.
    """
    if why := _why_no_whole(rubric):
        raise UsageError(f"`ask_whole=always` asks whether a response is accepted, and {why}")


def _why_no_whole(rubric: Rubric) -> str | None:
    """Return why annotators can't be asked about whole responses under this rubric; None if they can."""
    if rubric.is_of_pairs:
        return f"{rubric.name} compares two"
    if any(criterion.name == WHOLE_RESPONSE.name for criterion in rubric.criteria):
        return f"{rubric.name} has a criterion that is named {WHOLE_RESPONSE.name}, as the question is: rename it"
    return None


def _left_to_ask(rubric: Rubric, labels: Mapping[Step, Rating]) -> int:
    """Return the number of further responses to pass or fail as a whole, until the annotator decided on enough."""
    has_few = sum(criterion.weight != 0 for criterion in rubric.criteria) <= CRITERIA_OF_SHORT_RUBRICS
    decided = {step.id for step, label in labels.items() if label.passed is not None}
    return max(0, (ENOUGH if has_few else ENOUGH_FOR_MANY) - len(decided))
