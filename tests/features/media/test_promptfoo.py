"""Images in vars of the real Promptfoo, by the Python grader and by the one in Node."""

import json
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.media.drawing import picture
from tests.commands.console import ROOT
from tests.promptfoo.answering import LANGUAGES, in_language, rows
from tests.real.promptfoo import run_eval

JUDGE = f"""
import re, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.features.media.pixels import pixels_of, squares_in
def counts(system_prompt, user_prompt, parts):
    claimed = int(re.findall(r"There are (\\d+) squares", user_prompt)[0])
    level = "MET" if squares_in(pixels_of(parts[0].content)) == claimed else "UNMET"
    return {{"verdicts": {{"right": {{"quote": "nothing to quote", "reason": "Counted.", "level": level}}}}}}
"""


@pytest.mark.usefixtures("promptfoo")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.proof
def test_a_judge_counts_what_is_in_the_image_of_a_var(language: str, tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "charts.yaml").write_text(
        "inputs: [chart]\ncriteria: [{name: right, requirement: The number of squares is right}]\n"
    )
    (tmp_path / "counting.py").write_text(JUDGE)
    (tmp_path / "chart.png").write_bytes(picture("KITE", 4))
    grader = f"file://{ROOT}/graders/rubric_grader.py"
    config = {"rubric": "charts", "judge": "function:counting:counts", "probe": "off", "session": "off"}
    assertion: dict[str, Any] = {"type": "python", "value": in_language(language, grader), "config": config}
    tests = [{"vars": {"chart": "file://chart.png", "n": n}, "assert": [assertion]} for n in (4, 5)]
    file = tmp_path / "promptfooconfig.json"
    file.write_text(json.dumps({"prompts": ["There are {{n}} squares."], "providers": ["echo"], "tests": tests}))
    run = run_eval(file, cwd=tmp_path, env={"MARKSCHEME_CACHE": str(tmp_path / "cache")})
    reasons = [row["gradingResult"]["reason"] for row in rows(run)]
    assert [row["success"] for row in rows(run)] == [True, False], (reasons, str(rows(run)[0]["vars"])[:200])
