"""The warm process behind Promptfoo's assertions and its grading provider."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from markscheme.promptfoo.assertion import assess
from markscheme.promptfoo.engine import Engine, own_modules, stamp_if_any
from markscheme.promptfoo.negation import NotGraded
from markscheme.promptfoo.provider import respond
from markscheme.session.client import environment_key, folder_marks, settings_texts
from markscheme.session.server import IDLE, Retired, Session, socket_file
from markscheme.user_code import search_for_code

GRADER_FUNCTIONS: Mapping[str, Callable[..., Awaitable[dict[str, Any]]]] = {"assertion": assess, "provider": respond}
IDLE_SECONDS = "MARKSCHEME_SESSION_IDLE"


def main(arguments: Sequence[str]) -> None:
    """Serve on the inherited socket until stopped or idle.

    Args:
        arguments: The socket's file descriptor, the path of its file, and the folder of the graders.
    """
    process, path, folder = arguments
    search_for_code(Path(folder))  # before the working directory, as Promptfoo has it for a grader of its own
    with socket.socket(fileno=int(process)) as listener, socket_file(path) as release:
        listener.setblocking(False)
        asyncio.run(_serve(listener, release, folder))


async def _serve(listener: socket.socket, release: Callable[[], None], folder: str) -> None:
    grading = _Serving(Path(folder))
    key = environment_key(folder)
    session = Session(listener, release, key, grading.answer, grading.describe, idle_seconds())
    try:
        await session.serve()
    finally:
        await grading.engine.aclose()


def idle_seconds() -> float:
    """Return how long a session waits for another request: MARKSCHEME_SESSION_IDLE, else a minute."""
    with suppress(ValueError):
        seconds = float(os.environ.get(IDLE_SECONDS, IDLE))
        if 0 < seconds < float("inf"):
            return seconds
    return IDLE


class _Serving:
    """The server of a warm session, which answers all graders' requests with one Engine.

    Args:
        folder: The graders' folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._marks = folder_marks(str(folder))
        self._settings = settings_texts()
        self.engine = Engine()
        self._stamps: dict[Path, tuple[int, int, int] | None] = {}
        self._loaded = 0

    async def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a grader's request just as a new process, started for this request, would.

        Raises:
            Retired: One of the user's own modules, the settings file, or a file that a judge says it reads has
                changed, or the project has moved.
        """
        self._check_folders()
        self._check_modules()
        grade = GRADER_FUNCTIONS[request["grader"]]
        try:
            return {"given": await grade(**request["asked"], near=self.folder, engine=self.engine)}
        except NotGraded as error:
            return {"raised": str(error)}
        finally:
            self._check_modules()

    def describe(self) -> dict[str, Any]:
        """Return the session's status: figures on its open judges and their calls."""
        return {"cwd": os.getcwd(), "graders": str(self.folder), "usage": self.engine.usage.to_json()}

    def _check_folders(self) -> None:
        """Raise Retired if the project was moved, if another project has its path, or if its settings have changed."""
        try:
            marks = folder_marks(str(self.folder))
            settings = settings_texts()
        except OSError as error:
            raise Retired(str(error)) from error
        if marks != self._marks or settings != self._settings:
            raise Retired(str(self.folder))

    def _check_modules(self) -> None:
        """Raise Retired if a user's module, or a file that a judge reads, has changed on disk."""
        if len(sys.modules) != self._loaded:  # thousands, which grow by imports only: most requests can skip them
            self._loaded = len(sys.modules)
            for file in own_modules():
                self._stamps.setdefault(file, stamp_if_any(file))
        for file in self.engine.files_read():
            self._stamps.setdefault(file, stamp_if_any(file))
        for file, stamp in self._stamps.items():
            if stamp_if_any(file) != stamp:
                raise Retired(str(file))
