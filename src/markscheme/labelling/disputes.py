"""How often people agree, and on which examples they don't, criterion by criterion, without saying who said what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.ratings.rating import Rated, Rating, load_ratings
from markscheme.rubrics.rubric import Criterion, Rubric

NOT_APPLICABLE = "not applicable"
STEP = 5
"""Agreement is counted over so many examples at a time, so that no single label of another can be told from it."""


@dataclass(frozen=True, slots=True)
class Alike:
    """How often a rater said of one criterion what other people said of the same examples.

    Attributes:
        criterion: Its name.
        examples: Counted, of those that the rater and somebody else labelled; 0 below STEP of them.
        others: Labels of other people on these.
        same: Of these, equal to the rater's own.
    """

    criterion: str
    examples: int
    others: int
    same: int


def alike(ratings: Iterable[Rating], rubric: Rubric, rater: str, ids: Sequence[str]) -> list[Alike]:
    """A rater's agreement with other people so far, for each criterion.

    Counted are whole STEPs of examples, the earliest first. "Can't tell" and labels given under another wording are no
    labels here.

    Args:
        ratings: Everybody's, the rater's own among them.
        rubric: Whose present wording counts.
        rater: Whose agreement it is.
        ids: What the rater has labelled, in the order they did; no other example is looked at.
    """
    said = _first_words(ratings, rubric)
    found = []
    for criterion in rubric.criteria:
        by_rater = [said.get(id, {}).get(criterion.name, {}) for id in ids]
        common = [words for words in by_rater if rater in words and len(words) > 1]
        counted = common[: len(common) // STEP * STEP]
        equal = [word == words[rater] for words in counted for other, word in words.items() if other != rater]
        found.append(Alike(criterion.name, len(counted), len(equal), sum(equal)))
    return found


def ratings_in(folder: Path, rubric: Rubric) -> list[Rating]:
    """All ratings in a folder's files.

    Raises:
        RatingError: Lines that are no ratings.
    """
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else []
    return [rating for file in files for rating in load_ratings(file, rubric, kind="human")]


def disputed(
    ratings: Iterable[Rating], rubric: Rubric, adjudicator: str
) -> dict[str, dict[str, tuple[float | str, ...]]]:
    """What people said of the criteria they disagree on: by id and criterion, one entry a rater, sorted.

    Labels given under another wording, and "can't tell", don't make a disagreement. What somebody else than
    `adjudicator` has settled is none any more.

    Args:
        ratings: Everybody's.
        rubric: Whose present wording counts.
        adjudicator: Whose own decisions may still be changed.
    """
    listed = list(ratings)
    settled = {
        (rating.id, name)
        for rating in listed
        for name, rated in rating.criteria.items()
        if rating.kind == "adjudicated" and rating.rater != adjudicator and _is_of(rated, rubric.criterion(name))
    }
    said: dict[str, dict[str, tuple[float | str, ...]]] = {}
    for id, by_criterion in _first_words(listed, rubric).items():
        for name, by_rater in by_criterion.items():
            if len(set(by_rater.values())) > 1 and (id, name) not in settled:
                said.setdefault(id, {})[name] = tuple(sorted(by_rater.values(), key=str))
    return said


def _first_words(ratings: Iterable[Rating], rubric: Rubric) -> dict[str, dict[str, dict[str, float | str]]]:
    """What each person said when they met an example for the first time: by id, criterion and rater."""
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
    """What a rater said, as the page shows it."""
    if isinstance(word, str):
        return "does not apply"
    choices: Mapping[float, str] = dict(zip(criterion.scale.values, criterion.scale.choices, strict=True))
    return choices.get(word, f"{word:g}")
