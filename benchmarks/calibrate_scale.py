"""CPU and memory of `calibrate --ratings` from the shell, by the number of examples, compared with two scripts in turn.

    python -m benchmarks.calibrate_scale [--write benchmarks/results/calibrate_scale.md]

Five criteria of five levels, three people and a judge, made with noise; groups, systems and lengths as a real set has
them. Each run is a process of its own, from reading the files to the written JSON; memory is the most that process
held. One script reads the lines into a matrix and does nothing with it. The other computes with pandas, krippendorff
and scikit-learn what people compute by hand: annotators' alpha, and errors, correlations and kappa of the judge.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

CRITERIA = ("clarity", "facts", "tone", "order", "format")
COUNTS = (10_000, 50_000, 100_000)
"""Examples; each has 20 ratings of a criterion."""
GOALS = {10_000: (1.0, 90), 100_000: (0.75, 200)}
"""Most CPU of ours for one of the script of pandas, and most megabytes, by the number of examples."""
MOST_OF_MATRIX = 5
"""Most CPU for one of reading the lines of a million ratings into a matrix."""
MATRIX = """
import json
import numpy as np
names, rows = None, []
for file in ("examples.jsonl", "ratings.jsonl"):
    for line in open(file):
        data = json.loads(line)
        for rating in data.get("labels", [data]):
            names = names or list(rating["criteria"])
            rows.append([rating["criteria"][name] for name in names])
np.array(rows)
"""
PANDAS = """
import json
import krippendorff, numpy as np, pandas as pd
from sklearn.metrics import cohen_kappa_score, mean_absolute_error
rows = []
for file in ("examples.jsonl", "ratings.jsonl"):
    for line in open(file):
        data = json.loads(line)
        for rating in data.get("labels", [data]):
            rows.append({"id": data["id"], "rater": rating["rater"], **rating["criteria"]})
frame = pd.DataFrame(rows).set_index(["id", "rater"]).unstack("rater")
figures = {}
for name in frame.columns.levels[0]:
    rated = frame[name]
    people, judge = rated[["p1", "p2", "p3"]], rated["judge"]
    gold = people.median(axis=1)
    figures[name] = {
        "alpha": krippendorff.alpha(people.to_numpy(float).T, level_of_measurement="ordinal"),
        "mae": mean_absolute_error(gold, judge),
        "kappa": cohen_kappa_score(gold, judge, weights="quadratic"),
        **{how: gold.corr(judge, method=how) for how in ("pearson", "spearman", "kendall")},
    }
json.dump(figures, open("figures.json", "w"))
"""


@dataclass(frozen=True)
class Run:
    """CPU seconds of a process, and the megabytes that it held at most."""

    cpu: float
    megabytes: float


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


def ran(folder: Path, *command: str) -> Run:
    """Run Python in a folder, in a process of its own, with its modules compiled as an installation has them."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen([sys.executable, *command], cwd=folder, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 4):
        raise RuntimeError(f"{command[0]} exits {child.returncode}")
    held = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(usage.ru_utime + usage.ru_stime, held / 1e6)


def measured(n: int) -> tuple[Run, Run, Run]:
    """Run ours, the script of pandas and the matrix in turn, on the same files of so many examples."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        command = [*made(folder, n), "--quiet", "--json", "report.json"]
        ours = ran(folder, "-c", "import sys; from markscheme.cli import main; sys.exit(main())", *command)
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        if report["counts"]["graded"] != n:
            raise RuntimeError(f"{report['counts']['graded']} of {n} graded")
        return ours, ran(folder, "-c", PANDAS), ran(folder, "-c", MATRIX)


def table(counts: Sequence[int]) -> Iterator[str]:
    """One row a count, and the goals."""
    yield f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} cores: CPU seconds, most MB."
    yield ""
    yield "| examples | ratings | calibrate | pandas, krippendorff, sklearn | ratio | lines into a matrix | ratio |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for n in counts:
        ours, pandas, matrix = measured(n)
        yield (
            f"| {n:,} | {4 * len(CRITERIA) * n:,} | {ours.cpu:.2f} s, {ours.megabytes:.0f} MB "
            f"| {pandas.cpu:.2f} s, {pandas.megabytes:.0f} MB | {ours.cpu / pandas.cpu:.2f} "
            f"| {matrix.cpu:.2f} s | {ours.cpu / matrix.cpu:.1f} |"
        )
    yield ""
    goals = "; ".join(f"{n:,} examples {ratio:g} of its CPU, {mb} MB" for n, (ratio, mb) in GOALS.items())
    yield f"Goals next to pandas: {goals}. Next to the matrix, a million ratings: {MOST_OF_MATRIX} times."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--count", type=int, action="append", help="only this many examples; may be repeated")
    options = parser.parse_args()
    text = "\n".join(table(options.count or COUNTS))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
