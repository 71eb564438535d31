"""`markscheme compare`: judges, runs or results on the same examples."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.calibration.options import LIMITS_OF_A_VERDICT, LabelOptions
from markscheme.commands.families import only, spelled
from markscheme.commands.options import JUDGE_NAMES, AskFlags, Details, ReportOptions
from markscheme.ratings.column_options import ColumnOptions

SIDES = (
    "ratings (.jsonl), JSON of `calibrate`, Promptfoo's results, exports of other tools, grades, or judges: "
    f"{JUDGE_NAMES}"
)


def compare(
    sides: Annotated[tuple[str, ...], Parameter(metavar="A B", help=SIDES)],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME")] = None,
    report: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    pairs: bool = False,
    labels: Annotated[LabelOptions, spelled(all_texts=None, **dict.fromkeys(LIMITS_OF_A_VERDICT))] = LabelOptions(),
    details: Details = False,
    json: bool = False,
    markdown: bool = False,
    output: Annotated[ReportOptions, only(ReportOptions, "html")] = ReportOptions(),
    ask: AskFlags = AskFlags(),
    columns: ColumnOptions = ColumnOptions(),
) -> int:
    """Compare judges on the same examples: which agrees better with the labels and by how much, which examples change
    between pass and fail, what each costs, which is the cheapest that is no worse, and which new score matches an old
    one. Name the judge in use first. Without labels, only the differences between judges are shown.

    Or compare two versions of a rubric, such as old.yaml new.yaml, reply@HEAD~1 reply, or main:rubrics/reply.yaml
    rubrics/reply.yaml, or the reports of `calibrate` with each. If annotators decided about whole responses: which
    version decides more as people do (--judge names a judge to ask with both). If not, no judge is asked: which words
    differ, which labels were given under the old words, and what the judge could decide with the old ones.

    Args:
        rubric: a rubric's name or file; its labelled examples are the gold
        report: with two versions of a rubric, JSON of `calibrate` by the second, for the verdict after the change
        pairs: compare the systems in files of pairs: which one's responses are preferred, by each rater
        json: print JSON
        markdown: print Markdown

    Example:
        markscheme compare anthropic:claude-haiku-4-5 local:judge.gguf --rubric code-quality

    Exit status:
        0 compared, 2 invalid arguments, 3 no judge to ask, 5 a judge graded nothing. With two versions of a
        rubric and no decisions by people, 1 if the versions differ.
    """
    from markscheme.features.compare.print_comparison import print_comparison

    forms = replace(output, details=details, json="-" if json else None, markdown="-" if markdown else None)
    return print_comparison(sides, labels, ask, columns, forms, rubric=rubric, report=report, pairs=pairs)
