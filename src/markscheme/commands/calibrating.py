"""The work of `calibrate`, apart from its parser so that `--help` loads none of it."""

import argparse
import asyncio
import datetime
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of
from markscheme.calibration.choice import Choice
from markscheme.calibration.collect import first_prompts, grade_examples, rating_of
from markscheme.commands.accepting import (
    accept_run,
    accepted_path,
    refuse_accepting,
    replaying_judge,
    runs_to_keep,
    since_accepted,
    with_replay,
)
from markscheme.commands.output import put, refuse_outputs, refuse_unmakeable
from markscheme.commands.progress import progress
from markscheme.commands.promptfoo_results import of_results, ratings_of_results, results_among
from markscheme.commands.several_judges import choice_between, chosen, only
from markscheme.commands.sources import (
    as_asked,
    asking_of,
    judge_of,
    labelled_examples,
    ratings_file,
    refuse_what_is_no_rubric,
    scorers_of,
)
from markscheme.commands.splits import openings_by, part_of
from markscheme.errors import BudgetError, UsageError
from markscheme.grading import Grade, Grading
from markscheme.judges.family import warn_of_kinship
from markscheme.judges.judge import Judge, total
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.rerun import FromSample
from markscheme.promptfoo.results import is_results
from markscheme.ratings.examples import Example, ExampleSet, warn_unknown
from markscheme.ratings.rating import Rating, load_ratings
from markscheme.report.json_report import calibration_json, dumps
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric

OUTPUTS = ("json", "markdown", "html", "junit")
"""Options that write a file, or to standard output."""


def run(arguments: argparse.Namespace) -> int:
    """Calibrate, write what was asked for, and give the verdict as exit status."""
    refuse_outputs(arguments, OUTPUTS)
    results = results_among(arguments.rubric)
    refuse_accepting(arguments, of_results=bool(results))
    calibrations = [of_results(results, arguments)] if results else _of_rubric(arguments)
    choice = choice_between(calibrations) if len(calibrations) > 1 else None
    _write(calibrations, choice, arguments)
    return chosen(calibrations, choice).exit_status


def _of_rubric(arguments: argparse.Namespace) -> list[Calibration]:
    """A calibration for each judge that is named, or for each rater in a file of ratings."""
    (named,) = arguments.rubric
    refuse_what_is_no_rubric(named)
    plain = load_rubric(find_rubric(named))
    rubric = as_asked(plain, arguments)
    if arguments.accept:
        rubric = replace(rubric, samples=plain.samples)
    examples, folder = labelled_examples(rubric, arguments.examples)
    if arguments.accept:
        refuse_unmakeable(accepted_path(rubric, folder, arguments.accepted))
    openings = openings_by(arguments, examples, "calibrate")
    every, examples = examples.examples, part_of(examples, arguments)
    options = Options(arguments.gold, arguments.gold_by, arguments.tolerance, arguments.target)
    if arguments.ratings is not None:
        by_rater = _ratings_in(ratings_file(arguments.ratings), rubric, examples)
        warn_unknown({r.id for ratings in by_rater.values() for r in ratings}, every, arguments.ratings)
        calibrations = _from_ratings(by_rater, rubric, examples, folder, arguments, options)
    else:
        calibrations = [
            _from_judge(name, rubric, examples, folder, arguments, options) for name in arguments.judge or [None]
        ]
    if arguments.accept:
        split = (arguments.split or "dev") if examples.has_splits else None
        accept_run(only(calibrations), accepted_path(rubric, folder, arguments.accepted), split)
    for calibration in calibrations:
        warn_of_kinship(_models(calibration.rater), (example.system for example in examples.examples))
    return [replace(calibration, openings=openings) for calibration in calibrations]


def _models(rater: Rater) -> str:
    """The model that was asked, and those that answered."""
    named = (rater.identity.model or rater.identity.name) if rater.identity else rater.name
    return ", ".join(dict.fromkeys((named, *rater.answered_by)))


def _ratings_in(path: Path, rubric: Rubric, examples: ExampleSet) -> dict[str, list[Rating]]:
    by_rater: dict[str, list[Rating]] = {}
    results = is_results(path)
    for rating in (
        ratings_of_results(path, rubric, examples) if results else load_ratings(path, rubric, keep_unread=True)
    ):
        by_rater.setdefault(rating.rater, []).append(rating)
    if not by_rater:
        raise UsageError(f"{path} holds no ratings")
    return by_rater


def _from_ratings(
    by_rater: Mapping[str, Sequence[Rating]],
    rubric: Rubric,
    examples: ExampleSet,
    folder: Path | None,
    arguments: argparse.Namespace,
    options: Options,
) -> list[Calibration]:
    accepted = accepted_path(rubric, folder, arguments.accepted)
    return [
        calibration_of(
            rubric,
            examples,
            ratings,
            Rater(name, "", "ratings", str(arguments.ratings)),
            options=options,
            since=since_accepted(rubric, examples, ratings, accepted, arguments) if len(by_rater) == 1 else None,
        )
        for name, ratings in by_rater.items()
    ]


