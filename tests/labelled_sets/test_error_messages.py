"""The labelled set for error-messages: properties of its messages."""

from collections import Counter

from tests.labelled_sets.fault_table import load_set

LABELLED = load_set("error-messages")


def test_an_error_message_in_the_labelled_set_has_at_most_one_fault_of_clarity_and_one_of_actionability() -> None:
    for example in LABELLED.examples:
        faults = Counter(criterion for fault in example["faults"] for criterion in LABELLED.table[fault])
        assert max(faults["clarity"], faults["actionability"]) <= 1, example["id"]
