"""Annotators' files of labels, given to `compare` in place of judges' ratings."""

from pathlib import Path

from tests.own_labels import ANA, BEN, refuses_own_labels, takes_own_labels_if_adjudicated_ones_count


def test_compare_refuses_to_judge_annotators_by_labels_that_they_gave_themselves(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "compare", ANA, BEN, "--rubric", "desk")


def test_compare_accepts_annotators_in_place_of_judges_if_only_adjudicated_labels_count(tmp_path: Path) -> None:
    takes_own_labels_if_adjudicated_ones_count(tmp_path, "compare", ANA, BEN, "--rubric", "desk")
