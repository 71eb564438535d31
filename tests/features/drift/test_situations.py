"""Calibrations of what changed since the accepted run, whole, as a reader meets them."""

from pathlib import Path

import pytest

from markscheme.calibration.calibration import Calibration
from markscheme.report.markdown import render_markdown
from markscheme.report.sections.first_screen import callout
from markscheme.report.views.calibration import view
from tests.features.drift.situations import DRIFTS
from tests.golden_files import GoldenFiles
from tests.report.situations import SITUATIONS
from tests.report.test_situations import (
    fits_and_leads_with,
    shares_are_those_of_gold,
    steady,
)

HERE = Path(__file__).parent / "golden"
TONES = {
    "drift-by-judge": ("bad", "The judge changed: don't use this judge yet."),
    "drift-by-wording": ("note", "You reworded clarity: label again before it is used for trends."),
}


@pytest.fixture(scope="module", params=DRIFTS)
def situation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Calibration]:
    name: str = request.param
    return name, DRIFTS[name](tmp_path_factory.mktemp("kept"))


def test_the_callout_on_drift_has_the_expected_heading_and_tone_in_each_example_situation(
    situation: tuple[str, Calibration],
) -> None:
    name, calibration = situation
    shown = callout(calibration)
    assert (shown.tone, shown.head) == TONES[name]


def test_the_drift_report_on_each_example_situation_equals_its_golden_file(
    situation: tuple[str, Calibration], golden: GoldenFiles
) -> None:
    name, calibration = situation
    golden.check(f"situations/{name}.md", steady(render_markdown(view(calibration))), HERE)


def test_the_report_on_drift_on_the_terminal_fits_80_columns_and_begins_with_the_callout(
    situation: tuple[str, Calibration],
) -> None:
    name, calibration = situation
    fits_and_leads_with(TONES[name][1], calibration)


def offers_accepting_where_it_can_be_used(calibration: Calibration) -> None:
    """See that accepting a run is offered only for a judge that can be used."""
    offered = "--accept`" in render_markdown(view(calibration))
    assert offered == (calibration.decision.use in ("gate", "trend"))


def test_calibrate_after_an_accepted_run_suggests_accepting_only_a_judge_that_can_be_used(
    situation: tuple[str, Calibration],
) -> None:
    offers_accepting_where_it_can_be_used(situation[1])


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_first_calibration_suggests_accepting_only_a_judge_that_can_be_used(name: str) -> None:
    offers_accepting_where_it_can_be_used(SITUATIONS[name]())


def test_false_passes_are_shown_as_a_share_of_gold_s_fails_and_false_fails_as_a_share_of_gold_s_passes(
    situation: tuple[str, Calibration],
) -> None:
    shares_are_those_of_gold(situation[1])


def test_a_fall_of_agreement_explained_by_drift_is_reported_with_the_drift_and_not_among_the_fixes() -> None:
    page = (HERE / "situations" / "drift-by-judge.md").read_text(encoding="utf-8")
    first, _, rest = page.partition("### Fix first")
    fixes = rest.partition("### Criteria")[0]
    assert (first.count("Agreement on tone fell"), fixes.count("Agreement")) == (1, 0)
    assert "too lenient" in fixes
    assert "nchor" not in fixes
