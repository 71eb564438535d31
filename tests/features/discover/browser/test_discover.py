"""The reading and grouping page in a real browser, by keyboard alone."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from markscheme.features.discover.store import DiscoveryFolder
from tests.browser.accessibility import serious_faults
from tests.browser.waiting import patient_context, wait_until
from tests.commands.console import INSTALLED, environment, run
from tests.commands.pasted import commands_on_page, copy_of, paste
from tests.features.discover.browser.reading_page import answer, arrive, grouped, move_to, note, press, sent

pytestmark = pytest.mark.browser

FAULTS = {"price": "The reply states a wrong price.", "long": "The reply says more than was asked."}
LONG_NOTE = "x" * 20_000
ARABIC = "السعر خاطئ"


def make_outputs(folder: Path, count: int = 40) -> Path:
    """A file of outputs, one with a trace of 200 steps and one written from right to left."""
    steps: list[dict[str, Any]] = [{"role": "user", "content": "Where is it?"}]
    for number in range(100):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "track", "arguments": f'{{"n": {number}}}'},
        }
        steps += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"stop {number}"},
        ]
    rows = []
    for place in range(count):
        row: dict[str, Any] = {
            "id": f"o{place}",
            "query": f"Question {place}?",
            "response": f"Only {place} euros. Truly.",
        }
        if place % 10 == 3:
            row |= {"messages": steps, "response": f"It is at stop {place}."}
        if place % 10 == 7:
            row |= {"query": "كم السعر؟", "response": f"السعر {place} يورو فقط."}
        rows.append(row)
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


class ReadingServer:
    """`markscheme discover`, as a user starts it; killed or interrupted at the end."""

    def __init__(self, folder: Path, *options: str, name: str = "reply") -> None:
        self.process = subprocess.Popen(
            [str(INSTALLED / "markscheme"), "discover", name, *options],
            cwd=folder,
            env=environment(None),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        address_line = self.process.stdout.readline() + self.process.stdout.readline()
        assert "http" in address_line, self.process.communicate()[1]
        self.url = address_line.split()[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=300)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    make_outputs(tmp_path)
    return tmp_path


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What the browser complains of: nothing by the end, and nothing asked of any other machine."""
    messages: list[str] = []
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda asked: messages.append(asked.url) if "//127.0.0.1:" not in asked.url else None)
    yield messages
    assert [message for message in messages if not message.startswith(("data:", "blob:", "file:"))] == []


Start = Callable[..., ReadingServer]


@pytest.fixture
def servers() -> Iterator[Start]:
    """Starts servers for ann, or whom the options name, and ends those still running."""
    started: list[ReadingServer] = []

    def start(folder: Path, *options: str) -> ReadingServer:
        who = () if "--rater" in options else ("--rater", "ann")
        started.append(ReadingServer(folder, "--pool", "outputs.jsonl", "-o", "port=8930", *who, *options))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.kill()


def select_words(page: Page, words: str) -> None:
    """Select words of the response, as a drag with the mouse does."""
    page.evaluate(
        """(words) => {
          const [range] = rangesOf(document.querySelector("#response .response"), [words]);
          const selection = document.getSelection();
          selection.removeAllRanges();
          selection.addRange(range);
        }""",
        words,
    )


def read_some(page: Page, first: int, last: int) -> int:
    """Read outputs by keyboard; a note with a passage on each third, and good or bad on all."""
    notes = 0
    for place in range(first, last + 1):
        arrive(page, place)
        if place % 3 == 0:
            text = page.locator("#response .response").inner_text()
            words = text.split(" ")[0]
            select_words(page, words)
            press(page, "h")
            page.keyboard.insert_text(f"{'price' if place % 2 else 'long'} {place}")
            press(page, "Enter", "Escape")
            press(page, "b")
            notes += 1
        else:
            press(page, "g")
        press(page, "Enter")
    return notes


