"""What a verdict costs under Promptfoo, side by side in one run, against a server that answers after 20 ms.

    python -m benchmarks.promptfoo [CONTESTANT ...]

Contestants: (a) a python assertion that returns a constant, (a+) one that waits as long as the server takes, (m) ours
in JavaScript with a warm session, (b) ours in Python with one, (c) ours without one, (d) a grader written by hand that
imports the SDK and makes one call, (e) Promptfoo's own `llm-rubric`, which runs inside Promptfoo, (f) `llm-rubric`
through our provider in JavaScript, (g) through the one in Python, (h) without a provider, under `--grader`. Each
evaluates the same number of outputs at concurrency 4, every output new to every cache; they run in turn, several
rounds, and medians count. CPU seconds are those of Promptfoo, all it starts, and the session. Then what a session costs
to start, to keep and to end, and an unchanged run again. With contestants named, these alone run, and (a).
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.engine import slow_server
from markscheme.session import client, session_sockets
from tests.real.promptfoo import QUIET, install_promptfoo, with_node, without_keys

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent

LATENCY, CONCURRENCY, SIZES = 0.02, 4, {48: 5, 200: 3}
SLOW, SLOW_ROUNDS = ("c", "d", "g"), 1
"""Who takes ten times as long as the others, and so fewer turns."""
CONSTANT = """
def get_assert(output, context):
    return {"pass": True, "score": 0.8, "reason": "It is so."}
"""
WAITING = """
import time

def get_assert(output, context):
    time.sleep(0.02)
    return {"pass": True, "score": 0.8, "reason": "It is so."}
"""
BY_HAND = """
import json
from anthropic import Anthropic

def get_assert(output, context):
    client = Anthropic()
    question = f"Rate this from 0 to 1 for clarity, as JSON with scores, overall and summary:\\n\\n{output}"
    response = client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=[{"role": "user", "content": question}]
    )
    result = json.loads(response.content[0].text)
    return {
        "pass": result["overall"] >= 0.7,
        "score": result["overall"],
        "reason": result["summary"],
        "namedScores": {name: entry["score"] for name, entry in result["scores"].items()},
    }
