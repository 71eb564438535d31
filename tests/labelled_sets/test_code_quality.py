"""The labelled set for code-quality: its labels are what its fault table gives, and its code runs as labelled."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import pytest

from tests.labelled_sets.code_quality_tasks import check_names, code_of, failed_checks
from tests.labelled_sets.fault_table import (
    TOP_LEVEL,
    constructed_levels,
    contradictions,
    level_correlation,
    level_shares,
    load_set,
    weighted_scores,
)

LABELLED = load_set("code-quality")
WEIGHTS = {"readability": 0.3, "correctness": 0.4, "efficiency": 0.2, "maintainability": 0.1}
PASS_MARK = 0.7
NOT_RUN = {"go", "rust"}
LEVELS_LOST_BY_A_GAP = 2
IMPLIED = {"empty-emails-merged": {"blank-email-merged"}, "get-not-a-use": {"falsy-value-not-refreshed"}}


def correctness_faults(example: dict[str, Any]) -> set[str]:
    return {fault for fault in example["faults"] if "correctness" in LABELLED.table[fault]}


def test_labels_faults_ids_and_responses_agree_with_the_data_card() -> None:
    assert contradictions(LABELLED, list(WEIGHTS)) == []


def test_every_label_is_constructed_and_names_every_criterion() -> None:
    for example in LABELLED.examples:
        (label,) = example["labels"]
        assert (label["rater"], label["kind"]) == ("construction", "constructed")
        assert label["criteria"].keys() == WEIGHTS.keys()


def test_each_task_has_one_query_and_one_answer_without_a_fault() -> None:
    groups = defaultdict(list)
    for example in LABELLED.examples:
        groups[example["group"]].append(example)
    assert 12 <= len(groups) <= 14
    assert len(LABELLED.examples) >= 64
    for members in groups.values():
        assert len({member["query"] for member in members}) == 1
        assert len({member["system"] for member in members}) == len(members)
        assert sum(member["faults"] == [] for member in members) == 1


@pytest.mark.parametrize("criterion", WEIGHTS)
def test_every_level_has_8_to_45_percent_of_the_examples(criterion: str) -> None:
    assert all(0.08 <= share <= 0.45 for share in level_shares(LABELLED, criterion).values())


@pytest.mark.parametrize(("one", "other"), list(combinations(WEIGHTS, 2)))
def test_two_criteria_correlate_moderately_at_most(one: str, other: str) -> None:
    assert abs(level_correlation(LABELLED, one, other)) < 0.6


def test_scores_lie_on_both_sides_of_the_pass_mark_and_reach_both_ends() -> None:
    scores = weighted_scores(LABELLED, WEIGHTS)
    passing = sum(score >= PASS_MARK for score in scores) / len(scores)
    assert 0.25 <= passing <= 0.75
    assert min(scores) < 0.1
    assert max(scores) == pytest.approx(1)


def test_every_fault_of_correctness_in_a_language_that_runs_has_its_check() -> None:
    for example in LABELLED.examples:
        if example["group"] not in NOT_RUN:
            assert correctness_faults(example) <= set(check_names(example["group"])), example["id"]


@pytest.mark.parametrize(
    "example",
    [example for example in LABELLED.examples if example["group"] not in NOT_RUN],
    ids=lambda example: example["id"],
)
def test_code_fails_the_checks_of_its_faults_and_no_others(example: dict[str, Any]) -> None:
    faults = correctness_faults(example)
    failed = failed_checks(example["group"], code_of(example["response"]))
    assert faults <= failed.keys()
    if constructed_levels(example)["correctness"] == TOP_LEVEL:
        assert failed == {}
    if all(LABELLED.table[fault]["correctness"] <= LEVELS_LOST_BY_A_GAP for fault in faults):
        assert failed.keys() <= faults.union(*(IMPLIED.get(fault, set()) for fault in faults))
