"""Separate Python environments for other tools' packages."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import ROOT, environment

QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "MLFLOW_DISABLE_TELEMETRY": "true", "HF_HUB_OFFLINE": "1"}
PACKAGES = {
    "argilla": ("argilla==2.8.*", "requests"),
    "daft": ("openai",),
    "irrcac": ("irrCAC==0.4.4",),
    "labelstudio": ("label-studio==1.23.*",),
    "langfuse": ("langfuse==5.0.*",),
    "langsmith": ("langsmith==0.15.*",),
    "otel": ("opentelemetry-sdk",),
    "phoenix": ("arize-phoenix",),
    "ragas": ("ragas==0.4.*", "langchain-community<0.4"),
    "ray": ("ray[data]", "-e", f"{ROOT}[openai]"),
    "trl": ("torch==2.13.*",),
}
"""What an environment has besides markscheme with the extra of its name."""
NO_EXTRA = {"argilla", "irrcac", "labelstudio", "langfuse", "langsmith", "phoenix", "ragas", "ray"}


@cache
def interpreter(name: str) -> Path:
    """Make an environment once, and return its Python interpreter."""
    home = ROOT / ".cache" / "frameworks" / name
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        ours = [] if name in NO_EXTRA else ["-e", f"{ROOT}[{name}]"]
        command = [str(python), "-m", "pip", "install", "-q", *ours, *PACKAGES.get(name, ())]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.fail(f"nothing is proven, since {name} can't be installed: {done.stderr.strip()[-200:]}")
        (home / "complete").touch()
    return python


def ran(program: Path, folder: Path, **variables: str) -> Any:
    """Run a program in the environment named like its file; return the JSON on its last line of output."""
    python_path = f"{ROOT / 'src'}:{program.parent}"
    done = subprocess.run(
        [str(interpreter(program.stem)), str(program)],
        cwd=folder,
        env=environment({**QUIET, "PYTHONPATH": python_path, **variables}),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    last = done.stdout.strip().rpartition("\n")[2]
    return json.loads(last) if last.startswith(("{", "[")) else None
