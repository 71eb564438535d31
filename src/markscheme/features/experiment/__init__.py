"""Experiments: prompt variants are run on cases, their outputs are graded, and the variants compared case by case."""

from collections.abc import Sequence

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.readers.file_format import FORMATS, FileFormat
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.experiment.command import experiment

    return experiment


def _formats() -> Sequence[FileFormat]:
    from markscheme.features.experiment.report_file import EXPERIMENT_REPORT

    return (EXPERIMENT_REPORT,)


EXPERIMENT = Feature(
    "experiment",
    COMMANDS(
        CommandRow(
            "experiment",
            "Improve",
            "run prompt variants on cases, grade and compare the outputs",
            _command,
            rank=40,
            common="model outputs fail-if accept plan calibration judge budget details json markdown html",
        )
    ),
    FORMATS(_formats),
)
