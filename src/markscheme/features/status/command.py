"""`markscheme status`: the rubrics here, the judges usable here, and the warm session."""

from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.features.status.show import show_status
from markscheme.options.forms import WRITTEN
from markscheme.options.reading import DamageOptions


def status(
    *,
    html: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
    json: JsonFlag = False,
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
) -> int:
    """Show for each rubric what its judge can decide, from the accepted run: use, judge, labels, false passes, cost
    of 1,000 grades, and how long the run stays fresh. Lists the streams and judges watched over time, the judges usable
    here, the batches under way and the running session. Makes no calls.

    Args:
        html: write a page with the history of the accepted runs: agreement, false passes, and what changed; and of the
            streams: what the judge passes and people would pass, by week

    Example:
        markscheme status --html status.html
    """
    return show_status(html, json=json)
