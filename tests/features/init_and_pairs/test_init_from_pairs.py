"""Projects that are made from pairs of responses with preferences."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from markscheme import load_rubric
from tests.commands.console import run


def _pairs(folder: Path, *columns: str, name: str = "battles.csv") -> None:
    rows = [[f"q{n}", f"left {n}", f"right {n}", *["AB"[n % 2]] * len(columns)] for n in range(20)]
    lines = [["prompt", "response_a", "response_b", *columns], *rows]
    (folder / name).write_text("".join(f"{','.join(line)}\n" for line in lines), encoding="utf-8")


def test_init_from_pairs_makes_a_rubric_of_pairs_and_prints_the_command_that_calibrates_the_same_judge_by_it(
    tmp_path: Path,
) -> None:
    _pairs(tmp_path, "human_preference", "judge_preference")
    done = run("markscheme", "init", "--from", "battles.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rubric = load_rubric(tmp_path / "rubrics" / "battles.yaml")
    assert rubric.is_of_pairs
    assert [criterion.name for criterion in rubric.criteria] == ["preference"]
    printed = next(line for line in done.stdout.splitlines() if line.startswith("The same judge")).split("`")[1]
    calibrated = run(*shlex.split(printed), cwd=tmp_path)
    assert "20 examples, 1 annotator" in calibrated.stdout, calibrated.stderr
    assert "Agreement 100%" in calibrated.stdout


@pytest.mark.parametrize(("options", "status"), [((), 2), (("--kind", "human"), 0)])
def test_init_from_pairs_that_do_not_say_who_preferred_needs_the_kind_option(
    tmp_path: Path, options: Sequence[str], status: int
) -> None:
    _pairs(tmp_path, "preference")
    done = run("markscheme", "init", "--from", "battles.csv", *options, cwd=tmp_path)
    assert done.returncode == status
    assert ("--kind human" in done.stderr) == (status == 2)


def test_init_from_pairs_reads_columns_that_the_call_names_as_those_of_a_table(tmp_path: Path) -> None:
    _pairs(tmp_path, "human_preference", "judge_preference")
    columns = ("--human", "human_preference", "--judge", "judge_preference")
    assert run("markscheme", "init", "--from", "battles.csv", *columns, cwd=tmp_path).returncode == 0
    assert not load_rubric(tmp_path / "rubrics" / "battles.yaml").is_of_pairs
