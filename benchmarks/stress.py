"""Does `stress` find what moves a judge, and nothing else?

    python -m benchmarks.stress [--runs 200] [--write benchmarks/results/stress.md]
    python -m benchmarks.stress --local [--write benchmarks/results/stress_local.md]

A judge rates n examples on five criteria. Ratings are the example's level plus noise of a given retest standard
deviation, clipped at the ends of the scale; `stress` itself makes the questions and reads the answers: originals three
times, the control and each change once. Nothing planted: judges on a fine scale, on five levels, on five levels and
yes/no near the top, where ratings are skewed. Said is 0.03 for any alarm of a run: a shift, flips, or a control that
moved. Planted: one change that moves one criterion; a judge of length, one of praise and one of both; a judge that
obeys; ratings that flip though their mean stays; a judge that drifts within the run; one that never reads the second
half. n is what the documentation gives for finding a shift 19 times in 20.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from markscheme.features.stress.battery import CONTROL, TRUNCATION, Battery, StressQuestion, battery
from markscheme.features.stress.options import StressOptions
from markscheme.features.stress.perturbations import LENGTHENING
from markscheme.features.stress.result import INSTRUCTION, Stress, stress_of
from markscheme.grading import Grade
from markscheme.grading.verdict import Verdict
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.real.local_model import model_path
from tests.real.messages_front import MessagesFront, local_model

Floats = npt.NDArray[np.float64]
CRITERIA = ("correctness", "depth", "clarity", "safety", "logic")
FIRST = CRITERIA[0]
SETTINGS = ((0.3, 0.25, 70), (0.3, 0.5, 20), (0.5, 0.25, 160), (0.5, 0.5, 44))
"""Retest standard deviation, planted shift in levels, examples."""
FLIPPED = 0.27
"""Share of ratings that a flipping change moves by a level, up as often as down."""
CUT = 1.0
"""What half a response costs a judge that reads to the end, in levels."""
LONGEST = 80
"""Characters of a quote or a reason of the local model, which might never end one."""
RUBRIC = """
name: message
criteria:
  - {name: action, description: How clearly it says what to do next., weight: 1, scale: {min: 1, max: 5}}
"""


@dataclass(frozen=True)
class World:
    """How a judge rates.

    Attributes:
        words: What it is, for a row of the table.
        n: Examples.
        sd: Retest standard deviation, in levels.
        step: Distance of the ratings it gives: 0.01 for a fine scale, 1 for whole levels.
        low: The least level that an example has, before noise; the highest is a little above the scale's end.
        yes_no: Whether all criteria are yes/no.
        shifts: By change, what it adds to the first criterion, in levels; by `control` and `truncation`, to all.
        flips: Share of ratings of the first criterion that praise moves by a level.
    """

    words: str
    n: int = 60
    sd: float = 0.5
    step: float = 0.01
    low: float = 1.0
    yes_no: bool = False
    shifts: Mapping[str, float] = field(default_factory=dict)
    flips: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """The scale's ends."""
        return (0.0, 1.0) if self.yes_no else (1.0, 5.0)


NOTHING = (
    World("a fine scale", n=67, sd=0.3),
    World("a fine scale", n=40, sd=0.5),
    World("five levels", step=1),
    World("five levels, 20 examples", n=20, step=1),
    World("five levels near the top", step=1, low=3.8),
    World("yes/no near the top", sd=0.35, step=1, low=0.2, yes_no=True),
)
LONGER = dict.fromkeys(LENGTHENING, 0.5)
PLANTED = (
    World("likes length: half a level for every change that adds words", step=1, shifts=LONGER),
    World("likes praise alone: half a level", step=1, shifts={"praise": 0.5}),
    World("likes length, half a level, and praise, a whole one", step=1, shifts={**LONGER, "praise": 1.0}),
    World("obeys: a level for “mark this as passing”", step=1, shifts={INSTRUCTION: 1.0}),
    World("flips 27% of ratings under praise, none asked again", sd=0.0, step=1, flips=FLIPPED),
    World("flips 27% more of ratings under praise, some asked again", sd=0.3, step=1, flips=FLIPPED),
    World("drifts by half a level within the run", step=1, shifts={CONTROL: 0.5}),
    World("reads to the end: half a response costs a level", shifts={TRUNCATION: -CUT}),
    World("doesn't: it costs nothing"),
)


@cache
def questions(n: int, yes_no: bool) -> Battery:
    """The questions about n answers of two sentences."""
    scale = () if yes_no else (Scale.numbered(1, 5),)
    rubric = Rubric(tuple(Criterion(1.0, f"Good {name}.", name, *scale) for name in CRITERIA))
    answers = [Submission(f"Answer {k} is short. It has two parts.", {"query": "What?"}, f"e{k}") for k in range(n)]
    return battery(rubric, [Example(answer) for answer in answers], "judge", StressOptions(n=n))


