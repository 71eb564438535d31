"""An annotator's file of labels, given to `calibrate` in place of a judge's ratings."""

from pathlib import Path

from tests.own_labels import ANA, refuses_own_labels


def test_calibrate_does_not_compare_an_annotator_s_labels_with_the_labels_that_they_are_part_of(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "calibrate", "desk", "--ratings", ANA)
