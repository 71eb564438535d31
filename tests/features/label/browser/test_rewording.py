"""A reworded criterion on the labelling page, in a real browser: old and new words side by side, blind, counted."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.waiting import patient_context, wait_until
from tests.commands.console import run
from tests.features.label.labelled_project import Server
from tests.features.label.reworded_project import NEW_WORDS, OLD_WORDS, make_reworded, polite

pytestmark = pytest.mark.browser

OWN = ("--pool", "calibration/manners/examples.jsonl")
ASKED = 20


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project of 60 examples labelled by ann and ben, with the criterion `polite` reworded since."""
    return make_reworded(tmp_path)


def label_as_before(page: Page) -> None:
    """Answer every question as the annotator did before; each page shows one, in both wordings, unanswered."""
    for place in range(1, ASKED + 1):
        expect(page.locator("#place")).to_have_text(f"Response {place} of {ASKED}")
        expect(page.locator("fieldset:visible")).to_have_count(1)
        words = page.locator("fieldset:visible .wordings")
        expect(words.locator(".old p").first).to_have_text(OLD_WORDS)
        expect(words.locator(".new p").first).to_have_text(NEW_WORDS)
        expect(page.locator("input:checked")).to_have_count(0)
        number = int(page.locator("#response .response .rendered").inner_text().removeprefix("reply "))
        page.keyboard.press(f"{polite(number):g}")
        page.keyboard.press("Enter")


def state_of(project: Path) -> dict[str, Any]:
    """Return a calibration's figures on the labels that were given again."""
    judge = {"judge": "gpt", "criteria": {"polite": 1, "waffle": 0}}
    (project / "judge.jsonl").write_text("".join(json.dumps({"id": f"r{n}", **judge}) + "\n" for n in range(60)))
    done = run("calibrate", "manners", "--ratings", "judge.jsonl", "--json", "-", cwd=project)
    again: dict[str, Any] = json.loads(done.stdout)["relabelled"]
    return again


def test_after_a_rewording_two_annotators_relabel_only_the_reworded_criterion_and_only_on_20_examples(
    project: Path, page: Page
) -> None:
    for rater in ("ann", "ben"):
        with Server(project, OWN, rater=rater) as server:
            page.goto(server.url)
            before = len(server.lines)
            label_as_before(page)
            expect(page.get_by_role("heading", level=1)).to_have_text("All labelled. Thank you!")
            wait_until(page, "outbox.length === 0")
            lines = server.lines[before:]
        assert [list(line["criteria"]) for line in lines] == [["polite"]] * ASKED
    state = state_of(project)
    assert (state["relabelled"], state["same"], state["old_counted"]) == (20, 20, 40)


def test_after_a_rewording_an_offline_labelling_page_asks_the_same_20_questions_as_the_online_page(
    project: Path, chromium: Browser
) -> None:
    done = run("markscheme", "label", "manners", "--rater", "ann", "--sheet", "ann.html", cwd=project)
    assert done.returncode == 0, done.stderr
    context = patient_context(chromium, viewport={"width": 1280, "height": 800}, offline=True)
    page = context.new_page()
    page.goto((project / "ann.html").as_uri())
    label_as_before(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save file").click()
    saved.value.save_as(project / "saved.json")
    context.close()
    to = "calibration/manners/ratings/ann.jsonl"
    done = run("markscheme", "import", "saved.json", "--rubric", "manners", "--append", "--to", to, cwd=project)
    assert done.returncode == 0, done.stderr
    assert state_of(project)["state"] == "old labels count"
