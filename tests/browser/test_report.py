"""A report in a real browser, from disk with the network off: nothing hostile runs, and a reader finds the way."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

from markscheme.calibration.calibration import Calibration, calibration_of
from markscheme.prompts.submission import Submission
from markscheme.ratings.examples import ExampleSet
from markscheme.report.html import render_html
from markscheme.report.views import calibration as of_calibration
from tests.browser.accessibility import faults
from tests.browser.printed import first_page_text, without_spaces
from tests.browser.waiting import patient_context, wait_until
from tests.report.hostile import hostile_calibration

pytestmark = pytest.mark.browser

PLAIN = ("First, mix the flour.", "It depends on the size of the pan.", "Yes.")


class Opened:
    """A page opened without network, with the requests, dialogs and errors that it caused."""

    def __init__(self, chromium: Browser, file: Path, *, script: bool = True, dark: bool = False) -> None:
        context = patient_context(
            chromium, offline=True, java_script_enabled=script, color_scheme="dark" if dark else "light"
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
    file.write_text(
        render_html(of_calibration.view(hostile_calibration(60, attacks=PLAIN)), "2026-01-02"), encoding="utf-8"
    )
    return file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hostile") / "report.html"
    file.write_text(render_html(of_calibration.view(hostile_calibration(500))), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("thousand") / "report.html"
    file.write_text(render_html(of_calibration.view(hostile_calibration(1000, attacks=PLAIN))), encoding="utf-8")
    return file


def test_a_report_runs_no_script_from_the_text_of_five_hundred_hostile_examples(
    chromium: Browser, hostile: Path
) -> None:
    opened = Opened(chromium, hostile)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    for place in range(0, 20, 5):
        page.locator(".list button.open").nth(place).click()
    page.mouse.move(400, 400)
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    assert page.evaluate("typeof window.hit") == "undefined"
    assert opened.told == []
    assert opened.asked == [hostile.as_uri()]
    assert page.locator(".examples output").inner_text().startswith("500 of 500")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _shown(page: Page) -> int:
    return int(page.locator(".examples output").inner_text().split()[0])


def test_a_reader_of_a_report_can_filter_and_search_its_examples_and_open_an_example(
    chromium: Browser, plain: Path
) -> None:
    opened = Opened(chromium, plain)
    page = opened.page
    assert _shown(page) == 60
    page.get_by_label("Show", exact=True).select_option("false-pass")
    assert 0 < _shown(page) < 60
    page.get_by_label("Containing").fill("no such words anywhere")
    assert _shown(page) == 0
    page.get_by_role("button", name="Show all").click()
    assert _shown(page) == 60
    cell = page.locator(".matrix td.b4 a, .matrix td.b3 a, .matrix td.b2 a, .matrix td.b1 a").first
    wanted = int(cell.inner_text())
    cell.click()
    assert _shown(page) == wanted
    page.locator(".cards a.id").first.click()
    article = page.locator(".list article.case")
    assert article.is_visible()
    assert "a reason:" in article.inner_text()
    assert opened.told == []


def test_the_list_of_examples_in_a_report_can_be_sorted_by_any_column(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain).page
    rows = page.locator(".list tbody tr")
    assert rows.count() == 25
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Next").click()
    assert rows.count() == 10
    assert page.get_by_role("button", name="Next").is_disabled()
    column = page.get_by_role("columnheader", name="judge", exact=True).first
    column.get_by_role("button").click()
    figures = [float(text) for text in page.locator(".list tbody tr td:nth-child(4)").all_inner_texts()]
    assert figures == sorted(figures, reverse=True)
    assert column.get_attribute("aria-sort") == "descending"
    column.get_by_role("button").click()
    assert column.get_attribute("aria-sort") == "ascending"


def test_the_worst_example_of_a_finding_can_be_unfolded_and_shows_the_judge_s_reason(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "quoted.html"
    file.write_text(render_html(of_calibration.view(hostile_calibration(60, attacks=["quote: x"]))), encoding="utf-8")
    page = Opened(chromium, file).page
    worst = page.locator("details.worst").first
    worst.locator("summary").click()
    article = worst.locator("article.case")
    article.wait_for(state="visible")
    assert "a reason: quote: x" in article.inner_text()


def test_an_example_in_a_report_can_be_opened_and_closed_by_keyboard_alone(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain).page
    page.locator(".tile a.id").first.focus()
    page.keyboard.press("Enter")
    article = page.locator(".list article.case")
    article.wait_for(state="visible")
    wait_until(page, "document.activeElement.classList.contains('open')")
    page.keyboard.press("Enter")
    article.wait_for(state="detached")


def test_the_table_of_slices_can_be_sorted_by_any_column(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain).page
    table = page.locator("table.sortable").last
    column = table.get_by_role("columnheader", name="examples", exact=True)
    column.get_by_role("button").click()
    sizes = [int(text) for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    assert column.get_attribute("aria-sort") == "descending"
    column.get_by_role("button").click()
    assert [int(text) for text in table.locator("tbody tr td:nth-child(2)").all_inner_texts()] == sorted(sizes)


def test_all_steps_of_a_trace_in_a_report_can_be_opened_and_closed_with_one_button(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "traced.html"
    file.write_text(render_html(of_calibration.view(_traced())), encoding="utf-8")
    opened = Opened(chromium, file)
    page = opened.page
    page.locator(".list button.open").first.click()
    steps = page.locator(".case details.step")
    assert steps.count() == 10
    assert page.locator(".case details.step.failed").count() == 1
    page.get_by_role("button", name="Open all").click()
    assert page.locator(".case details.step[open]").count() == 10
    page.get_by_role("button", name="Close all").click()
    assert page.locator(".case details.step[open]").count() == 0
    assert opened.told == []


def test_without_javascript_the_report_says_that_its_list_of_examples_needs_javascript(
    chromium: Browser, plain: Path
) -> None:
    page = Opened(chromium, plain, script=False).page
    note = page.locator("noscript")
    assert note.first.is_visible()
    assert "needs JavaScript" in note.first.inner_text()


def test_without_javascript_a_report_still_lists_the_examples_most_worth_reading_with_their_scores(
    chromium: Browser, plain: Path
) -> None:
    page = Opened(chromium, plain, script=False).page
    lines = page.locator(".examples noscript li")
    assert all(line.is_visible() for line in lines.all())
    shown = [line.locator("bdi").first.inner_text() for line in lines.all()]
    assert shown[:4] == page.locator(".tile").first.locator("a.id").all_inner_texts()
    assert len(shown) == 5
    first, *_, last = lines.all_inner_texts()
    assert "judge 0.50 pass, gold 0.25 fail (+0.25); c0 First, mix the flour.: judge 3, gold 2" in first
    assert "judge 0.25 fail, gold 0.00 fail (+0.25)" in last


def test_a_report_of_a_thousand_examples_shows_only_one_page_of_rows_at_a_time(
    chromium: Browser, thousand: Path
) -> None:
    assert Opened(chromium, thousand).page.locator(".list tbody tr").count() == 25


def test_a_printed_report_of_a_thousand_examples_has_between_two_and_ten_pages(
    chromium: Browser, thousand: Path
) -> None:
    pdf = Opened(chromium, thousand).page.pdf(format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 2 <= pages <= 10


@pytest.mark.parametrize("size", ["sixty examples", "a thousand examples"])
def test_the_first_page_of_a_printed_report_has_the_verdict_and_the_figures_and_the_wrong_decisions(
    chromium: Browser, plain: Path, thousand: Path, size: str
) -> None:
    page = Opened(chromium, plain if size == "sixty examples" else thousand).page
    printed = first_page_text(page)
    for part in ("h1", ".callout", ".tiles"):
        assert without_spaces(page.locator(part).first.inner_text()) in printed
    for figure in page.locator(".bars").first.locator("td.figure").all_inner_texts():
        assert without_spaces(figure) in printed


def test_the_first_screen_of_a_report_on_a_desktop_shows_the_verdict_and_the_figures_and_what_to_fix_first(
    chromium: Browser, plain: Path
) -> None:
    page = Opened(chromium, plain).page
    page.set_viewport_size({"width": 1280, "height": 800})
    for part in (".callout", ".bars", ".tiles", ".card"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800


@pytest.mark.parametrize("which", ["one", "hostile"])
def test_on_a_phone_the_report_is_no_wider_than_the_screen(
    chromium: Browser, plain: Path, hostile: Path, which: str
) -> None:
    is_no_wider_than_a_phone(chromium, plain if which == "one" else hostile)


def is_no_wider_than_a_phone(chromium: Browser, file: Path) -> None:
    """Assert that a page is no wider than a phone's screen."""
    page = Opened(chromium, file).page
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach((one, n) => { one.open = n < 20 })")
    page.locator(".list button.open").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_report_is_printed_on_white_even_in_dark_mode(chromium: Browser, plain: Path) -> None:
    page = Opened(chromium, plain, dark=True).page
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    assert page.evaluate(colours)[0] == "rgb(20, 23, 27)"
    page.emulate_media(media="print")
    assert page.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(27, 31, 36)"]
    assert not page.locator("nav").is_visible()
    assert not page.locator("form.filter").first.is_visible()


