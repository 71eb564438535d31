"""The labelled set for api-design: properties of its proposals."""

from tests.labelled_sets.fault_table import load_set

LABELLED = load_set("api-design")


def test_proposals_in_the_labelled_set_on_api_design_are_10_to_45_lines_long() -> None:
    lengths = [len(example["response"].splitlines()) for example in LABELLED.examples]
    assert 10 <= min(lengths) <= max(lengths) <= 45


def test_no_api_proposal_of_the_labelled_set_has_two_faults_that_lower_the_errors_criterion() -> None:
    for example in LABELLED.examples:
        assert sum("errors" in LABELLED.table[fault] for fault in example["faults"]) <= 1, example["id"]
