"""A real Chromium, and pages in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.waiting import PATIENCE, patient_context

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Run Debian's Chromium."""
    expect.set_options(timeout=PATIENCE * 1000)
    path = shutil.which("chromium")
    assert path, "there is no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS, timeout=PATIENCE * 1000)
        yield browser
        browser.close()


@contextmanager
def fresh_page(browser: Browser, colours: Literal["light", "dark"]) -> Iterator[Page]:
    """Open a page in a context of its own."""
    context = patient_context(browser, color_scheme=colours, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()
