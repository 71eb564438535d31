"""What starting costs: importing, --help, a calibration from recorded replies, and one from the cache.

Run it in the environment markscheme is installed in: `python -m benchmarks.startup`. Each command runs as a process of
its own, several times; printed are medians of CPU and wall seconds, read from the operating system when it ended.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.commands.console import environment
from tests.real.messages_front import Answer, MessagesFront, Request, late, message

ROOT = Path(__file__).parents[1]

SCRIPTS = Path(sys.executable).parent
RUNS = 5
LATENCY = 0.2

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each run would compile all of the package, as no installed one does


@dataclass(frozen=True)
class Cost:
    """Medians over the runs, in seconds."""

    cpu: float
    wall: float


def cost(command: Sequence[str], *, runs: int = RUNS, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> Cost:
    """What a command costs; its output is thrown away."""
    measured = [_once(command, cwd, environment(env)) for _ in range(runs)]
    return Cost(statistics.median(cpu for cpu, _ in measured), statistics.median(wall for _, wall in measured))


def _once(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> tuple[float, float]:
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def cached_run() -> tuple[Cost, Cost, int, int]:
    """The first and the second run of a calibration against a server that takes 200 ms, and its calls in each."""

    def decide(_: Request) -> Answer:
        answer = {"verdicts": {"polite": {"quote": "nothing to quote", "reason": "It is.", "level": "MET"}}}
        return late(message(json.dumps(answer)), LATENCY)

    with tempfile.TemporaryDirectory() as folder, MessagesFront(decide) as server:
        project = _project(Path(folder))
        env = {"MARKSCHEME_CACHE": f"{folder}/cache", "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": server.url}
        command = [str(SCRIPTS / "calibrate"), "polite"]
        first = cost(command, runs=1, cwd=project, env=env)
        asked = len(server.requests)
        second = cost(command, cwd=project, env=env)
        return first, second, asked, len(server.requests) - asked


def _project(folder: Path) -> Path:
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "polite.yaml").write_text("criteria:\n- {name: polite, requirement: The reply is polite}\n")
    labels = folder / "calibration" / "polite"
    labels.mkdir(parents=True)
    with (labels / "examples.jsonl").open("w") as file:
        for i in range(60):
            label = {"rater": "r", "kind": "human", "criteria": {"polite": i % 2}}
            file.write(json.dumps({"id": f"e{i}", "response": f"reply {i}", "labels": [label]}) + "\n")
    return folder


def main() -> None:
    """Measure and print a Markdown table."""
    bare = cost([sys.executable, "-c", "pass"])
    package = cost([sys.executable, "-c", "import markscheme"])
    rows = [
        ("`python -c pass`", bare, ""),
        ("`import markscheme`", package, f"{package.cpu - bare.cpu:.3f} s of CPU more than nothing"),
        ("`calibrate --help`", cost([str(SCRIPTS / "calibrate"), "--help"]), ""),
        (
            "`calibrate rubrics/code-quality.yaml`",
            cost([str(SCRIPTS / "calibrate"), "code-quality"]),
            "73 recorded replies",
        ),
    ]
    first, second, asked, asked_again = cached_run()
    rows.append(("60 examples, server with 200 ms", first, f"{asked} calls, 8 at once"))
    rows.append(("the same again", second, f"{asked_again} calls; {first.wall / second.wall:.1f} times faster"))
    print("| what | CPU s | wall s | |\n|---|---|---|---|")
    for what, spent, note in rows:
        print(f"| {what} | {spent.cpu:.2f} | {spent.wall:.2f} | {note} |")


if __name__ == "__main__":
    main()
