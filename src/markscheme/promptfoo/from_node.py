"""The program that graders in JavaScript run: it finds or starts a warm session, or grades without one.

    python -P -m markscheme.promptfoo.from_node find|answer

The message is JSON on standard input, since arguments are visible to other users; the answer is JSON on standard
output, which nothing else is written to.
"""

import json
import os
import sys

from markscheme.promptfoo.entry import answer
from markscheme.session import client

TYPE_CHECKING = False
"""Flag that type checkers assume to be true; importing it from `typing` would take longer than the rest of this
module."""
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def main() -> None:
    """Read one message from standard input, and write the answer to standard output."""
    with os.fdopen(os.dup(1), "w", encoding="ascii") as output:
        os.dup2(2, 1)  # what a user's own judge prints isn't part of the answer
        message = json.load(sys.stdin)
        task = {"find": find, "answer": grade}[sys.argv[1]]
        json.dump(task(message), output)


def find(message: "Mapping[str, Any]") -> "dict[str, Any]":
    """Find or start this environment's warm session; return its socket, environment key (a digest) and process id.

    Returns:
        `place` (the socket's path), `key` and `pid`; without a session, `place` is None, and `off` is true if sessions
        are switched off.
    """
    session = client.running(folder=message["folder"], wish=message["wish"])
    if session is None:
        return {"place": None, "off": os.environ.get("MARKSCHEME_SESSION") == "off"}
    path, key = session
    facts = client.status(path) or {}
    return {"place": path, "key": key, "pid": facts.get("pid")}


def grade(message: "Mapping[str, Any]") -> "dict[str, Any]":
    """Grade one output: ask a warm session if one can be found now, else grade in this process.

    Args:
        message: The request: name and arguments of the grader, the wish for a session, and the folder of the graders.
    """
    return answer(message["grader"], message["asked"], message["wish"], message["folder"])


if __name__ == "__main__":
    main()
