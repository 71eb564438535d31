"""Entry points of the files in `graders/`, which ask the warm session if there is one, else grade in this process."""

import gc
import os
from contextlib import contextmanager

from markscheme.session.client import ask

TYPE_CHECKING = False
"""Flag that type checkers assume to be true; importing it from `typing` would cost every assertion milliseconds."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def get_assert(output: "Any", context: "Mapping[str, Any]", file: str) -> "dict[str, Any]":
    """Grade one output, for the `python` assertion in a grader's file.

    Args:
        output: The output.
        context: The context that Promptfoo passes to assertions, with the test and the assertion's configuration.
        file: The grader's file.

    Raises:
        NotGraded: The output could not be graded, and the assertion is a `not-python`.
    """
    return _result("assertion", {"output": output, "context": context}, context, file)


def call_api(prompt: "Any", options: "Mapping[str, Any]", context: "Mapping[str, Any]", file: str) -> "dict[str, Any]":
    """Return the grading provider's answer to one prompt from Promptfoo.

    Args:
        prompt: The prompt.
        options: The provider's options in Promptfoo's configuration.
        context: The context that Promptfoo passes to providers.
        file: The grader's file.
    """
    arguments = {"prompt": prompt, "options": options, "context": context}
    return _result("provider", arguments, options, file)


def _result(grader: str, arguments: "dict[str, Any]", holder: "Any", file: str) -> "dict[str, Any]":
    reply = answer(grader, arguments, _wish(holder), os.path.dirname(os.path.abspath(file)))
    if "raised" in reply:
        from markscheme.promptfoo.negation import NotGraded

        raise NotGraded(reply["raised"])
    result: dict[str, Any] = reply["given"]
    return result


def answer(grader: str, arguments: "dict[str, Any]", wish: "Any", folder: str) -> "dict[str, Any]":
    """Let a grader answer, in the warm session or else in this process; return its result or its error.

    Args:
        grader: Name of the grader: "assertion" or "provider".
        arguments: Arguments of the grader's function, by name.
        wish: The value of `config.session`, which says if and at which socket a session is asked.
        folder: The graders' folder.

    Returns:
        The result under the key "given", or the error under "raised".
    """
    reply = ask({"grader": grader, "asked": arguments}, folder=folder, wish=wish)
    if reply is not None:
        return reply
    with without_garbage_collection():
        from markscheme.promptfoo.in_process import answer_here

        return answer_here(grader, arguments, folder)


def _wish(holder: "Any") -> "Any":
    """Return the value of `config.session`; "off" for an invalid configuration, whose error is reported later.

    Args:
        holder: What Promptfoo passed: the assertion's context or the provider's options, in which `config` is a key.
    """
    config = (holder.get("config") or {}) if isinstance(holder, dict) else None
    wish = config.get("session") if isinstance(config, dict) else "off"
    return wish if wish is None or wish is False or isinstance(wish, str) else "off"


@contextmanager
def without_garbage_collection() -> "Iterator[None]":
    """Disable garbage collection in a `with` block, since the process loads much, grades once and ends."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # keeps the collection at exit short, too
        if was_enabled:
            gc.enable()
