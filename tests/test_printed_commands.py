"""Names in commands that are printed for users are quoted, so that a shell reads each as one word."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.printed_names import NAME, make_project, stays_one_word
from tests.commands.scripted_setting import JUDGE
from tests.syntax import nodes_of

SOURCE = Path(__file__).parents[1] / "src" / "markscheme"
IN_A_COMMAND = re.compile(r"(markscheme |`calibrate )[^`]* $")
"""What stands before a value that is a word of a command."""
QUOTED = re.compile(r"(shlex\.)?(quote|join)\(")
NO_NAMES = {
    "self.rubric": "a shell's words already, by what its class says",
    "commands.rubric": "a shell's words already, by what its class says",
    "shell_words": "a shell's words already, by what its name says",
    "POOL": "a constant",
    "STAND_IN": "a constant",
    "RARE_FAILS": "a constant",
    "made.seed": "a number",
    "len(made.examples)": "a number",
    "gate.threshold": "a number",
    "monday": "a date",
    "platform.python_version()": "stands behind the package's own name, on a page",
}


def words_of_commands(code: str) -> Iterator[str]:
    """Yield the expressions in the source that become words of a printed command."""
    for node in nodes_of(code):
        before = ""
        for part in node.values if isinstance(node, ast.JoinedStr) else ():
            if isinstance(part, ast.FormattedValue):
                if IN_A_COMMAND.search(before):
                    yield ast.unparse(part.value)
                before += "\0"
            elif isinstance(part, ast.Constant):
                before += str(part.value)


def test_every_word_of_a_printed_command_is_quoted() -> None:
    unquoted = {}
    for path in SOURCE.rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        if "markscheme " in code:
            quoted = set(re.findall(r"^ *(\w+) = (?:shlex\.)?(?:quote|join)\(", code, re.MULTILINE))
            bare = [word for word in words_of_commands(code) if not QUOTED.match(word)]
            if left := [word for word in bare if word not in quoted and word not in NO_NAMES]:
                unquoted[str(path.relative_to(SOURCE))] = left
    assert unquoted == {}


def test_the_search_for_unquoted_words_in_printed_commands_finds_a_planted_word() -> None:
    assert [*words_of_commands('f"markscheme label {rubric.name} --next {n}"')] == ["rubric.name", "n"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rubric with labelled examples and a judge, whose name is two commands to a shell."""
    return make_project(tmp_path_factory.mktemp("printed"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("calibrate", NAME, "--judge", JUDGE),
        ("calibrate", NAME, "--judge", JUDGE, "--details"),
        ("grade", NAME, "--show-prompt"),
    ],
    ids=" ".join,
)
def test_a_rubric_s_name_with_special_characters_is_quoted_in_printed_commands(
    arguments: tuple[str, ...], project: Path
) -> None:
    stays_one_word(project, *arguments)
