"""What grading costs by itself: rows a second, CPU a row and peak memory, up to a million rows.

    python -m benchmarks.scale [--rows 10000,100000] [--ways scripted,kept] >> benchmarks/results/scale.md

Every row is graded on four criteria, 64 rows at once. Each line of the table runs in a process of its own:

- `scripted`: a judge that answers at once, as a stream in Python;
- `kept`: the same, every reply written to a new cache; `cache`: all replies read from it;
- `table`: the command `grade --out`, from JSON lines to JSON lines, with a function as the judge;
- `server`: the real SDK and a server that answers after 20 ms;
- `daft-1`, `daft-2`: a Daft DataFrame with one and two workers, in an environment that has Daft.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engine import slow_server
from benchmarks.environment import python_with

ROWS = (10_000, 100_000, 1_000_000)
WAYS = ("scripted", "kept", "cache", "table", "server", "daft-1", "daft-2")
CONCURRENCY, LATENCY = 64, 0.02
REQUIREMENTS = ["names the capital", "names the country", "is one sentence", "is polite"]
QUOTE = "Paris is the capital of France"
REASON = "The first sentence says so, and nothing after it takes that back."
RESPONSE = "Paris is the capital of France, and has been for most of its history. " * 5


RUBRIC = {
    "name": "plain",
    "inputs": ["query"],
    "criteria": [{"name": f"c{n}", "requirement": text, "weight": 1} for n, text in enumerate(REQUIREMENTS)],
}
JUDGE = f"""
SAID = {{"quote": {QUOTE!r}, "reason": {REASON!r}, "level": "MET"}}
REPLY = {{"verdicts": {{f"c{{n}}": SAID for n in range({len(REQUIREMENTS)})}}}}

def judge(system_prompt, user_prompt):
    return REPLY
"""
DAFT = """
import sys, daft
from markscheme.sockets.daft import with_grades
frame = daft.read_json("rows.jsonl")
graded = with_grades(frame, "plain.json", "function:fast:judge", workers=int(sys.argv[1]))
graded.select("id", graded["grade"]["score"].alias("score")).write_parquet("graded")
written = daft.read_parquet("graded/*.parquet")
assert written.where(written["score"] == 1.0).count_rows() == int(sys.argv[2])
"""
ROOT = Path(__file__).parents[1]
LIMITS = (1_000, 4_000, 20_000)
"""Requests a minute that providers allow."""
MILLION = 1_000_000


def rows_of(count: int) -> Iterator[dict[str, str]]:
    """Rows with an id, an input and a response of 350 characters."""
    for number in range(count):
        yield {"id": str(number), "query": "What is the capital of France?", "response": f"Answer {number}: {RESPONSE}"}


async def stream(way: str, count: int, folder: Path) -> None:
    """Grade all rows in this process."""
    from markscheme import Rubric, Submission
    from markscheme.grading import Grading, grade_many
    from markscheme.judges.anthropic import AnthropicJudge
    from markscheme.judges.judge import Identity, Judge, Reply
    from markscheme.judges.limited import Limited, Limiter
    from markscheme.judges.remembering import Memory, Remembering
    from markscheme.judges.scripted import answer_of
    from markscheme.prompts.prompt import Prompt

    rubric = Rubric.from_dict(RUBRIC)
    answer = answer_of({one.name: "MET" for one in rubric.criteria}, reason=REASON, quote=QUOTE)

    class AtOnce:
        identity = Identity("at once")

        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - as every judge
            return Reply(answer)

        async def aclose(self) -> None:
            pass

    judge: Judge = AtOnce()
    if way == "server":
        judge = Limited(AnthropicJudge(base_url=os.environ["SERVER"]), Limiter(concurrency=CONCURRENCY))
    elif way in ("kept", "cache"):
        judge = Remembering(judge, Memory(folder / "cache"))
    submissions = (Submission(row["response"], {"query": row["query"]}, row["id"]) for row in rows_of(count))
    done = 0
    async for _, grade in grade_many(Grading(rubric, judge), submissions, concurrency=CONCURRENCY):
        done += grade.score is not None
    assert done == count, done
    await judge.aclose()


def command(way: str, count: int, folder: Path) -> list[str]:
    """What runs one line of the table, in the folder."""
    if way == "table":
        (folder / "out.jsonl").unlink(missing_ok=True)
        asked = ("plain.json", "rows.jsonl", "--out", "out.jsonl", "--judge", "function:fast:judge")
        return [sys.executable, "-m", "markscheme", "grade", *asked, "-o", f"concurrency={CONCURRENCY}"]
    if way.startswith("daft"):
        shutil.rmtree(folder / "graded", ignore_errors=True)
        return [str(python_with("daft", "-e", f"{ROOT}[daft]")), "-c", DAFT, way[-1], str(count)]
    return [sys.executable, "-m", "benchmarks.scale", "--stream", way, str(count), str(folder)]


def measured(way: str, count: int, folder: Path, server: str) -> tuple[str, float]:
    """A line of the table, and CPU milliseconds a row."""
    own = {"PYTHONPATH": f"{folder}:{ROOT}", "MARKSCHEME_CACHE": str(folder / f"cache-{way}")}
    env = {**os.environ, **own, "SERVER": server, "ANTHROPIC_API_KEY": "none"}
    began = time.perf_counter()
    process = subprocess.Popen(command(way, count, folder), cwd=folder, env=env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    cpu = used.ru_utime + used.ru_stime
    assert process.returncode == 0, process.returncode
    each = 1000 * cpu / count
    return f"| {way} | {count:,} | {count / wall:,.0f} | {each:.2f} | {used.ru_maxrss / 1024:.0f} |", each


def at_limits(each: float) -> Iterator[str]:
    """What a million rows take where a provider limits requests, one a row: computed, not measured."""
    yield f"A million rows are {MILLION * each / 3.6e6:.2f} core hours of our own ({each:.2f} ms a row), anywhere."
    yield "A cluster is worth its cost only where the provider's limit keeps more cores busy than one computer has:"
    yield ""
    yield "| requests a minute | hours for a million rows | cores busy |"
    yield "|---:|---:|---:|"
    for limit in LIMITS:
        yield f"| {limit:,} | {MILLION / limit / 60:.1f} | {limit / 60 * each / 1000:.2f} |"


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    parser.add_argument("--ways", default=",".join(WAYS))
    asked = parser.parse_args()
    print("| way | rows | rows a second | CPU ms a row | MB |")
    print("|---|---:|---:|---:|---:|")
    computed: Iterator[str] = iter(())
    with slow_server(LATENCY) as server:
        for count in map(int, asked.rows.split(",")):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                (folder / "plain.json").write_text(json.dumps(RUBRIC))
                (folder / "fast.py").write_text(JUDGE)
                with (folder / "rows.jsonl").open("w") as file:
                    file.writelines(json.dumps(row) + "\n" for row in rows_of(count))
                for way in asked.ways.split(","):
                    line, each = measured(way, count, folder, server)
                    print(line, flush=True)
                    if way == "server":
                        computed = at_limits(each)
    print("\n".join(["", *computed]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stream"]:
        asyncio.run(stream(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
    else:
        main()
