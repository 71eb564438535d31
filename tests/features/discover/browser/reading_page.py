"""What a reader does at the reading and grouping page, by keyboard alone."""

from playwright.sync_api import Page, expect

from tests.browser.waiting import wait_until


def arrive(page: Page, number: int) -> None:
    """Wait until an output is shown and takes keys."""
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Output {number}")
    wait_until(page, "isReady && document.activeElement.id === 'text'")


def sent(page: Page) -> None:
    """Wait until the server has all that was entered."""
    wait_until(page, "outbox.length === 0 && !sending")


def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def note(page: Page, text: str) -> None:
    """Add a note to the output that is shown."""
    press(page, "n")
    page.keyboard.insert_text(text)
    press(page, "Enter", "Escape")


def answer(page: Page, text: str, then: str = "Enter") -> None:
    """Type into the dialog that is open."""
    expect(page.locator("#dialog")).to_be_visible()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press(then)
    expect(page.locator("#dialog")).to_be_hidden()
    wait_until(page, "isReady")


def grouped(page: Page, *keys: str) -> None:
    """Press keys of the grouping page, each when it is done with the one before."""
    for key in keys:
        page.keyboard.press(key)
        wait_until(page, "isReady")


def move_to(page: Page, column: str) -> None:
    """Go to the first note of a column, by j and k."""
    for _ in range(200):
        if page.evaluate("(cursor?.column ?? null)") == column:
            return
        columns = page.evaluate("places().map((place) => place.column)")
        current = page.evaluate("places().findIndex((p) => p.key === cursor?.key && p.column === cursor?.column)")
        grouped(page, "j" if columns.index(column) > current else "k")
    raise AssertionError(f"no way to {column}")
