"""Faults in the words that follow `pass-rate`."""

import pytest

from markscheme.commands.call import call
from markscheme.errors import UsageError


def test_what_was_graded_needs_labels_unless_it_is_a_table_with_both() -> None:
    with pytest.raises(UsageError, match="`--calibration FILE` is missing"):
        call(["pass-rate", "f"])
