"""How often annotators agree, and on which examples they don't, per criterion, without names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.ratings.rating import Rated, Rating, load_ratings
from markscheme.rubrics.rubric import Criterion, Rubric

NOT_APPLICABLE = "not applicable"
STEP = 5
"""Agreement is counted over this many examples at a time, so that no single label can be worked out from it."""


@dataclass(frozen=True, slots=True)
class AgreementSoFar:
    """How often a rater gave the label that other annotators gave, on one criterion.

    Attributes:
        criterion: Name of the criterion.
        examples: Examples counted, of those that another annotator labelled too; 0 if fewer than STEP.
        others: Labels of other annotators on these examples.
        same: How many of them equal the rater's own.
    """

    criterion: str
    examples: int
    others: int
    same: int


def agreement_so_far(ratings: Iterable[Rating], rubric: Rubric, rater: str, ids: Sequence[str]) -> list[AgreementSoFar]:
    """A rater's agreement with other annotators so far, one entry per criterion.

    The earliest examples are counted, in multiples of STEP. "Can't tell" and labels given under another wording don't
    count.

    Args:
        ratings: Ratings of all annotators, the rater included.
        rubric: The rubric with its current wording.
        rater: Name of the rater.
        ids: Examples the rater has labelled, in that order; no other example is used.
    """
    labels = _first_labels(ratings, rubric)
    found = []
    for criterion in rubric.criteria:
        by_rater = [labels.get(id, {}).get(criterion.name, {}) for id in ids]
        common = [words for words in by_rater if rater in words and len(words) > 1]
        counted = common[: len(common) // STEP * STEP]
        equal = [word == words[rater] for words in counted for other, word in words.items() if other != rater]
        found.append(AgreementSoFar(criterion.name, len(counted), len(equal), sum(equal)))
    return found


def ratings_in(folder: Path, rubric: Rubric) -> list[Rating]:
    """All ratings in the .jsonl files of a folder.

    Raises:
        RatingError: A line isn't a rating.
    """
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return [rating for file in files for rating in load_ratings(file, rubric, kind="human")]


def disputed(
    ratings: Iterable[Rating], rubric: Rubric, adjudicator: str
) -> dict[str, dict[str, tuple[float | str, ...]]]:
    """The labels on which annotators disagree, by id and criterion: one entry per annotator, sorted.

    Labels given under another wording and "can't tell" make no disagreement. What another adjudicator has decided is
    left out.

    Args:
        ratings: Ratings of all annotators and adjudicators.
        rubric: The rubric with its current wording.
        adjudicator: Name of the rater who may still change their own decisions.
    """
    listed = list(ratings)
    decided = {
        (rating.id, name)
        for rating in listed
        for name, rated in rating.criteria.items()
        if rating.kind == "adjudicated" and rating.rater != adjudicator and _is_of(rated, rubric.criterion(name))
    }
    said: dict[str, dict[str, tuple[float | str, ...]]] = {}
    for id, by_criterion in _first_labels(listed, rubric).items():
        for name, by_rater in by_criterion.items():
            if len(set(by_rater.values())) > 1 and (id, name) not in decided:
                said.setdefault(id, {})[name] = tuple(sorted(by_rater.values(), key=str))
    return said


def _first_labels(ratings: Iterable[Rating], rubric: Rubric) -> dict[str, dict[str, dict[str, float | str]]]:
    """Each annotator's first label of an example, by id, criterion and rater."""
    found: dict[str, dict[str, dict[str, float | str]]] = {}
    for rating in sorted(ratings, key=lambda rating: -rating.sample):
        if rating.kind != "human":
            continue
        for name, rated in rating.criteria.items():
            if _is_of(rated, rubric.criterion(name)) and (word := _word(rated)) is not None:
                found.setdefault(rating.id, {}).setdefault(name, {})[rating.rater] = word
    return found


def _is_of(rated: Rated, criterion: Criterion) -> bool:
    return rated.under in ("", criterion.fingerprint)


def _word(rated: Rated) -> float | str | None:
    return NOT_APPLICABLE if rated.declined == NOT_APPLICABLE else rated.level


def shown_word(word: float | str, criterion: Criterion) -> str:
    """A label as the page shows it."""
    if isinstance(word, str):
        return "does not apply"
    choices: Mapping[float, str] = dict(zip(criterion.scale.values, criterion.scale.choices, strict=True))
    return choices.get(word, f"{word:g}")
