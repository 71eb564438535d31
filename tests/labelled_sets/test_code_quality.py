"""The labelled set for code-quality: labels follow from its fault table, and its code behaves as labelled."""

from typing import Any

import pytest

from tests.labelled_sets.code_quality_tasks import check_names, code_of, failed_checks
from tests.labelled_sets.fault_table import (
    TOP_LEVEL,
    constructed_levels,
    load_set,
)

LABELLED = load_set("code-quality")
NOT_RUN = {"go", "rust"}
LEVELS_LOST_BY_A_GAP = 2
IMPLIED = {"empty-emails-merged": {"blank-email-merged"}, "get-not-a-use": {"falsy-value-not-refreshed"}}


def correctness_faults(example: dict[str, Any]) -> set[str]:
    return {fault for fault in example["faults"] if "correctness" in LABELLED.table[fault]}


def test_in_the_code_quality_set_each_fault_of_correctness_in_code_that_can_be_run_has_a_check() -> None:
    for example in LABELLED.examples:
        if example["group"] not in NOT_RUN:
            assert correctness_faults(example) <= set(check_names(example["group"])), example["id"]


@pytest.mark.proof
@pytest.mark.parametrize(
    "example",
    [example for example in LABELLED.examples if example["group"] not in NOT_RUN],
    ids=lambda example: example["id"],
)
def test_each_example_of_the_code_quality_set_fails_exactly_the_checks_of_the_faults_built_into_it(
    example: dict[str, Any],
) -> None:
    faults = correctness_faults(example)
    failed = failed_checks(example["group"], code_of(example["response"]))
    assert faults <= failed.keys()
    if constructed_levels(example)["correctness"] == TOP_LEVEL:
        assert failed == {}
    if all(LABELLED.table[fault]["correctness"] <= LEVELS_LOST_BY_A_GAP for fault in faults):
        assert failed.keys() <= faults.union(*(IMPLIED.get(fault, set()) for fault in faults))
