"""Two versions of a rubric as arguments of `compare`: files, revisions, or reports of `calibrate --json`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from markscheme.calibration.judge_at_hand import judge_argument
from markscheme.errors import MarkschemeError, RatingError, UsageError
from markscheme.features.compare.commits import commit_of, commits_of
from markscheme.features.compare.known_files import has_format
from markscheme.git import content_at
from markscheme.judges.kinds import kind_of
from markscheme.plain_data import form_of, read_json
from markscheme.readers.calibrations import written_calibrations
from markscheme.readers.peek import Peek
from markscheme.readers.rated import rubric_of_report
from markscheme.readers.reported import WrittenCalibration
from markscheme.rubrics.file import load_rubric, rubric_from_text
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, find_rubric, known_rubrics

DIGITS_SHOWN = 4
"""Digits of a fingerprint that a message shows."""
YOUR_RATINGS = "YOUR-RATINGS.jsonl"
"""File of ratings in a printed command, for the user to replace."""


@dataclass(frozen=True)
class RubricVersion:
    """One of the two versions of a rubric that are compared, with its file or its judge's report.

    Attributes:
        name: The name as it was typed.
        rubric: The rubric in this version.
        report: The report on a judge that rated by it; None for a rubric without ratings.
    """

    name: str
    rubric: Rubric
    report: WrittenCalibration | None = None


def are_versions(sides: Sequence[str]) -> bool:
    """Return True if `compare` is called with two versions of a rubric, and not with judges or files of ratings."""
    if len(sides) != 2:
        return False
    reports = [_report_of(side) for side in sides]
    if all(report is not None for report in reports):
        prints = {_fingerprint(path) for path, _ in filter(None, reports)}
        return len(prints) > 1 or any("=" in side and not Path(side).is_file() for side in sides)
    return all(report is not None or _is_rubric(side) for report, side in zip(reports, sides, strict=True))


def is_report(side: str) -> bool:
    """Return True if an argument of `compare` is a report of `calibrate --json`, or `report.json=rubric.yaml`."""
    return _report_of(side) is not None


def versions_of(sides: Sequence[str]) -> tuple[RubricVersion, RubricVersion]:
    """Return the two versions of a rubric that `compare` is called with, the old one first.

    Raises:
        UsageError: A file, revision or rubric doesn't exist, or only one of the two is a report.
        RubricError: A rubric's text is invalid.
    """
    old, new = (_version(side) for side in sides)
    if (old.report is None) != (new.report is None):
        with_report = old if old.report is not None else new
        raise UsageError(f"{with_report.name} is a report and the other side a rubric: name two rubrics or two reports")
    return old, new


def _version(side: str) -> RubricVersion:
    reported = _report_of(side)
    if reported is not None:
        path, file = reported
        (report,) = written_calibrations(Peek(path))
        rubric = load_rubric(file) if file is not None else _rubric_of_report(path, report)
        return RubricVersion(str(path), rubric, report)
    return RubricVersion(side, _rubric(side))


# --- rubrics by file or revision ------------------------------------------------------------------------------------


def _is_rubric(side: str) -> bool:
    path = Path(side)
    if path.is_file():
        is_one = path.suffix in RUBRIC_SUFFIXES or shows_rubric(path)
        return is_one and not has_format(path, "anything")
    if _revision(side) is not None:
        return True
    try:
        find_rubric(side)
    except UsageError:
        return False
    return kind_of(side) is None


def _revision(side: str) -> tuple[str, str] | None:
    """Split an argument such as `plate@HEAD~1` or `main:plate.yaml` into rubric and revision; None for any other."""
    if Path(side).exists():
        return None
    name, sign, revision = side.rpartition("@")
    if sign and name and revision and kind_of(name) is None:
        return name, revision
    revision, colon, name = side.partition(":")
    is_file = Path(name).suffix in RUBRIC_SUFFIXES
    return (name, revision) if colon and revision and is_file and kind_of(side) is None else None


def _rubric(side: str) -> Rubric:
    revised = _revision(side)
    if revised is None:
        return load_rubric(find_rubric(side))
    name, revision = revised
    file = find_rubric(name) if Path(name).suffix not in RUBRIC_SUFFIXES else Path(name).resolve()
    commit = commit_of(revision, file.parent)
    content = None if commit is None else content_at(commit, file)
    if content is None:
        missing = f"no commit {revision!r} here" if commit is None else f"no {file.name} in {revision}"
        raise UsageError(
            f"{side}: there is {missing}; name another commit, as in {name}@HEAD~1, or a file with the version's text"
        )
    return rubric_from_text(content.decode("utf-8", "replace"), form_of(file), file)


# --- rubrics of reports ---------------------------------------------------------------------------------------------


def _report_of(side: str) -> tuple[Path, Path | None] | None:
    """Split `report.json` or `report.json=plate.yaml` into report and rubric's file; None if there is no report.

    Args:
        side: One of the two arguments of `compare`, as typed.

    Raises:
        UsageError: The rubric's file doesn't exist.
    """
    path = Path(side)
    file = None
    if not path.is_file() and "=" in side:
        name, _, rubric = side.partition("=")
        path = Path(name)
        file = Path(rubric)
    if not path.is_file() or not rubric_of_report(path):
        return None
    if file is not None and not file.is_file():
        raise UsageError(f"{side}: there is no rubric file {file}")
    return path, file


def _fingerprint(path: Path) -> str:
    return str(_object_under(path, "rubric").get("fingerprint", ""))


def _object_under(path: Path, key: str) -> Mapping[str, Any]:
    """Return the object that a report has under a key; empty if it has none."""
    report = read_json(path, RatingError)
    value = report.get(key) if isinstance(report, dict) else None
    return value if isinstance(value, dict) else {}


def _judge_option(path: Path, judge: str) -> str:
    """Return the option with which a report's judge can be calibrated again.

    It is `--judge` with the judge's name or, if the report was made from ratings in a file, or no such judge can be
    asked, `--ratings` with a placeholder for the file.

    Args:
        path: The report.
        judge: Name of the judge in the report.
    """
    argument = judge_argument(judge) if _object_under(path, "judge").get("source") != "ratings" else None
    return f"--ratings {YOUR_RATINGS}" if argument is None else f"--judge {quote(argument)}"


def _rubric_of_report(path: Path, report: WrittenCalibration) -> Rubric:
    """Return a report's rubric: its text in the report, else the file or earlier revision with the same fingerprint.

    Raises:
        UsageError: No rubric with that fingerprint is found.
    """
    text = _object_under(path, "rubric").get("text")
    if isinstance(text, str):
        return rubric_from_text(text, "json" if text.lstrip().startswith("{") else "yaml")
    for rubric in _candidates(report.rubric.name):
        if rubric.fingerprint == report.fingerprint:
            return rubric
    digits = report.fingerprint.removeprefix("sha256:")[:DIGITS_SHOWN]
    again = f"calibrate {quote(report.rubric.name)} {_judge_option(path, report.judge)} --json {quote(str(path))}"
    raise UsageError(
        f"{path} was made with another {report.rubric.name} ({digits}…): name its file, `{path}=old.yaml`, or "
        f"calibrate again with the version meant: markscheme {again}"
    )


def _candidates(name: str) -> Iterator[Rubric]:
    """Yield the project's rubrics, then earlier versions of the rubric with the given name, the latest first."""
    files = known_rubrics()
    for file in files.values():
        try:
            yield load_rubric(file)
        except MarkschemeError:
            continue
    if name in files:
        yield from _earlier_texts(files[name])


def _earlier_texts(file: Path) -> Iterator[Rubric]:
    for commit in commits_of(file):
        try:
            rubric = rubric_at(commit, file)
        except MarkschemeError:
            continue
        if rubric is not None:
            yield rubric


def rubric_at(commit: str, file: Path) -> Rubric | None:
    """Return the rubric that a file held in a commit; None if the commit lacks the file.

    Raises:
        RubricError: The rubric is invalid.
    """
    content = content_at(commit, file)
    return None if content is None else rubric_from_text(content.decode("utf-8", "replace"), form_of(file), file)
