"""Outputs rated by hand in Promptfoo's own viewer come home as people's labels, next to the judge's own verdicts."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Locator, Page, Response, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from markscheme.features.discover.read_notes import read_notes
from markscheme.promptfoo.results import read_results
from tests.browser.waiting import PATIENCE, patient_context
from tests.commands.console import run
from tests.promptfoo.answering import exported_configuration, judging, project_to_rate
from tests.real.messages_front import MessagesFront
from tests.real.promptfoo import QUIET, install_promptfoo, run_eval, with_node, without_keys

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("promptfoo", "runtime")]
TEXTS = ["Paris it is.", "Paris, I guess.", "Rome.", "Madrid.", "Paris or Lyon.", "Oslo."]


@contextmanager
def viewer(env: Mapping[str, str]) -> Iterator[str]:
    """The address of Promptfoo's viewer."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*install_promptfoo().command, "view", "--no", "--port", str(port)],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield answering(f"http://localhost:{port}", process)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def answering(address: str, process: subprocess.Popen[bytes]) -> str:
    """The address, once a server answers there."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=PATIENCE):
                return address
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError(f"the viewer did not start (exit code {process.poll()})")


@contextmanager
def page_at(chromium: Browser, address: str) -> Iterator[Page]:
    context = patient_context(chromium, viewport={"width": 1600, "height": 1400})
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def _keeps(reply: Response) -> bool:
    return "/api/eval/" in reply.url and reply.request.method == "POST"


TRIES = (15.0, 30.0, 60.0, 120.0, 240.0)
"""Seconds for each try to use a control of the table, which may be drawn again under the pointer; a slow machine needs
more, and a table that is drawn again only one try more."""


def control(page: Page, text: str, label: str) -> Locator:
    """A control of the cell that shows `text`, which appears under the pointer."""
    cell = page.locator("td", has_text=text).filter(has=page.get_by_label(label)).last
    cell.hover()
    return cell.get_by_label(label, exact=True)


def press(page: Page, text: str, button: str) -> None:
    """Press a button of the cell that shows `text`, and wait until the server has kept what it does."""
    with page.expect_response(_keeps) as kept:
        control(page, text, button).click()
    assert kept.value.ok


def fill(page: Page, text: str, button: str, field: Locator, value: str) -> None:
    """Type a value into the dialog that a button of the cell with `text` opens, and save it.

    The table may be drawn again, which closes the dialog or takes the click; then it is opened once more.
    """
    for seconds in TRIES:
        try:
            control(page, text, button).click(timeout=seconds * 1000)
            field.fill(value, timeout=seconds * 1000)
            with page.expect_response(_keeps, timeout=seconds * 1000) as kept:
                page.get_by_role("dialog").get_by_role("button", name="Save").click(timeout=seconds * 1000)
        except PlaywrightTimeoutError:
            page.keyboard.press("Escape")
        else:
            assert kept.value.ok
            return
    raise AssertionError(f"no value could be saved by {button!r} in {len(TRIES)} tries")


def score(page: Page, text: str, value: str) -> None:
    """Type a score for the cell that shows `text`."""
    fill(page, text, "Set test score", page.locator("#score-input"), value)


def comment(page: Page, text: str, words: str) -> None:
    """Write a comment on the cell that shows `text`."""
    fill(page, text, "Edit comment", page.get_by_role("dialog").get_by_role("textbox"), words)


def test_thumbs_and_scores_given_in_promptfoo_are_imported_next_to_the_judge_s_verdicts(
    chromium: Browser, tmp_path: Path
) -> None:
    config = project_to_rate(tmp_path, TEXTS) / "rate.yaml"
    config.write_text(yaml.safe_dump(exported_configuration(TEXTS, "anthropic")))
    private = tmp_path / "promptfoo"
    with MessagesFront(judging()) as front:
        asked = {"ANTHROPIC_API_KEY": "test", "ANTHROPIC_BASE_URL": front.url, "MARKSCHEME_CACHE": str(tmp_path / "c")}
        evaluated = run_eval(config, cwd=tmp_path, env=asked | {"PROMPTFOO_CONFIG_DIR": str(private)})
    name = evaluated.results["evalId"]
    judged = {row["vars"]["query"]: row["success"] for row in evaluated.results["results"]["results"]}
    env = with_node(without_keys(os.environ)) | QUIET | {"PROMPTFOO_CONFIG_DIR": str(private)}
    with viewer(env) as address, page_at(chromium, f"{address}/eval/{name}") as page:
        expect(page.get_by_text(TEXTS[0], exact=True).first).to_be_visible()
        press(page, TEXTS[0], "Mark test passed")
        press(page, TEXTS[1], "Mark test failed")
        press(page, TEXTS[2], "Mark test failed")
        press(page, TEXTS[3], "Mark test passed")
        score(page, TEXTS[4], "0.4")
        comment(page, TEXTS[5], "names another capital")
    rated = tmp_path / "rated.json"
    exported = subprocess.run(
        [*install_promptfoo().command, "export", "eval", name, "-o", str(rated)],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert exported.returncode == 0, exported.stdout + exported.stderr

    rows = {row.response: row for row in read_results(rated).rows}
    manual = {text: row.manual for text, row in rows.items()}
    thumbs = {
        text: message.passed for text, message in manual.items() if message is not None and message.passed is not None
    }
    assert thumbs == {TEXTS[0]: True, TEXTS[1]: False, TEXTS[2]: False, TEXTS[3]: True}
    scored = manual[TEXTS[4]]
    assert scored is not None
    assert scored.score == pytest.approx(0.4)
    assert manual[TEXTS[5]] is None
    assert {row.inputs["query"]: row.passed for row in rows.values()} == judged

    noted = read_notes([rated], "ann")
    (noted_id,) = [id for (_, id), passages in noted.passages.items() if passages]
    assert [passage.text for passage in noted.passages["ann", noted_id]] == ["names another capital"]
    assert noted.examples[noted_id].submission.response == TEXTS[5]
    assert len(noted.readings) == 6  # five with a thumb or a score, and the one with a comment

    calibrated = run("calibrate", str(rated), "--json", "-", cwd=tmp_path)
    assert calibrated.returncode in (1, 4), calibrated.stderr
    report = json.loads(calibrated.stdout)
    assert report["counts"]["examples"] == 5
    assert report["agreement"]["n"] == 5
    assert report["false_passes"] == ["ex-1", "ex-4"]  # a score under the pass mark is a fail
    assert report["false_fails"] == ["ex-3"]
