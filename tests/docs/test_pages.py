"""Every example and command in the documentation is run, or checked as far as possible."""

import shutil
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.docs.checks import cannot_run, options_exist, understood, words
from tests.docs.pages import DOCS, PAGES, blocks, commands, indented, spans
from tests.docs.stories import Story, promptfoo_command, shows

TUTORIAL = DOCS / "tutorial.md"
READ_BY_KEYBOARD = DOCS / "outputs.md"
"""A page whose commands need a reader at the keyboard: `tests/browser/test_outputs_page.py` follows it."""
AFTER_TUTORIAL = "<!-- starts in the folder that the tutorial leaves -->"
"""What a page has in it whose commands are run where the tutorial ends; its text speaks of the reader's own files."""
WHY_NOT_RUN = {
    "a reader's own key",
    "gets software from elsewhere",
    "Promptfoo's viewer waits for a person",
    "asks a model that costs money or a download",
}
"""All that is not run: a new reason has to be added here, with what is checked instead, to `checks.cannot_run`."""


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).with_suffix("").as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page not in (TUTORIAL, READ_BY_KEYBOARD)], ids=name_of)
@pytest.mark.proof
def test_commands_on_a_page_print_what_the_page_shows(
    page: Path, new_story: Story, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ npx promptfoo eval" in text:
        promptfoo_command(new_story.folder.parent / "bin")
    if AFTER_TUTORIAL in text:
        shutil.copytree(request.getfixturevalue("tutorial").folder, new_story.folder, dirs_exist_ok=True)
    for block in blocks(page):
        new_story.tell(block)
    assert set(new_story.unchecked) <= WHY_NOT_RUN


def test_commands_of_the_tutorial_print_what_the_tutorial_shows(tutorial: Story) -> None:
    assert set(tutorial.unchecked) <= WHY_NOT_RUN
    assert (tutorial.folder / "calibration" / "reply" / "accepted.json").is_file()
    assert (tutorial.folder / "results.json").is_file()


def test_the_tutorial_states_correctly_how_many_commands_it_has() -> None:
    typed = [command.line for block in blocks(TUTORIAL) if block.language == "console" for command in commands(block)]
    with_a_key = [line for line in typed if "anthropic" in line.lower()]
    claim = f"{len(typed) - len(with_a_key)} commands, without a key or an account; step 8 with a real judge has "
    assert f"{claim}{len(with_a_key)} more" in TUTORIAL.read_text(encoding="utf-8")


def test_the_readme_shows_a_shortened_version_of_the_tutorial_s_report(tutorial: Story) -> None:
    (screen,) = [block.text for block in blocks(ROOT / "README.md") if block.language == "text"]
    paragraphs = ["...", *screen.replace("\n\n", "\n...\n").splitlines(), "..."]
    shows(paragraphs, tutorial.outputs["calibrate reply --judge function:stand_in:judge"])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_in_a_page_s_sentence_exists_with_its_options(page: Path) -> None:
    for span in spans(page):
        if not span.startswith("npx"):
            options_exist(span)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_in_an_indented_line_of_a_page_is_understood_by_the_parser(page: Path) -> None:
    for line in indented(page):
        if cannot_run(line) is None:
            for part in words(line):
                if part[0] in ("markscheme", "calibrate"):
                    understood(part)
