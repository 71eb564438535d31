"""The HTML page of a report: its first screen, its links, and hostile text in it."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.ratings.examples import ExampleSet
from markscheme.report.document import Bars, Case, Document, Examples, Mark
from markscheme.report.html import cut, render_html
from markscheme.report.views import calibration as of_calibration
from markscheme.stats.severity import confusion
from tests.calibration import made
from tests.commands.console import run
from tests.commands.judged_project import make_project
from tests.report.hostile import ATTACKS, hostile_calibration

SMALL_ENOUGH = 3_000_000
VOID = {"meta", "input"}
SHIFTS = (("praise", 0.25), ("padding", -0.1))
"""Changes of a response, and by how many levels a judge's ratings shift."""


class Page(HTMLParser):
    """The elements of a page, and faults in how they are nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.faults: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        if tag == "a":
            self.targets.append(attributes["href"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page_of(calibration: Calibration) -> str:
    return render_html(of_calibration.view(calibration))


def data_of(text: str) -> list[dict[str, Any]]:
    """Return the lists of examples that the page contains as data."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert match is not None
    lists: list[dict[str, Any]] = json.loads(match[1])
    return lists


@pytest.fixture(scope="module")
def lenient() -> Calibration:
    """A judge that is one level too high on clarity for every other example."""
    people = made.Made()
    levels = people.judge.copy()
    levels[::2, 0] = np.clip(levels[::2, 0] + 2, 1, 5)
    labelled = made.examples(people.rubric, people.people, systems=["a", "b"] * 50)
    return calibration_of(people.rubric, labelled, made.judged(people.rubric, levels), Rater("lenient", "", "ratings"))


@pytest.fixture(scope="module")
def hostile() -> str:
    return page_of(hostile_calibration(500))


def well_made(text: str) -> Page:
    """Parse a page and assert that elements are nested correctly, ids are unique, and links have targets."""
    page = Page(text)
    assert page.faults == []
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)
    assert all(target.startswith("#") for target in page.targets)
    return page


def test_the_page_of_a_calibration_begins_with_the_verdict_on_the_judge_then_false_passes_then_what_to_fix(
    lenient: Calibration,
) -> None:
    text = " ".join(" ".join(well_made(page_of(lenient)).text).split())
    text = text[text.index("Not enough labels to tell") :]
    wanted = ("Stops:", "Scores agree", "False passes", "Fix first", "Criteria", "What was run")
    places = [text.index(words) for words in wanted]
    assert places == sorted(places)
    assert f"{len(lenient.comparison.false_passes)} of " in text


def test_the_page_shows_the_confusion_matrix_of_each_criterion_with_the_judge_s_counts_against_gold(
    lenient: Calibration,
) -> None:
    page = page_of(lenient)
    for place, (name, compared) in enumerate(lenient.comparison.criteria.items()):
        section = page[page.index(f'id="p0-c{place}"') :].split("</section>")[0]
        assert name in section
        cells = re.findall(r'<td class="(?:[ab]\d|zero)">(?:<a [^>]*>)?(\d+)', section)
        levels = sorted({1.0, 2.0, 3.0, 4.0, 5.0, *compared.gold.tolist()})
        whole_levels = [place for place, level in enumerate(levels) if level == int(level)]
        counts = confusion(compared.gold, compared.judge, levels)[:, whole_levels]
        assert [int(cell) for cell in cells] == counts.flatten().tolist()
        for who in ("judge", "annotators", "baseline", "chance"):
            assert f"<bdi>{who}</bdi>" in section
        differ = int((compared.gold != compared.judge).sum())
        link = f'<a href="#p0-examples" data-tag="c{place}">{differ}</a>' if differ else "0"
        assert f"Another level than gold on {link} of {len(compared.gold)} examples" in section


def test_every_number_on_the_page_that_links_to_examples_equals_the_length_of_their_list(lenient: Calibration) -> None:
    page = page_of(lenient)
    cases = data_of(page)[0]["cases"]
    links = re.findall(r'data-tag="([^"]+)"[^>]*>(\d+)</a>', page)
    assert links
    for tag, n in links:
        assert sum(tag in case["tags"] for case in cases) == int(n), tag


