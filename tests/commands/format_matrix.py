"""Commands that take rated files, run with a file of every format: they read it or say why it makes no sense."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from markscheme.readers.formats import all_formats
from markscheme.readers.peek import Peek
from tests.commands.console import run
from tests.readers import exports
from tests.readers.every_format import answers_of_sheet, make_more, make_project

NO_LABELS = "nothing that both people and the judge decided on"
NO_RESPONSE = "no row has a response"
NO_EXAMPLE = "an example has a response"
NO_COLUMN = "no column holds the responses"
NO_OUTPUT = "`output` is missing"
NOT_LABELLED = "no example has a label to compare with"
ONE_RATER = "has ratings of one rater"
NAMELESS = "isn't an export that names its metrics; pass `--rubric NAME`"
LINES = "contains lines of JSON, not a rubric; examples go with --examples, ratings with --ratings"
NO_RUBRIC = "not a rubric; ratings go with --ratings, labelled examples with --examples"
HUMAN = dict.fromkeys(("a table", "a Parquet table", "decisions"), "--kind human")
TABLES = ("a table", "a Parquet table")
UNSIGNED = "doesn't say who gave"
PAIRS = {"pairs": "holds pairs, and place judges single responses", "pairwise tasks": "place judges single responses"}
UNSTATED = {"braintrust": "doesn't say whether a person, a judge or code gave these ratings"}
UNNAMED = {
    **UNSTATED,
    **dict.fromkeys(("a list", "a dataset of autorubric", "a sheet"), NAMELESS),
    "pairs": "doesn't say who preferred",
}
MARKS_ALONE = ("langfuse", "langsmith", "phoenix", "a sheet")
"""Files of marks, whose responses are in files of their own."""
NO_OTHER_RATER = "have only one rater, or name the same one twice"
NO_JUDGE = "contains labels, and no ratings of a judge"
NOT_EXAMPLES = {"figures of a calibration": "contains no examples: expected a list, or {rubric, examples: [...]}"}
BY_ITS_RUBRIC = {
    **PAIRS,
    **dict.fromkeys(("a list", "a dataset of autorubric"), UNSIGNED),
    "a sheet": NO_JUDGE,
    "figures of a calibration": "contains figures of a calibration, and no ratings",
    **UNSTATED,
    **dict.fromkeys(("inspect", "prodigy"), "contains no ratings"),
}
AS_POOL = {**PAIRS, **NOT_EXAMPLES, "a dataset of autorubric": UNSIGNED}
ON_BOTH_SIDES = {**UNNAMED, **dict.fromkeys(("pairwise tasks", "inspect", "deepeval", "prodigy"), NO_LABELS)}


@dataclass(frozen=True)
class Command:
    """A command that takes a rated file.

    Attributes:
        words: Its arguments; FILE is the rated file.
        refused: By format, why the command can't do anything with it.
        more: Further arguments where a format doesn't say everything.
    """

    words: str
    refused: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)


@cache
def written_once(base: Path) -> Mapping[str, Path]:
    """Write a file of each common format, once for each of pytest's processes."""
    folder = base / "every-format"
    folder.mkdir()
    of_format = make_project(folder)
    done = run("calibrate", "place", "--ratings", "ratings.jsonl", "--json", "report.json", "--quiet", cwd=folder)
    assert done.returncode in (0, 1, 4), done.stderr
    return {**of_format, "a report": folder / "report.json"}


@cache
def further_once(base: Path) -> Mapping[str, Path]:
    """Write a file of each format of other tools, and of each less common format."""
    folder = base / "further-formats"
    folder.mkdir()
    make_project(folder)
    answers = folder / "place-zoe.json"
    answers.write_text(json.dumps(answers_of_sheet(folder)))
    return {**make_more(folder), "a sheet": answers}


A_REPORT = "report.json"
"""What any refusal of a report contains, its file's name; a feature says which command takes reports."""
OF_TOOLS = {"an export", "a store", "a list", "a dataset of autorubric", "pairwise tasks", *exports.SAMPLES,
            *exports.WITHOUT_IDS_OR_JUDGE}  # fmt: skip
"""Files whose formats a feature reads."""


def is_of_a_format(path: Path) -> bool:
    """Return True if a file's content is recognized as some format; with a feature deleted it may not be."""
    peek = Peek(path)
    return any(entry.is_mine(peek) for entry in all_formats() if not entry.expected)


def is_readable(name: str, path: Path) -> bool:
    """Return False for another tool's file whose reading feature has been deleted."""
    return name not in OF_TOOLS or is_of_a_format(path)


def reads_every_format(command: Command, folder: Path, base: Path) -> None:
    """Check that a command reads a file of each common format, or says why not."""
    _reads(command, written_once(base), "a report", folder)


def reads_every_further_format(command: Command, refused: Mapping[str, str], folder: Path, base: Path) -> None:
    """Check that a command reads a file of each less common format, or says why not."""
    _reads(replace(command, refused=refused, more={}), further_once(base), "a sheet", folder)


def _reads(command: Command, files: Mapping[str, Path], one: str, folder: Path) -> None:
    """Run a command with each of the files in a copy of their project, and fail if any result is unexpected."""
    assert command.refused.keys() <= files.keys()
    project = folder / "project"
    shutil.copytree(files[one].parent, project)
    here = {name: project / path.name for name, path in files.items() if is_readable(name, path)}
    wrong = [complaint for name, path in here.items() for complaint in wrong_with(command, name, path)]
    assert not wrong, "\n".join(wrong)


def wrong_with(command: Command, name: str, path: Path) -> list[str]:
    """Return complaints about a command that doesn't read, or doesn't refuse, a file of a format as it should."""
    words = f"markscheme {command.words} {command.more.get(name, '')}".replace("FILE", path.name).split()
    done = run(*words, cwd=path.parent)
    reason = command.refused.get(name)
    if reason is None and done.returncode == 2:
        return [f"{name} is refused: {done.stderr}"]
    if reason is not None and (done.returncode != 2 or reason not in done.stderr):
        return [f"{name} isn't refused by {reason!r}: {done.returncode} {done.stdout[:100]}{done.stderr}"]
    return []
