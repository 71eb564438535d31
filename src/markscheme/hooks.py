"""What Promptfoo's hooks do: a warm session while the evaluation runs, and afterwards what its results are worth."""

import os

from markscheme.session.client import socket_path, start, stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def before_all(file: str) -> None:
    """Start the session for the graders beside `file`, so that the first assertion need not wait for it."""
    start(folder=os.path.dirname(os.path.abspath(file)))


def after_all(context: "Mapping[str, Any]", file: str) -> None:  # noqa: ARG001 - the report reads it
    """End the session."""
    place = socket_path(os.path.dirname(os.path.abspath(file)))
    if place is not None:
        stop(place)
