"""The installed commands, run as a user runs them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent


def run(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished command, output captured; keys of the machine are not passed on."""
    return subprocess.run(
        [str(SCRIPTS / command[0]), *command[1:]],
        cwd=cwd,
        env=environment(env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without keys and addresses of judges."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ANTHROPIC_", "OPENAI_", "GEMINI_"))}
    kept.pop("GITHUB_STEP_SUMMARY", None)
    return {**kept, **(extra or {})}
