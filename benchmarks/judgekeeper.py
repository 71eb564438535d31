"""judgekeeper's table check next to `calibrate TABLE` on the same yes/no tables: figures, verdicts, time.

    python -m benchmarks.judgekeeper [--write benchmarks/results/judgekeeper.md] [--runs 5]

judgekeeper is installed into an environment of its own under .cache/. Each table goes to both as it is.
"""

import argparse
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
from typing import Any

from benchmarks.environment import python_with

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each run would compile all of the package, as no installed one does

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sys.executable).parent
VERSION = "0.1.3"
FIGURES = {"tpr": "recall", "tnr": "specificity", "kappa": "cohen_kappa", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Table:
    """A yes/no table: n answers, of which a share passes by label, and what the judge says."""

    name: str
    n: int
    passing: float
    wrong: tuple[int, ...] = ()
    always_pass: bool = False

    def rows(self) -> list[tuple[str, str, str]]:
        """Id, verdict and label of each answer; answers that pass and fail are spread evenly."""
        found = []
        for i in range(self.n):
            label = int((i + 1) * self.passing) > int(i * self.passing)
            verdict = True if self.always_pass else label != (i in self.wrong)
            found.append((f"e{i}", _word(verdict), _word(label)))
        return found

    def write(self, path: Path) -> None:
        """As CSV."""
        lines = [f"{unit},question {unit},answer {unit},{verdict},{label}" for unit, verdict, label in self.rows()]
        path.write_text("\n".join(["id,input,output,verdict,label", *lines]) + "\n")


TABLES = [
    Table("a good judge, 60 labels", 60, 0.6, wrong=(4, 13, 17, 31, 44)),
    Table("always passes, 60 labels, 60 % pass", 60, 0.6, always_pass=True),
    Table("always passes, 60 labels, 90 % pass", 60, 0.9, always_pass=True),
    Table("right on all of 12 labels", 12, 0.5),
    Table("right on 11 of 12 labels", 12, 0.5, wrong=(3,)),
    Table("a good judge, 1,000 labels", 1000, 0.6, wrong=tuple(range(0, 1000, 12))),
]


def _word(passes: bool) -> str:
    return "pass" if passes else "fail"


@dataclass(frozen=True)
class Said:
    """What one tool said of one table, and the median of what it took."""

    figures: Mapping[str, float | None]
    verdict: str
    exit_status: int
    cpu: float
    wall: float


def judgekeeper() -> Path:
    """The installed command of judgekeeper."""
    return python_with(f"judgekeeper-{VERSION}", f"judgekeeper=={VERSION}").with_name("judgekeeper")


def timed(command: Sequence[str], cwd: Path, runs: int) -> tuple[int, float, float]:
    """Exit status, and medians of CPU and wall seconds."""
    cpus, walls, status = [], [], 0
    for _ in range(runs):
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, raw, used = os.wait4(process.pid, 0)
        cpus.append(used.ru_utime + used.ru_stime)
        walls.append(time.perf_counter() - began)
        status = os.waitstatus_to_exitcode(raw)
    return status, statistics.median(cpus), statistics.median(walls)


def theirs(folder: Path, runs: int) -> Said:
    """judgekeeper's check of the table in a folder."""
    command = [str(judgekeeper()), "check", "table.csv", "--out", "report"]
    status, cpu, wall = timed(command, folder, runs)
    report = json.loads((folder / "report" / "report.json").read_text())
    figures = {name: report["runs"][0][name] for name in FIGURES}
    return Said(figures, report["verdict"]["level"].replace("_", " "), status, cpu, wall)


def ours(folder: Path, runs: int) -> Said:
    """`calibrate` of the table in a folder."""
    command = [str(SCRIPTS / "calibrate"), "table.csv", "--json", "report.json"]
    status, cpu, wall = timed(command, folder, runs)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    (label,) = report["criteria"].values()
    figures = {name: label[our]["value"] for name, our in FIGURES.items()}
    return Said(figures, f"{report['verdict']}: {report['use']}", status, cpu, wall)


def compare(table: Table, runs: int) -> tuple[Said, Said]:
    """What both say of one table."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        table.write(Path(one) / "table.csv")
        table.write(Path(other) / "table.csv")
        return theirs(Path(one), runs), ours(Path(other), runs)


def main() -> None:
    """Run both on every table, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", type=Path, help="write the page there too")
    parser.add_argument("--runs", type=int, default=5, help="times each command is run")
    arguments = parser.parse_args()
    found = [(table, *compare(table, arguments.runs)) for table in TABLES]
    text = "\n".join(_page(found, arguments.runs))
    print(text)
    if arguments.write:
        arguments.write.write_text(text + "\n")


def _page(found: Sequence[tuple[Table, Said, Said]], runs: int) -> list[str]:
    lines = ["# Beside judgekeeper", ""]
    made = f"made by `python -m benchmarks.judgekeeper`; times are medians of {runs} runs."
    tools = f"judgekeeper {VERSION} `check` and `calibrate` on the same yes/no tables"
    lines += [f"{tools}, labels of one person, {made}", ""]
    lines += ["## Figures", "", "| table | | TPR | TNR | kappa | accuracy |", "|---|---|---|---|---|---|"]
    for table, their, our in found:
        for who, said in (("judgekeeper", their), ("calibrate", our)):
            lines.append(f"| {table.name} | {who} | " + " | ".join(_number(said.figures[f]) for f in FIGURES) + " |")
    most = max(
        abs((their.figures[f] or 0.0) - (our.figures[f] or 0.0)) for _, their, our in found for f in FIGURES
    )  # an undefined figure is undefined for both, or shows as a number against a dash
    lines += ["", f"Largest difference: {most:.1e}.", ""]
    lines += ["## Verdicts", "", "| table | judgekeeper | exit | calibrate | exit |", "|---|---|---|---|---|"]
    lines += [f"| {t.name} | {a.verdict} | {a.exit_status} | {b.verdict} | {b.exit_status} |" for t, a, b in found]
    lines += [
        "",
        "## Time",
        "",
        "| table | judgekeeper CPU s | wall s | calibrate CPU s | wall s | CPU of calibrate to judgekeeper's |",
        "|---|---|---|---|---|---|",
    ]
    for table, their, our in found:
        seconds = " | ".join(f"{second:.2f}" for second in (their.cpu, their.wall, our.cpu, our.wall))
        lines.append(f"| {table.name} | {seconds} | {our.cpu / their.cpu:.1f} |")
    return lines


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6f}"


if __name__ == "__main__":
    main()
