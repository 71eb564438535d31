"""`markscheme stress`: what moves a judge that shouldn't?"""

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import COUNT, AskFlags, Details, ExamplesFile, JsonFlag, JudgeName, RubricName, notify
from markscheme.phrases import counted
from markscheme.rubrics.format import Change

if TYPE_CHECKING:
    from markscheme.features.stress.run import StressRequest

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
    from markscheme.commands.output import TOO_FEW, put, rendered, show
    from markscheme.commands.progress import progress
    from markscheme.features.stress.run import StressRequest
    from markscheme.features.stress.view import json_of, view
    from markscheme.files import refuse_unwritable

    refuse_unwritable(html)
    request = StressRequest(
        rubric=ask.rubric(rubric),
        examples=examples,
        judge=judge,
        only=only,
        n=n,
        originals=originals,
        repeats=repeats,
        ask=ask,
        watch=progress,
    )
    if request.lacks:
        print(f"error: {request.lacks}", file=sys.stderr)
        return TOO_FEW
    _print_plan(request, to_stderr=not plan)
    if plan:
        return 0
    result = request.run()
    document = view(result, str(request.opened.identity), asked_as=judge)
    if html:
        put(rendered(document, "html"), html)
    shown = dataclasses.replace(document, has_page=True, written=html or "")
    show(shown, json_of(result), json=json, details=details)
    return _MOVED if result.is_moved else 0


def _print_plan(request: "StressRequest", *, to_stderr: bool) -> None:
    """The cost is shown before anything is asked; with --plan the changed texts too."""
    from markscheme.features.stress.view import plan_view
    from markscheme.report.figures import dollars
    from markscheme.report.terminal import render_terminal

    cost = request.cost()
    if to_stderr:
        notify(f"{counted(cost.calls, 'call')}: {dollars(cost.usd)}")
    else:
        render_terminal(plan_view(request.battery, cost), sys.stdout)
