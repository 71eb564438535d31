"""Pass or fail of a whole response, asked next to the criteria in a real browser: on the served page and on a sheet."""

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
    """A rubric and a pool of 2."""
    return make_pool(tmp_path, 2)


def label(page: Page, *keys: str) -> None:
    """Answer the questions of the response that is shown, by keys."""
    expect(page.locator("#text")).to_be_focused()
    for key in (*keys, "Enter"):
        page.keyboard.press(key)


def test_the_whole_is_answered_by_its_keys_and_can_t_tell_leaves_it_open(project: Path, page: Page) -> None:
    with Server(project, ("--overall",)) as server:
        page.goto(server.url)
        expect(page.get_by_text("All in all: would you let this response pass?")).to_be_visible()
        page.keyboard.press("T")
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_contain_text("still needs an answer")
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        label(page, "3", "y", "y")
        wait_until(page, "outbox.length === 0")
        assert [line["pass"] for line in server.lines] == [False, True]
        assert [line["criteria"]["polite"].get("level") for line in server.lines] == [None, 3.0]


def test_a_sheet_brings_the_decision_back(project: Path, chromium: Browser) -> None:
    done = run(
        "markscheme", "label", "manners", "--pool", "pool.jsonl", "--overall", "--rater", "ann", "--sheet", "ann.html",
        cwd=project,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    context = patient_context(chromium, viewport={"width": 390, "height": 844}, offline=True)
    page = context.new_page()
    page.goto((project / "ann.html").as_uri())
    label(page, "1", "n", "n")
    label(page, "3", "y", "y")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save file").click()
    saved.value.save_as(project / "saved.json")
    context.close()
    to = "calibration/manners/ratings/ann.jsonl"
    done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to, cwd=project)
    assert done.returncode == 0, done.stderr
    done = run("markscheme", "improve", "manners", "--json", cwd=project)
    evidence = json.loads(done.stdout)["evidence"]
    assert (evidence["passes"], evidence["fails"]) == (1, 1)
