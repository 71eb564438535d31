"""Runs in data frames that are compared."""

from typing import Any

import pandas as pd
import pytest

import markscheme
from markscheme import compare
from markscheme.errors import UsageError
from tests.test_data_frames import EMPTY, RUBRIC, verdicts


@pytest.mark.parametrize("empty", EMPTY.values(), ids=EMPTY)
def test_nan_and_other_empty_cells_of_a_data_frame_count_like_python_s_none_when_verdicts_are_compared(
    empty: Any,
) -> None:
    other = verdicts(None)[:11]
    assert compare(verdicts(empty), other).to_json() == compare(verdicts(None), other).to_json()


@pytest.mark.parametrize("options", [{}, {"rubric": RUBRIC}], ids=["sides", "sides by a rubric"])
def test_a_data_frame_in_place_of_rows_of_verdicts_is_refused(options: dict[str, Any]) -> None:
    frame: Any = pd.DataFrame({"ann": [1, 2], "ben": [1, 2]})
    with pytest.raises(UsageError, match=r"a DataFrame is given by its rows: frame\.to_dict\('records'\)"):
        compare(frame, frame, **options)


def test_compare_is_a_public_name_of_the_package() -> None:
    assert "compare" in markscheme.__all__
    assert markscheme.compare is compare
