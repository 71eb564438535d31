"""Realistic tables with the meaning intended by their authors, written before any reader was: none is misread.

Each file in `unseen/` lies beside what its author meant: the columns of judges and people, and the figures that follow.
Where a table could mean two things, being asked is right too, if one of the commands leads to what was meant.
"""

import json
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
import yaml

from tests.commands.console import run

FOLDER = Path(__file__).parent / "unseen"
TABLES = sorted(path.with_suffix("") for path in FOLDER.glob("*.yaml"))
CLOSE = 1e-5
MOST_WITHOUT_WAY_OUT = 3
Outcome: TypeAlias = Literal["right", "asked", "refused", "wrong"]


def expected_of(table: Path) -> dict[str, Any]:
    expected: dict[str, Any] = yaml.safe_load(table.with_name(f"{table.name}.yaml").read_text(encoding="utf-8"))
    return expected


def answer_of(*arguments: str) -> dict[str, Any]:
    """Return what `calibrate` says about a table as JSON, or the error that refuses it."""
    done = run("calibrate", *arguments, "--json", "-", "--quiet", cwd=FOLDER)
    answer: dict[str, Any] = json.loads(done.stdout) if done.stdout else {"error": {"commands": [], "message": ""}}
    return answer


def is_what_was_meant(answer: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Return whether figures and columns are those that the table's author intended."""
    if "criteria" in expected:
        figures = {
            name: (of["agreement_person"]["value"], of["agreement_person"]["n"])
            for name, of in answer["criteria"].items()
        }
        return figures == {
            name: pytest.approx((of["pairs"], of["n"]), abs=CLOSE) for name, of in expected["criteria"].items()
        }
    if "pairs" in expected:
        return _is_of_pairs(answer, expected)
    agreement = answer.get("agreement")
    if agreement is None or (agreement["value"], agreement["n"]) != pytest.approx(
        (expected["agreement"], expected["n"]), abs=CLOSE
    ):
        return False
    by_role = {"judge": set[str](), "human": set[str]()}
    for name, column in answer["read"]["columns"].items():
        by_role.get(column["role"], set()).add(name)
    if by_role != {"judge": set(expected["judge"]), "human": set(expected["human"])}:
        return False
    passes = answer["false_passes"]
    return "false_passes" not in expected or (None if passes is None else len(passes)) == expected["false_passes"]


def _is_of_pairs(answer: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Return whether the agreement between annotators is as expected."""
    person = answer["agreement_person"]
    return bool((person["value"], person["n"]) == pytest.approx((expected["pairs"], expected["n"]), abs=CLOSE))


def outcome_of(table: Path) -> Outcome:
    """Classify how a table is treated: read as intended, asked about, refused, or misread."""
    expected = expected_of(table)
    answer = answer_of(table.name)
    if "error" not in answer:
        return "wrong" if expected.get("refused") or not is_what_was_meant(answer, expected) else "right"
    commands = answer["error"]["commands"]
    return "asked" if any(map(_leads_on(expected), commands)) else "refused"


def _leads_on(expected: Mapping[str, Any]) -> Any:
    def leads_on(command: str) -> bool:
        """Return whether a command needs a value that only the user knows, or gives the intended reading."""
        words = shlex.split(command)[2:]
        if any(word.isupper() and len(word) > 2 for word in words) or expected.get("refused"):
            return True
        answer = answer_of(*words)
        return bool(answer["error"]["commands"]) if "error" in answer else is_what_was_meant(answer, expected)

    return leads_on


@cache
def outcomes() -> dict[str, Outcome]:
    return {table.name: outcome_of(table) for table in TABLES}


def test_at_least_thirty_tables_written_without_knowledge_of_how_the_program_reads_tables_are_tested() -> None:
    assert len(TABLES) >= 30


def test_no_table_by_an_author_who_did_not_know_the_reading_rules_is_read_wrongly() -> None:
    assert [name for name, outcome in outcomes().items() if outcome == "wrong"] == []


def test_at_most_three_tables_of_other_authors_are_refused_without_a_suggested_command_that_works() -> None:
    refused = [name for name, outcome in outcomes().items() if outcome == "refused"]
    assert len(refused) <= MOST_WITHOUT_WAY_OUT, refused
