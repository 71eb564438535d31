"""Images on the labelling page in a real browser: ten labelled by keyboard, on a wide and on a narrow screen."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import PATIENCE, wait_until
from tests.features.label.labelled_project import Server
from tests.features.media.pictures import chart, document

pytestmark = pytest.mark.browser

RUBRIC = "inputs: [chart]\ncriteria: [{name: right, requirement: The number of squares is right}]\n"
N = 10


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a rubric and ten charts, the last with a PDF invoice that contains a script."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "markscheme.toml").write_text('ask_whole = "never"\n')
    (tmp_path / "rubrics" / "manners.yaml").write_text(RUBRIC)
    (tmp_path / ".git").mkdir()
    script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    (tmp_path / "bill.pdf").write_bytes(document(2, catalog=script))
    lines = []
    for index in range(N):
        (tmp_path / f"{index}.png").write_bytes(chart(2 + index))
        image = {"image": f"{index}.png", "alt": f"chart {index}"}
        shown = [image, {"pdf": "bill.pdf"}] if index == N - 1 else [image]
        lines.append({"id": f"c{index}", "chart": shown, "response": f"There are {2 + index} squares."})
    (tmp_path / "pool.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """Collect the browser's errors; at the end there must be none, and no request to another machine."""
    violations: list[str] = []
    page.on("console", lambda message: violations.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: violations.append(str(error)))
    page.on(
        "request",
        lambda sent: violations.append(sent.url) if not sent.url.startswith(("http://127.0.0.1:", "data:")) else None,
    )
    yield violations
    assert violations == []


def shows_the_invoice_apart(page: Page) -> None:
    """Check that the PDF opens in a tab of its own, under a policy by which nothing in it may run."""
    link = page.locator("#text a[target=_blank]")
    expect(link).to_have_text("PDF: bill.pdf")
    answer = page.request.get(f"{page.url}{link.get_attribute('href')}")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    with page.expect_popup() as opened:
        link.press("Enter")
    viewer = opened.value
    viewer.wait_for_url("**/part/*")
    until = time.monotonic() + PATIENCE
    while not any(frame.url.startswith("chrome-extension://") for frame in viewer.frames):
        assert time.monotonic() < until, "the browser's viewer never came"
        viewer.wait_for_timeout(20)
    viewer.close()
    assert page.request.get(f"{page.url}part/{'0' * 32}").status == 404
    page.locator("#text").focus()


@pytest.mark.usefixtures("complaints")
@pytest.mark.parametrize("width", [1280, 390])
def test_ten_images_are_labelled_by_keyboard_and_each_image_fits_the_screen(
    project: Path, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    with Server(project) as server:
        page.goto(server.url)
        for place in range(1, N + 1):
            expect(page.get_by_role("heading", level=1)).to_contain_text(f"{place} of ")
            image = page.locator("#text img")
            expect(image).to_have_attribute(
                "alt", r"chart " + (image.get_attribute("alt") or "").removeprefix("chart ")
            )
            assert image.evaluate("image => image.complete && image.naturalWidth > 100")
            box = image.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= width
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if place == 1:
                page.locator("#text details.media summary").focus()
                page.keyboard.press("Enter")
                assert page.evaluate("document.querySelector('#text details.media').open")
                page.keyboard.press("Enter")
                page.locator("#text").focus()
            if image.get_attribute("alt") == f"chart {N - 1}":
                shows_the_invoice_apart(page)
            page.keyboard.press("y" if place % 2 else "n")
            page.keyboard.press("Enter")
        wait_until(page, "outbox.length === 0")
        assert len(server.lines) == N
