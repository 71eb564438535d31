"""Categories of two runs."""

import json
from pathlib import Path

from markscheme import compare
from markscheme.readers.rated import open_rated
from tests.calibration.comparison.test_categories import ABC, PASSING, alone, calibrated


def test_a_json_report_on_a_criterion_with_unordered_categories_is_read_back_with_the_same_figures(
    tmp_path: Path,
) -> None:
    calibration = calibrated(PASSING, alone("abcabc"), {"p": alone("acccbc")})
    path = tmp_path / "report.json"
    path.write_text(json.dumps(calibration.to_json()), encoding="utf-8")
    (read,) = open_rated([path]).files
    (criterion,) = read.rubric.criteria
    assert (criterion.scale, criterion.passing) == (ABC, ("a", "B"))
    copy = tmp_path / "copy.json"
    copy.write_bytes(path.read_bytes())
    again = compare(str(path), str(copy))
    assert again.choice.standings[0].agreement == calibration.comparison.agreement
    assert again.choice.pairs[0].criteria["kind"].shift.value is None