def _from_judge(
    name: str | None,
    rubric: Rubric,
    examples: ExampleSet,
    folder: Path | None,
    arguments: argparse.Namespace,
    options: Options,
) -> Calibration:
    labelled = examples.labelled.examples
    if not labelled:
        raise UsageError(f"no example in {examples.path} has a label to compare with")
    prompts = first_prompts(rubric, labelled)

    def opened() -> Judge:
        return judge_of(name, rubric, prompts, folder, asking_of(arguments))

    judge = opened()
    first, *later = asyncio.run(_graded(rubric, judge, labelled, arguments))
    rater = _rater(judge, first)
    ratings = [rating_of(grade, rubric, rater.name) for grade in first]
    since = None
    if len(arguments.judge or ()) <= 1:
        since = since_accepted(rubric, examples, ratings, accepted_path(rubric, folder, arguments.accepted), arguments)
    replaying = replaying_judge(judge, opened, may_ask=arguments.replay)
    since, of_replay = with_replay(since, rater.setting(rubric), labelled, replaying, arguments)
    grades = [grade for run in (first, *later) for grade in run]
    return calibration_of(
        rubric,
        examples,
        ratings,
        rater,
        options=options,
        cost=total([*(grade.usage for grade in grades), of_replay]),
        from_cache=sum(grade.replies.get("cache", 0) for grade in grades),
        since=since,
        repeats=[
            rating_of(grade, rubric, rater.name, sample=number)
            for number, run in enumerate(later, start=1)
            for grade in run
        ],
    )


async def _graded(
    rubric: Rubric, judge: Judge, examples: Sequence[Example], arguments: argparse.Namespace
) -> list[list[Grade]]:
    """For each run every example's grade, in order; what was graded before the budget ran out, if it did."""
    runs: list[dict[int, Grade]] = [{} for _ in range(runs_to_keep(arguments))]
    n, scorers = len(examples), scorers_of(arguments, rubric)
    try:
        with progress("grading", n * len(runs), quiet=arguments.quiet) as shown:
            for number, grades in enumerate(runs):
                asked = FromSample(judge, number * rubric.samples) if number else judge
                grading = Grading(rubric, asked, scorers=scorers)
                async for place, grade in grade_examples(grading, examples, concurrency=arguments.concurrency):
                    grades[place] = grade
                    shown.step()
    except BudgetError as error:
        if not runs[0]:
            raise
        done = sum(len(grades) for grades in runs)
        print(f"warning: {error}; {done} of {n * len(runs)} examples are graded", file=sys.stderr)
    finally:
        await judge.aclose()
    return [[grades[place] for place in sorted(grades)] for grades in runs]


def _rater(judge: Judge, grades: Sequence[Grade]) -> Rater:
    identity = judge.identity
    models = tuple(sorted({model for grade in grades for model in grade.models}))
    if isinstance(judge, RecordedJudge):
        dates = " to ".join(dict.fromkeys(judge.recorded))
        provenance = f"{judge.path.name}, {dates}: {judge.provenance}"
        return Rater(str(identity), identity.fingerprint, "recorded", provenance, identity, models)
    return Rater(str(identity), identity.fingerprint, "live", identity=identity, answered_by=models)


def _write(calibrations: Sequence[Calibration], choice: Choice | None, arguments: argparse.Namespace) -> None:
    """The report goes to standard output, or to standard error where that holds JSON or Markdown."""
    taken = any(getattr(arguments, name) == "-" for name in OUTPUTS)
    if not arguments.quiet:
        from markscheme.report.terminal import print_calibration

        for calibration in calibrations:
            print_calibration(calibration, sys.stderr if taken else sys.stdout)
        if choice is not None:
            from markscheme.report.compare_report import print_choice

            print_choice(choice, sys.stderr if taken else sys.stdout)
    if arguments.json:
        put(dumps(_json(calibrations, choice)) + "\n", arguments.json)
    if arguments.markdown:
        put(_markdown(calibrations, choice), arguments.markdown)
    if arguments.junit:
        from markscheme.report.junit import calibrations_junit

        put(calibrations_junit(calibrations), arguments.junit)
    if arguments.html:
        from markscheme.report.html_report import calibrations_html

        when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        put(calibrations_html(calibrations, choice, when=when), arguments.html)
    _add_step_summary(calibrations, choice)


def _json(calibrations: Sequence[Calibration], choice: Choice | None) -> dict[str, Any]:
    """One calibration as it is; several as a list, with the choice between them."""
    if choice is None:
        return calibration_json(calibrations[0])
    from markscheme.report.compare_report import choice_json

    judges = [calibration_json(calibration) for calibration in calibrations]
    return {"schema": 1, "judges": judges, "comparison": choice_json(choice)}


def _markdown(calibrations: Sequence[Calibration], choice: Choice | None) -> str:
    from markscheme.report.markdown import calibration_markdown

    parts = [calibration_markdown(calibration) for calibration in calibrations]
    if choice is not None:
        from markscheme.report.compare_report import choice_markdown

        parts.insert(0, choice_markdown(choice))
    return "\n".join(parts)


def _add_step_summary(calibrations: Sequence[Calibration], choice: Choice | None) -> None:
    if not os.environ.get("GITHUB_STEP_SUMMARY"):
        return
    from markscheme.report.step_summary import append_step_summary

    try:
        append_step_summary(_markdown(calibrations, choice))
    except OSError as error:
        print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)