def test_a_server_killed_while_outputs_are_read_in_a_browser_loses_no_note(
    servers: Start, project: Path, page: Page, complaints: list[str]
) -> None:
    server = servers(project, "--read-all")
    page.goto(server.url)
    assert read_some(page, 1, 15) == 5
    arrive(page, 16)
    press(page, "n")
    page.keyboard.insert_text("not finished when it was killed")
    wait_until(page, "steps[at].reading !== null && outbox.length === 0")
    sent(page)
    server.kill()
    kept = DiscoveryFolder(project / "calibration" / "reply").readings()
    assert sum(reading.is_finished for reading in kept) == 15
    assert [n.text for reading in kept if reading.read == "open" for n in reading.notes] == [
        "not finished when it was killed"
    ]

    server = servers(project, "--read-all")
    page.goto(server.url)
    arrive(page, 16)
    expect(page.locator("#notes li")).to_contain_text("not finished when it was killed")
    press(page, "Enter")
    notes = 6 + read_some(page, 17, 30)
    arrive(page, 31)
    note(page, "price again")
    press(page, "Enter")
    sent(page)
    assert notes + 1 >= 12

    arrive(page, 32)
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    expect(page.locator("#group-status")).to_contain_text(f"{notes + 1} notes unsorted")
    press(page, "N")
    answer(page, "wrong-price")
    press(page, "N")
    answer(page, "too-long")
    press(page, "N")
    answer(page, "other-a")
    press(page, "N")
    answer(page, "other-b")
    expect(page.locator(".column")).to_have_count(5)
    for _ in range(notes + 1 - 4):
        text = page.evaluate("group.notes[cursor.key].text")
        name = "wrong-price" if "price" in text else "too-long"
        number = page.locator(f'.column[data-mode="{name}"] kbd').inner_text()
        assert number == {"wrong-price": "1", "too-long": "2"}[name], "a number key keeps its mode"
        grouped(page, number)
    expect(page.locator("#group-status")).to_have_text("All notes are in a mode")
    move_to(page, "wrong-price")
    key = page.evaluate("cursor.key")
    modes_of = "(key) => group.modes.filter((mode) => mode.notes.includes(key)).map((mode) => mode.name)"
    grouped(page, "2")
    assert page.evaluate(modes_of, key) == ["too-long"], "a second number moves the note"
    grouped(page, "+", "1")
    assert sorted(page.evaluate(modes_of, key)) == ["too-long", "wrong-price"], "+ and a number add a mode"
    grouped(page, "2")
    assert page.evaluate(modes_of, key) == ["wrong-price"], "its own number takes it out"

    move_to(page, "wrong-price")
    press(page, "D")
    answer(page, FAULTS["price"])
    grouped(page, "V")
    move_to(page, "too-long")
    press(page, "D")
    answer(page, FAULTS["long"])
    move_to(page, "other-a")
    press(page, "M")
    answer(page, "too-long")
    expect(page.locator('.column[data-mode="other-a"]')).to_have_count(0)
    move_to(page, "other-b")
    press(page, "S")
    answer(page, "half-one, half-two")
    expect(page.locator("#group-status")).to_have_text("1 note unsorted")
    grouped(page, "u")
    expect(page.locator('.column[data-mode="other-b"]')).to_have_count(1)
    move_to(page, "other-b")
    press(page, "S")
    answer(page, "half-one, half-two")
    move_to(page, "")
    grouped(page, page.locator('.column[data-mode="half-one"] kbd').inner_text())
    expect(page.locator("#group-status")).to_have_text("All notes are in a mode")
    server.stop()

    done = run("markscheme", "discover", "reply", "--write", "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["criteria"]) == {"wrong-price", "too-long"}
    book = DiscoveryFolder(project / "calibration" / "reply").codebook()
    assert book.mode("wrong-price").severity == 3
    assert book.mode("other-a").into == "too-long"
    assert book.mode("other-b").halves == ("half-one", "half-two")


def test_two_readers_can_read_outputs_in_a_browser_at_the_same_time_but_one_reader_in_one_window_only(
    servers: Start, project: Path, chromium: Browser
) -> None:
    server = servers(project)
    second = servers(project, "--rater", "ben", "-o", "port=8960")
    refused = run("markscheme", "discover", "reply", "--rater", "ann", "-o", "untimed=true", cwd=project)
    assert refused.returncode == 2
    assert "another window" in refused.stderr
    pages = [patient_context(chromium).new_page() for _ in range(2)]
    for page, url in zip(pages, (server.url, second.url), strict=True):
        page.goto(url)
    for place in range(1, 6):
        for page in pages:
            arrive(page, place)
            press(page, "g", "Enter")
    for page in pages:
        sent(page)
        page.close()
    server.stop()
    second.stop()
    readings = DiscoveryFolder(project / "calibration" / "reply").readings()
    assert sorted(reading.rater for reading in readings) == ["ann"] * 5 + ["ben"] * 5


def test_discover_shows_a_long_note_and_a_long_trace_and_text_that_runs_from_right_to_left(
    servers: Start, project: Path, page: Page, complaints: list[str]
) -> None:
    server = servers(project)
    page.goto(server.url)
    seen = set[str]()
    for place in range(1, 41):
        arrive(page, place)
        if page.locator(".steps .step").count() >= 100 and "trace" not in seen:
            seen.add("trace")
            assert (
                "200 steps" in page.locator("#response").inner_text()
                or "201 steps" in page.locator("#response").inner_text()
            )
            press(page, "o")
            note(page, LONG_NOTE)
        if "السعر" in page.locator("#response").inner_text() and "rtl" not in seen:
            seen.add("rtl")
            select_words(page, "السعر")
            press(page, "h")
            page.keyboard.insert_text(ARABIC)
            press(page, "Enter", "Escape")
        press(page, "Enter")
        if len(seen) == 2:
            break
    sent(page)
    server.stop()
    notes = [n for reading in DiscoveryFolder(project / "calibration" / "reply").readings() for n in reading.notes]
    assert {n.text for n in notes} == {LONG_NOTE, ARABIC}
    assert {n.quote_in for n in notes if n.quote} == {"response"}


def test_a_note_can_be_dragged_into_a_failure_mode_on_the_reading_page(
    servers: Start, project: Path, page: Page
) -> None:
    rows = [
        {"id": f"o{n}", "note": text, "rater": "ann", "kind": "human"}
        for n, text in enumerate(["dear", "rude", "curt"])
    ]
    (project / "n.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("markscheme", "discover", "reply", "--pool", "outputs.jsonl", "--notes", "n.jsonl", cwd=project)
    (project / "g.jsonl").write_text(
        '{"note": "ann/o1/1", "modes": ["tone"]}\n{"note": "ann/o2/1", "modes": ["tone"]}\n'
    )
    run("markscheme", "discover", "reply", "--assign", "g.jsonl", cwd=project)
    server = servers(project)
    page.goto(server.url)
    arrive(page, 4)
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    press(page, "N")
    answer(page, "price")
    expect(page.locator(".column.proposed")).to_contain_text("Counts nowhere until you accept")
    page.locator(".card", has_text="dear").first.drag_to(page.locator('.column[data-mode=""]'))
    expect(page.locator("#group-status")).to_contain_text("3 notes unsorted")
    page.locator(".card", has_text="dear").first.drag_to(page.locator('.column[data-mode="price"]'))
    expect(page.locator("#group-status")).to_contain_text("2 notes unsorted")
    page.locator(".card", has_text="rude").first.focus()
    press(page, "A")
    expect(page.locator('.column[data-mode="tone"] .card')).to_have_count(2)
    expect(page.locator(".column.proposed")).to_have_count(0)
    server.stop()


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_axe_finds_no_serious_fault_in_any_view_of_discover_and_the_view_for_grouping_notes_fits_on_a_phone(
    servers: Start, project: Path, page: Page
) -> None:
    server = servers(project)
    page.goto(server.url)
    arrive(page, 1)
    note(page, "a note")
    refuse_serious(page)
    press(page, "Enter")
    arrive(page, 2)
    sent(page)
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    press(page, "N")
    answer(page, "a-mode")
    refuse_serious(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 800})
    press(page, "/")
    expect(page.locator("#dialog")).to_be_visible()
    refuse_serious(page)
    press(page, "Escape")
    expect(page.locator("#dialog")).to_be_hidden()
    press(page, "m")
    arrive(page, 2)
    press(page, "p")
    expect(page.locator("#overview")).to_be_visible()
    refuse_serious(page)
    server.stop()


def refuse_serious(page: Page) -> None:
    assert serious_faults(page) == []


def test_outputs_read_before_a_failure_mode_was_named_can_be_checked_for_this_mode_with_a_single_key(
    servers: Start, project: Path, page: Page
) -> None:
    server = servers(project)
    page.goto(server.url)
    for place in range(1, 7):
        arrive(page, place)
        if place == 5:
            note(page, "wrong price")
        press(page, "Enter")
    arrive(page, 7)
    sent(page)
    press(page, "m")
    wait_until(page, "group !== null && isReady")
    press(page, "N")
    answer(page, "wrong-price")
    press(page, "D")
    answer(page, FAULTS["price"])
    server.stop()
    server = servers(project, "--again")
    page.goto(server.url)
    for place, key in enumerate("nynt", start=1):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"{place} of 4")
        expect(page.locator("#again-definition")).to_have_text(FAULTS["price"])
        wait_until(page, "isReady")
        press(page, key)
    expect(page.locator("#overview-title")).to_contain_text("All read again")
    expect(page.locator("#count")).to_have_text("4 of 4 read again")
    expect(page.get_by_role("heading", name="What you have read")).to_have_count(0)
    sent(page)
    server.stop()
    done = run("markscheme", "discover", "reply", "--report", "--json", cwd=project)
    (mode,) = json.loads(done.stdout)["modes"]
    assert (mode["count"], len(mode["again"])) == (2, 1)


