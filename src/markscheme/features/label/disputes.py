"""Agreement and differences of annotators' labels on each criterion, without annotators' names."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from markscheme.features.label.store import load_labels
from markscheme.features.label.whole_question import WHOLE_RESPONSE
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import Column, column_of, rating_table
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.intervals import Floats

_DOES_NOT_APPLY = np.inf
"""Code of "does not apply" in a column of levels, which agrees only with itself."""
DECISION_WORDS = ("no", "yes")
"""Annotators' answers to whether they accept the whole response, as the adjudicator's page shows them."""
AGREEMENT_STEP = 5
"""Number of examples over which agreement is counted at a time, so that no single label can be inferred from it."""


@dataclass(frozen=True, slots=True)
class AgreementSoFar:
    """Agreement on one criterion of a rater's labels with other annotators' labels of the same examples.

    Attributes:
        criterion: Name of the criterion.
        examples: Number of examples that both the rater and another annotator labelled, rounded down to a multiple of
            AGREEMENT_STEP.
        others: Number of labels by other annotators on these examples.
        same: Number of these labels that equal the rater's own.
    """

    criterion: str
    examples: int
    others: int
    same: int


@dataclass(frozen=True, slots=True)
class Dispute:
    """Disagreement of annotators on one question: the number of disputed examples, and which labels differ.

    Attributes:
        criterion: The criterion; `WHOLE_RESPONSE` for the response as a whole.
        examples: Number of examples with two labels or more.
        disputed: Number of these examples with different labels.
        pairs: Pairs of labels that differ, as the page shows them, each with its number, the most common first.
    """

    criterion: Criterion
    examples: int
    disputed: int
    pairs: tuple[tuple[tuple[str, str], int], ...]


def agreement_so_far(
    ratings: Iterable[Rating], rubric: Rubric, rater: str, ids: Sequence[str], *, step: int = AGREEMENT_STEP
) -> list[AgreementSoFar]:
    """Count how often a rater's labels agree with other annotators' labels, for each criterion.

    Of the examples that others labelled too, the earliest are counted, in a multiple of `step`. "Can't tell" and labels
    given under another wording don't count.

    Args:
        ratings: Ratings of all annotators, the rater included.
        rubric: The rubric with its current wording.
        rater: Name of the rater.
        ids: Ids of the examples that the rater has labelled, in the order of labelling; other examples aren't used.
        step: Number of further examples after which the counts are renewed. After a single example, they would give
            another annotator's label away.
    """
    labels = first_labels(ratings, rubric)
    own_column = column_of(rater, [label for label in labels if label.rater == rater], rubric, ids)
    others = rating_table(rubric, ids, [label for label in labels if label.rater != rater]).columns
    nobody = column_of("", (), rubric, ids)
    agreement = []
    for criterion in rubric.criteria:
        mine = _labels_as_numbers([own_column], criterion)
        theirs = _labels_as_numbers(others or (nobody,), criterion)
        common = np.flatnonzero(~np.isnan(mine[:, 0]) & ~np.isnan(theirs).all(axis=1))
        counted = common[: len(common) // step * step]
        is_label = ~np.isnan(theirs[counted])
        is_same = theirs[counted] == mine[counted]
        agreement.append(AgreementSoFar(criterion.name, len(counted), int(is_label.sum()), int(is_same.sum())))
    return agreement


def ratings_in(folder: Path, rubric: Rubric, *, may_be_stale: bool = False) -> list[Rating]:
    """Load the ratings in a folder's .jsonl files; with `may_be_stale`, drop labels on criteria not in the rubric.

    Raises:
        RatingError: A line isn't a rating.
    """
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return [rating for file in files for rating in load_labels(file, rubric, may_be_stale=may_be_stale)]


def disputed(
    ratings: Iterable[Rating], rubric: Rubric, adjudicator: str, ids: Sequence[str]
) -> dict[str, dict[str, tuple[Mapping[str, str], ...]]]:
    """Return the labels on which annotators disagree, with their reasons, by example and then by criterion.

    The lowest level comes first. Labels given under another wording and "can't tell" make no disagreement.
    Disagreements that another adjudicator has decided are left out.

    Args:
        ratings: Ratings of all annotators and adjudicators.
        rubric: The rubric with its current wording.
        adjudicator: Name of the adjudicator, whose own decisions may still be changed and so aren't left out.
        ids: Ids of the examples.
    """
    listed = list(ratings)
    decided = {
        (rating.id, name)
        for rating in listed
        for name, rated in rating.criteria.items()
        if rating.kind == "adjudicated" and rating.rater != adjudicator and _is_of(rated, rubric.criterion(name))
    }
    columns = rating_table(rubric, ids, first_labels(listed, rubric)).columns
    voices_by_id: dict[str, dict[str, tuple[Mapping[str, str], ...]]] = {}
    for criterion in rubric.criteria:
        words = _labels_as_numbers(columns, criterion)
        for row in np.flatnonzero(_differ(words)).tolist():
            if (ids[row], criterion.name) not in decided:
                labelled = [index for index in np.argsort(words[row]).tolist() if not np.isnan(words[row, index])]
                voices = (_voice(columns[index].rating(row), words[row, index], criterion) for index in labelled)
                voices_by_id.setdefault(ids[row], {})[criterion.name] = tuple(voices)
    return voices_by_id


def disputed_decisions(
    ratings: Iterable[Rating], adjudicator: str, ids: Sequence[str]
) -> dict[str, tuple[Mapping[str, str], ...]]:
    """Map each example on which annotators' pass/fail decisions differ to the decisions and their notes, fails first.

    Disagreements that another adjudicator has decided are left out.

    Args:
        ratings: Ratings of all annotators and adjudicators.
        adjudicator: Name of the adjudicator, whose own decisions may still be changed and so aren't left out.
        ids: Ids of the examples.
    """
    listed = list(ratings)
    adjudicated = (rating for rating in listed if rating.kind == "adjudicated" and rating.rater != adjudicator)
    decided = {rating.id for rating in adjudicated if rating.passed is not None}
    return {
        id: tuple(map(_voice_on_whole, sorted(decisions, key=lambda rating: bool(rating.passed))))
        for id, decisions in _first_decisions(listed, ids).items()
        if id not in decided and _are_different(decisions)
    }


def disputes_of(ratings: Iterable[Rating], rubric: Rubric, ids: Sequence[str]) -> list[Dispute]:
    """Return annotators' disagreement on each disputed question, the most disputed one first.

    Questions are the criteria, and whether the whole response is accepted.

    Args:
        ratings: The annotators' labels.
        rubric: The rubric.
        ids: Ids of the examples that count.
    """
    ratings = list(ratings)
    columns = rating_table(rubric, ids, first_labels(ratings, rubric)).columns
    disputes = [*_dispute_on_whole(ratings, ids)]
    for criterion in rubric.criteria:
        words = _labels_as_numbers(columns, criterion)
        differ = _differ(words)
        pairs: Counter[tuple[str, str]] = Counter()
        for row in words[differ]:
            labels = [shown_word(word, criterion) for word in np.unique(row[~np.isnan(row)])]
            pairs[labels[0], labels[-1]] += 1
        several = int(((~np.isnan(words)).sum(axis=1) > 1).sum())
        if pairs:
            disputes.append(Dispute(criterion, several, int(differ.sum()), tuple(pairs.most_common())))
    return sorted(disputes, key=lambda dispute: -dispute.disputed / dispute.examples)


def _dispute_on_whole(ratings: Iterable[Rating], ids: Sequence[str]) -> Iterator[Dispute]:
    """Yield the annotators' disagreement on whole responses, if there is any."""
    several = [decisions for decisions in _first_decisions(ratings, ids).values() if len(decisions) > 1]
    differ = sum(map(_are_different, several))
    if differ:
        yield Dispute(WHOLE_RESPONSE, len(several), differ, ((DECISION_WORDS, differ),))


