"""Images in vars of the real Promptfoo: by the assertion, in Python and in Node, and by `--grader`."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.media.drawing import picture
from tests.commands.console import ROOT
from tests.features.media.pictures import pixels_of, squares_in
from tests.judges.asking import KEY
from tests.judges.chat_server import ChatServer, completion
from tests.promptfoo.answering import LANGUAGES, in_language, rows
from tests.real.promptfoo import run_eval


def counts(request: Mapping[str, Any]) -> Any:
    """Answer as a model that counts the squares in the image and compares the number with the claim."""
    content = request["messages"][1]["content"]
    (address,) = (block["image_url"]["url"] for block in content if block["type"] == "image_url")
    squares = squares_in(pixels_of(base64.b64decode(address.partition(",")[2])))
    level = "MET" if f"There are {squares} squares." in content[-1]["text"] else "UNMET"
    verdict = {"quote": "nothing to quote", "reason": "Counted.", "level": level}
    asked = request["response_format"]["json_schema"]["schema"]["properties"]["verdicts"]["properties"]
    return completion(json.dumps({"verdicts": dict.fromkeys(asked, verdict)}))


BY_RUBRIC = {"type": "llm-rubric", "value": "charts"}
BY_TEXT = {"type": "llm-rubric", "value": "It names the number of squares in the chart"}


@pytest.mark.usefixtures("promptfoo")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.proof
def test_in_promptfoo_a_judge_sees_the_image_in_a_variable(language: str, tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "charts.yaml").write_text(
        "inputs: [chart]\ncriteria: [{name: right, requirement: The number of squares is right}]\n"
    )
    (tmp_path / "markscheme.toml").write_text('judge = "openai:m"\nprobe = "off"\n')
    (tmp_path / "chart.png").write_bytes(picture("KITE", 4))
    grader, provider = (f"file://{ROOT}/graders/rubric_{name}.py" for name in ("grader", "provider"))
    config = {"rubric": "charts", "session": "off"}
    assertion = {"type": "python", "value": in_language(language, grader), "config": config}
    tests = [
        {"vars": {"chart": "file://chart.png", "n": n}, "assert": [asserted]}
        for asserted in (assertion, BY_RUBRIC, BY_TEXT)
        for n in (4, 5)
    ]
    file = tmp_path / "promptfooconfig.json"
    file.write_text(json.dumps({"prompts": ["There are {{n}} squares."], "providers": ["echo"], "tests": tests}))
    by_us = ("--grader", in_language(language, provider))
    with ChatServer(counts) as server:
        judge = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "MARKSCHEME_CACHE": str(tmp_path / "cache")}
        run = run_eval(file, cwd=tmp_path, env=judge, args=by_us)
    reasons = [row["gradingResult"]["reason"] for row in rows(run)]
    assert [row["success"] for row in rows(run)] == [True, False] * 3, (reasons, str(rows(run)[0]["vars"])[:200])
