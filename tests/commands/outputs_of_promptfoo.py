"""Promptfoo's results with outputs that some assertion judges, that only facts are checked of, or that none judges."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def results_file(path: Path, outputs: Iterable[tuple[str | None, str]]) -> None:
    """Write results with one row for each output.

    Args:
        path: The file to write.
        outputs: For each row its output, None if its provider failed, and the type of the assertion on it, "" for none.
    """
    rows = [_row(index, output, kind) for index, (output, kind) in enumerate(outputs)]
    path.write_text(json.dumps({"results": {"version": 3, "results": rows}}))


def _row(index: int, output: str | None, kind: str) -> dict[str, Any]:
    about = {
        "testIdx": index,
        "promptIdx": 0,
        "provider": {"id": "echo"},
        "prompt": {"raw": "{{query}}", "label": "query"},
        "vars": {"query": str(index)},
    }
    if output is None:
        return {**about, "response": {}, "success": False, "score": 0, "error": "the line is dead", "failureReason": 2}
    graded = {"pass": True, "score": 1, "reason": "It is."}
    components = [{**graded, "assertion": {"type": kind, "value": "polite"}}] if kind else []
    grading = {"pass": True, "score": 1, "componentResults": components}
    return {**about, "response": {"output": output}, "success": True, "score": 1, "gradingResult": grading}
