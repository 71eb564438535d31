"""Properties of each labelled set: labels follow from its fault table, and levels spread over the scale."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import pytest

from markscheme import load_rubric
from tests.commands.console import ROOT
from tests.labelled_sets.fault_table import contradictions, level_correlation, level_shares, load_set, weighted_scores

RUBRICS = {name: load_rubric(ROOT / "rubrics" / f"{name}.yaml") for name in (
    "code-quality", "error-messages", "documentation", "api-design"
)}  # fmt: skip
SETS = {name: load_set(name) for name in RUBRICS}
WEIGHTS = {name: {c.name: c.weight for c in rubric.criteria} for name, rubric in RUBRICS.items()}
LEAST_EXAMPLES = {"code-quality": 60, "error-messages": 40, "documentation": 40, "api-design": 40}

every_set = pytest.mark.parametrize("name", SETS)


def levels_lost(name: str, example: dict[str, Any]) -> int:
    """Return how many levels the faults of `example` cost over all criteria."""
    return sum(sum(SETS[name].table[fault].values()) for fault in example["faults"])


def test_the_rubrics_code_quality_and_error_messages_have_the_expected_weights_and_pass_marks() -> None:
    assert WEIGHTS["code-quality"] == {
        "readability": 0.3, "correctness": 0.4, "efficiency": 0.2, "maintainability": 0.1
    }  # fmt: skip
    assert WEIGHTS["error-messages"] == {"clarity": 0.4, "actionability": 0.4, "context": 0.2}
    assert (RUBRICS["code-quality"].pass_mark, RUBRICS["error-messages"].pass_mark) == (0.7, 0.6)
    assert RUBRICS["code-quality"].inputs == ("query",)


@every_set
def test_the_labels_and_faults_and_ids_and_responses_of_each_labelled_set_agree_with_its_data_card(name: str) -> None:
    assert contradictions(SETS[name], list(WEIGHTS[name])) == []


@every_set
def test_every_label_of_a_labelled_set_is_constructed_and_names_every_criterion(name: str) -> None:
    for example in SETS[name].examples:
        (label,) = example["labels"]
        assert (label["rater"], label["kind"]) == ("construction", "constructed")
        assert label["criteria"].keys() == WEIGHTS[name].keys()


@every_set
def test_each_task_of_a_labelled_set_has_one_query_and_at_least_one_response_with_almost_no_fault(name: str) -> None:
    groups = defaultdict(list)
    for example in SETS[name].examples:
        groups[example["group"]].append(example)
    assert len(SETS[name].examples) >= LEAST_EXAMPLES[name]
    for members in groups.values():
        assert len({member["query"] for member in members}) == 1
        assert len({member["system"] for member in members}) == len(members)
        assert any(levels_lost(name, member) <= 1 for member in members)


@pytest.mark.parametrize(("name", "criterion"), [(name, c) for name in SETS for c in WEIGHTS[name]])
def test_each_level_has_between_8_and_45_percent_of_the_labels_in_each_labelled_set(name: str, criterion: str) -> None:
    shares = level_shares(SETS[name], criterion)
    assert all(0.08 <= share <= 0.45 for share in shares.values()), shares


@pytest.mark.parametrize(("name", "one", "other"), [(n, *pair) for n in SETS for pair in combinations(WEIGHTS[n], 2)])
def test_in_each_labelled_set_the_levels_of_different_criteria_are_not_strongly_correlated(
    name: str, one: str, other: str
) -> None:
    assert abs(level_correlation(SETS[name], one, other)) < 0.6


@every_set
def test_each_labelled_set_has_scores_on_both_sides_of_the_pass_mark_and_at_both_ends_of_the_scale(
    name: str,
) -> None:
    scores = [round(score, 9) for score in weighted_scores(SETS[name], WEIGHTS[name])]
    passing = sum(score >= RUBRICS[name].pass_mark for score in scores) / len(scores)
    assert 0.25 <= passing <= 0.75
    assert min(scores) <= 0.1
    assert max(scores) == 1
