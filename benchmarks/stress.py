"""Does `stress` find what moves a judge, and nothing else?

    python -m benchmarks.stress [--runs 300] [--write benchmarks/results/stress.md]
    python -m benchmarks.stress --local [--write benchmarks/results/stress_local.md]

A judge rates n examples on five criteria of five levels. Every rating is the example's level plus noise of a given
retest standard deviation; the originals are asked three times, the control and eight changes once,
as `stress` asks. One change moves one criterion by a quarter or half a level. n is what the documentation gives for
finding it 19 times in 20. Other worlds: nothing planted; a judge that drifts within the run, so that the control moves;
a judge that never reads the second half.

With `--local`, the command itself asks SmolLM2-135M about 20 shipped error messages, through the real SDK and a server
on this machine: a model that is moved easily.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from markscheme.stats.stress import StressCell, differences, stress_cells
from tests.real.local_model import model_path
from tests.real.messages_front import MessagesFront, local_model

Floats = npt.NDArray[np.float64]
CHANGES, CRITERIA, ORIGINALS = 8, 5, 3
SETTINGS = ((0.3, 0.25, 67), (0.3, 0.5, 19), (0.5, 0.25, 153), (0.5, 0.5, 40))
"""Retest standard deviation, planted shift in levels, examples."""
CUT = 1.0
"""What half a response costs a judge that reads to the end, in levels."""
LONGEST = 80
"""Characters of a quote or a reason of the local model, which might never end one."""
RUBRIC = """
name: message
criteria:
  - {name: action, description: How clearly it says what to do next., weight: 1, scale: {min: 1, max: 5}}
"""


def rated(truth: Floats, sd: float, shift: float, generator: np.random.Generator, askings: int) -> Floats:
    """Ratings, shape (n, askings), in hundredths of a level."""
    noise = generator.normal(0, sd, (len(truth), askings))
    return np.asarray(np.round(truth[:, None] + shift + noise, 2))


def run(n: int, sd: float, shift: float, seed: int, *, control: float = 0.0) -> dict[tuple[str, str], StressCell]:
    """The cells of one run: the first change moves the first criterion."""
    generator = np.random.default_rng([n, int(100 * sd), int(100 * shift), int(100 * control), seed])
    moved = {}
    for criterion in range(CRITERIA):
        truth = generator.uniform(1.0, 5.0, n)
        originals = rated(truth, sd, 0.0, generator, ORIGINALS)
        for change in range(CHANGES):
            planted = shift if change == criterion == 0 else 0.0
            ratings = rated(truth, sd, planted, generator, 1)
            moved[f"change-{change}", f"c{criterion}"] = differences(originals, ratings)
    return stress_cells(moved, {f"c{criterion}": 4.0 for criterion in range(CRITERIA)})


def single(n: int, sd: float, shift: float, seed: int) -> bool:
    """Whether a control or a truncation that moves all criteria by `shift` is noticed on any."""
    generator = np.random.default_rng([7, n, int(100 * sd), int(-100 * shift) % 1000, seed])
    moved = {}
    for criterion in range(CRITERIA):
        truth = generator.uniform(1.0, 5.0, n)
        originals = rated(truth, sd, 0.0, generator, ORIGINALS)
        moved["control", f"c{criterion}"] = differences(originals, rated(truth, sd, shift, generator, 1))
    cells = stress_cells(moved, {f"c{criterion}": 4.0 for criterion in range(CRITERIA)})
    return any(cell.state == "finding" for cell in cells.values())


def report(runs: int) -> str:
    """The tables."""
    started = time.perf_counter()
    lines = ["# stress: what is found", "", f"{CHANGES} changes, {CRITERIA} criteria, {runs} runs a row.", ""]
    lines += ["| retest sd | planted | examples | found | in another cell | nothing planted: any alarm |"]
    lines += ["|---|---|---|---|---|---|"]
    for sd, shift, n in SETTINGS:
        tables = [run(n, sd, shift, seed) for seed in range(runs)]
        found = np.mean([table["change-0", "c0"].state == "finding" for table in tables])
        others = np.mean([any(c.state == "finding" for k, c in t.items() if k != ("change-0", "c0")) for t in tables])
        still = np.mean([any(c.state == "finding" for c in run(n, sd, 0.0, s).values()) for s in range(runs)])
        lines.append(f"| {sd:g} | {shift:g} | {n} | {found:.3f} | {others:.3f} | {still:.3f} |")
    lines += ["", "| the judge | examples | retest sd | noticed |", "|---|---|---|---|"]
    worlds = (("moves by a quarter level within the run", 0.25), ("moves by half a level within the run", 0.5))
    for words, shift in (*worlds, ("stays as it is", 0.0)):
        noticed = np.mean([single(60, 0.3, shift, seed) for seed in range(runs)])
        lines.append(f"| {words} | 60 | 0.3 | {noticed:.3f} |")
    for words, shift in (("reads to the end: half a response costs a level", -CUT), ("doesn't: it costs nothing", 0.0)):
        fell = np.mean([single(60, 0.5, shift, seed) for seed in range(runs)])
        lines.append(f"| {words} | 60 | 0.5 | {1 - fell:.3f} called blind to the end |")
    lines += ["", f"{time.perf_counter() - started:.0f} s."]
    return "\n".join(lines) + "\n"


def local(examples: int) -> str:
    """What `markscheme stress` says of the local model, and what it took."""
    shipped = Path(__file__).parents[1] / "calibration" / "error-messages" / "examples.jsonl"
    with tempfile.TemporaryDirectory() as place, MessagesFront(local_model(model_path(), longest=LONGEST)) as served:
        folder = Path(place)
        (folder / "message.yaml").write_text(RUBRIC)
        lines = [json.loads(line) for line in shipped.read_text(encoding="utf-8").splitlines()[:examples]]
        kept = [json.dumps({"id": line["id"], "response": line["response"]}) + "\n" for line in lines]
        (folder / "examples.jsonl").write_text("".join(kept))
        asked = ("stress", "message.yaml", "--examples", "examples.jsonl", "--judge", "anthropic", "--concurrency", "2")
        keys = {"ANTHROPIC_BASE_URL": served.url, "ANTHROPIC_API_KEY": "none", "MARKSCHEME_CACHE": str(folder / "c")}
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "markscheme", *asked],
            cwd=folder,
            env={**os.environ, **keys, "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )
        reasons = "".join(line for line in done.stderr.splitlines(keepends=True) if line.startswith("error"))
        minutes = (time.perf_counter() - began) / 60
        head = f"# stress: a small local model\n\n{examples} examples, {len(served.requests)} requests, {minutes:.0f} "
        return f"{head}minutes, exit status {done.returncode}; no price.\n\n```text\n{done.stdout}{reasons}```\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--local", type=int, nargs="?", const=20, metavar="EXAMPLES")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    text = local(asked.local) if asked.local else report(asked.runs)
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
