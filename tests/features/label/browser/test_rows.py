"""Rows that bring criteria of their own, labelled in a real browser."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import wait_until
from tests.commands.console import run
from tests.features.label.labelled_project import Server
from tests.features.label.rows_to_label import TOWNS, write_rows

pytestmark = pytest.mark.browser


def test_six_tasks_with_different_rubrics_are_labelled_in_a_browser_and_their_file_can_then_be_calibrated(
    tmp_path: Path, page: Page
) -> None:
    write_rows(tmp_path)
    with Server(tmp_path, rubric="rows.jsonl") as server:
        page.goto(server.url)
        steps = page.evaluate("JSON.parse(document.getElementById('data').textContent).steps")
        for place, step in enumerate(steps, start=1):
            expect(page.get_by_role("heading", level=1)).to_have_text(f"Response {place} of {len(steps)}")
            expect(page.locator("#text")).to_be_focused()
            response_text = page.locator("#text").inner_text()
            requirements = page.locator("fieldset:visible .requirement").all_inner_texts()
            assert len(requirements) == len(step["criteria"])
            for requirement in requirements:
                page.keyboard.press("y" if requirement.split()[1] in response_text else "n")
            page.keyboard.press("Enter")
        wait_until(page, "outbox.length === 0")
        lines: list[dict[str, Any]] = server.lines
    assert {line["id"] for line in lines} == set(TOWNS)
    run("calibrate", "rows.jsonl", "--judge", "function:judging:judge", "--json", "report.json", cwd=tmp_path)
    verdicts = json.loads((tmp_path / "report.json").read_text())["verdicts"]
    assert (verdicts["tasks"], verdicts["agreement"]["value"]) == (6, 1.0)
