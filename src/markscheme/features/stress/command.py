"""`markscheme stress`: which irrelevant changes of responses move a judge's ratings."""

from typing import Annotated

from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import only, spelled
from markscheme.commands.options import (
    AskFlags,
    Details,
    JsonFlag,
    JudgeName,
    ReportOptions,
    RubricName,
)
from markscheme.features.stress.options import StressOptions
from markscheme.files import refuse_unwritable
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table


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
    from markscheme.features.stress.print_run import stress_judge

    refuse_unwritable(output.html)
    refuse_table(rubric)
    columns.refuse(rubric)
    return stress_judge(
        rubric,
        judge,
        stressing,
        ask,
        examples=labels.examples,
        plan=plan,
        details=details,
        json=json,
        html=output.html,
    )
