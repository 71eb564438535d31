"""Errors about ambiguous tables on the command line: a full command for each choice, and their JSON."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markscheme.commands.output import put
from markscheme.errors import UsageError
from markscheme.report.table_words import json_of

_ADDED: Final = frozenset(["--pass", "--same", "--scale"])
"""Options of a choice that are added to those that were typed; any other option replaces a typed one of its name."""


def complete(error: UsageError, command: str, words: Sequence[str], arguments: Mapping[str, Any]) -> None:
    """Make each choice that an error offers a full command; with `--json`, also write the error as JSON.

    Args:
        error: The error about an ambiguous table.
        command: The command that was called.
        words: The words that followed it on the command line.
        arguments: The arguments that the parser made of these words for the command's function.
    """
    written = getattr(arguments.get("report"), "json", None) or arguments.get("json")
    plain = _without_json(words, written)
    error.choices = tuple(_whole(command, plain, shlex.split(choice)) for choice in error.choices)
    error.called = ""
    if written:
        put(json.dumps(json_of(error), ensure_ascii=False, indent=2) + "\n", "-" if written is True else written)


def _without_json(words: Sequence[str], written: Any) -> list[str]:
    """Remove `--json` and its value from the words of a command line.

    Args:
        words: The words.
        written: The value of `--json`, as the parser read it; True if there is none.
    """
    plain = [word for word in words if word != f"--json={written}"]
    if "--json" in plain:
        index = plain.index("--json")
        has_value = written is not True and plain[index + 1 : index + 2] == [str(written)]
        del plain[index : index + 1 + has_value]
    return plain


def _whole(command: str, words: Sequence[str], choice: Sequence[str]) -> str:
    """Return the command line as typed, with the suggested options in place of typed options of the same name.

    Args:
        command: Name of the command.
        words: The words that were typed after it.
        choice: The suggested options and their values, as words.
    """
    replaced = {word.partition("=")[0] for word in choice if word.startswith("--")} - _ADDED
    staying: list[str] = []
    is_gone = False
    for word in words:
        if word.startswith("--"):
            is_gone = word.partition("=")[0] in replaced
        if not is_gone:
            staying.append(word)
    return shlex.join(["markscheme", command, *staying, *choice])
