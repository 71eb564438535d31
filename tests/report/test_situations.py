"""Situations, whole, as a reader meets them in a terminal and in Markdown."""

import io
import re

import pytest

from markscheme.calibration.calibration import Calibration
from markscheme.report.markdown import render_markdown
from markscheme.report.sections.examples import examples_of
from markscheme.report.sections.first_screen import callout
from markscheme.report.terminal import render_terminal
from markscheme.report.views.calibration import view
from markscheme.stats.shares import FEWEST_SHOWN
from tests.commands.screens import holds_command
from tests.core_alone import core_alone, without_sections_of_features
from tests.golden_files import GOLDEN
from tests.report.situations import SITUATIONS

TONES = {
    "ok": ("good", "Can gate."),
    "too-few-labels": ("open", "Not enough labels to tell whether it can gate."),
    "worse-than-baseline": ("open", "Not enough labels to tell whether it can gate."),
    "labels-disagree": ("open", "Not enough labels to tell whether it can gate."),
    "decisions-disagree": ("open", "These labels don't show whether it can gate."),
    "nothing-graded": ("bad", "Nothing could be graded."),
    "synthetic-labels": ("open", "Can't tell whether it can gate: synthetic labels only."),
    "nearly-at-the-target": ("open", "Can't tell whether it can gate."),
    "gate-with-false-passes": ("good", "Can gate."),
    "one-answer": ("bad", "Don't use this judge yet."),
    "worse-on-one-system": ("good", "Can gate, except system gpt-4-turbo."),
    "many-examples": ("good", "Can gate."),
}
VARYING = {
    r"\d{4}-\d\d-\d\d": "DATE",
    r"\b(?:sha256:)?[0-9a-f]{16,64}\b": "DIGEST",
    r"\(/[^)]*accepted\.json\)": "(FILE)",
}


@pytest.fixture(scope="module", params=SITUATIONS)
def situation(request: pytest.FixtureRequest) -> tuple[str, Calibration]:
    name: str = request.param
    return name, SITUATIONS[name]()


def steady(text: str) -> str:
    """Replace in a text what varies between runs, such as times."""
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text


def on_screen(calibration: Calibration) -> str:
    page = io.StringIO()
    render_terminal(view(calibration), page, width=80)
    return page.getvalue()


def test_the_callout_of_each_report_in_these_tests_has_the_expected_headline_and_colour(
    situation: tuple[str, Calibration],
) -> None:
    name, calibration = situation
    shown = callout(calibration)
    assert (shown.tone, shown.head) == TONES[name]


def test_each_sample_report_without_the_sections_of_optional_features_equals_its_golden_file(
    situation: tuple[str, Calibration],
) -> None:
    name, calibration = situation
    assert calibration.commands  # a calibration keeps the commands that it suggests: here those with every feature
    with core_alone():
        report = steady(render_markdown(view(calibration)))
    page = (GOLDEN / "situations" / f"{name}.md").read_text(encoding="utf-8")
    assert report == without_sections_of_features(page, report)


def test_each_sample_report_on_a_terminal_fits_80_columns_and_begins_with_the_expected_headline(
    situation: tuple[str, Calibration],
) -> None:
    name, calibration = situation
    fits_and_leads_with(TONES[name][1], calibration)


def fits_and_leads_with(callout_text: str, calibration: Calibration) -> None:
    """Assert that a calibration's report fits 80 columns and begins with its callout."""
    lines = on_screen(calibration).splitlines()
    assert not [line for line in lines if len(line) > 80 and not holds_command(line)]
    assert callout_text in lines[3] + lines[2] + lines[4]


def test_each_sample_report_gives_wrong_decisions_as_a_share_of_gold_s_fails_or_passes(
    situation: tuple[str, Calibration],
) -> None:
    shares_are_those_of_gold(situation[1])


def shares_are_those_of_gold(calibration: Calibration) -> None:
    """Assert that wrong decisions are given as shares of gold's fails and passes."""
    comparison = calibration.comparison
    for wrong, rate in (
        (comparison.false_passes, comparison.false_pass_rate),
        (comparison.false_fails, comparison.false_fail_rate),
    ):
        if rate.value is None:
            assert not wrong
            continue
        assert rate.value == pytest.approx(len(wrong) / rate.n)
        if rate.n < FEWEST_SHOWN:
            assert rate.low is None
            continue
        assert rate.low is not None
        assert rate.low <= rate.value


def test_reports_list_wrong_decisions_first_and_name_every_criterion_on_which_judge_and_gold_differ() -> None:
    calibration = SITUATIONS["labels-disagree"]()
    shown = examples_of(calibration.comparison).cases
    for case in shown:
        place = calibration.comparison.ids.index(case.id)
        apart = {
            name
            for name, compared in calibration.comparison.criteria.items()
            if abs(compared.judge[place] - compared.gold[place]) > 0
        }
        assert {name for name in calibration.comparison.criteria if f"; {name}: judge" in case.head} == apart
    passes, fails = calibration.comparison.false_passes, calibration.comparison.false_fails
    order = [
        (case.id not in passes, case.id not in passes and case.id not in fails, -abs(case.values[2] or 0.0))
        for case in shown
        if case.values[2] is not None
    ]
    assert order == sorted(order)
    assert {case.id for case in shown[:2]} == {"e70", "e73"} == set(passes)


@pytest.mark.parametrize(
    ("name", "is_said", "is_not_said"),
    [
        ("nearly-at-the-target", "its decision is that of people on 79.6% (77.0–82.1), target 80.0%", "325"),
        ("gate-with-false-passes", "Whether it may pass 19% (12–28) of the fails is yours", "no issues found"),
        ("one-answer", "passes all 10 responses that people fail", "answering 1"),
        ("one-answer", "the judge passes every example", "level 1"),
        ("worse-on-one-system", "not what wrote them", "special about system"),
        ("many-examples", "Agreement hides errors on every criterion", "too few labels"),
    ],
)
def test_each_sample_report_contains_its_expected_sentence_and_lacks_a_sentence_known_to_be_wrong(
    name: str, is_said: str, is_not_said: str
) -> None:
    page = (GOLDEN / "situations" / f"{name}.md").read_text(encoding="utf-8")
    assert is_said in page
    assert is_not_said not in page
    assert "Ask for one criterion at a time" not in page


def test_a_sentence_that_is_true_of_several_criteria_is_printed_once_in_the_report() -> None:
    page = (GOLDEN / "situations" / "many-examples.md").read_text(encoding="utf-8")
    assert page.count("Agreement hides") == 1
    assert page.count("the judge is noisy; its errors vary over 10 times as much as an annotator's") == 1
