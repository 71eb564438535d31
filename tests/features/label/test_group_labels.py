"""Numbers of labels to take next from each group, by the judge's verdicts."""

from typing import Any

import numpy as np
import pytest

from markscheme.features.label.group_labels import next_group_labels
from tests.reference.worked_cases import NEXT_LABELS, NEXT_POOL, NEXT_TAKEN
from tests.stats.shared_numbers import block
from tests.stats.test_group_rates import as_table


def test_twelve_further_labels_are_divided_among_three_groups_as_a_reference_case_expects() -> None:
    assert next_group_labels(NEXT_LABELS, NEXT_POOL, 12).tolist() == NEXT_TAKEN


def test_the_labels_to_add_in_each_group_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("groups_drift_slices.yaml", "groups"):
        if "taken" in case:
            shares, taken = case["judge_pass_share"], np.zeros((3, 2), dtype=int)
            for where, how_many in case["taken"].items():
                group, verdict = where.split(":")
                taken[list(shares).index(group), ["fail", "pass"].index(verdict)] = how_many
            labelled = [as_table(case["labels"][group]) for group in shares]
            pool = [[round(1000 * (1 - share)), round(1000 * share)] for share in shares.values()]
            assert next_group_labels(labelled, pool, int(taken.sum())).tolist() == taken.tolist()


def test_no_further_labels_are_planned_in_a_group_whose_responses_are_all_labelled() -> None:
    taken = next_group_labels([[[0, 0], [0, 2]], [[5, 5], [5, 5]]], [[1, 4], [10, 12]], 9)
    assert taken.tolist() == [[1, 2], [0, 2]]


@pytest.mark.parametrize(("labelled", "pool", "count"), [([[[0, 0], [0, 0]]], [5, 5], 1), ([], [[5, 5]], 1)])
def test_planning_labels_by_group_is_refused_if_labels_and_responses_do_not_have_the_same_groups(
    labelled: Any, pool: Any, count: int
) -> None:
    with pytest.raises(ValueError, match=r"pool must|labelled must"):
        next_group_labels(labelled, pool, count)
