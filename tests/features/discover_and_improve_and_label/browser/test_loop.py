"""80 outputs through `discover`, `label` and `improve` in a real browser, by printed commands and keys alone."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import wait_until
from tests.commands.pasted import printed_commands
from tests.features.discover.browser.reading_page import answer, arrive, grouped, move_to, note, press, sent
from tests.features.discover_and_improve_and_label.test_authors_loop import (
    FAULTS,
    N,
    ServedPage,
    accepts,
    faults_in,
    one_of,
    outputs_alone,
    shown,
)

pytestmark = pytest.mark.browser
FIRST = 8
"""Outputs that are read before their notes are put into modes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with nothing but 80 outputs."""
    return outputs_alone(tmp_path)


def read(page: Page, number: int, *, has_modes: bool) -> None:
    """Read an output: a note on each fault, put into its mode where there are modes, and Good or Bad."""
    arrive(page, number)
    text = page.locator("#response .response").inner_text()
    for mode in faults_in(text):
        note(page, FAULTS[mode][0])
        if has_modes:
            press(page, str(page.evaluate("(name) => slots.indexOf(name) + 1", mode)))
    press(page, "g" if accepts(text) else "b", "f" if has_modes else "Enter")


def move_to_unsorted(page: Page, words: str) -> bool:
    """Go, by j and k, to the first note with these words that is in no mode yet; whether there is one."""
    wanted = "places().findIndex((p) => p.column === '' && group.notes[p.key].text.includes(words))"
    now = "places().findIndex((p) => p.key === cursor?.key && p.column === cursor?.column)"
    steps = page.evaluate(f"(words) => {wanted} < 0 ? null : {wanted} - {now}", words)
    for _ in range(abs(steps or 0)):
        grouped(page, "j" if steps > 0 else "k")
    return steps is not None


def put_into_modes(page: Page) -> None:
    """Make a mode of each fault, with its definition, and put all notes into them."""
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    for mode, (words, definition, _) in FAULTS.items():
        move_to_unsorted(page, words)
        press(page, "N")
        answer(page, mode)
        move_to(page, mode)
        press(page, "D")
        answer(page, definition)
    for mode, (words, _, _) in FAULTS.items():
        while move_to_unsorted(page, words):
            grouped(page, str(page.evaluate("(name) => slots.indexOf(name) + 1", mode)))
    expect(page.locator("#group-status")).to_have_text("All notes are in a mode")
    press(page, "m")


def label_all(page: Page) -> int:
    """Answer by keys all questions from the first response that has one; of how many responses the whole was asked."""
    wholes = 0
    expect(page.locator("#text")).to_be_focused()
    first, last = map(int, re.findall(r"\d+", page.locator("#place").inner_text()))
    for number in range(first, last + 1):
        expect(page.locator("#place")).to_contain_text(f"Response {number} of")
        expect(page.locator("#text")).to_be_focused()
        text = page.locator("#text").inner_text()
        for name in page.locator("fieldset:visible h2").all_inner_texts():
            wholes += name == "whole response"
            press(page, "y" if (accepts(text) if name == "whole response" else name in faults_in(text)) else "n")
        press(page, "Enter")
    wait_until(page, "outbox.length === 0")
    return wholes


def test_80_outputs_are_read_and_labelled_in_a_browser_and_the_rubric_made_from_them_is_improved(
    folder: Path, page: Page
) -> None:
    served = ServedPage("markscheme discover reply --pool outputs.jsonl", folder)
    page.goto(served.url)
    for number in range(1, FIRST + 1):
        read(page, number, has_modes=False)
    arrive(page, FIRST + 1)
    sent(page)
    put_into_modes(page)
    for number in range(FIRST + 1, N // 2 + 1):
        read(page, number, has_modes=True)
    expect(page.locator("#overview-title")).to_contain_text("All read")
    sent(page)
    write = one_of([*printed_commands(served.stop())], "markscheme discover reply --write")
    label = one_of([*printed_commands(shown(write, folder))], "markscheme label")
    served = ServedPage(label, folder)
    page.goto(served.url)
    assert label_all(page) == N // 2  # what was read has Good or Bad
    overview = one_of([*printed_commands(served.stop())], "markscheme improve")
    report = json.loads(shown(f"{overview} --json", folder))
    assert report["parts"] == {"dev": N // 2, "test": N // 2}
    assert (report["evidence"]["passes"], report["evidence"]["fails"]) == (N // 2, N // 2)
    look = one_of(report["next"], "markscheme improve reply --numbers")
    write = one_of([*printed_commands(shown(look, folder))], "markscheme improve reply --numbers --write")
    shown(write, folder)
    weights = dict(
        re.findall(r'name: "(\w+)".*?weight: (-[\d.]+)', (folder / "rubrics/reply.yaml").read_text(), re.DOTALL)
    )
    assert float(weights["rude"]) < 2 * min(float(weights["price"]), float(weights["vague"]))
