"""Sixty invented charts, judged by a function that counts coloured squares, and by one that ignores the chart."""

import json
from pathlib import Path

import pytest

from markscheme import calibrate
from markscheme.features.media.run_facts import sight_facts
from markscheme.judges.function import FunctionJudge
from tests.features.media.charts import RUBRIC, N, believes, counts, write_charts


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Load charts with claims about them, and labels by the program that drew them."""
    return write_charts(tmp_path_factory.mktemp("charts"))


@pytest.mark.proof
def test_a_judge_that_reads_pixels_agrees_with_the_labels_on_every_chart_drawn_for_this_test(examples: Path) -> None:
    calibration = calibrate(RUBRIC, examples, FunctionJudge(counts, "function:counts"))
    assert dict(sight_facts(calibration)) == {"reads images": "yes (probe)"}
    assert "yes (probe)" in calibration.to_html()
    done = calibration.to_json()
    assert done["counts"]["graded"] == N
    assert done["agreement"]["value"] == 1.0
    assert done["criteria"]["right"]["cohen_kappa"]["value"] == 1.0
    assert "base64" not in json.dumps(done)


@pytest.mark.proof
def test_calibrate_refuses_a_judge_that_cannot_read_back_a_test_image(examples: Path) -> None:
    with pytest.raises(Exception, match="can't read images"):
        calibrate(RUBRIC, examples, FunctionJudge(believes, "function:believes"))
