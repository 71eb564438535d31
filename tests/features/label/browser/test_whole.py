"""Whether the whole response is accepted, asked before the criteria in a real browser: served, and on a sheet."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.waiting import patient_context, wait_until
from tests.commands.console import run
from tests.features.label.labelled_project import Server, make_pool

pytestmark = pytest.mark.browser


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric and a pool of 3 responses."""
    return make_pool(tmp_path, 3)


def label(page: Page, place: int, *keys: str) -> None:
    """Answer the questions about the response on the page, by keys."""
    expect(page.locator("#place")).to_contain_text(f"Response {place} of")
    expect(page.locator("#text")).to_be_focused()
    for key in (*keys, "Enter"):
        page.keyboard.press(key)


def test_the_question_about_the_whole_response_comes_first_and_is_answered_with_separate_keys(
    project: Path, page: Page
) -> None:
    with Server(project) as server:
        page.goto(server.url)
        expect(page.locator("fieldset.current")).to_contain_text("Would you accept this response as it is?")
        expect(page.locator("fieldset:visible h2")).to_have_text(["whole response", "polite", "waffle"])
        page.keyboard.press("n")
        expect(page.locator("fieldset.current h2")).to_have_text("polite")
        page.keyboard.press("T")
        page.keyboard.press("Enter")
        label(page, 2, "y", "3", "y")
        label(page, 3, "t", "3", "n")
        wait_until(page, "outbox.length === 0")
        assert [line.get("pass") for line in server.lines] == [False, True, None]
        assert len({line["whole_under"] for line in server.lines}) == 1
        assert [line["criteria"]["polite"].get("level") for line in server.lines] == [None, 3.0, 3.0]


def test_a_decision_on_a_response_is_imported_from_an_offline_page_that_was_reopened_with_its_saved_labels(
    project: Path, chromium: Browser
) -> None:
    done = run(
        "markscheme", "label", "manners", "--pool", "pool.jsonl", "--rater", "ann", "--sheet", "ann.html", cwd=project
    )
    assert done.returncode == 0, done.stderr
    first = patient_context(chromium, viewport={"width": 390, "height": 844}, offline=True)
    page = first.new_page()
    page.goto((project / "ann.html").as_uri())
    label(page, 1, "n", "1", "n")
    label(page, 2, "t", "1", "n")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save file").click()
    saved.value.save_as(project / "begun.json")
    first.close()
    second = patient_context(chromium, viewport={"width": 1280, "height": 800}, offline=True)
    page = second.new_page()
    page.goto((project / "ann.html").as_uri())
    page.keyboard.press("p")
    page.locator("#continue").set_input_files(project / "begun.json")
    expect(page.locator("#labelled")).to_contain_text("2 of 3")
    page.keyboard.press("Enter")
    label(page, 3, "y", "3", "y")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save file").click()
    saved.value.save_as(project / "saved.json")
    second.close()
    to = "calibration/manners/ratings/ann.jsonl"
    done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to, cwd=project)
    assert done.returncode == 0, done.stderr
    labels = [json.loads(line) for line in (project / to).read_text().splitlines()]
    assert [label.get("pass") for label in labels] == [False, None, True]
