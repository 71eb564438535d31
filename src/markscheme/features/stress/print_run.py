"""Output of `stress`: the plan of a run, or the changes that moved the judge's ratings."""

import sys
from dataclasses import replace
from pathlib import Path

from markscheme.commands.options import AskFlags, notify
from markscheme.commands.output import TOO_FEW, put, put_on_screen, rendered, show
from markscheme.commands.progress import progress
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.run import cost_of_run, open_battery, run_battery
from markscheme.features.stress.view import json_of, plan_view, view
from markscheme.phrases import counted
from markscheme.report.figures import dollars

_MOVED = 1
"""Exit status if a change, or asking again, moved the judge."""


def stress_judge(
    rubric: str,
    judge: str | None,
    options: StressOptions,
    ask: AskFlags,
    *,
    examples: Path | None,
    plan: bool,
    details: bool,
    json: bool,
    html: str | None,
) -> int:
    """Ask a judge about responses and changed versions, print which changes moved it, and return the exit status.

    Args:
        rubric: The name or file of the rubric.
        judge: The judge's name; None for the judge that is set, or else the default one.
        options: Which changes are tried, on how many examples, and how often the judge is asked.
        ask: How the judge is asked.
        examples: A file of examples; None for the rubric's own.
        plan: True to print only cost and changed texts.
        details: True to print the figures behind the answer too.
        json: True to print JSON.
        html: The file of an HTML page to write; None for no page.
    """
    battery, opened = open_battery(ask.rubric(rubric), options, ask, examples=examples, judge=judge)
    if battery.lack is not None:
        print(f"error: {battery.lack}", file=sys.stderr)
        return TOO_FEW
    cost = cost_of_run(battery, opened, ask)
    if plan:
        put_on_screen(plan_view(battery, cost))
        return 0
    notify(f"{counted(cost.calls, 'call')}: {dollars(cost.usd)}")
    result = run_battery(battery, opened, ask, watch=progress)
    document = view(result, str(opened.identity), asked_as=judge, ask=ask)
    if html:
        put(rendered(document, "html"), html)
    shown = replace(document, has_page=True, written=html or "")
    show(shown, json_of(result), json=json, details=details)
    return _MOVED if result.is_moved else 0
