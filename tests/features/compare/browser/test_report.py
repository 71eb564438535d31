"""A comparison of judges in a real browser, on a desktop, a phone and paper."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from markscheme.features.compare import view_choice as of_choice
from markscheme.features.compare.choice import Contender, choose
from markscheme.features.compare.contenders import Compared
from markscheme.ratings.rating import Rating
from markscheme.report.html import render_html
from markscheme.report.views import calibration as of_calibration
from tests.browser.test_report import PLAIN, Opened, has_no_fault_and_nothing_cut_off, is_no_wider_than_a_phone
from tests.report.hostile import hostile_calibration

pytestmark = pytest.mark.browser


@functools.cache
def _comparison(*, flips: bool = False) -> str:
    first = hostile_calibration(60, attacks=PLAIN)
    if flips:
        second = [_failing(rating) for rating in first.judge_ratings]
        names = ("a judge", "another judge")
    else:
        second = [rating for rating in first.judge_ratings if int(rating.id.split()[0]) % 7]
        names = ("function:module:judge", "openai:model-of-a-long-name")
    contenders = [Contender(names[0], first.judge_ratings), Contender(names[1], tuple(second))]
    truth = first.comparison.gold
    choice = choose(first.rubric, contenders, truth)
    return render_html(of_choice.view(choice, Compared(choice, tuple(contenders), truth, ())), "2026-01-02")


def _failing(rating: Rating) -> Rating:
    """The same rating with the worst level of every criterion."""
    return replace(rating, criteria={name: replace(rated, level=1.0) for name, rated in rating.criteria.items()})


@functools.cache
def _several() -> str:
    made = hostile_calibration(30, attacks=PLAIN)
    judges = [replace(made, rater=replace(made.rater, name=name)) for name in "ab"]
    contenders = [Contender(name, one.judge_ratings) for name, one in zip("ab", judges, strict=True)]
    choice = choose(judges[0].rubric, contenders, judges[0].comparison.gold)
    return render_html(of_choice.view(choice, parts=[of_calibration.view(one) for one in judges]))


def test_the_page_of_a_comparison_has_a_column_for_each_judge_and_a_click_on_a_flipped_decision_shows_its_example(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "comparison.html"
    file.write_text(_comparison(flips=True), encoding="utf-8")
    opened = Opened(chromium, file)
    page = opened.page
    assert page.locator("table.beside thead th").all_inner_texts()[2:] == ["a judge", "another judge"]
    page.locator("table.beside a[data-example]").first.click()
    assert page.locator(".list article.case").is_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert opened.told == []


def test_on_a_phone_the_page_of_a_comparison_is_no_wider_than_the_screen(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "comparison.html"
    file.write_text(_comparison(), encoding="utf-8")
    is_no_wider_than_a_phone(chromium, file)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("which", ["several", "comparison", "flips"])
def test_the_accessibility_checker_axe_finds_no_fault_in_a_comparison_s_page_and_nothing_is_cut_off(
    chromium: Browser, tmp_path: Path, which: str, dark: bool
) -> None:
    file = tmp_path / f"{which}.html"
    file.write_text(_several() if which == "several" else _comparison(flips=which == "flips"), encoding="utf-8")
    has_no_fault_and_nothing_cut_off(chromium, file, dark=dark)
