"""What grading costs by itself: CPU a row and peak memory, with a judge that answers at once and from the cache.

    python -m benchmarks.scale

Every row is graded on four criteria, 64 rows at once, as a stream. Each cell of the table runs in a process of its
own; `asked and kept` fills a new cache, `from the cache` reads the same one.
"""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROWS = (2_000, 20_000)
WAYS = ("answered at once", "asked and kept", "from the cache")
REQUIREMENTS = ["names the capital", "names the country", "is one sentence", "is polite"]
RESPONSE = "Paris is the capital of France, and has been for most of its history. " * 5


async def graded(way: str, rows: int, cache: Path) -> dict[str, float]:
    """CPU milliseconds a row, and the peak of memory in MB."""
    from markscheme import Rubric, Submission
    from markscheme.grading import Grading, grade_many
    from markscheme.judges.judge import Identity, Judge, Reply
    from markscheme.judges.remembering import Memory, Remembering
    from markscheme.judges.scripted import answer_of
    from markscheme.prompt import Prompt

    rubric = Rubric.from_dict([{"weight": 1.0, "requirement": text} for text in REQUIREMENTS])
    answer = answer_of(
        {criterion.name: "MET" for criterion in rubric.criteria},
        reason="The first sentence says so, and nothing after it takes that back.",
        quote="Paris is the capital of France",
    )

    class AtOnce:
        identity = Identity("at once")

        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - as every judge
            return Reply(answer)

        async def aclose(self) -> None:
            pass

    def submissions() -> Iterator[Submission]:
        for number in range(rows):
            yield Submission(f"Answer {number}: {RESPONSE}", {"query": "What is the capital of France?"}, str(number))

    judge: Judge = AtOnce() if way == WAYS[0] else Remembering(AtOnce(), Memory(cache))
    began, met = time.process_time(), 0
    async for _, grade in grade_many(Grading(rubric, judge), submissions(), concurrency=64):
        met += grade.score == 1.0
    assert met == rows
    used = time.process_time() - began
    await judge.aclose()
    return {"ms": 1000 * used / rows, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main() -> None:
    """Print a Markdown table."""
    print("| rows | " + " | ".join(f"{way}, CPU ms a row | MB" for way in WAYS) + " |")
    print("|---:|" + "---:|" * 2 * len(WAYS))
    for rows in ROWS:
        cells = [f"{rows:,}"]
        with tempfile.TemporaryDirectory() as cache:
            for way in WAYS:
                command = [sys.executable, __file__, way, str(rows), cache]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found = json.loads(done.stdout)
                cells += [f"{found['ms']:.2f}", f"{found['mb']:.0f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(asyncio.run(graded(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))))
    else:
        main()
