"""How many independent judges a panel is worth."""

import numpy as np
import pytest

from markscheme.features.certify.panels import independent_votes


def errors(shared: float, n: int = 4_000, k: int = 3) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Errors of k members, of which a share comes from a source that all have."""
    generator = np.random.default_rng(1)
    common = generator.normal(size=(n, 1))
    alone = generator.normal(size=(n, k))
    return np.asarray(np.sqrt(shared) * common + np.sqrt(1 - shared) * alone)


@pytest.mark.parametrize(("shared", "votes"), [(0.0, 3.0), (0.5, 1.5), (1.0, 1.0)])
def test_panel_members_whose_errors_coincide_count_as_fewer_independent_votes(shared: float, votes: float) -> None:
    assert independent_votes(errors(shared)) == pytest.approx(votes, abs=0.1)


def test_the_number_of_independent_votes_ignores_missing_votes_and_does_not_depend_on_the_order_of_members() -> None:
    votes = errors(0.4, 300)
    holes = votes.copy()
    holes[:5, 1] = np.nan
    assert independent_votes(votes[:, ::-1]) == pytest.approx(independent_votes(votes) or 0.0)
    assert independent_votes(holes) == pytest.approx(independent_votes(votes) or 0.0, abs=0.1)


def test_a_panel_has_no_number_of_independent_votes_if_its_members_never_err_or_share_too_few_examples() -> None:
    assert independent_votes(np.zeros((50, 3))) is None
    assert independent_votes(errors(0.0, 9)) is None
