"""The experiment of the documentation in a folder of its own, with the stand-ins for model and judge next to it."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.commands.console import ROOT

EXAMPLES = ROOT / "docs" / "examples"
FILE, RECORDED = "support.experiment.yaml", "support.outputs.jsonl"
JUDGE, MODEL = "function:desk:judge", "function:desk:answer"


def make_experiment(folder: Path) -> Path:
    """Copy the documentation's files to a folder, and return the path of the experiment's file."""
    for path in EXAMPLES.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    return folder / FILE


def without_settings(file: Path, model: str = MODEL) -> Path:
    """Replace the experiment's model by one that takes no settings."""
    lines = [f"model: {model}" if line.startswith("model:") else line for line in file.read_text().splitlines()]
    file.write_text("\n".join(lines) + "\n")
    return file


def write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    """Write one JSON object per line to a file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
