"""What a fresh interpreter has loaded after a statement."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

HEAVY = {
    "numpy",
    "scipy",
    "pandas",
    "anthropic",
    "openai",
    "httpx",
    "httpx2",
    "rich",
    "rapidfuzz",
    "xllamacpp",
    "genai_prices",
    "pydantic",
}
"""Packages that take long to load."""
ROOT = Path(__file__).parents[1]


def loaded_by(statement: str, cwd: Path = ROOT) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    (loaded,) = loaded_one_by_one([statement], cwd)
    return loaded


def loaded_one_by_one(statements: Iterable[str], cwd: Path = ROOT) -> list[set[str]]:
    """Return the modules loaded after each of the statements, which one fresh interpreter runs one after the other."""
    show = "import json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    code = "\n".join(f"{statement}\n{show}" for statement in statements)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=cwd, env=dict(os.environ)
    )
    return [set(json.loads(line)) for line in done.stderr.splitlines() if line.startswith("[")]
