"""`assert_grade` in pytest: a test fails if a rubric's judge fails an output.

pytest loads this module at startup whenever markscheme is installed, so it imports nothing else of markscheme before
a test asks for the fixture.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from markscheme.assert_grade import AssertGrade, Background

SETTING = "markscheme_judge"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--markscheme-judge` and the setting `markscheme_judge`."""
    about = "the judge of assert_grade for tests that name none, such as anthropic:MODEL or recorded:PATH"
    parser.getgroup("markscheme").addoption("--markscheme-judge", dest=SETTING, metavar="NAME", help=about)
    parser.addini(SETTING, about)


@pytest.fixture(scope="session")
def _markscheme_asking() -> "Iterator[Background]":
    from markscheme.assert_grade import Background

    asking = Background()
    yield asking
    asking.close()


@pytest.fixture
def assert_grade(request: pytest.FixtureRequest, _markscheme_asking: "Background") -> "AssertGrade":
    """Fail a test where a rubric's judge fails an output: assert_grade(output, rubric="support-reply")."""
    from markscheme.assert_grade import AssertGrade

    config = request.config
    return AssertGrade(
        _markscheme_asking,
        judge=config.getoption(SETTING) or config.getini(SETTING) or None,
        near=request.path.parent,
        record=lambda name, value: request.node.user_properties.append((name, value)),
    )
