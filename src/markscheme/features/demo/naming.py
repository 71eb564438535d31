"""Write a round of the demonstration as files, and diagnose it in a process that sees only these files."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from markscheme.calibration.accepted.acceptance import accept
from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.findings.diagnosis import finding_kinds
from markscheme.calibration.findings.kinds import BROKEN_SLICE
from markscheme.features.demo.faults import NO_FAULT, NOWHERE, Charge, on_system
from markscheme.features.demo.planting import JUDGE_NAME, ROUND_NAME, Round
from markscheme.grading.receipt import ACCEPTED
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Rubric

RATINGS, REPORT = "ratings.jsonl", "report.json"
COMMAND = (
    "calibrate",
    f"rubrics/{ROUND_NAME}.yaml",
    "--ratings",
    RATINGS,
    "-o",
    "run_number=1",
    "--json",
    REPORT,
    "--quiet",
)
"""Arguments with which markscheme runs in the other process, in the round's folder."""
DECIDED = (0, 1, 4)
"""Exit statuses of a calibration that succeeded: ok, adjust, not enough labels."""

FindingJson: TypeAlias = Mapping[str, Any]
"""A finding as in the JSON of a calibration."""
Calibrate: TypeAlias = Callable[[Path, Sequence[str]], int]
"""Function that runs a command in a folder and returns its exit status."""


def write_project(made: Round, folder: Path) -> list[str]:
    """Write a round's files as a project has them: rubric, labelled examples, accepted run and current ratings.

    Returns:
        The files written, as paths from the folder.
    """
    home = folder / "calibration" / ROUND_NAME
    home.mkdir(parents=True)
    (folder / "rubrics").mkdir()
    rubric = folder / "rubrics" / f"{ROUND_NAME}.yaml"
    rubric.write_text(yaml.safe_dump(dict(made.asked_now), sort_keys=False), encoding="utf-8")
    write_examples(home / "examples.jsonl", made.examples)
    write_lines(folder / RATINGS, [rating.to_json() for rating in made.ratings])
    then = calibration_of(
        Rubric.from_dict(made.asked_then),
        ExampleSet(made.examples),
        made.accepted,
        Rater(JUDGE_NAME, "", "ratings"),
    )
    accept(then, home / ACCEPTED)
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def write_examples(path: Path, examples: Sequence[Example]) -> None:
    """Write labelled examples, one a line."""
    write_lines(path, [_line(example) for example in examples])


def _line(example: Example) -> dict[str, Any]:
    labels = [{key: value for key, value in label.to_json().items() if key != "id"} for label in example.labels]
    return {**example.to_json(), "labels": labels}


def write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write data to a file as JSON, one object a line."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def in_another_process(folder: Path, command: Sequence[str]) -> int:
    """Run a command of markscheme in a new process, which knows only the files in `folder`; return its exit status."""
    code = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from markscheme.cli import main; "
        "sys.exit(main(sys.argv[2:]))"
    )
    modules = json.dumps([os.path.abspath(path) for path in sys.path])
    finished = subprocess.run(
        [sys.executable, "-P", "-c", code, modules, *command],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key != "GITHUB_STEP_SUMMARY"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode not in DECIDED:
        raise RuntimeError(f"the diagnosis ended with status {finished.returncode}: {finished.stderr}")
    return finished.returncode


def diagnosed(folder: Path, calibrate: Calibrate = in_another_process) -> tuple[FindingJson, ...]:
    """Calibrate the judge of a round of the demo from its files, and return the findings in the report's order.

    Args:
        folder: The folder with the files.
        calibrate: Function that runs the command.
    """
    calibrate(folder, COMMAND)
    report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    return tuple(report["findings"])


def named_in(findings: Sequence[FindingJson]) -> Charge:
    """Return the fault, with its criterion, that the first of the findings shows; `NO_FAULT` without findings."""
    return charge_of(findings[0]) if findings else Charge(NO_FAULT)


def charge_of(finding: FindingJson) -> Charge:
    """Return the fault that a finding shows, and its subject: a criterion, or a criterion in one system's responses.

    The name of the fault is "slice" for a slice on which the judge is worse, and "text" for a change of the judge's
    levels that only the new wording of the criterion can have caused; else it is the finding's code.

    Example:
        >>> charge_of({"code": "lenient", "criterion": "tone", "evidence": {}})
        Charge(fault='lenient', subject='tone')
    """
    code = finding["code"]
    criterion = finding["criterion"]
    evidence = finding["evidence"]
    kind = next((kind for kind in finding_kinds() if kind.code == code), None)
    if kind is BROKEN_SLICE:
        return Charge("slice", on_system(criterion or "several criteria", evidence["slice"]["name"]))
    if kind is not None and kind.cause == "change" and evidence["causes"] == [f"text:{criterion}"]:
        return Charge("text", criterion)
    return Charge(code, criterion or NOWHERE)
