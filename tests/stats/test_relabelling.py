"""What examples that were labelled again show about old labels."""

import pytest

from markscheme.stats.relabelling import may_differ, old_counted, relabelling_state
from tests.reference.relabelled import STALE
from tests.stats.shared_numbers import block


@pytest.mark.parametrize("case", STALE, ids=str)
def test_the_number_of_old_labels_that_still_count_after_a_rewording_equals_its_reference_value(
    case: tuple[int, int, int, int | None, int, str],
) -> None:
    relabelled, differ, old, most, counted, state = case
    concluded = relabelling_state(relabelled, differ)
    assert (may_differ(relabelled), old_counted(concluded, relabelled, old), concluded) == (most, counted, state)


def test_figures_on_relabelled_examples_copied_into_the_tests_equal_those_in_the_file_of_reference_values() -> None:
    keys = ("relabelled", "differ", "old", "may_differ", "old_counted", "state")
    assert [tuple(case[key] for key in keys) for case in block("verdict3.yaml", "stale")] == STALE
