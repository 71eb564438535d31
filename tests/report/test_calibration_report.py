"""A calibration as a reader sees it, whole: on a screen, in a pull request, as data."""

import io
import json
import re
from pathlib import Path

import pytest

from markscheme.calibration.examples import Example, ExampleSet
from markscheme.calibration.ratings import Kind, Rated, Rating
from markscheme.calibration.run import Calibration, Rater, calibration_of
from markscheme.report.json_report import calibration_json, dumps
from markscheme.report.markdown import calibration_markdown
from markscheme.report.terminal import print_calibration
from markscheme.rubric import Rubric
from markscheme.submission import Submission

GOLDEN = Path(__file__).parents[1] / "golden"
RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "criteria": [{"name": "clear", "description": "Clear"}, {"name": "polite", "requirement": "Polite"}],
    }
)
HOSTILE = "</td><script>alert(1)</script> **bold** | [x](javascript:y) \u202e @team"


def rating(unit: int, rater: str, kind: Kind, clear: int, polite: bool, reason: str = "") -> Rating:
    return Rating(f"e{unit}", rater, kind, {"clear": Rated(float(clear), reason), "polite": Rated(float(polite))})


def labelled(unit: int) -> Example:
    clear, polite = 1 + unit % 5, unit % 3 > 0
    second = min(5, clear + (unit % 7 == 0))
    labels = (rating(unit, "ana", "human", clear, polite), rating(unit, "ben", "human", second, polite))
    return Example(Submission(f"reply {unit}", {}, f"e{unit}"), labels)


def judged(unit: int) -> Rating:
    lenient = min(5, 1 + unit % 5 + (unit % 2))
    return rating(unit, "judge", "model", lenient, unit % 3 > 0 or unit % 10 == 0, HOSTILE)


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    examples = ExampleSet(tuple(labelled(unit) for unit in range(60)))
    ratings = [judged(unit) for unit in range(58)]
    return calibration_of(RUBRIC, examples, ratings, Rater("judge", "f00d", "ratings", "judge.jsonl"))


def on_screen(calibration: Calibration) -> str:
    page = io.StringIO()
    print_calibration(calibration, page, width=100)
    return page.getvalue()


def test_the_report_on_a_screen_is_the_golden_one(calibration: Calibration) -> None:
    assert on_screen(calibration) == (GOLDEN / "calibration.txt").read_text(encoding="utf-8")


def test_the_report_in_a_pull_request_is_the_golden_one(calibration: Calibration) -> None:
    assert calibration_markdown(calibration) == (GOLDEN / "calibration.md").read_text(encoding="utf-8")


def test_the_answer_comes_first_then_the_false_passes(calibration: Calibration) -> None:
    lines = on_screen(calibration).splitlines()
    answer = next(n for n, line in enumerate(lines) if line.startswith(calibration.decision.use.upper()))
    passes = next(n for n, line in enumerate(lines) if line.startswith("False passes"))
    table = next(n for n, line in enumerate(lines) if line.startswith("criterion"))
    assert answer < passes < table


def test_hostile_reasons_are_shown_as_text_in_markdown(calibration: Calibration) -> None:
    page = calibration_markdown(calibration)
    assert "alert" in page
    live = re.sub(r"\\.", "", page)  # what Markdown would act on
    assert not any(sign in live for sign in ("<script", "](", "**bold", "@team"))


def test_the_json_survives_a_strict_parser(calibration: Calibration) -> None:
    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    text = dumps(calibration_json(calibration))
    assert json.loads(text, parse_constant=refuse)["counts"]["not_graded"] == 2
