"""`markscheme adjudicate`: one person resolves the labels on which annotators disagree."""

import sys
from collections import Counter
from typing import TYPE_CHECKING

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import RubricName, SkipDamaged
from markscheme.commands.page_options import PageFlag, PageOptions, RaterName, Seed
from markscheme.features.label.command import (
    Pool,
    opened,
    say_what_is_left_out,
    serve_pages,
)
from markscheme.phrases import counted
from markscheme.text import on_one_line

if TYPE_CHECKING:
    from markscheme.features.label.work import Work


def adjudicate(
    rubric: RubricName,
    /,
    *,
    pool: Pool = None,
    rater: RaterName = None,
    seed: Seed = 1,
    page: PageOptions = PageOptions(),
    json: PageFlag = False,
    skip_damaged: SkipDamaged = False,  # noqa: ARG001 - `call` heeds it
) -> int:
    """Resolve the labels on which annotators disagree, on a local web page. It shows the levels they gave, their notes
    and the passages they marked, not their names; what you decide counts as the gold label.

    Example:
        markscheme adjudicate code-quality --rater ann
    """
    with opened(rubric, pool, (rater,), adjudicate=True, seed=seed) as works:
        say_what_is_left_out(works)
        if not works[0].steps:
            print(_nothing_to_decide(works[0], Commands.on(rubric)), file=sys.stderr)
            return 0
        status = serve_pages(works, page, timed=False, json=json)
        for dispute in works[0].disputes():
            (lower, higher), _ = dispute.pairs[0]
            print(
                f"{dispute.criterion.name}: annotators differ on {dispute.disputed} of {dispute.examples}, most often "
                f"{lower} and {higher}. Its words: {on_one_line(dispute.criterion.requirement)}",
                file=sys.stderr,
            )
        return status


def _nothing_to_decide(work: "Work", commands: Commands) -> str:
    """Why there is nothing to adjudicate, and what to do next."""
    if work.disputes():
        return f"nothing left to adjudicate: every disagreement is decided\nNext: {commands.calibrate()}"
    raters = Counter(id for id, _ in {(rating.id, rating.rater) for rating in work.everyone if rating.kind == "human"})
    shared = sum(n > 1 for id, n in raters.items() if id in work.examples)
    if not shared:
        second = commands.label(" --rater SECOND")
        return f"nothing to adjudicate: no response has labels by two annotators yet\nNext: {second}"
    have = "has" if shared == 1 else "have"
    agree = f"{counted(shared, 'response')} {have} labels by two annotators or more,\nwho agree on each"
    return f"nothing to adjudicate: {agree}\nNext: {commands.calibrate()}"
