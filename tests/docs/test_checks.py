"""Tests of the checks of pages: a page that is wrong is detected."""

from pathlib import Path

import pytest

from markscheme import RubricError
from markscheme.cli import main
from tests.commands.console import ROOT
from tests.docs.checks import HELP, UnknownError, cannot_run, data_is_valid, options_exist, words
from tests.docs.pages import Block, blocks, commands
from tests.docs.stories import RUNNERS, Story, shows


def block(language: str, text: str, title: str | None = None) -> Block:
    return Block(ROOT / "docs" / "page.md", 1, language, title, text)


@pytest.mark.parametrize(
    "block",
    [
        block("console", "$ true  # exit 4\n"),
        block("console", "$ false\n"),
        block("console", "$ echo one\ntwo\n"),
        block("bash", "true\nfalse\n"),
        block("python", "assert False\n"),
        block("yaml", "something: else\n"),
        block("text", "nothing was printed\n", "Output"),
        block("text", "nobody looks at this\n"),
        block("", "nor at this\n"),
        block("rust", "fn main() {}\n"),
        block("yaml", "criteria: []\n", "../outside.yaml"),
    ],
    ids=lambda block: f"{block.language}: {block.text.splitlines()[0]}",
)
def test_checking_a_page_fails_if_a_block_shows_another_output_than_its_command_prints(
    block: Block, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    with pytest.raises((AssertionError, RubricError)):
        Story(tmp_path / "project").tell(block)


def test_the_code_blocks_of_a_page_run_one_after_another_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    story = Story(tmp_path / "project")
    blocks = [
        block("python", "def two():\n    return 2\n", "numbers_of_a_page.py"),
        block("python", "from numbers_of_a_page import two\nprint('two is', two())\n"),
        block("text", "two is ...\n", "Output"),
        block("console", "$ cat numbers_of_a_page.py\ndef two():\n...\n$ test -f nothing  # exit 1\n"),
    ]
    for page_block in blocks:
        story.tell(page_block)
    assert story.names["two"]() == 2


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["one", "..."], "one\ntwo\nthree\n", True),
        (["...", "three"], "one\ntwo\nthree\n", True),
        (["one", "...", "three"], "one\nthree\n", True),
        (["on...e", "two"], "on the line\ntwo", True),
        (["one two", "three"], "one\n  two three\n", True),
        (["..."], "one\ntwo\n", True),
        (["one", "...", "four"], "one\ntwo\nthree\n", False),
        (["one"], "one\ntwo\n", False),
        (["a.c"], "abc", False),
    ],
)
def test_three_dots_in_the_output_that_a_page_shows_match_any_text(
    shown: list[str], printed: str, *, same: bool
) -> None:
    if same:
        shows(shown, printed)
    else:
        with pytest.raises(AssertionError, match="the page shows something else"):
            shows(shown, printed)


@pytest.mark.parametrize(
    "line",
    [
        "calibrate reply --juge anthropic",
        "cat answer.md | markscheme gradee reply -",
        "pip install 'markscheme[nothing]'",
        "true && markscheme label reply --pool",
        "calibrate reply --judge anthropic --samples none",
    ],
)
def test_a_command_that_a_page_shows_but_does_not_run_is_checked_for_unknown_options(line: str) -> None:
    with pytest.raises(UnknownError):
        cannot_run(line)


def test_options_named_in_a_page_s_sentence_must_exist() -> None:
    options_exist("markscheme label RUBRIC --next")
    with pytest.raises(UnknownError, match="--plann"):
        options_exist("calibrate --plann")


def test_a_shell_line_on_a_page_is_split_into_its_commands() -> None:
    line = "A=1 markscheme grade r - < in.txt | head -1 && calibrate r > out.txt; markscheme status"
    assert list(words(line)) == [
        ["markscheme", "grade", "r", "-"],
        ["head", "-1"],
        ["calibrate", "r"],
        ["markscheme", "status"],
    ]


def test_a_page_s_workflow_that_gives_a_command_an_unknown_option_is_refused() -> None:
    step = {"run": "calibrate code-quality --acept"}
    with pytest.raises(UnknownError, match="--acept"):
        data_is_valid({"jobs": {"one": {"steps": [step]}}}, "")


def test_code_blocks_inside_admonitions_of_a_page_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('??? note\n    ```python title="a.py"\n    if True:\n        print()\n    ```\n')
    (fenced,) = blocks(page)
    assert (fenced.title, fenced.text) == ("a.py", "if True:\n    print()\n")


def test_a_command_shown_on_a_page_continues_on_the_next_line_after_a_backslash() -> None:
    first, second = commands(block("console", "$ one \\\n>   two  # exit 3\nshown\n$ three\n"))
    assert (first.line, first.status, first.shown) == ("one \\\n  two  # exit 3", 3, ("shown",))
    assert second.line == "three"


def test_code_blocks_of_pages_can_be_checked_in_exactly_five_languages() -> None:
    assert set(RUNNERS) == {"console", "bash", "python", "yaml", "json"}


@pytest.mark.parametrize("line", sorted(HELP))
def test_no_help_command_shown_on_a_page_prints_the_overview_of_all_commands(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()[1:]) == 0
    printed = capsys.readouterr().out
    assert main(["help"]) == 0
    assert printed != capsys.readouterr().out
