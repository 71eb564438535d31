"""`markscheme session`: the warm process behind Promptfoo's assertions."""

import argparse
import json
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.commands.options import Parser
from markscheme.counts import counted
from markscheme.errors import UsageError
from markscheme.session import client

SUMMARY = """Start, end or look at the warm process that grades for Promptfoo. The first assertion starts one by itself
and it ends when nobody has asked for a minute (MARKSCHEME_SESSION_IDLE, in seconds); nothing here is needed for that.

start   a session for this folder, this Python and these keys
stop    every session of yours, or the one at --socket, once it has answered what it was asked
status  what is running

Exit status: 0 done, 1 there is none, 2 a fault in what was asked."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("session", SUMMARY, "markscheme session status")
    found.add_argument("what", choices=("start", "stop", "status"), help="what to do")
    found.add_argument(
        "--graders", type=Path, metavar="FOLDER", help="the graders it is for (graders/, if there is one)"
    )
    found.add_argument("--socket", metavar="PATH", help="its socket, as in an assertion's `session: PATH`")
    found.add_argument("--json", action="store_true", help="print JSON")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Do it, print what is there, and tell by the exit status whether there was anything."""
    if not hasattr(socket, "AF_UNIX"):
        raise UsageError("this system has no Unix sockets; Promptfoo's assertions grade in their own processes")
    match arguments.what:
        case "start":
            found = [_start(arguments)]
        case "stop":
            found = [place for place in _places(arguments) if client.stop(place)]
        case _:
            found = list(_places(arguments))
    return _print(arguments, found)


def _start(arguments: argparse.Namespace) -> str:
    graders: Path = arguments.graders or (Path("graders") if Path("graders").is_dir() else Path())
    if not graders.is_dir():
        raise UsageError(f"there is no folder {graders}")
    place = client.start(folder=str(graders.resolve()), wish=arguments.socket)
    if place is None:
        raise UsageError(
            "no session can be started here: MARKSCHEME_SESSION is off, the socket's folder is not yours alone, or a "
            "file stands in its place"
        )
    return place


def _places(arguments: argparse.Namespace) -> list[str]:
    return [str(Path(arguments.socket).resolve())] if arguments.socket else list(client.sockets())


def _print(arguments: argparse.Namespace, places: list[str]) -> int:
    told = [{"socket": place} for place in places] if arguments.what == "stop" else sessions_at(places)
    if arguments.json:
        print(json.dumps({"schema": 1, "sessions": told}, ensure_ascii=False))
    else:
        for one in told:
            print(f"ended: {one['socket']}" if arguments.what == "stop" else session_line(one))
        if not told:
            print("no session is running", file=sys.stderr)
    return 0 if told else 1


def sessions_at(places: Sequence[str]) -> list[dict[str, Any]]:
    """What the sessions at these sockets say of themselves; those that answer nothing are left out."""
    answers = {place: client.status(place) for place in places}
    return [{"socket": place, **answer} for place, answer in answers.items() if answer is not None]


def session_line(one: Mapping[str, Any]) -> str:
    """A running session in a line."""
    calls = counted(one["usage"]["calls"], "call")
    return (
        f"process {one['pid']}, {one['seconds']:.0f} s old: {one['answered']} answered, {one['under_way']} under way, "
        f"{calls} to judges; for {one['graders']} in {one['cwd']}; ends after {one['idle']:g} s of silence"
    )
