"""`markscheme experiment`: prompt variants x cases, graded, and compared per case."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.families import only, spelled
from markscheme.commands.options import JUDGE_NAMES, AskFlags, Details, JsonTarget, JudgeName, ReportOptions
from markscheme.commands.output import refuse_outputs
from markscheme.options.forms import WRITTEN
from markscheme.ratings.column_options import ColumnOptions

RULES = '"overall < 0.8", "tone < 4", "formal.pass_rate < 0.9", or worse (than the accepted run); may be repeated'


def experiment(
    file: Annotated[Path, Parameter(metavar="FILE", help="the experiment, in YAML or JSON")],
    /,
    *,
    model: Annotated[
        str | None, Parameter(metavar="NAME", help=f"makes the outputs, instead of the file's: {JUDGE_NAMES}")
    ] = None,
    outputs: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    fail_if: Annotated[tuple[str, ...], Parameter(metavar="RULE", help=RULES)] = (),
    accept: bool = False,
    plan: bool = False,
    calibration: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    details: Details = False,
    csv: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
    json: JsonTarget = None,
    output: Annotated[ReportOptions, only(ReportOptions, "markdown")] = ReportOptions(),
    html: Annotated[str | None, Parameter(metavar="FILE"), WRITTEN] = None,
    judge: JudgeName = None,
    ask: Annotated[AskFlags, spelled(model="--judge-model")] = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Run prompt variants on cases, grade every output with a rubric, and show how the variants differ: mean, minimum
    and maximum of each criterion, the overall score, pass rates, and paired differences with intervals.

    FILE names rubric, variants and cases, and where outputs come from: a model, a function, a file, or Promptfoo's
    results. A stopped run continues where it was: outputs are kept in a folder next to FILE, replies in the cache.

    Args:
        outputs: take all outputs from a file that `grade` reads: .jsonl, .csv, .tsv, .parquet, or an export
        accept: keep this run; later runs show what moved since
        plan: show outputs to make, calls and cost; make no calls
        calibration: correct pass rates with what `calibrate --json` wrote
        csv: write the table as CSV; - for standard output
        html: write a page with the variants case by case

    Example:
        markscheme experiment support.experiment.yaml --judge anthropic --fail-if "overall < 0.8" --fail-if worse

    Exit status:
        0 done, 1 a --fail-if rule applies, 2 invalid arguments, 3 no model or judge to ask, 5 over a tenth of the
        outputs not graded.
    """
    from markscheme.features.experiment.print_run import print_experiment

    targets = {"csv": csv, "json": json, "markdown": output.markdown, "html": html}
    refuse_outputs(targets)
    return print_experiment(
        file,
        ask,
        columns,
        model=model,
        judge=judge,
        outputs=outputs,
        fail_if=fail_if,
        accept=accept,
        plan=plan,
        calibration=calibration,
        targets=targets,
        details=details,
    )
