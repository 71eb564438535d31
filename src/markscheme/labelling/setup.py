"""From what was asked for to a rater's work: rubric, pool, what was drawn from it, and what was labelled before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from markscheme.calibration.comparison import gold_of
from markscheme.calibration.sampling import choose_next, with_split
from markscheme.errors import ComparisonError, UsageError
from markscheme.labelling.disputes import disputed, ratings_in, shown_word
from markscheme.labelling.order import Step, steps_of
from markscheme.labelling.pool import Pool, SetFile, read_pool
from markscheme.labelling.store import LabelFile
from markscheme.labelling.work import Question, Work
from markscheme.ratings.examples import Example, ExampleSet, Split
from markscheme.ratings.rating import Rating
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration, find_rubric


@dataclass(frozen=True)
class Asked:
    """What a rater asked for.

    Attributes:
        rubric: Its name or file.
        pool: What may be labelled; the rubric's own examples where None.
        rater: Who labels.
        next: How many to draw by what their labels would say; the whole pool where None.
        adjudicate: Whether disagreements are to be settled.
        seed: Of the order and the draw.
    """

    rubric: str
    pool: Path | None
    rater: str
    next: int | None = None
    adjudicate: bool = False
    seed: int = 1


def open_work(asked: Asked, here: Path) -> Work:
    """The work of a rater, with what they gave before; `calibration/<rubric>` is made where there is none.

    Raises:
        UsageError: No such rubric, no pool, a name that can't be a rater's, the same rater at work already.
        RatingError: Files that hold no examples or no ratings.
    """
    source = find_rubric(asked.rubric, here)
    rubric = load_rubric(source)
    folder = find_calibration(rubric.name, here) or here / "calibration" / rubric.name
    home = SetFile.within(folder, rubric)
    if asked.pool is None and not home.path.is_file():
        raise UsageError(f"there are no examples of {rubric.name} yet: say by --pool FILE what may be labelled")
    pool = read_pool(asked.pool or home.path, rubric)
    home.check(pool.examples)
    folder.mkdir(parents=True, exist_ok=True)
    file = LabelFile.open(folder / "ratings", asked.rater, "adjudicated" if asked.adjudicate else "human", rubric)
    try:
        return _work(asked, rubric, source, pool, home, file)
    except BaseException:
        file.close()
        raise


def _work(asked: Asked, rubric: Rubric, source: Path, pool: Pool, home: SetFile, file: LabelFile) -> Work:
    examples = {example.id: example for example in pool.examples}
    everything = tuple(Question(criterion) for criterion in rubric.criteria)
    questions: Mapping[str, tuple[Question, ...]] = dict.fromkeys(examples, everything)
    split: Split | None = "dev" if any(example.split for example in home.read()) else None
    ids: Sequence[str] = list(examples)
    if asked.adjudicate:
        people = [*pool.labels, *ratings_in(file.path.parent, rubric)]
        questions = _to_settle(people, rubric, asked.rater, examples)
        ids = list(questions)
    work = Work(rubric, source, examples, questions, _steps(asked, ids), file, home, split, pool.labels)
    if asked.next is not None:
        return _drawn(asked, asked.next, work, pool)
    return work


def _steps(asked: Asked, ids: Sequence[str]) -> tuple[Step, ...]:
    return steps_of(ids, rater=asked.rater, seed=asked.seed, again=not asked.adjudicate)


def _to_settle(
    people: Sequence[Rating], rubric: Rubric, adjudicator: str, examples: Mapping[str, Example]
) -> dict[str, tuple[Question, ...]]:
    return {
        id: tuple(
            Question(criterion, tuple(shown_word(word, criterion) for word in said[criterion.name]))
            for criterion in rubric.criteria
            if criterion.name in said
        )
        for id, said in disputed(people, rubric, adjudicator).items()
        if id in examples
    }


def _drawn(asked: Asked, count: int, work: Work, pool: Pool) -> Work:
    """The work narrowed to what was drawn from the pool; when all of that is labelled, more is drawn."""
    with work.home.held():
        there = work.home.read()
        drawn = _among(pool, there)
        narrowed = replace(work, steps=_steps(asked, drawn))
        free = len(pool.examples) - len(drawn)
        if narrowed.current is not None or not free:
            return narrowed
        draw = choose_next(
            work.rubric,
            pool.examples,
            pool.verdicts,
            min(count, free),
            labelled=there,
            passed=_passed(there, work),
            seed=asked.seed,
        )
        work.home.add([pick.to_json() for pick in with_split(draw, work.split).picks])
        return replace(work, steps=_steps(asked, _among(pool, work.home.read())))


def _among(pool: Pool, there: Sequence[Example]) -> list[str]:
    ids = {example.id for example in there}
    return [example.id for example in pool.examples if example.id in ids]


def _passed(there: Sequence[Example], work: Work) -> dict[str, bool]:
    """People's decisions so far, by id."""
    by_id: dict[str, list[Rating]] = {}
    for rating in ratings_in(work.file.path.parent, work.rubric):
        by_id.setdefault(rating.id, []).append(rating)
    labelled = tuple(replace(e, labels=(*e.labels, *by_id.get(e.id, ()))) for e in there)
    try:
        truth = gold_of(ExampleSet(labelled), work.rubric)
    except ComparisonError:
        return {}
    return {id: bool(p) for id, p in zip(truth.ids, truth.passed.tolist(), strict=True) if not np.isnan(p)}
