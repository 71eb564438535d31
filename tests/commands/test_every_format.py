"""Every command that takes rated files, with a file of every format: it reads it, or says why that has no meaning."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.readers.every_format import make_project

NO_LABELS = "nothing that both people and the judge decided on"
NO_RESPONSE = "no row has a response"
NO_EXAMPLE = "an example has a response"
NO_OUTPUT = "`output` is missing"
NOT_LABELLED = "no example has a label to compare with"
ONE_RATER = "has ratings of one rater"
NAMELESS = "isn't an export that names its metrics; pass `--rubric`"
LINES = "contains lines of JSON, not a rubric; examples go with --examples, ratings with --ratings"
NO_RUBRIC = "not a rubric; ratings go with --ratings, labelled examples with --examples"


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


HUMAN = dict.fromkeys(("a table", "a Parquet table", "decisions"), "--kind human")
TABLES = ("a table", "a Parquet table")
COMMANDS = {
    "calibrate --ratings": Command(
        "calibrate place --ratings FILE --quiet", {"a report": "`compare` reads reports"}, HUMAN
    ),
    "calibrate": Command(
        "calibrate FILE --quiet",
        {
            **dict.fromkeys(("ratings", "labelled examples", "grades", "decisions"), LINES),
            **dict.fromkeys(("a graded table", "an experiment", "a plan"), NO_RUBRIC),
            "a report": "not a rubric; to calibrate again",
        },
    ),
    "compare": Command("compare FILE ratings.jsonl --rubric place", {}, HUMAN),
    "pass-rate": Command("pass-rate FILE --calibration decisions.jsonl", dict.fromkeys(TABLES, NAMELESS)),
    "pass-rate by a rubric": Command("pass-rate FILE --calibration decisions.jsonl --rubric place --kind human"),
    "pass-rate --calibration": Command(
        "pass-rate plan.json --calibration FILE",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "an experiment", "a plan"), NO_LABELS),
            **dict.fromkeys(TABLES, NAMELESS),
        },
    ),
    "gate-risk": Command(
        "gate-risk FILE FILE --threshold 0.5",
        {**dict.fromkeys(("decisions", "a plan"), "no scores; use --of pass"), **dict.fromkeys(TABLES, NAMELESS)},
    ),
    "agreement": Command(
        "agreement FILE",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "an experiment", "a plan"), ONE_RATER),
            **dict.fromkeys(TABLES, "is not a number, and others are"),
            "decisions": NAMELESS,
        },
    ),
    "import": Command("import FILE --rubric place --kind human", {"a report": "the file calls them adjudicated"}),
    "label --pool": Command(
        "label place --pool FILE --rater zoe --sheet sheet.html",
        {
            **dict.fromkeys(("ratings", "decisions"), NO_EXAMPLE),
            **dict.fromkeys(("grades", "a graded table", "a plan", "a report"), "holds no response with a text in it"),
        },
    ),
    "grade": Command(
        "grade place FILE --judge function:parcel_desk:judge",
        {
            **dict.fromkeys(("ratings", "grades", "decisions"), NO_RESPONSE),
            "a graded table": "expected a column `response`",
            **dict.fromkeys(("a plan", "a report"), "it contains no responses to grade"),
        },
    ),
    "plan --pool": Command(
        "plan place --next 1 --pool FILE --examples few.jsonl",
        {
            **dict.fromkeys(("ratings", "decisions"), NO_EXAMPLE),
            **dict.fromkeys(("grades", "a graded table", "a plan", "a report"), "contains no responses to label"),
        },
    ),
    "plan --ratings": Command("plan place --ratings FILE", {}, HUMAN),
    "tune --ratings": Command("tune place --ratings FILE", {}, HUMAN),
    "tune --examples": Command("tune place --examples FILE", dict.fromkeys(("ratings", "decisions"), NO_EXAMPLE)),
    "improve --examples": Command(
        "improve place --examples FILE --plan",
        {
            **dict.fromkeys(("ratings", "decisions"), NO_EXAMPLE),
            **dict.fromkeys(("grades", "a graded table", *TABLES, "an experiment", "a plan", "a report"), NOT_LABELLED),
        },
    ),
    "experiment --outputs": Command(
        "experiment place.experiment.yaml --outputs FILE --judge function:parcel_desk:judge",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "decisions"), NO_OUTPUT),
            **dict.fromkeys(("a plan", "a report"), "holds no outputs"),
        },
    ),
    "experiment --calibration": Command(
        "experiment place.experiment.yaml --calibration FILE --judge function:parcel_desk:judge "
        "--model function:parcel_desk:answer",
        {
            **dict.fromkeys(("ratings", "grades", "a graded table", "an experiment", "a plan"), NO_LABELS),
            **dict.fromkeys(TABLES, NAMELESS),
        },
    ),
}


@pytest.fixture(scope="module")
def written_once(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("every-format")
    of_format = make_project(folder)
    done = run("calibrate", "place", "--ratings", "ratings.jsonl", "--json", "report.json", "--quiet", cwd=folder)
    assert done.returncode in (0, 1, 4), done.stderr
    return {**of_format, "a report": folder / "report.json"}


@pytest.fixture
def files(written_once: Mapping[str, Path], tmp_path: Path) -> Mapping[str, Path]:
    """A project of its own for each command: what one command writes, another would read."""
    project = tmp_path / "project"
    shutil.copytree(written_once["a report"].parent, project)
    return {what: project / path.name for what, path in written_once.items()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_every_format_or_says_why_it_has_no_meaning(name: str, files: Mapping[str, Path]) -> None:
    command = COMMANDS[name]
    assert command.refused.keys() <= files.keys()
    wrong = []
    for what, path in files.items():
        words = f"markscheme {command.words} {command.more.get(what, '')}".replace("FILE", path.name).split()
        done = run(*words, cwd=path.parent)
        reason = command.refused.get(what)
        if reason is None and done.returncode == 2:
            wrong.append(f"{what} is refused: {done.stderr}")
        elif reason is not None and (done.returncode != 2 or reason not in done.stderr):
            wrong.append(f"{what} isn't refused by {reason!r}: {done.returncode} {done.stdout[:100]}{done.stderr}")
    assert not wrong, "\n".join(wrong)
