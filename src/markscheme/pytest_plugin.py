"""The pytest fixture `assert_grade`, by which a test fails if a rubric's judge fails an output.

pytest loads this module at startup whenever markscheme is installed, so it imports nothing else of markscheme before
a test asks for the fixture.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from markscheme.assert_grade import AssertGrade, Background

JUDGE_SETTING = "markscheme_judge"
OPTIONS_SETTING = "markscheme_options"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options `--markscheme-judge` and `--markscheme-option`, and the ini settings with the same meaning."""
    group = parser.getgroup("markscheme")
    about = "the judge of assert_grade for tests that name none, such as anthropic:MODEL or recorded:PATH"
    group.addoption("--markscheme-judge", dest=JUDGE_SETTING, metavar="NAME", help=about)
    parser.addini(JUDGE_SETTING, about)
    about = "how assert_grade asks its judge, such as samples=3 or budget=2; may be repeated"
    group.addoption(
        "--markscheme-option", dest=OPTIONS_SETTING, metavar="KEY=VALUE", action="append", default=[], help=about
    )
    parser.addini(OPTIONS_SETTING, "the same, one KEY=VALUE a line", type="linelist")


@pytest.fixture(scope="session")
def _markscheme_asking() -> "Iterator[Background]":
    from markscheme.assert_grade import Background

    asking = Background()
    yield asking
    asking.close()


@pytest.fixture
def assert_grade(request: pytest.FixtureRequest, _markscheme_asking: "Background") -> "AssertGrade":
    """Fail a test where a rubric's judge fails an output: assert_grade(output, rubric="support-reply")."""
    config = request.config
    return _markscheme_asking.for_test(
        (config.getoption(JUDGE_SETTING), config.getoption(OPTIONS_SETTING), "--markscheme-option"),
        (config.getini(JUDGE_SETTING), config.getini(OPTIONS_SETTING), OPTIONS_SETTING),
        near=request.path.parent,
        record=lambda name, value: request.node.user_properties.append((name, value)),
    )
