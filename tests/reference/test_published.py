"""What books and papers print comes out to the last printed digit."""

import numpy as np
import pytest

from markscheme.stats import Estimate, agreement, icc
from tests.reference.published import SHROUT_FLEISS_1979, SHROUT_FLEISS_TABLE_4, TABLES, Figure, Published

CASES = [
    pytest.param(table, figure, id=f"{table.source.split(',')[0]}: {figure.statistic} {i}")
    for table in TABLES
    for i, figure in enumerate(table.figures)
]


def statistic(table: Published, figure: Figure) -> Estimate:
    weights = figure.weights if isinstance(figure.weights, str) else np.array(figure.weights)
    return agreement(table.ratings, figure.statistic, levels=table.levels, weights=weights)


@pytest.mark.parametrize(("table", "figure"), CASES)
def test_every_statistic_published_with_a_table_of_ratings_is_reproduced_to_its_printed_decimals(
    table: Published, figure: Figure
) -> None:
    value = statistic(table, figure).value
    assert value is not None
    assert round(value, figure.decimals) == pytest.approx(figure.value, abs=1e-12)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_rating_in_a_published_table_is_a_level_of_the_table_s_scale(table: Published) -> None:
    given = table.ratings[~np.isnan(table.ratings)]
    assert set(given.tolist()) <= set(table.levels)


@pytest.mark.parametrize(("name", "printed"), SHROUT_FLEISS_TABLE_4.items())
def test_the_intraclass_correlations_of_shrout_and_fleiss_are_reproduced(name: str, printed: float) -> None:
    value = icc(SHROUT_FLEISS_1979, name).value
    assert value is not None
    assert round(value, 2) == pytest.approx(printed)
