"""Options in messages to callers from Python, written as arguments of a call."""

import pytest

from markscheme.calibration.call_arguments import as_argument
from markscheme.errors import UsageError
from markscheme.readers.tabular.refusals import refusal


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("--human", "`human`"),
        ("--pass-mark 3", "`pass_mark=3`"),
        ("`--human don't ask`", '`human="don\'t ask"`'),
        ("--same VALUE=fail", "`same='VALUE=fail'`"),
        ("--table '*'", "`table='*'`"),
        ("-o encoding=NAME", "`encoding='NAME'`"),
    ],
)
def test_a_command_line_option_in_a_message_is_rewritten_as_an_argument_of_a_python_call(
    option: str, argument: str
) -> None:
    assert as_argument(option) == argument


def test_words_in_braces_in_a_user_s_table_are_not_rewritten_as_options_in_a_message_that_quotes_the_table() -> None:
    for message in messages(refusal("odd-value", columns=["{--id}"], values={"{--same a}": 2})):
        assert message.startswith("'{--same a}' (2) in '{--id}' can't be read as pass or fail, ")


def messages(error: UsageError) -> tuple[str, str]:
    """The message as on the command line, and as in Python."""
    typed = str(error)
    error.spell = as_argument
    return typed, str(error)


def test_a_message_in_python_rewrites_options_as_arguments_but_not_the_user_s_values_or_shell_commands() -> None:
    typed, called = messages(refusal("odd-value", columns=["note"], values={"--human and --pass": 1}))
    assert "; --same VALUE= leaves a value out, --same VALUE=pass or --same VALUE=fail decides" in typed
    assert "; `same='VALUE='` leaves a value out, `same='VALUE=pass'` or `same='VALUE=fail'` decides" in called
    assert "'--human and --pass' (1)" in called
    typed, called = messages(refusal("option-unused", columns=["a", "b"], option="--judge my judge"))
    assert typed.startswith("`--judge my judge` names nothing that is there; ")
    assert called.startswith("`judge='my judge'` names nothing that is there; ")
    assert called.endswith("`markscheme calibrate RUBRIC --judge NAME`")
