"""Results of the real Promptfoo that nobody labelled lead to a first verdict: each command as printed, in a browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import wait_until
from tests.commands.console import run
from tests.features.label.labelled_project import Server
from tests.promptfoo.test_results_onward import REPLIES, commands_in, ran

pytestmark = pytest.mark.browser

ASKED = ("Leeds", "thank", "thank")
"""What a person looks for, by metric."""
FEWEST_LABELS = 10
"""Labels below which no pass rate is shown."""


def test_following_printed_commands_leads_from_unlabelled_promptfoo_results_to_a_calibration_and_a_pass_rate(
    tmp_path: Path, page: Page
) -> None:
    ran(tmp_path)
    refused = run("calibrate", "results.json", cwd=tmp_path)
    printed = {command[1]: command for command in reversed(list(commands_in(refused.stderr)))}
    assert printed["label"] == ["markscheme", "label", "results.json"]
    with Server(tmp_path, rubric="results.json", rater="") as server:
        page.goto(server.url)
        for place in range(1, len(REPLIES) + 1):
            expect(page.locator("#place")).to_contain_text(f"Response {place} of {len(REPLIES)}")
            expect(page.locator("fieldset:visible h2")).to_have_count(1 + len(ASKED))  # the whole, then each metric
            shown = page.locator("#text").inner_text()
            found = [word in shown for word in ASKED]
            for key in (*("y" if meets else "n" for meets in (all(found), *found)), "Enter"):
                page.keyboard.press(key)
        wait_until(page, "outbox.length === 0")
        assert server.announced["total"] == len(REPLIES)
        expect(page.locator("#more code")).to_have_text(
            [
                "markscheme label results.json --rater SECOND",
                "markscheme calibrate results --ratings results.json",
            ]
        )
    verdict = run(*printed["calibrate"], cwd=tmp_path)
    assert verdict.returncode in (0, 1, 4), verdict.stderr
    assert "  decisions" in verdict.stdout
    report = json.loads((tmp_path / "verdict.json").read_text())
    assert report["agreement"]["n"] == len(REPLIES)
    assert len(report["criteria"]) == len(ASKED)
    assert report["criteria"]["place"]["exact_agreement"]["value"] == 1.0
    corrected = run(*printed["pass-rate"], cwd=tmp_path)
    assert corrected.returncode == 4, corrected.stderr  # so few labels show no rate, and it says how many would
    assert f"corrected by {len(REPLIES)} labels" in corrected.stdout
    assert f"{len(REPLIES)} labels, {FEWEST_LABELS - len(REPLIES)} more would show it" in corrected.stdout
