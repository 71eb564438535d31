"""How many labels the width of a share's interval needs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.intervals import wilson
from markscheme.stats.planning import labels_for_share


@given(st.floats(0, 1), st.floats(0.01, 0.2))
@settings(max_examples=60, deadline=None)
def test_the_planned_labels_for_a_share_are_the_fewest_whose_wilson_interval_is_narrow_enough(
    share: float, half_width: float
) -> None:
    n = labels_for_share(share, half_width)
    widths = [np.diff(wilson(share * m, m))[0] for m in (n, max(1, n - 1))]
    assert widths[0] <= 2 * half_width
    assert n == 1 or widths[1] > 2 * half_width


def test_planning_labels_for_a_share_above_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.2"):
        labels_for_share(1.2, 0.1)
