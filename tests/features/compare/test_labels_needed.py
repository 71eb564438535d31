"""The number of labels after a comparison."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.sitting import make_sitting, printed


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Thirty replies that two people labelled, and a judge that misses three of them."""
    return make_sitting(tmp_path)


@pytest.mark.proof
def test_judges_in_a_comparison_and_judges_calibrated_earlier_are_counted_together_as_tried_settings(
    sitting: Path,
) -> None:
    printed(sitting, "calibrate", "kind", "--ratings", "other.jsonl", status=1)
    rows = [{"id": f"e{i}", "judge": "twin", "criteria": {"kind": bool(i % 2) != (i < 4)}} for i in range(30)]
    (sitting / "twin.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    compared = printed(sitting, "markscheme", "compare", "judge.jsonl", "twin.jsonl", "--rubric", "kind")
    (number,) = set(re.findall(r"[Ll]abel about (\d+) more for", compared))
    after = printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    assert "95% for the 3 settings" in after
    assert f"Label about {number} more" in after
