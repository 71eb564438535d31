"""The record of the wordings that labels were given to."""

import json
from dataclasses import replace
from pathlib import Path

from markscheme.ratings.wordings import CriterionWords, record_words, words_in
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


def test_the_wording_of_a_rubric_is_recorded_once_and_found_by_its_digest(tmp_path: Path) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    record_words(tmp_path, RUBRIC, "2026-11-02")
    lines = [json.loads(line) for line in (tmp_path / "wordings.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["criterion"], line["at"]) for line in lines] == [("polite", "2026-11-01"), ("short", "2026-11-01")]
    polite, short = RUBRIC.criteria
    words = words_in(tmp_path)
    assert words[polite.wording] == CriterionWords("Is it polite?", ("1 · rude: It insults.", "3 · kind"))
    assert words[short.wording] == CriterionWords.of(short)


def test_a_new_wording_of_a_criterion_is_appended_to_the_record_of_wordings_and_earlier_ones_stay(
    tmp_path: Path,
) -> None:
    record_words(tmp_path, RUBRIC, "2026-11-01")
    polite, short = RUBRIC.criteria
    reworded = replace(polite, requirement="Is it polite to the customer?")
    record_words(tmp_path, replace(RUBRIC, criteria=(reworded, short)), "2026-11-02")
    words = words_in(tmp_path)
    assert (words[polite.wording].text, words[reworded.wording].text) == (polite.requirement, reworded.requirement)
    assert len(words) == 3


def test_lines_without_a_wording_are_left_out_of_the_record_of_wordings(tmp_path: Path) -> None:
    (tmp_path / "wordings.jsonl").write_text('[1]\n{"under": "a", "text": 7, "scale": [3, {"choice": "x"}]}\n')
    assert words_in(tmp_path) == {"a": CriterionWords("7", ("x",))}
    assert words_in(tmp_path / "elsewhere") == {}
