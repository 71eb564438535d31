"""Runs a stress test: makes its questions, estimates their cost, and asks the judge."""

from dataclasses import replace
from pathlib import Path

from markscheme.calibration.findings.table import CAN_IMPROVE
from markscheme.calibration.judge_runs import run_to_end
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.features.stress.battery import Battery, ask, battery, begin_run, finish_run
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.result import Stress, stress_of
from markscheme.grading import questions
from markscheme.judges import cache_folder
from markscheme.judges.cost import Cost, cost_of_asking
from markscheme.judges.judge import Judge, replying
from markscheme.judges.options import AskOptions
from markscheme.progress import Watch, unwatched
from markscheme.ratings.from_grades import first_prompts
from markscheme.rubrics.rubric import Rubric


def open_battery(
    rubric: Rubric,
    options: StressOptions,
    asking: AskOptions,
    *,
    examples: Path | None = None,
    judge: str | None = None,
) -> tuple[Battery, Judge]:
    """Make all questions of a run, about examples that aren't held out, and open the judge, which `run_battery` closes.

    Args:
        rubric: The rubric by which the judge grades.
        options: Which changes are tried, on how many examples, and how often the judge is asked.
        asking: How the judge is asked.
        examples: A file of examples; None for the rubric's own. Labels aren't needed.
        judge: The judge's name; None for the judge that is set, or else the default one.

    Raises:
        NoJudge: No judge was named, and none is available.
        UsageError: The judge can't be opened, there are no examples, or the rubric compares pairs.
    """
    every, folder = labelled_examples(rubric, examples)
    dev = every.part(None).examples
    opened = replying(asking.judge_for(rubric, first_prompts(rubric, dev), folder, name=judge))
    model = opened.identity.model or opened.identity.name
    made = battery(rubric, dev, model, options)
    can_improve = examples is None and any(suffice(rubric, every, None) for suffice in CAN_IMPROVE)
    is_labelled = bool(every.labelled.examples)
    return replace(made, can_improve=can_improve, is_labelled=is_labelled, file=examples), opened


def cost_of_run(made: Battery, judge: Judge, asking: AskOptions) -> Cost:
    """Return what a stress run would cost, without asking anything.

    Args:
        made: The examples with all their changed versions.
        judge: The judge.
        asking: How the judge is asked.
    """
    prompts = [prompt for question in made.askings("") for prompt in questions(*made.question(question))]
    return cost_of_asking(judge, prompts, asking.context(), samples=made.rubric.samples)


def run_battery(made: Battery, judge: Judge, asking: AskOptions, *, watch: Watch = unwatched) -> Stress:
    """Ask the judge all questions that a stopped run hasn't asked yet, and return the result of the whole run.

    Args:
        made: The questions of the run.
        judge: The judge to ask; it is closed at the end.
        asking: How the judge is asked.
        watch: Shows progress.

    Raises:
        BudgetError: The budget doesn't cover another call; answers so far are kept, and the run can be continued.
        NothingGraded: Over a tenth of the questions have no grade.
    """
    return run_to_end(_run(made, judge, asking, watch))


async def _run(made: Battery, judge: Judge, asking: AskOptions, watch: Watch) -> Stress:
    folder = cache_folder()
    key = made.key(judge)
    run = begin_run(folder, key)
    try:
        with watch("asking", len(made.askings(""))) as count_step:
            grades = await ask(made, judge, run, concurrency=asking.at_once, step=count_step)
    finally:
        await judge.aclose()
    finish_run(folder, key, run)
    return stress_of(made, grades)
