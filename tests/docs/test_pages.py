"""Every example and command on every page of the documentation is run, or checked as far as it can be."""

import shutil
from pathlib import Path

import pytest

from tests.commands.console import ROOT
from tests.docs.checks import cannot_run, options_exist, understood, words
from tests.docs.pages import PAGES, blocks, indented, spans
from tests.docs.stories import Story, promptfoo_command

GIVEN = Path(__file__).parent / "given"
WHY_NOT_RUN = {
    "a reader's own key",
    "gets software from elsewhere",
    "Promptfoo's viewer waits for a person",
    "waits for people; tests/browser labels on the real page",
    "asks a model that costs money or a download",
}
"""All that is not run: a new reason has to be added here, with what is checked instead, to `checks.cannot_run`."""


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT / "docs").with_suffix(""))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_tells_happens(page: Path, tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKSCHEME_CACHE", str(tmp_path / "cache"))
    given = GIVEN / page.relative_to(ROOT / "docs").with_suffix("")
    folder = tmp_path / "project"
    shutil.copytree(given, folder) if given.is_dir() else folder.mkdir()
    if "npx promptfoo" in page.read_text(encoding="utf-8"):
        promptfoo_command(tmp_path / "bin")
    story = Story(folder)
    for block in blocks(page):
        story.tell(block)
    assert set(story.unchecked) <= WHY_NOT_RUN


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_in_a_sentence_is_one_with_its_options(page: Path) -> None:
    for span in spans(page):
        if not span.startswith("npx"):
            options_exist(span)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_in_an_indented_line_is_understood(page: Path) -> None:
    for line in indented(page):
        if cannot_run(line) is None:
            for part in words(line):
                if part[0] in ("markscheme", "calibrate"):
                    understood(part)
