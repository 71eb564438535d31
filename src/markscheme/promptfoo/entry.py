"""Entry points of the files in `graders/`: use the warm session if there is one, else grade in this process."""

import gc
import os

from markscheme.session.client import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def get_assert(output: "Any", context: "Mapping[str, Any]", file: str) -> "dict[str, Any]":
    """The grading result for one output, for the `python` assertion in `file`.

    Raises:
        NotGraded: The output could not be graded, and the assertion is a `not-python`.
    """
    folder = os.path.dirname(os.path.abspath(file))
    request = {"grader": "assertion", "output": output, "context": context}
    answer = ask(request, folder=folder, wish=_wish(context))
    if answer is None:
        with Hurry():
            from pathlib import Path

            from markscheme.promptfoo.assertion import get_assert as graded

            return graded(output, context, near=Path(folder))
    if "raised" in answer:
        from markscheme.promptfoo.assertion import NotGraded

        raise NotGraded(answer["raised"])
    result: dict[str, Any] = answer["given"]
    return result


def call_api(prompt: "Any", options: "Mapping[str, Any]", context: "Mapping[str, Any]", file: str) -> "dict[str, Any]":
    """The grading provider's answer to one prompt from Promptfoo."""
    folder = os.path.dirname(os.path.abspath(file))
    request = {"grader": "provider", "prompt": prompt, "options": options, "context": context}
    answer = ask(request, folder=folder, wish=_wish(options))
    if answer is None:
        with Hurry():
            from pathlib import Path

            from markscheme.promptfoo.provider import call_api as answered

            return answered(prompt, options, context, near=Path(folder))
    result: dict[str, Any] = answer["given"]
    return result


def _wish(holder: "Any") -> "Any":
    """The value of `config.session`; off if invalid, so that the error is reported."""
    config = (holder.get("config") or {}) if isinstance(holder, dict) else None
    wish = config.get("session") if isinstance(config, dict) else "off"
    return wish if wish is None or wish is False or isinstance(wish, str) else "off"


class Hurry:
    """Disable garbage collection: the process loads much, grades once and ends."""

    def __enter__(self) -> None:
        self.collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        gc.freeze()  # keeps the collection at exit short, too
        if self.collecting:
            gc.enable()
