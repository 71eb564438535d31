"""The kinds of finding: each has its words, its stage and a command that can be run."""

import ast
import shlex
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.diagnosis import finding_kinds
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import (
    AMBIGUOUS,
    BROKEN_SLICE,
    DRIFT_BY_EDIT,
    DRIFT_BY_JUDGE,
    LENIENT,
    NOISY,
    NOISY_JUDGE_OR_LABELS,
    STALE_LABELS,
    TOO_FEW_LABELS,
    UNREADABLE,
    UNSTEADY_JUDGE,
    FindingKind,
)
from markscheme.commands.call import parse
from markscheme.options.settings import SettingsFile
from tests.calibration.made import kind_of
from tests.test_layers import SOURCE

GUIDE = Path(__file__).parents[3] / "docs" / "howto" / "calibrate.md"
ASKED = Commands("reply", "--judge openai:gpt-5", model="openai:gpt-5", can_improve=True)
FROM_FILE = Commands("reply", "--ratings judge.jsonl", asks=False, can_improve=True)
RESULTS = Commands("results.json", asks=False, has_rubric=False)


@pytest.mark.parametrize("kind", finding_kinds(), ids=lambda kind: f"{kind.code}-{kind.short}")
def test_the_guide_on_findings_explains_the_code_of_every_kind_of_finding(kind: FindingKind) -> None:
    rows = GUIDE.read_text(encoding="utf-8").partition("## What to do about a finding")[2].partition("\n## ")[0]
    assert f"`{kind.code}`" in rows


def test_the_list_of_kinds_of_findings_has_each_kind_once_in_the_order_in_which_findings_are_fixed() -> None:
    listed = finding_kinds()
    assert len(set(listed)) == len(listed)
    for place, kind in enumerate(listed):
        assert {other for other in listed if other.step == kind.step - 1} <= set(listed[:place])


def test_findings_on_replies_come_before_those_on_labels_and_then_those_on_the_judge_and_on_missing_labels() -> None:
    steps = [step for step, _ in groupby(kind.step for kind in finding_kinds())]
    assert steps == [0, 1, 2, 3]
    assert [kind.step for kind in (UNREADABLE, AMBIGUOUS, LENIENT, TOO_FEW_LABELS)] == steps


def test_two_kinds_of_findings_with_the_same_code_have_the_same_cause() -> None:
    for kind in finding_kinds():
        first = kind_of(kind.code)
        assert first is not None
        assert (first.cause, first.names_criterion) == (kind.cause, kind.names_criterion)


@pytest.mark.proof
def test_codes_of_findings_are_written_only_in_the_tables_of_kinds_of_findings() -> None:
    """Codes of one word are words of other things too, and `no-skill` is also why a verdict is what it is."""
    codes = {kind.code for kind in finding_kinds() if "-" in kind.code} - {"no-skill"}
    assert len(codes) >= 10
    used: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        if strings & codes:
            used.setdefault(path.name, set()).update(strings & codes)
    assert set().union(*used.values()) == codes
    assert {"kinds.py"} <= used.keys() <= {"kinds.py", "findings.py"}, "features have theirs in `findings.py`"


def test_looking_up_a_finding_by_an_unknown_code_returns_none() -> None:
    assert kind_of("tired") is None


@pytest.mark.parametrize("commands", [ASKED, FROM_FILE, RESULTS], ids=lambda commands: commands.rubric)
@pytest.mark.parametrize("kind", finding_kinds(), ids=lambda kind: f"{kind.code}-{kind.short}")
def test_every_command_that_a_finding_suggests_names_the_calibrated_rubric(
    kind: FindingKind, commands: Commands
) -> None:
    command = kind.command(commands, {})
    assert command == "" or shlex.split(command)[0] == "markscheme"
    assert command == "" or commands.rubric in shlex.split(command)


@pytest.mark.parametrize(
    ("kind", "options", "command"),
    [
        (LENIENT, {}, "markscheme improve reply --proposer openai:gpt-5 --judge openai:gpt-5"),
        (AMBIGUOUS, {}, "markscheme label reply --disputed"),
        (STALE_LABELS, {}, "markscheme label reply --rater YOUR-NAME"),
        (NOISY_JUDGE_OR_LABELS, {}, "markscheme label reply --rater annotator-2"),
        (TOO_FEW_LABELS, {}, "markscheme label reply --next 30 --pool YOUR-OUTPUTS.jsonl"),
        (UNREADABLE, {}, "markscheme calibrate reply --judge openai:gpt-5 -o strategy=per_criterion"),
        (DRIFT_BY_JUDGE, {"replay": "--replay"}, "markscheme calibrate reply --judge openai:gpt-5 --replay"),
        (UNSTEADY_JUDGE, {"samples": "--samples 3"}, "markscheme calibrate reply --judge openai:gpt-5 --samples 3"),
        (DRIFT_BY_EDIT, {}, ""),
    ],
    ids=lambda value: value.short if isinstance(value, FindingKind) else "",
)
def test_a_finding_suggests_the_command_that_carries_out_its_advice(
    kind: FindingKind, options: dict[str, str], command: str
) -> None:
    assert Finding(kind, "tone", "high", "", options=options).command(ASKED) == command