"""
RUBRIC = """
criteria:
- {name: clear, description: How clear it is, weight: 1}
- {name: right, description: How right it is, weight: 2}
- {name: short, requirement: It is one sentence, weight: 1}
- {name: kind, requirement: It is friendly, weight: 1}
"""
HOOKS = [f"file://graders/session.py:{hook}" for hook in ("beforeAll", "afterAll")]
IN_JAVASCRIPT = {"type": "python", "value": "file://graders/rubric_grader.mjs"}
OURS = {"type": "python", "value": "file://graders/rubric_grader.py"}
ASSERTS: Mapping[str, Mapping[str, Any]] = {
    "a": {"type": "python", "value": "file://graders/constant.py"},
    "a+": {"type": "python", "value": "file://graders/waiting.py"},
    "m": {**IN_JAVASCRIPT, "config": {"rubric": "plain", "judge": "anthropic"}},
    "b": {**OURS, "config": {"rubric": "plain", "judge": "anthropic"}},
    "c": {**OURS, "config": {"rubric": "plain", "judge": "anthropic", "session": "off"}},
    "d": {"type": "python", "value": "file://graders/by_hand.py"},
    "e": {
        "type": "llm-rubric",
        "value": "Is clear and right",
        "provider": {"id": "anthropic:messages:claude-sonnet-5-5"},
    },
    **{
        name: {
            "type": "llm-rubric",
            "value": "plain",
            "provider": {"id": f"file://graders/rubric_provider.{language}", "config": {"judge": "anthropic"}},
        }
        for name, language in {"f": "mjs", "g": "py"}.items()
    },
    "h": {"type": "llm-rubric", "value": "plain"},
}
BY_OPTION = "h"
"""The contestant whose configuration names no grader: the command line does."""
NAMES = {
    "a": "python assertion that returns a constant",
    "a+": "the same, waiting for as long as the server takes",
    "m": "ours in JavaScript, with a warm session",
    "b": "ours in Python, with a warm session",
    "c": "ours in Python, without a session",
    "d": "SDK imported, one call, by hand",
    "e": "Promptfoo's own llm-rubric",
    "f": "llm-rubric through our provider in JavaScript",
    "g": "llm-rubric through our provider in Python",
    "h": "llm-rubric without a provider, under --grader with ours in JavaScript",
}


@dataclass(frozen=True)
class Run:
    """What one evaluation took.

    Attributes:
        wall: Seconds from its start to its end.
        cpu: CPU seconds of Promptfoo and all that it started, the session's included.
        passed: Outputs that passed.
    """

    wall: float
    cpu: float
    passed: int


@dataclass
class Bench:
    """A project with all contestants' graders.

    Attributes:
        folder: Where it stands.
        url: The server's address.
    """

    folder: Path
    url: str
    outputs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        (self.folder / "rubrics").mkdir()
        (self.folder / "rubrics" / "plain.yaml").write_text(RUBRIC)
        shutil.copytree(ROOT / "graders", self.folder / "graders", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "graders" / "constant.py").write_text(CONSTANT)
        (self.folder / "graders" / "waiting.py").write_text(WAITING)
        (self.folder / "graders" / "by_hand.py").write_text(BY_HAND)
        (self.folder / "markscheme.toml").write_text('judge = "anthropic"\n')
        (self.folder / "run").mkdir(mode=0o700)

    @property
    def env(self) -> dict[str, str]:
        """The environment of all contestants."""
        own = {
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": self.url,
            "MARKSCHEME_CACHE": str(self.folder / "cache"),
            "MARKSCHEME_SESSION_IDLE": "7200",
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "PROMPTFOO_CONFIG_DIR": str(self.folder / "promptfoo"),
            "PROMPTFOO_PYTHON": sys.executable,
        }
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        compiled = {"PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}  # as an installed package has its modules
        return with_node(without_keys(inherited)) | QUIET | compiled | own

    def evaluate(self, name: str, tests: int, *, hooks: bool = False, again: bool = False) -> Run:
        """One evaluation of as many outputs, new ones unless `again`."""
        if not again:
            self.outputs += tests
        config: dict[str, Any] = {
            "prompts": ["{{answer}}"],
            "providers": ["echo"],
            "tests": [
                {"vars": {"answer": f"Answer {self.outputs - n}."}, "assert": [dict(ASSERTS[name])] if name else []}
                for n in range(tests)
            ],
            **({"extensions": HOOKS} if hooks else {}),
        }
        path = self.folder / "promptfooconfig.yaml"
        out = self.folder / "out.json"
        path.write_text(yaml.safe_dump(config))
        quiet = ["--no-cache", "--no-table", "--no-progress-bar", "-j", str(CONCURRENCY), "-o", str(out)]
        grader = ["--grader", "file://graders/rubric_provider.mjs"] if name == BY_OPTION else []
        before = self.session_cpu()
        began = time.perf_counter()
        process = subprocess.Popen(
            [*install_promptfoo().command, "eval", "-c", str(path), *quiet, *grader],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
        wall = time.perf_counter() - began
        cpu = used.ru_utime + used.ru_stime + max(0.0, self.session_cpu() - before)
        rows = json.loads(out.read_text())["results"]["results"]
        passed = sum(row["success"] for row in rows)
        assert passed == tests, rows[0]
        return Run(wall, cpu, passed)

    def sessions(self) -> list[dict[str, Any]]:
        """What the running sessions say of themselves."""
        os.environ["XDG_RUNTIME_DIR"] = str(self.folder / "run")
        return [told for place in session_sockets() if (told := client.status(place)) is not None]

    def session_cpu(self) -> float:
        """CPU seconds that the running sessions have used."""
        ticks = 0
        for told in self.sessions():
            fields = Path(f"/proc/{told['pid']}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End all sessions."""
        for place in list(session_sockets()):
            client.stop(place)


