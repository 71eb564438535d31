"""The accepted run of a rubric, on the command line: where it is, which comparison with it this is, and writing it."""

import argparse
import asyncio
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from markscheme.calibration.accepted import Accepted, load_accepted
from markscheme.calibration.accepting import accept
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.changes import Setting, changes_between, need_replay
from markscheme.calibration.collect import grade_examples, rating_of
from markscheme.calibration.drift import MARGIN, Since, why_incomparable
from markscheme.commands.sources import scorers_of
from markscheme.errors import BudgetError, ComparisonError, RatingError, RatingWarning, UsageError
from markscheme.files import append_text
from markscheme.fingerprint import fingerprint
from markscheme.grading import Grade, Grading
from markscheme.judges.judge import Judge, Usage, total
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering, cache_folder
from markscheme.judges.rerun import NeverAsked
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import Rating
from markscheme.receipt import ACCEPTED
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder

T = TypeVar("T")
COUNTED = "compared"
"""Folder, in the cache, with a file for each accepted run: one line a run that was compared with it."""


def refuse_accepting(arguments: argparse.Namespace, *, of_results: bool) -> None:
    """Say before anybody is asked that a run cannot be accepted.

    Raises:
        UsageError: It is the run of several judges, or one of no rubric that is to be kept nowhere in particular.
    """
    if not arguments.accept:
        return
    if of_results and arguments.accepted is None:
        raise UsageError("Promptfoo's results name no rubric with which to keep a run; say where by --accepted FILE")
    if len(arguments.judge or ()) > 1:
        raise UsageError(f"--accept keeps the run of one judge; {len(arguments.judge)} are named")


def runs_to_keep(arguments: argparse.Namespace) -> int:
    """How often the whole set is graded: once, or as often as an accepted run keeps."""
    return arguments.samples or 1 if arguments.accept else 1


def accepted_path(rubric: Rubric, folder: Path | None, named: Path | None) -> Path:
    """The accepted.json that is read and written: the named one, else that of the rubric's calibration folder."""
    return named or (folder or calibration_folder(rubric.name, Path.cwd())) / ACCEPTED


def since_accepted(
    rubric: Rubric,
    examples: ExampleSet,
    ratings: Sequence[Rating],
    path: Path,
    arguments: argparse.Namespace,
) -> Since | None:
    """The accepted run that these ratings are held against; None where there is none, or none that fits.

    Raises:
        UsageError: A file was named and is not there.
        ComparisonError: There is one and nothing is common with it, though no other examples were asked for.
    """
    if not path.is_file():
        if arguments.accepted is not None and not arguments.accept:
            raise UsageError(f"there is no accepted run {path}; --accept writes it")
        return None
    accepted = loaded_unless_replaced(load_accepted, path, arguments)
    if accepted is None:
        return None
    why = why_incomparable(accepted, rubric, examples.examples)
    if why is not None:
        _refuse(why, arguments)
        return None
    run = arguments.run_number or _counted(accepted, ratings, count=not (arguments.accept or arguments.no_cache))
    if arguments.planned_runs is not None and run > arguments.planned_runs:
        more = f"this is comparison {run} with {path}, and {arguments.planned_runs} were planned"
        warnings.warn(
            f"{more}: false alarms are likelier than promised; accept a run anew", RatingWarning, stacklevel=2
        )
        run = arguments.planned_runs
    margin = arguments.drift_margin or MARGIN
    return Since(accepted, run, arguments.planned_runs, margin, accepting=arguments.accept)


def loaded_unless_replaced(load: Callable[[Path], T], path: Path, arguments: argparse.Namespace) -> T | None:
    """The accepted run in a file; None where it cannot be read and is about to be replaced.

    Raises:
        RatingError: It cannot be read, and is not to be replaced.
    """
    try:
        return load(path)
    except RatingError as error:
        if not arguments.accept:
            raise
        warnings.warn(f"the run accepted before is not compared: {error}", RatingWarning, stacklevel=2)
        return None


def _refuse(why: str, arguments: argparse.Namespace) -> None:
    """An error, unless it was to be expected: a new run is accepted, or other examples were asked for."""
    if arguments.accept:
        return
    if arguments.accepted is None and (arguments.examples is not None or arguments.split is not None):
        warnings.warn(f"not held against the accepted run: {why}", RatingWarning, stacklevel=2)
        return
    raise ComparisonError(f"{why}; accept a run anew with --accept")


def _counted(accepted: Accepted, ratings: Sequence[Rating], *, count: bool) -> int:
    """Which comparison with the accepted run this is, from 1: the same ratings seen again are the same comparison."""
    file = cache_folder() / COUNTED / f"{accepted.digest[:16]}.txt"
    levels = [[r.id, r.sample, {name: said.level for name, said in r.criteria.items()}, r.overall] for r in ratings]
    this = fingerprint(sorted(levels, key=lambda level: (level[0], level[1])))
    try:
        seen = file.read_text(encoding="ascii").split() if file.is_file() else []
        if this in seen:
            return seen.index(this) + 1
        if count:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            append_text(file, f"{this}\n")
        return len(seen) + 1
    except (OSError, UnicodeDecodeError) as error:
        print(f"warning: comparisons with the accepted run are not counted: {error}", file=sys.stderr)
        return 1


# --- telling causes apart -------------------------------------------------------------------------------------------


def replaying_judge(judge: Judge, reopened: Callable[[], Judge], *, may_ask: bool) -> Judge | None:
    """Today's judge for a replay: itself where it may be asked again, else only as far as its replies are at hand."""
    if may_ask:
        return reopened()
    if isinstance(judge, Remembering):
        return Remembering(NeverAsked(judge), judge.memory)
    return judge if isinstance(judge, RecordedJudge) else None


def with_replay(
    since: Since | None, now: Setting, examples: Sequence[Example], judge: Judge | None, arguments: argparse.Namespace
) -> tuple[Since | None, Usage]:
    """The same, with the judge asked by the accepted rubric where that tells its doing from the rubric's; the cost."""
    if since is None or judge is None or not need_replay(changes_between(since.accepted.setting, now)):
        return since, Usage()
    rubric = since.accepted.setting.rubric
    grading = Grading(rubric, judge, scorers=scorers_of(arguments, rubric))
    grades = asyncio.run(_graded(grading, examples, arguments.concurrency))
    ratings = tuple(rating_of(grade, rubric, str(judge.identity)) for grade in grades)
    return replace(since, replayed=ratings), total(grade.usage for grade in grades)


async def _graded(grading: Grading, examples: Sequence[Example], concurrency: int) -> list[Grade]:
    found: list[Grade] = []
    try:
        async for _, grade in grade_examples(grading, examples, concurrency=concurrency):
            found.append(grade)
    except BudgetError as error:
        print(f"warning: {error}; {len(found)} of {len(examples)} examples are replayed", file=sys.stderr)
    finally:
        await grading.judge.aclose()
    return found


# --- accepting ------------------------------------------------------------------------------------------------------


def accept_run(calibration: Calibration, path: Path, split: str | None) -> None:
    """Write the accepted run, and say where; one with too few graded is told and not kept."""
    if calibration.counts.too_few_graded:
        print(f"warning: not accepted: {calibration.counts.not_graded} examples are not graded", file=sys.stderr)
        return
    ratings = accept(calibration, path, split=split)
    print(f"accepted: {path}, with the judge's ratings in {ratings.name}", file=sys.stderr)
