"""Faults in the words that follow `pass-rate`."""

import pytest

from markscheme.commands.call import call
from markscheme.errors import UsageError


def test_pass_rate_needs_labels_unless_the_file_is_a_table_with_verdicts_and_labels() -> None:
    with pytest.raises(UsageError, match="`--calibration FILE` is missing"):
        call(["pass-rate", "f"])
