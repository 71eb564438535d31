"""A real Chromium, started once a session."""

import shutil
from collections.abc import Iterator
from typing import Literal

import pytest
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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    expect.set_options(timeout=PATIENCE * 1000)
    path = shutil.which("chromium")
    assert path, "there is no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh page, light unless a test asks for dark: colours matter to those who look, keys work alike in both."""
    colours: Literal["light", "dark"] = getattr(request, "param", "light")
    context = patient_context(chromium, color_scheme=colours, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()
