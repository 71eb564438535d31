"""Our commands, run as a user runs them."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tests.commands.warm_client import COMMANDS, Asked

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).parent
"""The folder with the scripts as pip wrote them; each starts an interpreter, which loads all it needs."""
SECONDS = 300
"""What hangs is ended; a slow machine gets there long before."""
SOCKET = "socket"


def run(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """The finished command, in a process of its own, output captured; keys of the machine are not passed on.

    Another command than ours, or one whose `env` configures the interpreter, is started by its installed script.
    """
    own = {name for name, value in (env or {}).items() if os.environ.get(name) != value}
    if command[0] not in COMMANDS or any(name.startswith("PYTHON") for name in own):
        return run_installed(*command, cwd=cwd, env=env, stdin=stdin)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complained:
        given.write(stdin.encode())
        given.seek(0)
        request = Asked(
            str(scripts() / SOCKET),
            [str(scripts() / command[0]), *command[1:]],
            cwd=str(cwd),
            env=environment(env),
            streams=[file.fileno() for file in (given, printed, complained)],
        )
        status = request.wait(SECONDS)
        return subprocess.CompletedProcess(command, status, text(printed), text(complained))


def text(file: IO[bytes]) -> str:
    """All that a file holds, its line ends as `\\n`."""
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def run_installed(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """The finished command, started by its installed script: an interpreter that has loaded nothing yet."""
    return subprocess.run(
        [str(INSTALLED / command[0]), *command[1:]],
        cwd=cwd,
        env=environment(env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@functools.cache
def scripts() -> Path:
    """A folder with `markscheme` and `calibrate`, which a warm process runs without a second of imports each."""
    folder = Path(tempfile.mkdtemp(prefix="ms-", dir="/tmp"))
    place = folder / SOCKET
    client = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom warm_client import main\n"
    for name in COMMANDS:
        script = folder / name
        script.write_text(f"#!{sys.executable} -IS\n{client}main({str(place)!r}, {str(script)!r})\n", encoding="utf-8")
        script.chmod(0o755)
    warm = subprocess.Popen(
        [sys.executable, "-m", "tests.commands.warm", str(place)],
        cwd=ROOT,
        env={**environment(), "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert warm.stdout is not None
    assert warm.stdout.readline() == b"ready\n"

    def end() -> None:
        warm.communicate()
        shutil.rmtree(folder)

    atexit.register(end)
    return folder


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without keys and addresses of judges, on a terminal 80 columns wide."""
    variables = {
        key: value for key, value in os.environ.items() if not key.startswith(("ANTHROPIC_", "OPENAI_", "GEMINI_"))
    }
    variables.pop("GITHUB_STEP_SUMMARY", None)
    return {**variables, "COLUMNS": "80", **(extra or {})}
