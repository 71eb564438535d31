"""`markscheme export`: examples for other tools."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.options import LabelOptions
from markscheme.commands.families import only
from markscheme.commands.options import RubricName
from markscheme.options.forms import WRITTEN
from markscheme.options.reading import DamageOptions
from markscheme.options.table import AddedOptions

WHAT_JUDGE_NAMES = (
    "with --promptfoo, the judge that its configuration names; with counts, a column of the judge; may be repeated"
)
NamedJudges = Annotated[tuple[str, ...], Parameter(metavar="NAME", help=WHAT_JUDGE_NAMES)]


def export(
    rubric: RubricName,
    /,
    *,
    promptfoo: Annotated[Path | None, Parameter(metavar="FILE"), WRITTEN] = None,
    labels: Annotated[LabelOptions, only(LabelOptions, "examples", "split")] = LabelOptions(),
    judge: NamedJudges = (),
    added: AddedOptions = AddedOptions(),
    json: Annotated[bool, Parameter(help="print one JSON list instead of lines")] = False,
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
) -> int:
    """Write a rubric's examples for other tools. Makes no calls.

    With --promptfoo it writes a Promptfoo configuration, to rate the examples in Promptfoo's viewer. With --counts-sql
    it prints a SELECT that counts rows of ratings in a database, with --counts it counts those of files; then --judge
    names the judge's columns. Else the examples with their labels go to standard output, one JSON object per line.

    Args:
        promptfoo: write a Promptfoo configuration to FILE

    Example:
        markscheme export code-quality --promptfoo rate.yaml
    """
    from markscheme.features.other_tools.run_export import export_examples

    return export_examples(rubric, labels, judge, added, promptfoo, json=json)
