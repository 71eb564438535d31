"""The seam: tables of the core that features add rows to, loaded when the core's own rows don't do."""

from collections.abc import Iterator

import pytest

from markscheme import seam
from markscheme.seam import Feature, OpenTable, features, offer


@pytest.fixture
def offered() -> Iterator[list[str]]:
    """Offer two features that add colours, and yield a list that grows when they are loaded."""
    loaded: list[str] = []
    before = features()

    def load() -> tuple[Feature, ...]:
        loaded.append("once")
        return Feature("sea", COLOURS("blue"), SHAPES("wave")), Feature("sun", COLOURS("red", "gold"))

    offer(load)
    yield loaded
    offer(lambda: before)


COLOURS = OpenTable("grey", "white")
SHAPES = OpenTable[str]()


def test_a_table_that_optional_features_extend_has_the_rows_of_the_core_and_then_those_of_the_features(
    offered: list[str],
) -> None:
    assert [*COLOURS] == ["grey", "white", "blue", "red", "gold"]
    assert [*SHAPES] == ["wave"]
    assert offered == ["once"]


def test_looking_up_a_row_of_a_core_table_loads_no_optional_feature(offered: list[str]) -> None:
    assert "grey" in COLOURS
    assert "white" in COLOURS
    assert offered == []


def test_without_optional_features_a_table_that_they_would_extend_has_only_the_rows_of_the_core(
    offered: list[str],
) -> None:
    offer(tuple)
    assert [*COLOURS] == ["grey", "white"]
    assert features() == ()
    assert offered == []


def test_importing_the_package_registers_its_optional_features() -> None:
    from markscheme.core_options import CORE_OPTIONS
    from markscheme.features import FEATURES
    from markscheme.report.reported import RESULT_REPORTS

    assert seam.features() == (CORE_OPTIONS, RESULT_REPORTS, *FEATURES)