def test_no_improve_command_is_suggested_for_a_finding_if_there_are_too_few_tasks_to_run_improve() -> None:
    assert LENIENT.command(replace(ASKED, can_improve=False), {}) == ""


def test_no_calibrate_command_is_suggested_that_repeats_the_run_or_has_no_judge_to_ask() -> None:
    assert NOISY.command(FROM_FILE, {"samples": "--samples 3"}) == ""
    assert NOISY.command(ASKED, {}) == ""  # the command just run
    one_at_a_time = "markscheme calibrate reply --judge anthropic -o strategy=per_criterion"
    assert UNREADABLE.command(FROM_FILE, {}) == one_at_a_time
    assert UNREADABLE.command(RESULTS, {}) == ""


@pytest.mark.parametrize(
    ("options", "is_offered"),
    [
        ("--judge anthropic", True),
        ("--ratings 'of a judge.jsonl'", True),
        ("--ratings monday.jsonl --ratings friday.jsonl", False),
        (None, False),
    ],
)
def test_certify_is_suggested_as_the_next_command_only_for_one_judge_or_one_file_of_ratings(
    options: str | None, is_offered: bool
) -> None:
    commands = Commands("reply", options, examples=Path("more.jsonl"))
    expected = f"markscheme certify reply {options} --examples more.jsonl" if is_offered else ""
    assert commands.certify() == expected


KEEPING = replace(
    ASKED,
    examples=Path("more.jsonl"),
    asking={"model": "-o model=gpt-5", "samples": "--samples 2", "temperature": "-o temperature=0.5"},
    comparing={"split": "--split dev", "gold": "-o gold=human", "accepted": "-o accepted=old.json"},
)
"""Commands after a run with options on examples, on how the judge is asked and on what it is compared with."""


def test_a_suggested_command_for_another_judge_and_temperature_repeats_all_other_options_of_the_run() -> None:
    assert KEEPING.calibrate_by(judge="--judge old", temperature="-o temperature=1.0") == (
        "markscheme calibrate reply --examples more.jsonl --samples 2 --split dev -o gold=human -o accepted=old.json "
        "--judge old -o temperature=1.0"
    )


@pytest.mark.parametrize("kind", [AMBIGUOUS, NOISY_JUDGE_OR_LABELS, STALE_LABELS], ids=lambda kind: kind.short)
def test_a_printed_label_command_names_the_file_of_examples_that_was_calibrated(kind: FindingKind) -> None:
    command = kind.command(KEEPING, {})
    assert command.startswith("markscheme label reply --pool more.jsonl")
    _, name, *words = shlex.split(command)
    parse(name, words, SettingsFile())


def test_the_suggested_grade_command_keeps_options_about_asking_the_judge_and_drops_options_about_labels() -> None:
    assert KEEPING.grade() == (
        "markscheme grade reply YOUR-OUTPUTS.jsonl --judge openai:gpt-5 -o model=gpt-5 --samples 2 -o temperature=0.5"
    )


@pytest.mark.parametrize("printed", [KEEPING.calibrate(samples="--samples 3"), KEEPING.grade()])
def test_a_printed_next_command_that_repeats_all_options_of_a_run_can_be_parsed(printed: str) -> None:
    _, name, *words = shlex.split(printed)
    parse(name, words, SettingsFile())


def test_for_drift_caused_by_an_edit_of_the_rubric_the_label_command_is_suggested_if_the_judge_is_usable() -> None:
    usable = Commands("reply", is_usable=True)
    assert DRIFT_BY_EDIT.command(usable, {}) == "markscheme label reply --rater YOUR-NAME"


def test_the_message_of_a_finding_names_its_criterion_once() -> None:
    assert Finding(LENIENT, "tone", "high", "the judge is too lenient.").message == "tone: the judge is too lenient."
    assert Finding(BROKEN_SLICE, "tone", "high", "tone is broken on b.").message == "tone is broken on b."
    assert Finding(LENIENT, None, "high", "the judge is too lenient.").message == "the judge is too lenient."


def test_a_printed_calibrate_command_with_the_all_texts_option_leaves_out_the_split_option() -> None:
    commands = Commands("reply", "--ratings a.jsonl", comparing={"split": "--split test", "target": "--target 0.7"})
    assert commands.calibrate(split="--all-texts") == (
        "markscheme calibrate reply --ratings a.jsonl --target 0.7 --all-texts"
    )
