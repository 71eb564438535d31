"""An annotator's file of labels, given to `certify` in place of a judge's ratings."""

from pathlib import Path

from tests.own_labels import ANA, refuses_own_labels, takes_own_labels_if_adjudicated_ones_count


def test_an_annotator_is_not_certified_by_the_labels_that_they_gave(tmp_path: Path) -> None:
    refuses_own_labels(tmp_path, "certify", "desk", "--judge", ANA)


def test_certify_accepts_an_annotator_in_place_of_a_judge_if_only_adjudicated_labels_count(tmp_path: Path) -> None:
    takes_own_labels_if_adjudicated_ones_count(tmp_path, "certify", "desk", "--judge", ANA)
