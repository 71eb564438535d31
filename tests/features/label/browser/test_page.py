"""The labelling page in a real browser, by keyboard alone."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.accessibility import serious_faults
from tests.browser.waiting import patient_context, wait_until
from tests.features.label.labelled_project import RUBRIC, Server, make_pool

pytestmark = pytest.mark.browser
light_and_dark = pytest.mark.parametrize("page", ["light", "dark"], indirect=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with a pool of 20 responses and a rubric that asks only about criteria."""
    (tmp_path / "markscheme.toml").write_text('ask_whole = "never"\n')
    return make_pool(tmp_path)


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """Collect the browser's errors; at the end there must be none, and no request to another machine."""
    violations: list[str] = []
    page.on("console", lambda message: violations.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: violations.append(str(error)))
    page.on("request", lambda asked: violations.append(asked.url) if "//127.0.0.1:" not in asked.url else None)
    yield violations
    assert [told for told in violations if not told.startswith("data:")] == []


def _press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def _arrive(page: Page, place: int, of: int = 21) -> None:
    """Wait until the response at an index can be labelled."""
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Response {place} of {of}")
    expect(page.locator("#text")).to_be_focused()


def _sent(page: Page) -> None:
    """Wait until the server has all answers, which takes longer than the page needs to show the next response."""
    wait_until(page, "outbox.length === 0")


def _label(page: Page, place: int, *keys: str) -> None:
    """Label the response at an index."""
    _arrive(page, place)
    _press(page, *keys, "Enter")


@pytest.mark.usefixtures("complaints")
def test_twenty_labels_are_given_by_keyboard_although_the_server_is_killed_between_two_labels(
    project: Path, page: Page
) -> None:
    choices = [("3", "n"), ("1", "y"), ("x", "t")]
    with Server(project) as server:
        page.goto(server.url)
        for place in range(1, 12):
            _label(page, place, *choices[place % 3])
        expect(page.get_by_role("heading", level=1)).to_have_text("Response 12 of 21")
        wait_until(page, "cache.size === 17 && outbox.length === 0")
        server.kill()
        assert len(server.lines) == 11
    with Server(project) as server:
        page.goto(server.url)
        for place in range(12, 21):
            _label(page, place, *choices[place % 3])
        expect(page.get_by_role("heading", level=1)).to_have_text("Response 21 of 21")
        assert page.evaluate("window.ran") is None
        _sent(page)
        lines = server.lines
    assert len(lines) == 20
    levels = Counter(line["criteria"]["polite"].get("level", "does not apply") for line in lines)
    assert levels == {3.0: 6, 1.0: 7, "does not apply": 7}
    assert Counter(line["criteria"]["waffle"].get("level", "can't tell") for line in lines) == {
        0.0: 6,
        1.0: 7,
        "can't tell": 7,
    }


@pytest.mark.usefixtures("complaints")
def test_by_keyboard_an_annotator_can_take_back_a_label_and_write_a_note_and_open_the_progress_page(
    project: Path, page: Page
) -> None:
    with Server(project) as server:
        page.goto(server.url)
        _label(page, 1, "2", "n")
        _label(page, 2, "3", "y", "c", "u", "p", "1", "Escape")
        _arrive(page, 3)
        _sent(page)
        assert server.lines[-1]["note"] == "up1"
        _press(page, "u")
        expect(page.get_by_role("status")).to_contain_text("Taken back")
        expect(page.get_by_role("textbox")).to_have_value("up1")
        _arrive(page, 2)
        _press(page, "1", "Enter")
        _arrive(page, 3)
        _sent(page)
        assert [line["criteria"].get("polite", {}).get("level") for line in server.lines] == [2.0, 3.0, None, 1.0]
        _press(page, "p")
        expect(page.get_by_role("heading", level=1)).to_have_text("Progress")
        expect(page.locator("#go-on")).to_be_focused()
        _press(page, "Enter")
        _arrive(page, 3)


