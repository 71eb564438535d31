"""The browser that all tests of pages share."""

from tests.browser.conftest import chromium, page

__all__ = ["chromium", "page"]