def test_two_readers_of_the_same_outputs_do_not_see_each_other_s_notes(
    servers: Start, project: Path, page: Page
) -> None:
    rows = [
        {"id": f"o{n}", "note": "blunder" if n % 3 == 0 else "", "mode": "m" if n % 3 == 0 else ""} for n in range(9)
    ]
    (project / "n.jsonl").write_text(
        "".join(json.dumps({**row, "rater": "ann", "kind": "human", "definition": "D."}) + "\n" for row in rows)
    )
    run("markscheme", "discover", "reply", "--pool", "outputs.jsonl", "--notes", "n.jsonl", cwd=project)
    server = servers(project, "--rater", "ben", "--second", "-o", "port=8930")
    page.goto(server.url)
    for place in range(1, 10):
        arrive(page, place)
        assert "blunder" not in page.locator("#work").inner_text()
        if place in (1, 2):
            note(page, "mine")
            press(page, "1")
        press(page, "Enter")
    expect(page.locator("#overview-title")).to_contain_text("All read")
    sent(page)
    server.stop()
    server = servers(project, "--rater", "ben", "--recode", "-o", "port=8930")
    page.goto(server.url)
    for place in range(1, 4):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Note {place} of 3")
        wait_until(page, "isReady")
        press(page, "1", "Enter")
    expect(page.locator("#overview-title")).to_contain_text("All sorted")
    sent(page)
    server.stop()
    data = json.loads(run("markscheme", "discover", "reply", "--report", "--json", cwd=project).stdout)
    assert data["agreement"]["finding"]["units"] == 9
    assert data["agreement"]["grouping"]["units"] == 3


