"""A report in a real browser, from disk with the network off: nothing hostile runs, and a reader finds the way."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

from markscheme.calibration.choice import Contender, choose
from markscheme.report.html_report import calibrations_html, choice_html
from tests.report.hostile import hostile_calibration

pytestmark = pytest.mark.browser

PLAIN = ("First, mix the flour.", "It depends on the size of the pan.", "Yes.")


class Opened:
    """A page with the network off, and all that it tried."""

    def __init__(self, chromium: Browser, file: Path, *, script: bool = True, dark: bool = False) -> None:
        context = chromium.new_context(
            offline=True, java_script_enabled=script, color_scheme="dark" if dark else "light"
        )
        self.told: list[str] = []
        self.asked: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("dialog", self._refuse)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())

    def _refuse(self, dialog: Dialog) -> None:
        self.told.append(dialog.message)
        dialog.dismiss()

    def _note(self, message: ConsoleMessage) -> None:
        self.told.append(message.text)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plain") / "report.html"
    file.write_text(calibrations_html([hostile_calibration(60, attacks=PLAIN)], when="2026-01-02"), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hostile") / "report.html"
    file.write_text(calibrations_html([hostile_calibration(500)]), encoding="utf-8")
    return file


def test_five_hundred_hostile_examples_run_nothing(chromium: Browser, hostile: Path) -> None:
    opened = Opened(chromium, hostile)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.mouse.move(400, 400)
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    assert page.evaluate("typeof window.hit") == "undefined"
    assert opened.told == []
    assert opened.asked == [hostile.as_uri()]
    assert page.locator("details.case").count() == 500
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_reader_filters_and_opens_an_example(chromium: Browser, plain: Path) -> None:
    opened = Opened(chromium, plain)
    page = opened.page
    cases = page.locator("details.case:visible")
    assert cases.count() == 60
    page.get_by_label("Show", exact=True).select_option("false-pass")
    assert 0 < cases.count() < 60
    page.get_by_label("Containing").fill("no such words anywhere")
    assert cases.count() == 0
    page.get_by_role("button", name="Show all").click()
    assert cases.count() == 60
    cell = page.locator(".matrix td.b4 a, .matrix td.b3 a, .matrix td.b2 a, .matrix td.b1 a").first
    wanted = int(cell.inner_text())
    cell.click()
    assert cases.count() == wanted
    page.locator(".findings a").first.click()
    article = page.locator("details.case[open] article")
    assert article.is_visible()
    assert "a reason:" in article.inner_text()
    assert opened.told == []


def test_an_example_opens_by_keyboard_alone(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain).page
    page.locator(".lead a").first.focus()
    page.keyboard.press("Enter")
    article = page.locator("details.case[open] article")
    article.wait_for(state="visible")
    page.wait_for_function("document.activeElement.tagName == 'SUMMARY'")
    page.keyboard.press("Enter")
    article.wait_for(state="hidden")


def test_without_script_links_still_open_examples(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain, script=False).page
    assert not page.locator("form.filter").first.is_visible()
    page.locator(".lead a").first.click()
    page.locator("details.case[open] article").wait_for(state="visible")


@pytest.mark.parametrize("which", ["one", "comparison", "hostile"])
def test_on_a_phone_the_page_is_no_wider_than_the_screen(
    chromium: Browser, plain: Path, hostile: Path, tmp_path: Path, which: str
) -> None:
    file = {"one": plain, "hostile": hostile}.get(which, tmp_path / "comparison.html")
    if which == "comparison":
        file.write_text(_comparison(), encoding="utf-8")
    page = Opened(chromium, file).page
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach((one, n) => { one.open = n < 20 })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_paper_is_white_also_where_the_screen_is_dark(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain, dark=True).page
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    assert page.evaluate(colours)[0] == "rgb(20, 23, 27)"
    page.emulate_media(media="print")
    assert page.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(27, 31, 36)"]
    assert not page.locator("nav").is_visible()
    assert not page.locator("form.filter").first.is_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("which", ["one", "several", "comparison"])
def test_axe_finds_no_serious_fault(chromium: Browser, plain: Path, tmp_path: Path, which: str, dark: bool) -> None:
    file = plain if which == "one" else tmp_path / f"{which}.html"
    if which != "one":
        file.write_text(_comparison() if which == "comparison" else _several(), encoding="utf-8")
    page = Opened(chromium, file, dark=dark).page
    page.evaluate("document.querySelectorAll('details').forEach((one, n) => { one.open = n < 5 })")
    page.evaluate(_axe())
    found = page.evaluate("axe.run()")
    faults = [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]]
    assert faults == []
    assert found["passes"]


def _comparison() -> str:
    first = hostile_calibration(60, attacks=PLAIN)
    second = [rating for rating in first.ratings if int(rating.id.split()[0]) % 7]
    contenders = [
        Contender("function:module:judge", first.ratings),
        Contender("openai:model-of-a-long-name", tuple(second)),
    ]
    truth = first.comparison.gold
    choice = choose(first.rubric, contenders, truth)
    return choice_html(choice, contenders, truth=truth, when="2026-01-02")


def _several() -> str:
    judges = [hostile_calibration(30, attacks=PLAIN), hostile_calibration(30, attacks=PLAIN[::-1])]
    return calibrations_html(judges)


def _axe() -> str:
    spec = find_spec("axe_playwright_python")
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")
