"""Labels by people: what to label and how many, the page on which people label, and how disagreements are resolved."""

from collections.abc import Sequence

from markscheme.calibration.results_commands import RESULTS_USES
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.options.table import OPTIONS, Family
from markscheme.readers.file_format import FORMATS, FileFormat
from markscheme.seam import Feature


def _label() -> CommandFunction:
    from markscheme.features.label.command import label

    return label


def _of_plan(words: Sequence[str]) -> list[str]:
    """Convert arguments of the removed command `plan` to arguments of `label`."""
    draws = any(word.partition("=")[0] in ("--next", "--pairs") for word in words)
    return [*words, "--to", "TO-LABEL.jsonl"] if draws else [*words, "--plan"]


def _of_adjudicate(words: Sequence[str]) -> list[str]:
    """Convert arguments of the removed command `adjudicate` to arguments of `label`."""
    return [*words, "--disputed"]


def _labelling() -> type:
    from markscheme.features.label.options import PlanOptions

    return PlanOptions


def _formats() -> Sequence[FileFormat]:
    from markscheme.features.label.plan_file import PLAN

    return (PLAN,)


LABEL = Feature(
    "label",
    COMMANDS(
        CommandRow(
            "label",
            "Start here",
            "label responses on a page, blind to judges and others",
            _label,
            40,
            {"plan": _of_plan, "adjudicate": _of_adjudicate},
            common="pool rater plan next to ratings disputed progress audits sheet share",
        ),
    ),
    OPTIONS(Family(_labelling)),
    FORMATS(_formats),
    RESULTS_USES((10, 1, "markscheme label FILES", "label by metric, on a page")),
)
