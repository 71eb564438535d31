"""Scores of graders in Promptfoo's results, by a rubric of the user's whose criteria are their metrics."""

import json
from pathlib import Path

from markscheme.ratings.kinds import JUDGES
from markscheme.readers.rated import open_rated
from markscheme.rubrics.rubric import Rubric
from tests.jobs.material import RUBRIC_TEXT, write_promptfoo_results

RUBRIC = Rubric.from_dict({"name": "bot", "criteria": [{"name": "llm-rubric", "requirement": RUBRIC_TEXT}]})


def with_a_fact(path: Path, n: int) -> Path:
    """Write results whose outputs also pass an assertion that code decides, which raises Promptfoo's mean score."""
    write_promptfoo_results(path, n)
    data = json.loads(path.read_text())
    for row in data["results"]["results"]:
        fact = {"pass": True, "score": 1.0, "reason": "", "assertion": {"type": "icontains", "value": "."}}
        row["gradingResult"]["componentResults"].append(fact)
        row["testCase"]["assert"].append(fact["assertion"])
        row["score"] = row["gradingResult"]["score"] = (float(row["success"]) + 1) / 2
    path.write_text(json.dumps(data))
    return path


def test_promptfoo_s_results_read_with_a_rubric_give_its_levels_and_no_overall_score(
    tmp_path: Path,
) -> None:
    rated = open_rated([with_a_fact(tmp_path / "results.json", 5)], RUBRIC)
    judged = [rating for rating in rated.ratings if rating.kind in JUDGES]
    assert {rating.overall for rating in judged} == {None}
    assert {(rating.passed, rating.criteria["llm-rubric"].level) for rating in judged} == {(True, 1.0), (False, 0.0)}


def test_a_score_in_promptfoo_s_results_is_kept_if_a_criterion_of_the_rubric_has_no_level(tmp_path: Path) -> None:
    wider_rubric = Rubric.from_dict(
        [
            *({"name": c.name, "requirement": c.requirement} for c in RUBRIC.criteria),
            {"name": "x", "requirement": "Other"},
        ]
    )
    rated = open_rated([with_a_fact(tmp_path / "results.json", 5)], wider_rubric)
    assert {rating.overall for rating in rated.ratings if rating.kind in JUDGES} == {0.5, 1.0}