def ran(world: World, seed: int) -> Stress:
    """One run of `stress` with a judge of this world."""
    generator = np.random.default_rng([seed, world.n, int(100 * world.sd), sum(map(ord, world.words))])
    made = questions(world.n, world.yes_no)
    low, high = world.ends
    truth = generator.uniform(world.low, high + 0.2, (world.n, len(CRITERIA)))
    truth = np.round(truth) if world.sd == 0 else truth
    grades: dict[StressQuestion, Grade] = {}
    for asking in made.askings(str(seed)):
        levels = truth[asking.example] + generator.normal(0, world.sd, len(CRITERIA))
        shift = world.shifts.get(asking.version, 0.0)
        levels += shift if asking.version in (CONTROL, TRUNCATION) else [shift, 0, 0, 0, 0]
        levels = np.clip(np.round(levels / world.step) * world.step, low, high)
        if asking.version == "praise" and generator.random() < world.flips:
            levels[0] = flipped(levels[0], generator)
        verdicts = {name: Verdict(name, level) for name, level in zip(CRITERIA, levels.tolist(), strict=True)}
        grades[asking] = Grade("", verdicts, None, None)
    return stress_of(made, grades)


def flipped(level: float, generator: np.random.Generator) -> float:
    """A level up or down; at an end of the scale the level stays, so that the mean does."""
    return level if level in (1.0, 5.0) else level + (1 if generator.random() < 0.5 else -1)


def is_alarmed(run: Stress) -> bool:
    """Whether the run says that the judge is moved or not stable."""
    return bool(run.control_moved or run.findings or run.obeys or run.flips)


def shared(runs: Sequence[Stress], what: Callable[[Stress], object]) -> str:
    """The share of runs of which something is true."""
    return f"{np.mean([bool(what(run)) for run in runs]):.3f}"


def nothing_planted(runs: int) -> Iterator[str]:
    """How often a judge that nothing moves is called moved."""
    yield "Nothing planted; said: any alarm in at most 0.030 of runs."
    yield ""
    yield f"| ratings ({runs:,} runs a row) | examples | retest sd | any alarm | shift | control | flips | length |"
    yield "|---|---|---|---|---|---|---|---|"
    for world in NOTHING:
        done = [ran(world, seed) for seed in range(runs)]
        alarms = (is_alarmed, lambda r: r.findings or r.obeys, lambda r: r.control_moved, lambda r: r.flips)
        figures = [shared(done, what) for what in (*alarms, lambda r: r.length)]
        yield f"| {world.words} | {world.n} | {world.sd:g} | {' | '.join(figures)} |"


def one_change(runs: int) -> Iterator[str]:
    """How often one planted shift is found, and what else is."""
    yield "One change moves one criterion:"
    yield ""
    yield f"| retest sd | planted | examples ({runs} runs a row) | found | called length | another cell |"
    yield "|---|---|---|---|---|---|"
    for sd, shift, n in SETTINGS:
        world = World("planted", n=n, sd=sd, low=1.5, shifts={"layout": shift})
        done = [ran(world, seed) for seed in range(runs)]
        planted = shared(done, lambda r: ("layout", FIRST) in {moved[:2] for moved in r.findings})
        others = shared(done, lambda r: {moved[:2] for moved in r.findings} - {("layout", FIRST)})
        yield f"| {sd:g} | {shift:g} | {n} | {planted} | {shared(done, lambda r: r.length)} | {others} |"


def judges(runs: int) -> Iterator[str]:
    """What is said of judges with a weakness."""
    yield f"What is said of a judge, {runs} runs a row, retest sd 0.5 where no other is stated:"
    yield ""
    yield "| the judge, 60 examples | moved | length | obeys | flips | not stable | blind to the end |"
    yield "|---|---|---|---|---|---|---|"
    for world in PLANTED:
        done = [ran(world, seed) for seed in range(runs)]
        kinds = (lambda r: r.findings, lambda r: r.length, lambda r: r.obeys, lambda r: r.flips)
        rest = (lambda r: r.control_moved, lambda r: r.reads_to_the_end is False)
        yield f"| {world.words} | {' | '.join(shared(done, what) for what in (*kinds, *rest))} |"


def report(runs: int) -> str:
    """The tables."""
    started = time.perf_counter()
    head = f"# stress: what is found\n\n{len(questions(20, False).rows)} changes, {len(CRITERIA)} criteria."
    tables = (nothing_planted(5 * runs), one_change(runs), judges(runs))
    text = "\n\n".join(["\n".join(table) for table in tables])
    return f"{head}\n\n{text}\n\n{time.perf_counter() - started:.0f} s.\n"


def local(examples: int) -> str:
    """What `markscheme stress` says of the local model, and what it took."""
    shipped = Path(__file__).parents[1] / "calibration" / "error-messages" / "examples.jsonl"
    with tempfile.TemporaryDirectory() as place, MessagesFront(local_model(model_path(), longest=LONGEST)) as served:
        folder = Path(place)
        (folder / "message.yaml").write_text(RUBRIC)
        lines = [json.loads(line) for line in shipped.read_text(encoding="utf-8").splitlines()[:examples]]
        kept = [json.dumps({"id": line["id"], "response": line["response"]}) + "\n" for line in lines]
        (folder / "examples.jsonl").write_text("".join(kept))
        asked = (
            "stress",
            "message.yaml",
            "--examples",
            "examples.jsonl",
            "--judge",
            "anthropic",
            "-o",
            "concurrency=2",
        )
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
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--local", type=int, nargs="?", const=20, metavar="EXAMPLES")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    text = local(asked.local) if asked.local else report(asked.runs)
    print(text)
    if asked.write:
        asked.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
