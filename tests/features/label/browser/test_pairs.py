"""Two long answers compared by keyboard in a real browser, next to each other or, on a phone, one above the other."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.accessibility import serious_faults
from tests.browser.waiting import patient_context, wait_until
from tests.features.label.labelled_project import Server

pytestmark = pytest.mark.browser

RUBRIC = """
compare: pairs
inputs: [query]
criteria:
- {name: helps, prefer: The reply that gets the customer further.}
- {name: tone, prefer: The reply that reads kinder., ties: false}
"""
LONG = "\n\n".join(
    f"Paragraph {place}. " + "Open the settings and look for the parcel page. " * 8 for place in range(12)
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric of pairs and four pairs of long responses."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "manners.yaml").write_text(RUBRIC)
    (tmp_path / ".git").mkdir()
    lines = [
        {
            "id": f"q{place}:a~b",
            "query": f"question {place}",
            "first": {"id": f"a-{place}", "system": "a", "response": f"# Stored first\n\n{LONG}"},
            "second": {"id": f"b-{place}", "system": "b", "response": f"# Stored second\n\n{LONG}"},
        }
        for place in range(4)
    ]
    (tmp_path / "pool.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def first_shown(page: Page) -> str:
    return "first" if "Stored first" in page.locator(".pair > section").first.inner_text() else "second"


def test_pairs_are_compared_by_keyboard_and_answers_are_saved_for_the_order_in_which_pairs_are_stored(
    project: Path, page: Page
) -> None:
    with Server(project) as server:
        page.goto(server.url)
        shown = []
        for _ in range(4):
            expect(page.locator("#text")).to_be_focused()
            shown.append(first_shown(page))
            for key in ("1", "2", "Enter"):
                page.keyboard.press(key)
        wait_until(page, "outbox.length === 0")
        helps = [line["criteria"]["helps"]["level"] for line in server.lines]
        tone = [line["criteria"]["tone"]["level"] for line in server.lines]
    assert helps == [-1.0 if first == "first" else 1.0 for first in shown]
    assert tone == [-level for level in helps]
    assert [line["shown"] for line in server.lines] == [
        "first-second" if first == "first" else "second-first" for first in shown
    ]


def test_a_tie_between_two_responses_has_a_key_if_the_rubric_allows_ties(project: Path, page: Page) -> None:
    with Server(project) as server:
        page.goto(server.url)
        expect(page.locator("#text")).to_be_focused()
        for key in ("0", "0", "1", "Enter"):  # the second 0 is none of tone's answers
            page.keyboard.press(key)
        wait_until(page, "outbox.length === 0")
        (line,) = server.lines
    assert line["criteria"]["helps"]["level"] == 0.0
    assert abs(line["criteria"]["tone"]["level"]) == 1.0


@pytest.mark.parametrize(("width", "height", "is_side_by_side"), [(1280, 800, True), (390, 844, False)])
def test_both_responses_of_a_pair_fit_the_screen_and_are_accessible(
    project: Path, chromium: Browser, width: int, height: int, is_side_by_side: bool
) -> None:
    context = patient_context(chromium, viewport={"width": width, "height": height}, bypass_csp=True)
    page = context.new_page()
    with Server(project) as server:
        page.goto(server.url)
        expect(page.locator(".pair > section")).to_have_count(2)
        first, second = (page.locator(".pair > section").nth(place).bounding_box() for place in (0, 1))
        assert first is not None
        assert second is not None
        assert (first["y"] == second["y"]) == is_side_by_side
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        violations = serious_faults(page)
    context.close()
    assert violations == []
