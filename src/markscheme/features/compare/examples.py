"""List of single examples that several judges rated, with each judge's decision, score and levels."""

import math
from collections.abc import Iterator, Mapping, Sequence

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.features.compare.choice import Contender
from markscheme.features.compare.contenders import Compared
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import overall_of
from markscheme.report.document import Case, Examples, RatingCell
from markscheme.report.sections.examples import (
    BLANK,
    facts_of_case,
    finite_or_none,
    gold_tags,
    inputs_of_case,
    notes_of_case,
    rating_cell,
    score_text,
)
from markscheme.rubrics.rubric import Rubric


def examples_of_choice(compared: Compared, against_gold: Mapping[str, Comparison]) -> Examples:
    """Return single examples with each judge's rating.

    The examples that one judge passes and another fails come first, then all others. Among each of these, the examples
    on which the judges' scores differ most come first.

    Args:
        compared: The judges with their ratings, and gold if there is any.
        against_gold: Each contender compared with gold, by a prefix that keeps the contender's tags on examples apart
            from other contenders'; empty without gold.
    """
    choice = compared.choice
    contenders = compared.contenders
    truth = compared.truth
    by_id = {example.id: example for example in (*(truth.examples if truth else ()), *compared.examples)}
    rated = [_first_ratings(contender) for contender in contenders]
    index_of = {unit: index for index, unit in enumerate(truth.ids)} if truth else {}
    unread = {unit for unit, example in by_id.items() if example.is_held_out}
    rated_ids = (unit for ratings in rated for unit in ratings if truth is None or unit in index_of)
    ids = dict.fromkeys(unit for unit in rated_ids if unit not in unread)
    flips = {flip.id for pair in choice.pairs for flip in pair.flips}
    names = [contender.name for contender in contenders]
    cases = []
    for unit in ids:
        ratings = [theirs.get(unit) for theirs in rated]
        scores = [_overall(rating, choice.rubric) for rating in ratings]
        gold = [float(truth.scores[index_of[unit]])] if truth else []
        levels = {n: float(gold_levels[index_of[unit]]) for n, gold_levels in truth.levels.items()} if truth else {}
        heads = zip([*(("gold",) if truth else ()), *names], [*gold, *scores], strict=True)
        tags = [tag for of, comparison in against_gold.items() for tag in gold_tags(comparison, index_of[unit], of)]
        tags += (["flips"] if unit in flips else []) + (["apart"] if _spread(scores) > 0 else [])
        example = by_id.get(unit)
        cases.append(
            Case(
                id=unit,
                head=", ".join(f"{who} {score_text(score)}" for who, score in heads),
                reason="",
                values=(*map(finite_or_none, gold), *map(finite_or_none, scores), _spread(scores)),
                badges=("decision flips",) if unit in flips else (),
                differs=tuple(_judges_apart(choice.rubric, names, ratings)),
                tags=tuple(tags),
                response=example.submission.response if example else None,
                inputs=inputs_of_case(example, choice.rubric) if example else (),
                facts=facts_of_case(example) if example else (),
                raters=(*(("gold",) if truth else ()), *names),
                rows=tuple(_judges_rows(choice.rubric, ratings, levels)),
                notes=tuple(note for rating in ratings if rating is not None for note in notes_of_case((), rating)),
            )
        )
    cases.sort(key=lambda case: (not case.badges, -(case.values[-1] or 0.0)))
    filters = {"flips": "decision flips", "apart": "scores differ"}
    filters |= {f"{of}off": f"{name}: off gold" for of, name in zip(against_gold, names, strict=False)}
    differing = sum(bool(case.badges or case.values[-1]) for case in cases)
    return Examples(tuple(cases), (*(("gold",) if truth else ()), *names, "difference"), filters, differing)


def _judges_apart(rubric: Rubric, names: Sequence[str], ratings: Sequence[Rating | None]) -> Iterator[str]:
    """Yield a line for each criterion to which the judges gave different levels, with each judge's level."""
    for criterion in rubric.criteria:
        levels = [rating.criteria.get(criterion.name, BLANK).level if rating else None for rating in ratings]
        levels_by_judge = [(name, level) for name, level in zip(names, levels, strict=True) if level is not None]
        if len({level for _, level in levels_by_judge}) > 1:
            in_words = criterion.scale.level_name
            yield f"{criterion.name}: {', '.join(f'{name} {in_words(level)}' for name, level in levels_by_judge)}"


def _judges_rows(
    rubric: Rubric, ratings: Sequence[Rating | None], gold: Mapping[str, float]
) -> Iterator[tuple[str, tuple[RatingCell, ...]]]:
    for criterion in rubric.criteria:
        theirs = [rating.criteria.get(criterion.name, BLANK) if rating else BLANK for rating in ratings]
        level = gold.get(criterion.name, math.nan)
        cells = [rating_cell(rated, criterion, level, rated.level) for rated in theirs]
        yield criterion.name, (*([rating_cell(BLANK, criterion, level, finite_or_none(level))] if gold else []), *cells)


def _first_ratings(contender: Contender) -> dict[str, Rating]:
    first: dict[str, Rating] = {}
    for rating in contender.ratings:
        first.setdefault(rating.id, rating)
    return first


def _overall(rating: Rating | None, rubric: Rubric) -> float:
    score = overall_of(rating, rubric) if rating is not None else None
    return math.nan if score is None else score


def _spread(scores: Sequence[float]) -> float:
    known_scores = [score for score in scores if not math.isnan(score)]
    return max(known_scores) - min(known_scores) if known_scores else 0.0
