"""A labelling sheet opened as a file with the network off, and what `import` makes of what it saves."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

from tests.browser.accessibility import serious_faults
from tests.browser.waiting import patient_context
from tests.commands.console import run
from tests.commands.pasted import commands_on_page, copy_of, paste
from tests.features.label.labelled_project import make_pool
from tests.features.label.responses import RESPONSES

pytestmark = pytest.mark.browser

SHEET = ["label", "manners", "--pool", "pool.jsonl", "--rater", "ana", "--sheet", "ana.html"]
IMPORT = ["import", "saved.json", "--rubric", "manners", "--to", "got.jsonl", "--append"]
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CHOICES = [("3", "n"), ("1", "y"), ("x", "t")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a pool of 20 responses and a rubric that asks only about criteria."""
    (tmp_path / "markscheme.toml").write_text('ask_whole = "never"\n')
    return make_pool(tmp_path)


@pytest.fixture
def offline(chromium: Browser) -> Iterator[BrowserContext]:
    """Return a browser context without network access."""
    context = patient_context(chromium, **DESKTOP, offline=True)
    yield context
    context.close()


def _sheet(project: Path) -> str:
    done = run("markscheme", *SHEET, cwd=project)
    assert done.returncode == 0, done.stderr
    return (project / "ana.html").as_uri()


def _label(page: Page, first: int, last: int) -> None:
    for place in range(first, last + 1):
        expect(page.locator("#place")).to_have_text(f"Response {place} of 21")
        for key in (*CHOICES[place % 3], "Enter"):
            page.keyboard.press(key)


def _saved(page: Page, project: Path) -> Path:
    with page.expect_download() as violations:
        page.get_by_role("button", name="Save file").click()
    assert violations.value.suggested_filename == "manners-ana.json"
    violations.value.save_as(project / "saved.json")
    return project / "saved.json"


def _imported(project: Path) -> list[dict[str, Any]]:
    done = run("markscheme", *IMPORT, cwd=project)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (project / "got.jsonl").read_text().splitlines()]


def _levels(ratings: list[dict[str, Any]]) -> list[tuple[object, object]]:
    given = [(one["criteria"]["polite"], one["criteria"]["waffle"]) for one in ratings]
    return [
        (polite.get("level", "x" if "not_applicable" in polite else "t"), waffle.get("level", "t"))
        for polite, waffle in given
    ]


def _meant(first: int, last: int) -> list[tuple[object, object]]:
    levels = {("3", "n"): (3.0, 0.0), ("1", "y"): (1.0, 1.0), ("x", "t"): ("x", "t")}
    return [levels[CHOICES[place % 3]] for place in range(first, last + 1)]


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_twenty_labels_given_on_an_offline_page_with_a_reload_in_between_are_imported_as_they_were_clicked(
    project: Path, chromium: Browser, device: dict[str, Any]
) -> None:
    context = patient_context(chromium, **device, offline=True)
    page = context.new_page()
    page.goto(_sheet(project))
    _label(page, 1, 10)
    page.keyboard.press("2")
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("input[data-key='2']").first).to_be_checked()
    for key in (CHOICES[11 % 3][1], "Enter"):
        page.keyboard.press(key)
    _label(page, 12, 20)
    expect(page.locator("#place")).to_have_text("Response 21 of 21")
    _saved(page, project)
    context.close()
    ratings = _imported(project)
    assert _levels(ratings) == [*_meant(1, 10), (2.0, _meant(11, 11)[0][1]), *_meant(12, 20)]
    assert {(one["rater"], one["kind"], one["blind"]) for one in ratings} == {("ana", "human", True)}
    assert {one["id"] for one in ratings} <= {f"model-x-{i}" for i in range(20)}


