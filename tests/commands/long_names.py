"""Names that no file can have, given to commands."""

from pathlib import Path

from tests.commands.console import run

LONG = "x" * 300


def refuses_long_name(folder: Path, command: str) -> None:
    """Check that a command refuses a name that no file can have, and names it."""
    done = run("markscheme", *command.split(), cwd=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), f"{command}: {done.stderr}"
    assert LONG[:50] in (done.stdout + done.stderr).replace("\n", ""), command
