"""Many processes that grade the same submissions at once with one shared cache.

    python -m tests.proofs.grader URL FOLDER N PROCESSES

prints what became of each submission in each process, as JSON.
"""

import asyncio
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path
from typing import Any

from markscheme import Submission
from markscheme.grading import Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from markscheme.judges.remembering import Memory, Remembering
from tests.proofs.test_faults import RUBRIC


async def graded(url: str, folder: Path, n: int) -> dict[str, Any]:
    """Grade each submission; return the verdicts, and how often this process asked or used a cached reply."""
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


def write(report: Path, url: str, folder: Path, n: int) -> None:
    """Grade in this process, and write the results as JSON."""
    report.write_text(json.dumps(asyncio.run(graded(url, folder, n))), encoding="utf-8")


def grade_at_once(url: str, folder: Path, n: int, processes: int) -> list[dict[str, Any]]:
    """Grade in several processes, forked after loading everything they need; return their reports."""
    forking = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as home:
        reports = [Path(home, f"{process}.json") for process in range(processes)]
        started = [forking.Process(target=write, args=(report, url, folder, n)) for report in reports]
        for process in started:
            process.start()
        for process in started:
            process.join()
        return [json.loads(report.read_text(encoding="utf-8")) for report in reports]


if __name__ == "__main__":
    import anthropic  # noqa: F401 - loaded before the start, so that all begin at once

    print(json.dumps(grade_at_once(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))), flush=True)
