"""CPU of commands that read many rows and keep figures alone, in ratios to scripts that only read, in one run.

    python -m benchmarks.counted [--write benchmarks/results/counted.md]

`pass-rate` and `import` on 100,000 rows are compared with csv and json, which read the same rows; `status` with
`--help`, in turn, by the median of seven; `export --counts`, and `calibrate --counts` on its file, with pandas, which
reads that file. Each run is a process of its own.
"""

import argparse
import json
import platform
import random
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path

import numpy as np
import pyarrow as pa
import yaml
from pyarrow import parquet

from benchmarks.calibrate_scale import CRITERIA, Run, ran

OURS = ("-c", "import sys; from markscheme.cli import main; sys.exit(main())")
ROWS = 100_000
EXAMPLES = 5_000_000
READ_JSON = "import json; decided = {row['id']: row['pass'] for row in map(json.loads, open('pool.jsonl'))}"
READ_CSV = f"""
import csv, json
with open("ratings.csv", newline="") as table, open("read.jsonl", "w") as lines:
    for row in csv.DictReader(table):
        levels = {{name: int(row[name]) for name in {CRITERIA}}}
        lines.write(json.dumps({{"id": row["id"], "rater": row["rater"], "criteria": levels}}) + "\\n")
"""
READ_COUNTS = "from pyarrow import parquet; parquet.read_table('counts.parquet').to_pandas()"


def make_rows(folder: Path, seed: int = 1) -> None:
    """Write a rubric, a judge's decisions with labels of some others, and ratings in a table."""
    draw = random.Random(seed)
    criteria = [{"name": name, "weight": 1, "description": name, "scale": {"min": 1, "max": 5}} for name in CRITERIA]
    (folder / "made.yaml").write_text(yaml.safe_dump({"name": "made", "criteria": criteria}), encoding="utf-8")
    pool = [{"id": f"r{i}", "pass": draw.random() < 0.7} for i in range(ROWS)]
    gold = [draw.random() < 0.7 for _ in range(200)]
    labelled = [
        {"id": f"l{i}", "gold": passes, "judge": passes is (draw.random() < 0.9)} for i, passes in enumerate(gold)
    ]
    for name, lines in (("pool", pool), ("labelled", labelled)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rated = (f"e{i},ana," + ",".join(str(draw.randint(1, 5)) for _ in CRITERIA) for i in range(ROWS))
    (folder / "ratings.csv").write_text("\n".join(["id,rater," + ",".join(CRITERIA), *rated]) + "\n", encoding="utf-8")


def make_project(folder: Path, n: int = 60) -> None:
    """Write a rubric with labelled examples that no judge is compared with."""
    calibration = folder / "calibration" / "made"
    for part in (folder / "rubrics", calibration):
        part.mkdir(parents=True)
    (folder / "rubrics" / "made.yaml").write_text((folder.parent / "made.yaml").read_text(), encoding="utf-8")
    labels = [{"rater": "ana", "criteria": dict.fromkeys(CRITERIA, 3)}]
    examples = ({"id": f"e{i}", "response": f"answer {i}", "labels": labels} for i in range(n))
    text = "".join(json.dumps(example) + "\n" for example in examples)
    (calibration / "examples.jsonl").write_text(text, encoding="utf-8")


def make_wide(folder: Path, n: int, seed: int = 1) -> None:
    """Write a wide table of examples in groups of five, three people and a judge."""
    generator = np.random.default_rng(seed)
    truth = 3 + generator.normal(size=(n, 1)) * 0.6 + generator.normal(size=(n, len(CRITERIA)))
    columns = {"group_id": pa.array(np.arange(n) // 5)}
    for rater, noise in (("p1", 0.4), ("p2", 0.5), ("p3", 0.6), ("judge", 0.6)):
        given = np.clip(np.rint(truth + noise * generator.normal(size=truth.shape)), 1, 5).astype(np.int8)
        columns |= {f"{rater}__{name}": pa.array(given[:, i]) for i, name in enumerate(CRITERIA)}
    parquet.write_table(pa.table(columns), folder / "wide.parquet")


def in_turn(folder: Path, command: Sequence[str], rival: Sequence[str], times: int = 7) -> tuple[Run, Run]:
    """Run two short commands in turn; of each the run with the median CPU."""
    runs = [(ran(folder, *command), ran(folder, *rival)) for _ in range(times)]
    ours, rivals = (sorted(of_one, key=attrgetter("cpu"))[times // 2] for of_one in zip(*runs, strict=True))
    return ours, rivals


def row(command: str, run: Run, rival: str, of_rival: Run, goal: str) -> str:
    """Write a row of the table."""
    figures = f"{run.cpu:.2f} s, {run.megabytes:.0f} MB | {rival} | {of_rival.cpu:.2f} s, {of_rival.megabytes:.0f} MB"
    return f"| {command} | {figures} | {run.cpu / of_rival.cpu:.1f} | {goal} |"


def table(examples: int) -> Iterator[str]:
    """One row a command."""
    yield f"Python {platform.python_version()} on {platform.machine()}: CPU seconds, most MB of each process."
    yield ""
    yield "| command | ours | compared with | its figures | ratio | goal |"
    yield "|---|---:|---|---:|---:|---:|"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        status, shown_help = in_turn(folder, (*OURS, "status"), (*OURS, "--help"))
        yield row("`status`, no rubric", status, "`--help`", shown_help, "1.5")
        make_rows(folder)
        make_project(folder / "project")
        status, shown_help = in_turn(folder / "project", (*OURS, "status"), (*OURS, "--help"))
        yield row("`status`, a rubric with labels", status, "`--help`", shown_help, "1.5")
        rate = ran(folder, *OURS, "pass-rate", "pool.jsonl", "--calibration", "labelled.jsonl")
        yield row(f"`pass-rate`, {ROWS:,} lines", rate, "json", ran(folder, "-c", READ_JSON), "5")
        to = ("--rubric", "made.yaml", "--kind", "human", "--to", "imported.jsonl")
        imported = ran(folder, *OURS, "import", "ratings.csv", *to)
        yield row(f"`import`, {ROWS:,} rows of CSV", imported, "csv and json", ran(folder, "-c", READ_CSV), "5")
        if not examples:
            return
        elsewhere = get_context("spawn").Process(target=make_wide, args=(folder, examples))
        elsewhere.start()  # a child's memory counts from that of the process that starts it
        elsewhere.join()
        raters = ("--raters", "p1,p2,p3", "--judge", "judge")
        to_counts = ("--counts", "counts.parquet", "--from", "wide.parquet", *raters)
        counted = ran(folder, *OURS, "export", "made.yaml", *to_counts)
        read = ran(folder, "-c", READ_COUNTS)
        n_rows = parquet.read_metadata(folder / "counts.parquet").num_rows
        yield row(f"`export --counts`, {20 * examples:,} ratings", counted, "pandas reads it", read, "60 s, 2,000 MB")
        by_counts = ran(folder, *OURS, "calibrate", "made.yaml", "--counts", "counts.parquet", "--json", "report.json")
        yield row(f"`calibrate --counts`, {n_rows:,} rows", by_counts, "pandas reads it", read, "4 s, 375 MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    counted = "examples of 20 ratings each to count; 0 counts none"
    parser.add_argument("--examples", type=int, default=EXAMPLES, help=counted)
    options = parser.parse_args()
    text = "\n".join(table(options.examples))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
