"""One of many processes that grade the same submissions at once over one memory.

    python -m tests.proofs.grader URL FOLDER N

says that it is ready, waits for a line on standard input, grades, and prints what became of each as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from markscheme import Submission
from markscheme.grading import Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.remembering import Memory, Remembering
from tests.proofs.test_faults import RUBRIC


async def graded(url: str, folder: Path, n: int) -> dict[str, Any]:
    """Each submission's verdicts, and how often this process asked and had a reply already."""
    judge = Remembering(Limited(AnthropicJudge("m", api_key="test-key", base_url=url), Limiter()), Memory(folder))
    submissions = [Submission(f"This is submission {n}.", id=str(n)) for n in range(1, n + 1)]
    try:
        grades = [grade async for _, grade in grade_many(Grading(RUBRIC, judge), submissions, concurrency=8)]
    finally:
        await judge.aclose()
    return {
        "verdicts": {g.id: {name: verdict.level for name, verdict in g.verdicts.items()} for g in grades},
        "calls": sum(grade.usage.calls for grade in grades),
        "remembered": sum(grade.replies.get("cache", 0) for grade in grades),
    }


if __name__ == "__main__":
    import anthropic  # noqa: F401 - loaded before the start, so that all begin at once

    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(asyncio.run(graded(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))), flush=True)
