"""The status of running sessions as lines of text and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.phrases import counted, number
from markscheme.session import client


def sessions_at(places: Sequence[str]) -> list[dict[str, Any]]:
    """Return the status of each session that answers on one of the given sockets.

    Args:
        places: Paths of the sockets.
    """
    answers = {path: client.status(path) for path in places}
    return [{"socket": path, **answer} for path, answer in answers.items() if answer is not None]


def session_line(session: Mapping[str, Any]) -> str:
    """Describe a running session's status in one line."""
    return (
        f"pid {session['pid']}, up {number(session['seconds'], 0)} s, {counted(session['answered'], 'request')}, "
        f"{session['under_way']} in progress, {counted(session['usage']['calls'], 'call')} to judges; "
        f"serves {session['graders']} in {session['cwd']}; stops after {session['idle']:g} s idle"
    )
