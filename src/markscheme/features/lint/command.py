"""`markscheme lint`: errors in rubrics, and advice."""

from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.families import only
from markscheme.commands.options import JsonFlag
from markscheme.errors import UsageError
from markscheme.judges.options import AskOptions


def lint(
    rubrics: Annotated[tuple[str, ...], Parameter(metavar="RUBRIC", help="a rubric's name or file")] = (),
    /,
    *,
    allow_advice: bool = False,
    schema: bool = False,
    ask: Annotated[AskOptions, only(AskOptions, "scorers")] = AskOptions(),
    json: JsonFlag = False,
) -> int:
    """Check rubrics: errors by file and line, and advice on what could be better.

    Args:
        allow_advice: exit 0 if there is only advice
        schema: print the format of rubric files as JSON Schema instead

    Of rows that bring criteria of their own it lists each faulty rubric; name the rubric that they share before them.

    Example:
        markscheme lint rubrics/*.yaml

    Exit status:
        0 no issues, 1 advice, 2 refused.
    """
    from markscheme.features.lint.run import lint_each, print_schema

    if schema:
        return print_schema()
    if not rubrics:
        raise UsageError("name a RUBRIC to check, by its name or its file; --schema prints the format of the files")
    return lint_each(rubrics, ask.scorers, allow_advice=allow_advice, json=json)
