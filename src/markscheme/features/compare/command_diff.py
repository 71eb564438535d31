"""`markscheme diff`: what a change of a rubric does to its labels and its verdict."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag, RubricName
from markscheme.commands.output import put, rendered, show


def diff(
    rubric: RubricName,
    /,
    *,
    since: Annotated[str, Parameter(metavar="COMMIT")] = "HEAD",
    report: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    markdown: Annotated[str | None, Parameter(metavar="FILE")] = None,
    json: JsonFlag = False,
) -> int:
    """Say what a change of a rubric does: which words differ since a commit, which labels were given under the old
    words, and what its judge could decide by the judge card of that commit. Makes no calls.

    Args:
        since: the commit to compare with (HEAD)
        report: JSON of `calibrate` by the rubric as it is now, for the verdict after the change
        markdown: write Markdown, such as for a comment on a pull request; - for standard output

    Example:
        markscheme diff code-quality --since main --report calibration.json

    Exit status:
        0 no change, 1 changed, 2 invalid arguments.
    """
    from markscheme.features.compare.rubric_change import rubric_change
    from markscheme.features.compare.view_rubric_change import json_of, view

    change = rubric_change(rubric, since, report)
    if markdown:
        put(rendered(view(change), "markdown"), markdown)
    if markdown != "-":
        show(view(change), json_of(change), json=json)
    return int(change.is_changed)
