"""Every command that takes rated files, with a file of every format: it reads it, or says why that has no meaning."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import pytest

from markscheme.readers.formats import all_formats, format_of
from markscheme.readers.imported import Expected
from markscheme.readers.peek import Peek
from tests.commands.console import run
from tests.readers.every_format import answers_of_sheet, make_more, make_project

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
            **dict.fromkeys(("ratings", "labelled examples", "grades"), LINES),
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


def wrong_cells(command: Command, files: Mapping[str, Path]) -> list[str]:
    """What a command does with files other than it should."""
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
    return wrong


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_every_format_or_says_why_it_has_no_meaning(name: str, files: Mapping[str, Path]) -> None:
    wrong = wrong_cells(COMMANDS[name], files)
    assert not wrong, "\n".join(wrong)


# --- the formats of other tools, and those that few have --------------------------------------------------------------

UNSIGNED = "doesn't say who gave"
PAIRS = {"pairs": "holds pairs, and place judges single responses", "pairwise tasks": "place judges single responses"}
UNNAMED = {
    **dict.fromkeys(("a list", "a dataset of autorubric", "a sheet"), NAMELESS),
    "pairs": "doesn't say who preferred",
}
MARKS_ALONE = ("langfuse", "langsmith", "phoenix", "a sheet")
"""Files of marks, whose responses are in files of their own."""
NO_OTHER_RATER = "have only one rater, or name the same one twice"
NO_JUDGE = "contains labels, and no ratings of a judge"
NOT_EXAMPLES = {"figures of a calibration": "is a list of examples, or {rubric, examples: [...]}"}
BY_ITS_RUBRIC = {
    **PAIRS,
    **dict.fromkeys(("a list", "a dataset of autorubric"), UNSIGNED),
    "a sheet": NO_JUDGE,
    "figures of a calibration": "contains figures of a calibration, and no ratings",
    "inspect": "contains no ratings",
}
AS_POOL = {**PAIRS, **NOT_EXAMPLES, "a dataset of autorubric": UNSIGNED}
ON_BOTH_SIDES = {**UNNAMED, **dict.fromkeys(("pairwise tasks", "inspect", "deepeval"), NO_LABELS)}
FURTHER = {
    "calibrate --ratings": BY_ITS_RUBRIC,
    "calibrate": {
        **dict.fromkeys(("a dataset of autorubric", "pairs", "a sheet"), NO_RUBRIC),
        "figures of a calibration": "no column is people's",
        **dict.fromkeys(
            ("pairwise tasks", "inspect", "deepeval"), "no metric that both an annotator and a judge rated"
        ),
    },
    "compare": {
        **BY_ITS_RUBRIC,
        **dict.fromkeys(("inspect", "a sheet"), NO_OTHER_RATER),
        "figures of a calibration": "contains neither ratings nor a calibration",
    },
    "pass-rate": UNNAMED,
    "pass-rate by a rubric": PAIRS,
    "pass-rate --calibration": ON_BOTH_SIDES,
    "gate-risk": {
        **UNNAMED,
        "pairwise tasks": "holds no graded cases",
        "figures of a calibration": "no scores; use --of pass",
    },
    "agreement": {
        **UNNAMED,
        **dict.fromkeys(("pairwise tasks", "deepeval"), ONE_RATER),
        "figures of a calibration": "a table of ratings has a header row",
        "inspect": "agreement is on one: name it by --criterion",
    },
    "import": {
        **PAIRS,
        "figures of a calibration": BY_ITS_RUBRIC["figures of a calibration"],
        "inspect": "contains nothing that can be a rating",
    },
    "label --pool": {**AS_POOL, **dict.fromkeys(MARKS_ALONE, "holds no response with a text in it")},
    "grade": dict.fromkeys(MARKS_ALONE, "it contains no responses to grade"),
    "plan --pool": {**AS_POOL, **dict.fromkeys(MARKS_ALONE, "contains no responses to label")},
    "plan --ratings": BY_ITS_RUBRIC,
    "tune --ratings": BY_ITS_RUBRIC,
    "tune --examples": AS_POOL,
    "improve --examples": {**AS_POOL, **dict.fromkeys(("a list", "inspect", "deepeval"), NOT_LABELLED)},
    "experiment --outputs": {
        **NOT_EXAMPLES,
        **dict.fromkeys(PAIRS, "holds pairs of responses; a variant has one output for a case"),
        **dict.fromkeys(MARKS_ALONE, "holds no outputs"),
    },
    "experiment --calibration": ON_BOTH_SIDES,
}
"""By command and format, why the command can't do anything with it."""


@pytest.fixture(scope="module")
def further_once(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("further-formats")
    make_project(folder)
    answers = folder / "place-zoe.json"
    answers.write_text(json.dumps(answers_of_sheet(folder)))
    return {**make_more(folder), "a sheet": answers}


def test_every_format_has_a_file_here(written_once: Mapping[str, Path], further_once: Mapping[str, Path]) -> None:
    peeks = [Peek(path) for path in (*written_once.values(), *further_once.values())]
    formats = {format_of(peek, expected) for peek in peeks for expected in get_args(Expected)}
    assert set(all_formats()) <= formats


@pytest.mark.proof
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_every_further_format_too(name: str, further_once: Mapping[str, Path], tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(further_once["a sheet"].parent, project)
    files = {what: project / path.name for what, path in further_once.items()}
    wrong = wrong_cells(replace(COMMANDS[name], refused=FURTHER[name], more={}), files)
    assert not wrong, "\n".join(wrong)
