"""Time limits for pages in tests, and waiting for conditions that no locator expresses."""

import time
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 300.0
"""Seconds until a page that stands still counts as broken: far longer than any step takes on a slow or busy machine."""


def patient_context(chromium: Browser, **options: Any) -> BrowserContext:
    """Open a browser context in whose pages every action has the tests' time limit."""
    context = chromium.new_context(**options)
    context.set_default_timeout(PATIENCE * 1000)
    return context


def wait_until(page: Page, expression: str) -> None:
    """Wait until an expression is true in the page.

    Playwright's own `wait_for_function` evaluates text in the page again and again, which the page's policy forbids.
    """
    until = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < until, f"never true: {expression}"
        page.wait_for_timeout(20)
