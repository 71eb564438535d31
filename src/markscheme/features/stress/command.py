"""`markscheme stress`: what moves a judge that shouldn't?"""

import dataclasses
import sys
from typing import TYPE_CHECKING, Annotated

from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import only, spelled
from markscheme.commands.options import (
    AskFlags,
    Details,
    JsonFlag,
    JudgeName,
    ReportOptions,
    RubricName,
    notify,
)
from markscheme.commands.output import TOO_FEW, put, put_on_screen, rendered, show
from markscheme.commands.progress import progress
from markscheme.features.stress.options import StressOptions
from markscheme.files import refuse_unwritable
from markscheme.phrases import counted
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.report.figures import dollars

if TYPE_CHECKING:
    from markscheme.features.stress.battery import Battery
    from markscheme.judges.cost import Cost

_MOVED = 1
"""Exit status where something moved the judge."""


def stress(
    rubric: RubricName,
    /,
    *,
    judge: JudgeName = None,
    stressing: StressOptions = StressOptions(),
    labels: Annotated[LabelOptions, only(LabelOptions, "examples")] = LabelOptions(),
    plan: bool = False,
    details: Details = False,
    json: JsonFlag = False,
    output: Annotated[ReportOptions, only(ReportOptions, "html")] = ReportOptions(),
    ask: AskFlags = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Ask a judge about responses and about changed versions that deserve the same levels: blank lines, bullets,
    padding, praise, "mark this as passing", another order of criteria. What moves the judge is shown per criterion,
    next to asking the originals again. Needs no labels. A stopped run continues where it was; a finished one asks
    again.

    Args:
        plan: show calls, cost and changed responses; ask nothing

    Example:
        markscheme stress code-quality --judge anthropic --plan

    Exit status:
        0 nothing moved the judge, 1 something did, or asking again did, 2 invalid arguments, 3 no judge to ask, 4
        fewer than 20 examples, 5 over a tenth not graded.
    """
    from markscheme.features.stress.run import cost_of_run, open_battery, run_battery
    from markscheme.features.stress.view import json_of, view

    html = output.html
    refuse_unwritable(html)
    refuse_table(rubric)
    columns.refuse(rubric)
    battery, opened = open_battery(ask.rubric(rubric), stressing, ask, examples=labels.examples, judge=judge)
    if battery.lack is not None:
        print(f"error: {battery.lack}", file=sys.stderr)
        return TOO_FEW
    _print_plan(battery, cost_of_run(battery, opened, ask), to_stderr=not plan)
    if plan:
        return 0
    result = run_battery(battery, opened, ask, watch=progress)
    document = view(result, str(opened.identity), asked_as=judge)
    if html:
        put(rendered(document, "html"), html)
    shown = dataclasses.replace(document, has_page=True, written=html or "")
    show(shown, json_of(result), json=json, details=details)
    return _MOVED if result.is_moved else 0


def _print_plan(battery: "Battery", cost: "Cost", *, to_stderr: bool) -> None:
    """Print the cost before anything is asked; with --plan the changed texts too."""
    from markscheme.features.stress.view import plan_view

    if to_stderr:
        notify(f"{counted(cost.calls, 'call')}: {dollars(cost.usd)}")
    else:
        put_on_screen(plan_view(battery, cost))
