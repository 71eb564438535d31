"""Runs markscheme's commands in tests as a user would."""

import asyncio
import fcntl
import functools
import gc
import io
import os
import subprocess
import sys
import tempfile
import threading
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import IO
from unittest import mock

from markscheme import user_code
from markscheme.cli import calibrate_main, main
from tests.commands.parsed import parsing
from tests.commands.warm_client import COMMANDS, Asked

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).parent
"""The folder with the scripts as pip wrote them; each starts an interpreter, which loads all it needs."""
SECONDS = 300
"""What hangs is ended; a slow machine gets there long before."""
SOCKET = "socket"
LIBRARIES = tuple(folder for folder in sys.path if folder.endswith("site-packages"))
PLACES = (*map(str, (ROOT, sys.prefix, sys.base_prefix)), *LIBRARIES)
"""Where modules lie that no test's project brought; an environment may have its libraries from another one."""
_LASTING = set[str]()
"""Names of such modules, which needn't be looked at again."""
IN_USE = "in_use"
"""A pipe that every process with use for the warm one holds open."""


def run(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end with captured output and without the machine's API keys.

    Ours runs in this process, as in one of its own; in a thread, or beside a browser's event loop, it has one. Another
    command than ours, or one whose `env` configures the interpreter, is started by its installed script.
    """
    changed = {name for name, value in (env or {}).items() if os.environ.get(name) != value}
    if command[0] not in COMMANDS or any(name.startswith("PYTHON") for name in changed):
        return run_installed(*command, cwd=cwd, env=env, stdin=stdin)
    if threading.current_thread() is not threading.main_thread() or asyncio._get_running_loop() is not None:
        return run_apart(*command, cwd=cwd, env=env, stdin=stdin)
    return _run_here(*command, cwd=cwd, env=env, stdin=stdin)


def run_apart(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a process of its own, for tests of what a process shows or leaves behind."""
    with (
        tempfile.TemporaryFile() as standard_input,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as complained,
    ):
        standard_input.write(stdin.encode())
        standard_input.seek(0)
        request = Asked(
            str(scripts() / SOCKET),
            [str(scripts() / command[0]), *command[1:]],
            cwd=str(cwd),
            env=_without_authorities(env or {}),
            streams=[file.fileno() for file in (standard_input, printed, complained)],
        )
        status = request.wait(SECONDS)
        return subprocess.CompletedProcess(command, status, text(printed), text(complained))


def _run_here(
    *command: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in this process, and remove all traces of it from the process.

    What a process of its own would show (streams, exit of the interpreter, imports) it doesn't.
    """
    standard_input = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    printed, complained = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, _without_authorities(env or {}), clear=True))
        stack.enter_context(_interpreter_of_its_own())
        stack.enter_context(parsing())
        stack.enter_context(chdir(cwd))
        stack.enter_context(
            mock.patch.multiple(sys, stdin=standard_input, argv=[str(INSTALLED / command[0]), *command[1:]])
        )
        stack.enter_context(redirect_stdout(printed))
        stack.enter_context(redirect_stderr(complained))
        status = main() if command[0] == "markscheme" else calibrate_main()
    return subprocess.CompletedProcess(command, status, text(printed), text(complained))


@contextmanager
def _interpreter_of_its_own() -> Iterator[None]:
    """Make this process look like a fresh interpreter to a command: its import path, modules and warning filters."""
    collected, earlier = gc.get_threshold(), modules_of_projects()
    installed = [folder for folder in sys.path if folder not in ("", str(ROOT))]
    _forget(earlier)
    for folder in [folder for folder in sys.path_importer_cache if not folder.startswith(PLACES)]:
        del sys.path_importer_cache[folder]  # a file that came since it was listed is to be found
    with (
        mock.patch.object(sys, "path", installed),
        mock.patch.object(user_code._FINDER, "folders", list[str]()),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()
        for unseen in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", unseen)
        try:
            yield
        finally:
            _forget(modules_of_projects())
            sys.modules.update(earlier)
            gc.set_threshold(*collected)


def modules_of_projects() -> dict[str, ModuleType]:
    """Return the loaded modules that were imported from a test's project, by name."""
    if len(sys.modules) == len(_LASTING):  # none came since they were looked at
        return {}
    _LASTING.intersection_update(sys.modules)
    brought = dict[str, ModuleType]()
    for name in sys.modules.keys() - _LASTING:
        file = getattr(sys.modules[name], "__file__", None)
        if file is None or str(file).startswith(PLACES):
            _LASTING.add(name)
        else:
            brought[name] = sys.modules[name]
    return brought


def forget_projects() -> None:
    """Remove modules of test projects from the process, since the next project may have modules of the same names."""
    _forget(modules_of_projects())
    user_code._FINDER.folders.clear()


def _forget(modules: Iterable[str]) -> None:
    for name in modules:
        del sys.modules[name]


def text(file: IO[bytes] | io.TextIOWrapper) -> str:
    """All that a file holds, its line ends as `\\n`."""
    file.seek(0)
    content = file.read()
    return (content if isinstance(content, str) else content.decode()).replace("\r\n", "\n").replace("\r", "\n")


def run_installed(
    *command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end by its installed script, in a fresh interpreter."""
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


def _without_authorities(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a machine that knows no certificate authorities, unless `extra` names them.

    Every client of a provider reads them all, for 0.03 s of CPU time, and plain HTTP has no use for them.
    """
    variables = environment({"SSL_CERT_DIR": str(Path(__file__).parent), **extra})
    if "SSL_CERT_FILE" not in extra:
        variables.pop("SSL_CERT_FILE", None)
    return variables


@functools.cache
def scripts() -> Path:
    """Return a folder with scripts `markscheme` and `calibrate` that a warm process runs, which saves importing.

    All processes of a test run share it: the first makes it, and the warm process removes it when the last has ended.
    """
    run_of_tests = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
    folder = Path("/tmp", f"ms-{run_of_tests[:12]}")
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / SOCKET).exists():
            _start_warm_process(folder)
        os.open(folder / IN_USE, os.O_WRONLY)  # open for as long as this process is there
    return folder


def _start_warm_process(folder: Path) -> None:
    place = folder / SOCKET
    client = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom warm_client import main\n"
    for name in COMMANDS:
        script = folder / name
        script.write_text(f"#!{sys.executable} -IS\n{client}main({str(place)!r}, {str(script)!r})\n", encoding="utf-8")
        script.chmod(0o755)
    os.mkfifo(folder / IN_USE)
    in_use = os.open(folder / IN_USE, os.O_RDWR)
    ready, written = os.pipe()
    os.posix_spawn(  # a process that outlives this one, where others are at work for longer
        sys.executable,
        [sys.executable, "-m", "tests.commands.warm", str(place)],
        {**environment(), "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, str(folder / IN_USE), os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, written, 1),
        ],
    )
    os.close(written)
    with open(ready, "rb") as output:
        assert output.read(6) == b"ready\n"
    os.open(folder / IN_USE, os.O_WRONLY)
    os.close(in_use)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment without keys and addresses of judges, for a terminal 80 columns wide."""
    variables = {
        key: value for key, value in os.environ.items() if not key.startswith(("ANTHROPIC_", "OPENAI_", "GEMINI_"))
    }
    variables.pop("GITHUB_STEP_SUMMARY", None)
    return {**variables, "COLUMNS": "80", **(extra or {})}
