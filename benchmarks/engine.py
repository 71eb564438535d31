"""Gradings per second over four criteria, side by side in one run, against the same server that takes 50 ms.

    python -m benchmarks.engine

Beside each other: markscheme asking for all criteria in one call, a bare loop round AsyncAnthropic that reads nothing,
and the package `rubric` 2.2.0 with the OpenAI SDK, one call a criterion and one call for all. Each contestant is a
process of its own, `rubric` in an environment under .cache/; they run in turn, five rounds, and medians count. Then
20,000 submissions through `reward`, with the peak of memory.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.environment import python_with

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent
DELAY, CONCURRENCY, GRADINGS, REWARDS, ROUNDS = 0.05, 64, 3_000, 20_000, 5
REQUIREMENTS = ["names the capital", "names the country", "is one sentence", "is polite"]


@contextmanager
def slow_server(delay: float) -> Iterator[str]:
    """The address of a server that answers after `delay` seconds."""
    command = [sys.executable, str(HERE / "slow_server.py"), str(delay)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.communicate()


def rival_python() -> str:
    """A Python that has `rubric` and the OpenAI SDK."""
    return str(python_with("rubric-2.2.0", "rubric==2.2.0", "openai"))


def contestant(command: list[str]) -> dict[str, Any]:
    """What a contestant says it took."""
    env = {**os.environ, "ANTHROPIC_API_KEY": "none"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env, cwd=ROOT)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


async def markscheme(address: str, gradings: int) -> dict[str, Any]:
    """Our engine: one call for all criteria, limited, nothing kept on disk."""
    from markscheme import Rubric, reward
    from markscheme.judges.anthropic import AnthropicJudge
    from markscheme.judges.limited import Limited, Limiter

    rubric = Rubric.from_dict([{"weight": 1.0, "requirement": text} for text in REQUIREMENTS])
    judge = Limited(AnthropicJudge(base_url=address), Limiter(concurrency=CONCURRENCY))
    await reward(["warm up"], rubric, ["Capital?"], judge=judge)
    cpu = _cpu()
    began = time.perf_counter()
    responses = [f"Answer {number}: Paris." for number in range(gradings)]
    scores = await reward(responses, rubric, ["Capital?"] * gradings, judge=judge, concurrency=CONCURRENCY)
    assert None not in scores
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - began, "cpu": _cpu() - cpu, "requests": gradings, "peak_mb": peak}


async def bare_loop(address: str, gradings: int) -> dict[str, Any]:
    """AsyncAnthropic in a loop, with our prompt, its answer thrown away."""
    from anthropic import AsyncAnthropic

    from markscheme import Rubric, Submission
    from markscheme.grading import questions

    rubric = Rubric.from_dict([{"weight": 1.0, "requirement": text} for text in REQUIREMENTS])
    (prompt,) = questions(rubric, Submission("Answer: Paris.", {"query": "Capital?"}))
    client = AsyncAnthropic(base_url=address, max_retries=0)
    places = asyncio.Semaphore(CONCURRENCY)

    async def one() -> None:
        async with places:
            await client.messages.create(
                model="local",
                max_tokens=4096,
                system=[{"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}],
                messages=[{"role": "user", "content": prompt.user}],
                output_config={"format": {"type": "json_schema", "schema": dict(prompt.schema)}},
            )

    await one()
    cpu = _cpu()
    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(gradings)))
    return {"seconds": time.perf_counter() - began, "cpu": _cpu() - cpu, "requests": gradings}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run the contestants in turn and print a Markdown table."""
    rival = [rival_python(), str(HERE / "rivals" / "rubric_package.py")]
    own = [sys.executable, "-m", "benchmarks.engine"]
    with slow_server(DELAY) as address:
        commands = {
            "markscheme, one call for all criteria": [*own, "markscheme", address, str(GRADINGS)],
            "a bare AsyncAnthropic loop": [*own, "bare", address, str(GRADINGS)],
            "rubric 2.2.0, one call a criterion": [*rival, "per_criterion", address, "500", str(CONCURRENCY)],
            "rubric 2.2.0, one call for all": [*rival, "one_shot", address, "1500", str(CONCURRENCY)],
        }
        rounds = [{who: contestant(command) for who, command in commands.items()} for _ in range(ROUNDS)]
        taken = {
            who: sorted((r[who] for r in rounds), key=lambda took: took["seconds"])[ROUNDS // 2] for who in commands
        }
        rewards = contestant([*own, "markscheme", address, str(REWARDS)])
    gradings = {"rubric 2.2.0, one call a criterion": 500, "rubric 2.2.0, one call for all": 1500}
    print("| who | gradings/s | requests/s | CPU ms a request |\n|---|---|---|---|")
    for who, took in taken.items():
        graded = gradings.get(who, GRADINGS)
        per_request = 1000 * took["cpu"] / took["requests"]
        print(
            f"| {who} | {graded / took['seconds']:.0f} | {took['requests'] / took['seconds']:.0f} | {per_request:.2f} |"
        )
    ours = GRADINGS / taken["markscheme, one call for all criteria"]["seconds"]
    bare = GRADINGS / taken["a bare AsyncAnthropic loop"]["seconds"]
    theirs = taken["rubric 2.2.0, one call a criterion"], taken["rubric 2.2.0, one call for all"]
    print(f"\nOf the bare loop: {ours / bare:.2f}. Of `rubric` per request:", end=" ")
    print(", ".join(f"{ours / (took['requests'] / took['seconds']):.1f} times" for took in theirs), end=".\n")
    print(f"{REWARDS:,} submissions through `reward`: {rewards['seconds']:.0f} s, peak {rewards['peak_mb']:.0f} MB.")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run = {"markscheme": markscheme, "bare": bare_loop}[sys.argv[1]]
        print(json.dumps(asyncio.run(run(sys.argv[2], int(sys.argv[3])))))
    else:
        main()