def test_notes_written_on_an_offline_page_on_a_phone_are_imported(
    servers: Start, project: Path, chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = run(
        "markscheme", "discover", "reply", "--pool", "outputs.jsonl", "--rater", "cid", "--sheet", "s.html", cwd=project
    )
    assert written.returncode == 0, written.stderr
    context = patient_context(chromium, viewport={"width": 390, "height": 844}, has_touch=True, offline=True)
    page = context.new_page()
    page.goto((project / "s.html").as_uri())
    for place in range(1, 5):
        arrive(page, place)
        if place == 2:
            page.locator("#note-open").tap()
            page.locator("#note").fill("read on a phone")
            page.locator("#save").tap()
        else:
            page.locator("#good").tap()
            page.locator("#in-full").tap()
    page.reload()
    arrive(page, 5)
    with page.expect_download() as download:
        page.locator("#download").tap()
    download.value.save_as(project / "reply-cid.jsonl")
    page.evaluate("overview()")
    (command,) = commands_on_page(page.content())
    assert command == "markscheme discover reply --notes reply-cid.jsonl"
    assert paste(command, copy_of(project, tmp_path_factory.mktemp("copy") / "here"), {}, {}) == ""
    context.close()
    done = run("markscheme", "discover", "reply", "--notes", "reply-cid.jsonl", "--json", cwd=project)
    data = json.loads(done.stdout)
    assert data["read"] == {"random": 4, "chosen": 0, "unclear": 0}
    assert [entry["text"] for entry in data["unsorted_notes"]] == ["read on a phone"]
