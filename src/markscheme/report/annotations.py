"""Findings at the lines of the rubric they are about: as annotations of GitHub Actions, and as SARIF."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.finding import Finding, Severity
from markscheme.phrases import few_of
from markscheme.report.repairs import message_with_repair
from markscheme.rubrics.file import criterion_lines

COMMANDS_BY_SEVERITY: Final[Mapping[Severity, str]] = {"high": "error", "medium": "warning", "low": "notice"}
"""What GitHub calls an annotation of each severity."""
LEVELS_BY_SEVERITY: Final[Mapping[Severity, str]] = {"high": "error", "medium": "warning", "low": "note"}
"""What SARIF calls it."""
SARIF_VERSION: Final = "2.1.0"


@dataclass(frozen=True)
class Annotation:
    """A finding at a line of a rubric's file.

    Attributes:
        file: The file, from the folder annotations are relative to.
        line: Where its criterion begins, from 1; the first line for the whole rubric.
        finding: What was found.
        title: The criterion, and what a reader calls the finding.
        message: What was found, in which examples, and what to edit.
    """

    file: str
    line: int
    finding: Finding
    title: str
    message: str


def annotations(calibrations: Iterable[Calibration], root: Path) -> Iterator[Annotation]:
    """Yield the findings of calibrations whose rubrics have files, the costliest first.

    Args:
        calibrations: Their findings are annotated.
        root: The folder that the files' names start at.
    """
    for calibration in calibrations:
        file = calibration.rubric.source
        if file is None:
            continue
        lines = criterion_lines(file)
        for finding in calibration.findings:
            yield Annotation(
                file=_relative(file, root),
                line=lines.get(finding.criterion or "", 1),
                finding=finding,
                title=" · ".join(filter(None, (finding.criterion, finding.kind.short))),
                message=" ".join(_sentences(finding)),
            )


def workflow_commands(calibrations: Iterable[Calibration], root: Path) -> list[str]:
    """Render each finding as a line that GitHub Actions reads from what a step prints."""
    return [
        f"::{COMMANDS_BY_SEVERITY[note.finding.severity]} file={_property(note.file)},line={note.line},"
        f"title={_property(note.title)}::{_data(note.message)}"
        for note in annotations(calibrations, root)
    ]


def sarif(calibrations: Sequence[Calibration], root: Path) -> str:
    """Render the findings as SARIF 2.1.0: a rule for each kind of finding, a result for each finding."""
    notes = list(annotations(calibrations, root))
    kinds = {note.finding.code: note.finding.kind.short for note in notes}
    driver = {
        "name": "markscheme",
        "rules": [{"id": code, "shortDescription": {"text": name}} for code, name in kinds.items()],
    }
    log = {
        "version": SARIF_VERSION,
        "runs": [{"tool": {"driver": driver}, "results": list(map(_result, notes))}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(note: Annotation) -> dict[str, Any]:
    location = {"artifactLocation": {"uri": quote(note.file)}, "region": {"startLine": note.line}}
    return {
        "ruleId": note.finding.code,
        "level": LEVELS_BY_SEVERITY[note.finding.severity],
        "message": {"text": note.message},
        "locations": [{"physicalLocation": location}],
    }


def _sentences(finding: Finding) -> Iterator[str]:
    yield f"{message_with_repair(finding).rstrip('.')}."
    if finding.examples:
        yield f"Examples: {few_of(finding.examples)}."
    if finding.suggestion:
        yield finding.suggestion


def _relative(file: Path, root: Path) -> str:
    """Return a file's name relative to a folder; the whole path if it is elsewhere."""
    whole = file.resolve()
    return whole.relative_to(root.resolve()).as_posix() if whole.is_relative_to(root.resolve()) else whole.as_posix()


def _data(text: str) -> str:
    """Encode a message's text, so that it can't end its line or begin another command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Encode the value of a property, so that it can't begin the next one."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