@pytest.mark.usefixtures("complaints")
def test_a_reload_of_the_labelling_page_and_a_visit_to_the_progress_page_keep_chosen_answers(
    project: Path, page: Page
) -> None:
    chosen = page.locator("input[name=c0]:checked")
    with Server(project) as server:
        page.goto(server.url)
        _label(page, 1, "2", "n")
        _arrive(page, 2)
        _press(page, "3", "c")
        page.keyboard.type("so far")
        _sent(page)
        page.reload()
        _arrive(page, 2)
        expect(page.get_by_role("status")).to_contain_text("isn’t saved yet")
        expect(chosen).to_have_attribute("data-key", "3")
        expect(page.get_by_role("textbox")).to_have_value("so far")
        expect(page.locator(".chip.done")).to_have_count(1)
        _press(page, "p", "Enter")
        _arrive(page, 2)
        expect(chosen).to_have_attribute("data-key", "3")
        _press(page, "y", "Enter")
        _arrive(page, 3)
        _sent(page)
        _press(page, "u")
        expect(page.get_by_role("status")).to_contain_text("Taken back")
        _sent(page)
        page.reload()
        _arrive(page, 2)
        expect(page.locator("input:checked")).to_have_count(2)
        _press(page, "Enter")
        _arrive(page, 3)
        _sent(page)
        page.reload()
        _arrive(page, 3)
        expect(page.locator("input:checked")).to_have_count(0)
        taken = [line for line in server.lines if not line["criteria"]]
        saved_lines = [line for line in server.lines if line["criteria"]]
    assert len(taken) == 1
    assert [line["criteria"]["polite"]["level"] for line in saved_lines] == [2.0, 3.0, 3.0]
    assert [line.get("note", "") for line in saved_lines] == ["", "so far", "so far"]


@pytest.mark.usefixtures("complaints")
def test_a_response_labelled_in_another_tab_is_not_shown_again(project: Path, page: Page) -> None:
    with Server(project) as server:
        page.goto(server.url)
        _arrive(page, 1)
        _press(page, "3")
        other = page.context.new_page()
        other.goto(server.url)
        _label(other, 1, "1", "y")
        _arrive(other, 2)
        _sent(other)
        page.reload()
        _arrive(page, 2)
        expect(page.locator("input:checked")).to_have_count(0)


@pytest.mark.usefixtures("complaints")
def test_the_enter_key_saves_nothing_while_a_criterion_is_unanswered(project: Path, page: Page) -> None:
    with Server(project) as server:
        page.goto(server.url)
        _arrive(page, 1)
        _press(page, "2", "Enter")
        assert page.evaluate("document.activeElement.name") == "c1"
        assert server.lines == []
        _press(page, "n", "Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Response 2 of 21")


def _late(route: Route) -> None:
    """Delay a response until after the keys that answer it are pressed."""
    time.sleep(0.03)
    route.continue_()


@light_and_dark
def test_the_accessibility_checker_axe_finds_no_serious_fault_on_any_labelling_page(project: Path, page: Page) -> None:
    long = {"id": "long", "query": "q", "response": "a long line " * 20_000}
    (project / "pool.jsonl").write_text(json.dumps(long) + "\n")
    with Server(project) as server:
        page.goto(server.url)
        _press(page, "2")
        expect(page.locator("#response")).to_contain_text("a long line")
        assert serious_faults(page) == []
        _press(page, "p")
        assert serious_faults(page) == []
        (project / "rubrics" / "manners.yaml").write_text(RUBRIC.replace("rude", "gruff"))
        page.goto(server.url)
        expect(page.get_by_role("alert")).to_contain_text("the rubric changed")
        assert serious_faults(page) == []


