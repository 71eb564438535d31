"""`markscheme session`: the warm process behind Promptfoo's assertions."""

import socket as sockets
import sys
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.commands.running_sessions import session_line, sessions_at
from markscheme.errors import UsageError
from markscheme.session import client, session_sockets


def session(
    action: Annotated[Literal["start", "stop", "status"], Parameter(metavar="start|stop|status", help="what to do")],
    /,
    *,
    graders: Annotated[Path | None, Parameter(metavar="FOLDER")] = None,
    socket: Annotated[str | None, Parameter(metavar="PATH")] = None,
    json: JsonFlag = False,
) -> int:
    """Start, stop or show the warm process that grades for Promptfoo. The first assertion starts one by itself; it
    stops after a minute without requests (MARKSCHEME_SESSION_IDLE, in seconds).

    start   start one for this folder, this Python and these environment variables
    stop    all your sessions, or the one at --socket, after they have answered
    status  list what is running

    Args:
        graders: the graders it serves (default: graders/, if it exists)
        socket: its socket, as in an assertion's `session: PATH`

    Example:
        markscheme session status

    Exit status:
        0 done, 1 no session is running, 2 invalid arguments.
    """
    if not hasattr(sockets, "AF_UNIX"):
        raise UsageError("this system has no Unix sockets; Promptfoo's assertions grade in their own processes")
    places = [str(Path(socket).resolve())] if socket else list(session_sockets())
    if action == "start":
        sessions: list[dict[str, Any]] = sessions_at([_start(graders, socket)])
    elif action == "stop":
        sessions = [{"socket": path} for path in places if client.stop(path)]
    else:
        sessions = sessions_at(places)
    if json:
        print(dumps({"schema": 1, "sessions": sessions}, ensure_ascii=False))
    else:
        for session in sessions:
            print(f"stopped: {session['socket']}" if action == "stop" else f"session: {session_line(session)}")
        if not sessions:
            print(
                "no session is running (a process that grades for Promptfoo);\nthe first assertion starts one",
                file=sys.stderr,
            )
    return 0 if sessions else 1


def _start(graders: Path | None, wish: str | None) -> str:
    folder = graders or (Path("graders") if Path("graders").is_dir() else Path())
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    path = client.start(folder=str(folder.resolve()), wish=wish)
    if path is None:
        raise UsageError(
            "no session can be started here: MARKSCHEME_SESSION is off, the socket's folder is open to other users, "
            "or a file is in its place"
        )
    return path
