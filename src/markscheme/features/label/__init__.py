"""Labels by people: what to label and how many, the page on which they label, and their disagreements resolved."""

from markscheme.calibration.results_uses import RESULTS_USES
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.options.table import OPTIONS, Family
from markscheme.seam import Feature


def _label() -> CommandFunction:
    from markscheme.features.label.command import label

    return label


def _plan() -> CommandFunction:
    from markscheme.features.label.command_plan import plan

    return plan


def _adjudicate() -> CommandFunction:
    from markscheme.features.label.command_adjudicate import adjudicate

    return adjudicate


def _labelling() -> type:
    from markscheme.features.label.options import PlanOptions

    return PlanOptions


LABEL = Feature(
    "label",
    COMMANDS(
        CommandRow("label", "Start here", "label responses on a page, blind to judges and others", _label, rank=40),
        CommandRow("plan", "Data", "count labels needed, estimate costs, choose what to label next", _plan, rank=30),
        CommandRow(
            "adjudicate", "Data", "resolve labels on which annotators disagree, on a web page", _adjudicate, rank=40
        ),
    ),
    OPTIONS(Family(_labelling)),
    RESULTS_USES((10, lambda files, *_: f"markscheme label {files}", "label by metric, on a page")),
)
