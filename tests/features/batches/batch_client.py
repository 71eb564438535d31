"""Grades N responses in batches and prints what came of it as JSON; run as a program, so that it can be killed."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Literal

from markscheme import Submission
from markscheme.errors import JudgeError
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.batching import Batching
from markscheme.judges.judge import Judge, total
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.limited import Limiter
from markscheme.judges.price import Price
from markscheme.judges.registry import open_judge
from markscheme.judges.remembering import Memory
from tests.judges.asking import RUBRIC

PRICE = Price(3.0, 15.0)
NAMES = {"anthropic": "anthropic:judge", "openai": "openai:judge"}


def batching(reasks: Literal["batch", "live"] = "batch", **options: Any) -> Batching:
    """A Batching whose times are those of a test."""
    return Batching(reasks, **{"quiet": 0.05, "poll": 0.05, "longest_poll": 0.2, "grace": 0.5, **options})


def opened(kind: str, cache: Path, how: Batching, budget: float | None = None) -> Judge:
    """The judge of that kind; key and address come from the environment."""
    context = JudgeContext(limiter=Limiter(budget=budget), price=PRICE, memory=Memory(cache), batch=how)
    return open_judge(NAMES[kind], context=context)


async def graded(judge: Judge, n: int) -> list[Grade]:
    """The grades of n responses, all asked for at once."""
    submissions = [Submission(f"Paris, for the {number}th time.", id=str(number)) for number in range(n)]
    try:
        return [grade async for _, grade in grade_many(Grading(RUBRIC, judge), submissions, concurrency=n)]
    finally:
        await judge.aclose()


def summary(grades: list[Grade]) -> dict[str, Any]:
    """How many are graded, and what it cost."""
    errors = sorted({grade.error for grade in grades if grade.error})
    return {
        "graded": sum(grade.score is not None for grade in grades),
        "errors": errors,
        **total(grade.usage for grade in grades).to_json(),
    }


if __name__ == "__main__":
    kind, cache, n, reasks = sys.argv[1:]
    how = batching("live" if reasks == "live" else "batch")
    try:
        print(json.dumps(summary(asyncio.run(graded(opened(kind, Path(cache), how), int(n))))))
    except JudgeError as error:
        sys.exit(str(error))
