"""Promptfoo's python assertion: `type: python, value: file://graders/rubric_grader.py, config: {rubric: NAME}`."""

import sys
from pathlib import Path
from typing import Any

MISSING = (
    "not graded: markscheme cannot be imported by {python} ({error}); install it there, or set PROMPTFOO_PYTHON to the "
    "Python in which it is installed"
)


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """The grading result for one output."""
    try:
        from markscheme.promptfoo.assertion import get_assert as graded
    except ImportError as error:
        return {"pass": False, "score": 0, "reason": MISSING.format(python=sys.executable, error=error)}
    return graded(output, context, beside=Path(__file__).resolve().parent)
