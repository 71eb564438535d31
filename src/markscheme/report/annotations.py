"""Findings as annotations of the rubric's lines that they are about, for GitHub Actions and as SARIF."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.finding import Finding, Severity
from markscheme.phrases import few_of
from markscheme.report.repairs import message_with_repair
from markscheme.rubrics.file import criterion_lines

COMMANDS_BY_SEVERITY: Final[Mapping[Severity, str]] = {"high": "error", "medium": "warning", "low": "notice"}
"""GitHub's command for an annotation, by severity."""
LEVELS_BY_SEVERITY: Final[Mapping[Severity, str]] = {"high": "error", "medium": "warning", "low": "note"}
"""SARIF's level, by severity."""
SARIF_VERSION: Final = "2.1.0"


def findings_at_lines(calibrations: Iterable[Calibration], root: Path) -> Iterator[tuple[str, int, Finding]]:
    """Yield the findings of each calibration whose rubric is a file, each with file and line, the costliest first.

    The line is where the finding's criterion begins, from 1; the first line for a finding about the whole rubric.

    Args:
        calibrations: Calibrations whose findings are annotated.
        root: The folder that the files' paths are relative to.
    """
    for calibration in calibrations:
        file = calibration.rubric.source
        if file is None:
            continue
        lines = criterion_lines(file)
        for finding in calibration.findings:
            yield _relative(file, root), lines.get(finding.criterion or "", 1), finding


def workflow_commands(calibrations: Iterable[Calibration], root: Path) -> list[str]:
    """Render each finding as a workflow command, a line from which GitHub Actions makes an annotation.

    Args:
        calibrations: The calibrations, with their findings.
        root: The folder that file names in the lines are relative to.
    """
    return [
        f"::{COMMANDS_BY_SEVERITY[finding.severity]} file={_property(file)},line={line},"
        f"title={_property(' · '.join(filter(None, (finding.criterion, finding.kind.short))))}::"
        f"{_encoded(_message(finding))}"
        for file, line, finding in findings_at_lines(calibrations, root)
    ]


def sarif(calibrations: Sequence[Calibration], root: Path) -> str:
    """Render the findings as SARIF 2.1.0: a rule for each kind of finding, a result for each finding."""
    at_lines = list(findings_at_lines(calibrations, root))
    kinds = {finding.code: finding.kind.short for _, _, finding in at_lines}
    driver = {
        "name": "markscheme",
        "rules": [{"id": code, "shortDescription": {"text": name}} for code, name in kinds.items()],
    }
    log = {
        "version": SARIF_VERSION,
        "runs": [{"tool": {"driver": driver}, "results": [_result(*at_line) for at_line in at_lines]}],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _result(file: str, line: int, finding: Finding) -> dict[str, Any]:
    location = {"artifactLocation": {"uri": quote(file)}, "region": {"startLine": line}}
    return {
        "ruleId": finding.code,
        "level": LEVELS_BY_SEVERITY[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": location}],
    }


def _message(finding: Finding) -> str:
    """Write an annotation's text: what was found, in which examples, and what to edit."""
    return " ".join(_sentences(finding))


def _sentences(finding: Finding) -> Iterator[str]:
    yield f"{message_with_repair(finding).rstrip('.')}."
    if finding.examples:
        yield f"Examples: {few_of(finding.examples)}."
    if finding.suggestion:
        yield finding.suggestion


def _relative(file: Path, root: Path) -> str:
    """Return a file's path relative to a folder; the whole path if the file isn't in the folder."""
    whole = file.resolve()
    return whole.relative_to(root.resolve()).as_posix() if whole.is_relative_to(root.resolve()) else whole.as_posix()


def _encoded(text: str) -> str:
    """Encode the text of a workflow command, so that it can't end the line or begin another command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Encode the value of a workflow command's property, so that it can't begin the next property."""
    return _encoded(text).replace(":", "%3A").replace(",", "%2C")
