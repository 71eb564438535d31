"""Annotators' files of labels, given to `compare` in place of judges' ratings."""

from pathlib import Path

from tests.commands.console import run
from tests.own_labels import (
    ANA,
    BEN,
    refuses_own_labels,
    takes_own_labels_if_adjudicated_ones_count,
    write_models_labels,
)


def test_compare_refuses_to_judge_annotators_by_labels_that_they_gave_themselves(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "compare", ANA, BEN, "--rubric", "desk")


def test_compare_accepts_annotators_in_place_of_judges_if_only_adjudicated_labels_count(tmp_path: Path) -> None:
    takes_own_labels_if_adjudicated_ones_count(tmp_path, "compare", ANA, BEN, "--rubric", "desk")


def test_compare_refuses_a_judge_if_that_judge_gave_all_labels(tmp_path: Path) -> None:
    write_models_labels(tmp_path, "gpt")
    done = run("markscheme", "compare", "gpt.jsonl", "haiku.jsonl", "--rubric", "desk", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the only labels are gpt's own, and a judge isn't compared with itself" in done.stderr
