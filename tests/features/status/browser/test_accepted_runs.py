"""The page of a project's accepted runs in a real browser."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from markscheme.calibration.accepted.accepted_history import AcceptedPoint
from markscheme.features.status.history import history_blocks
from markscheme.features.status.rubric_status import RubricStatus
from markscheme.features.status.view import view
from markscheme.features.status.view_rubrics import view_rubrics
from markscheme.report.html import render_html
from markscheme.stats import Estimate
from tests.browser.accessibility import faults
from tests.browser.test_report import Opened

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_of_accepted_runs_shows_a_plot_and_a_table_without_accessibility_faults(
    chromium: Browser, tmp_path: Path, dark: bool
) -> None:
    first = AcceptedPoint(
        "2026-11-03", "gate", "haiku", "r", {"tone": "a"}, 80, Estimate(0.6, 0.5, 0.7), ("x",), 20, "d1"
    )
    second = replace(first, date="2026-11-09", judge="opus", agreement=Estimate(0.9, 0.8, 0.95), ratings="d2")
    history = (first, second)
    status = RubricStatus("desk", None, history=history, draw_history=partial(history_blocks, history, 0.8))
    file = tmp_path / "status.html"
    file.write_text(render_html(view(partial(view_rubrics, [status]), {}, [], [])), encoding="utf-8")
    opened = Opened(chromium, file, dark=dark)
    page = opened.page
    page.locator("details.data summary").click()
    assert page.get_by_role("row", name="2026-11-09").is_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert faults(page, dark=dark, resized=width == 390) == []
    assert opened.told == []