def memory_mb(pid: int) -> float:
    """What a process keeps in memory, in megabytes."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def contest(bench: Bench, tests: int, rounds: int, contestants: Sequence[str]) -> dict[str, Run]:
    """The median of each contestant's runs, taken in turn; "" runs no assertion at all."""
    bench.evaluate("b", 4)  # the session is up, and Promptfoo's files are in the system's memory
    runs: dict[str, list[Run]] = {name: [] for name in ("", *contestants)}
    for n in range(rounds):
        for name in runs if n < SLOW_ROUNDS else [name for name in runs if name not in SLOW]:
            runs[name].append(bench.evaluate(name, tests))
            print(f"{name or '-'} {tests}: {runs[name][-1].wall:.2f} s", file=sys.stderr, flush=True)
    return {name: median(found) for name, found in runs.items()}


def median(runs: list[Run]) -> Run:
    """The medians of wall and CPU seconds."""
    return Run(statistics.median(run.wall for run in runs), statistics.median(run.cpu for run in runs), runs[0].passed)


def table(tests: int, rounds: int, found: Mapping[str, Run]) -> list[str]:
    """One contest in Markdown."""
    bare = found[""]
    constant = found["a"]
    slow = [name for name in SLOW if name in found]
    fewer = f", {SLOW_ROUNDS} of {', '.join(slow)}" if slow and rounds > SLOW_ROUNDS else ""
    lines = [
        "",
        f"{tests} assertions, concurrency {CONCURRENCY}, medians of {rounds} rounds{fewer}. An evaluation without any "
        f"assertion takes {bare.wall:.2f} s ({bare.cpu:.2f} s CPU).",
        "",
        "| | contestant | wall s | CPU s | CPU, of (a) |",
        "|---|---|---|---|---|",
    ]
    for name, title in ((name, title) for name, title in NAMES.items() if name in found):
        run = found[name]
        lines.append(f"| {name} | {title} | {run.wall:.2f} | {run.cpu:.2f} | {run.cpu / constant.cpu:.2f} |")
    return lines


def life_of_a_session(bench: Bench) -> list[str]:
    """Start, memory, end, and an unchanged run again."""
    bench.stop()
    cold = bench.evaluate("b", 24)
    (told,) = bench.sessions()
    kept = memory_mb(told["pid"])
    calls = told["usage"]["calls"]
    again = bench.evaluate("b", 24, again=True)
    more = bench.sessions()[0]["usage"]["calls"] - calls
    began = time.perf_counter()
    bench.stop()
    while Path(f"/proc/{told['pid']}/cmdline").exists() and Path(f"/proc/{told['pid']}/cmdline").read_bytes():
        time.sleep(0.005)
    ended = time.perf_counter() - began
    hooked = bench.evaluate("b", 24, hooks=True)
    left = list((bench.folder / "run" / "markscheme").iterdir())
    return [
        "",
        "A session's life:",
        "",
        f"- 24 assertions when the first of them has to start it and load the SDK: {cold.wall:.2f} s; with the hooks "
        f"that start and end it: {hooked.wall:.2f} s, and {len(left)} files are left;",
        f"- memory after those 24: {kept:.0f} MB;",
        f"- an unchanged run again: {again.wall:.2f} s and {more} calls;",
        f"- told to stop, its process is gone after {ended:.2f} s.",
    ]


def main() -> None:
    """Run everything, or the contestants that are named, and print the result as it stands in `results/`."""
    contestants = [name for name in ASSERTS if name == "a" or not sys.argv[1:] or name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="ms-", dir="/tmp") as folder, slow_server(LATENCY) as url:
        bench = Bench(Path(folder), url)
        lines = [
            "# A verdict under Promptfoo",
            "",
            f"`{' '.join(['python -m benchmarks.promptfoo', *sys.argv[1:]])}`",
            "",
        ]
        lines += [f"Promptfoo {install_promptfoo().version}, a server that answers after {LATENCY * 1000:.0f} ms."]
        try:
            for tests, rounds in SIZES.items():
                lines += table(tests, rounds, contest(bench, tests, rounds, contestants))
            lines += life_of_a_session(bench) if len(contestants) == len(ASSERTS) else []
        finally:
            bench.stop()
    print("\n".join(lines))


if __name__ == "__main__":
    main()
