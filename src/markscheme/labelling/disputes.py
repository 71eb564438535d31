"""On which examples people disagree, criterion by criterion, without saying who said what."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from markscheme.calibration.ratings import Rated, Rating, load_ratings
from markscheme.rubric import Criterion, Rubric

NOT_APPLICABLE = "not applicable"


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