@light_and_dark
def test_agreement_between_annotators_is_shown_in_an_accessible_table_that_fits_a_phone(
    project: Path, page: Page
) -> None:
    with Server(project) as ann, Server(project, rater="ben") as ben:
        for _ in range(21):
            ann.label()
        for _ in range(5):
            ben.label()
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(ben.url)
        page.get_by_role("button", name="Progress").click()
        expect(page.get_by_role("row", name="polite 100% 5")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert serious_faults(page) == []


def test_the_labelling_page_scrolls_the_next_criterion_and_its_levels_into_view(project: Path, page: Page) -> None:
    rubric = RUBRIC.replace("Is the reply polite?", "Is the reply polite? " * 150)
    (project / "rubrics" / "manners.yaml").write_text(rubric.replace("says things twice", "says things twice " * 40))
    with Server(project) as server:
        page.goto(server.url)
        _arrive(page, 1)
        _press(page, "2")
        expect(page.locator("fieldset").nth(1)).to_be_in_viewport(ratio=0.99)


@pytest.mark.usefixtures("complaints")
def test_two_hundred_keys_pressed_20_ms_apart_answer_the_criteria_they_were_meant_for(
    project: Path, page: Page
) -> None:
    lines = [{"id": f"r{i}", "query": "q", "response": f"reply {i} & more"} for i in range(100)]
    (project / "pool.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Server(project) as server:
        page.route("**/unit/*", _late)
        page.goto(server.url)
        _arrive(page, 1, of=105)
        given = [("123"[place % 3], "ny"[place % 2]) for place in range(100)]
        page.keyboard.type("".join(f"{polite}{waffle}\n" for polite, waffle in given), delay=20)
        expect(page.get_by_role("heading", level=1)).to_have_text("Response 101 of 105")
        _sent(page)
        saved_lines = server.lines
    levels = [(line["criteria"]["polite"]["level"], line["criteria"]["waffle"]["level"]) for line in saved_lines]
    assert levels == [(float(polite), float("ny".index(waffle))) for polite, waffle in given]
    assert len({(line["id"], line["sample"]) for line in saved_lines}) == 100


@pytest.mark.usefixtures("complaints")
def test_keyboard_shortcuts_of_the_labelling_page_mark_a_passage_and_list_labelled_responses(
    project: Path, page: Page
) -> None:
    with Server(project) as server:
        page.goto(server.url)
        _label(page, 1, "3", "T")
        _arrive(page, 2)
        page.evaluate("getSelection().selectAllChildren(document.querySelector('#response .response p'))")
        _press(page, "h", "1", "n", "Enter")
        _arrive(page, 3)
        _press(page, "p")
        page.get_by_label("Show").select_option(label="polite: 3 · kind")
        expect(page.locator("#list li")).to_have_count(1)
        page.locator("#list button").click()
        expect(page.get_by_role("status")).to_contain_text("Labelled before")
        _press(page, "2", "y", "Enter")
        _arrive(page, 3)
        _sent(page)
        second, first = server.lines[1:]
    assert re.fullmatch(r"<script>window.ran = \d+</script> reply \d+ & more", second["criteria"]["polite"]["quote"])
    assert (first["criteria"]["polite"]["level"], first["criteria"]["waffle"]["level"]) == (2.0, 1.0)
    assert all(0 <= line["seconds"] < 60 for line in (first, second))


@light_and_dark
def test_an_adjudicator_sees_every_annotator_s_note_and_the_passages_that_each_marked_in_the_response(
    project: Path, page: Page
) -> None:
    with Server(project) as ann, Server(project, rater="ben") as ben:
        unit = ann.get().open
        ann.give(unit, "0", note="abrupt")
        reply = ann.reply(unit)
        for _ in range(20):
            one = ben.get().open
            is_same = ben.reply(one) == reply
            ben.give(one, "2", note="warm", quotes={"polite": "& more"})
            if is_same:
                break
    with Server(project, ["--disputed"], rater="zoe") as zoe:
        page.goto(zoe.url)
        expect(page.locator(".voice")).to_have_count(2)
        expect(page.locator(".voice").first).to_contain_text("abrupt")
        expect(page.locator(".words").first).to_contain_text("kind – It thanks or greets.")
        assert page.evaluate("[...[...CSS.highlights.get('passage')][0].toString()].join('')") == "& more"
        assert serious_faults(page) == []
        page.locator("fieldset.current .why input").fill("neither")
        page.locator("#text").focus()
        _press(page, "2", "Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("All labelled. Thank you!")
        expect(page.locator("#more")).to_contain_text("1 of 1 response")
        _sent(page)
        (line,) = zoe.lines
    assert (line["criteria"]["polite"]["level"], line["criteria"]["polite"]["reason"]) == (2.0, "neither")


def test_an_adjudicator_reads_the_words_of_a_yes_or_no_question_once_and_not_between_the_annotators_answers(
    project: Path, page: Page
) -> None:
    (project / "pool.jsonl").write_text('{"id": "r", "query": "q", "response": "Hello."}\n')
    for rater, key in (("ann", "y"), ("ben", "n")):
        with Server(project, rater=rater) as server:
            page.goto(server.url)
            _arrive(page, 1, of=1)
            _press(page, "3", key, "Enter")
            _sent(page)
    with Server(project, ["--disputed"], rater="zoe") as zoe:
        page.goto(zoe.url)
        expect(page.locator(".voice")).to_have_count(2)
        expect(page.get_by_text("The reply says things twice")).to_have_count(1)
        expect(page.locator(".voices .words:visible")).to_have_count(0)


def test_the_page_down_key_scrolls_a_long_response_whichever_element_has_the_focus(project: Path, page: Page) -> None:
    long = {"id": "long", "query": "q", "response": "a line\n" * 500}
    (project / "pool.jsonl").write_text(json.dumps(long) + "\n")
    with Server(project) as server:
        page.goto(server.url)
        expect(page.locator("#text")).to_be_focused()
        _press(page, "2", "PageDown")
        wait_until(page, "document.getElementById('text').scrollTop > 300")
        _press(page, "n")
        assert page.evaluate("document.activeElement.id") == "save"


TEN = "inputs: [query]\ncriteria:\n" + "".join(
    f"- {{name: criterion-{n}, requirement: The reply has the property number {n}., weight: 1}}\n" for n in range(10)
)


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_labelling_page_lists_ten_criteria_with_ticks_and_a_click_jumps_to_a_criterion(
    project: Path, page: Page, width: int
) -> None:
    (project / "rubrics" / "manners.yaml").write_text(TEN)
    (project / "pool.jsonl").write_text('{"id": "r", "query": "Where is it?", "response": "It is here."}\n')
    with Server(project) as server:
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(server.url)
        _arrive(page, 1, of=1)
        expect(page.locator("#title")).to_have_text("Where is it?")
        _press(page, "y", "n", "t")
        expect(page.locator(".chip.done")).to_have_count(3)
        expect(page.locator(".chip[aria-current]")).to_contain_text("criterion-3")
        for chip in page.locator(".chip").all():
            expect(chip).to_be_in_viewport(ratio=0.99)
        page.locator(".chip").nth(8).click()
        expect(page.locator("fieldset.current .level").first).to_be_in_viewport(ratio=0.99)
        assert page.evaluate("document.activeElement.name") == "c8"
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert serious_faults(page) == []


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_a_trace_of_twenty_steps_shows_times_and_errors_and_one_key_opens_and_closes_all_its_steps(
    project: Path, page: Page
) -> None:
    rubric = RUBRIC.replace("inputs: [query]", "inputs: [query, trace]")
    (project / "rubrics" / "manners.yaml").write_text(rubric)
    spans = [
        {
            "spanId": str(n),
            "startTime": f"2026-01-02T03:04:{10 + n}Z",
            "endTime": f"2026-01-02T03:04:{10 + n}.5Z",
            "attributes": {
                "gen_ai.tool.name": f"tool-{n}",
                "gen_ai.tool.call.arguments": json.dumps({"customer": "c-1", "note": "a long argument " * 20}),
                "gen_ai.tool.call.result": "found",
            },
            **({"status": {"code": 2, "message": "400 id is required"}} if n == 4 else {}),
        }
        for n in range(10)
    ]
    line = {"id": "r", "query": "Where is it?", "trace": json.dumps(spans), "response": "Here."}
    (project / "pool.jsonl").write_text(json.dumps(line) + "\n")
    with Server(project) as server:
        page.goto(server.url)
        _arrive(page, 1, of=1)
        expect(page.locator("#response .named").nth(1)).to_have_text("Trace · 20 steps · 1 error")
        expect(page.locator(".step .time").first).to_have_text("0.5 s")
        expect(page.locator(".step.failed .gist")).to_contain_text("400 id is required")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert serious_faults(page, resized=width == 390) == []
        _press(page, "o")
        expect(page.locator("details.step[open]")).to_have_count(10)
        assert serious_faults(page) == []
        _press(page, "o")
        expect(page.locator("details.step[open]")).to_have_count(0)


def test_without_javascript_the_labelling_page_says_that_it_needs_javascript_and_asks_nothing(
    project: Path, chromium: Browser
) -> None:
    context = patient_context(chromium, java_script_enabled=False)
    page = context.new_page()
    with Server(project) as server:
        page.goto(server.url)
        assert "This page needs JavaScript." in page.locator("body").inner_text()
        assert page.locator("main:visible, button[type=submit]:visible, input:visible").count() == 0
    context.close()
