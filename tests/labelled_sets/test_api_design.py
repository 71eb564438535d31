"""The labelled set for api-design: its labels are what its fault table gives, and they spread over the scale."""

from collections import defaultdict
from itertools import combinations

import pytest

from tests.labelled_sets.fault_table import (
    contradictions,
    level_correlation,
    level_shares,
    load_set,
    weighted_scores,
)

LABELLED = load_set("api-design")
WEIGHTS = {"consistency": 0.25, "contract": 0.3, "errors": 0.25, "evolvability": 0.2}
PASS_MARK = 0.65


def test_labels_faults_ids_and_responses_agree_with_the_data_card() -> None:
    assert contradictions(LABELLED, list(WEIGHTS)) == []


def test_every_label_is_constructed_and_names_every_criterion() -> None:
    for example in LABELLED.examples:
        (label,) = example["labels"]
        assert (label["rater"], label["kind"]) == ("construction", "constructed")
        assert label["criteria"].keys() == WEIGHTS.keys()


def test_each_requirement_has_one_query_one_faultless_proposal_and_four_others() -> None:
    groups = defaultdict(list)
    for example in LABELLED.examples:
        groups[example["group"]].append(example)
    assert 9 <= len(groups) <= 11
    for members in groups.values():
        assert len({member["query"] for member in members}) == 1
        assert len({member["system"] for member in members}) == len(members) == 5
        assert sum(not member["faults"] for member in members) == 1


@pytest.mark.parametrize("criterion", WEIGHTS)
def test_levels_spread_over_the_whole_scale(criterion: str) -> None:
    shares = level_shares(LABELLED, criterion)
    assert all(0.08 <= share <= 0.45 for share in shares.values()), shares


@pytest.mark.parametrize(("one", "other"), list(combinations(WEIGHTS, 2)))
def test_criteria_do_not_rise_and_fall_together(one: str, other: str) -> None:
    assert abs(level_correlation(LABELLED, one, other)) < 0.6


def test_scores_lie_on_both_sides_of_the_pass_mark_and_reach_both_ends() -> None:
    scores = [round(score, 9) for score in weighted_scores(LABELLED, WEIGHTS)]
    assert min(scores) == 0
    assert max(scores) == 1
    assert 0.3 <= sum(score >= PASS_MARK for score in scores) / len(scores) <= 0.7


def test_proposals_are_10_to_45_lines_long() -> None:
    lengths = [len(example["response"].splitlines()) for example in LABELLED.examples]
    assert 10 <= min(lengths) <= max(lengths) <= 45


def test_errors_has_at_most_one_fault_in_a_proposal() -> None:
    for example in LABELLED.examples:
        assert sum("errors" in LABELLED.table[fault] for fault in example["faults"]) <= 1, example["id"]
