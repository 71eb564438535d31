"""`markscheme adjudicate`: one person resolves the labels on which annotators disagree."""

import sys
from shlex import quote

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.label import (
    PageFlag,
    PageOptions,
    Pool,
    RaterName,
    Seed,
    opened,
    say_what_is_left_out,
    serve_pages,
)
from markscheme.commands.options import RubricName, SkipDamaged
from markscheme.text import on_one_line


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
            print(
                "nothing to adjudicate: no response here has labels by two or more annotators who disagree\n"
                f"Next: {Commands(quote(rubric)).calibrate()}",
                file=sys.stderr,
            )
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
