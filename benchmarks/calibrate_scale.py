"""Time and memory of `calibrate --ratings` from the shell, by the number of examples.

    python -m benchmarks.calibrate_scale [--write benchmarks/results/calibrate_scale.md]

Five criteria of five levels, three people and a judge, made with noise; groups, systems and lengths as a real set has
them. Each run is a process of its own, from reading the files to the written JSON, Markdown and terminal report; memory
is the most that process held.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

CRITERIA = ("clarity", "facts", "tone", "order", "format")
COUNTS = (1_000, 10_000, 100_000)
AIM_SECONDS, AIM_BYTES = 10.0, 1e9


def made(folder: Path, n: int, seed: int = 1) -> list[str]:
    """A rubric, examples with three people's labels and a judge's ratings; the command that reads them."""
    generator = np.random.default_rng(seed)
    truth = 3 + generator.normal(size=(n, 1)) * 0.6 + generator.normal(size=(n, len(CRITERIA)))
    raters = {
        name: np.clip(np.rint(truth + noise * generator.normal(size=truth.shape)), 1, 5).astype(int).tolist()
        for name, noise in (("p1", 0.4), ("p2", 0.5), ("p3", 0.6), ("judge", 0.6))
    }
    lengths = np.exp(generator.normal(5.5, 0.5, size=n)).astype(int).tolist()
    rubric = folder / "made.yaml"
    examples = folder / "examples.jsonl"
    ratings = folder / "ratings.jsonl"
    criteria = [{"name": name, "weight": 1, "description": name, "scale": {"min": 1, "max": 5}} for name in CRITERIA]
    rubric.write_text(yaml.safe_dump({"name": "made", "criteria": criteria}), encoding="utf-8")
    with examples.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(example(i, raters, lengths[i])) + "\n" for i in range(n))
    with ratings.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"id": f"e{i}", "rater": "judge", "kind": "model", "criteria": levels(raters["judge"][i])})
            + "\n"
            for i in range(n)
        )
    return ["calibrate", str(rubric), "--examples", str(examples), "--ratings", str(ratings)]


def example(i: int, raters: dict[str, list[list[int]]], length: int) -> dict[str, Any]:
    """One line of examples."""
    return {
        "id": f"e{i}",
        "query": f"question {i // 5}",
        "response": f"answer {i} ".ljust(length, "."),
        "group": f"g{i // 5}",
        "system": f"s{i % 4}",
        "labels": [{"rater": p, "kind": "human", "criteria": levels(raters[p][i])} for p in ("p1", "p2", "p3")],
    }


def levels(given: list[int]) -> dict[str, int]:
    """Levels by criterion."""
    return dict(zip(CRITERIA, given, strict=True))


def measured(n: int) -> tuple[float, float, int]:
    """Seconds, seconds of work, and bytes of one run in a process of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        command = made(folder, n)
        outputs = ["--json", str(folder / "report.json"), "--markdown", str(folder / "report.md")]
        started = time.perf_counter()
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; from markscheme.cli import main; sys.exit(main())", *command, *outputs],
            cwd=folder,  # where the settings that were tried are recorded
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1, 4):
            raise RuntimeError(f"{' '.join(command)} exits {child.returncode}")
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        if report["counts"]["graded"] != n:
            raise RuntimeError(f"{report['counts']['graded']} of {n} graded")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def table() -> Iterator[str]:
    """One row a count."""
    yield f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores."
    yield ""
    yield "| examples | ratings read | seconds | of which work | milliseconds of work an example | memory, MB |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for n in COUNTS:
        seconds, work, held = measured(n)
        ratings = 4 * len(CRITERIA) * n
        yield f"| {n:,} | {ratings:,} | {seconds:.2f} | {work:.2f} | {1000 * work / n:.3f} | {held / 1e6:.0f} |"
    yield ""
    yield f"Aim: 10,000 examples in {AIM_SECONDS:.0f} s and {AIM_BYTES / 1e9:.0f} GB, in time that grows as they do."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--count", type=int, help="only this many examples, without a table")
    options = parser.parse_args()
    if options.count:
        print(*measured(options.count))
        return
    text = "\n".join(table())
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
