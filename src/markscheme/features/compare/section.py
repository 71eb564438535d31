"""Section with texts on which judges decide differently, showing each judge's decision and reason side by side."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from markscheme.features.compare.side_by_side import AnsweredText, JudgeAnswer, SideBySide
from markscheme.pages.words import first_words
from markscheme.phrases import number
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import collapsed
from markscheme.rubrics.inputs import STEPPED
from markscheme.rubrics.rubric import Criterion, Rubric

if TYPE_CHECKING:
    from markscheme.features.compare.contenders import Compared

MOST_TEXTS = 25
"""Largest number of texts with differing decisions that the section shows."""
MOST_JUDGES = 4
"""Largest number of judges that the section shows in columns."""
QUERY_WORDS = 120
"""Largest number of characters of a query in the section's table."""
RESPONSE_WORDS = 300
"""Largest number of characters of a response in the section's table: about five lines of its column."""


def flipped_texts(compared: "Compared") -> SideBySide | None:
    """Return a table of the examples that one judge passes and another fails; None if there are none."""
    choice = compared.choice
    truth = compared.truth
    contenders = compared.contenders[:MOST_JUDGES]
    names = tuple(contender.name for contender in contenders)
    golds: dict[str, bool | None] = {}
    for pair in choice.pairs:
        if pair.first in names and pair.second in names:
            golds |= {flip.id: flip.gold for flip in pair.flips}
    if not golds:
        return None
    by_id = {example.id: example for example in (*compared.examples, *(truth.examples if truth else ()))}
    first_ratings: list[dict[str, Rating]] = [{} for _ in contenders]
    for ratings, contender in zip(first_ratings, contenders, strict=True):
        for rating in contender.ratings:
            ratings.setdefault(rating.id, rating)
    units = sorted(golds, key=lambda unit: golds[unit] is None)[:MOST_TEXTS]
    rows = tuple(
        _row(unit, by_id.get(unit), golds[unit], [ratings.get(unit) for ratings in first_ratings], choice.rubric)
        for unit in units
    )
    return SideBySide(names, rows, has_gold=any(gold is not None for gold in golds.values()))


def _row(
    unit: str, example: Example | None, gold: bool | None, ratings: Sequence[Rating | None], rubric: Rubric
) -> AnsweredText:
    inputs = {} if example is None else example.submission.inputs
    query = next((inputs[name] for name in rubric.known_inputs if name in inputs and name not in STEPPED), "")
    response = "" if example is None else example.submission.response
    apart = list(_criteria_apart(ratings, rubric))
    return AnsweredText(
        unit,
        first_words(query, QUERY_WORDS),
        first_words(response, RESPONSE_WORDS),
        "".join(_decision(gold)),
        tuple(_answer(rating, apart, rubric, gold) for rating in ratings),
    )


def _criteria_apart(ratings: Sequence[Rating | None], rubric: Rubric) -> Iterator[Criterion]:
    """Yield the criteria on which several judges gave one example different levels.

    Args:
        ratings: The rating of the example by each judge; None for a judge that didn't rate the example.
        rubric: The rubric.
    """
    for criterion in rubric.criteria:
        rated = [rating.criteria[criterion.name] for rating in ratings if rating and criterion.name in rating.criteria]
        if len({(verdict.level, verdict.declined) for verdict in rated}) > 1:
            yield criterion


def _answer(rating: Rating | None, apart: Sequence[Criterion], rubric: Rubric, gold: bool | None) -> JudgeAnswer:
    """Return a judge's decision and score, and its level and reason on each criterion on which the judges differ.

    Args:
        rating: The judge's rating; None if there is none.
        apart: The criteria on which the judges differ.
        rubric: The rubric.
        gold: Gold's decision; None without one.
    """
    if rating is None or rating.error is not None:
        return JudgeAnswer("not graded")
    combined = collapsed((rating,), rubric)
    words = [*_decision(combined.decision), *([] if combined.score is None else [number(combined.score)])]
    is_off = None not in (gold, combined.decision) and combined.decision != gold
    return JudgeAnswer(" ".join(words), tuple(_reason(rating, criterion) for criterion in apart), is_off)


def _decision(passes: bool | None) -> list[str]:
    return [] if passes is None else ["pass" if passes else "fail"]


def _reason(rating: Rating, criterion: Criterion) -> tuple[str, str]:
    rated = rating.criteria.get(criterion.name)
    if rated is None:
        return criterion.name, "no verdict"
    level = (rated.declined or "no level") if rated.level is None else criterion.scale.level_name(rated.level)
    return f"{criterion.name}: {level}", rated.reason
