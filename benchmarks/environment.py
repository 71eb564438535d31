"""An environment of its own for what a benchmark compares with."""

import subprocess
import venv
from pathlib import Path

KEPT = Path(__file__).parents[1] / ".cache" / "benchmarks"


def python_with(name: str, *packages: str) -> Path:
    """The Python of an environment that has these packages, made once."""
    python = KEPT / name / "bin" / "python"
    if not python.exists():
        venv.create(KEPT / name, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    return python
