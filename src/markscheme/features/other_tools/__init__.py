"""Exports of other tools: labels and verdicts converted to ratings, and examples written for their viewers."""

from collections.abc import Sequence

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.readers.file_format import FORMATS, FileFormat
from markscheme.seam import Feature


def _import_ratings() -> CommandFunction:
    from markscheme.features.other_tools.command_import import import_ratings

    return import_ratings


def _export() -> CommandFunction:
    from markscheme.features.other_tools.command_export import export

    return export


def _formats() -> Sequence[FileFormat]:
    from markscheme.features.other_tools.formats import TOOL_FORMATS

    return TOOL_FORMATS


OTHER_TOOLS = Feature(
    "other_tools",
    COMMANDS(
        CommandRow(
            "import",
            "Data",
            "convert labels and verdicts of other tools to ratings",
            _import_ratings,
            rank=10,
            common="rubric to examples append as rater judge human json",
        ),
        CommandRow(
            "export",
            "Data",
            "write examples for other tools, such as Promptfoo's viewer",
            _export,
            rank=20,
            common="promptfoo examples split judge json",
        ),
    ),
    FORMATS(_formats),
)
