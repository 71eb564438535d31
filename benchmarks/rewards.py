"""What 64 rollouts cost to reward, next to what people write over the OpenAI SDK, with rubrics of 8 tasks.

    python -m benchmarks.rewards [--rounds 3]

A server answers after 200 ms, with a process of its own. Each contestant is a process too; they run in turn, a first
batch warms each up alike, and the least CPU of the rounds counts. By hand is `rivals/by_hand_rewards.py`. `of rows`
gives the criteria of each row as lists of 8 tasks, `one for all` the same list for each. Then the peak of memory for
1,000 and 100,000 rows of ten criteria, where a task has eight rollouts and the judge is a function.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, overload

from benchmarks.engine import slow_server

ROOT = Path(__file__).parents[1]
DELAY, ROLLOUTS, TASKS = 0.2, 64, 8
BATCHES = {"one": {8: 12, 30: 8, 100: 4}, "each": {8: 4, 30: 1, 100: 1}}
"""Batches of rollouts a process, by how they are asked and by criteria; the last asks 6,400 times."""
Rewarded = Callable[[list[str], list[list[dict[str, Any]]]], Awaitable[Any]]


def criteria(task: int, count: int) -> list[dict[str, Any]]:
    """The criteria of a task."""
    return [
        {"requirement": f"Step {place} of task {task} is named with its reason and its cost", "weight": place % 5 + 1}
        for place in range(count)
    ]


def by_hand(address: str, per_call: int) -> Rewarded:
    """Ask as people do who write it themselves."""
    from openai import AsyncOpenAI

    from benchmarks.rivals import by_hand_rewards

    client = AsyncOpenAI(base_url=address, api_key="none", max_retries=0)
    return lambda responses, rubrics: by_hand_rewards.reward(client, responses, rubrics, per_call)


def ours(address: str, strategy: str) -> Rewarded:
    """Ask through `reward`, by one rubric object a task."""
    from markscheme import Rubric, reward
    from markscheme.judges.limited import Limited, Limiter
    from markscheme.judges.openai import OpenAIJudge

    judge = Limited(OpenAIJudge("m", base_url=address, api_key="none"), Limiter(concurrency=64))
    built: dict[str, Rubric] = {}

    def rewarded(responses: list[str], rubrics: list[list[dict[str, Any]]]) -> Awaitable[Any]:
        listed: list[Any] = list(rubrics)
        if strategy != "rows":
            for rubric in rubrics:
                if rubric[0]["requirement"] not in built:
                    data = {"criteria": rubric, "strategy": strategy}
                    built[rubric[0]["requirement"]] = Rubric.from_dict(data)
            listed = [built[rubric[0]["requirement"]] for rubric in rubrics]
        return reward(responses, listed, judge=judge, concurrency=64)

    return rewarded


async def contest(who: str, address: str, count: int, batches: int) -> dict[str, float]:
    """CPU seconds of some batches of rollouts, after one to warm up."""
    rewarded = {
        "by hand, one": lambda: by_hand(address, count),
        "by hand, each": lambda: by_hand(address, 1),
        "one": lambda: ours(address, "one_shot"),
        "each": lambda: ours(address, "per_criterion"),
        "of rows": lambda: ours(address, "rows"),
        "one for all": lambda: ours(address, "rows"),
    }[who]()
    rubrics = [criteria(0 if who == "one for all" else place % TASKS, count) for place in range(ROLLOUTS)]
    await rewarded(["warm up"] * TASKS, [criteria(0, 2)] * TASKS)
    used = cpu()
    for batch in range(batches):
        responses = [f"Rollout {place} of batch {batch} says why. " * 20 for place in range(ROLLOUTS)]
        scores = await rewarded(responses, rubrics)
        assert len(scores) == ROLLOUTS
        assert None not in scores
    return {"cpu": (cpu() - used) / batches}


def cpu() -> float:
    """CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Made(Sequence[Any]):
    """Values that are made when they are asked for, and kept by nobody."""

    def __init__(self, make: Callable[[int], Any], length: int) -> None:
        self.make = make
        self.length = length

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice) or place >= self.length:
            raise IndexError(place)
        return self.make(place)


async def memory(rows: int) -> dict[str, float]:
    """The peak of memory of rows of ten criteria, and CPU seconds."""
    from markscheme import Reply, ScriptedJudge, reward
    from markscheme.judges.scripted import answer_of
    from markscheme.prompts.prompt import Prompt

    class Forgetful(ScriptedJudge):
        async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
            del sample
            await asyncio.sleep(0)
            return Reply(answer_of(dict.fromkeys(prompt.criteria, "MET")))

    scores = await reward(
        Made(lambda place: f"Rollout {place} says why. " * 20, rows),
        Made(lambda place: criteria(place // 8, 10), rows),
        judge=Forgetful([]),
        concurrency=64,
    )
    assert None not in scores
    return {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "cpu": cpu()}


def process(*arguments: Any) -> dict[str, float]:
    """What a process of its own says."""
    command = [sys.executable, "-m", "benchmarks.rewards", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ})
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Run the contestants in turn and print Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    print("| criteria | by hand, CPU ms a rollout | one call | by hand, a call each | a call each | rows' own to one |")
    print("|---|---|---|---|---|---|")
    with slow_server(DELAY) as address:
        for count in (8, 30, 100):
            pairs = [("by hand, one", "one"), ("one", "one"), ("of rows", "one"), ("one for all", "one")]
            pairs += [("by hand, each", "each"), ("each", "each")]
            least: dict[str, float] = {}
            for _ in range(rounds):
                for who, asked in pairs:
                    took = process("contest", who, address, count, BATCHES[asked][count])["cpu"]
                    least[who] = min(took, least.get(who, took))
            hand, each = (1000 * least[f"by hand, {asked}"] / ROLLOUTS for asked in ("one", "each"))
            to_one, to_each = (least[asked] / least[f"by hand, {asked}"] for asked in ("one", "each"))
            own = least["of rows"] / least["one for all"]
            print(f"| {count} | {hand:.2f} | {to_one:.2f} x | {each:.2f} | {to_each:.2f} x | {own:.2f} x |", flush=True)
    few, many = process("memory", 1_000), process("memory", 100_000)
    print(f"\n1,000 rows of ten criteria: {few['mb']:.0f} MB. 100,000: {many['mb']:.0f} MB,", end=" ")
    print(f"{1000 * (many['cpu'] - few['cpu']) / 99_000:.2f} ms of CPU a row.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["contest"]:
        print(json.dumps(asyncio.run(contest(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))))
    elif sys.argv[1:2] == ["memory"]:
        print(json.dumps(asyncio.run(memory(int(sys.argv[2])))))
    else:
        main()
