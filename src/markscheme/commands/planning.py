"""The work of `calibrate --plan` and `--next`: what to label and what it costs, before anybody is asked."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from markscheme.calibration.collect import first_prompts
from markscheme.calibration.comparison import Comparison, compare
from markscheme.calibration.plan import Cost, cost_of, needs_of
from markscheme.calibration.sampling import Draw, choose_next, with_split
from markscheme.commands.asking import asked
from markscheme.commands.output import put
from markscheme.commands.sources import as_asked, asking_of, judge_of, labelled_examples, scorers_of
from markscheme.errors import ComparisonError, NoJudge, UsageError
from markscheme.judges.judge import Judge, Reply
from markscheme.judges.price import Price
from markscheme.judges.recorded import RecordedJudge
from markscheme.judges.remembering import Remembering
from markscheme.prompt import Prompt
from markscheme.ratings.examples import ExampleSet, load_examples
from markscheme.ratings.gold import Gold, gold_of, no_gold
from markscheme.ratings.rating import JUDGES, Rating, load_ratings
from markscheme.report.json_report import dumps
from markscheme.report.plan_report import Plan, plan_json, plan_text
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration, find_rubric


def run(arguments: argparse.Namespace) -> int:
    """Plan and print; the examples to label go to standard output, ready to be appended to a set."""
    if (arguments.next is None) != (arguments.pool is None):
        raise UsageError("--next N says how many to label and --pool FILE out of what: give both")
    if arguments.json == "-" and arguments.next is not None:
        raise UsageError("--next writes the examples to label to standard output; name a file for --json")
    if len(arguments.rubric) != 1:
        raise UsageError("a plan is of one rubric")
    rubric = as_asked(load_rubric(find_rubric(arguments.rubric[0])), arguments)
    everything, folder = _examples(rubric, arguments.examples)
    examples = everything.part(arguments.split)
    truth = _gold(rubric, examples, arguments)
    ratings = load_ratings(arguments.ratings, rubric, keep_unread=True) if arguments.ratings else []
    prompts = first_prompts(rubric, examples.labelled.examples or examples.examples)
    judges = [_judge(name, rubric, prompts, folder, arguments) for name in arguments.judge or [None]]
    pilot = _pilot(rubric, truth, examples, ratings, judges, arguments)
    target = rubric.target if arguments.target is None else arguments.target
    plan = Plan(
        rubric.name,
        len(truth.ids),
        needs_of(truth, pilot, rubric.criteria, target=target, half_width=arguments.width),
        [_cost(judge, prompts, rubric, arguments) for judge in judges],
        _next(rubric, everything, truth, ratings, arguments),
    )
    _write(plan, arguments)
    return 0


def _write(plan: Plan, arguments: argparse.Namespace) -> None:
    taken = arguments.json == "-" or plan.next is not None
    if not arguments.quiet:
        print(plan_text(plan), file=sys.stderr if taken else sys.stdout)
    if arguments.json:
        put(dumps(plan_json(plan)) + "\n", arguments.json)
    for pick in plan.next.picks if plan.next is not None else ():
        print(json.dumps(pick.to_json(), ensure_ascii=False))


def _examples(rubric: Rubric, named: Path | None) -> tuple[ExampleSet, Path | None]:
    """The examples so far; none where there is no set yet."""
    folder = find_calibration(rubric.name, Path.cwd())
    if named is None and (folder is None or not list(folder.glob("examples.*"))):
        return ExampleSet(()), folder
    return labelled_examples(rubric, named)


def _gold(rubric: Rubric, examples: ExampleSet, arguments: argparse.Namespace) -> Gold:
    try:
        return gold_of(examples, rubric, kind=arguments.gold, by=arguments.gold_by)
    except ComparisonError:
        return no_gold(rubric)


def _judge(
    name: str | None, rubric: Rubric, prompts: Sequence[Prompt], folder: Path | None, arguments: argparse.Namespace
) -> Judge | None:
    try:
        return judge_of(name, rubric, prompts, folder, asking_of(arguments))
    except NoJudge:
        return None


def _pilot(
    rubric: Rubric,
    truth: Gold,
    examples: ExampleSet,
    ratings: Sequence[Rating],
    judges: Sequence[Judge | None],
    arguments: argparse.Namespace,
) -> Comparison | None:
    """A judge beside the labels so far, from ratings or a recording; nobody is asked for it."""
    if not truth.ids:
        return None
    recorded = next((judge for judge in judges if isinstance(judge, RecordedJudge)), None)
    if not ratings and recorded is not None:
        ratings = asyncio.run(
            asked(rubric, recorded, examples.labelled, arguments.concurrency, scorers_of(arguments, rubric))
        )
    raters = {rating.rater for rating in ratings}
    ids = set(truth.ids)
    if len(raters) != 1 or not any(rating.id in ids for rating in ratings):
        return None
    return compare(truth.judged(rubric, ratings))


def _cost(judge: Judge | None, prompts: Sequence[Prompt], rubric: Rubric, arguments: argparse.Namespace) -> Cost:
    price = Price.parse(arguments.price) if arguments.price else None
    name = "" if judge is None else str(judge.identity)
    return cost_of(prompts, judge=name, samples=rubric.samples, kept=_kept_by(judge), price=price)


def _kept_by(judge: Judge | None) -> Callable[[Prompt, int], Reply | None] | None:
    if isinstance(judge, RecordedJudge):
        replies = judge.replies
        return lambda prompt, sample: replies.get((prompt.fingerprint, sample))
    return judge.kept if isinstance(judge, Remembering) else None


def _next(
    rubric: Rubric, everything: ExampleSet, truth: Gold, ratings: Sequence[Rating], arguments: argparse.Namespace
) -> Draw | None:
    if arguments.pool is None:
        return None
    pool = load_examples(arguments.pool, rubric).examples
    beside = [label for example in pool for label in example.labels if label.kind in JUDGES]
    passed = {id: bool(p) for id, p in zip(truth.ids, truth.passed.tolist(), strict=True) if not np.isnan(p)}
    draw = choose_next(
        rubric,
        pool,
        [*ratings, *beside],
        arguments.next,
        labelled=everything.examples,
        passed=passed,
        seed=arguments.seed,
    )
    return with_split(draw, "dev" if everything.has_splits else None)
