"""Faults in the words that follow `pass-rate`."""

import pytest

from markscheme.commands.call import call
from markscheme.errors import UsageError


def test_pass_rate_without_a_file_of_labels_names_the_missing_option() -> None:
    with pytest.raises(UsageError, match="`--calibration FILE` is missing"):
        call(["pass-rate", "f"])


def test_pass_rate_refuses_a_judge_that_would_have_to_be_asked_and_names_the_grade_command() -> None:
    words = ["pass-rate", "f.csv", "--rubric", "code-quality", "--judge", "anthropic", "--calibration", "c.json"]
    with pytest.raises(UsageError, match=r"`markscheme grade code-quality f.csv --judge anthropic --out graded\.csv`"):
        call(words)
