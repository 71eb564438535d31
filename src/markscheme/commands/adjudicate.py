"""`markscheme adjudicate`: one person resolves the labels on which annotators disagree."""

from markscheme.commands.label import FIRST_PORT, PageFlag, Pool, Port, RaterName, Seed, open_page
from markscheme.commands.options import RubricName, SkipDamaged


def adjudicate(
    rubric: RubricName,
    /,
    *,
    pool: Pool = None,
    rater: RaterName = None,
    seed: Seed = 1,
    port: Port = FIRST_PORT,
    json: PageFlag = False,
    skip_damaged: SkipDamaged = False,  # noqa: ARG001 - `call` heeds it
) -> int:
    """Resolve the labels on which annotators disagree, on a local web page. It shows the levels they gave, not their
    names; what you decide counts as the gold label.

    Example:
        markscheme adjudicate code-quality --rater ann
    """
    return open_page(rubric, pool, rater, adjudicate=True, seed=seed, port=port, json=json)
