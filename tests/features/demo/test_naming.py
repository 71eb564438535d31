"""A round's files, the process that is given them, and what it says."""

import contextlib
import functools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.cli import main
from markscheme.features.demo.faults import FAULTS, NO_FAULT, Charge
from markscheme.features.demo.naming import FindingJson, charge_of, diagnosed, named_in, write_project
from markscheme.features.demo.planting import ACCEPTED_RUNS, JUDGE_NAME, ROUND_NAME, made_round
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.examples import load_examples
from markscheme.rubrics.file import load_rubric

SEEDS = {"lenient": 11, "slice": 12, "noisy": 13, "text": 14, "nothing": 15}


def in_this_process(folder: Path, command: Sequence[str]) -> int:
    with contextlib.chdir(folder):
        return main(command)


Named: TypeAlias = tuple[Path, tuple[FindingJson, ...]]
"""The files of a round, and what is found wrong in them."""


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Named]:
    """The files of a round with a fault, and what this process says of them."""

    @functools.cache
    def once(fault: str) -> Named:
        folder = tmp_path_factory.mktemp(fault)
        write_project(made_round(n=100, seed=SEEDS[fault], fault=fault), folder)
        return folder, diagnosed(folder, in_this_process)

    return once


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.proof
def test_the_diagnosis_of_a_demo_round_names_the_planted_fault(fault: str, diagnosis: Callable[[str], Named]) -> None:
    _, found = diagnosis(fault)
    assert named_in(found) == made_round(n=100, seed=SEEDS[fault], fault=fault).planted


@pytest.mark.proof
def test_the_diagnosis_of_a_demo_round_is_the_same_in_another_process_which_also_writes_a_report(
    diagnosis: Callable[[str], Named],
) -> None:
    """`demo` itself asks another process; its own tests plant every fault."""
    folder, from_this = diagnosis("text")
    (folder / "report.json").unlink()
    assert diagnosed(folder) == from_this
    report = json.loads((folder / "report.json").read_text())
    assert report["schema"] == 1
    assert report["rubric"]["name"] == ROUND_NAME
    assert report["baseline"] is not None


@pytest.mark.parametrize("fault", FAULTS)
def test_the_files_of_a_demo_round_contain_neither_its_fault_nor_its_nonce(fault: str, tmp_path: Path) -> None:
    made = made_round(n=30, seed=3, fault=fault)
    for name in write_project(made, tmp_path):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert made.nonce not in text
        assert made.seal not in text
        assert '"lenient"' not in text
        assert '"noisy"' not in text


def test_the_files_of_a_demo_round_are_a_complete_markscheme_project(
    tmp_path: Path,
) -> None:
    made = made_round(n=40, seed=4, fault=NO_FAULT)
    written = write_project(made, tmp_path)
    rubric = load_rubric(tmp_path / f"rubrics/{ROUND_NAME}.yaml")
    home = tmp_path / "calibration" / ROUND_NAME
    accepted = load_accepted(home / "accepted.json")
    assert len(written) == 6
    assert load_ratings(tmp_path / "ratings.jsonl", rubric) == list(made.ratings)
    examples = load_examples(home / "examples.jsonl", rubric).examples
    assert [example.labels for example in examples] == [example.labels for example in made.examples]
    assert [example.system for example in examples] == [example.system for example in made.examples]
    assert len(accepted.runs) == ACCEPTED_RUNS
    assert accepted.setting.judge == JUDGE_NAME


def test_if_the_process_that_diagnoses_a_round_fails_its_error_message_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"status 2: error: ratings\.jsonl: there is no rubric file"):
        diagnosed(tmp_path)


@pytest.mark.parametrize(
    ("code", "criterion", "evidence", "charge"),
    [
        ("lenient", "tone", {}, Charge("lenient", "tone")),
        ("noisy", "tone", {}, Charge("noisy", "tone")),
        ("broken-slice", "tone", {"slice": {"name": "delta"}}, Charge("slice", "tone on delta")),
        ("broken-slice", None, {"slice": {"name": "delta"}}, Charge("slice", "several criteria on delta")),
        ("drift", "tone", {"causes": ["text:tone"]}, Charge("text", "tone")),
        ("drift-gold", "tone", {"causes": ["text:tone"]}, Charge("text", "tone")),
        ("drift", "tone", {"causes": []}, Charge("drift", "tone")),
        ("drift", "tone", {"causes": ["text:tone", "judge"]}, Charge("drift", "tone")),
        ("halo", None, {}, Charge("halo", "nowhere")),
    ],
)
def test_the_diagnosis_of_a_demo_round_follows_from_a_finding_s_code_and_criterion_and_evidence(
    code: str, criterion: str | None, evidence: dict[str, object], charge: Charge
) -> None:
    assert charge_of({"code": code, "criterion": criterion, "evidence": evidence}) == charge
