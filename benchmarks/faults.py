"""What a run costs when the judge's server fails, and how often many processes ask for the same prompts.

    python -m benchmarks.faults [--only servers|caches|faulty|writers|moved|hung]

On loopback: 10,000 gradings before a server that fails every fourth call; 2,000 gradings before servers that answer
every call with 401, 404 or 500, or drip a byte a second, until the run ends by itself; 16 processes that grade the same
100 submissions over one cache, before a server that takes half a second. Without a server: two processes that write one
table, three that accept at once, two projects that change places under their warm processes, and a judge that hangs on
every tenth response.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from markscheme import Rubric, Submission
from markscheme.errors import NoJudge
from markscheme.grading import Grading, grade_many
from markscheme.judges.anthropic import AnthropicJudge
from markscheme.judges.limited import Limited, Limiter
from tests.commands import scripted_setting
from tests.commands.console import environment
from tests.proofs.server import serving
from tests.proofs.test_faults import graded as graded_through_faults
from tests.session.conftest import CONFIG
from tests.session.conftest import JUDGE as JUDGE_OF_SESSION
from tests.session.processes import call, sockets
from tests.session.test_session import two_projects

ROOT: Final = Path(__file__).parents[1]

GRADINGS, PROCESSES, SUBMISSIONS, DELAY = 2_000, 16, 100, 0.5
THROUGH_FAULTS = 10_000
ROUNDS: Final = 10
"""Times that two write one table, and that projects change places."""
ACCEPTED_ROUNDS: Final = 3
"""Times that three accept at once; each takes three calibrations."""
HANGING: Final = 200
"""Responses, of which every tenth hangs."""
ROWS: Final = 100
"""Rows of the table that two processes write."""
HANGS = """
import sys, threading
from dataclasses import replace
from markscheme import Grader
from markscheme.judges.function import FunctionJudge

def judge(system_prompt, user_prompt):
    number = int(user_prompt.split("reply ")[1].split()[0])
    if number % 10 == 0:
        threading.Event().wait()
    level = "MET" if number % 2 else "UNMET"
    return {"verdicts": {"c1": {"quote": "nothing to quote", "reason": "So.", "level": level}}}

with Grader("rubric.yaml", replace(FunctionJudge(judge, "function:judge"), deadline=1.0)) as grader:
    grades = [grader.grade_sync(f"reply {number} of many") for number in range(int(sys.argv[1]))]
graded = [number for number, grade in enumerate(grades) if grade.score is not None]
wrong = sum(grades[number].score != number % 2 for number in graded)
said = sum("gave no answer within" in (grade.error or "") for grade in grades)
print(len(grades), len(graded), said, wrong)
"""
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


def two_writers() -> str:
    """What becomes of a table that two processes write at once, and of three runs accepted at once."""
    lost = 0
    refused = 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            here = scripted_setting.make_setting(Path(name, "here"))
            rows = [{"id": f"r{number}", "response": f"answer {number}: tone=3 facts=4"} for number in range(ROWS)]
            (here / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
            command = ("grade", "clear", "rows.jsonl", "--out", "out.jsonl", "--judge", scripted_setting.JUDGE)
            statuses = at_once(command, here, 2)
            written = (here / "out.jsonl").read_text().splitlines()
            lost += [json.loads(line)["id"] for line in written] != [row["id"] for row in rows]
            refused += statuses.count(2)
    missing = 0
    for _ in range(ACCEPTED_ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            here = scripted_setting.make_setting(Path(name, "here"))
            at_once(("calibrate", "clear", "--judge", scripted_setting.JUDGE, "--accept", "--quiet"), here, 3)
            accepted = json.loads((here / "calibration" / "clear" / "accepted.json").read_text())
            missing += 3 - int(accepted["ratings"]["samples"])
    return (
        f"Two processes write one table of {ROWS} rows, {ROUNDS} times: {lost} tables with a row lost or doubled; "
        f"{refused} of {2 * ROUNDS} processes refused. Three `--accept` at once, "
        f"{ACCEPTED_ROUNDS} times: {missing} runs lost."
    )


def at_once(command: tuple[str, ...], here: Path, processes: int) -> list[int]:
    """The exit statuses of processes that run the same command at the same time."""
    env = {**environment(), **scripted_setting.environment(here)}
    words = (sys.executable, "-m", "markscheme", *command)
    quiet = subprocess.DEVNULL
    running = [subprocess.Popen(words, cwd=here, env=env, stdout=quiet, stderr=quiet) for _ in range(processes)]
    return [process.wait() for process in running]


def moved_projects() -> str:
    """How often a project is graded by another's rubric after the two change places."""
    wrong = 0
    asked = 0
    with tempfile.TemporaryDirectory() as name, sockets() as runtime:
        folder = Path(name)
        projects = {path.name: path for path in two_projects(folder)}
        (folder / "session_judge.py").write_text(JUDGE_OF_SESSION)
        cache = str(folder / "cache")
        env = {"MARKSCHEME_CACHE": cache, "PYTHONPATH": name, "XDG_RUNTIME_DIR": str(runtime)}
        for _ in range(ROUNDS):
            for criterion, project in projects.items():
                asked += 1
                wrong += criterion_of(project, env) != criterion
            first, second = projects.values()
            first.rename(folder / "between")
            second.rename(first)
            (folder / "between").rename(second)
            projects = dict(zip(projects, reversed(projects.values()), strict=True))
    return f"Two projects change places {ROUNDS} times under their warm processes: {wrong} of {asked} gradings wrong."


def criterion_of(project: Path, env: Mapping[str, str]) -> str:
    """The criterion by which the graders of a project grade."""
    grader = project / "graders" / "rubric_grader.py"
    context = {"vars": {}, "config": CONFIG}
    given = call("get_assert", "Paris.", context, cwd=project, env=env, grader=grader)["given"]
    return ",".join(given["namedScores"])


def hung_judge() -> str:
    """What gradings come to where a function hangs on every tenth."""
    with tempfile.TemporaryDirectory() as name:
        Path(name, "rubric.yaml").write_text("criteria: [{requirement: Is odd}]\n")
        Path(name, "hangs.py").write_text(HANGS)
        words = [sys.executable, "hangs.py", str(HANGING)]
        began = time.monotonic()
        done = subprocess.run(words, cwd=name, env=environment(), capture_output=True, text=True, check=True)
        n, graded, named, wrong = map(int, done.stdout.split())
    return (
        f"A judge that hangs on every tenth of {HANGING} responses: {n} grades, {graded} graded, {named} not graded "
        f"with the deadline as reason, {HANGING - graded - named} lost, {wrong} wrong; the program ended by itself "
        f"after {time.monotonic() - began:.0f} s."
    )


def failing_servers() -> str:
    """The table of runs before servers that only fail."""
    rows = [asyncio.run(until_the_end(kind)) for kind in ("401", "404", "500", "drip")]
    head = f"Of {GRADINGS:,} gradings, 8 at once:\n\n| every call | calls | seconds | the run |\n|---|---|---|---|"
    return "\n".join([head, *rows])


PARTS: Mapping[str, Callable[[], str]] = {
    "servers": failing_servers,
    "caches": many_processes,
    "faulty": through_faults,
    "writers": two_writers,
    "moved": moved_projects,
    "hung": hung_judge,
}


def main() -> None:
    """Print it all as Markdown, or one part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=PARTS)
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    print("\n\n".join(part() for name, part in PARTS.items() if only in (None, name)))


if __name__ == "__main__":
    main()
