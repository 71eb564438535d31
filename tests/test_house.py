"""Figures of the source code stay within limits, which may only be lowered."""

import pytest

from tests.house import (
    LIMITS,
    MOST_SHOWN,
    SOURCE,
    TESTS,
    VAGUE_IN_TESTS,
    Figure,
    Module,
    code_lines,
    figures_of,
    is_dataclass,
    modules_of,
    vague_names,
)


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    """Read the modules of the package."""
    return modules_of(SOURCE)


@pytest.fixture(scope="module")
def figures(modules: list[Module]) -> dict[str, Figure]:
    """Measure the figures of the package."""
    return figures_of(modules)


@pytest.mark.parametrize("name", LIMITS)
def test_a_measured_figure_on_the_style_of_the_code_is_within_its_limit(name: str, figures: dict[str, Figure]) -> None:
    places = "\n".join(figures[name].places[:MOST_SHOWN])
    assert figures[name].value <= LIMITS[name].most, f"{name}: make what is new clearer\n{places}"


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_on_the_style_of_the_code_must_be_lowered_when_the_measured_figure_falls(
    name: str, figures: dict[str, Figure]
) -> None:
    limit = LIMITS[name]
    assert figures[name].value >= limit.most - limit.slack, f"{name}: lower its limit in tests/house.py"


def test_the_share_of_vague_names_of_variables_in_tests_is_within_its_limit() -> None:
    figure = vague_names(modules_of(TESTS))
    assert figure.value <= VAGUE_IN_TESTS.most, "\n".join(figure.places[:MOST_SHOWN])
    assert figure.value >= VAGUE_IN_TESTS.most - VAGUE_IN_TESTS.slack, "lower VAGUE_IN_TESTS in tests/house.py"


def test_every_measured_figure_on_the_style_of_the_code_has_a_limit(figures: dict[str, Figure]) -> None:
    assert set(figures) == set(LIMITS)


SHORT = Module(
    "short.py",
    '''"""A docstring."""

# A comment.
from dataclasses import dataclass

SHARED = "word"
EXPLAINED = 5
"""What was tried."""
BARE = -0.5
_PRIVATE = 7


@dataclass(frozen=True)
class Shared:
    """One
    on two lines."""

    text: str = (
        "a"
    )


def read(given, path):
    found, size = path.read(), len(given)
    low, high = 0, 1
    return found
''',
)
OTHER = Module(
    "other.py", "class Shared: ...\nSECONDS = 24 * 60\nOPTION = True\nfor other in (): ...\ndef _asked(): ...\n"
)


def test_the_size_of_a_module_counts_only_lines_with_code() -> None:
    assert code_lines(SHORT) == 14
    assert code_lines(OTHER) == 5


def test_each_measure_of_code_style_counts_the_violation_planted_for_it() -> None:
    figures = figures_of([SHORT, OTHER])
    assert figures["code lines of the longest module"] == Figure(14, ("short.py 14", "other.py 5"))
    assert figures["numeric constants without a reason"].places == (
        "short.py:9 BARE",
        "short.py:10 _PRIVATE",
        "other.py:2 SECONDS",
    )
    assert figures["public names bound in two modules"].places == ("Shared: other.py, short.py",)
    assert figures["paired assignments, % of assignments"] == Figure(12.5, ("short.py 1, first short.py:24",))
    vague = figures["vague names, % of bound names"]
    assert vague.places == ("short.py 2, first short.py:23 given", "other.py 2, first other.py:5 _asked")
    assert vague.value == pytest.approx(100 * 4 / 18, abs=0.01)


def test_dataclasses_are_counted_by_their_decorator() -> None:
    assert sum(is_dataclass(node) for node in SHORT.nodes) == 1
    assert not any(is_dataclass(node) for node in OTHER.nodes)
