"""Every configuration in docs/howto/promptfoo.md runs under the real Promptfoo and says what the page says."""

import re

import pytest

from markscheme.judges.options import ASK_OPTIONS
from tests.commands.console import ROOT

PAGE = (ROOT / "docs" / "howto" / "promptfoo.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.usefixtures("promptfoo", "runtime")


def test_every_key_of_the_assertion_s_config_is_on_the_page() -> None:
    from markscheme.promptfoo.assertion import CONFIG_KEYS

    table = PAGE[PAGE.index("| key of `config`") : PAGE.index("The keys that say")]
    assert set(re.findall(r"`(\w+)`", table)) >= set(CONFIG_KEYS)


def test_every_variable_that_bounds_the_asking_is_on_the_page() -> None:
    variables = [option.variable for option in ASK_OPTIONS.values() if option.variable]
    assert [variable for variable in variables if f"`{variable}`" not in PAGE] == []
