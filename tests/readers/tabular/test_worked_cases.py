"""Worked cases of tables, run through the command line: the expected figures, or a refusal with its choices."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from markscheme.commands.table import command_names
from tests.commands.console import run
from tests.readers.tabular.forms import write
from tests.worked_cases import cases_in, skipped_without

CASES = Path(__file__).parents[4] / "shared" / "statistics" / "tables.yaml"
CLOSE = 1e-4
"""Figures are given to so many decimals."""
SETTING = ("--encoding ", "-o encoding=")
"""The cases type the encoding as an option of its own; the commands have it as a setting."""


@dataclass(frozen=True)
class Tried:
    """A worked case in one of the file formats that its table is written in."""

    case: Mapping[str, Any]
    form: str

    @property
    def name(self) -> str:
        """Name of the test."""
        return f"{self.case['name']} ({self.form})"

    @property
    def is_first(self) -> bool:
        """Whether this is the first format that the case names."""
        return bool(self.form == self.case.get("as", [self.form])[0])


@cache
def cases() -> tuple[Tried, ...]:
    """Return every worked case in each of its file formats."""
    if not CASES.is_file():
        return ()
    listed = cases_in(CASES)["cases"]
    offered = command_names()
    tried = [case for case in listed if case["rule"] != "frame" and command_of(case) in offered]
    return tuple(Tried(case, form) for case in tried for form in case.get("as", ["csv"]))


def command_of(case: Mapping[str, Any]) -> str:
    """Return the command of a worked case; its feature may have been deleted."""
    command: str = case.get("command", "calibrate")
    return command


def files_of(tried: Tried, folder: Path) -> list[str]:
    """Write the files of a worked case; return their names."""
    case = tried.case
    if "raw" in case:
        for name, text in case["raw"].items():
            (folder / name).write_text(text)
        return list(case["raw"])
    if "files" in case:
        for name, table in case["files"].items():
            write(table, tried.form, folder).rename(folder / name)
        return list(case["files"])
    table = dict(case["table"])
    if "long_cell" in case:
        table["response"] = ["x" * case["long_cell"], *table["response"][1:]]
    return [write(table, tried.form, folder).name]


def answer_of(command: str, options: str, files: list[str], folder: Path) -> tuple[int, Any, str]:
    """Run a command; return its exit status, its JSON output and its error message."""
    flags = ["--json", "out.json"] if command == "calibrate" else ["--json"]
    (folder / "out.json").unlink(missing_ok=True)
    done = run("markscheme", command, *files, *shlex.split(options.replace(*SETTING)), *flags, cwd=folder)
    written = (folder / "out.json").read_text() if command == "calibrate" and done.returncode != 70 else done.stdout
    return done.returncode, json.loads(written or "null"), done.stderr


def figures_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a comparison by the names that worked cases use."""
    criterion = next(iter(answer["criteria"].values()))
    gold = answer["rated"]["gold"]["pass"]
    judge = answer["rated"]["judge"]["pass"]
    both = [g for g, j in zip(gold, judge, strict=True) if None not in (g, j)]
    figures = {"agreement": answer["agreement"]["value"], "n": answer["agreement"]["n"]}
    figures |= {"kappa": criterion["cohen_kappa"]["value"]} if "cohen_kappa" in criterion else {}
    if answer["false_passes"] is not None:
        figures |= {"false_passes": len(answer["false_passes"]), "false_fails": len(answer["false_fails"])}
        figures |= {"fails": both.count(False), "passes": both.count(True)}
    return figures


def check_figures(expected: Mapping[str, float], answer: Mapping[str, Any]) -> None:
    """Compare figures with those of a worked case."""
    found = figures_of(answer)
    for name, value in expected.items():
        assert found.get(name) == pytest.approx(value, abs=CLOSE), name


def check_people(expected: Mapping[str, float], answer: Mapping[str, Any]) -> None:
    """Compare the agreement between annotators with that of a worked case."""
    assert answer["agreement_person"]["value"] == pytest.approx(expected["pairs"], abs=CLOSE)
    assert answer["all_agree"]["value"] == pytest.approx(expected["all"], abs=CLOSE)
    assert answer["agreement_person"]["n"] == expected["n"]


def check_read(expected: Mapping[str, Any], read: Mapping[str, Any]) -> None:
    """Compare how the table was read with a worked case."""
    columns = read["columns"]
    by_role = {
        "judge": [name for name, column in columns.items() if column["role"] == "judge"],
        "people": [name for name, column in columns.items() if column["role"] == "human"],
    }
    for key, value in expected.items():
        if key == "kind":
            assert {column["kind"] for column in columns.values() if "kind" in column} == {value}
        elif key in by_role:
            assert by_role[key] == value
        elif key == "aside":
            assert set(value) <= set(read["aside"])
        else:
            assert read[key] == value


def check(expected: Mapping[str, Any], answer: tuple[int, Any, str]) -> None:
    """Compare an answer with what a worked case, or one of its choices, expects."""
    status, data, complaint = answer
    if "refused" in expected:
        assert status == 2, complaint
        assert data["error"]["code"] == expected["refused"]["code"]
        said = json.dumps(data, ensure_ascii=False).casefold()
        names = [f"{word} ".replace(*SETTING).strip().casefold() for word in expected["refused"]["names"]]
        assert all(word in said and word in complaint.casefold() for word in names)
        return
    assert status not in (2, 70), complaint
    if "figures" in expected:
        check_figures(expected["figures"], data)
    for name, figures in expected.get("by_criterion", {}).items():
        check_figures(figures, data["criteria"][name])
        assert data["agreement"] is None
    if "people" in expected:
        check_people(expected["people"], data)
    for name, figures in expected.get("people_by_criterion", {}).items():
        check_people(figures, data["criteria"][name])
    for name in expected.get("withheld", ()):
        assert data[name] is None
        assert name in data["read"]["withheld"]
    for name, ids in expected.get("ids_of", {}).items():
        assert data[name] == ids
    if "read" in expected:
        check_read(expected["read"], data["read"])


@pytest.mark.parametrize(
    "tried",
    [pytest.param(tried, id=tried.name, marks=() if tried.is_first else pytest.mark.proof) for tried in cases()]
    or [skipped_without(CASES)],
)
def test_each_table_of_the_file_of_reference_values_is_read_correctly_or_refused_with_commands_to_choose_from(
    tried: Tried, tmp_path: Path
) -> None:
    case = tried.case
    command = command_of(case)
    options = case.get("options", "")
    files = files_of(tried, tmp_path)
    check(case, answer_of(command, options, files, tmp_path))
    for then in case.get("then", ()):
        check(then, answer_of(command, f"{options} {then['options']}", files, tmp_path))
