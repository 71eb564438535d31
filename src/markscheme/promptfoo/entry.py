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
    return _answer("assertion", "get_assert", {"output": output, "context": context}, context, file)


def call_api(prompt: "Any", options: "Mapping[str, Any]", context: "Mapping[str, Any]", file: str) -> "dict[str, Any]":
    """The grading provider's answer to one prompt from Promptfoo."""
    asked = {"prompt": prompt, "options": options, "context": context}
    return _answer("provider", "call_api", asked, options, file)


def _answer(grader: str, function: str, asked: "dict[str, Any]", holder: "Any", file: str) -> "dict[str, Any]":
    """The session's answer, else that of the function in the grader's module."""
    folder = os.path.dirname(os.path.abspath(file))
    answer = ask({"grader": grader, "asked": asked}, folder=folder, wish=_wish(holder))
    if answer is None:
        with Hurry():
            from importlib import import_module
            from pathlib import Path

            in_this_process = getattr(import_module(f"markscheme.promptfoo.{grader}"), function)
            answer = {"given": in_this_process(**asked, near=Path(folder))}
    if "raised" in answer:
        from markscheme.promptfoo.assertion import NotGraded

        raise NotGraded(answer["raised"])
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
