"""The record of the wordings that labels were given to."""

import json
from dataclasses import replace
from pathlib import Path

from markscheme.ratings.wordings import WORDINGS_FILE, record_words, wording_lines
from markscheme.rubrics.rubric import Rubric

RUBRIC = Rubric.from_dict(
    {
        "name": "manners",
        "criteria": [
            {
                "name": "polite",
                "description": "Is it polite?",
                "weight": 1,
                "levels": [
                    {"value": 1, "label": "rude", "description": "It insults."},
                    {"value": 2},
                    {"value": 3, "label": "kind"},
                ],
            },
            {"name": "short", "requirement": "It is short", "weight": 1},
        ],
    }
)


def test_each_wording_of_a_criterion_is_recorded_once_under_its_digest(tmp_path: Path) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    record_words(tmp_path, RUBRIC, "2026-11-02")
    lines = [json.loads(line) for line in (tmp_path / "wordings.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["criterion"], line["at"]) for line in lines] == [("polite", "2026-11-01"), ("short", "2026-11-01")]
    polite, short = RUBRIC.criteria
    assert {line["under"]: line["text"] for line in lines} == {
        polite.wording: "Is it polite?",
        short.wording: "It is short",
    }


def test_a_new_wording_of_a_criterion_is_appended_to_the_record_of_wordings_and_earlier_wordings_stay(
    tmp_path: Path,
) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    polite, short = RUBRIC.criteria
    reworded = replace(polite, requirement="Is it polite to the customer?")
    record_words(tmp_path, replace(RUBRIC, criteria=(reworded, short)), "2026-11-02")
    lines = wording_lines(tmp_path / WORDINGS_FILE)
    assert {line["under"]: line["text"] for line in lines} == {
        criterion.wording: criterion.requirement for criterion in (polite, reworded, short)
    }
