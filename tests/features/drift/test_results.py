"""Results of Promptfoo that are held against an accepted run."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.commands.test_calibrate_results import GRADED, thumbs
from tests.promptfoo.rated_run import rows_of, unlabelled, written


@pytest.fixture
def enough_results(rated_results: dict[str, Any]) -> dict[str, Any]:
    """Twelve tests a word: a judge without an error on twelve fails is shown to stop 70% of them."""
    return unlabelled(rated_results, each=12)


def test_a_later_file_of_promptfoo_s_results_is_compared_with_the_accepted_results(
    enough_results: dict[str, Any], tmp_path: Path
) -> None:
    thumbs(enough_results, GRADED)
    written(enough_results, tmp_path / "monday.json")
    accepted = run("calibrate", "monday.json", "--accept", "-o", "accepted=judge.json", cwd=tmp_path)
    assert accepted.returncode == 0, accepted.stderr
    for row in rows_of(enough_results, "hello") + rows_of(enough_results, "plain"):
        for component in row["gradingResult"]["componentResults"]:
            if component.get("assertion", {}).get("metric") == "short":
                component["pass"], component["score"] = False, 0
    written(enough_results, tmp_path / "friday.json")
    report = json.loads(
        run("calibrate", "friday.json", "-o", "accepted=judge.json", "--json", "-", cwd=tmp_path).stdout
    )
    assert "short" in {finding["criterion"] for finding in report["findings"] if finding["code"] == "drift"}
