"""The tutorial's first chapter, followed to the letter: its commands, and at its pages the keys and tables it names."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import wait_until
from tests.docs.pages import DOCS, Block, blocks, commands
from tests.docs.stories import Story
from tests.features.discover.browser.reading_page import answer, arrive, grouped, move_to, note, press, sent
from tests.features.discover.browser.test_discover import ReadingServer

pytestmark = pytest.mark.browser
CHAPTER = DOCS / "outputs.md"
COMMANDS_SAID = re.compile(r"(\d+) commands")
ROW = re.compile(r"^\| (.+) \|$", re.MULTILINE)


def table_under(heading: str) -> list[list[str]]:
    """The rows of the table in the chapter whose first column has this heading."""
    text = CHAPTER.read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in row.split(" | ")] for row in ROW.findall(text[text.index(f"| {heading} |") :])]
    body = rows[1:]  # the line of dashes below the headings matches no row
    width = len(rows[0])
    ends = next((place for place, row in enumerate(body) if len(row) != width), len(body))
    return body[:ends]


def faults(page: Page) -> list[str]:
    """The notes that the chapter suggests for the output that is shown."""
    shown = page.locator("#response .response").inner_text()
    return [text for words, text in table_under("where the reply says") if words in shown]


def mode_of(text: str, page: Page) -> str:
    """The digit of the mode to which the chapter puts a note."""
    name = next(row[0] for row in table_under("mode") if row[1] in text)
    return str(page.evaluate("(name) => slots.indexOf(name) + 1", name))


def read_and_group(page: Page) -> None:
    """Steps 1 to 3 of the chapter."""
    for place in range(1, 9):
        arrive(page, place)
        for text in faults(page):
            note(page, text)
        press(page, "Enter")
    arrive(page, 9)
    sent(page)
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    for name, words, definition, severity in table_under("mode"):
        while words not in page.evaluate("group.notes[cursor.key].text"):
            grouped(page, "j")
        press(page, "N")
        answer(page, name)
        move_to(page, name)
        press(page, "D")
        answer(page, definition)
        while page.evaluate("(name) => group.modes.find((m) => m.name === name).severity", name) != int(severity):
            grouped(page, "V")
        while page.evaluate("(words) => group.unsorted.some((key) => group.notes[key].text.includes(words))", words):
            move_to(page, "")
            while words not in page.evaluate("group.notes[cursor.key].text"):
                grouped(page, "j")
            place = page.evaluate("(name) => slots.indexOf(name) + 1", name)
            grouped(page, str(place))
        if page.evaluate("group.unsorted.length"):
            move_to(page, "")
    expect(page.locator("#group-status")).to_have_text("All notes are in a mode")
    press(page, "m")
    for place in range(9, 49):
        arrive(page, place)
        for text in faults(page):
            note(page, text)
            press(page, mode_of(text, page))
        press(page, "f")
    expect(page.locator("#overview-title")).to_contain_text("All read")
    sent(page)


def read_again(page: Page) -> None:
    """Step 4 of the chapter."""
    while True:
        wait_until(page, "isReady")
        if page.locator("#overview").is_visible():
            break
        mode = page.locator("#again-mode").inner_text()
        words = next(words for words, text in table_under("where the reply says") if row_of(mode)[1] in text)
        is_there = words in page.locator("#response .response").inner_text()
        before = page.evaluate("againAt")
        press(page, "y" if is_there else "n")
        wait_until(page, f"againAt > {before}")
    sent(page)


def row_of(mode: str) -> list[str]:
    return next(row for row in table_under("mode") if row[0] == mode)


def test_following_the_documentation_s_chapter_on_discover_leads_from_outputs_to_a_calibrated_rubric(
    tmp_path: Path, page: Page
) -> None:
    story = Story(tmp_path)
    typed: list[str] = []
    for block in blocks(CHAPTER):
        if block.language != "console":
            story.tell(block)
            continue
        for command in commands(block):
            typed.append(command.line)
            if "--pool" in command.line or "--again" in command.line:
                server = ReadingServer(tmp_path, *command.line.split()[3:], "-o", "port=8990", name="desk")
                page.goto(server.url)
                (read_again if "--again" in command.line else read_and_group)(page)
                server.stop()
            else:
                one = f"$ {command.line}\n" + "".join(f"{line}\n" for line in command.shown)
                ending = f"# exit {command.status}\n" if command.status else ""
                story.tell(Block(block.page, block.line, "console", None, one + ending))
    stated = COMMANDS_SAID.search(CHAPTER.read_text(encoding="utf-8"))
    assert stated is not None
    assert len(typed) == int(stated[1])
