"""Experiments: prompt variants are run on cases, their outputs are graded, and the variants compared case by case."""

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.seam import Feature


def _command() -> CommandFunction:
    from markscheme.features.experiment.command import experiment

    return experiment


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
)