def _first_decisions(ratings: Iterable[Rating], ids: Sequence[str]) -> dict[str, list[Rating]]:
    """Map each example to a rating of every annotator who decided on the whole response: the first such rating.

    Args:
        ratings: Ratings by all raters, in any order; an annotator's first rating is the one with the lowest sample.
        ids: Ids of the examples.
    """
    first: dict[str, dict[str, Rating]] = {id: {} for id in ids}
    for rating in sorted(ratings, key=lambda rating: rating.sample):
        if rating.kind == "human" and rating.passed is not None and rating.id in first:
            first[rating.id].setdefault(rating.rater, rating)
    return {id: list(by_rater.values()) for id, by_rater in first.items()}


def _are_different(decisions: Sequence[Rating]) -> bool:
    return len({rating.passed for rating in decisions}) > 1


def first_labels(ratings: Iterable[Rating], rubric: Rubric) -> list[Rating]:
    """Return each annotator's first rating of each example, without labels given to an earlier wording."""
    first: dict[tuple[str, str], Rating] = {}
    for rating in sorted(ratings, key=lambda rating: rating.sample):
        if rating.kind == "human":
            current = {name: rated for name, rated in rating.criteria.items() if _is_of(rated, rubric.criterion(name))}
            first.setdefault((rating.id, rating.rater), replace(rating, criteria=current))
    return list(first.values())


