"""The work of `tune`, apart from its parser so that `--help` loads none of it."""

import argparse
import asyncio
import datetime
import subprocess
import sys
from pathlib import Path

from markscheme.calibration.calibration import Options, Rater, calibration_of
from markscheme.calibration.collect import first_prompts
from markscheme.calibration.tuning import Promised, Proposal, propose
from markscheme.commands.asking import asked
from markscheme.commands.sources import as_asked, asking_of, judge_of, labelled_examples, scorers_of
from markscheme.errors import UsageError
from markscheme.judges.recorded import RecordedJudge
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating, load_ratings
from markscheme.ratings.splits import (
    Openings,
    open_test_labels,
    openings_of,
    record_tuning,
    used_to_tune,
    warn_of_split_groups,
)
from markscheme.report.json_report import dumps
from markscheme.report.tune_report import TuneRun, tune_json, tune_text
from markscheme.rubrics.edit import edit
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric
from markscheme.stats.pass_mark import LEAST_FOR_MARK, LEAST_OF_EACH
from markscheme.stats.weights import LEAST_FOR_WEIGHTS

TOO_FEW = 4
NEEDED = (
    f"weights need {LEAST_FOR_WEIGHTS} examples with an overall mark, a pass mark {LEAST_FOR_MARK} with "
    f"{LEAST_OF_EACH} passes and {LEAST_OF_EACH} fails"
)


def run(arguments: argparse.Namespace) -> int:
    """Propose, print, and write if asked to."""
    path = find_rubric(arguments.rubric)
    if arguments.write and not arguments.force:
        _refuse_uncommitted(path)
    rubric = as_asked(load_rubric(path), arguments)
    examples, folder = labelled_examples(rubric, arguments.examples)
    warn_of_split_groups(examples)
    dev = examples.part(None)
    if not dev.labels:
        print(f"error: no example in {examples.path} is labelled; {NEEDED}", file=sys.stderr)
        return TOO_FEW
    test, openings = _kept_back(examples, final=arguments.final)
    rated = ExampleSet((*dev.examples, *(test.examples if test else ())), examples.path)
    ratings, rater = _ratings(rubric, rated, folder, arguments)
    proposal = propose(
        rubric,
        dev,
        ratings=ratings,
        source=arguments.source,
        kind=arguments.gold,
        cost=arguments.cost[0] / arguments.cost[1],
        promised=Promised(arguments.promise, arguments.error, arguments.confidence),
        test=test,
        used=used_to_tune(examples),
    )
    findings = None
    if rater is not None:
        options = Options(gold=arguments.gold)
        findings = calibration_of(rubric, dev, ratings, rater, options=options).findings
    proposed = edit(path, proposal.changes(with_band=arguments.band))
    if arguments.write and proposed.diff:
        proposed.write()
        _put_on_record(proposal, examples)
    split = "dev" if examples.has_splits else ""
    shown = TuneRun(
        proposal,
        split,
        arguments.cost,
        rater,
        findings,
        openings,
        proposed.diff,
        written=arguments.write and bool(proposed.diff),
    )
    print(dumps(tune_json(shown)) if arguments.json else tune_text(shown))
    return TOO_FEW if proposal.too_few else 0


def _kept_back(examples: ExampleSet, *, final: bool) -> tuple[ExampleSet | None, Openings | None]:
    """The test split if it is to be opened, and how often that happened."""
    if final:
        return open_test_labels(examples, by="tune --final", at=_today())
    return None, openings_of(examples)


def _put_on_record(proposal: Proposal, examples: ExampleSet) -> None:
    """Labels that moved weights or pass mark can't promise anything of the outcome later."""
    changes = proposal.changes()
    if changes:
        moved = {"weights": dict(changes.weights), "pass_mark": changes.pass_mark}
        record_tuning(examples, proposal.truth.ids, moved, at=_today())


def _ratings(
    rubric: Rubric, examples: ExampleSet, folder: Path | None, arguments: argparse.Namespace
) -> tuple[list[Rating], Rater | None]:
    """The judge's ratings of the examples, if a judge is asked for, and who it is."""
    if arguments.ratings is not None:
        ratings = load_ratings(arguments.ratings, rubric, keep_unread=True)
        raters = sorted({rating.rater for rating in ratings})
        if not raters:
            raise UsageError(f"{arguments.ratings} holds no ratings")
        if len(raters) != 1:
            raise UsageError(
                f"{arguments.ratings} holds the ratings of {len(raters)} raters ({', '.join(raters)}); keep one file "
                "for each"
            )
        return ratings, Rater(raters[0], "", "ratings", str(arguments.ratings))
    if arguments.judge is None and arguments.source != "judge":
        return [], None
    labelled = examples.labelled
    judge = judge_of(arguments.judge, rubric, first_prompts(rubric, labelled.examples), folder, asking_of(arguments))
    scorers = scorers_of(arguments, rubric)
    ratings = asyncio.run(asked(rubric, judge, labelled, arguments.concurrency, scorers))
    identity = judge.identity
    recorded = isinstance(judge, RecordedJudge)
    return ratings, Rater(str(identity), identity.fingerprint, "recorded" if recorded else "live")


def _refuse_uncommitted(path: Path) -> None:
    """A file whose last state git doesn't hold is not written over unasked."""
    try:
        done = subprocess.run(
            ["git", "status", "--porcelain", "--", path.name],
            cwd=path.resolve().parent,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return
    if done.returncode == 0 and done.stdout.strip():
        raise UsageError(f"{path} has changes that are not committed; commit them first, or say --force")


def _today() -> str:
    return datetime.date.today().isoformat()
