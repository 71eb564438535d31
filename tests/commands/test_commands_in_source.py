"""Commands that any message, page or comment of the source names: each exists with its options."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from markscheme.commands.call import described
from markscheme.commands.table import command_names
from tests.syntax import nodes_of

SOURCE = Path(__file__).parents[2] / "src" / "markscheme"
NAMED = re.compile(rf"\bmarkscheme ({'|'.join(command_names())})\b([^`\n]*)")
ENDS = ".,;:)\"'`…"
IS_MADE = {
    "examples.jsonl": "a command before it, or the command itself, writes it",
    "ratings.jsonl": "likewise",
    "verdict.json": "likewise",
    "rated.json": "Promptfoo writes it, by the command above",
    "results.json": "likewise",
    "calibration/{}/ratings/{}.jsonl": "the command writes it",
}
"""Names of files that stand in commands though the reader didn't give them."""
FILE = re.compile(r"[\w./{}-]*\.(jsonl|json|csv|yaml)$")


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module of Python or JavaScript, with {} for each value; docstrings are no messages."""
    code = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield re.sub(r"\$\{[^}]*\}", "{}", code)
        return
    parts: set[int] = set()
    for node in nodes_of(code):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


@functools.cache
def named_commands() -> list[tuple[str, str, str]]:
    """List the commands that the source names, each with its file and the words that follow it."""
    return sorted(
        {
            (str(path.relative_to(SOURCE)), match[1], match[2])
            for path in SOURCE.rglob("*")
            if path.suffix in (".py", ".js", ".mjs", ".html") and "markscheme " in path.read_text(encoding="utf-8")
            for text in sentences(path)
            for match in NAMED.finditer(text)
        }
    )


def test_the_search_for_commands_in_the_source_finds_those_in_messages_and_on_pages() -> None:
    paths = {path for path, _, _ in named_commands()}
    assert len(named_commands()) > 60
    assert {"features/label/page.py", "features/discover/reading_server.py", "features/label/next_steps.py"} <= paths


def unknown_options(command: str, words: str) -> list[str]:
    """List the options after a named command that it doesn't have."""
    options = {name for option in described(command).options for name in option.names} | {"-o", "--help"}
    typed = [word.strip(ENDS).partition("=")[0] for word in words.split() if word.startswith("--")]
    return [word for word in typed if word and word not in options and word != "--{}"]


def unlikely_files(words: str) -> list[str]:
    """List the files in a named command that are neither the user's nor clear placeholders."""
    names = [word.strip(ENDS) for word in words.split()]
    files = [name for name in names if FILE.match(name) and name not in IS_MADE]
    return [name for name in files if not Path(name).stem.isupper() and "{}" not in name]


def test_every_option_that_the_source_mentions_with_a_command_exists_for_that_command() -> None:
    faults = [(*named, unknown) for named in named_commands() if (unknown := unknown_options(*named[1:]))]
    assert faults == []


def test_commands_suggested_in_messages_name_the_user_s_files_or_clear_placeholders() -> None:
    faults = [(*named, files) for named in named_commands() if (files := unlikely_files(named[2]))]
    assert faults == []