def _labels_as_numbers(columns: Sequence[Column], criterion: Criterion) -> Floats:
    """Return labels on a criterion as numbers: levels, a code for "does not apply", or nan; a column per annotator."""
    if not columns:
        return np.empty((0, 0))
    name = criterion.name
    return np.column_stack([np.where(c.skipped[name], _DOES_NOT_APPLY, c.levels[name]) for c in columns])


def _differ(words: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return flags of the examples on which annotators' labels on a criterion differ, shape (n_examples,).

    Args:
        words: The labels as numbers, shape (n_examples, n_annotators), nan if missing.
    """
    lowest = np.where(np.isnan(words), np.inf, words).min(axis=1, initial=np.inf)
    highest = np.where(np.isnan(words), -np.inf, words).max(axis=1, initial=-np.inf)
    return np.asarray(highest > lowest)


def _is_of(rated: Rated, criterion: Criterion) -> bool:
    return rated.under == "" or criterion.is_worded(rated.under)


def _voice(rating: Rating | None, word: float, criterion: Criterion) -> Mapping[str, str]:
    """Return an annotator's label, reason and quote as the dict that the adjudicator's page shows.

    Args:
        rating: The annotator's rating; None if reason and quote aren't known.
        word: The label as a number: the level's value, or the number that means "does not apply".
        criterion: The criterion.
    """
    label = shown_word(word, criterion)
    if rating is None:
        return {"label": label, "reason": "", "quote": ""}
    rated = rating.criteria[criterion.name]
    reason = " · ".join(words for words in (rated.reason, rating.note) if words)
    return {"label": label, "reason": reason, "quote": rated.quote or ""}


def _voice_on_whole(rating: Rating) -> Mapping[str, str]:
    """Return an annotator's note and decision on a whole response, as the dict that the adjudicator's page shows."""
    return {"label": DECISION_WORDS[bool(rating.passed)], "reason": rating.note or "", "quote": ""}


def shown_word(word: float, criterion: Criterion) -> str:
    """Return a label's text on the labelling page, such as "yes", a level or "does not apply".

    Args:
        word: The label as a number.
        criterion: The criterion.
    """
    if word == _DOES_NOT_APPLY:
        return "does not apply"
    if criterion.scale.is_yes_no and word in criterion.scale.values:
        return DECISION_WORDS[criterion.scale.values.index(word)]
    choices: Mapping[float, str] = dict(zip(criterion.scale.values, criterion.scale.choices, strict=True))
    return choices.get(word, f"{word:g}")
