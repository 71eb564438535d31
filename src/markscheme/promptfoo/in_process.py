"""Answers to Promptfoo's graders in their own process, if there is no warm session to answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.promptfoo.assertion import get_assert
from markscheme.promptfoo.negation import NotGraded


def answer_here(grader: str, arguments: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Call a grader's function; return its result under the key "given", or why it raised an error under "raised".

    Args:
        grader: Name of the grader: "assertion" or "provider".
        arguments: Arguments of the grader's function, by name.
        folder: The graders' folder.
    """
    near = Path(folder)
    try:
        if grader == "assertion":
            return {"given": get_assert(**arguments, near=near)}
        from markscheme.promptfoo.provider import call_api

        return {"given": call_api(**arguments, near=near)}
    except NotGraded as error:
        return {"raised": str(error)}