def test_the_page_counts_as_off_gold_exactly_the_scores_that_do_not_agree_with_gold(
    lenient: Calibration,
) -> None:
    page = page_of(lenient)
    comparison = lenient.comparison
    agreement = comparison.agreement
    assert agreement.value is not None
    off = round(agreement.n * (1 - agreement.value))
    assert off == int((np.abs(comparison.misses) >= comparison.tolerance).sum())
    assert f"Scores of {agreement.n} examples: {off} off gold by 0.1 or more" in page
    assert ["off", "score off by 0.1 or more", off] in data_of(page)[0]["filters"]


def test_the_plot_of_scores_marks_a_score_that_differs_from_gold_by_exactly_the_tolerance_as_differing() -> None:
    of = replace(made.rubric("clarity"), tolerance=0.25)
    gold = np.tile(np.arange(1.0, 6.0), 8)[:, None]
    judge = np.clip(gold + 1, 1, 5)  # one level of four: a quarter of the score
    labelled = made.examples(of, {"p1": gold, "p2": gold})
    calibration = calibration_of(of, labelled, made.judged(of, judge), Rater("one up", "", "ratings"))
    assert calibration.comparison.agreement.value == 0.2
    page = page_of(calibration)
    assert "Scores of 40 examples: 32 off gold by 0.25 or more" in page
    assert "32 examples exactly at the tolerance count as misses: agreement 20% without them, 100% with" in page


def test_the_warning_about_a_single_example_at_the_tolerance_is_in_the_singular() -> None:
    of = replace(made.rubric("clarity"), tolerance=0.25)
    gold = np.tile(np.arange(1.0, 6.0), 2)[:, None]
    judge = gold.copy()
    judge[0] += 1
    labelled = made.examples(of, {"p1": gold, "p2": gold})
    page = page_of(calibration_of(of, labelled, made.judged(of, judge), Rater("one up", "", "ratings")))
    assert "1 example exactly at the tolerance counts as a miss: agreement 90% without it, 100% with" in page


@pytest.mark.parametrize(
    ("off", "constructed", "first"),
    [
        (0, False, "Nothing: no issues found."),
        (18, False, "Nothing: no issues found."),
        (0, True, "No issues found, but only against labels that no annotator gave"),
    ],
)
def test_if_there_is_no_finding_the_page_still_says_what_to_do_first(off: int, constructed: bool, first: str) -> None:
    of = made.rubric("clarity")
    gold = np.tile(np.arange(1.0, 6.0), 20)[:, None]
    judge = gold.copy()
    judge[:off] = np.clip(gold[:off] + np.where(np.arange(off) % 2, 1, -1)[:, None], 1, 5)
    labelled = made.examples(of, {"p1": gold})
    if constructed:
        labelled = ExampleSet(
            tuple(
                replace(example, labels=tuple(replace(label, kind="constructed") for label in example.labels))
                for example in labelled.examples
            )
        )
    calibration = calibration_of(of, labelled, made.judged(of, judge), Rater("same", "", "ratings"))
    assert calibration.findings == ()
    fix = page_of(calibration).split('id="p0-fix"')[1].split("</section>")[0]
    assert first in fix


def test_findings_and_false_passes_on_the_page_link_to_their_examples(lenient: Calibration) -> None:
    page = page_of(lenient)
    cases = data_of(page)[0]["cases"]
    links = {unit: int(place) for place, unit in re.findall(r'data-example="(\d+)"><bdi>([^<]+)</bdi>', page)}
    wanted = {*lenient.comparison.false_passes[:8], *(unit for f in lenient.findings[:1] for unit in f.examples[:3])}
    assert wanted
    assert wanted <= links.keys()
    assert all(cases[place]["id"] == unit for unit, place in links.items())


def test_an_example_on_the_page_has_the_response_and_the_verdict_with_reason_and_quote_and_each_label() -> None:
    case = data_of(page_of(hostile_calibration(3, attacks=["plain words"])))[0]["cases"][0]
    assert (case["query"], case["words"]) == ("plain words", "plain words")
    assert re.findall(r'<p class="named">([^<]*)<', case["html"])[0::2] == ["Query", "Response"]
    assert case["html"].count("<p>plain words</p>") == 2
    assert case["raters"][:2] == ["gold", "judge"]
    assert any(rater.startswith("p1") for rater in case["raters"])
    level, _, reason, quote, found_in, is_missing = case["rows"][0][1][1]
    assert (reason, quote, found_in, is_missing) == ("a reason: plain words", "a quote: plain words", "", 1)
    assert level


