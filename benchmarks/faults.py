"""What a run costs when the judge's server fails, and how often many processes ask for the same prompts.

    python -m benchmarks.faults

On loopback: 10,000 gradings before a server that fails every fourth call; 2,000 gradings before servers that answer
every call with 401, 404 or 500, or drip a byte a second, until the run ends by itself; 16 processes that grade the same
100 submissions over one cache, before a server that takes half a second.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from markscheme import Rubric, Submission
from markscheme.errors import NoJudge
from markscheme.grading import Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from tests.proofs.server import serving
from tests.proofs.test_faults import graded as graded_through_faults

ROOT: Final = Path(__file__).parents[1]

GRADINGS, PROCESSES, SUBMISSIONS, DELAY = 2_000, 16, 100, 0.5
THROUGH_FAULTS = 10_000
RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Names the capital"}])


class FailingServer:
    """Answers every request with one status, or with a byte a second; counts them."""

    def __init__(self, kind: str) -> None:
        self.kind, self.calls = kind, 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").lower().split("\r\n")
                length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length"))
                await reader.readexactly(length)
                self.calls += 1
                await self._answer(writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        if self.kind == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(1)
        body = json.dumps({"type": "error", "error": {"type": "error", "message": "scripted"}}).encode()
        head = f"HTTP/1.1 {self.kind} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()


async def until_the_end(kind: str) -> str:
    """A row: how many calls reached a failing server, how long the run took and how it ended."""
    handler = FailingServer(kind)
    server = await asyncio.start_server(handler, "127.0.0.1", 0, limit=1 << 22)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    judge = Limited(AnthropicJudge("m", api_key="test-key", base_url=url), Limiter())
    submissions = (Submission(f"Answer {n}: Paris.") for n in range(GRADINGS))
    began = time.monotonic()
    ungraded = 0
    try:
        async for _, grade in grade_many(Grading(RUBRIC, judge), submissions, concurrency=8):
            ungraded += grade.score is None
        ending = f"{ungraded:,} not graded"
    except NoJudge:
        ending = "stopped: the judge refuses every call"
    seconds = time.monotonic() - began
    await judge.aclose()
    server.close()
    return f"| {kind} | {handler.calls} | {seconds:.1f} | {ending} |"


def many_processes() -> str:
    """How often a server is asked by processes that grade the same submissions over one cache."""
    with tempfile.TemporaryDirectory() as folder, serving("slow") as server, ExitStack() as stack:
        command = (sys.executable, "-m", "tests.proofs.grader", server.url, folder, str(SUBMISSIONS))
        pipe = subprocess.PIPE
        processes = [
            stack.enter_context(subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe))
            for _ in range(PROCESSES)
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        began = time.monotonic()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            process.communicate()
        seconds = time.monotonic() - began
    asked = server.report["calls"]
    return (
        f"{PROCESSES} processes, {SUBMISSIONS} prompts, one cache: {asked} calls, {asked / SUBMISSIONS:.2f} a prompt, "
        f"{seconds:.0f} s."
    )


def through_faults() -> str:
    """What gradings come to where a quarter of the calls fail."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, serving("faulty") as server:
        placed, limiter = asyncio.run(graded_through_faults(server.url, Path(folder), THROUGH_FAULTS))
    done = sum(grade.score is not None for _, grade in placed)
    return (
        f"{len(placed):,} gradings at 25 % faults: {done:,} graded, {len(placed) - done} not graded with a reason, "
        f"none lost; {limiter.usage.calls:,} calls, {time.monotonic() - began:.0f} s."
    )


def main() -> None:
    """Print it all as Markdown."""
    warnings.simplefilter("ignore")
    print(f"Of {GRADINGS:,} gradings, 8 at once:\n")
    print("| every call | calls | seconds | the run |\n|---|---|---|---|")
    for kind in ("401", "404", "500", "drip"):
        print(asyncio.run(until_the_end(kind)), flush=True)
    print(f"\n{many_processes()}\n", flush=True)
    print(through_faults())


if __name__ == "__main__":
    main()