def test_the_command_that_a_finished_offline_labelling_page_shows_imports_its_file(
    project: Path, offline: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words = ["Ann Lee" if word == "ana" else word for word in SHEET]
    assert run("markscheme", *words, cwd=project).returncode == 0
    page = offline.new_page()
    page.goto((project / "ana.html").as_uri())
    _label(page, 1, 21)
    expect(page.locator("#end code")).to_be_visible()
    (command,) = commands_on_page(page.content())
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save file").click()
    saved.value.save_as(project / saved.value.suggested_filename)
    here = copy_of(project, tmp_path_factory.mktemp("copy") / "project")
    assert paste(command, here, {}, {}) == ""
    taken_in = (here / "calibration" / "manners" / "ratings" / "Ann Lee.jsonl").read_text().splitlines()
    assert len(taken_in) == 21


def test_an_offline_labelling_page_can_be_used_by_touch_one_criterion_after_the_other(
    project: Path, chromium: Browser
) -> None:
    context = patient_context(chromium, **PHONE, offline=True)
    page = context.new_page()
    page.goto(_sheet(project))
    for place in (1, 2):
        expect(page.locator("#place")).to_have_text(f"Response {place} of 21")
        page.locator("#questions").get_by_text("It thanks or greets.").tap()
        page.locator("fieldset.current").get_by_text("Yes", exact=True).tap()
        page.get_by_role("button", name="Save, next").tap()
    _saved(page, project)
    context.close()
    assert _levels(_imported(project)) == [(3.0, 1.0)] * 2


def test_an_offline_labelling_page_opened_in_a_second_tab_warns_and_can_be_continued_there(
    project: Path, offline: BrowserContext
) -> None:
    first = offline.new_page()
    first.goto(_sheet(project))
    _label(first, 1, 2)
    second = offline.new_page()
    second.goto(first.url)
    expect(second.get_by_role("alert")).to_contain_text("open in another tab")
    second.get_by_role("button", name="use it here").click()
    expect(first.get_by_role("alert")).to_contain_text("was opened in another tab")
    _label(second, 3, 4)
    _saved(second, project)
    assert _levels(_imported(project)) == _meant(1, 4)


@pytest.mark.parametrize("fault", ["full", "denied"])
def test_in_a_browser_without_storage_an_offline_labelling_page_warns_and_offers_its_file_after_each_answer(
    project: Path, offline: BrowserContext, fault: str
) -> None:
    page = offline.new_page()
    if fault == "denied":
        offline.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }})")
    url = _sheet(project)
    if fault == "full":
        (project / "full.html").write_text("<title>fill</title>")
        page.goto((project / "full.html").as_uri())
        page.evaluate("for (let size = 1 << 22; size; size >>= 1) for (;;) try { localStorage.setItem(Math.random(),"
                      " 'x'.repeat(size)) } catch { break }")  # fmt: skip
    page.goto(url)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This browser keeps nothing.")
    _label(page, 1, 3)
    expect(alert).to_contain_text("3 answers so far")
    with page.expect_download() as violations:
        alert.get_by_role("button", name="Save the file now").click()
    violations.value.save_as(project / "saved.json")
    page.reload()
    expect(page.locator("#place")).to_have_text("Response 1 of 21")
    page.keyboard.press("p")
    page.locator("#continue").set_input_files(project / "saved.json")
    expect(page.locator("#labelled")).to_have_text(re.compile("^3 of 21"))
    page.keyboard.press("Enter")
    _label(page, 4, 4)
    page.get_by_role("button", name="Save file").click()
    _saved(page, project)
    assert _levels(_imported(project)) == _meant(1, 4)


def test_leaving_an_offline_labelling_page_warns_before_saving_and_not_after_saving(
    project: Path, offline: BrowserContext
) -> None:
    page = offline.new_page()
    page.goto(_sheet(project))
    _label(page, 1, 1)
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    assert asked == ["beforeunload"]
    expect(page.locator("#place")).to_have_text("Response 2 of 21")
    _saved(page, project)
    page.reload()
    assert asked == ["beforeunload"]


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_offline_labelling_page_runs_no_script_of_a_response_and_keeps_the_answer_buttons_in_view(
    project: Path, chromium: Browser, device: dict[str, Any]
) -> None:
    lines = [{"id": f"r{i}", "query": "q", "response": text} for i, text in enumerate(RESPONSES)]
    (project / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    context = patient_context(chromium, **device, offline=True, color_scheme="dark" if device is PHONE else "light")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("request", lambda asked: faults.append(asked.url) if asked.url.startswith("http") else None)
    page.goto(_sheet(project))
    of = int(page.locator("#place").inner_text().split()[-1])
    assert of >= len(RESPONSES)  # and repeats
    is_checked = False
    for place in range(1, of + 1):
        expect(page.locator("#place")).to_have_text(f"Response {place} of {of}")
        assert page.evaluate("document.documentElement.scrollWidth") <= device["viewport"]["width"]
        expect(page.locator("fieldset.current .level").first).to_be_in_viewport()
        if "Line 59" in page.locator("#response").inner_text() and device is PHONE:
            assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 844
        if len(page.locator("#response").inner_text()) < 3000:
            assert serious_faults(page, within="#response" if is_checked else "") == []
            is_checked = True
        for key in ("r", "r", "T", "Enter"):
            page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("All labelled. Thank you!")
    assert page.evaluate("window.ran") is None
    assert faults == []
    context.close()
