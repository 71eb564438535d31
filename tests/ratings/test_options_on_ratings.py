"""Options on what ratings mean, where a file has no ratings."""

import pytest

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions


@pytest.mark.parametrize(
    "options",
    [
        ColumnOptions(pass_=("yes",)),
        ColumnOptions(pass_mark=3),
        ColumnOptions(levels=("1-5",)),
        ColumnOptions(same=("5=4",)),
        ColumnOptions(kind="human"),
    ],
)
def test_an_option_on_ratings_is_refused_of_a_file_of_outputs_alone(options: ColumnOptions) -> None:
    with pytest.raises(UsageError, match=r"has no effect here: outputs\.csv has outputs alone"):
        options.refuse_of_ratings("outputs.csv")


def test_an_option_on_outputs_is_taken_of_a_file_of_outputs_alone() -> None:
    ColumnOptions(response="answer", table="t").refuse_of_ratings("outputs.csv")
