"""Every configuration in docs/howto/promptfoo.md runs under the real Promptfoo and says what the page says."""

import re

import pytest

from markscheme.judges.options import ASK_OPTIONS
from tests.commands.console import ROOT

PAGE = (ROOT / "docs" / "howto" / "promptfoo.md").read_text(encoding="utf-8")
CONFIGURATION = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.usefixtures("promptfoo", "runtime")


def test_every_key_of_the_assertion_s_config_is_documented_on_its_page_or_in_the_linked_table() -> None:
    from markscheme.promptfoo.assertion import CONFIG_KEYS

    of_the_assertion = PAGE[PAGE.index("| key of `config`") : PAGE.index("In a CSV, write")]
    assert "(../reference/configuration.md#how-a-judge-is-asked)" in of_the_assertion
    of_the_judge = CONFIGURATION.partition("\n## How a judge is asked\n")[2].partition("\n| where |")[0]
    assert set(re.findall(r"`(\w+)`", of_the_assertion + of_the_judge)) >= set(CONFIG_KEYS)


def test_every_environment_variable_that_limits_asking_judges_is_documented_on_the_page_about_promptfoo() -> None:
    variables = [option.variable for option in ASK_OPTIONS.values() if option.variable]
    assert [variable for variable in variables if f"`{variable}`" not in PAGE] == []
