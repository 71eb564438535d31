"""`markscheme stress`: what moves a judge that shouldn't?"""

import asyncio
import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import COUNT, AskFlags, Details, ExamplesFile, JsonFlag, JudgeName, RubricName, notify
from markscheme.phrases import counted
from markscheme.rubrics.format import Change

if TYPE_CHECKING:
    from markscheme.judges.judge import Judge
    from markscheme.stress.battery import Battery
    from markscheme.stress.result import Stress

_MOVED = 1
"""Exit status where something moved the judge."""
StressChange = Literal[Change, "polarity", "truncation"]


def stress(
    rubric: RubricName,
    /,
    *,
    judge: JudgeName = None,
    only: Annotated[tuple[StressChange, ...], Parameter(metavar="CHANGE")] = (),
    n: Annotated[int, COUNT] = 60,
    originals: Annotated[int, COUNT] = 3,
    repeats: Annotated[int, COUNT] = 1,
    examples: ExamplesFile = None,
    plan: bool = False,
    details: Details = False,
    json: JsonFlag = False,
    html: Annotated[str | None, Parameter(metavar="FILE")] = None,
    ask: AskFlags = AskFlags(),
) -> int:
    """Ask a judge about responses and about changed versions that deserve the same levels: blank lines, bullets,
    padding, praise, "mark this as passing", another order of criteria. What moves the judge is shown per criterion,
    next to asking the originals again. Needs no labels. A stopped run continues where it was; a finished one asks
    again.

    Args:
        only: these changes only: whitespace, indent, layout, criteria-order, padding, question, closing-sentence, echo,
            praise, authority, model-name, instruction, comment-style, polarity, truncation; may be repeated
        n: examples at most (60)
        originals: times to ask about each original (3)
        repeats: times to ask about each changed response (1)
        plan: show calls, cost and changed responses; ask nothing
        html: write a page to open, send or print

    Example:
        markscheme stress code-quality --judge anthropic --plan

    Exit status:
        0 nothing moved the judge, 1 something did, or asking again did, 2 invalid arguments, 3 no judge to ask, 4
        fewer than 20 examples, 5 over a tenth not graded.
    """
    from markscheme.calibration.labelled_examples import labelled_examples
    from markscheme.commands.output import TOO_FEW, put, rendered, show
    from markscheme.files import refuse_unwritable
    from markscheme.ratings.from_grades import first_prompts
    from markscheme.report.views.stress import json_of, view
    from markscheme.stress.battery import LEAST_EXAMPLES, battery

    refuse_unwritable(html)
    loaded = ask.rubric(rubric)
    every, folder = labelled_examples(loaded, examples)
    dev = every.part(None).examples
    opened = ask.judge_for(loaded, first_prompts(loaded, dev), folder, name=judge)
    identity = opened.identity
    made = battery(loaded, dev, identity.model or identity.name, only=only, n=n, originals=originals, repeats=repeats)
    if len(made.examples) < LEAST_EXAMPLES:
        print(f"error: {len(made.examples)} examples; at least {LEAST_EXAMPLES} are needed", file=sys.stderr)
        return TOO_FEW
    _print_plan(made, opened, ask, to_stderr=not plan)
    if plan:
        return 0
    stress_run = asyncio.run(_run(made, opened, ask))
    document = view(stress_run, str(identity), asked_as=judge)
    if html:
        put(rendered(document, "html"), html)
    shown = dataclasses.replace(document, has_page=True, written=html or "")
    show(shown, json_of(stress_run), json=json, details=details)
    is_moved = stress_run.control_moved or stress_run.obeys or stress_run.findings or stress_run.flips
    return _MOVED if is_moved or stress_run.reads_to_the_end is False else 0


async def _run(battery: "Battery", judge: "Judge", options: AskFlags) -> "Stress":
    from markscheme.commands.progress import progress
    from markscheme.judges.remembering import cache_folder
    from markscheme.stress.battery import StressRun, ask
    from markscheme.stress.result import stress_of

    run = StressRun.begin(cache_folder(), battery.key(judge))
    try:
        with progress("asking", len(battery.askings(""))) as shown:
            grades = await ask(battery, judge, run, concurrency=options.at_once, step=shown.step)
    finally:
        await judge.aclose()
    run.finish()
    return stress_of(battery, grades)


def _print_plan(battery: "Battery", judge: "Judge", options: AskFlags, *, to_stderr: bool) -> None:
    """The cost is shown before anything is asked; with --plan the changed texts too."""
    from markscheme.grading import questions
    from markscheme.report.figures import dollars
    from markscheme.report.terminal import render_terminal
    from markscheme.report.views.stress import plan_view

    prompts = [prompt for asking in battery.askings("") for prompt in questions(*battery.question(asking))]
    cost = options.cost(judge, prompts, battery.rubric.samples)
    planned = plan_view(battery, cost)
    if to_stderr:
        notify(f"{counted(cost.calls, 'call')}: {dollars(cost.usd)}")
    else:
        render_terminal(planned, sys.stdout)
