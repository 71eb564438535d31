"""Whole reports with the sections of all features, compared with golden files."""

import pytest

from markscheme.report.markdown import render_markdown
from markscheme.report.views.calibration import view
from tests.golden_files import GoldenFiles
from tests.report.situations import SITUATIONS
from tests.report.test_calibration_report import make_calibration, on_screen
from tests.report.test_situations import steady


def test_the_detailed_report_on_a_terminal_with_all_features_equals_its_golden_file(golden: GoldenFiles) -> None:
    golden.check("calibration-details.txt", on_screen(make_calibration(), details=True))


def test_the_markdown_report_with_all_features_equals_its_golden_file(golden: GoldenFiles) -> None:
    golden.check("calibration.md", render_markdown(view(make_calibration())))


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_sample_report_with_all_features_equals_its_golden_file(name: str, golden: GoldenFiles) -> None:
    golden.check(f"situations/{name}.md", steady(render_markdown(view(SITUATIONS[name]()))))
