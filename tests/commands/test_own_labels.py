"""An annotator's file of labels, given to `calibrate` in place of a judge's ratings."""

from pathlib import Path

from tests.own_labels import ANA, refuses_own_labels, takes_own_labels_if_adjudicated_ones_count


def test_calibrate_refuses_to_compare_an_annotator_s_labels_with_gold_to_which_they_contributed(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "calibrate", "desk", "--ratings", ANA)


def test_calibrate_compares_an_annotator_s_labels_with_gold_if_gold_is_made_of_adjudicated_labels_alone(
    tmp_path: Path,
) -> None:
    takes_own_labels_if_adjudicated_ones_count(tmp_path, "calibrate", "desk", "--ratings", ANA)