def test_hostile_text_is_shown_as_text_on_the_page(hostile: str) -> None:
    page = well_made(hostile)
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert {"img", "iframe", "object", "b-evil", "link", "base"}.isdisjoint(tag for tag, _ in page.elements)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "<" not in hostile.split('id="data">')[1].split("</script>")[0]
    for attack in ATTACKS:
        for letter in "\u202e\u2066\x00\x1b\u200b":
            if letter in attack:
                assert letter not in hostile
                assert f"⟨U+{ord(letter):04X}⟩" in hostile


def test_a_page_of_500_hostile_examples_with_long_lines_stays_small(hostile: str) -> None:
    assert len(hostile.encode()) < SMALL_ENOUGH
    assert len(data_of(hostile)[0]["cases"]) == 500
    assert "[cut: 1,000,0" in hostile


@pytest.mark.proof
def test_a_page_on_several_judges_with_hostile_examples_stays_small() -> None:
    judge = of_calibration.view(hostile_calibration(300))
    page = render_html(Document("Both", "", (), parts=(judge, judge)))
    assert len(page.encode()) < SMALL_ENOUGH
    assert [len(data["cases"]) + data["left_out"] for data in data_of(page)] == [300, 300]
    well_made(page)


@pytest.mark.proof
def test_a_page_that_cannot_hold_all_examples_shows_as_many_as_fit_without_cutting_their_texts() -> None:
    response = "It arrives on Friday. " * 100
    empty = Case("0", "", "", (), (), (), response, (), (), (), ())
    examples = Examples(tuple(Case(**{**vars(empty), "id": str(n)}) for n in range(6_000)), ())
    (data,) = data_of(render_html(Document("Many", "", (examples,))))
    assert (len(data["cases"]), data["left_out"]) == (500, 5_500)
    assert data["cases"][0]["html"].count("Friday") == 100
    assert "[cut:" not in data["cases"][0]["html"]


def test_a_page_s_security_policy_lets_only_its_own_script_and_style_run(hostile: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r'\b(?:src|style|action|srcdoc)="', hostile)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("family 👩\u200d👩\u200d👧", "family 👩\u200d👩\u200d👧"),
        ("x\u202ey\u2028z\x07", "x⟨U+202E⟩y⟨U+2028⟩z⟨U+0007⟩"),
    ],
)
def test_a_page_replaces_only_invisible_and_reordering_characters_by_visible_codes(text: str, shown: str) -> None:
    assert cut(text, 60) == shown


def test_a_long_text_on_the_page_is_cut_and_marked_as_cut() -> None:
    assert cut("ab" * 500, 10) == "ababababab… [cut: 1,000 characters in all]"
    assert len(cut("\u202e" * 1000, 100)) < 200


def test_the_page_says_in_which_input_a_quote_was_found_or_that_it_was_not_found(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    lines = [json.loads(line) for line in (project / "claude.jsonl").read_text().splitlines()]
    quotes = {"e0": (True, "query"), "e1": (True, "response"), "e2": (False, "")}
    for line in lines:
        quote_found, quote_in = quotes.get(line["id"], (None, ""))
        verdict = {"level": 3, "reason": "so", "quote": f"quote of {line['id']}", "quote_found": quote_found}
        line["criteria"]["polite"] = {**verdict, "quote_in": quote_in}
    (project / "claude.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run("calibrate", "manners", "--ratings", "claude.jsonl", "--html", "one.html", cwd=project)
    assert done.returncode in (0, 1, 4), done.stderr
    text = (project / "one.html").read_text(encoding="utf-8")
    cells = {unit: re.search(rf'"quote of {unit}"([^\]]*)\]', text) for unit in ("e0", "e1", "e2", "e3")}
    assert {unit: cell and cell[1] for unit, cell in cells.items()} == {
        "e0": ',"query"',
        "e1": "",
        "e2": ',"",1',
        "e3": "",
    }


def test_the_axis_of_a_chart_on_a_page_is_not_in_percent_if_its_figures_are_not_shares() -> None:
    marks = tuple((name, Mark(f"{value:+.2f}", value, lowest=-0.5, highest=0.5)) for name, value in SHIFTS)
    shifts = render_html(Document("Shifts", "", (Bars(marks, "Shifts in levels.", axis=(-0.5, 0.0, 0.5)),)))
    head = shifts.partition('class="scale">')[2].partition("</thead>")[0]
    assert re.findall(r'<text x="([^"]+)"[^>]*>([^<]+)</text>', head) == [
        ("0.00%", "−0.5"),
        ("50.00%", "0"),
        ("100.00%", "+0.5"),
    ]
    assert "0 to 100%" not in head