CUT_OFF = """[...document.querySelectorAll('body *')].filter((one) => {
  const style = getComputedStyle(one);
  const isShort = one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && style.overflowX !== 'visible';
  const hasShadow = ['auto', 'scroll'].includes(style.overflowX) && style.backgroundImage.includes('gradient');
  const hasDots = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
  return isShort && !hasShadow && !hasDots && !one.matches('input, select');
}).map((one) => one.outerHTML.slice(0, 200))"""
"""What is wider than its place and has neither a shadow where it goes on nor an ellipsis."""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_accessibility_fault_in_a_report_and_nothing_is_cut_off_on_a_desktop_or_a_phone(
    chromium: Browser, plain: Path, dark: bool
) -> None:
    has_no_fault_and_nothing_cut_off(chromium, plain, dark=dark)


def has_no_fault_and_nothing_cut_off(chromium: Browser, file: Path, *, dark: bool) -> None:
    """Assert that axe finds no accessibility fault in a page, and that nothing is cut off on a desktop or phone."""
    opened = Opened(chromium, file, dark=dark)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((one, n) => { one.open = n < 5 })")
    page.locator(".list button.open").first.click()
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(CUT_OFF) == []
        assert faults(page, dark=dark, resized=width == 390) == []
    assert opened.told == []


def _traced() -> Calibration:
    """A calibration whose examples have a trace of ten calls, one of which failed."""
    calls = [{"id": f"c{n}", "function": {"name": f"tool-{n}", "arguments": '{"n": 1}'}} for n in range(10)]
    results = [
        {"role": "tool", "tool_call_id": f"c{n}", "content": "done", **({"is_error": True} if n == 3 else {})}
        for n in range(10)
    ]
    trace = json.dumps([{"role": "assistant", "content": None, "tool_calls": calls}, *results])
    made = hostile_calibration(30, attacks=PLAIN)
    examples = tuple(
        replace(example, submission=Submission(example.submission.response, {"trace": trace}, example.id))
        for example in made.comparison.gold.examples
    )
    return calibration_of(made.rubric, ExampleSet(examples), made.judge_ratings, made.rater)
