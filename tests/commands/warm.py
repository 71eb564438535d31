"""A warm process that has imported markscheme and forks for each command, which saves the time of imports.

    python -m tests.commands.warm SOCKET

A forked command is a process of its own, with its own arguments, environment, folder and standard streams. It is not a
fresh interpreter: a test about start-up, imports or `PYTHONPATH` runs the installed script instead.
"""

import gc
import importlib
import inspect
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from rich.cells import cell_len

import markscheme
from markscheme.commands import call
from markscheme.commands.table import command_names
from markscheme.errors import UsageError
from markscheme.options.settings import SettingsFile
from markscheme.pages.template import environment
from markscheme.report.document import Document
from markscheme.report.html import render_html
from tests.commands.parsed import parsing
from tests.commands.warm_client import COMMANDS, MESSAGE_BYTES

LIBRARIES = (
    "anthropic",
    "anyio._backends._asyncio",
    "encodings.unicode_escape",
    "encodings.utf_8_sig",
    "genai_prices.data",
    "h11",
    "httpcore2",
    "jinja2",
    "numpy.random",
    "openai.resources.chat.completions",
    "openai.resources.chat.completions.messages",
    "rich.console",
    "ruamel.yaml",
    "scipy.special",
    "tomllib",
    "truststore",
    "uvicorn.lifespan.off",
    "uvicorn.loops.asyncio",
    "uvicorn.protocols.http.h11_impl",
)
"""What commands load later than our modules: the SDKs with what they load for a request, and what edits YAML."""
NOT_LOADED = {"__main__", "pytest_plugin", "sockets", "daft_frames"}
"""What needs a library that few installations have, or runs something when it is imported."""


def load() -> dict[str, Callable[[], Any]]:
    """Load every module of the package, and return the functions behind the installed commands."""
    for module in pkgutil.walk_packages(markscheme.__path__, "markscheme."):
        if not NOT_LOADED.intersection(module.name.split(".")[1:]):
            importlib.import_module(module.name)
    for library in LIBRARIES:
        with suppress(ImportError):  # other versions of the SDKs bring other libraries
            importlib.import_module(library)
    for command in command_names():
        call.described(command)  # takes as long as many a command
        with suppress(UsageError):  # its arguments are taken apart before one is missed
            call.parse(command, [], SettingsFile())
    prepare_pages()
    cell_len("漢")  # reads the widths of all characters
    inspect.getsource(load)  # compiles what Python's own syntax is read with
    scripts = entry_points(group="console_scripts")
    return {name: scripts[name].load() for name in COMMANDS}


def prepare_pages() -> None:
    """Compile the templates of pages, so that forked commands needn't."""
    render_html(Document("", "", ()))
    for folder in sorted(Path(markscheme.__file__).parent.rglob("templates")):
        for name in environment(folder).list_templates(extensions=("html",)):
            environment(folder).get_template(name)


def serve(listener: socket.socket, commands: dict[str, Callable[[], Any]]) -> None:
    """Fork a process for each caller, and send the caller its id and later its exit status.

    Ends when standard input does.
    """
    callers: dict[int, socket.socket] = {}
    workers: dict[int, int] = {}
    while True:
        watched: list[Any] = [listener, 0, *workers, *callers.values()]
        ready, _, _ = select.select(watched, [], [])
        if 0 in ready:
            return
        for ended in workers.keys() & set(ready):
            _, status = os.waitpid(workers.pop(ended), 0)
            os.close(ended)
            with suppress(BrokenPipeError), callers.pop(ended) as caller:
                caller.send(str(os.waitstatus_to_exitcode(status)).encode())
        for worker, caller in callers.items():
            if caller in ready:
                signal.pidfd_send_signal(worker, signal.SIGKILL)
        if listener in ready:
            caller, _ = listener.accept()
            message, descriptors, _, _ = socket.recv_fds(caller, MESSAGE_BYTES, 3)
            process = os.fork()
            if process == 0:
                caller.close()
                listener.close()
                os._exit(run(message, descriptors, commands))
            for descriptor in descriptors:
                os.close(descriptor)
            worker = os.pidfd_open(process)
            workers[worker], callers[worker] = process, caller
            caller.send(str(process).encode())


def run(message: bytes, descriptors: Sequence[int], commands: dict[str, Callable[[], Any]]) -> int:
    """Run a command as its installed script would, and return its exit status."""
    folder, count, *rest = os.fsdecode(message).split("\0")
    sys.argv, variables = rest[: int(count)], rest[int(count) :]
    os.environ.clear()
    os.environ.update(dict(variable.split("=", 1) for variable in variables))
    os.chdir(folder)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.path[0] = os.path.dirname(sys.argv[0])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    time.tzset()
    importlib.invalidate_caches()
    try:
        sys.exit(commands[os.path.basename(sys.argv[0])]())
    except SystemExit as end:
        return exit_status(end.code)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def exit_status(code: Any) -> int:
    """Return the exit status that the interpreter makes of `sys.exit(code)`."""
    if isinstance(code, int | None):
        return code or 0
    print(code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path.remove(os.environ.pop("PYTHONPATH"))  # commands find no module of the tests
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, parsing():
        listener.bind(sys.argv[1])
        loaded = load()
        gc.freeze()
        listener.listen(64)
        print("ready", flush=True)
        os.dup2(2, 1)  # who started this may be gone by now
        serve(listener, loaded)
    shutil.rmtree(os.path.dirname(sys.argv[1]))
